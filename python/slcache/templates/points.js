// ---- The points of a study: named under the pointer; one that is chosen tells its command.
const NEAR = 5;

class Tip {
  constructor() {
    this.box = made("div", "", { class: "tip", role: "status" });
    this.box.hidden = true;
    document.body.append(this.box);
  }

  hide() { this.box.hidden = true; }

  show(lines, x, y) {
    this.box.replaceChildren(...lines.map((line) => made("div", line)));
    this.box.style.left = `${Math.max(0, Math.min(x + 12, scrollX + document.documentElement.clientWidth - 340))}px`;
    this.box.style.top = `${y + 14}px`;
    this.box.hidden = !lines.length;
  }
}

class Points {
  constructor(given) {
    this.given = given;
    this.known = new Map(given.points.map((point) => [String(point[0]), point]));
    this.tip = new Tip();
    for (const figure of document.querySelectorAll("figure")) this.listen(figure);
    const wanted = () => {
      const found = /^#point-(\d+)$/.exec(location.hash);
      if (found) this.show(this.first(found[1]), [found[1]], true);
    };
    window.addEventListener("hashchange", wanted);
    wanted();
  }

  listen(figure) {
    const marks = [...figure.querySelectorAll("[data-points]")].flatMap((group) => {
      const uses = [...group.querySelectorAll("use")];
      group.dataset.points.split(" ").forEach((number, at) => { uses[at].dataset.point = number; });
      return uses;
    });
    if (!marks.length) return;
    marks[0].ownerSVGElement.setAttribute("role", "group");
    // One mark can be reached by the tab key, the others from it by arrows, from left to right.
    marks.sort((a, b) => a.getAttribute("x") - b.getAttribute("x"));
    marks.forEach((mark, at) => {
      mark.setAttribute("tabindex", at ? -1 : 0);
      mark.setAttribute("role", "button");
      mark.setAttribute("aria-label", this.known.get(mark.dataset.point)?.[1] ?? "");
      mark.addEventListener("pointermove", (event) => this.hover(this.under(event), event.pageX, event.pageY));
      for (const end of ["pointerleave", "blur"]) mark.addEventListener(end, () => this.tip.hide());
      mark.addEventListener("click", (event) => this.show(figure, this.under(event)));
      mark.addEventListener("focus", () => {
        const box = mark.getBoundingClientRect();
        this.hover([mark.dataset.point], box.right + scrollX, box.bottom + scrollY);
      });
      mark.addEventListener("keydown", (event) => this.key(event, figure, marks, at));
    });
  }

  key(event, figure, marks, at) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) marks[(at + step + marks.length) % marks.length].focus();
    if (event.key === "Enter" || event.key === " ") this.show(figure, [marks[at].dataset.point]);
    if (step || event.key === "Enter" || event.key === " ") event.preventDefault();
  }

  // Points may cover each other: all that are under the pointer, or nearly so.
  under({ clientX, clientY }) {
    const around = [0, NEAR, -NEAR].flatMap((x) => [0, NEAR, -NEAR].map((y) => [clientX + x, clientY + y]));
    const found = around.flatMap(([x, y]) => document.elementsFromPoint(x, y));
    return [...new Set(found.map((each) => each.dataset?.point).filter(Boolean))];
  }

  hover(numbers, x, y) {
    const few = numbers.slice(0, 4).map((number) => this.known.get(number)).filter(Boolean);
    const lines = few.map(([, name, figures]) => `${name}: ${figures.join(", ")}`);
    if (numbers.length > few.length) lines.push(`and ${numbers.length - few.length} more`);
    this.tip.show(lines, x, y);
  }

  first(number) {
    const mark = document.querySelector(`[data-point="${number}"]`);
    return mark?.closest("figure") ?? document.querySelector("figure");
  }

  show(figure, numbers, scroll = false) {
    const found = numbers.map((number) => this.known.get(number)).filter(Boolean);
    if (!found.length) return;
    for (const other of document.querySelectorAll(".points")) other.remove();
    for (const mark of document.querySelectorAll("[data-point]")) {
      mark.classList.toggle("chosen", numbers.includes(mark.dataset.point));
    }
    const place = made("div", "", { class: "points", "aria-live": "polite" });
    place.append(...found.map((point) => this.told(point)));
    figure.after(place);
    history.replaceState(null, "", `#point-${found[0][0]}`);
    if (scroll) place.scrollIntoView({ block: "end" });
  }

  told([number, name, figures, command]) {
    const part = made("div", "", { id: `point-${number}` });
    const head = made("p");
    head.append(made("a", `Point ${number}`, { href: `#point-${number}` }), made("span", `: ${name}`));
    part.append(head, made("p", figures.join(", "), { class: "soft" }));
    if (command === null) return part;
    part.append(made("pre", this.given.begun + command, { class: "command", tabindex: 0 }));
    if (this.given.note) part.append(made("p", this.given.note, { class: "soft" }));
    return part;
  }
}

function points() {
  const given = document.getElementById("points-data");
  if (given) new Points(JSON.parse(given.textContent));
}

points();
