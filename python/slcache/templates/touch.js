// What a page can do beyond being read: tables that sort and filter, contents, lines over time.
// Everything is there without it. Names come from users: they are set as text, never as markup.
"use strict";

function made(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// ---- Contents, and a link to every part.
function contents() {
  const nav = made("nav", "", { "aria-label": "Contents" });
  const heads = [...document.querySelectorAll("h2")];
  const taken = new Set([...document.querySelectorAll("[id]")].map((each) => each.id));
  for (const head of heads) {
    const words = head.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    let id = words || "part";
    for (let number = 2; taken.has(id); number += 1) id = `${words}-${number}`;
    taken.add(id);
    head.id = id;
    nav.append(made("a", head.textContent, { href: `#${id}` }));
  }
  const title = document.querySelector("h1");
  const under = title.nextElementSibling?.matches("p.soft") ? title.nextElementSibling : title;
  if (heads.length > 2) under.after(nav);
  const wanted = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted) wanted.scrollIntoView();
}

// ---- Tables.
const SCALES = {
  ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400,
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50,
};

// A factor counts as it is, and the reference beside it, printed in units, as 1.
function value(text, factors) {
  const found = /^[*≥≤<>~]?\s*([-−+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*(\S*)/.exec(text.trim());
  if (!found) return NaN;
  if (factors && !found[2].startsWith("×")) return 1;
  const number = Number(found[1].replaceAll(",", "").replace("−", "-"));
  return number * (SCALES[found[2].replace(/[*,;]+$/, "")] ?? 1);
}

// Whether a column is of figures: names may begin with some.
function figures(texts, factors) {
  const told = texts.filter((text) => !/^[–-]?$/.test(text.trim()));
  return 2 * told.filter((text) => !Number.isNaN(value(text, factors))).length > told.length;
}

function sort(table, column, descending) {
  const body = table.tBodies[0];
  const texts = [...body.rows].map((row) => row.cells[column]?.textContent ?? "");
  const factors = texts.some((text) => /\d×/.test(text));
  const keyed = [...body.rows].map((row, at) => ({ row, text: texts[at], number: value(texts[at], factors) }));
  const numbers = figures(texts, factors);
  keyed.sort((a, b) => {
    if (!numbers) return (descending ? -1 : 1) * a.text.localeCompare(b.text);
    // What has no figure comes last either way.
    if (Number.isNaN(a.number) || Number.isNaN(b.number)) return Number.isNaN(a.number) - Number.isNaN(b.number);
    return (descending ? -1 : 1) * (a.number - b.number);
  });
  body.append(...keyed.map((each) => each.row));
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.classList.add("sorts");
    head.tabIndex = 0;
    const turn = () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(table, column, descending);
    };
    head.addEventListener("click", turn);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); turn(); }
    });
  });
}

function filtered(table) {
  const field = made("input", "", { type: "search", placeholder: "show rows with …", "aria-label": "Show rows with" });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  table.before(field);
}

function tables() {
  for (const table of document.querySelectorAll("table")) {
    // Rows that hold together with others stay where they are.
    const rows = table.querySelector("[colspan], [rowspan]") ? 0 : table.tBodies[0]?.rows.length ?? 0;
    if (table.tHead && rows > 1) sortable(table);
    if (rows > 7) filtered(table);
  }
}

// ---- Lines over time: one clock for all panels.
const LEFT = 62, TOP = 8, BOTTOM = 20, HEIGHT = 130;

function told(number, unit) {
  if (unit === "µs") {
    for (const [size, name] of [[1e6, "s"], [1e3, "ms"]]) {
      if (Math.abs(number) >= size) return `${Number((number / size).toPrecision(4))} ${name}`;
    }
  }
  return `${Number(number.toPrecision(4)).toLocaleString("en")} ${unit}`;
}

// A few round numbers of an axis; of a logarithmic one powers of ten where two are in sight.
function ticks(low, high, log) {
  const powers = Array.from({ length: 40 }, (_, at) => 10 ** (at - 12));
  const all = (steps) => powers.flatMap((power) => steps.map((step) => step * power)).filter((v) => v >= low && v <= high);
  if (log) {
    const found = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]].map(all).find((each) => each.length > 1);
    return found ? found.filter((_, at) => at % Math.ceil(found.length / 5) === 0) : [low, high];
  }
  const step = powers.flatMap((power) => [power, 2 * power, 5 * power]).find((v) => (high - low) / v <= 5);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step);
}

class Panel {
  constructor(view, given) {
    this.view = view;
    this.given = given;
    this.log = given.log;
    const head = made("div", "", { class: "panel" });
    head.append(made("strong", given.unit === "µs" ? given.title : `${given.title} (${given.unit})`));
    const turn = made("button", "", { type: "button" });
    const name = () => { turn.textContent = this.log ? "linear axis" : "log axis"; };
    turn.addEventListener("click", () => { this.log = !this.log; name(); this.draw(); });
    name();
    this.readout = made("span", "", { class: "soft" });
    head.append(turn, this.readout);
    this.canvas = made("canvas", "", { role: "img", "aria-label": given.title });
    view.place.append(head, this.canvas);
    this.listen();
  }

  listen() {
    let from = null;
    const time = (event) => this.view.at((event.offsetX - LEFT) / (this.canvas.clientWidth - LEFT - 6));
    this.canvas.addEventListener("pointerdown", (event) => { from = time(event); });
    this.canvas.addEventListener("pointermove", (event) => this.view.hover(time(event), from));
    this.canvas.addEventListener("pointerup", (event) => {
      const to = time(event);
      const [least, most] = [Math.min(from ?? to, to), Math.max(from ?? to, to)];
      from = null;
      if (most - least > 0.01 * (this.view.to - this.view.from)) this.view.show(least, most);
    });
    this.canvas.addEventListener("pointerleave", () => { from = null; this.view.hover(null, null); });
    this.canvas.addEventListener("dblclick", () => this.view.show(0, this.view.end));
  }

  // What is in sight of each scheme that is shown, with a point beyond either side.
  *lines() {
    const { times_s: times, shown, from, to } = this.view;
    for (const [which, values] of this.given.values.entries()) {
      if (!shown[which]) continue;
      const clock = times[which];
      const first = Math.max(0, clock.findIndex((t) => t >= from) - 1);
      const after = clock.findIndex((t) => t > to);
      const last = after < 0 ? clock.length : after + 1;
      yield { which, clock: clock.slice(first, last), values: values.slice(first, last) };
    }
  }

  draw() {
    const { view, canvas } = this;
    const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.fillStyle = getComputedStyle(document.body).color;
    pen.font = "11px system-ui, sans-serif";
    const lines = [...this.lines()];
    const seen = lines.flatMap((line) => line.values).filter((v) => v !== null && (!this.log || v > 0));
    if (!seen.length) { pen.fillText("nothing here", LEFT, HEIGHT / 2); return; }
    let low = this.log ? seen.reduce((a, b) => Math.min(a, b)) / 1.3 : 0;
    let high = seen.reduce((a, b) => Math.max(a, b)) * (this.log ? 1.3 : 1.06) || 1;
    const scale = this.log ? Math.log10 : (v) => v;
    const x = (t) => LEFT + ((t - view.from) / (view.to - view.from)) * (width - LEFT - 6);
    const y = (v) => TOP + (1 - (scale(v) - scale(low)) / (scale(high) - scale(low))) * (HEIGHT - TOP - BOTTOM);
    this.grid(pen, x, y, low, high, width);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, width - LEFT, HEIGHT - BOTTOM + 2);
    pen.clip();
    for (const line of lines) this.line(pen, line, x, y);
    if (view.marked !== null) this.mark(pen, x);
    pen.restore();
  }

  grid(pen, x, y, low, high, width) {
    pen.strokeStyle = "rgba(138,144,153,.35)";
    pen.textAlign = "right";
    for (const v of ticks(low, high, this.log)) {
      pen.fillText(told(v, this.given.unit === "µs" ? "µs" : "").trim(), LEFT - 6, y(v) + 4);
      pen.beginPath(); pen.moveTo(LEFT, y(v)); pen.lineTo(width - 6, y(v)); pen.stroke();
    }
    pen.textAlign = "center";
    for (const t of ticks(this.view.from, this.view.to, false)) {
      pen.fillText(`${Number(t.toPrecision(6))} s`, Math.min(x(t), width - 20), HEIGHT - 5);
    }
  }

  line(pen, { which, clock, values }, x, y) {
    pen.strokeStyle = pen.fillStyle = this.view.colours[which];
    pen.lineWidth = 1.4;
    pen.beginPath();
    let down = false;
    values.forEach((v, at) => {
      const there = v !== null && (!this.log || v > 0);
      if (there) {
        if (down) pen.lineTo(x(clock[at]), y(v)); else pen.moveTo(x(clock[at]), y(v));
        // Idle time around a window would hide it.
        if (!down && (values[at + 1] ?? null) === null) pen.fillRect(x(clock[at]) - 1, y(v) - 1, 2.5, 2.5);
      }
      down = there;
    });
    pen.stroke();
  }

  mark(pen, x) {
    const { marked, begun } = this.view;
    pen.fillStyle = "rgba(138,144,153,.25)";
    if (begun !== null) pen.fillRect(x(Math.min(begun, marked)), 0, Math.abs(x(marked) - x(begun)), HEIGHT);
    pen.fillStyle = "rgba(138,144,153,.9)";
    pen.fillRect(x(marked), 0, 1, HEIGHT);
  }

  // The values of the windows that hold a moment.
  read(moment) {
    if (moment === null) { this.readout.textContent = ""; return; }
    const parts = [];
    for (const { which, clock, values } of this.lines()) {
      const next = clock.findIndex((t) => t > moment);
      const v = values[next < 0 ? values.length - 1 : Math.max(0, next - 1)];
      parts.push(`${this.view.labels[which]} ${v == null ? "–" : told(v, this.given.unit)}`);
    }
    this.readout.textContent = `at ${Number(moment.toPrecision(4))} s: ${parts.join(", ")}`;
  }
}

class View {
  constructor(place, given) {
    Object.assign(this, { place, ...given, shown: given.labels.map(() => true), marked: null, begun: null });
    this.end = Math.max(...this.times_s.flat().map((t) => t + this.step_s));
    [this.from, this.to] = [0, this.end];
    if (this.labels.length > 1) this.keys();
    place.append(made("p", "Drag to zoom all panels, double-click for the whole run.", { class: "soft" }));
    this.drawn = this.panels.map((panel) => new Panel(this, panel));
    this.draw();
    window.addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  keys() {
    this.labels.forEach((name, which) => {
      const box = made("input", "", { type: "checkbox" });
      box.checked = true;
      box.addEventListener("change", () => { this.shown[which] = box.checked; this.draw(); });
      const key = made("label", "", { class: "key" });
      const swatch = made("span", "■");
      swatch.style.color = this.colours[which];
      key.append(box, swatch, made("span", name));
      this.place.append(key);
    });
  }

  at(share) { return this.from + Math.min(1, Math.max(0, share)) * (this.to - this.from); }
  show(from, to) { [this.from, this.to, this.begun] = [from, to, null]; this.draw(); }
  draw() { for (const panel of this.drawn) panel.draw(); }
  hover(moment, begun) {
    [this.marked, this.begun] = [moment, begun];
    for (const panel of this.drawn) { panel.draw(); panel.read(moment); }
  }
}

function overTime() {
  const given = document.getElementById("over-time-data");
  const figure = document.querySelector("figure[data-over-time]");
  if (!given || !figure) return;
  const place = made("div", "", { class: "live" });
  figure.prepend(place);
  figure.classList.add("has-live");
  new View(place, JSON.parse(given.textContent));
}

tables();
overTime();
contents();
