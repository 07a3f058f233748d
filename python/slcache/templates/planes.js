// ---- What planes did: every operation a slice; those of a request, and what had their planes.
const SIDE = 168, AXIS = 20, STILL = 4;

class Run {
  constructor(view, given) {
    Object.assign(this, { view, given, slices: decoded(given, view.step_ns), chosen: [] });
    this.high = Math.max(5, Math.min(16, 420 / given.rows.length));
    const head = made("div", "", { class: "panel" });
    this.readout = made("span", "", { class: "soft", "aria-live": "polite" });
    head.append(made("strong", given.label), this.readout);
    this.canvas = made("canvas", "", { role: "application", tabindex: 0, "aria-label": `Planes of ${given.label} over time` });
    this.canvas.style.outlineOffset = "3px";
    this.canvas.style.height = `${this.high * given.rows.length + AXIS}px`;
    view.place.append(head, this.canvas);
    this.listen();
  }

  get wide() { return this.canvas.clientWidth - SIDE - 6; }
  x(ns) { return SIDE + ((ns - this.view.from) / (this.view.to - this.view.from)) * this.wide; }
  time(event) { return this.view.from + ((event.offsetX - SIDE) / this.wide) * (this.view.to - this.view.from); }

  listen() {
    const { canvas, view } = this;
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => {
      pressed = { x: event.offsetX, from: view.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const by = pressed === null ? 0 : event.offsetX - pressed.x;
      if (Math.abs(by) > STILL) pressed.moved = true;
      if (pressed?.moved) view.show(pressed.from - (by / this.wide) * (view.to - view.from), view.to - view.from);
      else this.hover(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (pressed && !pressed.moved) view.choose(this, this.under(event));
      pressed = null;
    });
    for (const end of ["pointercancel", "pointerleave"]) canvas.addEventListener(end, () => { pressed = null; view.tip.hide(); });
    canvas.addEventListener("dblclick", () => view.show(0, view.span_ns));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => {
      // A page that is scrolled over goes on scrolling.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX / this.wide);
      else view.zoom(1.002 ** event.deltaY, this.time(event));
    }, { passive: false });
  }

  key(event) {
    const { view } = this;
    const own = {
      ArrowLeft: () => view.pan(-0.1), ArrowRight: () => view.pan(0.1), Home: () => view.show(0, view.span_ns),
      ArrowUp: () => view.zoom(0.7), "+": () => view.zoom(0.7), ArrowDown: () => view.zoom(1.4), "-": () => view.zoom(1.4),
      Escape: () => view.choose(this, null), Enter: () => view.choose(this, this.slices.find((each) => each.end >= view.from) ?? null),
      ".": () => this.step(1), ",": () => this.step(-1),
    }[event.key];
    if (!own || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    own();
  }

  // To the slice behind the one that was chosen, or before it.
  step(by) {
    const at = (this.view.slice?.run === this ? this.view.slice.at : -1) + by;
    if (this.slices[at]) this.view.choose(this, this.slices[at]);
  }

  under(event) {
    const row = Math.floor(event.offsetY / this.high), time = this.time(event);
    const near = (2 / this.wide) * (this.view.to - this.view.from);
    const found = this.slices.filter((each) => each.row === row && each.begin - near <= time && each.end + near >= time);
    return found.find((each) => each.begin <= time && each.end >= time) ?? found[0] ?? null;
  }

  hover(event) {
    const slice = event.offsetX < SIDE ? null : this.under(event);
    this.view.tip.show(slice ? this.told(slice) : [], event.pageX, event.pageY);
  }

  name(slice) {
    const [kind, cause, , mode] = this.view.whats[slice.what];
    return `${kind}${mode !== "none" ? ` in ${mode.toUpperCase()}` : ""} (${this.view.causes[cause][0]})`;
  }

  told(slice) {
    const { zero_ns: zero, rows } = this.given;
    const [kind, , order, , pages, suspended] = this.view.whats[slice.what];
    const wait = slice.begin - slice.queued;
    return [
      `${this.name(slice)}, ${lasting(slice.end - slice.begin)}${suspended ? ", then suspended" : ""}`,
      `${rows[slice.row].slice(0, 2).filter(Boolean).join(", ")}${where(slice, kind, pages)}`,
      `queued ${moment(zero + slice.queued)} (${order})`,
      `begin ${moment(zero + slice.begin)}${wait ? `, after ${lasting(wait)}` : ""}`,
      `end ${moment(zero + slice.end)}`,
      slice.request < 0 ? "no request waits for it" : `request ${slice.request}`,
    ];
  }

  // Mark the slices of a request, or one of none, and tell what they waited for.
  choose(slice, own) {
    const known = slice && (own ? slice : this.slices.find((each) => slice.request >= 0 && each.request === slice.request));
    this.chosen = known ? together(this.slices, known) : [];
    this.readout.textContent = known ? this.summary() : "";
  }

  summary() {
    const all = this.chosen, [first] = all;
    const lasts = all.reduce((end, each) => Math.max(end, each.end), first.end) - first.begin;
    const of = first.request < 0 ? this.name(first) : `request ${first.request}: ${all.length} operation${all.length > 1 ? "s" : ""}`;
    const longest = all.reduce((a, b) => (b.begin - b.queued > a.begin - a.queued ? b : a));
    const cause = (slice) => this.view.causes[this.view.whats[slice.what][1]][0];
    const times = meanwhile(this.slices, longest, cause).slice(0, 3).map(([name, ns]) => `${lasting(ns, 3)} ${name}`);
    const wait = longest.begin - longest.queued, told = times.length ? ` (${times.join(", ")})` : "";
    return `${of} in ${lasting(lasts, 3)}, ${wait ? `longest wait ${lasting(wait, 3)}${told}` : "none waited"}`;
  }

  draw() {
    const { canvas, view, slices } = this;
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    this.ink = getComputedStyle(document.body).color;
    this.grid(pen, width);
    pen.save();
    pen.beginPath();
    pen.rect(SIDE, 0, width - SIDE, this.high * this.given.rows.length);
    pen.clip();
    const mine = new Set(this.chosen);
    for (const slice of slices) {
      if (slice.end < view.from || slice.begin > view.to) continue;
      pen.globalAlpha = mine.size && !mine.has(slice) ? 0.3 : 1;
      pen.fillStyle = view.causes[view.whats[slice.what][1]][1];
      this.box(slice, (...box) => pen.fillRect(...box));
    }
    pen.globalAlpha = 1;
    this.marks(pen);
    pen.restore();
  }

  box(slice, draw) {
    const x = this.x(slice.begin);
    draw(x, slice.row * this.high + 0.5, Math.max(this.x(slice.end) - x - 0.5, 0.7), this.high - 1);
  }

  grid(pen, width) {
    const { view, given: { rows } } = this, bottom = this.high * rows.length;
    const [size, unit] = TIMES.find((each) => view.to - view.from >= 2 * each[0]) ?? TIMES[3];
    pen.strokeStyle = "rgba(138,144,153,.35)";
    pen.fillStyle = this.ink;
    pen.textAlign = "center";
    for (const t of ticks(view.from / size, view.to / size, false)) {
      const x = this.x(t * size);
      pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, bottom + 3); pen.stroke();
      pen.fillText(`${Number(t.toPrecision(8))} ${unit}`, Math.min(x, width - 24), bottom + 15);
    }
    pen.textAlign = "left";
    // Thin rows have room for the names of some dies, and for lines between channels.
    const thin = this.high < 11, part = (row) => (thin ? rows[row][0].split(",")[0] : rows[row][0]);
    let free = 0;
    rows.forEach(([die, plane], row) => {
      const y = row * this.high, begins = row === 0 || rows[row - 1][0] !== die;
      if (row === 0 || part(row - 1) !== part(row)) { pen.beginPath(); pen.moveTo(0, y); pen.lineTo(width, y); pen.stroke(); }
      if (begins && y >= free) {
        pen.fillText(die, 0, y + (thin ? 9 : 11));
        free = y + 11;
      }
      if (!thin) { pen.textAlign = "right"; pen.fillText(plane, SIDE - 6, y + 11); pen.textAlign = "left"; }
    });
  }

  // Frames of what is chosen, its waiting, and arrows from one to the next; narrow ones need none.
  marks(pen) {
    const middle = (slice) => (slice.row + 0.5) * this.high;
    pen.strokeStyle = pen.fillStyle = this.ink;
    const frame = (x, y, width, high) => { if (width > 3) pen.strokeRect(x, y, width, high); };
    pen.setLineDash([3, 2]);
    for (const other of new Set(this.chosen.map((slice) => before(this.slices, slice)))) {
      if (other) this.box(other, frame);
    }
    for (const row of new Set(this.chosen.map((slice) => slice.row))) {
      const waiting = this.chosen.filter((slice) => slice.row === row && slice.queued < slice.begin);
      // One line for all that wait for a plane.
      const [from, to] = [Math.min(...waiting.map((each) => each.queued)), Math.max(...waiting.map((each) => each.begin))];
      if (waiting.length) this.line(pen, this.x(from), middle(waiting[0]), this.x(to), middle(waiting[0]));
    }
    pen.setLineDash([]);
    for (const [place, slice] of this.chosen.entries()) {
      this.box(slice, frame);
      const next = this.chosen[place + 1];
      if (next) this.line(pen, this.x(Math.min(slice.end, next.begin)), middle(slice), this.x(next.begin), middle(next));
    }
  }

  line(pen, x0, y0, x1, y1) {
    // Far beyond the picture a dashed line takes long.
    const [left, right] = [Math.max(x0, SIDE - 50), Math.min(x1, SIDE + this.wide + 50)];
    if (y0 === y1 && right - left < 8) return;
    const bend = y0 === y1 ? 0 : Math.max(6, Math.abs(right - left) / 2);
    pen.beginPath(); pen.moveTo(left, y0); pen.bezierCurveTo(left + bend, y0, right - bend, y1, right, y1); pen.stroke();
    pen.beginPath(); pen.moveTo(right, y1); pen.lineTo(right - 5, y1 - 3); pen.lineTo(right - 5, y1 + 3); pen.fill();
  }
}

class Planes {
  constructor(place, given) {
    Object.assign(this, { place, ...given, from: 0, to: given.span_ns, slice: null, tip: new Tip() });
    for (const [name, colour] of this.causes) {
      const swatch = made("span", "■ "), key = made("span", "", { class: "key" });
      swatch.style.color = colour;
      key.append(swatch, made("span", name));
      place.append(key);
    }
    const hint = "Click a slice to frame all operations of its request; dashed are their waiting and what had their planes before. In a clicked picture the wheel zooms, as + and − do; dragging and arrows move; double-click or Home shows everything. Enter, full stop and comma go from slice to slice, Escape frames none.";
    place.append(made("p", hint, { class: "soft" }));
    this.runs = this.schemes.map((scheme) => new Run(this, scheme));
    this.draw();
    window.addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  draw() { for (const run of this.runs) run.draw(); }

  show(from, width) {
    const wide = Math.min(Math.max(width, 1000), this.span_ns);
    this.from = Math.min(Math.max(from, 0), this.span_ns - wide);
    this.to = this.from + wide;
    this.draw();
  }

  pan(share) { this.show(this.from + share * (this.to - this.from), this.to - this.from); }

  zoom(by, at = (this.from + this.to) / 2) {
    const wide = (this.to - this.from) * by;
    this.show(at - ((at - this.from) / (this.to - this.from)) * wide, wide);
  }

  // A request has one number in all runs of a trace.
  choose(run, slice) {
    this.slice = slice && { ...slice, run };
    for (const each of this.runs) each.choose(slice, each === run);
    this.draw();
  }
}

function planes() {
  const given = document.getElementById("planes-data");
  const figure = document.querySelector("figure[data-planes]");
  if (!given || !figure) return;
  const place = made("div", "", { class: "live" });
  figure.prepend(place);
  figure.classList.add("has-live");
  new Planes(place, JSON.parse(given.textContent));
}

planes();
