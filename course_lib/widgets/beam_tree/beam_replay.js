// A beam search over recorded expansions: what `course_lib.decoding.problem.replay` does in Python, to the same tree.
// Nothing here touches the page.
import { PRUNED_SHOWN } from "./constants.js";

/** The score of a hypothesis; the length counts every token, the end-of-sentence token too. */
function penalised(kind, alpha, total, length) {
  if (kind === "none") return total;
  return total / (kind === "average" ? length : (5 + length) / 6) ** alpha;
}

function logSumExp(values) {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0));
}

/** Which column of the record's normalisers a temperature needs: { column } (null for none), or { missing } in words. */
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

/** Makes expansion -> its continuations [{ token, log, following }], likeliest first, at a temperature. */
function continuationsOf(record, temperature, column) {
  const [bounds, ids, logs, following] = ["bounds", "token_id", "log_prob", "following"].map((name) => record[name].data);
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
 */
export function replayBeam(record, { beam_size: size, kind, alpha, temperature }, reference = null) {
  if (record.top !== null && size + 1 > record.top) {
    return {
      missing:
        `only the ${record.top} likeliest continuations of each prefix are recorded, and a beam of ${size} needs ${size + 1}`,
    };
  }
  const { column, missing } = temperatureOf(record, temperature);
  if (missing) return { missing };
  const continuations = continuationsOf(record, temperature, column);
  const text = new Map(Array.from(record.known.data, (id, i) => [id, record.token[i]]));
  const score = (total, length) => penalised(kind, alpha, total, length);
  const tree = { parent: [-1], step: [0], token_id: [-1], log_prob: [0], total: [0], score: [0], rank: [0], status: ["kept"] };
  const add = (parent, step, candidate, rank, status) => {
    const values = { parent, step, token_id: candidate.token, log_prob: candidate.log, total: candidate.total, rank, status };
    for (const [name, value] of Object.entries({ ...values, score: score(candidate.total, step) })) tree[name].push(value);
    return tree.parent.length - 1;
  };

  let open = [{ total: 0, node: 0, expansion: record.start, faithful: reference !== null }];
  const finished = [];
  for (let step = 1; ; step++) {
    const candidates = [];
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
  const byScore = (nodes) => nodes.sort((a, b) => tree.score[b] - tree.score[a]);
  const [best] = [...byScore(finished), ...byScore(open.map((prefix) => prefix.node))];
  const { status, ...arrays } = tree;
  return {
    trace: {
      ...Object.fromEntries(Object.entries(arrays).map(([name, data]) => [name, { data }])),
      token: tree.token_id.map((id, node) => (node ? text.get(id) : "<s>")),
      status, best, beam_size: size, temperature, source: record.source, rank_limit: record.top,
    },
  };
}

/** What greedy search writes, as far as the record goes: { tokens, log, whole }. */
export function greedyOf(record) {
  const text = new Map(Array.from(record.known.data, (id, i) => [id, record.token[i]]));
  const continuations = continuationsOf(record, 1, null);
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
