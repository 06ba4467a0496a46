// The page of the memory film. All is known beforehand, so the kernel is never asked.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp, short } from "../shared/drawing.js";
import { followWidth, node, onKeys, saveButton, saveFile, sharpContext, table, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { drawFilm, frameFilm, readFilm, stripImages } from "./film_drawing.js";

const PAUSE = 400; // milliseconds from one step of the film to the next

/** @type {(stage: Course.Stage<Film.Trace, Film.Choices>) => void} */
function buildFilm({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const run = readFilm(trace);
  const images = stripImages(run);
  /** @type {Film.Frame | null} */
  let frame = null; // what `frameFilm` returned for the last drawing
  let room = 0; // pixels across
  let clock = 0; // of the film while it runs

  // ---- what is chosen ------------------------------------------------------------------------------
  const time = () => view.now.time ?? run.steps - 1;
  const row = () => view.now.row ?? run.mostRead(time());
  /** @type {(step: number) => void} */
  const toTime = (step) => view.set({ time: clamp(step, 0, run.steps - 1) });
  /** @type {(line: number) => void} */
  const toRow = (line) => view.set({ row: clamp(line, 0, run.rows - 1) });
  function stop() {
    clearInterval(clock);
    clock = 0;
    play.refresh();
  }
  function playOrStop() {
    if (clock) return stop();
    if (time() === run.steps - 1) toTime(0);
    clock = setInterval(() => {
      toTime(time() + 1);
      if (time() === run.steps - 1) stop();
    }, PAUSE);
    return play.refresh();
  }
  signal.addEventListener("abort", () => clearInterval(clock));

  // ---- the page ------------------------------------------------------------------------------------
  const slider = node("input", { type: "range", min: 1, max: run.steps, "aria-label": "Step" });
  slider.addEventListener("input", () => toTime(Number(slider.value) - 1), { signal });
  const play = toggle("Film", "Film: run from step to step", () => clock !== 0, playOrStop, signal);
  toolbar.append(
    node("label", { class: "course-picker" }, node("span", {}, "Step"), slider), play,
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "memory.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "memory.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Memory", node("img", { src: canvas.toDataURL(), alt: describe() }), "memory.html"), signal)),
  );
  const title = node("h3", { hidden: !trace.title }, trace.title);
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "memory over time" });
  const body = node("div", { class: "film-stage" }, canvas);
  const readout = node("p", { class: "film-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet" },
    "Weights: dark 0, yellow 1. In the memory: green above 0, purple below. The bars at its sides are the weights of the chosen step.");
  const help = node("p", { class: "course-quiet film-help" });
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "All steps as a table"), scroll);
  root.prepend(title);
  root.append(body, readout, legend, help, details);
  help.append("On the picture: ", ...[["← →", "step"], ["↑ ↓", "row"], ["PageUp PageDown", "ten steps"], ["Home End", "first, last step"], ["p", "film"], ["r", "the row read most"]].map(([keys, what]) =>
    node("span", { class: "film-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  onKeys(canvas, {
    ArrowLeft: () => toTime(time() - 1),
    ArrowRight: () => toTime(time() + 1),
    ArrowUp: () => toRow(row() - 1),
    ArrowDown: () => toRow(row() + 1),
    PageUp: () => toTime(time() - 10),
    PageDown: () => toTime(time() + 10),
    Home: () => toTime(0),
    End: () => toTime(run.steps - 1),
    p: playOrStop,
    r: () => view.set({ row: null }),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  const frameOf = () => frameFilm(run, { width: room, height: clamp(0.5 * window.innerHeight, 260, 520), font: view.now.large ? 19 : 13 });
  const looks = () => ({ time: time(), row: row(), images, palette: palette() });
  function drawCanvas() {
    frame = frameOf();
    drawFilm(sharpContext(canvas, frame.width, frame.height), run, frame, looks());
    canvas.dataset.places = JSON.stringify({ strips: frame.strips, memory: frame.memory });
    canvas.setAttribute("aria-label", `A memory of ${run.rows} rows over ${run.steps} steps. Arrow keys move.`);
  }
  function svgText() {
    const context = new SvgContext(frame.width, frame.height, describe());
    drawFilm(context, run, frame, looks());
    return context.toString();
  }
  /** @type {(step: number) => string} */
  const heads = (step) =>
    `writes most to row ${run.mostWritten(step)} (${short(run.write(step, run.mostWritten(step)))}), reads most from row ${run.mostRead(step)} (${short(run.read(step, run.mostRead(step)))})`;
  /** What a sighted reader takes away. */
  function describe() {
    return `${trace.title ? `${trace.title}. ` : ""}A memory of ${run.rows} rows over ${run.steps} steps. At step ${time() + 1} of them it ${heads(time())}.`;
  }
  function draw() {
    slider.value = String(time() + 1);
    slider.setAttribute("aria-valuetext", `${time() + 1} of ${run.steps}: ${run.labels[time()]}`);
    if (room <= 0) return;
    drawCanvas();
    const line = row();
    readout.replaceChildren(`Step ${time() + 1} of ${run.steps} `, node("bdi", {}, `“${run.labels[time()]}”`),
      `: ${heads(time())}. Row ${line}: written ${short(run.write(time(), line))}, read ${short(run.read(time(), line))}.`);
    drawTable();
  }
  function drawTable() {
    if (!details.open) return;
    const lines = run.labels.map((label, step) => [step + 1, label, run.mostWritten(step), short(run.write(step, run.mostWritten(step))), run.mostRead(step), short(run.read(step, run.mostRead(step)))]);
    scroll.replaceChildren(table("Where each step writes and reads most", ["step", "what", "writes row", "weight", "reads row", "weight"], lines));
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  canvas.addEventListener("click", (event) => {
    canvas.focus();
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    /** @type {(place: Film.Box) => boolean} */
    const within = ({ left, top, wide, tall }) => x >= left && x < left + wide && y >= top && y < top + tall;
    const strip = frame.strips.findIndex(within);
    if (strip >= 0) {
      const { left, top, wide, tall } = frame.strips[strip];
      toTime(Math.floor(((x - left) / wide) * run.steps));
      if (strip >= 2) toRow(Math.floor(((y - top) / tall) * run.rows));
    } else if (within(frame.memory)) toRow(Math.floor(((y - frame.memory.top) / frame.memory.tall) * run.rows));
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildFilm);
