// The page of the gradient flow. All is known beforehand, so the kernel is never asked.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { ALL_STEPS } from "./constants.js";
import { drawFlow, frameFlow, readFlow, subscript, writtenLog } from "./gradient_drawing.js";

/** @type {(stage: Course.Stage<Flow.Trace, Flow.Choices>) => void} */
function buildFlow({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const run = readFlow(trace);
  const single = run.lossSteps.filter((step) => step !== ALL_STEPS).sort((one, other) => one - other);
  /** @type {number | null} */
  let hovered = null; // the step under the pointer
  /** @type {Flow.Frame | null} */
  let frame = null; // what `frameFlow` returned for the last drawing
  let room = 0; // pixels across
  let before = single.at(-1) ?? ALL_STEPS; // the loss to come back to from all together

  // ---- what is chosen ------------------------------------------------------------------------------
  const model = () => view.now.model;
  const loss = () => (view.now.loss === null ? 0 : run.lossSteps.indexOf(view.now.loss));
  const time = () => view.now.time ?? run.last(loss());
  /** @type {(step: number) => void} */
  const toStep = (step) => view.set({ time: clamp(step, 0, run.steps - 1) });
  /** @type {(next: number) => void} */
  const toModel = (next) => view.set({ model: (next + run.models) % run.models });
  /** @type {(step: number) => void} */
  const toLoss = (step) => {
    if (run.lossSteps.includes(step)) view.set({ loss: step });
  };
  /** @type {(by: number) => void} */
  function otherLoss(by) {
    const now = single.indexOf(run.lossSteps[loss()]);
    toLoss(single[clamp(now < 0 ? single.indexOf(before) : now + by, 0, single.length - 1)]);
  }
  function allOrOne() {
    const now = run.lossSteps[loss()];
    if (now !== ALL_STEPS) before = now;
    toLoss(now === ALL_STEPS ? before : ALL_STEPS);
  }

  // ---- the page ------------------------------------------------------------------------------------
  const models = picker("Model", run.names, toModel, signal);
  const losses = picker("Loss", run.lossSteps.map((step) => (step === ALL_STEPS ? "all steps" : `step ${step + 1}`)),
    (place) => toLoss(run.lossSteps[place]), signal);
  const slider = node("input", { type: "range", min: 1, max: run.steps, "aria-label": "Step" });
  slider.addEventListener("input", () => toStep(Number(slider.value) - 1), { signal });
  toolbar.append(
    models.label, losses.label, node("label", { class: "course-picker" }, node("span", {}, "Step"), slider),
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "gradient.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "gradient.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Gradient flow", node("img", { src: canvas.toDataURL(), alt: describe() }), "gradient.html"), signal)),
  );
  const title = node("h3", { hidden: !trace.title }, trace.title);
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "gradient through time" });
  const body = node("div", { class: "flow-stage" }, canvas);
  const readout = node("p", { class: "flow-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet" },
    "An arrow back in time carries ‖∂L/∂h‖, the number over it, to the state it points to; one power of ten more or less is a step in its width. " +
    "Orange: larger than at the loss. Dots: exactly 0. Click an L to choose the loss.");
  const help = node("p", { class: "course-quiet flow-help" });
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "All models as a table"), scroll);
  root.prepend(title);
  root.append(body, readout, legend, help, details);
  help.append("On the picture: ", ...[["← →", "step"], ["↑ ↓", "later, earlier loss"], ["a", "losses of all steps, or one"], ["m M", "next, previous model"],
    ["Home End", "first, last step"]].map(([keys, what]) =>
    node("span", { class: "flow-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  onKeys(canvas, {
    ArrowLeft: () => toStep(time() - 1),
    ArrowRight: () => toStep(time() + 1),
    ArrowUp: () => otherLoss(1),
    ArrowDown: () => otherLoss(-1),
    PageUp: () => toStep(time() - frame.columns),
    PageDown: () => toStep(time() + frame.columns),
    Home: () => toStep(0),
    End: () => toStep(run.steps - 1),
    a: allOrOne,
    m: () => toModel(model() + 1),
    M: () => toModel(model() - 1),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(context: Course.Context) => Flow.Frame} */
  function frameOf(context) {
    const height = clamp(0.2 * window.innerHeight, 110, 260);
    return frameFlow(context, run, { width: room, height, font: view.now.large ? 19 : 13, time: time(), last: frame });
  }
  const looks = () => ({ model: model(), loss: loss(), time: time(), palette: palette() });
  function drawCanvas() {
    frame = frameOf(canvas.getContext("2d"));
    drawFlow(sharpContext(canvas, frame.width, frame.height), run, frame, looks());
    const { left, pitch, columns, firstStep, top, boxTop, boxTall, box, plotTop, plotTall, across } = frame;
    canvas.dataset.places = JSON.stringify({ left, pitch, columns, firstStep, top, boxTop, boxTall, box, plotTop, plotTall, across });
    canvas.setAttribute("aria-label", `Gradient of the ${run.nameOfLoss(loss())} at each of ${run.steps} steps of ${run.names[model()]}. Arrow keys move.`);
  }
  function svgText() {
    const wanted = frameOf(new SvgContext(1, 1, ""));
    const context = new SvgContext(wanted.width, wanted.height, describe());
    drawFlow(context, run, wanted, looks());
    return context.toString();
  }
  /** @type {(model: number, from: number, to: number) => string} */
  const factor = (m, from, to) => {
    const fall = (run.at(m, loss(), from) - run.at(m, loss(), to)) / (to - from);
    return run.lossSteps[loss()] !== ALL_STEPS && Number.isFinite(fall) ? ` (× ${writtenLog(fall, 3)} a step)` : "";
  };
  /** What a sighted reader takes away. */
  function describe() {
    const last = run.last(loss());
    const told = run.names.map((name, m) =>
      `${name}: ${writtenLog(run.at(m, loss(), last))} at step ${last + 1}, ${writtenLog(run.at(m, loss(), 0))} at step 1${factor(m, 0, last)}`);
    return `${trace.title ? `${trace.title}. ` : ""}An unrolled network (${run.names[model()]}) of ${run.steps} steps; arrows back through time show the norm ` +
      `of the gradient of the ${run.nameOfLoss(loss())} at each state. ${told.join("; ")}.`;
  }
  function drawToolbar() {
    models.select.value = String(model());
    losses.select.value = String(loss());
    slider.value = String(time() + 1);
    slider.setAttribute("aria-valuetext", `${time() + 1} of ${run.steps}: ${run.inputs[time()]}`);
  }
  function drawReadout() {
    const step = hovered ?? time();
    const last = run.last(loss());
    const log = run.at(model(), loss(), step);
    const share = log - run.at(model(), loss(), last);
    const relative = step < last && Number.isFinite(share) && run.lossSteps[loss()] !== ALL_STEPS
      ? `, ${writtenLog(share)} × that at the loss, ${last - step} ${last - step > 1 ? "steps" : "step"} later${factor(model(), step, last)}` : "";
    const told = step > last ? `the ${run.nameOfLoss(loss())} does not depend on it: no gradient` : `‖∂L/∂h${subscript(step + 1)}‖ = ${writtenLog(log)}${relative}`;
    readout.replaceChildren(`Step ${step + 1} of ${run.steps} `, node("bdi", {}, `“${run.inputs[step]}”`), ", ",
      node("bdi", {}, run.names[model()]), ` (${run.sizes[model()]} units): ${told}`);
  }
  function drawTable() {
    if (!details.open) return;
    const lines = run.inputs.map((input, step) => [step + 1, input, ...run.names.map((_, m) => (step > run.last(loss()) ? "–" : writtenLog(run.at(m, loss(), step))))]);
    scroll.replaceChildren(table(`Gradient of the ${run.nameOfLoss(loss())}`, ["step", "input", ...run.names], lines));
  }
  function draw() {
    drawToolbar();
    if (room <= 0) return;
    drawCanvas();
    drawReadout();
    drawTable();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => { step?: number, onLoss?: boolean }} */
  function placeAt(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - frame.left, event.clientY - box.top];
    if (x < 0 || x >= frame.across) return {};
    if (y >= frame.plotTop - frame.font * 2) return { step: Math.floor((x / frame.across) * run.steps) };
    return { step: frame.firstStep + Math.floor(x / frame.pitch), onLoss: y < frame.top + frame.font * 1.8 };
  }
  canvas.addEventListener("pointermove", (event) => {
    hovered = placeAt(event).step ?? null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    canvas.focus();
    const { step, onLoss } = placeAt(event);
    if (onLoss) toLoss(step);
    else if (step !== undefined) toStep(step);
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildFlow);
