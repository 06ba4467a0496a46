// What TypeScript must know to check the modules of the segmentation explorer.

declare namespace Pieces {
  /** A packed SegmentationTrace. */
  interface Trace {
    characters: Course.Packed<Int32Array>;
    merges: Course.Packed<Int32Array>;
  }

  interface Choices {
    text: string;
    encoding: string;
    merges: number | null;
    word: number;
    step: number | null;
    ids: boolean;
  }

  /** A merge that is applied to a word; `needs` is how many merges must be learned for it to come about. */
  interface Step {
    rank: number;
    needs: number;
    /** The word after it. */
    ids: number[];
    pair: [left: number, right: number];
  }

  interface Word {
    word: string;
    /** Its ids before any merge. */
    spelled: number[];
    steps: Step[];
  }

  /** What cuts text, by any number of its merges. */
  interface Encoding {
    /** How many merges there are. */
    total: number;
    pieces: string[];
    /** The rank of the first merge that makes a piece, by its id. */
    learned: Map<number, number>;
    /** How many pieces there are after each number of merges. */
    sizes: number[];
    cut(text: string): Word[];
  }

  /** Which byte of which character. */
  interface Byte {
    label: string;
    part: number;
    parts: number;
  }

  /** A line of the ladder: the chosen word after a step. */
  interface Rung {
    name: string;
    ids: number[];
    /** Places of the pieces that this step has joined. */
    joined: Set<number>;
  }

  /** Everything that is drawn. */
  interface Shown {
    text: string;
    /** Whether ids are written. */
    ids: boolean;
    merges: number;
    total: number;
    pieces: string[];
    parts: Word[];
    /** The ids of each word. */
    words: number[][];
    /** The chosen one, and its steps: how many there are, and how many are shown. */
    word: number | null;
    count: number;
    step: number;
    title: string;
    subtitle: string;
    ladderTitle: string;
    ladder: Rung[];
    label(id: number): string;
    endsLine(id: number): boolean;
  }

  interface Block {
    id: number;
    word: number;
    x: number;
    y: number;
    width: number;
  }

  /** Where everything lies, in pixels. */
  interface Frame {
    width: number;
    height: number;
    font: number;
    small: number;
    block: number;
    heading: number;
    margin: number;
    text: Block[];
    ladder: { name: string; y: number; blocks: Block[]; joined: Set<number> }[];
    ladderTop: number;
  }
}
