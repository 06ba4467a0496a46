// Small maps: the whole of a map that is seen through a window, and one of every head.
import { once } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { node } from "../shared/elements.js";
import { headNames, layerNames, pixelsOf } from "./attention_maps.js";

/** @type {(map: Attention.Map) => Attention.Window} */
const wholeOf = (map) => ({ firstRow: 0, firstColumn: 0, rows: map.rows, columns: map.columns });

/**
 * The whole map with a frame around the window. `onRegion` gets { query, key, span } where it is clicked or dragged over.
 * @param {{ onRegion: (region: { query: number, key: number, span?: number }) => void, signal: AbortSignal }} wanted
 */
export function buildOverview({ onRegion, signal }) {
  const canvas = node("canvas", { class: "attn-overview", "aria-hidden": "true" });
  const note = node("p", { class: "course-quiet attn-note" });
  /** @type {Attention.Map} */
  let map = null; // what was drawn last, and how
  /** @type {Attention.Looks} */
  let looks = null;
  /** @type {{ query: number, key: number } | null} */
  let pressed = null; // where a drag began
  /** @type {ImageData} */
  let pooled = null;
  const pool = once(() => {
    pooled = pixelsOf(map, wholeOf(map), canvas.width, canvas.height, { ...looks, nan: looks.palette.bad });
  });

  /**
   * Draw it, unless all of the map is seen in the window at `place`; `needs` are what its looks depend on.
   * @type {(shown: Attention.Map, window: Attention.Window, options: Attention.Looks, ...needs: unknown[]) => void}
   */
  function draw(shown, { rows, columns, firstRow, firstColumn }, options, ...needs) {
    [map, looks] = [shown, options];
    canvas.hidden = note.hidden = rows === map.rows && columns === map.columns;
    if (canvas.hidden) return;
    const share = Math.min(256 / Math.max(map.rows, map.columns), 4);
    const [width, height] = [map.columns, map.rows].map((count) => Math.max(8, Math.round(count * share)));
    canvas.width = width;
    canvas.height = height;
    pool(map.id, width, height, looks.top, ...needs);
    const context = canvas.getContext("2d");
    context.putImageData(pooled, 0, 0);
    for (const { line, colour } of [{ line: 4, colour: "#000000" }, { line: 2, colour: "#ffffff" }]) {
      context.lineWidth = line;
      context.strokeStyle = colour;
      context.strokeRect((firstColumn * width) / map.columns, (firstRow * height) / map.rows, (columns * width) / map.columns, (rows * height) / map.rows);
    }
    note.textContent =
      `Rows ${firstRow + 1}–${firstRow + rows} of ${map.rows}, columns ${firstColumn + 1}–${firstColumn + columns} of ${map.columns}. ` +
      "The small map shows all of them (the largest weight of each block). Click it, drag a region to zoom into it, or move with the arrow keys.";
  }

  /**
   * A point as row and column.
   * @type {(event: PointerEvent) => { query: number, key: number }}
   */
  const placeAt = (event) => {
    const box = canvas.getBoundingClientRect();
    /** @type {(far: number, size: number, count: number) => number} */
    const place = (far, size, count) => clamp(Math.floor((far / size) * count), 0, count - 1);
    return { query: place(event.clientY - box.top, box.height, map.rows), key: place(event.clientX - box.left, box.width, map.columns) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    pressed = placeAt(event);
    canvas.setPointerCapture(event.pointerId);
  }, { signal });
  canvas.addEventListener("pointerup", (event) => {
    if (!pressed) return;
    const end = placeAt(event);
    const span = Math.max(Math.abs(end.query - pressed.query), Math.abs(end.key - pressed.key)) + 1;
    onRegion({
      query: Math.round((pressed.query + end.query) / 2),
      key: Math.round((pressed.key + end.key) / 2),
      ...(span > 4 ? { span } : {}),
    });
    pressed = null;
  }, { signal });
  return { parts: [canvas, note], draw };
}

/**
 * Every head of a kind, all on one scale; a press chooses it.
 * @param {{
 *   traces: Record<string, Attention.Trace>, mapAt: (place: Attention.Place) => Attention.Map, top: (maps: Attention.Map[]) => number,
 *   covered: (map: Attention.Map, query: number) => boolean, palette: () => Course.Palette,
 *   choose: (place: Attention.Place) => void, signal: AbortSignal,
 * }} page
 */
export function buildThumbnails({ traces, mapAt, top, covered, palette, choose, signal }) {
  const place = node("div", { class: "attn-thumbnails", role: "group", "aria-label": "All heads" });
  /** @type {{ kind: string, room: number }} */
  let asked = null; // the kind and the pixels across

  /** @type {(map: Attention.Map, which: Attention.Place, name: string, size: number, end: number) => HTMLElement} */
  function thumbnail(map, which, name, size, end) {
    const [width, height] = [Math.min(64, map.columns), Math.min(64, map.rows)];
    const tall = Math.round(size * clamp(map.rows / map.columns, 0.3, 1.6));
    const picture = node("canvas", { width, height, style: `width:${size}px;height:${tall}px`, "aria-hidden": "true" });
    const options = { top: end, hidden: (/** @type {number} */ query) => covered(map, query), palette: palette(), nan: palette().bad };
    picture.getContext("2d").putImageData(pixelsOf(map, wholeOf(map), width, height, options), 0, 0);
    const label = `${layerNames(map.trace)[which.layer]}, ${headNames(map.trace)[which.head]}`;
    const button = node("button", { type: "button", "aria-label": label, title: label, "data-map": map.id }, picture,
      node("span", { style: `max-width:${Math.max(size, 60)}px` }, name));
    button.addEventListener("click", () => choose(which), { signal });
    return button;
  }
  const fillOnce = once(() => {
    const { kind, room } = asked;
    const [layers, heads] = traces[kind].weights.shape;
    const maps = Array.from({ length: layers * heads }, (_, i) => mapAt({ kind, layer: Math.floor(i / heads), head: i % heads }));
    const end = top(maps);
    const size = clamp(Math.min((room - 90) / heads - 22, 440 / layers - 40), 44, 180);
    const rows = layerNames(traces[kind]).map((name, layer) => node("div", { class: "attn-layer" }, layers > 1 ? node("span", { class: "course-quiet" }, name) : "",
      ...headNames(traces[kind]).map((text, head) => thumbnail(maps[layer * heads + head], { kind, layer, head }, text, size, end))));
    place.replaceChildren(...rows);
  });
  return {
    place,
    /**
     * Draw them, where the kind or anything in `needs` has changed, or the room much.
     * @type {(kind: string, room: number, ...needs: unknown[]) => void}
     */
    fill(kind, room, ...needs) {
      asked = { kind, room };
      fillOnce(kind, Math.round(room / 20), ...needs);
    },
    /**
     * Show which maps are chosen, by their ids.
     * @type {(chosen: string[]) => void}
     */
    mark(chosen) {
      for (const button of place.querySelectorAll("button")) button.setAttribute("aria-pressed", String(chosen.includes(button.dataset.map)));
    },
  };
}
