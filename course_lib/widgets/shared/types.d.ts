// What TypeScript must know to check the modules of every widget. Nothing here reaches a browser.

declare namespace Course {
  /** An array of a packed trace: its numbers row by row, and its sizes. */
  interface Packed<Data = Float32Array> {
    data: Data;
    shape: number[];
  }

  /** A packed trace as it travels: fields, and the buffer of its arrays. */
  interface Message {
    fields: Record<string, unknown>;
    buffer: ArrayBufferView;
  }

  /** What stands between us and the kernel: anywidget's model, or that of standin.js. */
  interface Model {
    get(name: string): any;
    set(name: string, value: unknown): void;
    save_changes(): void;
    on(event: string, listener: (...values: any[]) => void): void;
    off(event: string, listener: (...values: any[]) => void): void;
    send(message: { id: string }): void;
  }

  /** What every widget lets a reader choose. */
  interface SharedChoices {
    dark: boolean | null;
    large: boolean;
  }

  /** The reader's choices; see `viewOf` in common.js. */
  interface View<Choices> {
    readonly now: Choices & SharedChoices;
    set(choices: Partial<Choices & SharedChoices>): void;
    onChange(listener: () => void): void;
    /** Let the kernel hear of every choice now. */
    save(): void;
    /** Draw again, although no choice has changed: the page around us has. */
    redraw(): void;
  }

  /** A packed Reading: what a model reads of a text, and what of it it never read in training. */
  interface Reading {
    pieces: string[];
    unseen: number[];
    unseen_texts: string[];
    /** Names in whose place the model was given others. */
    read_as: [name: string, other: string][];
  }

  /** Asks the kernel, which answers with a trace, or several by name. */
  type Ask = (request: object) => Promise<any>;

  /** What the function gets that builds a widget. */
  interface Stage<Trace, Choices> {
    trace: Trace;
    root: HTMLElement;
    toolbar: HTMLElement;
    view: View<Choices>;
    ask: Ask;
    signal: AbortSignal;
    /** Offer this widget as one HTML file; `packed` where an answer of the kernel is to be saved. */
    savePage(title: string, picture: HTMLImageElement, name: string, packed?: Message): void;
  }

  interface Palette {
    paper: string;
    panel: string;
    ink: string;
    muted: string;
    line: string;
    accent: string;
    good: string;
    bad: string;
    masked: string;
  }

  /** What our drawings use of a canvas context, and what SvgContext has. */
  type Context = Pick<
    CanvasRenderingContext2D,
    | "save" | "restore" | "translate" | "rotate" | "fillText" | "strokeText" | "fillRect" | "strokeRect" | "beginPath"
    | "moveTo" | "lineTo" | "closePath" | "setLineDash" | "stroke" | "fill" | "fillStyle" | "strokeStyle" | "lineWidth"
    | "lineJoin" | "globalAlpha" | "font" | "textAlign" | "textBaseline" | "imageSmoothingEnabled"
  > & {
    measureText(text: string): { width: number };
    /** Whole circles only. */
    arc(x: number, y: number, radius: number, from: number, to: number): void;
    drawImage(image: HTMLCanvasElement | OffscreenCanvas, x: number, y: number, width: number, height: number): void;
  };

  type Point = [x: number, y: number];

  /** Red, green and blue, from 0 to 255. */
  type Rgb = number[];

  /** How a text is written into a drawing. */
  interface Ink {
    bold?: boolean;
    ink?: string;
    size?: number;
    align?: CanvasTextAlign;
  }
  type Write = (text: string, x: number, y: number, ink?: Ink) => void;
}
