// Lines, arrows and markers, shared by the widgets that draw curves.

export const DASH_PATTERNS = [[], [6, 3], [7, 3, 2, 3], [2, 3], [10, 3], [5, 2, 2, 2, 2, 2], [1, 2], [14, 4]]; // the second cue beside OKABE_ITO

/** A line through points, with gaps where y is NaN. */
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

export const drawDotted = (context, from, to, colour) => drawLine(context, [from, to], { colour, dash: [1, 4] });

function drawPolygon(context, points, colour) {
  context.fillStyle = colour;
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fill();
}

/** A straight arrow of a width; its head reaches `wings` further on either side. */
export function drawArrow(context, [x1, y1], [x2, y2], width, wings, colour) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [along, over] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(length * 0.6, wings * 2);
  const place = (far, side) => [x1 + far * along - side * over, y1 + far * over + side * along];
  const [half, wing] = [width / 2, width / 2 + wings];
  const neck = length - head;
  drawPolygon(context, [place(0, half), place(neck, half), place(neck, wing), place(length, 0), place(neck, -wing), place(neck, -half), place(0, -half)], colour);
}

/** The shapes of matplotlib's markers, the second cue beside a colour. */
export function drawMarker(context, shape, x, y, reach, colour) {
  if (shape === "o") {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, reach, 0, 2 * Math.PI);
    context.fill();
    return;
  }
  const [turn, corners] = { s: [45, 4], D: [0, 4], "^": [-90, 3], v: [90, 3] }[shape] ?? [];
  const round = (count, start, radius) =>
    Array.from({ length: count }, (_, i) => {
      const angle = ((start + (360 / count) * i) * Math.PI) / 180;
      return [x + radius(i) * Math.cos(angle), y + radius(i) * Math.sin(angle)];
    });
  const star = { P: [8, 0, 0.5], X: [8, 45, 0.5], "*": [10, -90, 0.45] }[shape];
  if (corners) drawPolygon(context, round(corners, turn, () => reach * 1.25), colour);
  else drawPolygon(context, round(star[0], star[1], (i) => (i % 2 ? star[2] : 1.3) * reach), colour);
}
