// A picture of the reader's own: read from a file, in the browser, and made as large and as grey as those of the trace.
import { node } from "../shared/elements.js";

const MOST_MEGABYTES = 20;
const MOST_MEGAPIXELS = 25; // four bytes each while it is read
const GREY = [0.299, 0.587, 0.114]; // of red, green and blue (Rec. 601)

/**
 * The brightness, from 0 to 1, of the largest part in the middle that has the wanted proportions: of each output the
 * mean over the area that it covers.
 * @type {(pixels: { data: ArrayLike<number>, width: number, height: number }, height: number, width: number) => Float32Array}
 */
export function brightness(pixels, height, width) {
  const side = Math.min(pixels.width / width, pixels.height / height); // of the area, in pixels
  const [top, left] = [(pixels.height - height * side) / 2, (pixels.width - width * side) / 2];
  return Float32Array.from({ length: height * width }, (_, i) => {
    const rows = covered(top + Math.floor(i / width) * side, side, pixels.height);
    const columns = covered(left + (i % width) * side, side, pixels.width);
    let sum = 0;
    for (const [row, tall] of rows)
      for (const [column, wide] of columns) {
        const place = 4 * (row * pixels.width + column);
        for (const colour of [0, 1, 2]) sum += tall * wide * GREY[colour] * pixels.data[place + colour];
      }
    return sum / (255 * side * side);
  });
}

/**
 * Which pixels lie between `start` and `start + side`, and how much of each.
 * @type {(start: number, side: number, count: number) => [place: number, share: number][]}
 */
function covered(start, side, count) {
  const [first, end] = [Math.max(0, Math.floor(start)), Math.min(count, Math.ceil(start + side))];
  return Array.from({ length: end - first }, (_, i) => {
    const place = first + i;
    return [place, Math.max(0, Math.min(place + 1, start + side) - Math.max(place, start))];
  });
}

/**
 * Read a file as brightness; fails with what is wrong, in words. What is transparent lies on white.
 * @type {(file: File, height: number, width: number) => Promise<Float32Array>}
 */
export async function readPicture(file, height, width) {
  const megabytes = file.size / 1e6;
  if (megabytes > MOST_MEGABYTES)
    throw new Error(`“${file.name}” is too large, ${megabytes.toFixed(1)} megabytes; allowed are ${MOST_MEGABYTES}.`);
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`“${file.name}” is no picture that can be read; allowed are PNG, JPEG and WebP.`);
  });
  const megapixels = (bitmap.width * bitmap.height) / 1e6;
  if (megapixels > MOST_MEGAPIXELS)
    throw new Error(`“${file.name}” is too large, ${bitmap.width} × ${bitmap.height} pixels; allowed are ${MOST_MEGAPIXELS} million.`);
  const context = node("canvas", { width: bitmap.width, height: bitmap.height }).getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  return brightness(context.getImageData(0, 0, bitmap.width, bitmap.height), height, width);
}

/**
 * Pack a trace with one more picture, set before the one at a place, so that the place now names it.
 * @type {(trace: Convolution.Trace, place: number, own: Convolution.Own) => Course.Message}
 */
export function packWith({ title, pictures, picture_names, kernels, kernel_names }, place, own) {
  const [count, height, width] = pictures.shape;
  const before = place * height * width;
  const numbers = [...pictures.data.subarray(0, before), ...own.image.data, ...pictures.data.subarray(before)];
  const fields = {
    title, kernel_names, picture_names: [...picture_names.slice(0, place), own.name, ...picture_names.slice(place)],
    pictures: { dtype: "float32", shape: [count + 1, height, width], offset: 0 },
    kernels: { dtype: "float32", shape: kernels.shape, offset: 4 * numbers.length },
  };
  return { fields, buffer: Float32Array.from([...numbers, ...kernels.data]) };
}
