// What is written beside the maps about the chosen row: its strongest keys, the verdict on a guess, the next token.
import { short } from "../shared/drawing.js";
import { bars, node } from "../shared/elements.js";
import { at, quoted, rowOf } from "./attention_maps.js";

const STRONGEST = 8; // keys listed for a row

/**
 * The keys of a row that are not masked, strongest first: { value, i }.
 * @type {(map: Attention.Map, query: number) => { value: number, i: number }[]}
 */
function strongest(map, query) {
  /** @type {(entry: { value: number }) => number} */
  const size = ({ value }) => (Number.isNaN(value) ? -1 : value);
  return rowOf(map, query).map((value, i) => ({ value, i })).filter(({ i }) => map.kept(query, i)).sort((a, b) => size(b) - size(a));
}

/**
 * The elements about row `query` of the first map and of those beside it. `guess` is the key that was guessed, if any;
 * of `kinds` the next token is told, where the trace knows it.
 * @type {(row: { traces: Record<string, Attention.Trace>, maps: Attention.Map[], kinds: string[], query: number, key: number, hidden: boolean, guess?: number }) => HTMLElement[]}
 */
export function rowParts({ traces, maps, kinds, query, key, hidden, guess }) {
  const [main] = maps;
  /** @type {HTMLElement[]} */
  const parts = [node("p", { class: "attn-row" }, `Row ${query + 1}: `, node("bdi", {}, main.queries[query]), " looks at")];
  if (hidden) return [...parts, node("p", {}, "Which key gets the most weight? Choose a cell of this row and press Enter, or click it.")];
  for (const map of maps) {
    const mine = Math.min(query, map.rows - 1);
    const order = strongest(map, mine);
    if (map === main && guess !== undefined) {
      const right = order.length > 0 && order[0].value === at(map, mine, guess);
      parts.push(node("p", { class: "attn-verdict" }, right ? "✓ Right: " : "✗ Your guess: ", node("bdi", {}, map.keys[guess]),
        ` has ${short(at(map, mine, guess))}.`));
    }
    const entries = order.slice(0, STRONGEST).map(({ value, i }) => ({ text: map.keys[i], value, chosen: i === key }));
    const heading = map.queries[mine] === main.queries[query] ? map.name : `${map.name} · ${quoted(map.queries[mine])}`;
    parts.push(entries.length ? bars(heading, entries) : node("p", {}, "Every key of this row is masked."));
  }
  for (const kind of kinds) {
    const { candidates, candidate_probabilities: chances } = traces[kind];
    if (!candidates) continue;
    const mine = Math.min(query, candidates.length - 1);
    const n = chances.shape[1];
    parts.push(bars(`Next token, probability${kinds.length > 1 ? ` · ${kind}` : ""}`,
      candidates[mine].map((text, i) => ({ text, value: chances.data[mine * n + i], chosen: false }))));
  }
  return parts;
}
