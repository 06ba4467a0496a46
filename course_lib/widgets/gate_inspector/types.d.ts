// What TypeScript must know to check the modules of the gate inspector.

declare namespace Gates {
  /** A packed GateTrace. */
  interface Trace {
    title: string;
    values: Course.Packed;
    quantities: string[];
    characters: string[];
  }

  interface Choices {
    unit: number;
    quantity: string | null;
    time: number;
  }

  /** The run behind a trace; a row is a quantity. */
  interface Run {
    trace: Trace;
    rows: number;
    times: number;
    units: number;
    names: string[];
    characters: string[];
    at(row: number, time: number, unit: number): number;
    /** The end of a row's scale: of all units, or of one, for others may count far higher. */
    reach(row: number, unit?: number): number;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    font: number;
    left: number;
    right: number;
    width: number;
    height: number;
    /** Width of a character, how many are seen, and the first of them. */
    column: number;
    columns: number;
    firstTime: number;
    top: number;
    /** Height of a strip of bars, and from one to the next. */
    strip: number;
    step: number;
    mapTop: number;
    /** Height of a unit, how many are seen, and the first of them. */
    cell: number;
    lines: number;
    firstUnit: number;
  }

  interface Looks {
    time: number;
    unit: number;
    row: number;
    palette: Course.Palette;
  }
}
