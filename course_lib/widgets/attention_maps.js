// The numbers behind the heatmap: one map is one head of one layer, or the difference of two.
const CIVIDIS =
  "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66002d68" +
  "002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f357012357014367016377018376f" +
  "1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d2e416d2f426d31436d" +
  "32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c3f4c6c404c6c414d6c424e6c" +
  "434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c4e566c4f576c50576c51586d52596d" +
  "535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e5c616e5d616e5e626e5e636f5f636f60646f" +
  "61656f62656f636670646770656870656870666970676a71686a71696b716a6c716b6d726c6d726c6e726d6f726e6f73" +
  "6f70737071737172747272747273747374757474757575757676767777767777777878777979777a7a787b7a787c7b78" +
  "7d7c787e7c787e7d787f7e78807f78817f788280798381798482798582798683798784788885788985788a86788b8778" +
  "8c88788d88788e89788f8a78908b78918b78928c78928d78938e78948e77958f779690779791779892779992779a9376" +
  "9b94769c95769d95769e96769f9775a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073" +
  "aba072aca172ada272aea371afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6d" +
  "bcae6cbdae6cbeaf6bbfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64" +
  "cdbb63cebc63cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858" +
  "dec958dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748" +
  "f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636fee838";

const exact = (value) => (Number.isNaN(value) ? "NaN" : String(Number(value.toPrecision(6))));
const short = (value) => (Number.isNaN(value) ? "NaN" : value.toFixed(2));
const signed = (write, value) => (value > 0 ? "+" : "") + write(value).replace("-", "\u2212");
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const hexRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.substr(i, 2), 16));

/** 256 colours as bytes: of weights from 0 to 1, and of differences from -1 to 1. */
const WEIGHT_COLOURS = Array.from({ length: 256 }, (_, i) => hexRgb("#" + CIVIDIS.substr(6 * i, 6)));
const DIFFERENCE_COLOURS = Array.from({ length: 256 }, (_, i) => {
  const [low, middle, high] = DIFFERENCE_SCALE.map(hexRgb);
  const far = Math.abs(i - 127.5) / 127.5;
  return middle.map((part, c) => Math.round(part + far * ((i < 127.5 ? low : high)[c] - part)));
});

/** Colour of a weight (0 to 1) or of a difference (-1 to 1), as bytes. */
function rgbOf(map, share) {
  const place = map.difference ? (share + 1) / 2 : share;
  return (map.difference ? DIFFERENCE_COLOURS : WEIGHT_COLOURS)[Math.round(255 * clamp(place, 0, 1))];
}

const namesOf = (names, count, what) => names ?? Array.from({ length: count }, (_, i) => `${what} ${i + 1}`);
const layerNames = (trace) => namesOf(trace.layer_names, trace.weights.shape[0], "Layer");
const headNames = (trace) => namesOf(trace.head_names, trace.weights.shape[1], "Head");

/** One head of one layer: `weights` row by row, `kept(query, key)`, and the labels of rows and columns. */
function mapOf(traces, { kind, layer, head }) {
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

const sameTexts = (one, two) => one.length === two.length && one.every((text, i) => text === two[i]);

/** Whether two maps have the same words on rows and columns, so that one can be taken from the other. */
const comparable = (first, second) => sameTexts(first.queries, second.queries) && sameTexts(first.keys, second.keys);

/** The first map minus the second. */
function differenceOf(first, second) {
  return {
    ...first,
    name: "the first \u2212 the second",
    id: `${first.id} - ${second.id}`,
    difference: true,
    weights: first.weights.map((weight, i) => weight - second.weights[i]),
    kept: (query, key) => first.kept(query, key) && second.kept(query, key),
  };
}

const at = (map, query, key) => map.weights[query * map.columns + key];
const rowOf = (map, query) => Array.from(map.weights.subarray(query * map.columns, (query + 1) * map.columns));

/** What a cell is: "masked", "nan", "zero" or "weight". */
function kindOf(map, query, key) {
  if (!map.kept(query, key)) return "masked";
  const value = at(map, query, key);
  return Number.isNaN(value) ? "nan" : value === 0 ? "zero" : "weight";
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** H = -sum of w log2 w, with 0 log 0 = 0, in bits. */
const entropy = (values) => Math.abs(sum(values.map((value) => (value === 0 ? 0 : value * Math.log2(value)))));

/** What stands beside a row: its sum and entropy; of a difference, the weight that moved. */
function measuresOf(map, query) {
  const values = rowOf(map, query);
  return map.difference ? [sum(values.map(Math.abs)) / 2] : [sum(values), entropy(values)];
}
const measureNames = (map) => (map.difference ? ["moved"] : ["\u03a3", "bits"]);

/** The end of a map's colour scale. */
function largest(map) {
  let top = 0;
  for (const value of map.weights) if (Math.abs(value) > top) top = Math.abs(value);
  return top;
}

/**
 * A window on a map as pixels, each cell one or more of them, or each pixel a block of cells: then it shows the
 * largest weight of its block, or that something in it is no number.
 */
function pixelsOf(map, { firstRow, firstColumn, rows, columns }, width, height, { top, hidden, palette, nan }) {
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
