// The page of the t-SNE map. Frames, classes and neighbours are switched here; only a new perplexity asks the kernel.
import { courseWidget, once, paletteOf } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveFile, sharpContext, table, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { buildChosen, headOf, rowsOf } from "./tsne_chosen.js";
import { drawBold, drawScene, drawWhole, thumbnailsOf } from "./tsne_drawing.js";
import { buildAsking, buildMeasures, buildOthers } from "./tsne_panel.js";
import { followPointer } from "./tsne_pointer.js";
import { buildLegend, buildNear, buildReadout, buildTip, pictureMaker } from "./tsne_point.js";
import {
  aboutComponents, describeRun, inside, layComponents, nearestInMap, pointNear, pointTowards, project, readRun,
} from "./tsne_run.js";

const FRAMES_A_SECOND = 14; // of the recorded ones; between them points move on with every picture of the screen
const SPEEDS = [0.25, 0.5, 1, 2, 4];
const MOST_ROWS = 300;
const MARGIN = 30; // pixels around the map
const NEAR = 14; // pixels from the pointer to a point
/** @type {Tsne.Choices["layout"][]} */
const LAYOUTS = ["tsne", "pca", "pca3"];
const TURN = 0.15; // radians that a key turns
const TURN_A_PIXEL = 0.01;
const GROW = 5; // points that a key adds around the chosen one

/** @type {(stage: Course.Stage<Tsne.Trace, Tsne.Choices>) => void} */
function buildMap({ trace: first, root, toolbar, view, ask, signal, savePage }) {
  const palette = paletteOf(root);
  let run = readRun(first);
  const thumbnails = thumbnailsOf(run.trace);
  const spots = new Float64Array(2 * run.points); // where each point was drawn last, in pixels
  let size = { width: 0, height: 0 };
  /** @type {number | null} */
  let time = null; // in frames, while the film runs
  let request = 0;
  let speed = 1;
  let zoom = { scale: 1, x: 0, y: 0 };
  let turn = { round: 0.5, over: 0.3 }; // of three components
  /** @type {number | null} */
  let hovered = null;
  let query = "";
  let lassoing = false;
  let grown = 0; // how many points around the chosen one the keys have taken

  // ---- the page ------------------------------------------------------------------------------------
  /** @type {(text: string, title: string, act: () => void) => HTMLElement} */
  const button = (text, title, act) => {
    const made = node("button", { type: "button", title, "aria-label": title }, text);
    made.addEventListener("click", act, { signal });
    return made;
  };
  const play = toggle("Play", "Watch the map form, or hold it", () => time !== null, () => (time === null ? start() : stop()), signal);
  const slider = node("input", { type: "range", min: 0, "aria-label": "Frame" });
  const counter = node("output", { class: "map-counter" });
  const pace = picker("Speed", SPEEDS.map((times) => `${times}×`), (i) => (speed = SPEEDS[i]), signal);
  pace.select.value = String(SPEEDS.indexOf(1));
  const layout = picker("Map", ["t-SNE", "PCA", "PCA in 3-D"], (i) => showLayout(LAYOUTS[i]), signal);
  layout.label.hidden = !first.components;
  const findWhat = first.texts ? "Find a label or text" : "Find a label";
  const search = node("input", { type: "search", "aria-label": findWhat, placeholder: findWhat });
  const found = node("span", { class: "course-quiet", role: "status" });
  const [many, one] = thumbnails ? ["Pictures", "pictures"] : ["Labels", "labels"];
  const labels = toggle(many, `Show ${one} where there is room`, () => view.now.labels, () => view.set({ labels: !view.now.labels }), signal);
  const lassoButton = toggle("Lasso", "Draw a line around points to choose them; Shift and drag does so at any time", () => lassoing, () => turnLasso(), signal);
  /** @type {(text: string, save: () => void) => HTMLElement} */
  const saver = (text, save) => button(text, `Save ${text}`, save);
  toolbar.append(
    layout.label, play, slider, counter, pace.label, search, found, labels, lassoButton,
    node("span", { class: "course-picker" }, button("+", "Zoom in", () => magnify(1.5)), button("−", "Zoom out", () => magnify(1 / 1.5))),
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saver("PNG", () => drawPicture((width, height) => {
        const canvas = node("canvas");
        return { canvas, context: sharpContext(canvas, width, height) };
      }).canvas.toBlob((blob) => saveFile(blob, "map.png", "image/png"))),
      saver("SVG", () => saveFile(drawPicture((width, height) => ({ context: new SvgContext(width, height, describe()) })).context.toString(), "map.svg", "image/svg+xml")),
      saver("HTML", () => savePage(run.trace.title || "t-SNE map", node("img", { src: canvas.toDataURL(), alt: describe() }), "map.html"))),
  );

  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "map of points" });
  const above = node("canvas", { class: "map-above", "aria-hidden": "true", hidden: true });
  const tip = node("div", { class: "map-tip", "aria-hidden": "true", hidden: true });
  const stage = node("div", { class: "map-stage" }, canvas, above, tip);
  const side = node("aside", { class: "map-side", "aria-label": "How far to believe this map" });
  const legend = node("div", { class: "map-legend", role: "group", "aria-label": "Classes: press to hide or show" });
  const moment = node("p", { class: "course-quiet map-moment" });
  const readout = node("p", { class: "map-readout", role: "status", "aria-live": "polite" });
  const near = node("div", { class: "map-near" });
  const chosenPlace = node("div", { class: "map-chosen", role: "group", "aria-label": "Chosen points" });
  const othersPlace = node("div", { class: "map-beside" });
  const help = node("p", { class: "course-quiet map-help" });
  const scroll = node("div", { class: "course-scroll map-table", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The points as a table"), scroll);
  if (run.trace.title) root.prepend(node("h3", {}, run.trace.title));
  root.append(legend, node("div", { class: "map-body" }, node("div", { class: "map-left" }, stage, readout, moment, chosenPlace), side), othersPlace, help, details);
  help.append(
    "On the map: ",
    ...[["← ↑ → ↓", "nearest point that way"], ["PageUp PageDown", "frame"], ["Home End", "first, last frame"], ["Space", "play"], ...(first.components ? [["p", "t-SNE, PCA, PCA in 3-D"], ["Shift ← ↑ → ↓", "turn (or drag)"]] : []), ["+ − 0", "zoom"],
      ["n", "next match"], ["s", "choose this point or not"], ["g G", `choose ${GROW} more, fewer around it`], ["c", "its class"], ["a", "all matches"],
      ["Esc", "no point, then none chosen"]].map(([keys, what]) =>
      node("span", { class: "map-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)),
  );
  const drawMeasures = buildMeasures(side, { palette, view });
  buildAsking(side, { ask, signal, onRun: takeRun });
  side.append(near);
  const pictureOf = pictureMaker(thumbnails, palette);
  const showLegend = buildLegend(legend, { palette, view, signal });
  const showNear = buildNear(near, { pictureOf, goTo, signal });
  const showPoint = buildReadout(readout);
  const showTip = buildTip(tip, pictureOf);
  const drawOthers = buildOthers(othersPlace, { palette, view });
  const drawChosen = buildChosen(chosenPlace, { signal, clear: () => view.set({ selected: [] }) });

  // ---- what is chosen ------------------------------------------------------------------------------
  const frame = () => (time === null ? Math.min(view.now.frame ?? run.frames - 1, run.frames - 1) : Math.round(time));
  const isTsne = () => view.now.layout === "tsne";
  const isTurned = () => view.now.layout === "pca3";
  const place = () => (isTsne() ? frame() : run.frames); // of the layout that is shown
  /** @type {(layout: Tsne.Choices["layout"]) => void} */
  const showLayout = (layout) => {
    time = null;
    view.set({ layout });
  };
  const nextLayout = () => first.components && showLayout(LAYOUTS[(LAYOUTS.indexOf(view.now.layout) + 1) % LAYOUTS.length]);
  /** @type {(round: number, over: number) => void} */
  const turnBy = (round, over) => {
    turn = { round: turn.round + round, over: turn.over + over };
    draw();
  };
  /** @type {(dx: number, dy: number) => (event: KeyboardEvent) => void} */
  const walkOrTurn = (dx, dy) => (event) => (event.shiftKey && isTurned() ? turnBy(TURN * dx, TURN * dy) : walk(dx, dy));
  /** @type {(point: number) => boolean} */
  const shown = (point) => !view.now.hidden.includes(run.trace.groups[point]);
  const selected = () => new Set(view.now.selected);
  /** @type {(texts: string[] | null, point: number) => boolean} */
  const says = (texts, point) => texts?.[point].toLowerCase().includes(query);
  const matches = () => (query ? run.all.filter((point) => shown(point) && (says(run.trace.labels, point) || says(run.trace.texts, point))) : []);
  /** @type {(next: number) => void} */
  const showFrame = (next) => {
    time = null;
    view.set({ frame: next >= run.frames - 1 ? null : Math.max(0, next), layout: "tsne" });
  };
  /** @type {(point: number | null) => void} */
  const choose = (point) => {
    grown = 0;
    view.set({ point });
  };
  /** @type {(points: Iterable<number>) => void} */
  const select = (points) => view.set({ selected: [...new Set(points)].sort((a, b) => a - b) });
  /** @type {(answer: Tsne.Trace) => void} */
  function takeRun(answer) {
    cancelAnimationFrame(request);
    time = null;
    run = readRun({ ...answer, pictures: run.trace.pictures }); // what does not change is not sent again
    slider.max = String(run.frames - 1);
    view.set({ frame: null });
    draw();
  }
  /** @type {(dx: number, dy: number) => void} */
  function walk(dx, dy) {
    const next = pointTowards(run, spots, view.now.point, [dx, dy], shown);
    if (next !== null) goTo(next);
  }
  /**
   * Choose a point, and bring it into sight.
   * @type {(point: number) => void}
   */
  function goTo(point) {
    const [x, y] = [spots[2 * point], spots[2 * point + 1]];
    if (x < 0 || y < 0 || x > size.width || y > size.height) zoom = { ...zoom, x: zoom.x + size.width / 2 - x, y: zoom.y + size.height / 2 - y };
    choose(point);
  }
  function nextMatch() {
    const all = matches();
    if (all.length) goTo(all.find((point) => point > (view.now.point ?? -1)) ?? all[0]);
  }
  /** @type {(by: number) => void} */
  function grow(by) {
    const { point } = view.now;
    if (point === null) return;
    grown = clamp(grown + by, 0, run.points - 1);
    select(grown ? [point, ...nearestInMap(run, point, place(), run.points).filter(shown).slice(0, grown)] : []);
  }
  function flip() {
    const { point, selected: before } = view.now;
    if (point !== null) select(before.includes(point) ? before.filter((other) => other !== point) : [...before, point]);
  }
  const addClass = () => view.now.point !== null && select([...view.now.selected, ...run.members[run.group[view.now.point]].filter(shown)]);
  /** @type {(factor: number, x?: number, y?: number) => void} */
  const magnify = (factor, x = 0, y = 0) => {
    const scale = clamp(zoom.scale * factor, 1, 40);
    const change = scale / zoom.scale;
    zoom = scale === 1 ? { scale: 1, x: 0, y: 0 } : { scale, x: x - (x - zoom.x) * change, y: y - (y - zoom.y) * change };
    drawMap();
  };
  function turnLasso() {
    lassoing = !lassoing;
    lassoButton.refresh();
    canvas.classList.toggle("map-lassoing", lassoing); // a finger then draws, and does not scroll
    canvas.style.cursor = lassoing ? "crosshair" : "default";
  }

  function start() {
    if (!isTsne()) showLayout("tsne");
    time = frame() === run.frames - 1 ? 0 : frame();
    play.refresh();
    /** @type {number | null} */
    let before = null;
    /** @type {(now: number) => void} */
    const tick = (now) => {
      if (time === null || signal.aborted) return;
      if (before !== null) time += ((now - before) / 1000) * FRAMES_A_SECOND * speed;
      before = now;
      if (time >= run.frames - 1) return showFrame(run.frames - 1);
      drawFilm();
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
  }
  const stop = () => showFrame(frame()); // one message when the film stops, none while it runs
  signal.addEventListener("abort", () => cancelAnimationFrame(request));

  onKeys(canvas, {
    ArrowLeft: walkOrTurn(-1, 0),
    ArrowRight: walkOrTurn(1, 0),
    ArrowUp: walkOrTurn(0, -1),
    ArrowDown: walkOrTurn(0, 1),
    p: nextLayout,
    PageUp: () => showFrame(frame() - 1),
    PageDown: () => showFrame(frame() + 1),
    Home: () => showFrame(0),
    End: () => showFrame(run.frames - 1),
    " ": () => (time === null ? start() : stop()),
    "+": () => magnify(1.5),
    "=": () => magnify(1.5),
    "-": () => magnify(1 / 1.5),
    0: () => magnify(0),
    n: nextMatch,
    s: flip,
    g: () => grow(GROW),
    G: () => grow(-GROW),
    c: addClass,
    a: () => select(query ? matches() : run.all.filter(shown)),
    Escape: () => {
      if (view.now.point !== null) return choose(null);
      return view.now.selected.length > 0 && select([]);
    },
  }, signal);
  onKeys(search, { Enter: nextMatch }, signal);
  search.addEventListener("input", () => {
    query = search.value.trim().toLowerCase();
    found.textContent = query ? `${matches().length} found` : "";
    drawMap();
    drawTable();
  }, { signal });
  slider.addEventListener("input", () => showFrame(Number(slider.value)), { signal });

  // ---- drawing -------------------------------------------------------------------------------------
  /**
   * What stands out, on this map and on those beside it.
   * @type {() => Tsne.Marks}
   */
  function marks() {
    const { point } = view.now;
    const chosen = point !== null && shown(point) ? point : null;
    return { shown, chosen, lined: chosen === null ? [] : run.neighbours(chosen).filter(shown), selected: selected() };
  }
  /** @type {(size: Tsne.Size) => Tsne.Scene} */
  function sceneOf({ width, height }) {
    if (!isTsne()) layComponents(run, isTurned() ? turn : null);
    const now = time ?? place();
    const [a, b] = [Math.floor(now), Math.ceil(now)];
    const stands = marks();
    project(spots, [run.layouts[a], run.layouts[b], now - a], run.points, { width, height, margin: MARGIN, zoom });
    return {
      run, spots, width, height, palette: palette(), ...stands,
      radius: clamp(110 / Math.sqrt(run.points), 2.6, 6) * (view.now.large ? 1.35 : 1) * Math.sqrt(Math.min(zoom.scale, 3)),
      font: view.now.large ? 18 : 12,
      kept: new Set(stands.chosen === null ? [] : nearestInMap(run, stands.chosen, place())),
      hits: matches(), searching: query !== "", labels: view.now.labels, moving: time !== null, thumbnails,
    };
  }
  function drawMap() {
    const width = stage.clientWidth;
    size = { width, height: Math.round(clamp(width * 0.72, 300, view.now.large ? 640 : 540)) };
    drawScene(sharpContext(canvas, size.width, size.height), sceneOf(size));
    drawHovered();
  }
  /**
   * The map with its classes below, on a context of the caller's.
   * @template {{ context: Course.Context }} Made
   * @param {(width: number, height: number) => Made} make
   */
  function drawPicture(make) {
    const names = run.names.map((name, place) => ({ name: name || "∅", place })).filter(({ name }) => !view.now.hidden.includes(name));
    return drawWhole(make, sceneOf(size), names);
  }
  const describe = () => (isTsne() ? "" : `Principal components of the points of a t-SNE map. ${aboutComponents(run, isTurned())} `) + describeRun(run, frame());
  function drawHovered() {
    tip.hidden = hovered === null || time !== null;
    if (hovered === null) return;
    showTip(run, hovered, spots, size);
    drawBold(canvas.getContext("2d"), { run, spots, palette: palette() }, hovered, 6 * (view.now.large ? 1.35 : 1), 2);
  }
  function drawReadout() {
    const point = hovered ?? view.now.point;
    /** @type {(other: number) => boolean} */
    const here = (other) => Math.abs(spots[2 * other] - spots[2 * point]) + Math.abs(spots[2 * other + 1] - spots[2 * point + 1]) < 0.5;
    showPoint(run, point, point === null ? 0 : run.all.filter((other) => other !== point && shown(other) && here(other)).length);
  }
  function drawTable() {
    if (!details.open) return;
    const listed = (query ? matches() : run.all.filter(shown)).slice(0, MOST_ROWS);
    const caption = `${listed.length} of ${run.points} points (find a label or hide classes to see others), ${isTsne() ? `frame ${frame() + 1}` : "principal components"}`;
    scroll.replaceChildren(table(caption, headOf(run), rowsOf(run, listed, place())));
  }
  /** The map at this moment; what only a whole frame changes waits for one. */
  function drawFilm() {
    drawMap();
    drawNumbers(run.trace.kl.data[frame()], frame(), view.now.layout, size, view.now.large, root.dataset.theme, run.trace.perplexity);
  }
  const drawNumbers = once(() => {
    const at = frame();
    slider.value = String(at);
    counter.textContent = `step ${run.trace.iterations.data[at]}`;
    const { wide, high } = run.layouts[at].box;
    layout.select.value = String(LAYOUTS.indexOf(view.now.layout));
    moment.textContent = !isTsne() ? aboutComponents(run, isTurned()) : `Frame ${at + 1} of ${run.frames}; the map is ${Number(Math.max(wide, high).toPrecision(2))} wide, and every frame is scaled to fit.`;
    drawMeasures(run, at);
  });
  const drawLegend = once(() => showLegend(run));
  const drawBeside = once(() => drawOthers(run, marks()));
  function draw() {
    if (!stage.clientWidth) return; // out of sight; it is drawn when it is shown
    const { hidden, point, selected: taken, large } = view.now;
    const looks = [root.dataset.theme, large, size.width, run.trace.perplexity];
    slider.max = String(run.frames - 1);
    play.refresh();
    labels.refresh();
    canvas.classList.toggle("map-turning", isTurned());
    drawFilm();
    drawLegend(hidden, ...looks);
    showNear(run, point, place(), shown);
    drawReadout();
    drawChosen(run, view.now.selected, place());
    drawBeside(hidden, point, taken, othersPlace.clientWidth, ...looks);
    drawTable();
    canvas.setAttribute("aria-label", `${isTsne() ? "t-SNE map" : "Principal components"} of ${run.points} points in ${run.names.length} classes. Arrow keys walk from point to point.`);
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(point: number | null) => void} */
  const hover = (point) => {
    if (point === hovered) return;
    hovered = point;
    if (!lassoing) canvas.style.cursor = point === null ? "default" : "pointer";
    drawMap();
    drawReadout();
  };
  followPointer(canvas, above, {
    palette, hover, choose, magnify, signal,
    isLasso: (event) => lassoing || event.shiftKey,
    zoomNow: () => zoom,
    pointAt: (place) => pointNear(run, spots, place, NEAR, shown),
    chooseWithin: (line, more) => {
      const within = run.all.filter((point) => shown(point) && inside(line, spots[2 * point], spots[2 * point + 1]));
      select(more ? [...view.now.selected, ...within] : within);
    },
    turned: (dx, dy) => {
      if (isTurned()) turnBy(TURN_A_PIXEL * dx, TURN_A_PIXEL * dy);
      return isTurned();
    },
    pull: (next) => {
      zoom = next;
      drawMap();
    },
  });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(stage, draw, signal);
}

export default courseWidget(buildMap);
