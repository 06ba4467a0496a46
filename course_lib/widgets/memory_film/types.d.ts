// What TypeScript must know to check the modules of the memory film.

declare namespace Film {
  /** A packed MemoryTrace. */
  interface Trace {
    title: string;
    write: Course.Packed;
    read: Course.Packed;
    rows: Course.Packed;
    inputs: Course.Packed;
    outputs: Course.Packed;
    steps: string[];
  }

  interface Choices {
    time: number | null;
    row: number | null;
  }

  /** One map over time: `at(line, step)`, coloured up to `end`, with a middle where it is signed. */
  interface Strip {
    name: string;
    lines: number;
    end: number;
    signed: boolean;
    at(line: number, step: number): number;
  }

  /** The run behind a trace. */
  interface Run {
    steps: number;
    rows: number;
    size: number;
    labels: string[];
    /** What is seen, what is said, the weights of writing and those of reading. */
    strips: Strip[];
    write(step: number, row: number): number;
    read(step: number, row: number): number;
    /** A number in the memory after a step. */
    held(step: number, row: number, place: number): number;
    /** The largest number that ever stood in the memory, without its sign. */
    largest: number;
    /** The row with the largest weight at a step. */
    mostWritten(step: number): number;
    mostRead(step: number): number;
  }

  interface Box {
    left: number;
    top: number;
    wide: number;
    tall: number;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    font: number;
    width: number;
    height: number;
    strips: Box[];
    memory: Box;
    /** Room for the weights at each side of the memory. */
    side: number;
  }

  interface Looks {
    time: number;
    row: number;
    /** The strips as images. */
    images: HTMLCanvasElement[];
    palette: Course.Palette;
  }
}
