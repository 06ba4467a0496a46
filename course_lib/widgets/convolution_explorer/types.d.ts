// What TypeScript must know to check the modules of the convolution explorer.

declare namespace Convolution {
  /** A packed ConvolutionTrace. */
  interface Trace {
    title: string;
    pictures: Course.Packed;
    picture_names: string[];
    kernels: Course.Packed;
    kernel_names: string[];
  }

  interface Choices {
    picture: number;
    kernel: number;
    stride: number;
    padding: number;
    dilation: number;
    turn: number;
    row: number | null;
    column: number | null;
  }

  /** Numbers row by row. */
  interface Grid {
    data: ArrayLike<number>;
    height: number;
    width: number;
  }

  /** A picture from a file of the reader. */
  interface Own {
    name: string;
    image: Grid & { data: Float32Array };
  }

  interface Geometry {
    stride: number;
    padding: number;
    dilation: number;
    turn: number; // of the kernel's grid, clockwise, in degrees
  }

  /** One product of an output's sum; between pixels lies their weighted mean, and a pixel of the padding is 0. */
  interface Term {
    row: number;
    column: number;
    inside: boolean;
    pixel: number;
    weight: number;
  }

  /** What is drawn. */
  interface Scene {
    image: Grid;
    kernel: Grid;
    outputs: Grid;
    geometry: Geometry;
    row: number;
    column: number;
    terms: Term[];
  }

  /** Where everything lies, in pixels; a cell is one number. */
  interface Frame {
    font: number;
    width: number;
    height: number;
    top: number;
    cell: number;
    product: number;
    productLeft: number;
    productTop: number;
    outputLeft: number;
    outputTop: number;
  }
}
