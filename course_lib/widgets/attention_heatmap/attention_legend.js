// What the colours and patterns of the maps mean.
import { once } from "../shared/common.js";
import { exact } from "../shared/drawing.js";
import { node, sharpContext } from "../shared/elements.js";
import { drawSample } from "./attention_drawing.js";
import { rgbOf } from "./attention_maps.js";

/**
 * The colours of a map from one end to the other.
 * @type {(map: Attention.Map) => HTMLElement}
 */
function scaleOf(map) {
  const canvas = node("canvas", { "aria-hidden": "true" });
  const context = sharpContext(canvas, 150, 14);
  for (let x = 0; x < 150; x++) {
    context.fillStyle = `rgb(${rgbOf(map, map.difference ? x / 74.5 - 1 : x / 149)})`;
    context.fillRect(x, 0, 1.5, 14);
  }
  return canvas;
}

/**
 * Makes fill(maps, end, theme), which fills `place` for maps whose scale ends at `end`.
 * @type {(place: HTMLElement, palette: () => Course.Palette) => (maps: Attention.Map[], end: number, theme: string) => void}
 */
export function legendMaker(place, palette) {
  /** @type {{ maps: Attention.Map[], end: number }} */
  let asked = null; // the maps and the end of their scale
  /** @type {(kind: "masked" | "nan" | "zero", text: string) => HTMLElement} */
  const swatch = (kind, text) => {
    const canvas = node("canvas", { "aria-hidden": "true" });
    drawSample(sharpContext(canvas, 18, 18), kind, 18, palette());
    return node("span", { class: "attn-swatch" }, canvas, text);
  };
  const fillOnce = once(() => {
    const { maps, end } = asked;
    const gap = maps.find((map) => map.difference);
    place.replaceChildren(
      node("span", { class: "attn-swatch" }, "weight 0", scaleOf(maps[0]), exact(end)),
      ...(gap ? [node("span", { class: "attn-swatch" }, `difference −${exact(end)}`, scaleOf(gap), `+${exact(end)}`)] : []),
      swatch("zero", "exactly 0"), swatch("masked", "masked"), swatch("nan", "NaN"),
      node("span", {}, "Σ: sum of the row"), node("span", {}, `bits: entropy of the row, at most ${Math.log2(maps[0].columns).toFixed(2)}`),
      ...(gap ? [node("span", {}, "moved: weight of the row that lies elsewhere in the second map")] : []),
    );
  });
  return (maps, end, theme) => {
    asked = { maps, end };
    fillOnce(maps.some((map) => map.difference), maps[0].columns, end, theme);
  };
}
