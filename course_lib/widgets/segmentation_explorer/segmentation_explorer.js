// The page of the segmentation explorer. Text is cut here: nothing asks the kernel.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveFile, sharpContext, table, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { BLOCKS, FIRST_BYTE, LADDER, LONGEST_TEXT } from "./constants.js";
import {
  bytesIn, idsAfter, isByte, joinedPlaces, ONLY_BLANK, readEncoding, stepsWith, tokenLabel,
} from "./segmentation.js";
import { drawSegmentation, frameSegmentation } from "./segmentation_drawing.js";

const SLIDER = 240; // places of the slider: the first merges lie far apart on it, the last close together

/** @type {(stage: Course.Stage<Record<string, Pieces.Trace>, Pieces.Choices>) => void} */
function buildSegmentation({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const names = Object.keys(trace);
  const encodings = Object.fromEntries(names.map((name) => [name, readEncoding(trace[name])]));
  /** @type {number | null} */
  let hovered = null; // place of the piece under the pointer
  /** @type {Pieces.Frame | null} */
  let frame = null;
  /** @type {Pieces.Shown | null} */
  let shown = null; // what `look` returned for the last drawing
  let room = 0;

  // ---- what is chosen ------------------------------------------------------------------------------
  const encoding = () => encodings[view.now.encoding];
  /** @type {(encoding: Pieces.Encoding) => number} */
  const mergesOf = ({ total }) => Math.min(view.now.merges ?? total, total);
  /** @type {(merges: number) => void} */
  const chooseMerges = (merges) => {
    const { total } = encoding();
    view.set({ merges: merges >= total ? null : Math.max(0, merges), step: null });
  };
  /** @type {(word: number) => void} */
  const chooseWord = (word) => view.set({ word: clamp(word, 0, Math.max(0, shown.words.length - 1)), step: null });
  /** @type {(step: number) => void} */
  const chooseStep = (step) => view.set({ step: step >= shown.count ? null : Math.max(0, step) });

  /**
   * Everything that is drawn, of the choices and the text.
   * @type {() => Pieces.Shown}
   */
  function look() {
    const { text, ids } = view.now;
    const { pieces, total, cut } = encoding();
    const merges = mergesOf(encoding());
    const words = cut(text);
    /** @type {(id: number) => string} */
    const label = (id) => (isByte(id) ? pieces[id].slice(1, -1) : tokenLabel(pieces[id]));
    const idsOf = words.map((word) => idsAfter(word, stepsWith(word, merges)));
    const chosen = words.length ? Math.min(view.now.word, words.length - 1) : null;
    /** @type {(id: number) => boolean} */
    const endsLine = (id) => pieces[id] === "\n" || id === FIRST_BYTE + 10;
    const amount = idsOf.flat().length;
    const spoken = wordsIn(words);
    const title = `${counted(amount, "piece", "pieces")} for ${counted(spoken, "word or mark", "words and marks")}${spoken ? `, ${(amount / spoken).toFixed(2)} each` : ""}`;
    const subtitle = `${view.now.encoding}: ${mergesText(merges, total)}`;
    const whole = { text, ids, merges, total, pieces, parts: words, words: idsOf, word: chosen, title, subtitle, label, endsLine };
    return { ...whole, ...(chosen === null ? { count: 0, step: 0, ladderTitle: "", ladder: [] } : ladderOf(words[chosen], label)) };
  }
  /**
   * How a word comes to its pieces: its steps, and the last of those that are shown.
   * @type {(word: Pieces.Word, label: (id: number) => string) => Pick<Pieces.Shown, "count" | "step" | "ladderTitle" | "ladder">}
   */
  function ladderOf(word, label) {
    const count = stepsWith(word, mergesOf(encoding()));
    const step = Math.min(view.now.step ?? count, count);
    const ladderTitle = `How “${word.spelled.map(label).join("")}” is joined: ${count ? `step ${step} of ${count}` : "no merge applies"}`;
    const rungs = Array.from({ length: Math.min(step, LADDER) + 1 }, (_, i) => Math.max(0, step - LADDER) + i);
    const ladder = rungs.map((rung) => {
      const ids = idsAfter(word, rung);
      const joined = rung ? joinedPlaces(idsAfter(word, rung - 1), ids) : new Set();
      return { name: rung ? `merge ${grouped(word.steps[rung - 1].rank + 1)}` : "spelled", ids, joined };
    });
    return { count, step, ladderTitle, ladder };
  }
  /** @type {(number: number) => string} */
  const grouped = (number) => number.toLocaleString("en");
  /** @type {(count: number, one: string, more: string) => string} */
  const counted = (count, one, more) => `${grouped(count)} ${count === 1 ? one : more}`;
  /** @type {(merges: number, total: number) => string} */
  const mergesText = (merges, total) =>
    merges === total ? `all ${grouped(total)} merges` : merges ? `the first ${grouped(merges)} of ${grouped(total)} merges` : `none of ${grouped(total)} merges`;
  /** @type {(words: Pieces.Word[]) => number} */
  const wordsIn = (words) => words.filter(({ word }) => !ONLY_BLANK.test(word)).length;

  /** The nearest number of merges at which a word of the text changes, up and down; none where nothing does. */
  const nextJoin = () => {
    const next = Math.min(...shown.parts.map((word) => word.steps[stepsWith(word, shown.merges)]?.needs ?? Infinity));
    return next === Infinity ? shown.merges : next;
  };
  const lastJoin = () => {
    const last = Math.max(0, ...shown.parts.map((word) => word.steps[stepsWith(word, shown.merges) - 1]?.needs ?? 0));
    return last === 0 ? shown.merges : last - 1;
  };

  // ---- the page ------------------------------------------------------------------------------------
  /** @type {(text: string, title: string, act: () => void) => HTMLButtonElement} */
  const button = (text, title, act) => {
    const said = /\p{L}/u.test(text) && !title.includes(text) ? `${text}: ${title}` : title; // a name holds what is seen
    const made = node("button", { type: "button", title, "aria-label": said }, text);
    made.addEventListener("click", act, { signal });
    return made;
  };
  const which = picker("Learned from", names, (i) => view.set({ encoding: names[i], step: null }), signal);
  const ids = toggle("Ids", "Write each piece's id below it", () => view.now.ids, () => view.set({ ids: !view.now.ids }), signal);
  toolbar.append(
    which.label, ids,
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      button("PNG", "Save PNG", () => canvas.toBlob((blob) => saveFile(blob, "pieces.png", "image/png"))),
      button("SVG", "Save SVG", () => saveFile(svgText(), "pieces.svg", "image/svg+xml")),
      button("HTML", "Save HTML", () => savePage("Pieces", node("img", { src: canvas.toDataURL(), alt: describe() }), "pieces.html"))),
  );

  const box = node("textarea", { class: "course-pieces-text", rows: 2, maxlength: LONGEST_TEXT, dir: "auto", spellcheck: "false", "aria-label": "Text to cut", placeholder: "Type a text" });
  box.addEventListener("input", () => view.set({ text: box.value.toWellFormed(), step: null }), { signal });
  box.addEventListener("keydown", (event) => event.stopPropagation(), { signal }); // Lab would take Enter and the arrows

  /** @type {(merges: number, total: number) => number} */
  const placeOf = (merges, total) => Math.round((SLIDER * Math.log(merges + 1)) / Math.log(total + 1)) || 0;
  const slider = node("input", { type: "range", min: 0, max: SLIDER, step: 1, "aria-label": "Merges" });
  slider.addEventListener("input", () => {
    const { merges, total } = shown;
    const wanted = Math.round((total + 1) ** (slider.valueAsNumber / SLIDER)) - 1;
    // Several places of the slider's beginning mean the same number; a step of it must still be one.
    chooseMerges(wanted === merges ? merges + Math.sign(slider.valueAsNumber - placeOf(merges, total)) : wanted);
  }, { signal });
  const number = node("input", { type: "number", min: 0, step: 1, "aria-label": "Number of merges" });
  const setNumber = () => {
    if (Number.isInteger(number.valueAsNumber)) chooseMerges(number.valueAsNumber);
    draw();
  };
  number.addEventListener("change", setNumber, { signal });
  onKeys(number, { Enter: setNumber }, signal); // Lab takes Enter before it becomes a change
  const undo = button("◂ Undo join", "Fewer merges, until a piece of the text comes apart", () => chooseMerges(lastJoin()));
  const join = button("Next join ▸", "More merges, until two pieces of the text are joined", () => chooseMerges(nextJoin()));
  const merging = node("div", { class: "course-pieces-row", role: "group", "aria-label": "Merges" },
    node("label", { class: "course-picker" }, node("span", {}, "Merges"), slider), number, undo, join);

  const first = button("Spelled", "The word before any merge", () => chooseStep(0));
  const back = button("◂ Back", "One step back", () => chooseStep(shown.step - 1));
  const forth = button("Step ▸", "One step on", () => chooseStep(shown.step + 1));
  const last = button("All", "All steps of the word", () => chooseStep(Infinity));
  const replay = node("div", { class: "course-pieces-row", role: "group", "aria-label": "Steps of the chosen word" },
    node("span", { class: "course-quiet" }, "The chosen word, step by step"), first, back, forth, last);

  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "pieces of a text" });
  const body = node("div", { class: "course-pieces-stage" }, canvas);
  const readout = node("p", { class: "course-pieces-readout", role: "status", "aria-live": "polite" });
  const counts = node("div", { class: "course-pieces-counts", tabindex: "0", role: "group", "aria-label": "Counts" });
  const help = node("p", { class: "course-quiet course-pieces-help" }, "On the picture: ",
    ...[["← →", "word"], ["↑ ↓", "step of the word"], ["+ −", "next join, undo"], ["Home End", "first, last word"]].map(([keys, what]) =>
      node("span", { class: "course-pieces-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  const legend = node("p", { class: "course-quiet" },
    "One block is one piece; ▁ is the space before a word. A dashed block is one byte of a character that the text learned from does not have.");
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "Pieces and steps as tables"), scroll);
  root.append(box, merging, replay, body, readout, counts, legend, help, details);
  onKeys(canvas, {
    ArrowLeft: () => chooseWord(shown.word - 1),
    ArrowRight: () => chooseWord(shown.word + 1),
    ArrowUp: () => chooseStep(shown.step - 1),
    ArrowDown: () => chooseStep(shown.step + 1),
    Home: () => chooseWord(0),
    End: () => chooseWord(Infinity),
    "+": () => chooseMerges(nextJoin()),
    "-": () => chooseMerges(lastJoin()),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  const looks = () => ({ palette: palette(), grounds: BLOCKS[root.dataset.theme] });
  /** @type {(context: Course.Context) => Pieces.Frame} */
  const frameOf = (context) => frameSegmentation(context, shown, { width: room, font: view.now.large ? 22 : 15 });
  function drawCanvas() {
    frame = frameOf(canvas.getContext("2d"));
    drawSegmentation(sharpContext(canvas, frame.width, frame.height), shown, frame, looks());
    canvas.dataset.places = JSON.stringify(frame.text.map(({ x, y, width }) => [x, y, width, frame.block]));
    canvas.setAttribute("aria-label", `${shown.title}. ${shown.subtitle}. Arrow keys move.`);
  }
  function svgText() {
    const wanted = frameOf(new SvgContext(1, 1, ""));
    const context = new SvgContext(wanted.width, wanted.height, describe());
    drawSegmentation(context, shown, wanted, looks());
    return context.toString();
  }
  /** @type {(step: Pieces.Step) => string} */
  const joinText = ({ rank, pair }) => `merge ${grouped(rank + 1)} joins ${pair.map(shown.label).join(" + ")}`;
  /** What a sighted reader takes away. */
  function describe() {
    const told = shown.words.map((ids) => ids.map(shown.label).join("|")).join(" ");
    const steps = shown.word === null ? [] : shown.parts[shown.word].steps.slice(0, shown.step);
    return [`${shown.title} (${shown.subtitle})`, told, shown.ladderTitle, ...steps.map(joinText)].filter(Boolean).join(". ") + ".";
  }
  /**
   * What a piece is; `byte` is what `bytesIn` says of it.
   * @type {(id: number, byte: Pieces.Byte | null) => string}
   */
  function tell(id, byte) {
    if (byte) return `byte ${byte.part} of ${byte.parts} of “${byte.label}”`;
    const rank = encoding().learned.get(id);
    return rank === undefined ? "character" : `joined by merge ${grouped(rank + 1)}`;
  }
  function drawReadout() {
    if (shown.word === null) return readout.replaceChildren("Type a text: each block will be a piece.");
    const one = hovered === null ? null : frame?.text[hovered];
    if (one) {
      const place = hovered - frame.text.findIndex(({ word }) => word === one.word);
      return readout.replaceChildren(`Piece ${hovered + 1} of ${frame.text.length}: `, node("bdi", {}, `“${shown.label(one.id)}”`), `, id ${one.id}, ${tell(one.id, bytesIn(shown.words[one.word])[place])}`);
    }
    const ids = shown.words[shown.word];
    const step = shown.step && shown.step < shown.count + 1 ? shown.parts[shown.word].steps[shown.step - 1] : null;
    readout.replaceChildren(
      `Word ${shown.word + 1} of ${shown.words.length}: `,
      ...ids.flatMap((id, i) => [i ? " · " : "", node("bdi", {}, shown.label(id)), ` (${id})`]),
      step ? `. Step ${shown.step} of ${shown.count}: ${joinText(step)}.` : shown.count ? `. Step 0 of ${shown.count}.` : ".",
    );
  }
  function drawCounts() {
    const letters = [...shown.text].length;
    /** @type {(name: string, merges: string, size: string, pieces: number, words: number) => string[]} */
    const line = (name, merges, size, pieces, words) =>
      [name, merges, size, grouped(pieces), words ? (pieces / words).toFixed(2) : "–", pieces ? (letters / pieces).toFixed(2) : "–"];
    const words = wordsIn(shown.parts);
    const rows = names.map((name) => {
      const one = encodings[name];
      const merges = mergesOf(one);
      const pieces = one.cut(shown.text).reduce((sum, word) => sum + idsAfter(word, stepsWith(word, merges)).length, 0);
      return line(name, grouped(merges), grouped(one.sizes[merges]), pieces, words);
    });
    rows.push(line("bytes alone", "–", "256", new TextEncoder().encode(shown.text).length, words));
    const drawn = table("The same text", ["learned from", "merges", "vocabulary", "pieces", "per word or mark", "characters per piece"], rows);
    drawn.querySelectorAll("tbody th")[names.indexOf(view.now.encoding)].setAttribute("data-chosen", "");
    counts.replaceChildren(drawn);
  }
  function drawTables() {
    if (!details.open) return;
    const rows = shown.words.flatMap((ids, word) => {
      const bytes = bytesIn(ids);
      return ids.map((id, i) => [word + 1, shown.label(id), id, tell(id, bytes[i])]);
    });
    const tables = [table("The pieces", ["word", "piece", "id", "what it is"], rows)];
    if (shown.word !== null) {
      const { spelled, steps } = shown.parts[shown.word];
      const cells = steps.slice(0, shown.step).map(({ rank, pair, ids }, i) => [i + 1, rank + 1, pair.map(shown.label).join(" + "), ids.map(shown.label).join(" ")]);
      tables.push(table(shown.ladderTitle, ["step", "merge", "pair", "the word after it"], [[0, "–", "–", spelled.map(shown.label).join(" ")], ...cells]));
    }
    scroll.replaceChildren(...tables);
  }
  function drawControls() {
    const { merges, total } = shown;
    if (box.value !== shown.text) box.value = shown.text;
    which.select.value = String(names.indexOf(view.now.encoding));
    ids.refresh();
    slider.value = String(placeOf(merges, total));
    slider.setAttribute("aria-valuetext", mergesText(merges, total));
    number.max = String(total);
    number.value = String(merges);
    slider.disabled = number.disabled = total === 0;
    undo.disabled = lastJoin() === merges;
    join.disabled = nextJoin() === merges;
    first.disabled = back.disabled = shown.step === 0;
    forth.disabled = last.disabled = shown.step === shown.count;
  }
  function draw() {
    shown = look();
    drawControls();
    if (room <= 0) return;
    drawCanvas();
    hovered = hovered !== null && hovered < frame.text.length ? hovered : null;
    drawReadout();
    drawCounts();
    drawTables();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => number | null} */
  function pieceAt(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const place = frame.text.findIndex((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + frame.block);
    return place < 0 ? null : place;
  }
  canvas.addEventListener("pointermove", (event) => {
    hovered = pieceAt(event);
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    canvas.focus();
    const place = pieceAt(event);
    if (place !== null) chooseWord(frame.text[place].word);
  }, { signal });
  details.addEventListener("toggle", drawTables, { signal });

  view.onChange(draw);
  shown = look();
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildSegmentation);
