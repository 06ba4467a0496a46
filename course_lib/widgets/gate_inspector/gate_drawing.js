// How gates are drawn: on a canvas, or by the same code on an SvgContext.
import { clamp, DIFFERENCE_COLOURS, exact, FACE, fit, short, signed, WEIGHT_COLOURS, writer } from "../shared/drawing.js";
import { SIGNED } from "./constants.js";

const SLANT = Math.PI / 3.2; // of labels over columns that are too narrow for them
const LONG_LABEL = 7; // the longest label, in font sizes
const MARKED = 10; // pixels of a cell from which on it has a border and a sign

/** @type {(name: string) => boolean} */
export const isSigned = (name) => SIGNED.includes(name);
/** @type {(text: string) => string} */
export const minus = (text) => text.replace("-", "\u2212");

/**
 * Whether a label stands upright over its column; longer ones are turned.
 * @type {(context: Course.Context, text: string, column: number) => boolean}
 */
const fits = (context, text, column) => context.measureText(text).width <= column - 2;

/**
 * The run behind a packed trace.
 * @type {(trace: Gates.Trace) => Gates.Run}
 */
export function readGates(trace) {
  const [rows, times, units] = trace.values.shape;
  const { data } = trace.values;
  /** @type {(row: number, time: number, unit: number) => number} */
  const at = (row, time, unit) => data[(row * times + time) * units + unit];
  /** @type {(row: number, from: number, to: number) => number} */
  const largest = (row, from, to) => {
    let most = 1;
    for (let time = 0; time < times; time++)
      for (let unit = from; unit < to; unit++) if (Math.abs(at(row, time, unit)) > most) most = Math.abs(at(row, time, unit));
    return most;
  };
  const ends = trace.quantities.map((name, row) => (name === "cell" ? largest(row, 0, units) : 1));
  return {
    trace, rows, times, units, at, names: trace.quantities, characters: trace.characters,
    /** The end of a row's scale: of all units, or of one, for others may count far higher. */
    reach: (row, unit) => (unit === undefined || trace.quantities[row] !== "cell" ? ends[row] : largest(row, unit, unit + 1)),
  };
}

/**
 * Where everything lies; `last` is the frame before: a window stays until what is chosen leaves it.
 * @type {(context: Course.Context, run: Gates.Run, wanted: {
 *   width: number, height: number, font: number, time: number, unit: number, last: Gates.Frame | null,
 * }) => Gates.Frame}
 */
export function frameGates(context, run, { width, height, font, time, unit, last }) {
  context.font = `700 ${font}px ${FACE}`;
  /** @type {(texts: string[]) => number} */
  const wide = (texts) => Math.max(...texts.map((text) => context.measureText(text).width));
  const left = Math.ceil(wide([...run.names.map((name) => `▸ ${name}`), `unit ${run.units}`])) + 10;
  const right = Math.ceil(wide(["+888.88"])) + 10;
  const column = Math.floor(clamp((width - left - right) / run.times, font * 1.25, font * 2.6));
  const columns = clamp(Math.floor((width - left - right) / column), 1, run.times);
  /** @type {(chosen: number, shown: number, all: number, first: number | undefined) => number} */
  const start = (chosen, shown, all, first) =>
    clamp(first === undefined ? chosen - Math.floor(shown / 2) : clamp(first, chosen - shown + 1, chosen), 0, all - shown);
  const firstTime = start(time, columns, run.times, last?.columns === columns ? last.firstTime : undefined);
  const flat = run.characters.every((text) => fits(context, text, column));
  const longest = Math.min(font * LONG_LABEL, wide(run.characters));
  const top = Math.ceil(flat ? font * 1.7 : longest * Math.sin(SLANT) + font * 1.4);
  const strip = Math.round(font * 2.5);
  const step = strip + Math.round(font * 0.6);
  const mapTop = top + run.rows * step + Math.round(font * 1.9);
  const cell = Math.floor(clamp(height / run.units, Math.max(6, font * 0.5), font * 1.2));
  const lines = clamp(Math.floor(height / cell), 1, run.units);
  const firstUnit = start(unit, lines, run.units, last?.lines === lines ? last.firstUnit : undefined);
  const slope = flat ? 0 : Math.ceil(longest * Math.cos(SLANT));
  return {
    font, left, column, columns, firstTime, top, strip, step, mapTop, cell, lines, firstUnit,
    right: left + columns * column,
    width: left + columns * column + Math.max(right, slope), height: mapTop + lines * cell + 6,
  };
}

/** @type {(context: Course.Context, run: Gates.Run, frame: Gates.Frame, looks: Gates.Looks) => void} */
export function drawGates(context, run, frame, { time, unit, row, palette }) {
  const { font, left, column, columns, firstTime, top, strip, step, mapTop, cell, lines, firstUnit } = frame;
  const write = writer(context, palette, font);
  /** @type {(x: number, y: number, reach: number) => void} */
  const cross = (x, y, reach) => {
    context.strokeStyle = palette.bad;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - reach, y - reach);
    context.lineTo(x + reach, y + reach);
    context.moveTo(x + reach, y - reach);
    context.lineTo(x - reach, y + reach);
    context.stroke();
  };
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  drawCharacters(context, run, frame, time, write, palette);

  context.textBaseline = "middle";
  for (let r = 0; r < run.rows; r++) {
    const y = top + r * step;
    const signedRow = isSigned(run.names[r]);
    const reach = run.reach(r, unit);
    const zero = signedRow ? y + strip / 2 : y + strip;
    const scale = (signedRow ? strip / 2 : strip) / reach;
    context.fillStyle = palette.panel;
    context.fillRect(left, y, columns * column, strip);
    for (let c = 0; c < columns; c++) {
      const value = run.at(r, firstTime + c, unit);
      const x = left + c * column;
      if (Number.isNaN(value)) {
        cross(x + column / 2, y + strip / 2, 4);
        continue;
      }
      context.fillStyle = !signedRow ? palette.accent : value < 0 ? palette.bad : palette.good;
      const high = Math.abs(value) * scale;
      context.fillRect(x + 1, value < 0 ? zero : zero - high, column - 2, high);
    }
    context.fillStyle = palette.muted;
    context.fillRect(left, zero - (signedRow ? 0.5 : 1), columns * column, 1);
    write(`${r === row ? "▸ " : ""}${run.names[r]}`, left - 8, y + strip * 0.38, { bold: r === row, align: "right" });
    const span = `${signedRow ? minus(`-${exact(Number(reach.toPrecision(3)))}`) : 0} to ${exact(Number(reach.toPrecision(3)))}`;
    write(span, left - 8, y + strip * 0.38 + font * 0.95, { ink: palette.muted, size: font * 0.75, align: "right" });
    const value = run.at(r, time, unit);
    write(signedRow ? signed(short, value) : short(value), frame.right + 8, y + strip / 2, { bold: r === row });
  }

  context.textBaseline = "alphabetic";
  const all = lines < run.units ? `units ${firstUnit} to ${firstUnit + lines - 1} of ${run.units}` : `all ${run.units} units`;
  write(`${run.names[row]} of ${all}`, left, mapTop - font * 0.6, { bold: true });
  const signedMap = isSigned(run.names[row]);
  const end = run.reach(row);
  const edge = cell >= MARKED ? 1 : 0;
  /** @type {{ x: number, y: number, share: number }[]} */
  const shares = [];
  for (let l = 0; l < lines; l++)
    for (let c = 0; c < columns; c++) {
      const value = run.at(row, firstTime + c, firstUnit + l);
      const [x, y] = [left + c * column, mapTop + l * cell];
      const share = value / end;
      const colour = (signedMap ? DIFFERENCE_COLOURS : WEIGHT_COLOURS)[Math.round(255 * clamp(signedMap ? (share + 1) / 2 : share, 0, 1))];
      context.fillStyle = Number.isNaN(value) ? palette.paper : `rgb(${colour})`;
      context.fillRect(x, y, column - 1, cell - edge);
      if (Number.isNaN(value)) cross(x + column / 2, y + cell / 2, Math.min(4, cell / 3));
      else if (signedMap && edge && Math.abs(share) >= 0.1) shares.push({ x: x + (column - 1) / 2, y: y + (cell - 1) / 2, share });
    }
  drawSignsOf(context, shares, cell * 0.22);
  drawPlace(context, frame, { time, unit, row, palette });
  context.textBaseline = "middle";
  const middle = mapTop + (unit - firstUnit + 0.5) * cell;
  write(`unit ${unit}`, left - 8, middle, { bold: true, align: "right" });
  const value = run.at(row, time, unit);
  write(signedMap ? signed(short, value) : short(value), frame.right + 8, middle, { bold: true });
}

/** @type {(context: Course.Context, run: Gates.Run, frame: Gates.Frame, time: number, write: Course.Write, palette: Course.Palette) => void} */
function drawCharacters(context, run, { font, left, column, columns, firstTime, top }, time, write, palette) {
  context.textBaseline = "alphabetic";
  for (let c = 0; c < columns; c++) {
    const chosen = firstTime + c === time;
    const ink = chosen ? palette.ink : palette.muted;
    const label = run.characters[firstTime + c];
    context.font = `700 ${font}px ${FACE}`;
    const level = fits(context, label, column);
    context.save();
    context.translate(left + (c + 0.5) * column + (level ? 0 : font * 0.3), top - font * 0.5);
    if (!level) context.rotate(-SLANT);
    write(fit(context, label, font * LONG_LABEL), 0, 0, { bold: chosen, ink, align: level ? "center" : "left" });
    context.restore();
  }
}

/**
 * The second cue beside the colour: a plus or a minus tells the two ends of the scale apart.
 * @type {(context: Course.Context, shares: { x: number, y: number, share: number }[], reach: number) => void}
 */
function drawSignsOf(context, shares, reach) {
  context.lineWidth = 1.2;
  for (const strong of [false, true]) {
    context.strokeStyle = strong ? "#ffffff" : "#000000";
    context.beginPath();
    for (const { x, y, share } of shares) {
      if (Math.abs(share) > 0.55 !== strong) continue;
      context.moveTo(x - reach, y);
      context.lineTo(x + reach, y);
      if (share < 0) continue;
      context.moveTo(x, y - reach);
      context.lineTo(x, y + reach);
    }
    context.stroke();
  }
}

/**
 * Frames around the chosen character, through everything, and around the chosen unit.
 * @type {(context: Course.Context, frame: Gates.Frame, looks: Gates.Looks) => void}
 */
function drawPlace(context, { left, column, columns, firstTime, top, strip, step, mapTop, cell, lines, firstUnit }, { time, unit, row, palette }) {
  const x = left + (time - firstTime) * column;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.strokeRect(x - 0.5, top - 2, column, mapTop + lines * cell - top + 4);
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 1, mapTop + (unit - firstUnit) * cell - 1, columns * column + 1, cell + 1);
  context.strokeRect(left - 1, top + row * step - 1, columns * column + 1, strip + 2);
}
