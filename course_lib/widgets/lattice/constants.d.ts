// What Python gives to the modules of this widget; see lattice.py.

/** What each map is. */
export const MAPS: Record<Lattice.Kind, string>;
/** Steps up to which every move of a lattice is drawn. */
export const MOVES_UP_TO: number;
