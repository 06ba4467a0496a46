// A convolution of one channel: what Python's `convolve` computes.

/** @type {(numbers: Course.Packed, which: number) => Convolution.Grid} */
export function gridOf({ data, shape }, which) {
  const [, height, width] = shape;
  return { data: data.subarray(which * height * width, (which + 1) * height * width), height, width };
}

/** @type {(size: number, taps: number, geometry: Convolution.Geometry) => number} */
export const outputSize = (size, taps, { stride, padding, dilation }) => Math.floor((size + 2 * padding - dilation * (taps - 1) - 1) / stride) + 1;

/**
 * The products that one output sums.
 * @type {(image: Convolution.Grid, kernel: Convolution.Grid, geometry: Convolution.Geometry, row: number, column: number) => Convolution.Term[]}
 */
export function termsOf(image, kernel, { stride, padding, dilation }, row, column) {
  return Array.from({ length: kernel.height * kernel.width }, (_, tap) => {
    const y = stride * row + dilation * Math.floor(tap / kernel.width) - padding;
    const x = stride * column + dilation * (tap % kernel.width) - padding;
    const inside = y >= 0 && y < image.height && x >= 0 && x < image.width;
    return { row: y, column: x, inside, pixel: inside ? image.data[y * image.width + x] : 0, weight: kernel.data[tap] };
  });
}

/** @type {(terms: Convolution.Term[]) => number} */
export const sumOf = (terms) => terms.reduce((sum, { pixel, weight }) => sum + pixel * weight, 0);

/** @type {(image: Convolution.Grid, kernel: Convolution.Grid, geometry: Convolution.Geometry) => Convolution.Grid} */
export function convolve(image, kernel, geometry) {
  const height = outputSize(image.height, kernel.height, geometry);
  const width = outputSize(image.width, kernel.width, geometry);
  const data = Float64Array.from({ length: height * width }, (_, i) => sumOf(termsOf(image, kernel, geometry, Math.floor(i / width), i % width)));
  return { data, height, width };
}
