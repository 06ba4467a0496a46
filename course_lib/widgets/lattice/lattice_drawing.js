// How a lattice is drawn: on a canvas, or by the same code on an SvgContext.
import { clamp, FACE, fit, WEIGHT_COLOURS, writer } from "../shared/drawing.js";

/**
 * A grey picture, or the shares of a map, in their own pixels.
 * @type {(width: number, height: number, colour: (column: number, row: number) => Course.Rgb) => HTMLCanvasElement}
 */
export function pixels(width, height, colour) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const image = new ImageData(width, height);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) image.data.set([...colour(column, row), 255], 4 * (row * width + column));
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** @type {(room: number, font: number, scene: Lattice.Scene) => Lattice.Frame} */
export function frameLattice(room, font, { steps, labels, picture }) {
  const left = Math.round(font * 2.6);
  const wide = clamp((room - left - 4) / steps, 2, 120);
  const high = clamp(460 / labels.length, 2.5, font * 2.6);
  const top = Math.round(font * 1.8);
  const tall = picture ? clamp(Math.round((picture.height / picture.width) * wide * steps), 40, 160) : 0;
  const strip = tall && tall + font;
  const map = strip + 2 * top + Math.round(font * 1.6);
  return { font, left, wide, high, picture: tall, strip: strip + top, map, width: Math.max(left + wide * steps + 4, left + font * 26), height: map + labels.length * high + top };
}

/** @type {(context: Course.Context, frame: Lattice.Frame, scene: Lattice.Scene, titles: string[], palette: Course.Palette) => void} */
export function drawLattice(context, frame, scene, [above, below], palette) {
  const { font, left, wide, high, strip, map } = frame;
  const { steps, labels, shares } = scene;
  const write = writer(context, palette, font);
  const across = wide * steps;
  context.textBaseline = "middle";
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  if (scene.picture) {
    context.imageSmoothingEnabled = true;
    context.drawImage(scene.picture, left, 0, across, frame.picture);
  }
  write(above, left, strip - font * 0.8);
  drawRuns(context, frame, scene, palette, write);
  context.font = `700 ${font}px ${FACE}`;
  write(fit(context, below, across), left, map - font * 0.8, { bold: true });
  context.imageSmoothingEnabled = false;
  const image = pixels(steps, labels.length, (step, state) => WEIGHT_COLOURS[Math.round(255 * shares[step * labels.length + state])]);
  context.drawImage(image, left, map, across, high * labels.length);
  /** @type {(step: number) => number} */
  const x = (step) => left + (step + 0.5) * wide;
  /** @type {(state: number) => number} */
  const y = (state) => map + (state + 0.5) * high;
  /** @type {(places: Course.Point[], width: number, ink: string) => void} */
  const line = (places, width, ink) => {
    context.lineWidth = width;
    context.strokeStyle = ink;
    context.beginPath();
    places.forEach(([step, state], i) => (i ? context.lineTo(x(step), y(state)) : context.moveTo(x(step), y(state))));
    context.stroke();
  };
  for (const [step, from, to] of scene.moves) line([[step, from], [step + 1, to]], 1, "#ffffff");
  /** @type {Course.Point[]} */
  const path = [...scene.alignment].map((state, step) => [step, state]);
  const thick = clamp(0.7 * high, 2, 5);
  line(path, thick, "#000000"); // a light line on a dark one: seen on any ground
  line(path, thick / 2, "#ffffff");
  const every = high >= font * 1.1 ? 1 : 2 * Math.ceil((font * 1.1) / (2 * high));
  for (let state = every > 1 ? 1 : 0; state < labels.length; state += every)
    write(fit(context, labels[state], left - 8), left - 6, y(state), { ink: palette.muted, align: "right" });
  for (const [width, ink] of /** @type {[number, string][]} */ ([[4, "#000000"], [2, "#ffffff"]])) {
    context.lineWidth = width;
    context.strokeStyle = ink;
    context.strokeRect(left + scene.time * wide, map + scene.state * high, wide, high);
  }
  write("step", left, frame.height - font * 0.9, { ink: palette.muted });
  write(String(steps - 1), left + across, frame.height - font * 0.9, { ink: palette.muted, align: "right" });
}

/** @type {(context: Course.Context, frame: Lattice.Frame, scene: Lattice.Scene, palette: Course.Palette, write: Course.Write) => void} */
function drawRuns(context, { font, left, wide, strip }, { runs, blank, steps }, palette, write) {
  const tall = font * 1.5;
  for (const [label, start, end] of runs) {
    if (label === blank) continue;
    context.fillStyle = palette.masked;
    context.fillRect(left + start * wide, strip, (end - start) * wide, tall);
    write(label, left + ((start + end) / 2) * wide, strip + tall / 2, { align: "center" });
  }
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.strokeRect(left, strip, steps * wide, tall);
}
