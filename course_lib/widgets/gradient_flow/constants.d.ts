// What Python gives to the modules of this widget; see gradient_flow.py.

/** In place of the step of a loss: the sum of all. */
export const ALL_STEPS: number;
/** Widths of an arrow in pixels: the least, the most, at the loss, and more for each power of ten. */
export const NARROWEST: number;
export const WIDEST: number;
export const WIDTH_AT_LOSS: number;
export const WIDTH_A_DECADE: number;
