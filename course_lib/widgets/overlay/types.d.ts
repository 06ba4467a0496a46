// What TypeScript must know to check the modules of the overlay view.

declare namespace Overlay {
  /** A packed OverlayTrace. */
  interface Trace {
    title: string;
    pictures: Course.Packed<Uint8Array>;
    picture_names: string[];
    maps: Course.Packed;
    steps: string[][];
    kinds: string[];
    candidates: string[][][] | null;
    candidate_probabilities: Course.Packed | null;
  }

  interface Choices {
    picture: number;
    step: number;
    strength: number;
  }

  /** Numbers row by row. */
  interface Grid {
    data: ArrayLike<number>;
    height: number;
    width: number;
  }

  /** A map as large as its picture, its largest number 1; `place` is where that stands, null where all are 0. */
  interface Layer {
    kind: string;
    grid: Grid;
    place: { row: number; column: number } | null;
  }

  /** What is drawn. */
  interface Scene {
    name: string;
    step: string;
    /** The picture, then the picture under each layer, in its own pixels. */
    images: HTMLCanvasElement[];
    layers: Layer[];
  }

  /** Where everything lies, in pixels; each panel is one picture. */
  interface Frame {
    font: number;
    width: number;
    height: number;
    panels: { left: number; top: number }[];
    wide: number;
    tall: number;
  }
}
