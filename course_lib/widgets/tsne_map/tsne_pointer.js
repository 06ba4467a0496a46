// The pointer on a t-SNE map: it hovers, chooses, pulls a map that is zoomed in, and draws a lasso.
import { sharpContext } from "../shared/elements.js";

const SLIP = 4; // pixels that a click may move

/**
 * A lasso: draw a line around points with the pointer; `choose` gets the line. `canvas` shows the line.
 * @type {(target: HTMLElement, canvas: HTMLCanvasElement, page: {
 *   palette: () => Course.Palette, isOn: (event: PointerEvent) => boolean, choose: (line: Course.Point[], more: boolean) => void,
 *   signal: AbortSignal,
 * }) => { readonly drawing: boolean }}
 */
function buildLasso(target, canvas, { palette, isOn, choose, signal }) {
  /** @type {Course.Point[] | null} */
  let line = null;
  /** @type {(event: PointerEvent) => Course.Point} */
  const place = (event) => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const draw = () => {
    canvas.hidden = !line;
    if (!line) return;
    const context = sharpContext(canvas, target.clientWidth, target.clientHeight);
    context.beginPath();
    line.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.fillStyle = palette().accent;
    context.globalAlpha = 0.12;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = palette().accent;
    context.lineWidth = 2;
    context.setLineDash([6, 4]);
    context.stroke();
    context.setLineDash([]);
  };
  target.addEventListener("pointerdown", (event) => {
    if (!isOn(event) || event.button !== 0) return;
    line = [place(event)];
    target.setPointerCapture(event.pointerId);
  }, { signal });
  target.addEventListener("pointermove", (event) => {
    if (!line) return;
    line.push(place(event));
    draw();
  }, { signal });
  /** @type {(event: PointerEvent) => void} */
  const end = (event) => {
    const drawn = line;
    line = null;
    draw();
    // A press without a drag is a click.
    if (event.type === "pointerup" && drawn?.length > 3) choose(drawn, event.ctrlKey || event.metaKey);
  };
  target.addEventListener("pointerup", end, { signal });
  target.addEventListener("pointercancel", end, { signal });
  return { get drawing() { return line !== null; } };
}

/**
 * Follow the pointer on the map; `canvas` shows the lasso. Coordinates are in pixels from the corner of the map.
 * @type {(target: HTMLCanvasElement, canvas: HTMLCanvasElement, page: {
 *   palette: () => Course.Palette, isLasso: (event: PointerEvent) => boolean, zoomNow: () => Tsne.Zoom,
 *   pointAt: (place: Course.Point) => number | null, hover: (point: number | null) => void, choose: (point: number | null) => void,
 *   chooseWithin: (line: Course.Point[], more: boolean) => void, pull: (zoom: Tsne.Zoom) => void,
 *   turned: (dx: number, dy: number) => boolean,
 *   magnify: (factor: number, x: number, y: number) => void, signal: AbortSignal,
 * }) => void}
 */
export function followPointer(target, canvas, { palette, isLasso, zoomNow, pointAt, hover, choose, chooseWithin, pull, turned, magnify, signal }) {
  /** @type {{ x: number, y: number, from: Tsne.Zoom } | null} */
  let drag = null;
  let dragged = false; // the click that ends a drag chooses nothing
  const lasso = buildLasso(target, canvas, {
    palette, signal,
    isOn: isLasso,
    choose: (line, more) => {
      dragged = true;
      chooseWithin(line, more);
    },
  });
  /** @type {(event: MouseEvent) => Course.Point} */
  const placeOf = (event) => {
    const box = target.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  target.addEventListener("pointerdown", (event) => {
    dragged = false;
    drag = { x: event.clientX, y: event.clientY, from: zoomNow() };
  }, { signal });
  target.addEventListener("pointermove", (event) => {
    if (lasso.drawing) return hover(null);
    if (!drag || !event.buttons) return hover(pointAt(placeOf(event)));
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    const far = Math.hypot(dx, dy) > SLIP;
    if (far && turned(event.movementX, event.movementY)) return void (dragged = true);
    if (zoomNow().scale === 1) return hover(pointAt(placeOf(event)));
    dragged ||= far;
    return pull({ ...drag.from, x: drag.from.x + dx, y: drag.from.y + dy });
  }, { signal });
  target.addEventListener("pointerleave", () => hover(null), { signal });
  target.addEventListener("click", (event) => {
    if (dragged) return;
    target.focus();
    choose(pointAt(placeOf(event)));
  }, { signal });
  target.addEventListener("dblclick", (event) => {
    const [x, y] = placeOf(event);
    const box = target.getBoundingClientRect();
    magnify(2, x - box.width / 2, y - box.height / 2);
  }, { signal });
}
