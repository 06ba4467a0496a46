// A map for those who do not see it: in a sentence, and as a table.
import { exact, short } from "../shared/drawing.js";
import { table } from "../shared/elements.js";
import { at, kindOf, measuresOf, quoted, rowOf } from "./attention_maps.js";

const TOLD = 12; // rows that the sentence tells of

/**
 * What a sighted reader takes away from a map.
 * @type {(map: Attention.Map, hidden: (query: number) => boolean) => string}
 */
export function describeMap(map, hidden) {
  const told = map.queries.slice(0, TOLD).map((query, q) => {
    if (hidden(q)) return `${quoted(query)} is still to be guessed`;
    const values = rowOf(map, q).map((value, k) => (map.kept(q, k) && value > 0 ? value : 0));
    const best = values.indexOf(Math.max(...values));
    return values[best] ? `${quoted(query)} looks most at ${quoted(map.keys[best])} (${short(values[best])})` : `${quoted(query)} looks at nothing`;
  });
  return `${map.trace.title} Attention weights, ${map.rows} rows by ${map.columns} columns, ${map.name}: ${told.join("; ")}.`.trim();
}

/**
 * What is seen of a map, as a table.
 * @type {(map: Attention.Map, window: Attention.Window, hidden: (query: number) => boolean) => HTMLElement}
 */
export function mapTable(map, { firstRow, firstColumn, rows, columns }, hidden) {
  const keys = Array.from({ length: columns }, (_, c) => firstColumn + c);
  /** @type {(q: number, k: number) => string} */
  const cell = (q, k) => {
    const kind = kindOf(map, q, k);
    return kind === "masked" ? "masked" : hidden(q) ? "?" : kind === "nan" ? "NaN" : exact(at(map, q, k));
  };
  /** @type {(q: number) => string[]} */
  const ends = (q) => measuresOf(map, q).map((value) => (hidden(q) ? "?" : Number.isNaN(value) ? "NaN" : value.toFixed(4)));
  const lines = Array.from({ length: rows }, (_, r) => firstRow + r).map((q) => [map.queries[q], ...keys.map((k) => cell(q, k)), ...ends(q)]);
  const last = map.difference ? ["moved"] : ["sum", "entropy in bits"];
  return table(map.name, ["query", ...keys.map((k) => map.keys[k]), ...last], lines);
}
