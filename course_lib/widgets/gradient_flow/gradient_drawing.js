// How a gradient's way back through time is drawn: on a canvas, or by the same code on an SvgContext.
import { MARKERS, OKABE_ITO } from "../shared/constants.js";
import { clamp, FACE, fit, writer } from "../shared/drawing.js";
import { DASH_PATTERNS, drawArrow, drawDotted, drawLine, drawMarker } from "../shared/lines.js";
import { ALL_STEPS, NARROWEST, WIDEST, WIDTH_A_DECADE, WIDTH_AT_LOSS } from "./constants.js";

const LONGEST_INPUT = 5; // of a label under a box, in font sizes

/** @type {(number: number) => string} */
export const subscript = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);

/**
 * 10^log: 0.012, 340, 3.1e−9; -Infinity is 0.
 * @type {(log: number, digits?: number) => string}
 */
export function writtenLog(log, digits = 2) {
  if (log === -Infinity) return "0";
  if (log >= 2 && log < 4) return (10 ** log).toFixed(0);
  if (log >= -3 && log < 2) return String(Number((10 ** log).toPrecision(digits)));
  let power = Math.floor(log);
  let lead = (10 ** (log - power)).toFixed(1);
  if (lead === "10.0") [lead, power] = ["1.0", power + 1];
  return `${lead}e${power}`.replace("-", "\u2212");
}

/**
 * The run behind a packed trace.
 * @type {(trace: Flow.Trace) => Flow.Run}
 */
export function readFlow(trace) {
  const [models, losses, steps] = trace.log10_norms.shape;
  const { data } = trace.log10_norms;
  const lossSteps = [...trace.loss_steps.data];
  return {
    trace, models, losses, steps, lossSteps,
    inputs: trace.inputs, targets: trace.targets, names: trace.models, sizes: trace.hidden_sizes.data,
    at: (model, loss, step) => data[(model * losses + loss) * steps + step],
    /** The last step that a loss depends on. */
    last: (loss) => (lossSteps[loss] === ALL_STEPS ? steps - 1 : lossSteps[loss]),
    nameOfLoss: (loss) => (lossSteps[loss] === ALL_STEPS ? "losses of all steps" : `loss at step ${lossSteps[loss] + 1}`),
  };
}

/**
 * Where everything lies; `last` is the frame before: a window stays until what is chosen leaves it.
 * @type {(context: Course.Context, run: Flow.Run, wanted: { width: number, height: number, font: number, time: number, last: Flow.Frame | null }) => Flow.Frame}
 */
export function frameFlow(context, run, { width, height, font, time, last }) {
  context.font = `400 ${font}px ${FACE}`;
  const left = Math.ceil(context.measureText("1e−888").width) + 12;
  const right = Math.ceil(font * 2.6); // holds half a number, and that at the loss
  const pitch = Math.floor(clamp((width - left - right) / run.steps, font * 5.6, font * 8));
  const columns = clamp(Math.floor((width - left - right) / pitch), 1, run.steps);
  const kept = last?.columns === columns ? clamp(last.firstStep, time - columns + 1, time) : time - Math.floor(columns / 2);
  const firstStep = clamp(kept, 0, run.steps - columns);
  const across = columns * pitch;
  const top = run.targets ? font * 1.5 : 0; // of the losses
  const boxTop = Math.round(top + font * 4.6);
  const boxTall = Math.round(font * 2.9);
  const plotTop = boxTop + boxTall + Math.round(font * 7.2);
  /** @type {Flow.Frame["keys"]} */
  const keys = [];
  let [x, row] = [left, 0];
  for (const name of run.names) {
    const text = fit(context, name, across - font * 4);
    const wide = context.measureText(text).width + font * 4.5;
    if (x > left && x + wide > left + across) [x, row] = [left, row + 1];
    keys.push({ x, row, text });
    x += wide;
  }
  const keyTop = plotTop + Math.round(height) + Math.round(font * 2.6);
  return {
    font, left, pitch, columns, firstStep, across, top, boxTop, boxTall, box: Math.round(font * 2.7), plotTop, plotTall: Math.round(height), keys, keyTop,
    width: left + across + right, height: Math.ceil(keyTop + (row + 1) * font * 1.7),
    /** The middle of a step's box, of those that are drawn. */
    boxX: (step) => left + (step - firstStep + 0.5) * pitch,
    /** Where a step stands on the axis below, which holds all. */
    plotX: (step) => left + ((step + 0.5) / run.steps) * across,
  };
}

/** @type {(context: Course.Context, run: Flow.Run, frame: Flow.Frame, looks: Flow.Looks) => void} */
export function drawFlow(context, run, frame, { model, loss, time, palette }) {
  const { font, columns, firstStep, top, boxTop, boxTall, box, pitch, boxX } = frame;
  const write = writer(context, palette, font, "center");
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  context.textBaseline = "middle";
  const last = run.last(loss);
  const every = run.lossSteps[loss] === ALL_STEPS;
  const atLoss = run.at(model, loss, last);
  const bend = font / 13;
  /** @type {(from: Course.Point, to: Course.Point) => void} */
  const thin = (from, to) => drawArrow(context, from, to, 1, 4 * bend, palette.muted);
  /** @type {(from: Course.Point, to: Course.Point, log: number) => void} */
  const flow = (from, to, log) => {
    if (log === -Infinity) return drawDotted(context, from, to, palette.muted);
    const share = WIDTH_AT_LOSS + WIDTH_A_DECADE * (log - (atLoss === -Infinity ? log : atLoss));
    return drawArrow(context, from, to, clamp(share, NARROWEST, WIDEST) * bend, 4 * bend, log > atLoss + 0.02 ? palette.bad : palette.accent);
  };
  for (let step = firstStep; step < firstStep + columns; step++) {
    const [x, middle] = [boxX(step), boxTop + boxTall / 2];
    const chosen = step === time;
    context.fillStyle = palette.panel;
    context.fillRect(x - box / 2, boxTop, box, boxTall);
    context.strokeStyle = chosen ? palette.accent : palette.ink;
    context.lineWidth = chosen ? 3 : 1;
    context.strokeRect(x - box / 2, boxTop, box, boxTall);
    write(`h${subscript(step + 1)}`, x, middle, { bold: chosen });
    thin([x, boxTop + boxTall + font * 1.8], [x, boxTop + boxTall + 2]);
    context.font = `${chosen ? 700 : 400} ${font}px ${FACE}`;
    write(fit(context, run.inputs[step], font * LONGEST_INPUT), x, boxTop + boxTall + font * 2.5, { bold: chosen });
    write(`step ${step + 1}`, x, boxTop + boxTall + font * 3.8, { ink: palette.muted, size: font * 0.8 });
    if (step + 1 < run.steps) thin([x + box / 2, boxTop + boxTall * 0.84], [x + pitch - box / 2 - 2, boxTop + boxTall * 0.84]);
    const offered = every || run.lossSteps.includes(step);
    const counts = every || step === last;
    if (offered) write(`L${subscript(step + 1)}`, x, top + font * 0.9, { bold: counts, ink: counts ? palette.ink : palette.muted });
    if (counts && run.targets) {
      context.font = `400 ${font}px ${FACE}`;
      write(fit(context, run.targets[step], font * LONGEST_INPUT), x, font * 0.8);
    }
    const log = run.at(model, loss, step);
    if (step === last) {
      flow([x, top + font * 1.8], [x, boxTop - 1], log);
      write(writtenLog(log), x + font * 1.3, top + font * 3, { bold: chosen, align: "left" });
    } else if (step < last) {
      if (every) thin([x, top + font * 1.8], [x, boxTop - 1]);
      flow([x + pitch - box / 2, boxTop + boxTall * 0.4], [x + box / 2 + 1, boxTop + boxTall * 0.4], log);
      write(writtenLog(log), x + pitch / 2, boxTop - font * 0.7, { bold: chosen });
    }
  }
  if (firstStep > 0) write("…", frame.left - font, boxTop + boxTall / 2);
  drawNorms(context, run, frame, { model, loss, time, palette }, write);
}

/**
 * Logarithmic lines of all models over all steps, and their names below.
 * @type {(context: Course.Context, run: Flow.Run, frame: Flow.Frame, looks: Flow.Looks, write: Course.Write) => void}
 */
function drawNorms(context, run, frame, { model, loss, time, palette }, write) {
  const { font, left, across, columns, firstStep, plotTop, plotTall, plotX, keys, keyTop } = frame;
  /** @type {number[]} */
  const finite = [];
  for (let m = 0; m < run.models; m++)
    for (let step = 0; step <= run.last(loss); step++) if (run.at(m, loss, step) > -Infinity) finite.push(run.at(m, loss, step));
  let [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [-1, 0];
  const spare = Math.max(1 - (high - low), 0.1 * (high - low)) / 2; // less than a power of ten shows no slope
  [low, high] = [low - spare, high + spare];
  /** @type {(log: number) => number} */
  const y = (log) => plotTop + ((high - log) / (high - low)) * plotTall;
  if (columns < run.steps) {
    context.fillStyle = palette.panel;
    context.fillRect(plotX(firstStep - 0.5), plotTop, (columns / run.steps) * across, plotTall);
  }
  write(`‖∂L/∂h‖ at each step, ${run.nameOfLoss(loss)}`, left, plotTop - font * 1.1, { bold: true, align: "left" });
  const every = Math.max(1, Math.ceil((high - low) / 6));
  const marks = Array.from({ length: Math.ceil(high - low) + 2 }, (_, i) => Math.ceil(low / every) * every + i * every).filter((log) => log <= high);
  const finer = marks.length > 1 ? marks : [-1, 0, 1, 2].flatMap((i) => [1, 2, 5].map((part) => Math.floor(low) + i + Math.log10(part))).filter((log) => log >= low && log <= high);
  for (const log of finer) {
    context.fillStyle = palette.line;
    context.fillRect(left, y(log) - 0.5, across, 1);
    write(marks.length > 1 ? `1e${log}`.replace("-", "\u2212") : writtenLog(log), left - 8, y(log), { ink: palette.muted, size: font * 0.85, align: "right" });
  }
  const gap = Math.max(1, Math.ceil((font * 2.6) / (across / run.steps)));
  for (let step = 0; step < run.steps; step += gap)
    write(String(step + 1), plotX(step), plotTop + plotTall + font, { ink: palette.muted, size: font * 0.85 });
  write("step t", left + across, plotTop + plotTall + font * 2.1, { ink: palette.muted, size: font * 0.85, align: "right" });
  context.fillStyle = palette.ink;
  context.fillRect(plotX(time) - 0.75, plotTop, 1.5, plotTall);
  for (let m = 0; m < run.models; m++) {
    const look = m % OKABE_ITO.length;
    const colour = OKABE_ITO[look] === "#000000" ? palette.ink : OKABE_ITO[look];
    /** @type {Course.Point[]} */
    const points = [];
    for (let step = 0; step <= run.last(loss); step++) points.push([plotX(step), run.at(m, loss, step)]);
    drawLine(context, points.map(([x, log]) => [x, log === -Infinity ? NaN : y(log)]), { colour, dash: DASH_PATTERNS[look], width: m === model ? 3 : 1.5 });
    points.forEach(([x, log], step) => {
      if (log > -Infinity && (step % gap === 0 || step === time)) drawMarker(context, MARKERS[look], x, y(log), step === time ? 5 : 3.5, colour);
    });
    const key = keys[m];
    const middle = keyTop + (key.row + 0.6) * font * 1.7;
    drawLine(context, [[key.x, middle], [key.x + font * 2.6, middle]], { colour, dash: DASH_PATTERNS[look], width: m === model ? 3 : 1.5 });
    drawMarker(context, MARKERS[look], key.x + font * 1.3, middle, 4, colour);
    write(key.text, key.x + font * 3, middle, { bold: m === model, align: "left" });
  }
}
