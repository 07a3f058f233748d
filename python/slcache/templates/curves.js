// ---- Distributions: what each curve of a panel shows at the pointer, read off the picture.

// The corners of a path of straight lines.
function corners(path) {
  let [x, y] = [0, 0];
  const found = [];
  for (const [, letter, said] of path.matchAll(/([MLlhv])([^MLlhvz]*)/g)) {
    const numbers = (said.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    for (let at = 0; at < numbers.length; at += "hv".includes(letter) ? 1 : 2) {
      if (letter === "h") x += numbers[at];
      else if (letter === "v") y += numbers[at];
      else [x, y] = letter === "l" ? [x + numbers[at], y + numbers[at + 1]] : [numbers[at], numbers[at + 1]];
      found.push([x, y]);
    }
  }
  return found;
}

// The height of a line at a place, behind a step there; NaN where it is not.
function height(line, x) {
  const after = line.findIndex((corner) => corner[0] > x);
  if (after < 1) return line.length && line.at(-1)[0] === x ? line.at(-1)[1] : NaN;
  const [[x0, y0], [x1, y1]] = [line[after - 1], line[after]];
  return y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
}

function shown({ at, shows, log }, place) {
  const [low, high] = log ? shows.map(Math.log10) : shows;
  const value = low + ((place - at[0]) / (at[1] - at[0])) * (high - low);
  return log ? 10 ** value : value;
}

function inUnit(number, unit) {
  if (unit === "share") return `${Number((100 * number).toPrecision(3))} %`;
  return number < 1 ? `${Number((1000 * number).toPrecision(3))} ns` : told(Number(number.toPrecision(3)), unit);
}

class Curves {
  constructor(svg, tip) {
    this.panels = [...svg.querySelectorAll("[data-scale]")].map((group) => ({
      scales: JSON.parse(group.dataset.scale),
      lines: [...group.querySelectorAll("title")].map((title) => ({
        name: title.textContent.slice(0, title.textContent.lastIndexOf(": ")),
        corners: corners(title.parentNode.querySelector("path").getAttribute("d")),
      })),
    }));
    svg.addEventListener("pointermove", (event) => {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      tip.show(this.read(place), event.pageX, event.pageY);
    });
    svg.addEventListener("pointerleave", () => tip.hide());
  }

  read({ x, y }) {
    const panel = this.panels.find(({ scales: [across, up] }) => x >= across.at[0] && x <= across.at[1] && y <= up.at[0] && y >= up.at[1]);
    if (!panel) return [];
    const [across, up] = panel.scales;
    const lines = panel.lines.flatMap((line) => {
      const at = height(line.corners, x);
      return Number.isNaN(at) ? [] : [`${line.name}: ${inUnit(shown(up, at), up.unit)}`];
    });
    return lines.length ? [`at ${inUnit(shown(across, x), across.unit)}`, ...lines] : [];
  }
}

function curves() {
  const drawn = new Set([...document.querySelectorAll("[data-scale]")].map((group) => group.ownerSVGElement));
  if (!drawn.size) return;
  const tip = new Tip();
  for (const svg of drawn) new Curves(svg, tip);
}

curves();
