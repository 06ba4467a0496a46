// How a convolution is drawn: the picture, what one output sees of it, and all outputs.
import { clamp, DIFFERENCE_COLOURS, writer } from "../shared/drawing.js";

/** @type {(value: number) => string} */
export const written = (value) => String(Number(value.toPrecision(3))).replace("-", "\u2212");

/** @type {(room: number, font: number, scene: Convolution.Scene) => Convolution.Frame} */
export function frameConvolution(room, font, { image, kernel, outputs, geometry }) {
  const across = image.width + 2 * geometry.padding;
  const down = image.height + 2 * geometry.padding;
  const gap = font * 2;
  const product = font * 4;
  const products = product * kernel.width;
  const cell = clamp(Math.floor((room - products - 2 * gap - 2) / (across + outputs.width)), 2, 18);
  const top = Math.round(font * 2);
  const tall = Math.max(down * cell, outputs.height * cell, product * kernel.height);
  const productLeft = across * cell + gap;
  return {
    font, cell, top, product, productLeft, productTop: top + (tall - product * kernel.height) / 2,
    outputLeft: productLeft + products + gap, outputTop: top + (tall - outputs.height * cell) / 2,
    width: Math.ceil(productLeft + products + gap + outputs.width * cell + 2), height: Math.ceil(top + tall + 3),
  };
}

/** @type {(context: Course.Context, frame: Convolution.Frame, scene: Convolution.Scene, palette: Course.Palette) => void} */
export function drawConvolution(context, frame, scene, palette) {
  const { font, cell, top, product, productLeft, productTop, outputLeft, outputTop } = frame;
  const { image, kernel, outputs, geometry, row, column, terms } = scene;
  const write = writer(context, palette, font);
  context.textBaseline = "middle";
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, frame.width, frame.height);
  /** @type {(x: number, y: number, size: number, width: number) => void} */
  const outline = (x, y, size, width) => {
    context.lineWidth = width + 2; // a light line below the coloured one: seen on any ground
    context.strokeStyle = palette.paper;
    context.strokeRect(x, y, size, size);
    context.lineWidth = width;
    context.strokeStyle = palette.bad;
    context.strokeRect(x, y, size, size);
  };

  const rim = geometry.padding * cell;
  write(geometry.padding ? `picture and ${geometry.padding} of padding` : "picture", 0, font * 0.8, { bold: true });
  context.fillStyle = palette.masked;
  context.fillRect(0, top, image.width * cell + 2 * rim, image.height * cell + 2 * rim);
  const [low, high] = extremes(image.data);
  for (let i = 0; i < image.data.length; i++) {
    const grey = Math.round((255 * (image.data[i] - low)) / (high - low || 1));
    context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
    context.fillRect(rim + (i % image.width) * cell, top + rim + Math.floor(i / image.width) * cell, cell, cell);
  }
  for (const term of terms) outline(rim + term.column * cell, top + rim + term.row * cell, cell, 1.5);

  write("pixel × weight", productLeft, productTop - font * 0.9, { bold: true });
  terms.forEach(({ pixel, weight, inside }, tap) => {
    const x = productLeft + (tap % kernel.width) * product;
    const y = productTop + Math.floor(tap / kernel.width) * product;
    context.fillStyle = inside ? palette.panel : palette.masked;
    context.fillRect(x, y, product, product);
    context.lineWidth = 1;
    context.strokeStyle = palette.line;
    context.strokeRect(x, y, product, product);
    write(written(pixel), x + product / 2, y + product * 0.32, { align: "center", size: font * 0.9 });
    write(`× ${written(weight)}`, x + product / 2, y + product * 0.68, { align: "center", size: font * 0.9, bold: true });
  });

  write(`output, ${outputs.height} × ${outputs.width}`, outputLeft, outputTop - font * 0.9, { bold: true });
  const most = Math.max(...[...extremes(outputs.data)].map(Math.abs)) || 1;
  for (let i = 0; i < outputs.data.length; i++) {
    const [red, green, blue] = DIFFERENCE_COLOURS[Math.round(127.5 + 127.5 * (outputs.data[i] / most))];
    context.fillStyle = `rgb(${red} ${green} ${blue})`;
    context.fillRect(outputLeft + (i % outputs.width) * cell, outputTop + Math.floor(i / outputs.width) * cell, cell, cell);
  }
  outline(outputLeft + column * cell, outputTop + row * cell, cell, 2);
}

/** @type {(data: ArrayLike<number>) => [low: number, high: number]} */
function extremes(data) {
  let [low, high] = [data[0], data[0]];
  for (let i = 1; i < data.length; i++) [low, high] = [Math.min(low, data[i]), Math.max(high, data[i])];
  return [low, high];
}
