// ---- Operations of planes as slices: read from the page, and what they waited for.
const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function lasting(ns, digits = 4) {
  const [size, unit] = TIMES.find((each) => Math.abs(ns) >= each[0]) ?? TIMES[3];
  return `${Number((ns / size).toPrecision(digits))} ${unit}`;
}

function moment(ns) { return `${Number((ns / 1e9).toFixed(9))} s`; }

// Where an operation is in its plane; an erase is of no page.
function where(slice, kind, pages) {
  if (slice.block < 0) return "";
  if (kind === "erase") return `, block ${slice.block}`;
  return `, block ${slice.block}, page ${slice.page}${pages > 1 ? ` to ${slice.page + pages - 1}` : ""}`;
}

// The slices of a run, by row and then by time; a time is in ns behind the axis' 0.
function decoded(given, step) {
  const slices = [];
  let at = 0, request = 0;
  given.rows.forEach(([, , count], row) => {
    let end = 0;
    for (const last = at + count; at < last; at += 1) {
      const begin = end + given.gap[at] * step;
      end = begin + given.length[at] * step;
      request += given.request[at];
      const [what, block, page] = [given.what[at], given.block[at], given.page[at]];
      slices.push({ at, row, what, block, page, request, begin, end, queued: begin - given.wait[at] * step });
    }
  });
  return slices;
}

// The slice of others that had the plane before one that waited for it; null where none is known.
function before(slices, slice) {
  for (let at = slice.at - 1; at >= 0 && slices[at].row === slice.row; at -= 1) {
    const other = slices[at], own = slice.request >= 0 && other.request === slice.request;
    if (other.end <= slice.begin && !own) return other.end > slice.queued ? other : null;
  }
  return null;
}

// What the plane did while a slice waited for it: times by what `named` calls it, the longest first.
function meanwhile(slices, slice, named) {
  const times = new Map();
  for (const other of slices) {
    const both = Math.min(other.end, slice.begin) - Math.max(other.begin, slice.queued);
    if (other.row === slice.row && both > 0) times.set(named(other), (times.get(named(other)) ?? 0) + both);
  }
  return [...times].sort((a, b) => b[1] - a[1]);
}

// The slices of the request of one of them, in the order of time; of none it is alone.
function together(slices, slice) {
  const mine = slice.request < 0 ? [slice] : slices.filter((each) => each.request === slice.request);
  return mine.sort((a, b) => a.begin - b.begin || a.end - b.end);
}
