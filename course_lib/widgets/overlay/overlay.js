// The page of the overlay view. All is known beforehand, so the kernel is never asked.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp, short } from "../shared/drawing.js";
import { bars, followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { layerOf, mapOf } from "./layers.js";
import { blend, drawOverlay, frameOverlay } from "./overlay_drawing.js";

const STRENGTH_STEP = 0.1; // of a key

/** @type {(stage: Course.Stage<Overlay.Trace, Overlay.Choices>) => void} */
function buildOverlay({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const [pictures, height, width] = trace.pictures.shape;
  const steps = trace.maps.shape[1];
  /** @type {Overlay.Scene} */
  let scene;
  /** @type {Overlay.Frame | null} */
  let frame = null;
  /** @type {{ row: number, column: number } | null} */
  let hovered = null; // the pixel under the pointer
  let room = 0; // pixels across

  // ---- what is chosen ------------------------------------------------------------------------------
  /** @type {(step: number) => void} */
  const toStep = (step) => view.set({ step: clamp(step, 0, steps - 1) });
  /** @type {(strength: number) => void} */
  const toStrength = (strength) => view.set({ strength: clamp(Math.round(100 * strength) / 100, 0, 1) });
  /** @type {(step: number) => Overlay.Layer[]} */
  const layersOf = (step) => trace.kinds.map((kind, k) => layerOf(kind, mapOf(trace.maps, view.now.picture, step, k), height, width));
  function compute() {
    const { picture, step, strength } = view.now;
    const pixels = trace.pictures.data.subarray(3 * height * width * picture, 3 * height * width * (picture + 1));
    const layers = layersOf(step);
    scene = {
      name: trace.picture_names[picture], step: trace.steps[picture][step], layers,
      images: [null, ...layers].map((layer) => blend(pixels, height, width, layer, strength)),
    };
  }

  // ---- the page ------------------------------------------------------------------------------------
  const choice = picker("Picture", trace.picture_names, (picture) => view.set({ picture }), signal);
  const slider = node("input", { type: "range", min: 0, max: 100, step: 5, "aria-label": "Strength" });
  slider.addEventListener("input", () => toStrength(Number(slider.value) / 100), { signal });
  toolbar.append(
    choice.label,
    node("label", { class: "course-picker" }, node("span", {}, "Strength"), slider),
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "overlay.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "overlay.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Overlay", node("img", { src: canvas.toDataURL(), alt: describe() }), "overlay.html"), signal)),
  );
  const stepper = node("input", { type: "range", min: 0, max: steps - 1, step: 1, "aria-label": "Step" });
  stepper.addEventListener("input", () => toStep(Number(stepper.value)), { signal });
  const row = node("div", { class: "overlay-steps", role: "group", "aria-label": "Steps" });
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "maps on a picture" });
  const body = node("div", { class: "overlay-stage" }, canvas);
  const answers = node("div", { class: "overlay-answers", hidden: !trace.candidates });
  const readout = node("p", { class: "overlay-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet" }, "Each map by itself: dark blue is 0, yellow its largest number, which the ring marks. Point at a place to read its numbers.");
  const help = node("p", { class: "course-quiet overlay-help" }, "On the picture: ", ...[["← →", "step"], ["↑ ↓", "strength"], ["Home End", "first, last step"], ["i", "picture"]].map(([keys, what]) =>
    node("span", { class: "overlay-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "All steps as a table"), scroll);
  root.prepend(node("h3", { hidden: !trace.title }, trace.title));
  root.append(node("label", { class: "course-picker" }, node("span", {}, "Step"), stepper), row, node("div", { class: "overlay-both" }, body, answers), readout, legend, help, details);
  onKeys(canvas, {
    ArrowLeft: () => toStep(view.now.step - 1),
    ArrowRight: () => toStep(view.now.step + 1),
    ArrowUp: () => toStrength(view.now.strength + STRENGTH_STEP),
    ArrowDown: () => toStrength(view.now.strength - STRENGTH_STEP),
    Home: () => toStep(0),
    End: () => toStep(steps - 1),
    i: () => view.set({ picture: (view.now.picture + 1) % pictures }),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(place: Overlay.Layer["place"]) => string} */
  const where = (place) => (place ? `row ${place.row + 1}, column ${place.column + 1}` : "nowhere");
  const most = () => scene.layers.map(({ kind, place }) => `${kind} ${place ? `is largest at ${where(place)}` : "is 0 everywhere"}`).join("; ");
  /** What a sighted reader takes away. */
  const describe = () => `${scene.name}; for “${scene.step}”, ${most()}.`;
  function svgText() {
    const context = new SvgContext(frame.width, frame.height, describe());
    drawOverlay(context, frame, scene, palette());
    return context.toString();
  }
  function drawReadout() {
    const at = hovered;
    const numbers = at && scene.layers.map(({ kind, grid }) => `${kind} ${short(grid.data[at.row * width + at.column])}`).join(", ");
    readout.replaceChildren(node("bdi", {}, `“${scene.step}”`), at ? ` at ${where(at)}: ${numbers}.` : `: ${most()}.`);
  }
  function drawSteps() {
    const labels = trace.steps[view.now.picture];
    if (row.dataset.picture !== String(view.now.picture)) {
      row.dataset.picture = String(view.now.picture);
      row.replaceChildren(...labels.map((label, step) => toggle(label, label, () => view.now.step === step, () => toStep(step), signal)));
    }
    for (const button of row.children) /** @type {ReturnType<typeof toggle>} */ (button).refresh();
  }
  /** What the network would say at this step, beside what is said there. */
  function drawAnswers() {
    if (!trace.candidates) return;
    const { picture, step } = view.now;
    const words = trace.candidates[picture][step];
    const { data } = trace.candidate_probabilities;
    const from = (picture * steps + step) * words.length;
    answers.replaceChildren(bars("Next word, probability", words.map((text, i) => ({ text, value: data[from + i], chosen: text === scene.step }))));
  }
  function drawTable() {
    if (!details.open) return;
    const lines = trace.steps[view.now.picture].map((label, step) => [label, ...layersOf(step).map(({ place }) => where(place))]);
    scroll.replaceChildren(table("Where each map is largest", ["step", ...trace.kinds], lines));
  }
  function draw() {
    const { picture, strength } = view.now;
    choice.select.value = String(picture);
    slider.value = String(Math.round(100 * strength));
    stepper.value = String(view.now.step);
    stepper.setAttribute("aria-valuetext", trace.steps[picture][view.now.step]);
    slider.setAttribute("aria-valuetext", `${Math.round(100 * strength)} %`);
    hovered = null;
    compute();
    drawSteps();
    drawAnswers();
    if (room <= 0) return;
    frame = frameOverlay(room, view.now.large ? 19 : 13, scene.images.length, height, width);
    drawOverlay(sharpContext(canvas, frame.width, frame.height), frame, scene, palette());
    canvas.dataset.places = JSON.stringify(frame);
    canvas.setAttribute("aria-label", `${describe()} Arrow keys choose.`);
    drawReadout();
    drawTable();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => { row: number, column: number } | null} */
  function pixelAt(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const panel = frame.panels.find(({ left, top }) => x >= left && x < left + frame.wide && y >= top && y < top + frame.tall);
    return panel ? { row: Math.floor(((y - panel.top) / frame.tall) * height), column: Math.floor(((x - panel.left) / frame.wide) * width) } : null;
  }
  canvas.addEventListener("pointermove", (event) => {
    hovered = pixelAt(event);
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildOverlay);
