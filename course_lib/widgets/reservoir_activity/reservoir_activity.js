// The page of the reservoir activity. All is known beforehand, so the kernel is never asked.
import { courseWidget, once, paletteOf } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import {
  digits4, drawMoment, drawReservoir, drawRun, frameReservoir, imageOfMap, readReservoir, SVG_COLUMNS,
} from "./reservoir_drawing.js";

/** @type {Reservoir.Scale[]} */
const SCALES = ["fixed", "largest", "own"];
const SCALE_NAMES = ["fixed", "to the largest", "each from its own mean"];
const TABLE_STEPS = 50; // before and after the chosen one

/** @type {(stage: Course.Stage<Reservoir.Trace, Reservoir.Choices>) => void} */
function buildReservoir({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const run = readReservoir(trace);
  const spans = [50, 100, 200, 500, 1000, 2000, 5000].filter((span) => span < run.steps);
  /** @type {Reservoir.Place | null} */
  let hovered = null; // what is under the pointer: { time } and maybe a unit's place
  /** @type {Reservoir.Frame | null} */
  let frame = null; // what `frameReservoir` returned for the last drawing
  let room = 0; // pixels across
  /** @type {HTMLCanvasElement | null} */
  let image = null; // the map of the window shown
  let pulling = false; // whether the window is pulled along the overview

  // ---- what is chosen ------------------------------------------------------------------------------
  const time = () => view.now.time;
  const span = () => view.now.span;
  const unit = () => (view.now.unit === null ? 0 : run.numbers.indexOf(view.now.unit));
  /** @type {(step: number) => void} */
  const toTime = (step) => view.set({ time: clamp(step, 0, run.steps - 1) });
  /** @type {(place: number) => void} */
  const toUnit = (place) => view.set({ unit: run.numbers[clamp(place, 0, run.units - 1)] });
  const choices = () => [...new Set([...spans, ...(span() && span() < run.steps ? [span()] : [])])].sort((one, other) => one - other);
  /** @type {(by: number) => void} */
  function zoom(by) {
    const all = [...choices(), null];
    const now = span() && span() < run.steps ? all.indexOf(span()) : all.length - 1;
    view.set({ span: all[clamp(now + by, 0, all.length - 1)] });
  }

  // ---- the page ------------------------------------------------------------------------------------
  const spanBox = picker("Steps at once", [], (place) => view.set({ span: choices()[place] ?? null }), signal);
  const offerSpans = once(() => spanBox.select.replaceChildren(...[...choices(), "all"].map((text, i) => node("option", { value: i }, String(text)))));
  const unitBox = node("input", { type: "number", min: 0, max: Math.max(...run.numbers), step: 1, "aria-label": "Unit" });
  /** The unit of this number, or the shown one that is next to it. */
  const setUnit = () => {
    const wanted = unitBox.valueAsNumber;
    if (Number.isInteger(wanted)) {
      const far = run.numbers.map((number) => Math.abs(number - wanted));
      toUnit(far.indexOf(Math.min(...far)));
    }
    draw();
  };
  unitBox.addEventListener("change", setUnit, { signal });
  onKeys(unitBox, { Enter: setUnit }, signal); // Lab takes Enter before it becomes a change
  const slider = node("input", { type: "range", min: run.first, max: run.first + run.steps - 1, "aria-label": "Step" });
  slider.addEventListener("input", () => toTime(Number(slider.value) - run.first), { signal });
  const scales = picker("Colours", SCALE_NAMES, (place) => view.set({ scale: SCALES[place] }), signal);
  toolbar.append(
    node("label", { class: "course-picker" }, node("span", {}, "Step"), slider), spanBox.label,
    node("label", { class: "course-picker" }, node("span", {}, "Unit"), unitBox), scales.label,
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "reservoir.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "reservoir.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Reservoir", node("img", { src: canvas.toDataURL(), alt: describe() }), "reservoir.html"), signal)),
  );
  const title = node("h3", { hidden: !trace.title }, trace.title);
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "reservoir over time" });
  const body = node("div", { class: "reservoir-stage" }, canvas);
  const readout = node("p", { class: "reservoir-readout", role: "status", "aria-live": "polite" });
  const help = node("p", { class: "course-quiet reservoir-help" });
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The steps around the chosen one as a table"), scroll);
  root.prepend(title);
  root.append(body, readout);
  if (trace.spikes) root.append(node("p", { class: "course-quiet" }, "A cell in black or white, where colours have a middle or not, is a spike."));
  root.append(help, details);
  help.append("On the picture: ", ...[["← →", "step"], ["↑ ↓", "unit"], ["PageUp PageDown", "a window back, on"], ["Home End", "first, last step"],
    ["+ -", "fewer, more steps at once"]].map(([keys, what]) =>
    node("span", { class: "reservoir-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  onKeys(canvas, {
    ArrowLeft: () => toTime(time() - 1),
    ArrowRight: () => toTime(time() + 1),
    ArrowUp: () => toUnit(unit() - 1),
    ArrowDown: () => toUnit(unit() + 1),
    PageUp: () => toTime(time() - frame.shown),
    PageDown: () => toTime(time() + frame.shown),
    Home: () => toTime(0),
    End: () => toTime(run.steps - 1),
    "+": () => zoom(-1),
    "=": () => zoom(-1),
    "-": () => zoom(1),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(context: Course.Context) => Reservoir.Frame} */
  function frameOf(context) {
    const height = clamp(0.32 * window.innerHeight, 160, 420);
    return frameReservoir(context, run, { width: room, height, font: view.now.large ? 19 : 13, time: time(), span: span(), last: frame });
  }
  const newImage = once(() => (image = imageOfMap(run, frame, view.now.scale, Infinity)));
  const still = document.createElement("canvas"); // all but the chosen step
  const newStill = once(() => drawRun(sharpContext(still, frame.width, frame.height), run, frame, looks(image)));
  /** @type {(picture: HTMLCanvasElement) => Reservoir.Looks} */
  const looks = (picture) => ({ time: time(), unit: unit(), scale: view.now.scale, image: picture, palette: palette() });
  function drawCanvas() {
    frame = frameOf(canvas.getContext("2d"));
    newImage(frame.start, frame.shown, frame.across, view.now.scale);
    newStill(frame, unit(), view.now.scale, palette());
    const context = sharpContext(canvas, frame.width, frame.height);
    context.drawImage(still, 0, 0, frame.width, frame.height);
    drawMoment(context, run, frame, looks(image));
    const { left, across, shown, start, overview, input, output, map, unit: line } = frame;
    canvas.dataset.places = JSON.stringify({ left, across, shown, start, overview, input, output, map, unit: line });
    canvas.setAttribute("aria-label", `${run.units} units of a reservoir over ${run.steps} steps. Arrow keys move.`);
  }
  function svgText() {
    const wanted = frameOf(new SvgContext(1, 1, ""));
    const context = new SvgContext(wanted.width, wanted.height, describe());
    drawReservoir(context, run, wanted, looks(imageOfMap(run, wanted, view.now.scale, SVG_COLUMNS)));
    return context.toString();
  }
  /** What a sighted reader takes away. */
  function describe() {
    /** @type {(track: Reservoir.Track) => string} */
    const range = ({ name, at }) => {
      const values = Array.from({ length: run.steps }, (_, step) => at(step)).filter((value) => !Number.isNaN(value));
      return values.length ? `${name} from ${digits4(values.reduce((a, b) => Math.min(a, b)))} to ${digits4(values.reduce((a, b) => Math.max(a, b)))}` : `${name} without numbers`;
    };
    const told = [...run.inputs, ...run.outputs, ...run.targets].map(range);
    return `${trace.title ? `${trace.title}. ` : ""}A reservoir over steps ${run.first} to ${run.first + run.steps - 1}. ${told.join("; ")}. ` +
      `Below, ${run.units} units over time${trace.order ? `, sorted ${trace.order}` : ""}. ` +
      `${range({ name: `Unit ${run.numbers[unit()]}`, at: (step) => run.at(step, unit()) })}.`;
  }
  function drawToolbar() {
    offerSpans(choices());
    spanBox.select.value = String(span() && span() < run.steps ? choices().indexOf(span()) : choices().length);
    scales.select.value = String(SCALES.indexOf(view.now.scale));
    unitBox.value = String(run.numbers[unit()]);
    slider.value = String(run.first + time());
    slider.setAttribute("aria-valuetext", `step ${run.first + time()}`);
  }
  /**
   * The values at a step.
   * @type {(step: number) => { name: string, value: number }[]}
   */
  function valuesAt(step) {
    /** @type {(tracks: Reservoir.Track[], kind: string) => { name: string, value: number }[]} */
    const named = (tracks, kind) => tracks.map(({ name, at }) => ({ name: name.startsWith(kind) ? name : `${kind} ${name}`, value: at(step) }));
    return [...named(run.inputs, "input"), ...named(run.outputs, "output"), ...named(run.targets, "target")];
  }
  function drawReadout() {
    const shown = { time: time(), place: unit(), ...hovered };
    const told = valuesAt(shown.time).flatMap(({ name, value }) => [node("bdi", {}, name), ` ${digits4(value)}, `]);
    const spike = run.fired(shown.time, shown.place) ? " (a spike)" : "";
    readout.replaceChildren(`Step ${run.first + shown.time}: `, ...told, `unit ${run.numbers[shown.place]} ${digits4(run.at(shown.time, shown.place))}${spike}`);
  }
  function drawTable() {
    if (!details.open) return;
    const from = Math.max(0, time() - TABLE_STEPS);
    const steps = Array.from({ length: Math.min(run.steps, time() + TABLE_STEPS + 1) - from }, (_, i) => from + i);
    const names = valuesAt(0).map(({ name }) => name);
    const lines = steps.map((step) => [run.first + step, ...valuesAt(step).map(({ value }) => digits4(value)), digits4(run.at(step, unit()))]);
    scroll.replaceChildren(table(`Steps around ${run.first + time()}`, ["step", ...names, `unit ${run.numbers[unit()]}`], lines));
  }
  function draw() {
    drawToolbar();
    if (room <= 0) return;
    drawCanvas();
    drawReadout();
    drawTable();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(box: Reservoir.Box | null, y: number) => boolean} */
  const within = (box, y) => box && y >= box.top && y < box.top + box.tall;
  /** @type {(event: MouseEvent) => Reservoir.Place | null} */
  function placeAt(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x < frame.left || x >= frame.left + frame.across) return null;
    if (within(frame.overview, y)) return { time: clamp(Math.floor(((x - frame.left) / frame.across) * run.steps), 0, run.steps - 1), far: true };
    const place = { time: clamp(frame.stepAt(x), 0, run.steps - 1) };
    return within(frame.map, y) ? { ...place, place: clamp(Math.floor(((y - frame.map.top) / frame.map.tall) * run.units), 0, run.units - 1) } : place;
  }
  canvas.addEventListener("pointermove", (event) => {
    const found = placeAt(event);
    if (pulling && found?.far) toTime(found.time);
    hovered = found?.far ? null : found;
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus();
    const found = placeAt(event);
    if (!found) return;
    pulling = Boolean(found.far);
    view.set({ time: found.time, ...(found.place === undefined ? {} : { unit: run.numbers[found.place] }) });
  }, { signal });
  window.addEventListener("pointerup", () => (pulling = false), { signal });
  canvas.addEventListener("wheel", (event) => {
    const by = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (!by || frame.shown === run.steps) return;
    event.preventDefault(); // sideways moves through time; up and down still scroll the page
    toTime(time() + Math.sign(by) * Math.max(1, Math.round(frame.shown / 20)));
  }, { signal, passive: false });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildReservoir);
