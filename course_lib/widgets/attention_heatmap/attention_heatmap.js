// The page of the attention heatmap. Everything that is known is switched here, without the kernel.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp, exact, signed } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { readingParts, typedForm } from "../shared/typed.js";
import { asMap, WHOLE } from "./attention_drawing.js";
import { legendMaker } from "./attention_legend.js";
import { asLines } from "./attention_lines.js";
import {
  at, comparable, differenceOf, headNames, kindOf, largest, layerNames, mapOf, quoted, sameTexts,
} from "./attention_maps.js";
import { rowParts } from "./attention_row.js";
import { buildOverview, buildThumbnails } from "./attention_small.js";
import { describeMap, mapTable } from "./attention_words.js";

/**
 * Give a select these options, if it has others.
 * @type {(select: HTMLSelectElement, texts: string[]) => void}
 */
function offer(select, texts) {
  if (sameTexts(texts, [...select.options].map((option) => option.text))) return;
  select.replaceChildren(...texts.map((text, i) => node("option", { value: i }, text)));
}

/** @type {(stage: Course.Stage<Attention.Content, Attention.Choices>) => void} */
function buildAttention({ trace: content, root, toolbar, view, ask, signal, savePage }) {
  const traces = content.maps; // another sentence brings others of the same names
  const kinds = Object.keys(traces);
  /** @type {(kind: string) => number[]} */
  const shapeOf = (kind) => traces[kind].weights.shape;
  const several = kinds.length > 1 || shapeOf(kinds[0])[0] * shapeOf(kinds[0])[1] > 1;
  const palette = paletteOf(root);
  /** @type {Map<string, number>} */
  const guessed = new Map(); // map and row -> guessed key
  /** @type {Map<string, Attention.Map>} */
  const known = new Map(); // maps by what they show, made once
  /** @type {Attention.Found | null} */
  let hovered = null; // the cell, or word, under the pointer
  /** @type {Attention.Frame | null} */
  let frame = null; // what `measure` returned for the last drawing
  let room = 0; // pixels across
  let sentences = 0; // how many the reader has typed
  /** @type {Course.Message | undefined} */
  let packed; // of the last one
  let centred = false; // whether the next drawing puts the chosen cell into the middle of its window

  // ---- what is chosen ------------------------------------------------------------------------------
  const now = () => view.now;
  /** @type {(id: string, make: () => Attention.Map) => Attention.Map} */
  const remember = (id, make) => {
    if (!known.has(id)) known.set(id, make());
    return known.get(id);
  };
  /** @type {(which: Attention.Place) => Attention.Map} */
  const mapAt = (which) => remember([which.kind, which.layer, which.head].join("/"), () => mapOf(traces, which));
  const main = () => mapAt(now());
  /** The maps side by side: the chosen one, the second, their difference. */
  const panels = () => {
    const { other, difference } = now();
    const shown = other ? [main(), mapAt(other)] : [main()];
    if (difference) shown.push(remember(shown.map((map) => map.id).join(" - "), () => differenceOf(shown[0], shown[1])));
    return shown;
  };
  /** @type {(query: number) => string} */
  const rowId = (query) => `${main().id}/${query}`;
  /** @type {(map: Attention.Map, query: number) => boolean} */
  const covered = (map, query) => now().guess && !guessed.has(`${map.id}/${query}`);
  /** @type {(query: number) => boolean} */
  const hidden = (query) => covered(main(), query);
  /** @type {(maps: Attention.Map[]) => number} */
  const top = (maps) => (now().scale === "fixed" ? 1 : Math.max(...maps.map(largest)) || 1);
  /** @type {(shape: number[], place: Attention.Place) => Attention.Place} */
  const clampTo = (shape, { kind, layer, head }) => ({ kind, layer: clamp(layer, 0, shape[0] - 1), head: clamp(head, 0, shape[1] - 1) });
  /**
   * Choose, as one message; what the new map hasn't got is brought back into its range.
   * @type {(choices: Partial<Attention.Choices>) => void}
   */
  const choose = (choices) => {
    const next = { ...now(), ...choices };
    const shape = shapeOf(next.kind);
    Object.assign(next, clampTo(shape, next), { query: clamp(next.query, 0, shape[2] - 1), key: clamp(next.key, 0, shape[3] - 1) });
    if (next.other) next.other = clampTo(shapeOf(next.other.kind), next.other);
    next.difference &&= next.other !== null && comparable(mapAt(next), mapAt(next.other));
    view.set(next);
  };
  /** @type {(choices: Partial<Attention.Place>) => void} */
  const chooseOther = (choices) => choose({ other: { ...now().other, ...choices } });
  /** @type {(name: "layer" | "head", count: number, by: number) => void} */
  const turn = (name, count, by) => choose({ [name]: (now()[name] + by + count) % count });
  /** @type {(by: number) => void} */
  const turnKind = (by) => choose({ kind: kinds[(kinds.indexOf(now().kind) + by + kinds.length) % kinds.length] });
  const style = () => (now().lines ? asLines : asMap);
  /**
   * Choose a row, a column, or both; of lines, the row's alone are drawn then.
   * @type {(place: { query?: number, key?: number }) => void}
   */
  const look = (place) => choose(now().lines ? { ...place, lines: "row" } : place);
  /** @type {(rows: number, columns: number) => void} */
  const move = (rows, columns) => look({ query: now().query + rows, key: now().key + columns });
  const toggleLines = () => choose({ lines: now().lines ? null : "all" });
  const toggleOneRow = () => choose({ lines: now().lines === "row" ? "all" : "row" });
  const toggleOther = () => {
    const { kind, layer, head, other } = now();
    const [, heads] = shapeOf(kind);
    const next = heads > 1 ? { head: (head + 1) % heads } : { kind: kinds[(kinds.indexOf(kind) + 1) % kinds.length] };
    if (several) choose({ other: other ? null : { kind, layer, head, ...next } });
  };
  const toggleDifference = () => {
    if (now().other) choose({ difference: !now().difference });
  };
  const longest = () => Math.max(main().rows, main().columns);
  /** @type {(factor: number) => void} */
  const zoom = (factor) => {
    const span = Math.round(frame.span * factor);
    choose({ span: span >= longest() && longest() <= WHOLE ? null : clamp(span, 4, longest()) });
  };
  const makeGuess = () => {
    if (!hidden(now().query)) return;
    guessed.set(rowId(now().query), now().key);
    draw();
  };

  // ---- the page ------------------------------------------------------------------------------------
  const kind = picker("Kind", kinds, (i) => choose({ kind: kinds[i] }), signal);
  const layer = picker("Layer", [], (layer) => choose({ layer }), signal);
  const head = picker("Head", [], (head) => choose({ head }), signal);
  const step = node("input", { type: "range", min: 1, "aria-label": "Step" });
  const stepper = node("label", { class: "course-picker" }, node("span", {}, "Step"), step);
  step.addEventListener("input", () => look({ query: Number(step.value) - 1 }), { signal });
  const scale = picker("Colours", ["0 to 1", "0 to max"], (i) => choose({ scale: i === 0 ? "fixed" : "largest" }), signal);
  const lines = toggle("Lines", "Lines between words in place of the map", () => now().lines !== null, toggleLines, signal);
  const oneRow = toggle("One row", "Only the lines of the chosen row", () => now().lines === "row", toggleOneRow, signal);
  const second = toggle("Second map", "Another head, layer or model beside it, on the same colours", () => now().other !== null, toggleOther, signal);
  const grid = toggle("All heads", "A small map of every head of every layer", () => now().grid, () => choose({ grid: !now().grid }), signal);
  const guess = toggle("Guess first", "Hide each row until you guess its strongest key", () => now().guess,
    () => choose({ guess: !now().guess }), signal);
  const saves = node("span", { class: "attn-save", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
    saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "attention.png", "image/png")), signal),
    saveButton("SVG", () => saveFile(svgText(), "attention.svg", "image/svg+xml"), signal),
    saveButton("HTML", () => savePage(main().trace.title || "Attention", node("img", { src: canvas.toDataURL(), alt: describe() }), "attention.html", packed), signal));
  toolbar.append(...(kinds.length > 1 ? [kind.label] : []), layer.label, head.label, stepper, scale.label, lines, oneRow,
    ...(several ? [second, grid] : []), guess, saves);

  const otherKind = picker("Kind of the second map", kinds, (i) => chooseOther({ kind: kinds[i] }), signal);
  const otherLayer = picker("Layer of the second map", [], (layer) => chooseOther({ layer }), signal);
  const otherHead = picker("Head of the second map", [], (head) => chooseOther({ head }), signal);
  const difference = toggle("Difference", "The first map minus the second, where both have the same words", () => now().difference, toggleDifference, signal);
  const besideIt = node("div", { class: "course-toolbar attn-second", role: "group", "aria-label": "The second map" }, node("span", { class: "course-quiet" }, "Beside it:"),
    ...[...(kinds.length > 1 ? [otherKind] : []), otherLayer, otherHead].map((one) => one.select), difference);

  const title = node("h3");
  const canvas = node("canvas", { tabindex: "0", role: "application" });
  const status = node("p", { class: "attn-readout", role: "status", "aria-live": "polite" });
  const stage = node("div", { class: "attn-stage" }, canvas);
  const row = node("div", { class: "attn-chosen-row", role: "group", "aria-label": "The chosen row" });
  const overview = buildOverview({
    signal,
    onRegion: (region) => {
      centred = true; // the window goes to the middle of the region
      choose(region);
    },
  });
  const side = node("div", { class: "attn-side" }, row, ...overview.parts);
  const thumbnails = buildThumbnails({ traces, mapAt, top, covered, palette, choose, signal });
  const body = node("div", { class: "attn-body" }, stage, side);
  const legend = node("div", { class: "attn-legend" });
  const fillLegend = legendMaker(legend, palette);
  const help = node("p", { class: "course-quiet attn-help" });
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The weights as a table"), scroll);
  root.prepend(title);
  const typed = content.reading ? typedForm({ action: "Translate", probe: ask({ want: "text" }), send: translate, signal }) : "";
  const reading = node("div");
  root.append(typed, reading, besideIt, thumbnails.place, body, status, legend, help, details);
  /** @type {(axis: number) => boolean} */
  const many = (axis) => kinds.some((kind) => shapeOf(kind)[axis] > 1);
  const keys = [["← ↑ → ↓", "move"], ["Home End", "ends of the row"], ["PageUp PageDown", "a window up, down"],
    many(1) && ["h H", "next, previous head"], many(0) && ["l L", "layer"], kinds.length > 1 && ["k K", "kind"], several && ["c", "second map"],
    several && ["d", "difference"], several && ["g", "all heads"], ["s", "colours"], ["v", "map or lines"], ["o", "lines of one row"], ["+ -", "zoom"], ["Enter", "guess"]];
  help.append("On the map: ", ...keys.filter(Boolean).map(([key, what]) =>
    node("span", { class: "attn-key" }, ...key.split(" ").map((one) => node("kbd", {}, one)), ` ${what}`)));
  onKeys(canvas, {
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    Home: () => move(0, -main().columns),
    End: () => move(0, main().columns),
    PageUp: () => move(-frame.places[0].rows, 0),
    PageDown: () => move(frame.places[0].rows, 0),
    h: () => turn("head", shapeOf(now().kind)[1], 1),
    H: () => turn("head", shapeOf(now().kind)[1], -1),
    l: () => turn("layer", shapeOf(now().kind)[0], 1),
    L: () => turn("layer", shapeOf(now().kind)[0], -1),
    k: () => turnKind(1),
    K: () => turnKind(-1),
    c: toggleOther,
    d: toggleDifference,
    g: () => several && choose({ grid: !now().grid }),
    s: () => choose({ scale: now().scale === "fixed" ? "largest" : "fixed" }),
    v: toggleLines,
    o: () => now().lines && toggleOneRow(),
    "+": () => zoom(1 / 1.5),
    "-": () => zoom(1.5),
    Enter: makeGuess,
  }, signal);

  // ---- another sentence ----------------------------------------------------------------------------
  /**
   * Show the attention on another sentence; returns what is wrong with it, "" where nothing is.
   * @type {(text: string) => Promise<string>}
   */
  async function translate(text) {
    view.save(); // a choice that comes later could be one that the new maps don't have
    try {
      const answer = await ask({ want: "text", text });
      Object.assign(traces, answer.maps);
      content.reading = answer.reading;
      packed = answer.packed;
    } catch (error) {
      return error.message;
    }
    sentences++;
    known.clear();
    guessed.clear();
    choose({ query: 0, key: 0, difference: now().difference && now().other?.kind === now().kind });
    view.redraw();
    showReading();
    return "";
  }
  function showReading() {
    if (content.reading) reading.replaceChildren(...readingParts(content.reading));
  }
  /** @type {Attention.Looks["strange"]} */
  const strange = (labels, place) => Boolean(content.reading?.unseen.includes(place)) && sameTexts(labels, content.reading.pieces);

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(maps: Attention.Map[]) => Attention.Looks} */
  const looks = (maps) => ({ top: top(maps), hidden, strange, palette: palette(), only: hovered ?? { query: now().lines === "row" ? now().query : null, key: null } });

  function drawToolbar() {
    const { kind: k, layer: l, head: h, query, other, scale: colours } = now();
    /** @type {(pickers: { picker: ReturnType<typeof picker>, texts: (trace: Attention.Trace) => string[], i: number }[], which: Attention.Place) => void} */
    const show = (pickers, which) => {
      const trace = traces[which.kind];
      for (const { picker: { select, label }, texts, i } of pickers) {
        offer(select, texts(trace));
        select.value = String(i);
        select.hidden = label.hidden = select.options.length < 2;
      }
    };
    kind.select.value = String(kinds.indexOf(k));
    show([{ picker: layer, texts: layerNames, i: l }, { picker: head, texts: headNames, i: h }], now());
    if (other) {
      otherKind.select.value = String(kinds.indexOf(other.kind));
      show([{ picker: otherLayer, texts: layerNames, i: other.layer }, { picker: otherHead, texts: headNames, i: other.head }], other);
    }
    besideIt.hidden = !other;
    difference.disabled = !other || !comparable(main(), mapAt(other));
    stepper.hidden = main().rows < 2;
    step.max = String(main().rows);
    step.value = String(query + 1);
    step.setAttribute("aria-valuetext", `${query + 1} of ${main().rows}: ${main().queries[query]}`);
    scale.select.value = String(colours === "fixed" ? 0 : 1);
    oneRow.hidden = now().lines === null;
    for (const button of [lines, oneRow, second, grid, guess, difference]) button.refresh();
    title.textContent = main().trace.title;
    title.hidden = !main().trace.title;
  }

  function drawRow() {
    const { query, key, kind, other, guess } = now();
    const maps = panels().filter((map) => !map.difference);
    const kindsRead = [...new Set([kind, other?.kind ?? kind])];
    row.replaceChildren(...rowParts({ traces, maps, kinds: kindsRead, query, key, hidden: hidden(query), guess: guess ? guessed.get(rowId(query)) : undefined }));
    body.dataset.panels = String(panels().length);
  }

  /**
   * Lay out and draw the maps as they are chosen now; the context is a canvas's, or writes SVG.
   * @type {(context: Course.Context, last: Attention.Frame | null) => Attention.Frame}
   */
  function frameOf(context, last) {
    const { query, key, large, span } = now();
    const beside = (large ? 21 : 14) * 21; // the chosen row stands beside one map where there is room for both
    const width = panels().length === 1 && room > 2.2 * beside ? room - beside : room;
    const height = clamp(0.6 * window.innerHeight, 320, 720);
    return style().measure(context, panels(), { width, height, font: large ? 19 : 13, least: large ? 14 : 10, query, key, span, last });
  }
  function drawCanvas() {
    frame = frameOf(canvas.getContext("2d"), centred ? null : frame);
    centred = false;
    style().draw(sharpContext(canvas, frame.width, frame.height), panels(), frame, looks(panels()));
    const [{ left, key, query, firstColumn, firstRow }] = frame.places;
    canvas.dataset.cell = [left + (key - firstColumn) * frame.cell, frame.top + (query - firstRow) * frame.cell, frame.cell].join(" ");
    canvas.setAttribute("aria-roledescription", style().spoken);
    canvas.setAttribute("aria-label", `Attention of ${panels().map((map) => map.name).join(", ")}: ` +
      `${main().rows} rows, ${main().columns} columns. Arrow keys move.`);
  }
  function svgText() {
    const wanted = frameOf(new SvgContext(1, 1, ""), frame);
    const context = new SvgContext(wanted.width, wanted.height, describe());
    style().draw(context, panels(), wanted, looks(panels()));
    return context.toString();
  }
  const describe = () => describeMap(main(), hidden);

  function drawOverview() {
    overview.draw(main(), frame.places[0], looks(panels()), now().guess, guessed.size, sentences, root.dataset.theme);
  }
  function drawThumbnails() {
    const { grid: shown, kind, guess, scale: colours } = now();
    thumbnails.place.hidden = !shown;
    if (!shown) return;
    thumbnails.fill(kind, room, guess, guessed.size, sentences, colours, root.dataset.theme);
    thumbnails.mark(panels().map((map) => map.id));
  }

  function drawReadout() {
    const [query, key] = [hovered?.query ?? now().query, hovered?.key ?? now().key];
    const home = panels()[hovered?.panel ?? 0];
    /** @type {(map: Attention.Map) => string} */
    const say = (map) => {
      const [q, k] = [Math.min(query, map.rows - 1), Math.min(key, map.columns - 1)];
      const kind = kindOf(map, q, k);
      if (kind === "masked") return "masked";
      if (hidden(query)) return "hidden until you guess";
      if (kind === "nan") return "NaN";
      return map.difference ? signed(exact, at(map, q, k)) : `weight ${exact(at(map, q, k))}`;
    };
    const shown = panels().filter((map) => map === home || comparable(map, home));
    const named = several && (shown.length > 1 || main().trace.weights.shape[1] > 1);
    status.replaceChildren(
      `Row ${query + 1} `, node("bdi", {}, quoted(home.queries[query])), `, column ${key + 1} `, node("bdi", {}, quoted(home.keys[key])), ": ",
      shown.map((map) => (map.difference ? "difference " : named ? `${map.name} ` : "") + say(map)).join(", "),
    );
  }

  function drawTable() {
    if (!details.open) return;
    scroll.replaceChildren(...panels().map((map, i) => mapTable(map, frame.places[i], hidden)));
  }

  function draw() {
    drawToolbar();
    if (room <= 0) return;
    drawCanvas();
    drawRow();
    drawOverview();
    drawThumbnails();
    fillLegend(panels(), top(panels()), Boolean(now().lines), root.dataset.theme);
    drawReadout();
    drawTable();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => Attention.Found | null} */
  function foundAt(event) {
    const box = canvas.getBoundingClientRect();
    return style().cellAt(frame, event.clientX - box.left, event.clientY - box.top);
  }
  /** @type {(found: Attention.Found | null) => void} */
  function hover(found) {
    hovered = found;
    if (now().lines) drawCanvas();
    drawReadout();
  }
  canvas.addEventListener("pointermove", (event) => {
    const found = foundAt(event);
    hover(now().lines || found?.key != null ? found : null);
  }, { signal });
  canvas.addEventListener("pointerleave", () => hover(null), { signal });
  canvas.addEventListener("click", (event) => {
    const found = foundAt(event);
    if (!found) return;
    canvas.focus();
    const { query, key } = { query: found.query ?? now().query, key: found.key ?? now().key };
    const again = query === now().query;
    look({ query, key });
    if (again && found.key !== null) makeGuess();
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  showReading();
  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildAttention);
