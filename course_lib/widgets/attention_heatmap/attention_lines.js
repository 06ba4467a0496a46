// A map as lines between its words: rows on the left, columns on the right, a line the stronger the larger its weight.
import { clamp, FACE, fit, short, signed, underline } from "../shared/drawing.js";
import { LABEL } from "./attention_drawing.js";
import { at, kindOf, windowStart } from "./attention_maps.js";

const FAINT = 0.005; // of the scale; a fainter line can't be seen
const NUMBER = 4.4; // room for a weight, in font sizes
const GAP = 6; // pixels between a word and its lines

/**
 * Where the words of each map lie; where they don't all find room, a window of them is shown.
 * @type {Attention.Style["measure"]}
 */
function measureLines(context, panels, { width, height, font, least, query, key, span, last }) {
  context.font = `700 ${font}px ${FACE}`;
  /** @type {(labels: string[]) => number} */
  const widest = (labels) => Math.ceil(Math.min(font * LABEL, Math.max(...labels.map((text) => context.measureText(text).width))));
  const gap = font * 2;
  const each = (width - gap * (panels.length - 1)) / panels.length;
  const most = Math.max(...panels.flatMap((map) => [map.rows, map.columns]));
  const cell = Math.floor(clamp(height / (span ?? most), least * 1.2, font * 1.8));
  const fitting = Math.max(1, Math.floor(height / cell));
  const places = panels.map((map, i) => {
    const [rows, columns] = [Math.min(fitting, map.rows), Math.min(fitting, map.columns)];
    const chosen = { query: Math.min(query, map.rows - 1), key: Math.min(key, map.columns - 1) };
    const before = last?.cell === cell ? last.places[i] : undefined;
    const taken = [map.queries, map.keys].map((labels) => widest(labels) + font * NUMBER + GAP);
    const across = clamp(each - taken[0] - taken[1], font * 4, font * 26);
    const left = i * (each + gap);
    return {
      ...chosen, rows, columns, left, labelled: true,
      from: left + taken[0], to: left + taken[0] + across,
      right: left + taken[0] + across + taken[1], width: taken[0] + across + taken[1],
      firstRow: windowStart(chosen.query, rows, map.rows, before?.firstRow),
      firstColumn: windowStart(chosen.key, columns, map.columns, before?.firstColumn),
    };
  });
  const rows = Math.max(...places.flatMap((place) => [place.rows, place.columns]));
  const top = font * 3.4;
  const small = clamp(cell * 0.8, least, font);
  return { cell, span: height / cell, font, small, every: 1, flat: true, top, places, width: Math.ceil(places.at(-1).right), height: top + rows * cell + 6 };
}

/**
 * The word at a place in the picture: of a row on the left, of a column on the right.
 * @type {Attention.Style["cellAt"]}
 */
function wordAt({ places, top, cell }, x, y) {
  const panel = Math.max(0, places.findLastIndex((place) => x >= place.left));
  const { from, to, rows, columns, firstRow, firstColumn } = places[panel];
  const line = Math.floor((y - top) / cell);
  if (x <= from && line >= 0 && line < rows) return { panel, query: firstRow + line, key: null };
  if (x >= to && line >= 0 && line < columns) return { panel, query: null, key: firstColumn + line };
  return null;
}

/** @type {Attention.Style["draw"]} */
function drawLines(context, panels, frame, looks) {
  context.fillStyle = looks.palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  panels.forEach((map, i) => {
    drawWeights(context, map, frame.places[i], frame, looks);
    drawWords(context, map, frame.places[i], frame, looks);
  });
}

/**
 * Set how a weight's line looks: from thin and faint to thick and full; what is negative, or no number, is dashed.
 * @type {(context: Course.Context, share: number, font: number, palette: Course.Palette) => void}
 */
export function setStroke(context, share, font, palette) {
  const strength = Number.isNaN(share) ? 0.5 : clamp(Math.abs(share), 0, 1);
  const plain = share >= 0;
  context.strokeStyle = plain ? palette.accent : palette.bad;
  context.globalAlpha = strength;
  context.lineWidth = (0.8 + 3.2 * strength) * (font / 13);
  context.setLineDash(plain ? [] : Number.isNaN(share) ? [2, 4] : [7, 4]);
}

/** @type {(context: Course.Context, map: Attention.Map, place: Attention.Panel, frame: Attention.Frame, looks: Attention.Looks) => void} */
function drawWeights(context, map, { from, to, firstRow, firstColumn, rows, columns }, { top, cell, font }, looks) {
  const { only, hidden, palette } = looks;
  /** @type {(line: number) => number} */
  const middle = (line) => top + (line + 0.5) * cell;
  for (let q = firstRow; q < firstRow + rows; q++) {
    if ((only.query ?? q) !== q || hidden(q)) continue;
    for (let k = firstColumn; k < firstColumn + columns; k++) {
      const share = at(map, q, k) / looks.top;
      if ((only.key ?? k) !== k || !map.kept(q, k) || Math.abs(share) < FAINT) continue;
      setStroke(context, share, font, palette);
      context.beginPath();
      context.moveTo(from, middle(q - firstRow));
      context.lineTo(to, middle(k - firstColumn));
      context.stroke();
    }
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}

/**
 * The words with the chosen ones framed, and the weights of the row, or column, whose lines alone are drawn.
 * @type {(context: Course.Context, map: Attention.Map, place: Attention.Panel, frame: Attention.Frame, looks: Attention.Looks) => void}
 */
function drawWords(context, map, place, { top, cell, font, small }, { only, hidden, strange, palette }) {
  const { left, from, to, right, width, firstRow, firstColumn, rows, columns } = place;
  /** @type {(text: string, x: number, y: number, align: CanvasTextAlign, look?: { weight?: number, ink?: string, size?: number }) => void} */
  const write = (text, x, y, align, { weight = 400, ink = palette.muted, size = small } = {}) => {
    context.font = `${weight} ${size}px ${FACE}`;
    context.fillStyle = ink;
    context.textAlign = align;
    context.fillText(text, x, y);
  };
  context.textBaseline = "alphabetic";
  context.font = `600 ${font}px ${FACE}`;
  write(fit(context, map.name, width), left, font * 1.1, "left", { weight: 600, ink: palette.ink, size: font });
  write("row", from - GAP, top - 5, "right");
  write("column", to + GAP, top - 5, "left");
  context.textBaseline = "middle";
  /** @type {(q: number, k: number) => string} */
  const said = (q, k) => {
    const kind = kindOf(map, q, k);
    if (kind === "masked") return "masked";
    if (hidden(q)) return "?";
    return kind === "nan" ? "NaN" : kind === "zero" ? "0" : map.difference && Math.abs(at(map, q, k)) >= 0.005 ? signed(short, at(map, q, k)) : short(Math.abs(at(map, q, k)));
  };
  /** @type {(labels: string[], place: number, line: number, side: "left" | "right", chosen: boolean, weight: string | null) => void} */
  const word = (labels, place, line, side, chosen, weight) => {
    const y = top + (line + 0.5) * cell;
    const [x, align, end] = /** @type {[number, CanvasTextAlign, number]} */ (side === "left" ? [from - GAP, "right", left] : [to + GAP, "left", right]);
    const look = { weight: chosen ? 700 : 400, ink: chosen ? palette.ink : palette.muted };
    context.font = `${look.weight} ${small}px ${FACE}`;
    const text = fit(context, labels[place], font * LABEL);
    const wide = context.measureText(text).width + 8;
    write(text, x, y, align, look);
    if (strange(labels, place)) underline(context, text, x, y + small * 0.6, palette.bad);
    if (weight !== null) write(weight, end, y, side, { ink: palette.ink, size: small * 0.92 });
    if (!chosen) return;
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.strokeRect(side === "left" ? from - 2 - wide : to + 2, y - cell / 2 + 1, wide, cell - 2);
  };
  for (let q = firstRow; q < firstRow + rows; q++)
    word(map.queries, q, q - firstRow, "left", q === place.query, only.key === null ? (hidden(q) ? "?" : null) : said(q, Math.min(only.key, map.columns - 1)));
  for (let k = firstColumn; k < firstColumn + columns; k++)
    word(map.keys, k, k - firstColumn, "right", k === place.key, only.query === null ? null : said(Math.min(only.query, map.rows - 1), k));
}

/** @type {Attention.Style} */
export const asLines = { spoken: "lines between words", measure: measureLines, draw: drawLines, cellAt: wordAt };
