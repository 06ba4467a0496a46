// What Python gives to the modules of this widget; see beam_tree.py.

/** The score under each length penalty, with {alpha:g} for its power. */
export const FORMULAS: Record<string, string>;
/** Pruned continuations of each prefix that are kept to be shown. */
export const PRUNED_SHOWN: number;
/** The widest beam that can be searched with. */
export const WIDEST_BEAM: number;
