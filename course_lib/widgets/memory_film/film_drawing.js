// How a memory at work is drawn: on a canvas, or by the same code on an SvgContext.
import { OKABE_ITO } from "../shared/constants.js";
import { clamp, DIFFERENCE_COLOURS, FACE, fit, WEIGHT_COLOURS, writer } from "../shared/drawing.js";

const WRITES = OKABE_ITO[5]; // on the left of the memory
const READS = OKABE_ITO[0]; // on its right

/** @type {(values: Float32Array) => number} */
const largestOf = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/**
 * The run behind a packed trace.
 * @type {(trace: Film.Trace) => Film.Run}
 */
export function readFilm(trace) {
  const [steps, rows, size] = trace.rows.shape;
  /** @type {(packed: Course.Packed) => (step: number, place: number) => number} */
  const looker = ({ data, shape }) => (step, place) => data[step * shape[1] + place];
  const [write, read] = [looker(trace.write), looker(trace.read)];
  /** @type {(name: string, packed: Course.Packed) => Film.Strip} */
  const strip = (name, packed) => {
    const at = looker(packed);
    return { name, lines: packed.shape[1], end: Math.max(1, largestOf(packed.data)), signed: packed.data.some((value) => value < 0), at: (line, step) => at(step, line) };
  };
  /** @type {(look: (step: number, row: number) => number, step: number) => number} */
  const most = (look, step) => {
    let best = 0;
    for (let row = 1; row < rows; row++) if (look(step, row) > look(step, best)) best = row;
    return best;
  };
  return {
    steps, rows, size, labels: trace.steps, write, read,
    strips: [strip("what it sees", trace.inputs), strip("what it says", trace.outputs), strip("weights of writing", trace.write), strip("weights of reading", trace.read)],
    held: (step, row, place) => trace.rows.data[(step * rows + row) * size + place],
    largest: largestOf(trace.rows.data) || 1,
    mostWritten: (step) => most(write, step),
    mostRead: (step) => most(read, step),
  };
}

/** @type {(share: number, signed: boolean) => Course.Rgb} */
const colourOf = (share, signed) => (signed ? DIFFERENCE_COLOURS : WEIGHT_COLOURS)[Math.round(255 * clamp(signed ? (share + 1) / 2 : share, 0, 1))];

/**
 * A map as an image of one pixel a cell.
 * @type {(wide: number, tall: number, rgb: (x: number, y: number) => Course.Rgb) => HTMLCanvasElement}
 */
function imageOf(wide, tall, rgb) {
  const canvas = Object.assign(document.createElement("canvas"), { width: wide, height: tall });
  const image = new ImageData(wide, tall);
  for (let y = 0; y < tall; y++)
    for (let x = 0; x < wide; x++) image.data.set([...rgb(x, y), 255], 4 * (y * wide + x));
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** @type {(run: Film.Run) => HTMLCanvasElement[]} */
export const stripImages = (run) =>
  run.strips.map((strip) => imageOf(run.steps, strip.lines, (step, line) => colourOf(strip.at(line, step) / strip.end, strip.signed)));

/**
 * Where everything lies.
 * @type {(run: Film.Run, wanted: { width: number, height: number, font: number }) => Film.Frame}
 */
export function frameFilm(run, { width, height, font }) {
  const left = Math.round(font * 2.6);
  const side = Math.round(font * 3);
  const gap = Math.round(font * 2.2); // holds the title of what stands below
  const across = Math.max(font * 24, width);
  const wide = Math.round((across - left) * 0.66);
  /** @type {Film.Box[]} */
  const strips = [];
  let top = gap;
  for (const [i] of run.strips.entries()) {
    const tall = Math.round(height * (i < 2 ? 0.13 : 0.37));
    strips.push({ left, top, wide, tall });
    top += tall + gap;
  }
  const memoryLeft = left + wide + side + font * 2;
  const memory = { left: memoryLeft, top: strips[2].top, wide: Math.max(font * 4, across - memoryLeft - side), tall: strips[3].top + strips[3].tall - strips[2].top };
  return { font, strips, memory, side, width: across, height: top + Math.round(font * 0.6) };
}

/** @type {(context: Course.Context, run: Film.Run, frame: Film.Frame, looks: Film.Looks) => void} */
export function drawFilm(context, run, frame, { time, row, images, palette }) {
  const { font, strips, memory, side } = frame;
  const write = writer(context, palette, font);
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  context.textBaseline = "middle";
  context.imageSmoothingEnabled = false;
  for (const [i, { left, top, wide, tall }] of strips.entries()) {
    const strip = run.strips[i];
    write(strip.name, left, top - font * 0.85, { bold: true });
    context.drawImage(images[i], left, top, wide, tall);
    for (const line of [0, strip.lines - 1])
      write(String(line), left - 5, top + ((line + 0.5) / strip.lines) * tall, { ink: palette.muted, size: font * 0.8, align: "right" });
    const x = left + (time / run.steps) * wide;
    context.strokeStyle = palette.bad;
    context.lineWidth = 2;
    context.strokeRect(x, top - 1, Math.max(2, wide / run.steps), tall + 2);
  }
  const below = strips[3].top + strips[3].tall + font * 0.9;
  const cell = strips[3].wide / run.steps;
  const every = Math.max(1, Math.ceil((font * 3.4) / cell));
  for (let step = 0; step < run.steps; step += every) {
    if (step !== time && Math.abs(step - time) < every) continue;
    context.font = `400 ${font * 0.85}px ${FACE}`;
    write(fit(context, run.labels[step], Math.max(cell * every, font * 3)), strips[3].left + (step + 0.5) * cell, below, { ink: palette.muted, size: font * 0.85, align: "center" });
  }
  write(fit(context, run.labels[time], font * 5), strips[3].left + (time + 0.5) * cell, below, { bold: true, size: font * 0.85, align: "center" });
  drawMemory(context, run, frame, time, row, palette, write);
  write("writes", memory.left - 4, memory.top - font * 2.1, { ink: palette.ink, size: font * 0.85, align: "right" });
  write("reads", memory.left + memory.wide + 4, memory.top - font * 2.1, { size: font * 0.85, align: "left" });
  context.fillStyle = WRITES;
  context.fillRect(memory.left - side, memory.top - font * 1.45, side - 4, 3);
  context.fillStyle = READS;
  context.fillRect(memory.left + memory.wide + 4, memory.top - font * 1.45, side - 4, 3);
}

/** @type {(context: Course.Context, run: Film.Run, frame: Film.Frame, time: number, row: number, palette: Course.Palette, write: Course.Write) => void} */
function drawMemory(context, run, { font, memory, side }, time, row, palette, write) {
  const { left, top, wide, tall } = memory;
  write(`memory after step ${time + 1}`, left + wide / 2, top - font * 0.85, { bold: true, align: "center" });
  context.drawImage(imageOf(run.size, run.rows, (place, line) => colourOf(run.held(time, line, place) / run.largest, true)), left, top, wide, tall);
  const high = tall / run.rows;
  for (let line = 0; line < run.rows; line++) {
    const y = top + line * high + high * 0.15;
    context.fillStyle = WRITES;
    const written = run.write(time, line) * (side - 4);
    context.fillRect(left - 4 - written, y, written, high * 0.7);
    context.fillStyle = READS;
    context.fillRect(left + wide + 4, y, run.read(time, line) * (side - 4), high * 0.7);
  }
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.strokeRect(left, top + row * high, wide, high);
}
