// Lines, arrows and markers, shared by the widgets that draw curves.

export const DASH_PATTERNS = [[], [6, 3], [7, 3, 2, 3], [2, 3], [10, 3], [5, 2, 2, 2, 2, 2], [1, 2], [14, 4]]; // the second cue beside OKABE_ITO

/**
 * A line through points, with gaps where y is NaN.
 * @param {Course.Context} context
 * @param {Course.Point[]} points
 * @param {{ colour: string, dash?: number[], width?: number }} look
 */
export function drawLine(context, points, { colour, dash = [], width = 1.5 }) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  let drawn = false;
  for (const [x, y] of points) {
    if (Number.isNaN(y)) drawn = false;
    else if (drawn) context.lineTo(x, y);
    else {
      context.moveTo(x, y);
      drawn = true;
    }
  }
  context.stroke();
  context.setLineDash([]);
}

/** @type {(context: Course.Context, from: Course.Point, to: Course.Point, colour: string) => void} */
export const drawDotted = (context, from, to, colour) => drawLine(context, [from, to], { colour, dash: [1, 4] });

/** @type {(context: Course.Context, points: Course.Point[], colour: string) => void} */
function drawPolygon(context, points, colour) {
  context.fillStyle = colour;
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fill();
}

/**
 * A straight arrow of a width; its head reaches `wings` further on either side.
 * @param {Course.Context} context
 * @param {Course.Point} from
 * @param {Course.Point} to
 * @param {number} width
 * @param {number} wings
 * @param {string} colour
 */
export function drawArrow(context, [x1, y1], [x2, y2], width, wings, colour) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [along, over] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(length * 0.6, wings * 2);
  /** @type {(far: number, side: number) => Course.Point} */
  const place = (far, side) => [x1 + far * along - side * over, y1 + far * over + side * along];
  const [half, wing] = [width / 2, width / 2 + wings];
  const neck = length - head;
  drawPolygon(context, [place(0, half), place(neck, half), place(neck, wing), place(length, 0), place(neck, -wing), place(neck, -half), place(0, -half)], colour);
}

/** Where the first corner of a polygon lies, in degrees, and how many it has. @type {Record<string, number[]>} */
const CORNERS_OF = { s: [45, 4], D: [0, 4], "^": [-90, 3], v: [90, 3] };
/** How many corners a star has, where the first lies, and how far its inner ones reach. @type {Record<string, number[]>} */
const STARS = { P: [8, 0, 0.5], X: [8, 45, 0.5], "*": [10, -90, 0.45] };

/**
 * The shapes of matplotlib's markers, the second cue beside a colour.
 * @param {Course.Context} context
 * @param {string} shape
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 * @param {string} colour
 */
export function drawMarker(context, shape, x, y, reach, colour) {
  if (shape === "o") {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, reach, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  const [turn, corners] = CORNERS_OF[shape] ?? [];
  /** @type {(count: number, start: number, radius: (corner: number) => number) => Course.Point[]} */
  const round = (count, start, radius) =>
    Array.from({ length: count }, (_, i) => {
      const angle = ((start + (360 / count) * i) * Math.PI) / 180;
      return [x + radius(i) * Math.cos(angle), y + radius(i) * Math.sin(angle)];
    });
  const star = STARS[shape];
  if (corners) drawPolygon(context, round(corners, turn, () => reach * 1.25), colour);
  else drawPolygon(context, round(star[0], star[1], (i) => (i % 2 ? star[2] : 1.3) * reach), colour);
}
