// What Python gives to the modules of this widget; see convolution_explorer.py.

export const MOST_STRIDE: number;
export const MOST_PADDING: number;
export const MOST_DILATION: number;
export const MOST_TURN: number; // degrees
export const TURN_STEP: number;
