// How a t-SNE map is drawn: on a canvas, or by the same code on an SvgContext.
import { MARKERS, OKABE_ITO } from "../shared/constants.js";
import { FACE, hexRgb } from "../shared/drawing.js";
import { node } from "../shared/elements.js";

const MOST_LABELS = 70;
const PLUS = [[-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4], [-1, -0.4], [-0.4, -0.4]];
/** @type {Record<string, number[][]>} */
const CORNERS = {
  s: [[-0.87, -0.87], [0.87, -0.87], [0.87, 0.87], [-0.87, 0.87]],
  "^": [[-1, 0.85], [0, -1], [1, 0.85]],
  v: [[-1, -0.85], [0, 1], [1, -0.85]],
  D: [[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]],
  P: PLUS,
  X: PLUS.map(([a, b]) => [0.75 * (a - b), 0.75 * (a + b)]),
  "*": Array.from({ length: 10 }, (_, i) => [1.15 - 0.65 * (i % 2), (i * Math.PI) / 5 - Math.PI / 2]).map(([far, turn]) => [far * Math.cos(turn), far * Math.sin(turn)]),
};

/** @type {(place: number) => string} */
export const markerOf = (place) => MARKERS[(place + Math.floor(place / OKABE_ITO.length)) % MARKERS.length];
/** @type {(place: number, palette: Course.Palette) => string} */
export function colourOf(place, palette) {
  const colour = OKABE_ITO[place % OKABE_ITO.length];
  return colour === "#000000" ? palette.ink : colour;
}

/**
 * Add a marker of radius r to the current path; the names are matplotlib's.
 * @type {(context: Course.Context, kind: string, x: number, y: number, r: number) => void}
 */
export function addMarker(context, kind, x, y, r) {
  if (kind === "o") {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  // Back to the first corner by a line: closing the path costs a canvas far more.
  const corners = CORNERS[kind];
  context.moveTo(x + corners[0][0] * r, y + corners[0][1] * r);
  for (let i = 1; i <= corners.length; i++) {
    const corner = corners[i % corners.length];
    context.lineTo(x + corner[0] * r, y + corner[1] * r);
  }
}

/**
 * Draw points class by class, each in its colour and shape: one path a class.
 * @type {(context: Course.Context, map: Tsne.Map, wanted: (point: number) => boolean, radius: number, look?: { alpha?: number, outline?: number }) => void}
 */
export function drawClasses(context, { run, spots, palette }, wanted, radius, { alpha = 1, outline = 0 } = {}) {
  run.members.forEach((members, place) => {
    const kind = markerOf(place);
    context.beginPath();
    for (const point of members) if (wanted(point)) addMarker(context, kind, spots[2 * point], spots[2 * point + 1], radius);
    context.globalAlpha = alpha;
    context.fillStyle = colourOf(place, palette);
    context.fill();
    if (outline) {
      context.strokeStyle = palette.ink;
      context.lineWidth = outline;
      context.stroke();
    }
  });
  context.globalAlpha = 1;
}

/** @type {(radius: number) => number} */
const ring = (radius) => (radius < 4 ? 0.3 : 0.6);

/**
 * Draw a map.
 *
 * scene: run, spots, width, height, radius, font, palette; shown(point); chosen, its `lined` neighbours and which of
 * them are `kept`; hits (found by the search); selected (a Set); labels; moving; thumbnails, or null.
 * @type {(context: Course.Context, scene: Tsne.Scene) => void}
 */
export function drawScene(context, scene) {
  const { run, spots, width, height, radius, palette, shown, chosen, lined, kept, hits, selected } = scene;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.lineJoin = "round";
  const faded = scene.searching || chosen !== null || selected.size > 0;
  drawClasses(context, scene, (one) => shown(one) && !selected.has(one), radius, { alpha: faded ? 0.4 : 1, outline: faded || scene.moving ? 0 : ring(radius) });
  if (selected.size) drawClasses(context, scene, (one) => shown(one) && selected.has(one), radius * 1.15, { outline: 1.1 });
  for (const other of lined) {
    context.beginPath();
    context.setLineDash(kept.has(other) ? [] : [5, 4]);
    context.strokeStyle = kept.has(other) ? palette.ink : palette.bad;
    context.lineWidth = 1.6;
    context.moveTo(spots[2 * chosen], spots[2 * chosen + 1]);
    context.lineTo(spots[2 * other], spots[2 * other + 1]);
    context.stroke();
  }
  context.setLineDash([]);
  const bold = [...hits, ...lined, ...(chosen === null ? [] : [chosen])];
  for (const one of bold) drawBold(context, scene, one, radius * (one === chosen ? 1.7 : 1.25), one === chosen ? 2.5 : 1.5);
  const first = [...new Set([chosen, ...lined, ...hits])].filter((one) => one !== null && shown(one));
  const rest = scene.labels && !scene.moving && !scene.searching && chosen === null ? run.all.filter((one) => shown(one) && (!selected.size || selected.has(one))) : [];
  if (scene.thumbnails) drawThumbnails(context, scene, first, rest);
  else drawLabels(context, scene, first, rest);
}

/**
 * One point with a line around it.
 * @type {(context: Course.Context, map: Tsne.Map, point: number, radius: number, line: number) => void}
 */
export function drawBold(context, { run, spots, palette }, point, radius, line) {
  context.beginPath();
  addMarker(context, markerOf(run.group[point]), spots[2 * point], spots[2 * point + 1], radius);
  context.fillStyle = colourOf(run.group[point], palette);
  context.strokeStyle = palette.ink;
  context.lineWidth = line;
  context.fill();
  context.stroke();
}

/**
 * The wanted points first, then the rest by a stride that visits all of them, far from each other.
 * @type {(first: number[], rest: number[]) => number[]}
 */
function spread(first, rest) {
  const stride = Math.max(1, Math.round(rest.length * 0.382));
  return [...new Set([...first, ...rest.map((_, i) => rest[(i * stride) % rest.length]), ...rest])];
}

/**
 * Write labels that cover none written before.
 * @type {(context: Course.Context, scene: Tsne.Scene, first: number[], rest: number[]) => void}
 */
function drawLabels(context, { run, spots, width, height, radius, font, palette }, first, rest) {
  context.font = `${font}px ${FACE}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineWidth = 3;
  context.strokeStyle = palette.paper;
  /** @type {{ left: number, y: number, wide: number }[]} */
  const written = [];
  for (const point of spread(first, rest)) {
    if (written.length >= MOST_LABELS) break;
    const [x, y] = [spots[2 * point], spots[2 * point + 1]];
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const text = [...run.trace.labels[point]].slice(0, 24).join("");
    const wide = context.measureText(text).width;
    const left = x + radius + 4 + wide > width ? x - radius - 4 - wide : x + radius + 4;
    if (written.some((one) => Math.abs(one.y - y) < font * 1.1 && left < one.left + one.wide && one.left < left + wide)) continue;
    written.push({ left, y, wide });
    context.strokeText(text, left, y);
    context.fillStyle = palette.ink;
    context.fillText(text, left, y);
  }
}

/**
 * Draw small pictures that cover none drawn before, each in a frame of its class's colour, its shape at a corner.
 * @type {(context: Course.Context, scene: Tsne.Scene, first: number[], rest: number[]) => void}
 */
function drawThumbnails(context, { run, spots, width, height, font, palette, thumbnails }, first, rest) {
  const side = Math.round(font * 2.1);
  /** @type {Course.Point[]} */
  const drawn = [];
  for (const point of spread(first, rest)) {
    if (drawn.length >= MOST_LABELS) break;
    const [x, y] = [spots[2 * point] - side / 2, spots[2 * point + 1] - side / 2];
    if (x < 0 || y < 0 || x + side > width || y + side > height) continue;
    if (drawn.some(([left, top]) => Math.abs(left - x) < side + 3 && Math.abs(top - y) < side + 3)) continue;
    drawn.push([x, y]);
    context.drawImage(thumbnails(point, palette), x, y, side, side);
    context.strokeStyle = colourOf(run.group[point], palette);
    context.lineWidth = 2;
    context.strokeRect(x, y, side, side);
    drawBold(context, { run, spots: cornerOf(point, x, y), palette }, point, 4, 0.6);
  }
}

/** @type {(point: number, x: number, y: number) => Record<number, number>} */
const cornerOf = (point, x, y) => ({ [2 * point]: x, [2 * point + 1]: y });

/**
 * thumbnails(point, palette) -> a small canvas with its picture; each is made once a theme.
 * @type {(trace: Tsne.Trace) => Tsne.Thumbnails | null}
 */
export function thumbnailsOf({ pictures }) {
  if (!pictures) return null;
  const [, rows, columns] = pictures.shape;
  /** @type {Map<string, HTMLCanvasElement>} */
  const made = new Map();
  return (point, palette) => {
    const name = `${palette.ink}${point}`;
    if (!made.has(name)) {
      const canvas = node("canvas", { width: columns, height: rows });
      const context = canvas.getContext("2d");
      const image = context.createImageData(columns, rows);
      const [paper, ink] = [palette.paper, palette.ink].map(hexRgb);
      for (let i = 0; i < rows * columns; i++) {
        const share = pictures.data[point * rows * columns + i] / 255;
        for (let c = 0; c < 3; c++) image.data[4 * i + c] = Math.round(paper[c] + share * (ink[c] - paper[c]));
        image.data[4 * i + 3] = 255;
      }
      context.putImageData(image, 0, 0);
      made.set(name, canvas);
    }
    return made.get(name);
  };
}

/**
 * The classes that are shown, as rows of marker and name; returns the height, and draws where `draw` is set.
 * @type {(context: Course.Context, names: { name: string, place: number }[], look: { width: number, top: number, font: number, palette: Course.Palette, draw?: boolean }) => number}
 */
function drawKey(context, names, { width, top, font, palette, draw = false }) {
  context.font = `${font}px ${FACE}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const line = font * 1.8;
  let [x, y] = [12, top + line / 2];
  for (const { name, place } of names) {
    const wide = context.measureText(name).width + font * 2.6;
    if (x > 12 && x + wide > width) [x, y] = [12, y + line];
    if (draw) {
      context.beginPath();
      addMarker(context, markerOf(place), x + font * 0.5, y, font * 0.45);
      context.fillStyle = colourOf(place, palette);
      context.strokeStyle = palette.ink;
      context.lineWidth = 0.6;
      context.fill();
      context.stroke();
      context.fillStyle = palette.ink;
      context.fillText(name, x + font * 1.3, y);
    }
    x += wide;
  }
  return y + line / 2 - top;
}

/**
 * A scene with the classes of these names below it, where there are several, on a context of the caller's.
 * @template {{ context: Course.Context }} Made
 * @param {(width: number, height: number) => Made} make
 * @param {Tsne.Scene} scene
 * @param {{ name: string, place: number }[]} names
 */
export function drawWhole(make, scene, names) {
  const { width, height, font, palette } = scene;
  const key = { width, top: height, font, palette };
  const below = names.length > 1 ? drawKey(make(1, 1).context, names, key) : 0;
  const made = make(width, height + below);
  made.context.fillStyle = palette.paper;
  made.context.fillRect(0, 0, width, height + below);
  drawScene(made.context, scene);
  if (below) drawKey(made.context, names, { ...key, draw: true });
  return made;
}

/**
 * The divergence over the steps, with a dot at the frame shown.
 * @type {(context: Course.Context, run: Tsne.Run, frame: number, look: Tsne.Size & { font: number, palette: Course.Palette }) => void}
 */
export function drawCurve(context, { trace, frames }, frame, { width, height, font, palette }) {
  const [left, bottom] = [font * 3.2, height - font * 1.8];
  const top = Math.max(...trace.kl.data) || 1;
  const last = trace.iterations.data.at(-1) || 1;
  /** @type {(i: number) => Course.Point} */
  const place = (i) => [left + (trace.iterations.data[i] / last) * (width - left - 8), bottom - (trace.kl.data[i] / top) * (bottom - font)];
  context.font = `${font}px ${FACE}`;
  context.fillStyle = palette.muted;
  context.textAlign = "right";
  context.fillText(top.toFixed(1), left - 4, font * 1.3);
  context.fillText("0", left - 4, bottom + 3);
  context.fillText(`${last} steps`, width - 4, height - 2);
  context.fillText("KL in nats", width - 10, font * 1.9);
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.strokeRect(left, font * 0.5, width - left - 4, bottom - font * 0.5);
  context.beginPath();
  for (let i = 0; i < frames; i++) (i ? context.lineTo(...place(i)) : context.moveTo(...place(i)));
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.stroke();
  context.beginPath();
  context.arc(...place(frame), 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.bad;
  context.fill();
}
