// What TypeScript must know to check the modules of the gradient flow.

declare namespace Flow {
  /** A packed GradientTrace. */
  interface Trace {
    title: string;
    log10_norms: Course.Packed;
    models: string[];
    loss_steps: Course.Packed<Int32Array>;
    hidden_sizes: Course.Packed<Int32Array>;
    inputs: string[];
    targets: string[] | null;
  }

  interface Choices {
    model: number;
    loss: number | null;
    time: number | null;
  }

  /** The run behind a trace. */
  interface Run {
    trace: Trace;
    models: number;
    losses: number;
    steps: number;
    lossSteps: number[];
    inputs: string[];
    targets: string[] | null;
    names: string[];
    sizes: Int32Array;
    /** The logarithm, of base 10, of a norm. */
    at(model: number, loss: number, step: number): number;
    /** The last step that a loss depends on. */
    last(loss: number): number;
    nameOfLoss(loss: number): string;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    font: number;
    left: number;
    width: number;
    height: number;
    /** From one step to the next, how many are seen, and the first of them. */
    pitch: number;
    columns: number;
    firstStep: number;
    across: number;
    top: number;
    boxTop: number;
    boxTall: number;
    box: number;
    plotTop: number;
    plotTall: number;
    /** The names below. */
    keys: { x: number; row: number; text: string }[];
    keyTop: number;
    boxX(step: number): number;
    plotX(step: number): number;
  }

  interface Looks {
    model: number;
    loss: number;
    time: number;
    palette: Course.Palette;
  }
}
