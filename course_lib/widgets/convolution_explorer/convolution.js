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
export function termsOf(image, kernel, { stride, padding, dilation, turn }, row, column) {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const [middleDown, middleRight] = [(dilation * (kernel.height - 1)) / 2, (dilation * (kernel.width - 1)) / 2];
  return Array.from({ length: kernel.height * kernel.width }, (_, tap) => {
    const down = dilation * Math.floor(tap / kernel.width) - middleDown;
    const right = dilation * (tap % kernel.width) - middleRight;
    const y = rounded(stride * row - padding + middleDown + down * cos + right * sin);
    const x = rounded(stride * column - padding + middleRight + right * cos - down * sin);
    const inside = y > -1 && y < image.height && x > -1 && x < image.width;
    return { row: y, column: x, inside, pixel: between(image, y, x), weight: kernel.data[tap] };
  });
}

/** @type {(place: number) => number} */
const rounded = (place) => Math.round(place * 1e6) / 1e6;

/**
 * The bilinear mean of the four pixels around a place; outside the image all is 0.
 * @type {(image: Convolution.Grid, y: number, x: number) => number}
 */
function between({ data, height, width }, y, x) {
  let sum = 0;
  for (const row of new Set([Math.floor(y), Math.ceil(y)]))
    for (const column of new Set([Math.floor(x), Math.ceil(x)]))
      if (row >= 0 && row < height && column >= 0 && column < width)
        sum += (1 - Math.abs(y - row)) * (1 - Math.abs(x - column)) * data[row * width + column];
  return sum;
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
