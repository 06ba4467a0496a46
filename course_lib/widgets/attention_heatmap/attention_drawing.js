// How maps are drawn: on a canvas, or by the same code on an SvgContext.
import { clamp, FACE, fit, inkOn, short, signed, underline, WEIGHT_COLOURS } from "../shared/drawing.js";
import { at, kindOf, measureNames, measuresOf, pixelsOf, rgbOf, sameTexts, sum, windowStart } from "./attention_maps.js";

export const LABEL = 11.5; // the longest label, in font sizes
const TILT = Math.PI / 3.2; // of the labels over the columns
export const WHOLE = 128; // a longer axis is shown through a window
const DETAIL = 8; // pixels of a cell from which on it has a border and a pattern
const WRITTEN = 28; // pixels of a cell from which on its number is written into it

/**
 * Draw the same window on each map, side by side, on one scale; returns nothing, changes only the context.
 * @type {Attention.Style["draw"]}
 */
function drawMaps(context, panels, frame, options) {
  context.fillStyle = options.palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  panels.forEach((map, i) => drawMap(context, map, frame.places[i], frame, options));
}

/**
 * Where everything lies in a picture `width` wide and about `height` high.
 *
 * `span` asks for that many rows and columns; without it all of them are shown, up to 128. `last` is the frame
 * before this one: a window stays where it is until the chosen cell leaves it.
 * @type {Attention.Style["measure"]}
 */
function measure(context, panels, { width, height, font, least, query, key, span, last }) {
  context.font = `700 ${font}px ${FACE}`;
  /** @type {(labels: string[]) => number} */
  const widest = (labels) => Math.min(font * LABEL, Math.max(...labels.map((text) => context.measureText(text).width)));
  const gap = font * 1.4;
  const margins = panels.map((map, i) => (i && sameTexts(panels[i - 1].queries, map.queries) ? 0 : Math.ceil(widest(map.queries)) + 12));
  const ends = panels.map((map) => font * (map.difference ? 4.8 : 6.2)); // the measures beside a row
  const taken = sum(margins) + sum(ends) + gap * (panels.length - 1);
  const room = (width - taken) / panels.length;
  const most = { columns: Math.max(...panels.map((map) => map.columns)), rows: Math.max(...panels.map((map) => map.rows)) };
  /** @type {(columns: number, rows: number) => number} */
  const fitting = (columns, rows) => Math.min(room / columns, height / rows);
  const whole = Math.max(most.columns, most.rows) <= WHOLE;
  const wished = span ? fitting(span, span) : fitting(most.columns, most.rows);
  const cell = Math.floor(clamp(wished, span || whole ? 3 : font * 1.08, font * 3.4));
  const small = clamp(cell * 0.8, least, font);
  const flat = panels.every((map) => map.keys.every((text) => context.measureText(text).width <= cell - 4));
  const top = font * 2.1 + (flat ? font * 1.4 : Math.max(...panels.map((map) => widest(map.keys))) * Math.sin(TILT) + font);
  let left = 0;
  const places = panels.map((map, i) => {
    const [rows, columns] = [clamp(Math.floor(height / cell), 1, map.rows), clamp(Math.floor(room / cell), 1, map.columns)];
    const chosen = { query: Math.min(query, map.rows - 1), key: Math.min(key, map.columns - 1) };
    const before = last?.cell === cell ? last.places[i] : undefined;
    const place = {
      ...chosen, rows, columns,
      left: left + margins[i],
      right: left + margins[i] + columns * cell,
      width: columns * cell + ends[i],
      labelled: margins[i] > 0,
      firstRow: windowStart(chosen.query, rows, map.rows, before?.firstRow),
      firstColumn: windowStart(chosen.key, columns, map.columns, before?.firstColumn),
    };
    left = place.left + place.width + gap;
    return place;
  });
  const rows = Math.max(...places.map((place) => place.rows));
  return { cell, span: Math.min(room, height) / cell, font, small, every: Math.ceil((small * 1.15) / cell), flat, top, places, width: left - gap, height: top + rows * cell + 6 };
}

/**
 * The cell at a place in the picture. A label, or a sum, stands for its row alone.
 * @type {Attention.Style["cellAt"]}
 */
function cellAt({ places, top, cell }, x, y) {
  const panel = Math.max(0, places.findLastIndex((place) => x >= place.left));
  const { left, rows, columns, firstRow, firstColumn } = places[panel];
  const [row, column] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
  if (row < 0 || row >= rows) return null;
  return { panel, query: firstRow + row, key: column >= 0 && column < columns ? firstColumn + column : null };
}

/** @type {Attention.Style} */
export const asMap = { spoken: "heatmap", measure, draw: drawMaps, cellAt };

/** @type {(context: Course.Context, map: Attention.Map, place: Attention.Panel, frame: Attention.Frame, looks: Attention.Looks) => void} */
function drawMap(context, map, place, frame, options) {
  const { cell, top } = frame;
  const { left, firstRow, firstColumn, rows, columns } = place;
  const looks = { ...options, nan: cell < DETAIL ? options.palette.bad : options.palette.paper };
  drawLabels(context, map, place, frame, options);
  const pixels = new OffscreenCanvas(columns, rows);
  pixels.getContext("2d").putImageData(pixelsOf(map, place, columns, rows, looks), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(pixels, left, top, columns * cell, rows * cell);
  if (cell >= DETAIL) {
    context.fillStyle = options.palette.paper;
    for (let c = 1; c <= columns; c++) context.fillRect(left + c * cell - 1, top, 1, rows * cell);
    for (let r = 1; r <= rows; r++) context.fillRect(left, top + r * cell - 1, columns * cell, 1);
    /** @type {Attention.Cell[]} */
    const cells = [];
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) cells.push([firstRow + r, firstColumn + c, left + c * cell, top + r * cell]);
    drawPatterns(context, map, cells, cell - 1, options);
    if (cell >= WRITTEN) drawNumbers(context, map, cells, cell, frame.font, options);
    else if (map.difference) drawSigns(context, map, cells, cell - 1, options);
  }
  drawChoice(context, place, frame, options.palette);
}

/**
 * Names of rows and columns, and the measures beside the rows; where cells are small, every second, third, … of them.
 * @type {(context: Course.Context, map: Attention.Map, place: Attention.Panel, frame: Attention.Frame, looks: Attention.Looks) => void}
 */
function drawLabels(context, map, { left, labelled, right, width, firstRow, firstColumn, rows, columns, query, key }, frame, options) {
  const { cell, font, small, every, flat, top } = frame;
  const { palette, hidden, strange } = options;
  /** @type {(text: string, x: number, y: number, chosen: boolean, marked?: boolean) => void} */
  const write = (text, x, y, chosen, marked = false) => {
    context.font = `${chosen ? 700 : 400} ${small}px ${FACE}`;
    context.fillStyle = chosen ? palette.ink : palette.muted;
    context.fillText(text, x, y);
    if (marked) underline(context, text, x, context.textBaseline === "middle" ? y + small * 0.6 : y + 3, palette.bad);
  };
  // Of labels that would touch the chosen one, the chosen one is written.
  /** @type {(place: number, chosen: number) => boolean} */
  const shown = (place, chosen) => place === chosen || (place % every === 0 && Math.abs(place - chosen) >= every);
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.font = `600 ${font}px ${FACE}`;
  context.fillStyle = palette.ink;
  context.fillText(fit(context, map.name, width), left, font * 1.1);
  const ends = measureNames(map).map((name, i) => ({ name, x: right + font * (map.difference ? 4.5 : 3 + 2.9 * i) }));
  context.textAlign = "right";
  for (const { name, x } of ends) write(name, x, top - 6, false);
  for (let k = firstColumn; k < firstColumn + columns; k++) {
    if (!shown(k, key)) continue;
    context.save();
    context.font = `${k === key ? 700 : 400} ${small}px ${FACE}`;
    const level = flat || context.measureText(map.keys[k]).width <= cell - 4; // turned, a short word can't be read
    context.textAlign = level ? "center" : "left";
    context.translate(left + (k - firstColumn + 0.5) * cell + (level ? 0 : small * 0.3), top - 6);
    if (!level) context.rotate(-TILT);
    write(fit(context, map.keys[k], level ? cell : font * LABEL), 0, 0, k === key, strange(map.keys, k));
    context.restore();
  }
  context.textBaseline = "middle";
  for (let q = firstRow; q < firstRow + rows; q++) {
    if (!shown(q, query)) continue;
    const middle = top + (q - firstRow + 0.5) * cell;
    context.font = `${q === query ? 700 : 400} ${small}px ${FACE}`;
    if (labelled) write(fit(context, map.queries[q], font * LABEL), left - 8, middle, q === query, strange(map.queries, q));
    const values = hidden(q) ? [] : measuresOf(map, q);
    ends.forEach(({ x }, i) => write(hidden(q) ? "?" : short(values[i]), x, middle, q === query));
  }
}

/**
 * The second cue beside the colour: hatched is masked, a cross is NaN, a ring is exactly 0, ? is not yet guessed.
 * @type {(context: Course.Context, map: Attention.Map, cells: Attention.Cell[], size: number, looks: Attention.Looks) => void}
 */
function drawPatterns(context, map, cells, size, options) {
  const ink = { masked: options.palette.muted, nan: options.palette.bad, zero: map.difference ? "#57606a" : "#ffffff" };
  /** @type {Record<Attention.Kind | "hidden", Course.Point[]>} */
  const found = { masked: [], nan: [], zero: [], weight: [], hidden: [] };
  for (const [q, k, x, y] of cells) {
    const kind = kindOf(map, q, k);
    found[kind !== "masked" && options.hidden(q) ? "hidden" : kind].push([x, y]);
  }
  for (const kind of /** @type {const} */ (["masked", "nan", "zero"])) {
    context.strokeStyle = ink[kind];
    context.lineWidth = kind === "nan" ? 2 : kind === "masked" ? 0.8 : 1;
    context.beginPath();
    for (const [x, y] of found[kind]) PATTERNS[kind](context, x, y, size);
    context.stroke();
  }
  context.fillStyle = options.palette.muted;
  context.textAlign = "center";
  context.font = `${Math.min(14, size * 0.7)}px ${FACE}`;
  for (const [x, y] of found.hidden) context.fillText("?", x + size / 2, y + size / 2 + 1);
}

/** @type {Record<"masked" | "nan" | "zero", (context: Course.Context, x: number, y: number, size: number) => void>} */
const PATTERNS = {
  masked(context, x, y, size) {
    for (let shift = 5 - size; shift < size; shift += 5) {
      context.moveTo(x + Math.max(0, shift), y + size + Math.min(0, shift));
      context.lineTo(x + size + Math.min(0, shift), y + Math.max(0, shift));
    }
  },
  nan(context, x, y, size) {
    const [low, high] = [size * 0.28, size * 0.72];
    context.moveTo(x + low, y + low);
    context.lineTo(x + high, y + high);
    context.moveTo(x + high, y + low);
    context.lineTo(x + low, y + high);
  },
  zero(context, x, y, size) {
    const radius = Math.min(4, size / 5);
    context.moveTo(x + size / 2 + radius, y + size / 2);
    context.arc(x + size / 2, y + size / 2, radius, 0, 2 * Math.PI);
  },
};

/**
 * Weights of half a hundredth and more are written into their cells; of a difference, with their sign.
 * @type {(context: Course.Context, map: Attention.Map, cells: Attention.Cell[], cell: number, font: number, looks: Attention.Looks) => void}
 */
function drawNumbers(context, map, cells, cell, font, { top, hidden }) {
  context.font = `${Math.min(1.15 * font, cell * (map.difference ? 0.33 : 0.37))}px ${FACE}`;
  context.textAlign = "center";
  for (const [q, k, x, y] of cells) {
    const value = at(map, q, k);
    if (hidden(q) || kindOf(map, q, k) !== "weight" || Math.abs(value) < 0.005) continue;
    context.fillStyle = inkOn(rgbOf(map, value / top));
    const text = map.difference ? signed(short, value).replace("0.", ".") : short(value).replace(/^0/, "");
    context.fillText(text, x + cell / 2, y + cell / 2 + 1);
  }
}

/**
 * Where there is no room for numbers, a plus or a minus tells the two ends of the scale apart.
 * @type {(context: Course.Context, map: Attention.Map, cells: Attention.Cell[], size: number, looks: Attention.Looks) => void}
 */
function drawSigns(context, map, cells, size, { top, hidden }) {
  context.lineWidth = 1.2;
  const reach = size * 0.22;
  for (const ink of ["#000000", "#ffffff"]) {
    context.strokeStyle = ink;
    context.beginPath();
    for (const [q, k, x, y] of cells) {
      const share = at(map, q, k) / top;
      if (hidden(q) || kindOf(map, q, k) !== "weight" || Math.abs(share) < 0.1 || inkOn(rgbOf(map, share)) !== ink) continue;
      const [across, down] = [x + size / 2, y + size / 2];
      context.moveTo(across - reach, down);
      context.lineTo(across + reach, down);
      if (share < 0) continue;
      context.moveTo(across, down - reach);
      context.lineTo(across, down + reach);
    }
    context.stroke();
  }
}

/**
 * Frames around the chosen row and the chosen cell.
 * @type {(context: Course.Context, place: Attention.Panel, frame: Attention.Frame, palette: Course.Palette) => void}
 */
function drawChoice(context, { left, columns, firstRow, firstColumn, query, key }, { cell, top }, palette) {
  const x = left + (key - firstColumn) * cell;
  const y = top + (query - firstRow) * cell;
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.strokeRect(left - 1, y - 1, columns * cell + 1, cell + 1);
  if (cell < DETAIL) {
    context.strokeRect(x - 2, y - 2, cell + 3, cell + 3);
    return;
  }
  context.lineWidth = 4;
  context.strokeRect(x, y, cell - 1, cell - 1);
  context.lineWidth = 1.5;
  context.strokeStyle = "#ffffff";
  context.strokeRect(x + 1.5, y + 1.5, cell - 4, cell - 4);
}

/**
 * One cell of a legend.
 * @type {(context: Course.Context, kind: "masked" | "nan" | "zero", size: number, palette: Course.Palette) => void}
 */
export function drawSample(context, kind, size, palette) {
  context.fillStyle = { masked: palette.masked, nan: palette.paper, zero: `rgb(${WEIGHT_COLOURS[0]})` }[kind];
  context.fillRect(0, 0, size, size);
  context.strokeStyle = { masked: palette.muted, nan: palette.bad, zero: "#ffffff" }[kind];
  context.lineWidth = kind === "nan" ? 2 : 1;
  context.beginPath();
  PATTERNS[kind](context, 0, 0, size);
  context.stroke();
}
