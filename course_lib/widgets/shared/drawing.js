// Colours, numbers and labels, shared by the widgets that draw maps.
import { DIFFERENCE_SCALE } from "./constants.js";

export const FACE = 'system-ui, "DejaVu Sans", sans-serif';
const CIVIDIS =
  "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66002d68" +
  "002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f357012357014367016377018376f" +
  "1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d2e416d2f426d31436d" +
  "32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c3f4c6c404c6c414d6c424e6c" +
  "434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c4e566c4f576c50576c51586d52596d" +
  "535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e5c616e5d616e5e626e5e636f5f636f60646f" +
  "61656f62656f636670646770656870656870666970676a71686a71696b716a6c716b6d726c6d726c6e726d6f726e6f73" +
  "6f70737071737172747272747273747374757474757575757676767777767777777878777979777a7a787b7a787c7b78" +
  "7d7c787e7c787e7d787f7e78807f78817f788280798381798482798582798683798784788885788985788a86788b8778" +
  "8c88788d88788e89788f8a78908b78918b78928c78928d78938e78948e77958f779690779791779892779992779a9376" +
  "9b94769c95769d95769e96769f9775a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073" +
  "aba072aca172ada272aea371afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6d" +
  "bcae6cbdae6cbeaf6bbfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64" +
  "cdbb63cebc63cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858" +
  "dec958dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748" +
  "f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636fee838";

/** @type {(value: number) => string} */
export const exact = (value) => (Number.isNaN(value) ? "NaN" : String(Number(value.toPrecision(6))));
/** @type {(value: number) => string} */
export const short = (value) => (Number.isNaN(value) ? "NaN" : value.toFixed(2));
/** @type {(write: (value: number) => string, value: number) => string} */
export const signed = (write, value) => (value > 0 ? "+" : "") + write(value).replace("-", "\u2212");
/** @type {(value: number, low: number, high: number) => number} */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
/** @type {(hex: string) => Course.Rgb} */
export const hexRgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.substr(i, 2), 16));

/** 256 colours as bytes: of weights from 0 to 1, and of differences from -1 to 1. */
export const WEIGHT_COLOURS = Array.from({ length: 256 }, (_, i) => hexRgb("#" + CIVIDIS.substr(6 * i, 6)));
export const DIFFERENCE_COLOURS = Array.from({ length: 256 }, (_, i) => {
  const [low, middle, high] = DIFFERENCE_SCALE.map(hexRgb);
  const far = Math.abs(i - 127.5) / 127.5;
  return middle.map((part, c) => Math.round(part + far * ((i < 127.5 ? low : high)[c] - part)));
});

/**
 * Makes write(text, x, y, { bold, ink, size, align }), with these colours and sizes where it gets no others.
 * @type {(context: Course.Context, palette: Course.Palette, font: number, side?: CanvasTextAlign) => Course.Write}
 */
export const writer = (context, palette, font, side = "left") => (text, x, y, { bold = false, ink = palette.ink, size = font, align = side } = {}) => {
  context.font = `${bold ? 700 : 400} ${size}px ${FACE}`;
  context.fillStyle = ink;
  context.textAlign = align;
  context.fillText(text, x, y);
};

/**
 * Black or white, whichever stands out more from a colour: by 4.5 to 1 or more (WCAG 2.1).
 * @type {(rgb: Course.Rgb) => string}
 */
export function inkOn(rgb) {
  const [red, green, blue] = rgb.map((byte) => (byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4));
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) ** 2 > 1.05 * 0.05 ? "#000000" : "#ffffff";
}

/**
 * Dots under a text that was just written there: the canvas's dotted underline.
 * @type {(context: Course.Context, text: string, x: number, y: number, colour: string) => void}
 */
export function underline(context, text, x, y, colour) {
  const { width } = context.measureText(text);
  const left = x - { left: 0, start: 0, center: width / 2, right: width, end: width }[context.textAlign];
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.setLineDash([2, 2]);
  context.beginPath();
  context.moveTo(left, y);
  context.lineTo(left + width, y);
  context.stroke();
  context.setLineDash([]);
}

/**
 * Shorten a label to a width in pixels; the read-out and the table keep it whole.
 * @param {Pick<Course.Context, "measureText">} context
 * @param {string} text
 * @param {number} width
 */
export function fit(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && context.measureText(characters.join("") + "…").width > width) characters.pop();
  return characters.join("") + "…";
}
