// What a t-SNE trace says, put so that it can be drawn: frames, classes, neighbours, and the runs beside it.
import { CAUTION } from "./constants.js";

/** @type {(share: number, digits?: number) => string} */
export const percent = (share, digits = 3) => `${Number((100 * share).toPrecision(digits))}%`;

/**
 * The middle and the size of a layout of `points` places that starts at `from` in an array x, y, x, y, …
 * @type {(data: Float32Array, from: number, points: number) => Tsne.Layout["box"]}
 */
function boxOf(data, from, points) {
  const ends = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = from; i < from + 2 * points; i += 2) {
    ends[0] = Math.min(ends[0], data[i]);
    ends[1] = Math.max(ends[1], data[i]);
    ends[2] = Math.min(ends[2], data[i + 1]);
    ends[3] = Math.max(ends[3], data[i + 1]);
  }
  return { x: (ends[0] + ends[1]) / 2, y: (ends[2] + ends[3]) / 2, wide: ends[1] - ends[0], high: ends[3] - ends[2] };
}

/**
 * The classes as Python's group_names has them; a class's colour is its place here.
 * @type {(groups: string[]) => string[]}
 */
function groupNames(groups) {
  const names = [...new Set(groups)];
  return names.every((name) => /^[0-9]+$/.test(name)) ? names.sort((a, b) => Number(a) - Number(b)) : names;
}

/**
 * The run behind a packed trace; layouts are { data, from, box }.
 * @type {(trace: Tsne.Trace) => Tsne.Run}
 */
export function readRun(trace) {
  const [frames, points] = trace.frames.shape;
  const names = groupNames(trace.groups);
  const places = new Map(names.map((name, i) => [name, i]));
  const group = trace.groups.map((name) => places.get(name));
  const members = names.map(() => /** @type {number[]} */ ([]));
  group.forEach((place, point) => members[place].push(point));
  const k = trace.neighbours.shape[1];
  /** @type {(data: Float32Array, index: number) => Tsne.Layout} */
  const layoutOf = (data, index) => ({ data, from: 2 * points * index, box: boxOf(data, 2 * points * index, points) });
  const layouts = Array.from({ length: frames }, (_, frame) => layoutOf(trace.frames.data, frame));
  const last = {
    kind: "own", perplexity: trace.perplexity, kl: trace.kl.data.at(-1), kept: trace.neighbours_kept,
    trustworthiness: trace.trustworthiness, layout: layouts.at(-1),
  };
  if (trace.components) layouts.push({ data: new Float32Array(2 * points), from: 0, box: { x: 0, y: 0, wide: 0, high: 0 } });
  const others = (trace.other_kinds ?? []).map((kind, i) => ({
    kind, perplexity: trace.other_perplexities.data[i], kl: trace.other_kl.data[i], kept: trace.other_kept.data[i],
    trustworthiness: trace.other_trustworthiness.data[i], layout: layoutOf(trace.others.data, i),
  }));
  const ofPoints = [last, ...others.filter(({ kind }) => kind === "data")].sort((a, b) => a.perplexity - b.perplexity);
  const twins = others.filter(({ kind }) => kind !== "data");
  return {
    trace, frames, points, names, group, members, k, layouts, ofPoints, twins,
    all: Array.from({ length: points }, (_, point) => point),
    neighbours: (point) => Array.from(trace.neighbours.data.subarray(point * k, (point + 1) * k)),
    at: (frame, point, axis) => layouts[frame].data[layouts[frame].from + 2 * point + axis],
  };
}

/**
 * Lay out the principal components: the first two, or all three as they are seen after a turn.
 * @type {(run: Tsne.Run, turn: Tsne.Turn | null) => void}
 */
export function layComponents({ trace, points, frames, layouts }, turn) {
  const { data: from } = trace.components;
  const layout = layouts[frames];
  const [cosine, sine, tilt, lift] = turn ? [Math.cos(turn.round), Math.sin(turn.round), Math.cos(turn.over), Math.sin(turn.over)] : [1, 0, 1, 0];
  let far = 0; // a turn changes no distance from the middle, so nothing grows or shrinks
  for (let point = 0; point < points; point++) {
    const [x, y, z] = from.subarray(3 * point, 3 * point + 3);
    layout.data[2 * point] = cosine * x + sine * z;
    layout.data[2 * point + 1] = tilt * y - lift * (cosine * z - sine * x);
    far = Math.max(far, Math.hypot(x, y, z));
  }
  layout.box = turn ? { x: 0, y: 0, wide: 2 * far, high: 2 * far } : boxOf(layout.data, 0, points);
}

/**
 * What the components are, in words.
 * @type {(run: Tsne.Run, three: boolean) => string}
 */
export function aboutComponents({ trace, k }, three) {
  const shares = [...trace.component_shares.data].slice(0, three ? 3 : 2);
  return `The first ${three ? "three" : "two"} principal components hold ${shares.map((share) => percent(share, 2)).join(" + ")} of the variance; ` +
    `on them ${percent(trace.components_kept.data[three ? 1 : 0])} of the ${k} nearest neighbours are still nearest.`;
}

/**
 * What a picture of a frame says, for those who don't see it.
 * @type {(run: Tsne.Run, frame: number) => string}
 */
export function describeRun({ trace, points, names, members, k }, frame) {
  const classes = names.map((name, i) => `${name || "∅"} (${members[i].length})`).join(", ");
  return `${trace.title} t-SNE map of ${points} points: ${classes}. Perplexity ${Number(trace.perplexity.toPrecision(4))}, ` +
    `${trace.iterations.data[frame]} steps. ${percent(trace.neighbours_kept)} of the ${k} nearest neighbours are kept. ${CAUTION}`.trim();
}

/**
 * The `count` points that lie nearest to a point in a frame, nearest first.
 * @type {(run: Tsne.Run, point: number, frame: number, count?: number) => number[]}
 */
export function nearestInMap(run, point, frame, count = run.k) {
  const { data, from } = run.layouts[frame];
  const [x, y] = [data[from + 2 * point], data[from + 2 * point + 1]];
  const away = Float64Array.from(run.all, (other) => (data[from + 2 * other] - x) ** 2 + (data[from + 2 * other + 1] - y) ** 2);
  const farthest = away.slice().sort()[Math.min(count, run.points - 1)]; // the first is the point itself
  return run.all.filter((other) => other !== point && away[other] <= farthest).sort((a, b) => away[a] - away[b]).slice(0, count);
}

/**
 * Put every point of a moment of the film into `spots`, in pixels: x, y, x, y, …
 *
 * Each frame is scaled to fit: a run starts 10⁻⁴ wide and ends a few dozen wide.
 * @type {(spots: Float64Array, moment: [a: Tsne.Layout, b: Tsne.Layout, share: number], points: number, place: Tsne.Size & { margin: number, zoom?: Tsne.Zoom }) => void}
 */
export function project(spots, [a, b, share], points, { width, height, margin, zoom = { scale: 1, x: 0, y: 0 } }) {
  /** @type {(from: number, to: number) => number} */
  const mix = (from, to) => from + (to - from) * share;
  const [x, y, wide, high] = /** @type {const} */ (["x", "y", "wide", "high"]).map((name) => mix(a.box[name], b.box[name]));
  const fit = Math.min((width - 2 * margin) / (wide || 1), (height - 2 * margin) / (high || 1)) * zoom.scale;
  const [left, top] = [width / 2 + zoom.x - x * fit, height / 2 + zoom.y + y * fit];
  for (let i = 0; i < 2 * points; i += 2) {
    spots[i] = left + fit * mix(a.data[a.from + i], b.data[b.from + i]);
    spots[i + 1] = top - fit * mix(a.data[a.from + i + 1], b.data[b.from + i + 1]);
  }
}

/**
 * The point that lies next to `from` in the direction (dx, dy), in pixels; from nowhere the first. None is null.
 * @type {(run: Tsne.Run, spots: Tsne.Spots, from: number | null, direction: Course.Point, shown: (point: number) => boolean) => number | null}
 */
export function pointTowards(run, spots, from, [dx, dy], shown) {
  if (from === null) return run.all.find(shown) ?? null;
  const costOf = (/** @type {number} */ point) => {
    const [x, y] = [spots[2 * point] - spots[2 * from], spots[2 * point + 1] - spots[2 * from + 1]];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    return ahead > 0 && aside <= 1.5 * ahead ? ahead + 2 * aside : Infinity;
  };
  return cheapest(run.all.filter((point) => point !== from && shown(point)), costOf, Infinity);
}

/**
 * The point that lies nearest to (x, y), and nearer than `within` pixels; none is null.
 * @type {(run: Tsne.Run, spots: Tsne.Spots, place: Course.Point, within: number, shown: (point: number) => boolean) => number | null}
 */
export function pointNear(run, spots, [x, y], within, shown) {
  const away = (/** @type {number} */ point) => (spots[2 * point] - x) ** 2 + (spots[2 * point + 1] - y) ** 2;
  return cheapest(run.all.filter(shown), away, within ** 2);
}

/** @type {(points: number[], costOf: (point: number) => number, limit: number) => number | null} */
function cheapest(points, costOf, limit) {
  let best = null;
  let least = limit;
  for (const point of points) {
    const cost = costOf(point);
    if (cost < least) [best, least] = [point, cost];
  }
  return best;
}

/**
 * Whether a place lies inside a closed line of places.
 * @type {(line: Course.Point[], x: number, y: number) => boolean}
 */
export function inside(line, x, y) {
  let within = false;
  line.forEach(([x1, y1], i) => {
    const [x2, y2] = line[(i || line.length) - 1];
    if (y1 > y !== y2 > y && x < x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)) within = !within;
  });
  return within;
}
