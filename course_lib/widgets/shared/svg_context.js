// A stand-in for a canvas context that writes SVG: the drawing code of a canvas gives a file sharp at any size.
// It knows what our drawings use.

const SVG_NAME = "http://www.w3.org/2000/svg";
/** @type {Record<CanvasTextAlign, string>} */
const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };

/** @implements {Course.Context} */
export class SvgContext {
  /**
   * @param {number} width
   * @param {number} height
   * @param {string} description
   */
  constructor(width, height, description) {
    this.svg = this.element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    const words = this.element("desc", {});
    words.textContent = description;
    this.svg.append(words);
    this.matrix = new DOMMatrix();
    /** @type {object[]} */
    this.saved = [];
    this.path = "";
    /** @type {number[]} */
    this.dash = [];
    /** @type {Course.Context["fillStyle"]} */
    this.fillStyle = "#000000";
    /** @type {Course.Context["strokeStyle"]} */
    this.strokeStyle = "#000000";
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = "10px sans-serif";
    /** @type {CanvasTextAlign} */
    this.textAlign = "left";
    /** @type {CanvasTextBaseline} */
    this.textBaseline = "alphabetic";
    this.imageSmoothingEnabled = false;
    // Of what a canvas has, an SVG file needs no more than the name.
    /** @type {CanvasLineJoin} */
    this.lineJoin = "round";
    this.ruler = document.createElement("canvas").getContext("2d");
  }
  /** @type {(tag: string, attributes: Record<string, unknown>) => SVGElement} */
  element(tag, attributes) {
    const made = document.createElementNS(SVG_NAME, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    return made;
  }
  /** @type {(tag: string, attributes: Record<string, unknown>, text?: string) => void} */
  add(tag, attributes, text) {
    const made = this.element(tag, attributes);
    if (!this.matrix.isIdentity) made.setAttribute("transform", this.matrix.toString());
    if (text !== undefined) made.textContent = text;
    this.svg.append(made);
  }
  save() {
    const { matrix, fillStyle, strokeStyle, lineWidth, font, textAlign, textBaseline } = this;
    this.saved.push({ matrix, fillStyle, strokeStyle, lineWidth, font, textAlign, textBaseline });
  }
  restore() {
    Object.assign(this, this.saved.pop());
  }
  /** @type {(x: number, y: number) => void} */
  translate(x, y) {
    this.matrix = this.matrix.translate(x, y);
  }
  /** @type {(radians: number) => void} */
  rotate(radians) {
    this.matrix = this.matrix.rotate((radians * 180) / Math.PI);
  }
  /** @type {(text: string) => { width: number }} */
  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }
  /** @type {(text: string, x: number, y: number) => void} */
  fillText(text, x, y) {
    this.write(text, x, y, { fill: this.fillStyle });
  }
  /** @type {(text: string, x: number, y: number) => void} */
  strokeText(text, x, y) {
    this.write(text, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": "round" });
  }
  /** @type {(text: string, x: number, y: number, paint: Record<string, unknown>) => void} */
  write(text, x, y, paint) {
    const anchor = ANCHORS[this.textAlign];
    const baseline = this.textBaseline === "middle" ? "central" : "alphabetic";
    const style = `font: ${this.font}; white-space: pre`;
    this.add("text", { x, y, ...paint, style, "text-anchor": anchor, "dominant-baseline": baseline }, text);
  }
  /** @type {(x: number, y: number, width: number, height: number) => void} */
  fillRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, fill: this.fillStyle, "shape-rendering": "crispEdges" });
  }
  /** @type {(x: number, y: number, width: number, height: number) => void} */
  strokeRect(x, y, width, height) {
    this.add("rect", { x, y, width, height, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }
  beginPath() {
    this.path = "";
  }
  /** @type {(x: number, y: number) => void} */
  moveTo(x, y) {
    this.path += `M${x} ${y}`;
  }
  /** @type {(x: number, y: number) => void} */
  lineTo(x, y) {
    this.path += `L${x} ${y}`;
  }
  /** Whole circles only. @type {(x: number, y: number, radius: number) => void} */
  arc(x, y, radius) {
    this.path += `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }
  closePath() {
    this.path += "Z";
  }
  /** @type {(dash: number[]) => void} */
  setLineDash(dash) {
    this.dash = dash;
  }
  stroke() {
    const dashed = this.dash.length ? { "stroke-dasharray": this.dash.join(" ") } : {};
    const thin = this.globalAlpha < 1 ? { "stroke-opacity": this.globalAlpha } : {};
    if (this.path) this.add("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, ...dashed, ...thin });
  }
  fill() {
    const thin = this.globalAlpha < 1 ? { "fill-opacity": this.globalAlpha } : {};
    if (this.path) this.add("path", { d: this.path, fill: this.fillStyle, ...thin });
  }
  /**
   * A photograph, which is to be smooth, is embedded. Of anything else every pixel becomes part of a rectangle, for a
   * viewer would blur an enlarged image.
   * @param {HTMLCanvasElement | OffscreenCanvas} canvas
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  drawImage(canvas, x, y, width, height) {
    if (this.imageSmoothingEnabled && canvas instanceof HTMLCanvasElement) {
      this.add("image", { href: canvas.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
      return;
    }
    const context = /** @type {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const [across, down] = [width / canvas.width, height / canvas.height];
    const colour = (/** @type {number} */ i) => `rgb(${data[4 * i]},${data[4 * i + 1]},${data[4 * i + 2]})`;
    for (let r = 0; r < canvas.height; r++)
      for (let c = 0, next; c < canvas.width; c = next) {
        this.fillStyle = colour(r * canvas.width + c);
        for (next = c + 1; next < canvas.width && colour(r * canvas.width + next) === this.fillStyle; next++);
        this.fillRect(x + c * across, y + r * down, (next - c) * across, down);
      }
  }
  toString() {
    return new XMLSerializer().serializeToString(this.svg);
  }
}
