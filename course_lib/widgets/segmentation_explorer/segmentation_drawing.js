// The picture: a text's pieces as blocks, and below it how one word came to its pieces.
import { FACE, fit } from "../shared/drawing.js";
import { isByte } from "./segmentation.js";

/**
 * Where everything lies, in pixels. `shown` is what `look` in segmentation_explorer.js returns.
 * @type {(context: Course.Context, shown: Pieces.Shown, room: { width: number, font: number }) => Pieces.Frame}
 */
export function frameSegmentation(context, shown, { width, font }) {
  const face = `${font}px ${FACE}`;
  const small = Math.round(0.72 * font);
  const block = Math.round(1.7 * font);
  const gap = Math.round(0.55 * font);
  const idLine = shown.ids ? Math.round(1.3 * small) : 0;
  const row = block + gap + idLine;
  const margin = 3;
  /** @type {Map<number, number>} */
  const measured = new Map();
  /** @type {(id: number) => number} */
  const measure = (id) => {
    if (!measured.has(id)) {
      context.font = face;
      const label = context.measureText(shown.label(id)).width;
      context.font = `${small}px ${FACE}`;
      measured.set(id, Math.max(label + 0.7 * font, shown.ids ? context.measureText(String(id)).width + 6 : 0));
    }
    return Math.min(measured.get(id), width - 2 * margin);
  };

  /**
   * Lay blocks out in rows, a word in one row where it fits; a row ends with an end of line.
   * @type {(words: number[][], left: number, top: number, pitch: number) => { blocks: Pieces.Block[], bottom: number }}
   */
  function lay(words, left, top, pitch) {
    /** @type {Pieces.Block[]} */
    const blocks = [];
    const right = width - margin;
    let x = left;
    let y = top;
    const next = () => ([x, y] = [left, y + pitch]);
    words.forEach((ids, word) => {
      const whole = ids.reduce((sum, id) => sum + measure(id), 0);
      if (x > left && x + whole > right) next();
      for (const id of ids) {
        if (x > left && x + measure(id) > right) next();
        blocks.push({ id, word, x, y, width: measure(id) });
        x += measure(id);
      }
      x += gap;
      if (shown.endsLine(ids.at(-1))) next();
    });
    return { blocks, bottom: blocks.length ? blocks.at(-1).y + pitch : top };
  }

  const heading = Math.round(1.5 * font);
  const text = lay(shown.words, margin, 2 * heading + gap, row);
  /** @type {Pieces.Frame["ladder"]} */
  const ladder = [];
  const ladderTop = text.bottom + gap;
  let bottom = text.bottom;
  if (shown.ladder.length) {
    context.font = face;
    const names = Math.max(...shown.ladder.map(({ name }) => context.measureText(name).width)) + font;
    bottom = ladderTop + heading;
    for (const { name, ids, joined } of shown.ladder) {
      const { blocks, bottom: next } = lay([ids], margin + names, bottom, block + gap);
      ladder.push({ name, y: bottom, blocks, joined });
      bottom = next;
    }
  }
  return { width, height: Math.ceil(bottom + margin), font, small, block, heading, margin, text: text.blocks, ladder, ladderTop };
}

/** @type {(context: Course.Context, shown: Pieces.Shown, frame: Pieces.Frame, looks: { palette: Course.Palette, grounds: string[] }) => void} */
export function drawSegmentation(context, shown, frame, { palette, grounds }) {
  const { width, height, font, small, block, heading, margin } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  /** @type {Course.Write} */
  const write = (text, x, y, { size = font, ink = palette.ink, bold = false, align = "left" } = {}) => {
    Object.assign(context, { font: `${bold ? "600 " : ""}${size}px ${FACE}`, fillStyle: ink, textAlign: align });
    context.fillText(text, x, y);
  };
  /**
   * A line of text, smaller where there is no room for it.
   * @type {(text: string, y: number, look: Course.Ink) => void}
   */
  const writeLine = (text, y, look) => {
    context.font = `600 ${font}px ${FACE}`;
    write(text, margin, y, { ...look, size: Math.min(font, (font * (width - 2 * margin)) / context.measureText(text).width) });
  };
  /** @type {(x: number, y: number, across: number, down: number, colour: string, thick: number, dashed: boolean) => void} */
  const outline = (x, y, across, down, colour, thick, dashed) => {
    Object.assign(context, { strokeStyle: colour, lineWidth: thick });
    context.setLineDash(dashed ? [4, 3] : []);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + across, y);
    context.lineTo(x + across, y + down);
    context.lineTo(x, y + down);
    context.closePath();
    context.stroke();
    context.setLineDash([]);
  };
  // Only a block as wide as the picture can be too narrow for its label.
  /** @type {(label: string, across: number) => string} */
  const cutShort = (label, across) => (across < width - 2 * margin ? label : fit(context, label, across));
  /** @type {(block: Pieces.Block, place: number, marked: boolean) => void} */
  const drawBlock = ({ id, x, y, width: across }, place, marked) => {
    context.fillStyle = grounds[place % 2];
    context.fillRect(x + 1, y, across - 2, block);
    outline(x + 1, y, across - 2, block, marked ? palette.accent : palette.ink, marked ? 3 : 1, isByte(id));
    write(cutShort(shown.label(id), across), x + across / 2, y + block / 2, { align: "center" });
  };
  writeLine(shown.title, heading / 2, { bold: true });
  writeLine(shown.subtitle, 1.45 * heading, { ink: palette.muted });
  frame.text.forEach((one, place) => {
    drawBlock(one, place, false);
    if (shown.ids) write(String(one.id), one.x + one.width / 2, one.y + block + 0.8 * small, { size: small, ink: palette.muted, align: "center" });
    if (one.word === shown.word) {
      context.fillStyle = palette.accent;
      context.fillRect(one.x, one.y + block + 1, one.width, 3);
    }
  });
  if (!frame.ladder.length) return;
  writeLine(shown.ladderTitle, frame.ladderTop + heading / 2, { bold: true });
  for (const { name, y, blocks, joined } of frame.ladder) {
    write(name, margin, y + block / 2, { ink: palette.muted });
    blocks.forEach((one, place) => drawBlock(one, place, joined.has(place)));
  }
}
