// Predict, then reveal: the candidates of the next step are shown, but not which of them leads.
import { number, quotedTokens, rankOf } from "./beam_words.js";

/**
 * { column(step): the candidates in an order that tells nothing, take(node): judges a guess, words: the verdict }
 * @type {(tree: Beam.Tree) => { column(step: number): number[], take(node: number): void, readonly words: string }}
 */
export function guessing(tree) {
  let [asked, right] = [0, 0];
  let verdict = "";
  return {
    column: (step) => [...tree.columns[step]].sort((a, b) => tree.rank[tree.parent[a]] - tree.rank[tree.parent[b]] || tree.id[a] - tree.id[b]),
    take(one) {
      const [winner] = tree.columns[tree.step[one]];
      asked++;
      if (one === winner) right++;
      /** @type {(node: number) => string} */
      const said = (node) => `${quotedTokens(tree.words(node))} (log p ${number(tree.total[node])})`;
      const fate = { kept: "stays in the beam", pruned: "is pruned", finished: "is finished" }[tree.status[one]];
      verdict = one === winner ? `Right: ${said(one)} leads step ${tree.step[one]}.` : `No: ${said(winner)} leads step ${tree.step[one]}. Yours, ${said(one)}, has rank ${rankOf(tree, one)} and ${fate}.`;
    },
    get words() {
      return [verdict, asked ? `${right} of ${asked} right.` : ""].filter(Boolean).join(" ");
    },
  };
}
