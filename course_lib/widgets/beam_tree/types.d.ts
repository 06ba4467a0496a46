// What TypeScript must know to check the modules of the beam tree.

declare namespace Beam {
  /** A column of numbers: from Python a typed array, from a table that was typed a plain one. */
  type Numbers = number[] | Float32Array | Int32Array;
  interface Column {
    data: Numbers;
    shape?: number[];
  }

  type Kind = "none" | "average" | "gnmt";
  type Status = "kept" | "pruned" | "finished";

  /** A table as the reader's form holds it. */
  interface Table {
    text: string;
    names: string[] | null;
    by: "step" | "token";
    weights: boolean;
    eos: number | null;
    steps: number | null;
  }

  /** What a search is made with; null where the trace does not say. */
  interface Settings {
    beam_size: number;
    kind: Kind | null;
    alpha: number | null;
    temperature: number | null;
    table: Table | null;
  }

  interface Choices extends Settings {
    step: number | null;
    node: number | null;
    score: "probability" | "log" | "score";
    pruned: boolean;
    show_greedy: boolean;
    show_reference: boolean;
    predict: boolean;
  }

  /** A packed ExpansionTrace: what a model says goes on each prefix that was looked at. */
  interface Record {
    bounds: Column;
    token_id: Column;
    log_prob: Column;
    following: Column;
    known: Column;
    token: string[];
    temperatures: Column & { shape: number[] };
    normaliser: Column;
    start: number;
    max_length: number;
    eos: number | null;
    /** How many continuations of each prefix are recorded; null for all. */
    top: number | null;
    source: string;
  }

  interface Continuation {
    token: number;
    log: number;
    /** The expansion of the longer prefix, or -1 where none is recorded. */
    following: number;
  }

  /** A packed BeamTrace. */
  interface Trace {
    parent: Column;
    step: Column;
    token_id: Column;
    log_prob: Column;
    total: Column;
    score: Column;
    rank: Column;
    status: Status[];
    token: string[];
    best: number;
    beam_size: number;
    temperature: number;
    source: string;
    penalty: string;
    rank_limit?: number | null;
    reference?: Column | null;
    reference_token?: string[] | null;
  }

  /** The tree behind a trace; a node is a number. */
  interface Tree extends Omit<Trace, "parent" | "step" | "total" | "score" | "rank" | "reference"> {
    parent: Numbers;
    step: Numbers;
    id: Numbers;
    log: Numbers;
    total: Numbers;
    score: Numbers;
    rank: Numbers;
    nodes: number[];
    steps: number;
    /** The nodes of each step, best first. */
    columns: number[][];
    children: number[][];
    /** Best first. */
    finished: number[];
    bestPath: Set<number>;
    greedyPath: Set<number>;
    referencePath: Set<number>;
    overtaken: Set<number>;
    /** Nodes that are spelt as a sibling is. */
    alike: Set<number>;
    reference: number[] | null;
    path(node: number): number[];
    words(node: number): string[];
  }

  /** What Python sent, or answers with. */
  interface Content {
    tree: Trace;
    record?: Record;
    reading?: Course.Reading;
    made: { settings: Settings; can: { search: boolean; text: boolean } };
    packed?: Course.Message;
  }

  /** What a search came to, or in words why there is none (null where there is no record). */
  interface Found {
    tree?: Tree;
    record?: Record;
    origin?: string;
    missing?: string | null;
  }

  interface Searches {
    readonly can: Content["made"]["can"];
    readonly hasRecord: boolean;
    /** What the model reads of its source; undefined where that is not known. */
    readonly reading: Course.Reading | undefined;
    /** Whether the first tree is a model's: then a reader can go back to it from a table. */
    readonly hasModel: boolean;
    /** What a saved page must hold in place of what Python sent first; undefined where that is still right. */
    readonly packed: Course.Message | undefined;
    now(settings: Settings): Found;
    model(request: object, why: string | null): Promise<void>;
  }

  /** What is drawn of a tree. */
  interface Look {
    id: string;
    font: number;
    score: Choices["score"];
    /** Whether the outcome may be told. */
    over: boolean;
    column(step: number): number[];
    /** All that a column may come to hold, so that it keeps its width. */
    wide(step: number): number[];
    /** Whether a node is still to be guessed. */
    secret(node: number): boolean;
    greedy: boolean;
    reference: boolean;
  }

  interface Spot {
    x: number;
    y: number;
    width: number;
  }

  interface Layout {
    places: Map<number, Spot>;
    heads: { x: number; step: number }[];
    width: number;
    height: number;
    box: number;
  }

  /** What was drawn; `chosen` is the node with the ring. */
  interface Drawn {
    svg: SVGElement;
    id: string;
    places: Map<number, Spot>;
    box: number;
    groups: Map<number, SVGElement>;
    ways: Map<number, Element>;
    ring: SVGElement;
    chosen: number | null;
  }

  /** An SVG file's text and its size. */
  interface File {
    text: string;
    width: number;
    height: number;
  }
}
