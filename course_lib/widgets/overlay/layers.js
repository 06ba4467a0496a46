// Maps as large as the picture below them: what Python's `laid_over` computes.
import { clamp } from "../shared/drawing.js";

/**
 * A map of one picture, step and kind.
 * @type {(maps: Course.Packed, picture: number, step: number, kind: number) => Overlay.Grid}
 */
export function mapOf({ data, shape }, picture, step, kind) {
  const [, steps, kinds, height, width] = shape;
  const from = ((picture * steps + step) * kinds + kind) * height * width;
  return { data: data.subarray(from, from + height * width), height, width };
}

/**
 * Where along an axis of `size` cells each of `wanted` pixels lies: the cells on both sides, and the share of the second.
 * @type {(size: number, wanted: number) => { low: number, high: number, share: number }[]}
 */
const betweens = (size, wanted) =>
  Array.from({ length: wanted }, (_, i) => {
    const at = clamp(((i + 0.5) * size) / wanted - 0.5, 0, size - 1);
    const low = Math.floor(at);
    return { low, high: Math.min(low + 1, size - 1), share: at - low };
  });

const ALIKE = 1 - 1e-5; // as in Python: closer to the largest than this, numbers differ from it by rounding

/**
 * Let a map grow (bilinear) and divide it by its largest number.
 * @type {(kind: string, map: Overlay.Grid, height: number, width: number) => Overlay.Layer}
 */
export function layerOf(kind, map, height, width) {
  const data = new Float32Array(height * width);
  const columns = betweens(map.width, width);
  let most = 0;
  betweens(map.height, height).forEach(({ low: upper, high: lower, share: down }, row) => {
    columns.forEach(({ low, high, share }, column) => {
      /** @type {(line: number) => number} */
      const along = (line) => (1 - share) * map.data[line * map.width + low] + share * map.data[line * map.width + high];
      const here = row * width + column;
      data[here] = (1 - down) * along(upper) + down * along(lower);
      most = Math.max(most, data[here]);
    });
  });
  if (most > 0) for (let i = 0; i < data.length; i++) data[i] /= most;
  const best = data.findIndex((value) => value >= ALIKE);
  return { kind, grid: { data, height, width }, place: most > 0 ? { row: Math.floor(best / width), column: best % width } : null };
}
