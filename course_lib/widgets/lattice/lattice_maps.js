// What is shown of a lattice: what Python's `shares`, `moves` and `runs` compute.

/**
 * The labels of a labelling's states.
 * @type {(trace: Lattice.Trace, labelling: number) => number[]}
 */
export function statesOf({ states }, labelling) {
  const count = states.shape[1];
  return [...states.data.subarray(labelling * count, (labelling + 1) * count)].filter((label) => label >= 0);
}

/**
 * The logarithm of α or β: (step, state) => number.
 * @type {(part: Course.Packed, labelling: number) => (step: number, state: number) => number}
 */
export const logOf = ({ data, shape }, labelling) => (step, state) => data[(labelling * shape[1] + step) * shape[2] + state];

/** @type {(trace: Lattice.Trace, labelling: number, kind: Lattice.Kind) => Float64Array} */
export function sharesOf(trace, labelling, kind) {
  const [steps, count] = [trace.forward.shape[1], statesOf(trace, labelling).length];
  const [forward, backward] = [logOf(trace.forward, labelling), logOf(trace.backward, labelling)];
  const shares = new Float64Array(steps * count);
  for (let step = 0; step < steps; step++) {
    const logs = Array.from({ length: count }, (_, s) => (kind !== "backward" ? forward(step, s) : 0) + (kind !== "forward" ? backward(step, s) : 0));
    const most = Math.max(...logs);
    const weights = logs.map((log) => Math.exp(log - most));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    shares.set(weights.map((weight) => weight / sum), step * count);
  }
  return shares;
}

/** @type {(trace: Lattice.Trace, labelling: number) => Lattice.Move[]} */
export function movesOf(trace, labelling) {
  const labels = statesOf(trace, labelling);
  const [forward, backward] = [logOf(trace.forward, labelling), logOf(trace.backward, labelling)];
  /** @type {(step: number, state: number) => boolean} */
  const passable = (step, state) => Number.isFinite(forward(step, state) + backward(step, state));
  /** @type {Lattice.Move[]} */
  const moves = [];
  for (let step = 0; step + 1 < trace.forward.shape[1]; step++)
    for (let from = 0; from < labels.length; from++)
      for (let to = from; to < Math.min(from + 3, labels.length); to++) {
        const jumps = to === from + 2;
        if (passable(step, from) && passable(step + 1, to) && !(jumps && (labels[to] === 0 || labels[to] === labels[from]))) moves.push([step, from, to]);
      }
  return moves;
}

/** @type {(trace: Lattice.Trace) => Lattice.Run[]} */
export function runsOf({ probabilities: { data, shape }, classes }) {
  const [steps, count] = shape;
  const path = Array.from({ length: steps }, (_, step) => {
    const row = data.subarray(step * count, (step + 1) * count);
    return row.indexOf(Math.max(...row));
  });
  /** @type {Lattice.Run[]} */
  const runs = [];
  path.forEach((label, step) => {
    if (step && label === path[step - 1]) runs[runs.length - 1][2] = step + 1;
    else runs.push([classes[label], step, step + 1]);
  });
  return runs;
}
