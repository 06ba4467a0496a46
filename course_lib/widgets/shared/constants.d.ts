// What Python gives to the modules of every widget; see `widget_module` in base.py.

/** Colours of −1, 0 and 1, as #rrggbb. */
export const DIFFERENCE_SCALE: string[];
/** matplotlib's names of the shapes that tell classes apart, beside OKABE_ITO. */
export const MARKERS: string[];
/** Colours that tell classes apart, as #rrggbb. */
export const OKABE_ITO: string[];
