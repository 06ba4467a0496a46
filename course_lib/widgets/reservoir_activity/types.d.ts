// What TypeScript must know to check the modules of the reservoir activity.

declare namespace Reservoir {
  /** A packed ReservoirTrace. */
  interface Trace {
    title: string;
    activity: Course.Packed;
    units: Course.Packed<Int32Array>;
    inputs: Course.Packed;
    outputs: Course.Packed | null;
    targets: Course.Packed | null;
    input_names: string[] | null;
    output_names: string[] | null;
    spikes: Course.Packed<Uint8Array> | null;
    order: string;
    network_size: number | null;
    first_step: number;
    free_from: number | null;
  }

  type Scale = "fixed" | "largest" | "own";

  interface Choices {
    time: number;
    span: number | null;
    unit: number | null;
    scale: Scale;
  }

  /** One line over time. */
  interface Track {
    name: string;
    at(step: number): number;
  }

  interface Line extends Track {
    colour: string;
    dash?: number[];
    width?: number;
    /** Whether the others are drawn over it. */
    behind?: boolean;
  }

  /** What is coloured: its share of the end of the colours, and whether these have a middle. */
  interface Shares {
    signed: boolean;
    end: number;
    share(step: number, unit: number): number;
  }

  /** The run behind a trace. */
  interface Run {
    trace: Trace;
    steps: number;
    units: number;
    /** Of the units. */
    numbers: number[];
    first: number;
    free: number | null;
    inputs: Track[];
    outputs: Track[];
    targets: Track[];
    shareOf(scale: Scale): Shares;
    at(step: number, unit: number): number;
    fired(step: number, unit: number): boolean;
  }

  interface Box {
    top: number;
    tall: number;
  }

  interface Strip {
    box: Box;
    title: string;
    tracks: Line[];
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    font: number;
    left: number;
    across: number;
    width: number;
    height: number;
    /** How many steps are seen, and the first of them. */
    shown: number;
    start: number;
    overview: Box | null;
    input: Box;
    output: Box | null;
    map: Box;
    unit: Box;
    /** The middle of a step, of those in the window. */
    x(step: number): number;
    stepAt(x: number): number;
  }

  /** What is under the pointer: a step, and maybe one of the units or the overview. */
  interface Place {
    time: number;
    place?: number;
    far?: boolean;
  }

  interface Looks {
    time: number;
    unit: number;
    scale: Scale;
    image: HTMLCanvasElement;
    palette: Course.Palette;
  }
}
