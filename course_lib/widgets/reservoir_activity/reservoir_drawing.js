// How a reservoir's run is drawn: on a canvas, or by the same code on an SvgContext.
import { OKABE_ITO } from "../shared/constants.js";
import { clamp, DIFFERENCE_COLOURS, FACE, fit, WEIGHT_COLOURS, writer } from "../shared/drawing.js";
import { DASH_PATTERNS, drawLine, drawMarker } from "../shared/lines.js";

const STILL = 1e-6; // a unit that moves less does not move
export const SVG_COLUMNS = 250; // of the map in a file: each cell is a rectangle there

/** @type {(value: number) => string} */
export const digits4 = (value) => (Number.isNaN(value) ? "–" : String(Number(value.toPrecision(4))).replace("-", "\u2212"));

/**
 * The run behind a packed trace.
 * @type {(trace: Reservoir.Trace) => Reservoir.Run}
 */
export function readReservoir(trace) {
  const [steps, units] = trace.activity.shape;
  /** @type {(name: string, count: number) => string[]} */
  const counted = (name, count) => (count === 1 ? [name] : Array.from({ length: count }, (_, i) => `${name} ${i + 1}`));
  /** @type {(values: Course.Packed, names: string[]) => Reservoir.Track[]} */
  const tracks = (values, names) =>
    names.map((name, i) => ({ name, at: (step) => values.data[step * names.length + i] }));
  /** @type {(kind: "outputs" | "targets") => Reservoir.Track[]} */
  const ofOutputs = (kind) => {
    if (!trace[kind]) return [];
    const count = trace[kind].shape[1];
    return tracks(trace[kind], trace.output_names ?? counted(kind.slice(0, -1), count));
  };
  const { data } = trace.activity;
  const means = new Float64Array(units);
  const moves = new Float64Array(units).fill(STILL);
  let [most, lowest] = [0, 0];
  for (let i = 0; i < data.length; i++) {
    means[i % units] += data[i] / steps;
    most = Math.max(most, Math.abs(data[i]));
    lowest = Math.min(lowest, data[i]);
  }
  for (let i = 0; i < data.length; i++) moves[i % units] = Math.max(moves[i % units], Math.abs(data[i] - means[i % units]));
  /**
   * What is coloured, as a share of the end of the colours; and whether colours have a middle.
   * @type {Reservoir.Run["shareOf"]}
   */
  const shareOf = (scale) => {
    if (scale === "own") return { signed: true, end: 1, share: (step, unit) => (data[step * units + unit] - means[unit]) / moves[unit] };
    const end = scale === "fixed" || most === 0 ? Math.max(1, most) : most;
    return { signed: lowest < 0, end, share: (step, unit) => data[step * units + unit] / end };
  };
  return {
    trace, steps, units, numbers: [...trace.units.data], first: trace.first_step, free: trace.free_from,
    inputs: tracks(trace.inputs, trace.input_names ?? counted("input", trace.inputs.shape[1])),
    outputs: ofOutputs("outputs"), targets: ofOutputs("targets"), shareOf,
    at: (step, unit) => data[step * units + unit],
    fired: (step, unit) => Boolean(trace.spikes?.data[step * units + unit]),
  };
}

/**
 * Lowest and highest number of some tracks over all steps, with room where they are the same.
 * @type {(tracks: Reservoir.Track[], steps: number) => [low: number, high: number]}
 */
function reachOf(tracks, steps) {
  let [low, high] = [Infinity, -Infinity];
  for (const { at } of tracks)
    for (let step = 0; step < steps; step++) {
      const value = at(step);
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (low > high) return [-1, 1];
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/**
 * Where everything lies; `last` is the frame before: a window stays until the chosen step leaves it.
 * @type {(context: Course.Context, run: Reservoir.Run, wanted: {
 *   width: number, height: number, font: number, time: number, span: number | null, last: Reservoir.Frame | null,
 * }) => Reservoir.Frame}
 */
export function frameReservoir(context, run, { width, height, font, time, span, last }) {
  context.font = `400 ${font * 0.85}px ${FACE}`;
  const left = Math.ceil(Math.max(context.measureText("−0.8888").width, context.measureText(`unit ${Math.max(...run.numbers)} ▸`).width)) + 12;
  const right = Math.ceil(font * 5.4);
  const across = Math.max(font * 10, width - left - right);
  const shown = Math.min(span ?? run.steps, run.steps);
  const kept = last?.shown === shown ? last.start : time - Math.floor(shown / 2);
  const outside = time < kept || time >= kept + shown;
  const start = clamp(outside ? time - Math.floor(shown / 2) : kept, 0, run.steps - shown);
  let y = 0;
  /** @type {(tall: number, head?: number) => Reservoir.Box} */
  const place = (tall, head = font * 2.1) => {
    const box = { top: Math.round(y + head), tall: Math.round(tall) };
    y = box.top + box.tall;
    return box;
  };
  const overview = shown < run.steps ? place(font * 1.3, 2) : null;
  const input = place(font * 3.6);
  const output = run.outputs.length + run.targets.length ? place(font * 5) : null;
  const map = place(clamp(height, run.units * 2, run.units * font * 1.2));
  const unit = place(font * 3.6);
  return {
    font, left, across, shown, start, overview, input, output, map, unit,
    width: left + across + right, height: Math.ceil(y + font * 2.6),
    /** The middle of a step, of those in the window. */
    x: (step) => left + ((step - start + 0.5) / shown) * across,
    stepAt: (x) => start + Math.floor(((x - left) / across) * shown),
  };
}

/**
 * The map of the window as an image, a pixel a cell; where steps must share a column, the strongest shows.
 * @type {(run: Reservoir.Run, frame: Reservoir.Frame, scale: Reservoir.Scale, most: number) => HTMLCanvasElement}
 */
export function imageOfMap(run, { start, shown, across }, scale, most) {
  const { share, signed: middle } = run.shareOf(scale);
  const columns = Math.max(1, Math.min(shown, Math.floor(across), most));
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: columns, height: run.units });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, run.units);
  const palette = middle ? DIFFERENCE_COLOURS : WEIGHT_COLOURS;
  const spike = middle ? [0, 0, 0] : [255, 255, 255];
  for (let column = 0; column < columns; column++) {
    const from = start + Math.floor((column * shown) / columns);
    const to = Math.max(from + 1, start + Math.floor(((column + 1) * shown) / columns));
    for (let unit = 0; unit < run.units; unit++) {
      let strongest = 0;
      let fired = false;
      for (let step = from; step < to; step++) {
        const value = share(step, unit);
        if (Math.abs(value) > Math.abs(strongest)) strongest = value;
        fired ||= run.fired(step, unit);
      }
      const colour = fired ? spike : palette[Math.round(255 * clamp(middle ? (strongest + 1) / 2 : strongest, 0, 1))];
      image.data.set([...colour, 255], 4 * (unit * columns + column));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/**
 * The strips of a run, as { box, title, tracks }: what is heard, what the readout says, one unit.
 * @type {(run: Reservoir.Run, frame: Reservoir.Frame, unit: number, palette: Course.Palette) => Reservoir.Strip[]}
 */
function stripsOf(run, frame, unit, palette) {
  const strips = [{ box: frame.input, title: "What it hears", tracks: looksOf(run.inputs, palette) }];
  if (frame.output) {
    /** @type {(track: Reservoir.Track) => string} */
    const name = (track) => (run.targets.length > 1 ? `target ${track.name}` : "target");
    const targets = run.targets.map((track) => ({ ...track, name: name(track), colour: palette.line, width: 6, behind: true }));
    strips.push({ box: frame.output, title: "What its readout says", tracks: [...targets, ...looksOf(run.outputs, palette)] });
  }
  /** @type {Reservoir.Line} */
  const line = { name: "", at: (step) => run.at(step, unit), colour: palette.accent };
  return [...strips, { box: frame.unit, title: `Unit ${run.numbers[unit]}`, tracks: [line] }];
}

/**
 * All but the chosen step, which moves far more often than the rest.
 * @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, looks: Reservoir.Looks) => void}
 */
export function drawRun(context, run, frame, { unit, scale, image, palette }) {
  const { font, left, across, shown, start, overview, map } = frame;
  const write = writer(context, palette, font);
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  context.textBaseline = "middle";
  if (overview) drawOverview(context, run, frame, palette, write);
  for (const strip of stripsOf(run, frame, unit, palette)) drawStrip(context, run, frame, strip, palette, write);
  const { signed: middle, end } = run.shareOf(scale);
  const sorting = run.trace.order ? `, sorted ${run.trace.order}` : "";
  const known = run.trace.network_size > run.units ? `${run.units} of ${run.trace.network_size}` : `All ${run.units}`;
  const meaning = scale === "own" ? "each from its own mean" : `colours ${middle ? `\u2212${digits4(end)}` : 0} to ${digits4(end)}`;
  context.font = `700 ${font}px ${FACE}`;
  write(fit(context, `${known} units over time${sorting}; ${meaning}`, across), left, map.top - font * 0.9, { bold: true });
  context.imageSmoothingEnabled = false;
  context.drawImage(image, left, map.top, across, map.tall);
  const cell = map.tall / run.units;
  context.fillStyle = palette.accent;
  for (const x of [left - 6, left + across + 1]) context.fillRect(x, map.top + unit * cell - 1, 5, cell + 2);
  write(`unit ${run.numbers[unit]}`, left - 9, map.top + (unit + 0.5) * cell, { size: font * 0.85, align: "right" });
  context.fillStyle = palette.ink;
  for (let step = start; step < start + shown; step++) if (run.fired(step, unit)) context.fillRect(frame.x(step) - 0.75, frame.unit.top, 1.5, font * 0.5);
  drawTimes(context, run, frame, palette, write);
}

/**
 * The chosen step: a line through everything, and beside each strip with one line its value.
 * @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, looks: Reservoir.Looks) => void}
 */
export function drawMoment(context, run, frame, { time, unit, palette }) {
  const { font, left, across, map, x } = frame;
  const write = writer(context, palette, font);
  context.textBaseline = "middle";
  const strips = stripsOf(run, frame, unit, palette);
  context.fillStyle = palette.ink;
  for (const { top, tall } of [...strips.map(({ box }) => box), map]) context.fillRect(x(time) - 0.75, top, 1.5, tall);
  for (const { box, tracks } of strips) {
    const y = heightOf(run, box, tracks);
    const front = tracks.filter(({ behind }) => !behind);
    for (const { at, colour } of front) if (!Number.isNaN(at(time))) drawMarker(context, "o", x(time), y(at(time)), 4, colour);
    if (front.length === 1) write(digits4(front[0].at(time)), left + across + 9, box.top + box.tall / 2, { bold: true });
  }
}

/** @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, looks: Reservoir.Looks) => void} */
export function drawReservoir(context, run, frame, looks) {
  drawRun(context, run, frame, looks);
  drawMoment(context, run, frame, looks);
}

/**
 * Each track with the colour and dash that it has everywhere.
 * @type {(tracks: Reservoir.Track[], palette: Course.Palette) => Reservoir.Line[]}
 */
function looksOf(tracks, palette) {
  const colours = [palette.accent, ...OKABE_ITO.slice(1, -1)];
  return tracks.map((track, i) => ({ ...track, colour: colours[i % colours.length], dash: DASH_PATTERNS[i % colours.length] }));
}

/**
 * Where a value stands in a strip.
 * @type {(run: Reservoir.Run, box: Reservoir.Box, tracks: Reservoir.Track[]) => (value: number) => number}
 */
function heightOf(run, { top, tall }, tracks) {
  const [low, high] = reachOf(tracks, run.steps);
  return (value) => top + 2 + ((high - value) / (high - low)) * (tall - 4);
}

/**
 * Lines over time, with their names above.
 * @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, strip: Reservoir.Strip, palette: Course.Palette, write: Course.Write) => void}
 */
function drawStrip(context, run, frame, { box, title, tracks }, palette, write) {
  const { font, left, across, shown, start, x } = frame;
  const { top, tall } = box;
  const [low, high] = reachOf(tracks, run.steps);
  const y = heightOf(run, box, tracks);
  context.fillStyle = palette.panel;
  context.fillRect(left, top, across, tall);
  write(title, left, top - font * 0.9, { bold: true });
  let next = left + context.measureText(title).width + font * 1.5;
  for (const { name, at, colour, dash, width } of tracks) {
    /** @type {Course.Point[]} */
    const points = [];
    for (let step = start; step < start + shown; step++) points.push([x(step), y(at(step))]);
    drawLine(context, points, { colour, dash, width });
    if (!name) continue;
    context.font = `400 ${font * 0.85}px ${FACE}`;
    const text = fit(context, name, font * 9);
    const room = context.measureText(text).width + font * 3;
    if (next + room > left + across) continue; // the read-out names them all
    drawLine(context, [[next, top - font * 0.9], [next + font * 2, top - font * 0.9]], { colour, dash, width });
    write(text, next + font * 2.4, top - font * 0.9, { size: font * 0.85 });
    next += room + font * 0.8;
  }
  write(digits4(Number(high.toPrecision(3))), left - 6, top + font * 0.45, { ink: palette.muted, size: font * 0.8, align: "right" });
  write(digits4(Number(low.toPrecision(3))), left - 6, top + tall - font * 0.45, { ink: palette.muted, size: font * 0.8, align: "right" });
}

/**
 * The whole run in small: the first input, with a frame around the window.
 * @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, palette: Course.Palette, write: Course.Write) => void}
 */
function drawOverview(context, run, { left, across, shown, start, overview }, palette, write) {
  const { top, tall } = overview;
  const [{ at }] = run.inputs;
  const y = heightOf(run, overview, run.inputs.slice(0, 1));
  context.fillStyle = palette.panel;
  context.fillRect(left, top, across, tall);
  /** @type {Course.Point[]} */
  const points = Array.from({ length: run.steps }, (_, step) => [left + ((step + 0.5) / run.steps) * across, y(at(step))]);
  drawLine(context, points, { colour: palette.muted, width: 1 });
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(left + (start / run.steps) * across, top - 1, Math.max(3, (shown / run.steps) * across), tall + 2);
  write("all", left - 6, top + tall / 2, { ink: palette.muted, size: tall * 0.65, align: "right" });
}

/**
 * Numbers of steps below, and where the network begins to hear itself.
 * @type {(context: Course.Context, run: Reservoir.Run, frame: Reservoir.Frame, palette: Course.Palette, write: Course.Write) => void}
 */
function drawTimes(context, run, { font, left, across, shown, start, input, unit, x }, palette, write) {
  const bottom = unit.top + unit.tall;
  const wanted = shown / Math.max(1, Math.floor(across / (font * 5)));
  const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
  const every = [1, 2, 5, 10].map((part) => part * power).find((size) => size >= wanted);
  for (let number = Math.ceil((run.first + start) / every) * every; number < run.first + start + shown; number += every)
    write(String(number), x(number - run.first), bottom + font * 0.8, { ink: palette.muted, size: font * 0.85, align: "center" });
  write("step", left + across, bottom + font * 1.9, { ink: palette.muted, size: font * 0.85, align: "right" });
  if (run.free !== null && run.free >= start && run.free < start + shown) {
    const at = x(run.free - 0.5);
    drawLine(context, [[at, input.top], [at, bottom]], { colour: palette.bad, dash: [6, 4], width: 2 });
    write("hears itself ▸", at + 4, input.top + font * 0.7, { ink: palette.bad, size: font * 0.85 });
  }
}
