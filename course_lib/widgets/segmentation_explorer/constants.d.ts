// What Python gives to the modules of this widget; see segmentation_explorer.py.

/** Colours of neighbouring blocks, by theme. */
export const BLOCKS: Record<string, string[]>;
/** Steps of a word that are shown at once. */
export const LADDER: number;
/** The pieces before the bytes, which stand for no text. */
export const SPECIAL: string[];
/** The mark of a space. */
export const SPACE: string;
/** The first ids of their kind. */
export const FIRST_BYTE: number;
export const FIRST_CHARACTER: number;
/** Characters that a reader may type. */
export const LONGEST_TEXT: number;
