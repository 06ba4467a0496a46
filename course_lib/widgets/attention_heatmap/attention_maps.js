// The numbers behind the heatmap: one map is one head of one layer, or the difference of two.
import { clamp, DIFFERENCE_COLOURS, hexRgb, WEIGHT_COLOURS } from "../shared/drawing.js";

/**
 * Colour of a weight (0 to 1) or of a difference (-1 to 1), as bytes.
 * @type {(map: Attention.Map, share: number) => Course.Rgb}
 */
export function rgbOf(map, share) {
  const place = map.difference ? (share + 1) / 2 : share;
  return (map.difference ? DIFFERENCE_COLOURS : WEIGHT_COLOURS)[Math.round(255 * clamp(place, 0, 1))];
}

/** @type {(names: string[] | null, count: number, what: string) => string[]} */
const namesOf = (names, count, what) => names ?? Array.from({ length: count }, (_, i) => `${what} ${i + 1}`);
/** @type {(trace: Attention.Trace) => string[]} */
export const layerNames = (trace) => namesOf(trace.layer_names, trace.weights.shape[0], "Layer");
/** @type {(trace: Attention.Trace) => string[]} */
export const headNames = (trace) => namesOf(trace.head_names, trace.weights.shape[1], "Head");

/**
 * One head of one layer: `weights` row by row, `kept(query, key)`, and the labels of rows and columns.
 * @type {(traces: Record<string, Attention.Trace>, place: Attention.Place) => Attention.Map}
 */
export function mapOf(traces, { kind, layer, head }) {
  const trace = traces[kind];
  const [layers, heads, rows, columns] = trace.weights.shape;
  const start = (layer * heads + head) * rows * columns;
  const name = [Object.keys(traces).length > 1 && kind, layers > 1 && layerNames(trace)[layer], heads > 1 && headNames(trace)[head]];
  return {
    name: name.filter(Boolean).join(" \u00b7 ") || headNames(trace)[0],
    id: [kind, layer, head].join("/"),
    trace, rows, columns, queries: trace.queries, keys: trace.keys,
    weights: trace.weights.data.subarray(start, start + rows * columns),
    kept: (query, key) => !trace.keep || trace.keep.data[query * columns + key] === 1,
  };
}

/** @type {(text: string) => string} */
export const quoted = (text) => `“${text}”`;
/** @type {(one: string[], two: string[]) => boolean} */
export const sameTexts = (one, two) => one.length === two.length && one.every((text, i) => text === two[i]);

/**
 * Whether two maps have the same words on rows and columns, so that one can be taken from the other.
 * @type {(first: Attention.Map, second: Attention.Map) => boolean}
 */
export const comparable = (first, second) => sameTexts(first.queries, second.queries) && sameTexts(first.keys, second.keys);

/**
 * The first map minus the second.
 * @type {(first: Attention.Map, second: Attention.Map) => Attention.Map}
 */
export function differenceOf(first, second) {
  return {
    ...first,
    name: "the first \u2212 the second",
    id: `${first.id} - ${second.id}`,
    difference: true,
    weights: first.weights.map((weight, i) => weight - second.weights[i]),
    kept: (query, key) => first.kept(query, key) && second.kept(query, key),
  };
}

/**
 * Where a window of `shown` places begins: it stays at `first`, where it was, until the chosen place leaves it; a new
 * one has the chosen place in its middle.
 * @type {(chosen: number, shown: number, all: number, first: number | undefined) => number}
 */
export const windowStart = (chosen, shown, all, first) =>
  clamp(first === undefined ? chosen - Math.floor(shown / 2) : clamp(first, chosen - shown + 1, chosen), 0, all - shown);

/** @type {(map: Attention.Map, query: number, key: number) => number} */
export const at = (map, query, key) => map.weights[query * map.columns + key];
/** @type {(map: Attention.Map, query: number) => number[]} */
export const rowOf = (map, query) => Array.from(map.weights.subarray(query * map.columns, (query + 1) * map.columns));

/**
 * What a cell is: "masked", "nan", "zero" or "weight".
 * @type {(map: Attention.Map, query: number, key: number) => Attention.Kind}
 */
export function kindOf(map, query, key) {
  if (!map.kept(query, key)) return "masked";
  const value = at(map, query, key);
  return Number.isNaN(value) ? "nan" : value === 0 ? "zero" : "weight";
}

/** @type {(values: number[]) => number} */
export const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * H = -sum of w log2 w, with 0 log 0 = 0, in bits.
 * @type {(values: number[]) => number}
 */
const entropy = (values) => Math.abs(sum(values.map((value) => (value === 0 ? 0 : value * Math.log2(value)))));

/**
 * What stands beside a row: its sum and entropy; of a difference, the weight that moved.
 * @type {(map: Attention.Map, query: number) => number[]}
 */
export function measuresOf(map, query) {
  const values = rowOf(map, query);
  return map.difference ? [sum(values.map(Math.abs)) / 2] : [sum(values), entropy(values)];
}
/** @type {(map: Attention.Map) => string[]} */
export const measureNames = (map) => (map.difference ? ["moved"] : ["\u03a3", "bits"]);

/**
 * The end of a map's colour scale.
 * @type {(map: Attention.Map) => number}
 */
export function largest(map) {
  let top = 0;
  for (const value of map.weights) if (Math.abs(value) > top) top = Math.abs(value);
  return top;
}

/**
 * A window on a map as pixels, each cell one or more of them, or each pixel a block of cells: then it shows the
 * largest weight of its block, or that something in it is no number.
 * @type {(map: Attention.Map, window: Attention.Window, width: number, height: number, looks: Attention.Looks & { nan: string }) => ImageData}
 */
export function pixelsOf(map, { firstRow, firstColumn, rows, columns }, width, height, { top, hidden, palette, nan }) {
  const image = new ImageData(width, height);
  const [masked, panel, bad] = [palette.masked, palette.panel, nan].map(hexRgb);
  for (let y = 0; y < height; y++) {
    const q0 = firstRow + Math.floor((y * rows) / height);
    const q1 = Math.max(q0 + 1, firstRow + Math.floor(((y + 1) * rows) / height));
    for (let x = 0; x < width; x++) {
      const k0 = firstColumn + Math.floor((x * columns) / width);
      const k1 = Math.max(k0 + 1, firstColumn + Math.floor(((x + 1) * columns) / width));
      let best, covered, broken;
      for (let q = q0; q < q1; q++)
        for (let k = k0; k < k1; k++) {
          if (!map.kept(q, k)) continue;
          const value = at(map, q, k);
          if (hidden(q)) covered = true;
          else if (Number.isNaN(value)) broken = true;
          else if (best === undefined || Math.abs(value) > Math.abs(best)) best = value;
        }
      const rgb = broken ? bad : best !== undefined ? rgbOf(map, best / top) : covered ? panel : masked;
      const place = 4 * (y * width + x);
      [image.data[place], image.data[place + 1], image.data[place + 2]] = rgb;
      image.data[place + 3] = 255;
    }
  }
  return image;
}
