// How maps on a picture are drawn: on a canvas, or by the same code on an SvgContext.
import { clamp, FACE, fit, WEIGHT_COLOURS, writer } from "../shared/drawing.js";

/**
 * A picture in its own pixels, under a map where there is one.
 * @type {(pixels: ArrayLike<number>, height: number, width: number, layer: Overlay.Layer | null, strength: number) => HTMLCanvasElement}
 */
export function blend(pixels, height, width, layer, strength) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const colour = layer && WEIGHT_COLOURS[Math.round(255 * layer.grid.data[i])];
    for (let c = 0; c < 3; c++)
      image.data[4 * i + c] = colour ? (1 - strength) * pixels[3 * i + c] + strength * colour[c] : pixels[3 * i + c];
    image.data[4 * i + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** @type {(room: number, font: number, panels: number, height: number, width: number) => Overlay.Frame} */
export function frameOverlay(room, font, panels, height, width) {
  const [gap, top] = [Math.round(font * 0.8), Math.round(font * 1.8)];
  const least = Math.min(170, room - 2); // below that the panels take several lines
  const across = clamp(Math.floor((room + gap) / (least + gap)), 1, panels);
  const wide = clamp(Math.floor((room - (across - 1) * gap) / across), 40, 420);
  const tall = Math.round((wide * height) / width);
  const lines = Math.ceil(panels / across);
  return {
    font, wide, tall,
    panels: Array.from({ length: panels }, (_, i) => ({ left: (i % across) * (wide + gap), top: top + Math.floor(i / across) * (tall + top) })),
    width: across * (wide + gap) - gap, height: lines * (tall + top) + 2,
  };
}

/** @type {(context: Course.Context, frame: Overlay.Frame, scene: Overlay.Scene, palette: Course.Palette) => void} */
export function drawOverlay(context, { font, width, height, panels, wide, tall }, scene, palette) {
  const write = writer(context, palette, font);
  context.textBaseline = "middle";
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.imageSmoothingEnabled = true;
  scene.images.forEach((image, i) => {
    const { left, top } = panels[i];
    const layer = i > 0 ? scene.layers[i - 1] : null;
    context.font = `700 ${font}px ${FACE}`;
    write(fit(context, layer ? layer.kind : scene.name, wide), left, top - font * 0.8, { bold: true });
    context.drawImage(image, left, top, wide, tall);
    if (!layer?.place) return;
    const x = left + ((layer.place.column + 0.5) / layer.grid.width) * wide;
    const y = top + ((layer.place.row + 0.5) / layer.grid.height) * tall;
    for (const [line, ink] of /** @type {[number, string][]} */ ([[5, "#000000"], [2.5, "#ffffff"]])) {
      context.lineWidth = line; // a light ring on a dark one: seen on any ground
      context.strokeStyle = ink;
      context.beginPath();
      context.arc(x, y, font * 0.6, 0, 2 * Math.PI);
      context.stroke();
    }
  });
}
