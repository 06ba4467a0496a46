// What TypeScript must know to check the modules of the t-SNE map.

declare namespace Tsne {
  /** A packed EmbeddingTrace. */
  interface Trace {
    title: string;
    frames: Course.Packed;
    iterations: Course.Packed<Int32Array>;
    kl: Course.Packed;
    labels: string[];
    groups: string[];
    texts: string[] | null;
    perplexity: number;
    seed: number;
    neighbours_kept: number;
    trustworthiness: number | null;
    neighbours: Course.Packed<Int32Array>;
    pictures: Course.Packed<Uint8Array> | null;
    other_kinds: string[] | null;
    other_perplexities: Course.Packed | null;
    other_kl: Course.Packed | null;
    other_kept: Course.Packed | null;
    other_trustworthiness: Course.Packed | null;
    others: Course.Packed | null;
    components: Course.Packed | null;
    component_shares: Course.Packed | null;
    components_kept: Course.Packed | null;
  }

  /** How far the three components are turned, in radians: about the upright axis, then about the level one. */
  interface Turn {
    round: number;
    over: number;
  }

  interface Choices {
    frame: number | null;
    point: number | null;
    hidden: string[];
    labels: boolean;
    layout: "tsne" | "pca" | "pca3";
    selected: number[];
  }

  /** Where the points lie in a frame: the first place in an array x, y, x, y, …, and what they fill. */
  interface Layout {
    data: Float32Array;
    from: number;
    /** The middle and the size. */
    box: { x: number; y: number; wide: number; high: number };
  }

  /** The last frame, or that of another run, with what is known of it. */
  interface Outcome {
    kind: string;
    perplexity: number;
    kl: number;
    kept: number;
    trustworthiness: number | null;
    layout: Layout;
  }

  /** The run behind a trace. */
  interface Run {
    trace: Trace;
    frames: number;
    points: number;
    /** Of the classes. */
    names: string[];
    /** The class of each point, and the points of each class. */
    group: number[];
    members: number[][];
    /** How many neighbours of each point are known. */
    k: number;
    /** One a frame; where there are components, one more at the end, of these. */
    layouts: Layout[];
    /** This run and others of the same points, and those of random ones. */
    ofPoints: Outcome[];
    twins: Outcome[];
    all: number[];
    neighbours(point: number): number[];
    at(frame: number, point: number, axis: 0 | 1): number;
  }

  interface Size {
    width: number;
    height: number;
  }

  interface Zoom {
    scale: number;
    x: number;
    y: number;
  }

  /** Where the points are drawn, in pixels: x, y, x, y, … */
  type Spots = Float64Array | Record<number, number>;

  /** The points, where they are drawn and in which colours. */
  interface Map {
    run: Run;
    spots: Spots;
    palette: Course.Palette;
  }

  /** What stands out. */
  interface Marks {
    shown(point: number): boolean;
    chosen: number | null;
    /** Its neighbours, to which lines go. */
    lined: number[];
    selected: Set<number>;
  }

  /** Makes a canvas with a point's picture. */
  type Thumbnails = (point: number, palette: Course.Palette) => HTMLCanvasElement;

  interface Scene extends Map, Marks, Size {
    radius: number;
    font: number;
    /** Of the lined ones those that are near in the map too. */
    kept: Set<number>;
    /** Found by the search. */
    hits: number[];
    searching: boolean;
    labels: boolean;
    moving: boolean;
    thumbnails: Thumbnails | null;
  }
}
