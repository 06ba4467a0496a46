// What TypeScript must know to check the modules of the lattice view.

declare namespace Lattice {
  type Kind = "posterior" | "forward" | "backward";

  /** A packed LatticeTrace. */
  interface Trace {
    title: string;
    probabilities: Course.Packed;
    classes: string[];
    labellings: string[];
    states: Course.Packed<Int32Array>;
    forward: Course.Packed;
    backward: Course.Packed;
    alignment: Course.Packed<Int32Array>;
    log_likelihood: Course.Packed;
    picture: Course.Packed<Uint8Array> | null;
  }

  interface Choices {
    labelling: number;
    kind: Kind;
    time: number;
    state: number | null;
  }

  /** A move of a path: at a step, from a state to one at the next step. */
  type Move = [step: number, from: number, to: number];

  /** A label of the best path, the step where it begins and the one behind its end. */
  type Run = [label: string, start: number, end: number];

  /** What is drawn of one labelling. */
  interface Scene {
    steps: number;
    /** The label of each state. */
    labels: string[];
    /** Shares from 0 to 1, step by step. */
    shares: Float64Array;
    /** The state of the likeliest path at each step. */
    alignment: Int32Array;
    runs: Run[];
    blank: string;
    moves: Move[];
    /** What the network saw, in its own pixels. */
    picture: HTMLCanvasElement | null;
    time: number;
    state: number;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    font: number;
    width: number;
    height: number;
    left: number;
    /** Of one step. */
    wide: number;
    /** Of one state. */
    high: number;
    picture: number;
    strip: number;
    map: number;
  }
}
