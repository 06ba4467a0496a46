// A beam search over recorded expansions: what `course_lib.decoding.replay` does in Python, to the same tree.
// Nothing here touches the page.
import { PRUNED_SHOWN } from "./constants.js";

/**
 * The score of a hypothesis; the length counts every token, the end-of-sentence token too.
 * @type {(kind: Beam.Kind, alpha: number, total: number, length: number) => number}
 */
function penalised(kind, alpha, total, length) {
  if (kind === "none") return total;
  return total / (kind === "average" ? length : (5 + length) / 6) ** alpha;
}

/** @type {(values: number[]) => number} */
function logSumExp(values) {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0));
}

/**
 * Which column of the record's normalisers a temperature needs: { column } (null for none), or { missing } in words.
 * @type {(record: Beam.Record, temperature: number) => { column?: number | null, missing?: string }}
 */
function temperatureOf(record, temperature) {
  if (temperature === 1 || record.top === null) return { column: null };
  const recorded = [...record.temperatures.data];
  const column = recorded.findIndex((one) => Math.abs(one - temperature) < 1e-6);
  if (column >= 0) return { column };
  const [first, last] = [recorded[0], recorded.at(-1)].map((one) => Number(one.toFixed(6)));
  return {
    missing:
      `only the ${record.top} likeliest continuations of each prefix are recorded, and temperature ${temperature} needs ` +
      `them all; what it needs is recorded for ${first} to ${last} in tenths`,
  };
}

/**
 * Makes expansion -> its continuations [{ token, log, following }], likeliest first, at a temperature.
 * @type {(record: Beam.Record, temperature: number, column: number | null) => (expansion: number) => Beam.Continuation[]}
 */
function continuationsOf(record, temperature, column) {
  const [bounds, ids, logs, following] = [record.bounds.data, record.token_id.data, record.log_prob.data, record.following.data];
  /** @type {Map<number, Beam.Continuation[]>} */
  const known = new Map();
  return (expansion) => {
    if (!known.has(expansion)) {
      const places = Array.from({ length: bounds[expansion + 1] - bounds[expansion] }, (_, i) => bounds[expansion] + i);
      let values = places.map((place) => logs[place]);
      if (temperature !== 1) {
        values = values.map((value) => value / temperature);
        const columns = record.temperatures.shape[0];
        const sum = column === null ? logSumExp(values) : record.normaliser.data[expansion * columns + column];
        values = values.map((value) => Math.fround(value - sum)); // as a model gives them: their sums are exact, and so are ties
      }
      known.set(expansion, places.map((place, i) => ({ token: ids[place], log: values[i], following: following[place] })));
    }
    return known.get(expansion);
  };
}

/**
 * Search: replayBeam(record, { beam_size, kind, alpha, temperature }, reference) -> { trace } or { missing } in words.
 * `reference` is an array of token ids, or null.
 * @type {(record: Beam.Record, settings: Beam.Settings, reference?: number[] | null) => { trace?: Omit<Beam.Trace, "penalty">, missing?: string }}
 */
export function replayBeam(record, { beam_size: size, kind, alpha, temperature }, reference = null) {
  if (record.top !== null && size + 1 > record.top) {
    return {
      missing:
        `only the ${record.top} likeliest continuations of each prefix are recorded, and a beam of ${size} needs ${size + 1}`,
    };
  }
  const heat = temperatureOf(record, temperature);
  if (heat.missing) return { missing: heat.missing };
  const continuations = continuationsOf(record, temperature, heat.column);
  const text = new Map(Array.from(record.known.data, (id, i) => [id, record.token[i]]));
  /** @type {(total: number, length: number) => number} */
  const score = (total, length) => penalised(kind, alpha, total, length);
  /** @type {{ parent: number[], step: number[], token_id: number[], log_prob: number[], total: number[], score: number[], rank: number[], status: Beam.Status[] }} */
  const tree = { parent: [-1], step: [0], token_id: [-1], log_prob: [0], total: [0], score: [0], rank: [0], status: ["kept"] };
  /** @type {(parent: number, step: number, candidate: { token: number, log: number, total: number }, rank: number, status: Beam.Status) => number} */
  const add = (parent, step, candidate, rank, status) => {
    tree.parent.push(parent);
    tree.step.push(step);
    tree.token_id.push(candidate.token);
    tree.log_prob.push(candidate.log);
    tree.total.push(candidate.total);
    tree.score.push(score(candidate.total, step));
    tree.rank.push(rank);
    tree.status.push(status);
    return tree.parent.length - 1;
  };

  let open = [{ total: 0, node: 0, expansion: record.start, faithful: reference !== null }];
  /** @type {number[]} */
  const finished = [];
  for (let step = 1; ; step++) {
    /** @type {(Beam.Continuation & { total: number, parent: number, followed: boolean })[]} */
    const candidates = [];
    /** @type {number[]} */
    const totals = [];
    for (const [parent, prefix] of open.entries()) {
      const wanted = prefix.faithful ? reference[step - 1] : undefined;
      for (const [i, { token, log, following }] of continuations(prefix.expansion).entries()) {
        const total = prefix.total + log;
        totals.push(total);
        const followed = token === wanted;
        if (i <= size || followed) candidates.push({ total, parent, token, log, following, followed });
      }
    }
    candidates.sort((a, b) => b.total - a.total || a.parent - b.parent || a.token - b.token);
    totals.sort((a, b) => b - a);
    const before = open;
    open = [];
    const pruned = before.map(() => 0);
    let place = -1;
    let better = 0; // continuations more probable than the candidate
    for (const [rank, candidate] of candidates.entries()) {
      const ends = candidate.token === record.eos;
      const cut = open.length === size || (ends && rank >= size);
      if (cut && ++pruned[candidate.parent] > PRUNED_SHOWN && !candidate.followed) continue;
      while (totals[better] > candidate.total) better++;
      place = Math.max(place + 1, better);
      const node = add(before[candidate.parent].node, step, candidate, place, cut ? "pruned" : ends ? "finished" : "kept");
      if (cut) continue;
      if (ends) finished.push(node);
      else open.push({ total: candidate.total, node, expansion: candidate.following, faithful: candidate.followed });
    }
    if (!open.length || step === record.max_length) break;
    if (finished.length >= size) {
      const worst = finished.map((node) => tree.score[node]).sort((a, b) => b - a)[size - 1];
      if (open.every((prefix) => score(prefix.total, record.max_length) <= worst)) break;
    }
    const lost = open.find((prefix) => prefix.expansion < 0);
    if (lost) {
      const token = text.get(tree.token_id[lost.node]);
      return { missing: `at step ${step + 1} this search looks at what follows “${token}”, where no recorded search has been` };
    }
  }
  /** @type {(nodes: number[]) => number[]} */
  const byScore = (nodes) => nodes.sort((a, b) => tree.score[b] - tree.score[a]);
  const [best] = [...byScore(finished), ...byScore(open.map((prefix) => prefix.node))];
  /** @type {(data: number[]) => { data: number[] }} */
  const column = (data) => ({ data });
  return {
    trace: {
      parent: column(tree.parent), step: column(tree.step), token_id: column(tree.token_id), rank: column(tree.rank),
      log_prob: column(tree.log_prob), total: column(tree.total), score: column(tree.score), status: tree.status,
      token: tree.token_id.map((id, node) => (node ? text.get(id) : "<s>")),
      best, beam_size: size, temperature, source: record.source, rank_limit: record.top,
    },
  };
}

/**
 * What greedy search writes, as far as the record goes: { tokens, log, whole }.
 * @type {(record: Beam.Record) => { tokens: string[], log: number, whole: boolean }}
 */
export function greedyOf(record) {
  const text = new Map(Array.from(record.known.data, (id, i) => [id, record.token[i]]));
  const continuations = continuationsOf(record, 1, null);
  /** @type {string[]} */
  const tokens = [];
  let log = 0;
  for (let expansion = record.start; expansion >= 0 && tokens.length < record.max_length; ) {
    const [likeliest] = continuations(expansion);
    tokens.push(text.get(likeliest.token));
    log += likeliest.log;
    if (likeliest.token === record.eos) return { tokens, log, whole: true };
    expansion = likeliest.following;
  }
  return { tokens, log, whole: tokens.length === record.max_length };
}
