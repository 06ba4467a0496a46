// What Python gives to the modules of this widget; see gate_inspector.py.

/** Names of the quantities that can be negative. */
export const SIGNED: string[];
/** Characters that a reader may type. */
export const LONGEST_TEXT: number;
