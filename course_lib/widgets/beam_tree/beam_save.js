// The tree as a file of its own: SVG with all styles written out, and PNG made of it.
import { FACE } from "../shared/drawing.js";
import { node } from "../shared/elements.js";
import { shape, widthOf } from "./beam_drawing.js";

const KEPT_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/**
 * Copy an SVG element with the styles that its page gives it.
 * @type {(element: SVGElement) => SVGElement}
 */
function withStyles(element) {
  const copy = /** @type {SVGElement} */ (element.cloneNode(true));
  const [from, to] = [element, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    to[i].setAttribute("style", KEPT_STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["class", "id", "tabindex", "role", "aria-activedescendant", "aria-selected", "aria-level"]) to[i].removeAttribute(name);
  });
  return copy;
}

/**
 * The tree, what is written over it, and its legend, as the text of one SVG file; its <desc> says it in words.
 * @type {(parts: { svg: SVGElement, legend: HTMLElement, lines: string[], description: string, palette: Course.Palette }) => Beam.File}
 */
export function treeFile({ svg, legend, lines, description, palette }) {
  const font = parseFloat(svg.style.fontSize);
  const tall = font * 1.6;
  const [across, down] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  const top = tall * lines.length + 8;
  const words = lines.map((line, i) =>
    shape("text", { x: 8, y: tall * (i + 0.8), fill: i ? palette.muted : palette.ink, "font-weight": i ? 400 : 650 }, line),
  );
  const tree = withStyles(svg);
  tree.querySelectorAll("text").forEach((one) => (one.style.whiteSpace = "pre"));
  tree.setAttribute("y", String(top));
  let [x, y] = [8, top + down + 6];
  const entries = [];
  const most = Math.max(across, ...lines.map((line) => widthOf(line, font) * 1.08 + 16), 480);
  for (const entry of legend.children) {
    const text = entry.textContent;
    const wide = 38 + widthOf(text, font) + 18;
    if (x + wide > most && x > 8) [x, y] = [8, y + tall];
    const sample = withStyles(entry.querySelector("svg"));
    sample.setAttribute("x", String(x));
    sample.setAttribute("y", String(y));
    entries.push(sample, shape("text", { x: x + 36, y: y + 9, fill: palette.muted, "dominant-baseline": "central" }, text));
    x += wide;
  }
  const height = y + tall + 6;
  const file = shape("svg", { width: most, height, viewBox: `0 0 ${most} ${height}`, role: "img", "font-family": FACE, "font-size": font },
    shape("desc", {}, description),
    shape("rect", { width: "100%", height: "100%", fill: palette.paper }), ...words, tree, ...entries);
  return { text: new XMLSerializer().serializeToString(file), width: most, height };
}

/**
 * Draw an SVG file's text on a canvas, at twice its size.
 * @type {(file: Beam.File) => Promise<HTMLCanvasElement>}
 */
export async function canvasOf({ text, width, height }) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = node("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return canvas;
}
