// What the colours and patterns of the maps mean.
import { once } from "../shared/common.js";
import { exact } from "../shared/drawing.js";
import { node, sharpContext } from "../shared/elements.js";
import { drawSample } from "./attention_drawing.js";
import { setStroke } from "./attention_lines.js";
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
 * The line of a share of the scale, from -1 to 1 or NaN.
 * @type {(share: number, palette: Course.Palette) => HTMLElement}
 */
function lineOf(share, palette) {
  const canvas = node("canvas", { "aria-hidden": "true" });
  const context = sharpContext(canvas, 34, 14);
  setStroke(context, share, 13, palette);
  context.beginPath();
  context.moveTo(0, 7);
  context.lineTo(34, 7);
  context.stroke();
  return canvas;
}

/**
 * Makes fill(maps, end, lines, theme), which fills `place` for maps, or their lines, whose scale ends at `end`.
 * @type {(place: HTMLElement, palette: () => Course.Palette) => (maps: Attention.Map[], end: number, lines: boolean, theme: string) => void}
 */
export function legendMaker(place, palette) {
  /** @type {{ maps: Attention.Map[], end: number, lines: boolean }} */
  let asked = null; // the maps, the end of their scale, and whether they are drawn as lines
  /** @type {(kind: "masked" | "nan" | "zero", text: string) => HTMLElement} */
  const swatch = (kind, text) => {
    const canvas = node("canvas", { "aria-hidden": "true" });
    drawSample(sharpContext(canvas, 18, 18), kind, 18, palette());
    return node("span", { class: "attn-swatch" }, canvas, text);
  };
  /** @type {(share: number, text: string) => HTMLElement} */
  const line = (share, text) => node("span", { class: "attn-swatch" }, lineOf(share, palette()), text);
  const fillOnce = once(() => {
    const { maps, end, lines } = asked;
    const gap = maps.find((map) => map.difference);
    if (lines)
      place.replaceChildren(
        ...[0.1, 0.5, 1].map((share) => line(share, `weight ${exact(share * end)}`)),
        ...(gap ? [line(1, `first has ${exact(end)} more`), line(-1, `second has ${exact(end)} more`)] : []),
        line(NaN, "NaN"), node("span", {}, "no line: 0, or masked"), node("span", {}, "Point at a word, or choose it, for its lines alone."),
      );
    else
      place.replaceChildren(
        node("span", { class: "attn-swatch" }, "weight 0", scaleOf(maps[0]), exact(end)),
        ...(gap ? [node("span", { class: "attn-swatch" }, `difference −${exact(end)}`, scaleOf(gap), `+${exact(end)}`)] : []),
        swatch("zero", "exactly 0"), swatch("masked", "masked"), swatch("nan", "NaN"),
        node("span", {}, "Σ: sum of the row"), node("span", {}, `bits: entropy of the row, at most ${Math.log2(maps[0].columns).toFixed(2)}`),
        ...(gap ? [node("span", {}, "moved: weight of the row that lies elsewhere in the second map")] : []),
      );
  });
  return (maps, end, lines, theme) => {
    asked = { maps, end, lines };
    fillOnce(maps.some((map) => map.difference), maps[0].columns, end, lines, theme);
  };
}
