// What Python gives to the modules of this widget; see tsne_map.py.

/** What a reader must know before believing a map. */
export const CAUTION: string;
