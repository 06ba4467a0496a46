// The classes of a t-SNE map as buttons, and what is known of one point: in words, beside the pointer, with its neighbours.
import { clamp } from "../shared/drawing.js";
import { node, sharpContext } from "../shared/elements.js";
import { addMarker, colourOf, markerOf } from "./tsne_drawing.js";
import { nearestInMap } from "./tsne_run.js";

/**
 * Buttons that hide and show classes; draw(run) draws them.
 * @type {(place: HTMLElement, page: { palette: () => Course.Palette, view: Course.View<Tsne.Choices>, signal: AbortSignal }) => (run: Tsne.Run) => void}
 */
export function buildLegend(place, { palette, view, signal }) {
  /** @type {(text: string, hide: string[]) => HTMLElement} */
  const press = (text, hide) => {
    const made = node("button", { type: "button", class: "map-all" }, text);
    made.addEventListener("click", () => view.set({ hidden: hide }), { signal });
    return made;
  };
  /** @type {(place: number) => HTMLElement} */
  function swatchOf(one) {
    const swatch = node("canvas", { "aria-hidden": "true" });
    const context = sharpContext(swatch, 18, 18);
    context.beginPath();
    addMarker(context, markerOf(one), 9, 9, 6.5);
    context.fillStyle = colourOf(one, palette());
    context.strokeStyle = palette().ink;
    context.fill();
    context.stroke();
    return swatch;
  }
  return (run) => {
    const focused = [...place.querySelectorAll("button")].find((one) => one === document.activeElement)?.dataset.name;
    const buttons = run.names.map((name, one) => {
      const on = !view.now.hidden.includes(name);
      const made = node("button", { type: "button", "aria-pressed": String(on), "data-name": name },
        swatchOf(one), node("bdi", {}, name || "∅"), " ", node("span", { class: "course-quiet" }, String(run.members[one].length)));
      made.addEventListener("click", () => {
        const { hidden } = view.now;
        view.set({ hidden: on ? [...hidden, name] : hidden.filter((other) => other !== name) });
      }, { signal });
      return made;
    });
    place.hidden = run.names.length === 1;
    place.replaceChildren(...buttons, press("All", []), press("None", run.names));
    if (focused !== undefined) buttons[run.names.indexOf(focused)].focus();
  };
}

/**
 * pictureOf(point, em) -> [a copy of the point's picture, so wide], or nothing where there are none.
 * @type {(thumbnails: Tsne.Thumbnails | null, palette: () => Course.Palette) => (point: number, em: number) => HTMLCanvasElement[]}
 */
export function pictureMaker(thumbnails, palette) {
  return (point, em) => {
    if (!thumbnails) return [];
    const picture = thumbnails(point, palette());
    const copy = node("canvas", { width: picture.width, height: picture.height, class: "map-picture", style: `width:${em}em`, "aria-hidden": "true" });
    copy.getContext("2d").drawImage(picture, 0, 0);
    return [copy];
  };
}

/**
 * The nearest neighbours of a point in the original space; draw(run, point, frame, shown) lists them.
 * @type {(place: HTMLElement, page: {
 *   pictureOf: (point: number, em: number) => HTMLCanvasElement[], goTo: (point: number) => void, signal: AbortSignal,
 * }) => (run: Tsne.Run, point: number | null, frame: number, shown: (point: number) => boolean) => void}
 */
export function buildNear(place, { pictureOf, goTo, signal }) {
  return (run, point, frame, shown) => {
    if (point === null) {
      place.replaceChildren(node("p", { class: "course-quiet" }, "Click a point, or walk to it with the arrow keys: its nearest neighbours in the original space appear here, with lines to them."));
      return;
    }
    const { labels } = run.trace;
    const inMap = new Set(nearestInMap(run, point, frame));
    const list = run.neighbours(point);
    /** @type {(other: number) => HTMLElement} */
    const item = (other) => {
      const name = node("button", { type: "button", class: "map-link" }, ...pictureOf(other, 1.6), node("bdi", {}, labels[other]));
      name.addEventListener("click", () => goTo(other), { signal });
      return node("li", {}, name, inMap.has(other) ? " ✓ also near here" : " ✗ not near here", shown(other) ? "" : " (hidden)");
    };
    place.replaceChildren(
      node("h3", {}, "Nearest to ", ...pictureOf(point, 2), node("bdi", {}, labels[point]), " in the original space"),
      node("ol", {}, ...list.map(item)),
      node("p", {}, `${list.filter((other) => inMap.has(other)).length} of ${list.length} are among its ${list.length} nearest in this frame.`),
    );
  };
}

/**
 * One point in words; draw(run, point, same), where `same` others lie on its spot.
 * @type {(place: HTMLElement) => (run: Tsne.Run, point: number | null, same: number) => void}
 */
export function buildReadout(place) {
  return (run, point, same) => {
    if (point === null) return place.replaceChildren("No point chosen.");
    const { labels, groups, texts } = run.trace;
    return place.replaceChildren(
      node("bdi", {}, `“${labels[point]}”`), ", class ", node("bdi", {}, groups[point]),
      ...(texts ? [": ", node("bdi", { class: "map-text" }, texts[point])] : []), same ? ` (${same} more on this spot)` : "",
    );
  };
}

/**
 * A point's picture, label and text beside it on the map; draw(run, point, spots, size).
 * @type {(place: HTMLElement, pictureOf: (point: number, em: number) => HTMLCanvasElement[]) => (run: Tsne.Run, point: number, spots: Tsne.Spots, size: Tsne.Size) => void}
 */
export function buildTip(place, pictureOf) {
  return ({ trace }, point, spots, { width, height }) => {
    const [x, y] = [spots[2 * point], spots[2 * point + 1]];
    place.replaceChildren(...pictureOf(point, 5), node("bdi", {}, trace.labels[point]), ...(trace.texts ? [node("small", {}, trace.texts[point])] : []));
    const left = x < width / 2;
    Object.assign(place.style, { left: left ? `${x + 12}px` : "", right: left ? "" : `${width - x + 12}px`, top: `${clamp(y - 20, 0, height - 60)}px` });
  };
}
