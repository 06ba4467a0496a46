// The tree behind a trace, and what there is to say about it.
import { FORMULAS } from "./constants.js";

/** @type {Beam.Choices["score"][]} */
export const VALUES = ["probability", "log", "score"];
export const VALUE_NAMES = ["p(token | prefix)", "log p of the prefix", "score after the penalty"];

/** @type {(value: number, digits?: number) => string} */
export const number = (value, digits = 2) => value.toFixed(digits).replace("-", "−");
/** @type {(value: number) => string} */
export const probability = (value) => (value >= 0.005 ? value.toFixed(2) : value.toExponential(0).replace("-", "−"));
/** @type {(tokens: string[]) => string} */
export const quotedTokens = (tokens) => `“${tokens.join(" ")}”`;
/** @type {(kind: Beam.Kind, alpha: number) => string} */
export const formulaOf = (kind, alpha) => FORMULAS[kind].replace("{alpha:g}", String(alpha)) + (kind === "none" ? "" : " (|y| counts </s>)");

/**
 * The tree behind a packed trace: nodes are numbers, never texts.
 * @type {(trace: Beam.Trace) => Beam.Tree}
 */
export function readBeam(trace) {
  const [parent, step, id, log] = [trace.parent.data, trace.step.data, trace.token_id.data, trace.log_prob.data];
  const [total, score, rank] = [trace.total.data, trace.score.data, trace.rank.data];
  const nodes = Array.from(trace.token, (_, node) => node);
  const steps = nodes.reduce((most, node) => Math.max(most, step[node]), 0);
  const columns = Array.from({ length: steps + 1 }, () => /** @type {number[]} */ ([]));
  nodes.forEach((node) => columns[step[node]].push(node));
  columns.forEach((column) => column.sort((a, b) => rank[a] - rank[b]));
  const children = nodes.map(() => /** @type {number[]} */ ([]));
  columns.flat().forEach((node) => node && children[parent[node]].push(node));
  /** @type {(node: number) => number[]} */
  const path = (node) => (node === 0 ? [0] : [...path(parent[node]), node]);
  /** @type {(node: number) => string[]} */
  const words = (node) => path(node).slice(1).map((one) => trace.token[one]);
  const bestPath = new Set(path(trace.best));
  const greedyPath = new Set([0]);
  for (let node = children[0][0]; node !== undefined; node = children[node][0]) greedyPath.add(node);
  const referencePath = new Set();
  const reference = trace.reference ? [...trace.reference.data] : null;
  if (reference) {
    referencePath.add(0);
    let node = 0;
    for (const token of reference) {
      node = children[node].find((one) => id[one] === token);
      if (node === undefined) break;
      referencePath.add(node);
    }
  }
  /** @type {(node: number) => boolean} */
  const led = (node) => rank[node] === 0 && step[node] <= step[trace.best];
  const overtaken = new Set(nodes.filter((node) => led(node) && !bestPath.has(node)));
  const finished = nodes.filter((node) => trace.status[node] === "finished").sort((a, b) => score[b] - score[a]);
  // Siblings spelt alike are told apart by their ids.
  const alike = new Set(children.flatMap((all) => all.filter((one) => all.some((other) => other !== one && trace.token[other] === trace.token[one]))));
  const shape = { parent, step, id, log, total, score, rank, nodes, steps, columns, children, finished };
  const sets = { bestPath, greedyPath, referencePath, overtaken, alike };
  return { rank_limit: null, ...trace, ...shape, ...sets, reference, path, words };
}

/**
 * A rank, as far as it is known: a replay counts among what was recorded.
 * @type {(tree: Beam.Tree, node: number) => string}
 */
export const rankOf = (tree, node) => `${tree.rank[node] + 1}${tree.rank_limit !== null && tree.rank[node] >= tree.rank_limit ? " or beyond" : ""}`;

/**
 * How far a node lies below the last one that stayed at its step: { last, gap (as a reader would subtract it), below }.
 * @type {(tree: Beam.Tree, node: number) => { last: number, below: boolean, gap: string } | null}
 */
function gapOf(tree, node) {
  const column = tree.columns[tree.step[node]];
  const goOn = column.filter((one) => tree.status[one] === "kept");
  const last = (goOn.length ? goOn : column.filter((one) => tree.status[one] === "finished")).at(-1);
  if (last === undefined) return null;
  const [gap, here, there] = [tree.total[last] - tree.total[node], tree.total[node], tree.total[last]];
  // A reader subtracts the rounded numbers, so the gap must agree with them.
  return { last, below: gap > 0, gap: gap < 0.01 ? number(gap, 5) : number(Number(there.toFixed(2)) - Number(here.toFixed(2))) };
}

/**
 * What became of a node, and why, in sentences; `over`: whether the outcome of the search may be told.
 * @type {(tree: Beam.Tree, node: number, over: boolean) => string}
 */
export function explain(tree, node, over) {
  if (node === 0) return "Here the search begins: nothing is written yet.";
  const { step, total, score, status, beam_size: width } = tree;
  const place = `Rank ${rankOf(tree, node)} among all candidates of step ${step[node]}`;
  const sentences = [];
  if (status[node] === "pruned") {
    const found = gapOf(tree, node);
    const compare = found?.below
      ? `its log p ${number(total[node])} is ${found.gap} below that of the last one that stayed, ` +
        `${quotedTokens(tree.words(found.last))} (${number(total[found.last])})`
      : `its log p ${number(total[node])} is not below that of the last one that stayed; the search's own rule left ` +
        `it out (a sentence may end only among the ${width} best)`;
    sentences.push(`Pruned. ${place}; the beam goes on with ${width}: ${compare}.`);
  } else if (status[node] === "finished") {
    const order = tree.finished;
    sentences.push(`Finished. ${place}; its score ${number(score[node])} is number ${order.indexOf(node) + 1} of ${order.length} finished.`);
  } else {
    const open = tree.children[node].length === 0;
    sentences.push(`${open ? "Still open when the search ended" : "Kept"}. ${place}; the beam goes on with ${width}.`);
  }
  if (!over) return sentences.join(" ");
  if (node === tree.best) sentences.push("This is the hypothesis that the search returns.");
  else if (tree.bestPath.has(node)) sentences.push("It lies on the path to the best hypothesis.");
  if (tree.overtaken.has(node))
    sentences.push(`It led this step, yet was overtaken: the search returns ${quotedTokens(tree.words(tree.best))} with score ${number(score[tree.best])}.`);
  if (tree.referencePath.has(node)) sentences.push(status[node] === "pruned" ? "Here the reference falls out of the beam." : "It lies on the path of the reference.");
  return sentences.join(" ");
}

/**
 * How the reference fared, in a sentence; "" where there is none.
 * @type {(tree: Beam.Tree) => string}
 */
export function aboutReference(tree) {
  if (!tree.reference) return "";
  const what = `The reference ${quotedTokens(tree.reference_token)}`;
  const node = [...tree.referencePath].at(-1);
  const { status, step } = tree;
  if (status[node] === "pruned") {
    const found = gapOf(tree, node);
    const by = found?.below ? `, ${found.gap} below the last that stayed` : "";
    return `${what} falls out of the beam at step ${step[node]}: rank ${rankOf(tree, node)}${by}.`;
  }
  if (step[node] === tree.reference.length) {
    const place = status[node] === "finished" ? `number ${tree.finished.indexOf(node) + 1} of ${tree.finished.length} finished` : "still open at the end";
    return `${what} is found: ${place}.`;
  }
  if (status[node] === "finished" || !tree.children[node].length) return `${what} is longer than what was searched; as far as that goes it stays in the beam.`;
  return `${what} falls out of the beam at step ${step[node] + 1}: “${tree.reference_token[step[node]]}” is not among the continuations that were scored.`;
}

/**
 * How greedy search fared, in a sentence; `alone` is what the record says it would write, or null.
 * @type {(tree: Beam.Tree, alone: { tokens: string[], whole: boolean } | null) => string}
 */
export function aboutGreedy(tree, alone) {
  const node = [...tree.greedyPath].at(-1);
  if (node === tree.best) return "Greedy search finds the same.";
  const whole = alone?.whole ? `, which greedy search would end as ${quotedTokens(alone.tokens)}` : "";
  if (tree.status[node] === "pruned") return `The greedy path is pruned at step ${tree.step[node]}, with ${quotedTokens(tree.words(node))}${whole}.`;
  return `Greedy search finds ${quotedTokens(tree.words(node))}, score ${number(tree.score[node])}.`;
}

/**
 * The tree in a few sentences: what a picture of it says.
 * @type {(tree: Beam.Tree) => string}
 */
export function describe(tree) {
  const ended = tree.status[tree.best] === "finished" ? "finished" : "cut off by the limit";
  return [
    `Tree of a beam search of width ${tree.beam_size} over ${tree.steps} steps${tree.source ? ` on “${tree.source}”` : ""}.`,
    `The best hypothesis is ${quotedTokens(tree.words(tree.best))}, ${ended}, with log p ${number(tree.total[tree.best])} and score ` +
      `${number(tree.score[tree.best])} (${tree.penalty}).`,
    aboutGreedy(tree, null),
    aboutReference(tree),
  ].filter(Boolean).join(" ");
}
