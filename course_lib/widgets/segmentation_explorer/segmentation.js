// Byte-pair encoding as course_lib/text/bpe.py has it; tests hold the two against each other.
import { FIRST_BYTE, FIRST_CHARACTER, SPACE, SPECIAL } from "./constants.js";

export const LETTER = "\\p{L}\\p{M}\\p{N}_";
const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const WORD = new RegExp(` ?[${LETTER}]+| ?[^${LETTER}${BLANK}]+|[${BLANK}]`, "gu");
export const ONLY_BLANK = new RegExp(`^[${BLANK}]+$`, "u");

/**
 * Cut text into words, each with the space before it, and runs of punctuation; nothing is lost.
 * @type {(text: string) => string[]}
 */
const splitWords = (text) => (text ? ` ${text}`.match(WORD) : []);

/**
 * What cuts text with the encoding of a SegmentationTrace, by any number of its merges.
 * @type {(trace: Pieces.Trace) => Pieces.Encoding}
 */
export function readEncoding({ characters, merges }) {
  const pieces = [...SPECIAL, ...Array.from({ length: 256 }, (_, byte) => byteName(byte))];
  /** @type {Map<string, number>} */
  const ofCharacter = new Map();
  for (const code of characters.data) {
    ofCharacter.set(String.fromCodePoint(code), pieces.length);
    pieces.push(String.fromCodePoint(code));
  }
  const ofSpace = ofCharacter.get(SPACE);
  ofCharacter.delete(SPACE); // one in a text is not our mark of a space
  ofCharacter.set(" ", ofSpace);
  const total = merges.shape[0];
  /** @type {Map<number, number>} */
  const rankOf = new Map(); // left id, right id -> rank
  /** @type {{ id: number, left: number, right: number }[]} */
  const joins = []; // rank -> id of what is joined
  /** @type {Map<number, number>} */
  const learned = new Map(); // id -> rank of the first merge that makes it
  /** @type {Map<string, number>} */
  const ofJoin = new Map();
  const sizes = [pieces.length]; // number of merges -> how many pieces there are then
  /** @type {(left: number, right: number) => number} */
  const key = (left, right) => left * 0x200000 + right;
  for (let rank = 0; rank < total; rank++) {
    const [left, right] = merges.data.subarray(2 * rank, 2 * rank + 2);
    const joined = pieces[left] + pieces[right];
    if (!ofJoin.has(joined)) {
      ofJoin.set(joined, pieces.length);
      learned.set(pieces.length, rank);
      pieces.push(joined);
    }
    rankOf.set(key(left, right), rank);
    joins.push({ id: ofJoin.get(joined), left, right });
    sizes.push(pieces.length);
  }
  const utf8 = new TextEncoder();

  /**
   * The ids of a word's characters, or of the bytes of those that are not known.
   * @type {(word: string) => number[]}
   */
  const spell = (word) =>
    [...word].flatMap((character) => ofCharacter.get(character) ?? Array.from(utf8.encode(character), (byte) => FIRST_BYTE + byte));

  /**
   * Join one pair everywhere, from the left.
   * @type {(ids: number[], join: { id: number, left: number, right: number }) => number[]}
   */
  function merge(ids, { id, left, right }) {
    /** @type {number[]} */
    const merged = [];
    for (let i = 0; i < ids.length; i++)
      if (ids[i] === left && ids[i + 1] === right) {
        merged.push(id);
        i++;
      } else merged.push(ids[i]);
    return merged;
  }

  /**
   * Each merge in the order applied; `needs` is how many merges must be learned for it to come about.
   * @type {(word: string) => Pieces.Word}
   */
  function cutWord(word) {
    const spelled = spell(word);
    /** @type {Pieces.Step[]} */
    const steps = [];
    for (let ids = spelled, needs = 0; ; ) {
      let best = total;
      for (let i = 0; i + 1 < ids.length; i++) {
        const rank = rankOf.get(key(ids[i], ids[i + 1]));
        if (rank < best) best = rank;
      }
      if (best === total) return { word, spelled, steps };
      ids = merge(ids, joins[best]);
      needs = Math.max(needs, best + 1);
      steps.push({ rank: best, needs, ids, pair: [joins[best].left, joins[best].right] });
    }
  }

  /** @type {Map<string, Pieces.Word>} */
  let known = new Map(); // the words of the last text
  /**
   * A text's words as { word, spelled, steps }, with all steps that the merges allow; see `stepsWith`.
   * @type {(text: string) => Pieces.Word[]}
   */
  function cut(text) {
    const next = new Map();
    const words = splitWords(text).map((word) => {
      if (!next.has(word)) next.set(word, known.get(word) ?? cutWord(word));
      return next.get(word);
    });
    known = next;
    return words;
  }
  return { total, pieces, learned, cut, sizes };
}

/**
 * How many of a word's steps come about with the first `merges` merges.
 * @type {(word: Pieces.Word, merges: number) => number}
 */
export function stepsWith({ steps }, merges) {
  let count = 0;
  while (count < steps.length && steps[count].needs <= merges) count++;
  return count;
}
/**
 * A word's pieces after some of its steps.
 * @type {(word: Pieces.Word, count: number) => number[]}
 */
export const idsAfter = ({ spelled, steps }, count) => (count ? steps[count - 1].ids : spelled);

/**
 * The places in `after` of the pieces that were joined of two in `before`.
 * @type {(before: number[], after: number[]) => Set<number>}
 */
export function joinedPlaces(before, after) {
  /** @type {Set<number>} */
  const places = new Set();
  for (let i = 0, place = 0; place < after.length; i++, place++)
    if (before[i] !== after[place]) {
      places.add(place);
      i++;
    }
  return places;
}

// ---- how pieces are written, as course_lib/figures/tokens.py does -----------------------------------
/** @type {Record<string, string>} */
const VISIBLE = { " ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍" };
/** @type {(byte: number) => string} */
const byteName = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
/** @type {(id: number) => boolean} */
export const isByte = (id) => id >= FIRST_BYTE && id < FIRST_CHARACTER;
/** @type {(character: string) => boolean} */
const isShaper = (character) => "\u200c\u200d\ufe0e\ufe0f".includes(character);
/** @type {(character: string) => string} */
const codePoint = (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
/** @type {(text: string) => string} */
export function tokenLabel(text) {
  const characters = [...text];
  if (characters.every(isShaper)) return characters.map(codePoint).join("");
  /** @type {(character: string) => string} */
  const show = (character) =>
    VISIBLE[character] ?? (!isShaper(character) && /[\p{C}\p{Z}]/u.test(character) ? codePoint(character) : character);
  return characters.map(show).join("");
}

/**
 * For each byte of a word's pieces which character it belongs to: { label, part, parts }; null for other pieces.
 * @type {(ids: number[]) => (Pieces.Byte | null)[]}
 */
export function bytesIn(ids) {
  /** @type {(Pieces.Byte | null)[]} */
  const told = [];
  for (let i = 0; i < ids.length; ) {
    if (!isByte(ids[i])) {
      told.push(null);
      i++;
      continue;
    }
    const first = ids[i] - FIRST_BYTE;
    const parts = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const label = tokenLabel(new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(ids.slice(i, i + parts), (id) => id - FIRST_BYTE)));
    for (let part = 1; part <= parts; part++) told.push({ label, part, parts });
    i += parts;
  }
  return told;
}
