// What TypeScript must know to check the modules of the attention heatmap.

declare namespace Attention {
  /** A packed AttentionTrace. */
  interface Trace {
    title: string;
    weights: Course.Packed;
    keep: Course.Packed<Uint8Array> | null;
    queries: string[];
    keys: string[];
    layer_names: string[] | null;
    head_names: string[] | null;
    candidates: string[][] | null;
    candidate_probabilities: Course.Packed | null;
  }

  /** What Python sends, or answers with: the traces by name, and what a translator reads where the reader may type. */
  interface Content {
    maps: Record<string, Trace>;
    reading?: Course.Reading;
  }

  /** Which map: a head of a layer of one of the named traces. */
  interface Place {
    kind: string;
    layer: number;
    head: number;
  }

  interface Choices extends Place {
    other: Place | null;
    difference: boolean;
    query: number;
    key: number;
    span: number | null;
    grid: boolean;
    scale: "fixed" | "largest";
    guess: boolean;
    /** Lines between words in place of the map: of every row, or of the chosen one. */
    lines: "all" | "row" | null;
  }

  /** One head of one layer, or the difference of two. */
  interface Map {
    name: string;
    id: string;
    trace: Trace;
    rows: number;
    columns: number;
    queries: string[];
    keys: string[];
    /** Row by row. */
    weights: Float32Array;
    kept(query: number, key: number): boolean;
    difference?: true;
  }

  /** The part of a map that is seen. */
  interface Window {
    firstRow: number;
    firstColumn: number;
    rows: number;
    columns: number;
  }

  /** Where one of the maps lies in the picture, and what is chosen in it. */
  interface Panel extends Window {
    left: number;
    right: number;
    /** Where its lines begin and end. */
    from?: number;
    to?: number;
    width: number;
    /** Whether the names of its rows stand beside it. */
    labelled: boolean;
    query: number;
    key: number;
  }

  /** What lies at a place in the picture: a row, a column, or both. */
  interface Found {
    panel: number;
    query: number | null;
    key: number | null;
  }

  /** How large the picture may be, and what must be seen in it. */
  interface Wanted {
    width: number;
    height: number;
    font: number;
    /** The smallest type. */
    least: number;
    query: number;
    key: number;
    span: number | null;
    last: Frame | null;
  }

  /** A way to draw maps: as cells, or as lines between words. */
  interface Style {
    spoken: string;
    measure(context: Course.Context, panels: Map[], wanted: Wanted): Frame;
    draw(context: Course.Context, panels: Map[], frame: Frame, looks: Looks): void;
    cellAt(frame: Frame, x: number, y: number): Found | null;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    cell: number;
    /** How many cells would fit. */
    span: number;
    font: number;
    small: number;
    /** Which of the labels are written: every second, third, … */
    every: number;
    /** Whether the names of the columns are not turned. */
    flat: boolean;
    top: number;
    places: Panel[];
    width: number;
    height: number;
  }

  interface Looks {
    /** The end of the scale of colours. */
    top: number;
    /** Whether a row is still to be guessed. */
    hidden(query: number): boolean;
    palette: Course.Palette;
    /** Whether a word of these was never seen in training. */
    strange?(labels: string[], place: number): boolean;
    /** Of which row, and to which column, lines are drawn; null for all. */
    only?: { query: number | null; key: number | null };
  }

  type Kind = "masked" | "nan" | "zero" | "weight";

  /** A cell's row and column, and where it lies. */
  type Cell = [query: number, key: number, x: number, y: number];
}
