// The page of the convolution explorer. All is computed here, so the kernel is never asked.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { MOST_DILATION, MOST_PADDING, MOST_STRIDE, MOST_TURN, TURN_STEP } from "./constants.js";
import { convolve, gridOf, sumOf, termsOf } from "./convolution.js";
import { drawConvolution, frameConvolution, written } from "./convolution_drawing.js";
import { packWith, readPicture } from "./own_picture.js";

/** @type {(stage: Course.Stage<Convolution.Trace, Convolution.Choices>) => void} */
function buildExplorer({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  /** @type {{ row: number, column: number } | null} */
  let hovered = null; // the output under the pointer
  /** @type {Convolution.Scene} */
  let scene;
  /** @type {Convolution.Frame | null} */
  let frame = null;
  let room = 0; // pixels across
  /** @type {Convolution.Own | null} */
  let own = null; // the reader's file; the kernel never hears of it
  let ownShown = false; // instead of the trace's picture
  let picked = view.now.picture;

  // ---- what is chosen ------------------------------------------------------------------------------
  /** @type {(row: number, column: number) => void} */
  const toPlace = (row, column) =>
    view.set({ row: clamp(row, 0, scene.outputs.height - 1), column: clamp(column, 0, scene.outputs.width - 1) });
  /** @type {(down: number, across: number) => void} */
  const move = (down, across) => toPlace(chosen().row + down, chosen().column + across);
  function chosen() {
    const { height, width } = scene.outputs;
    const { row, column } = view.now;
    return { row: Math.min(row ?? Math.floor(height / 2), height - 1), column: Math.min(column ?? Math.floor(width / 2), width - 1) };
  }
  function compute() {
    const { picture, kernel, stride, padding, dilation, turn } = view.now;
    const [image, weights, geometry] = [ownShown ? own.image : gridOf(trace.pictures, picture), gridOf(trace.kernels, kernel), { stride, padding, dilation, turn }];
    scene = { image, kernel: weights, geometry, outputs: convolve(image, weights, geometry), row: 0, column: 0, terms: [] };
    look();
  }
  /** Look at the output under the pointer, or else at the chosen one. */
  function look() {
    const { row, column } = hovered ?? chosen();
    Object.assign(scene, { row, column, terms: termsOf(scene.image, scene.kernel, scene.geometry, row, column) });
  }

  // ---- the page ------------------------------------------------------------------------------------
  const pictures = picker("Picture", trace.picture_names, toPicture, signal);
  const file = node("input", { type: "file", accept: "image/png, image/jpeg, image/webp" });
  const complaint = node("span", { class: "convolution-complaint", role: "alert" });
  const kernels = picker("Kernel", trace.kernel_names, (kernel) => view.set({ kernel }), signal);
  /** @type {(label: string, least: number, most: number, choose: (value: number) => void) => ReturnType<typeof picker> & { least: number, most: number }} */
  const numbers = (label, least, most, choose) =>
    ({ ...picker(label, Array.from({ length: most - least + 1 }, (_, i) => String(least + i)), (i) => choose(least + i), signal), least, most });
  const strides = numbers("Stride", 1, MOST_STRIDE, (stride) => view.set({ stride }));
  const paddings = numbers("Padding", 0, MOST_PADDING, (padding) => view.set({ padding }));
  const dilations = numbers("Dilation", 1, MOST_DILATION, (dilation) => view.set({ dilation }));
  const turns = picker("Turn", Array.from({ length: MOST_TURN / TURN_STEP + 1 }, (_, i) => `${TURN_STEP * i}°`), (i) => view.set({ turn: TURN_STEP * i }), signal);
  toolbar.append(
    pictures.label, node("label", { class: "course-picker" }, node("span", {}, "Your own picture"), file), complaint, kernels.label, strides.label, paddings.label, dilations.label, turns.label,
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "convolution.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "convolution.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Convolution", node("img", { src: canvas.toDataURL(), alt: describe() }), "convolution.html", ownShown ? packWith(trace, view.now.picture, own) : undefined), signal)),
  );
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "convolution" });
  const body = node("div", { class: "convolution-stage" }, canvas);
  const readout = node("p", { class: "convolution-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet" }, "Framed: one output, and the pixels that it sees. Point at an output to look at it, click to keep it. Purple and green: below and above 0. A pixel of the padding is 0. Turned, the taps lie between pixels and read their mean: offsets, as in a deformable convolution.");
  const help = node("p", { class: "course-quiet convolution-help" }, "On the picture: ", ...[["← → ↑ ↓", "output"], ["Home End", "first, last of the row"], ["s S", "stride"], ["p P", "padding"],
    ["d D", "dilation"], ["t T", "turn"], ["k", "kernel"], ["i", "picture"]].map(([keys, what]) =>
    node("span", { class: "convolution-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The sum as a table"), scroll);
  root.prepend(node("h3", { hidden: !trace.title }, trace.title));
  root.append(body, readout, legend, help, details);
  onKeys(canvas, {
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    Home: () => toPlace(chosen().row, 0),
    End: () => toPlace(chosen().row, scene.outputs.width - 1),
    s: () => view.set({ stride: clamp(view.now.stride + 1, 1, MOST_STRIDE) }),
    S: () => view.set({ stride: clamp(view.now.stride - 1, 1, MOST_STRIDE) }),
    p: () => view.set({ padding: clamp(view.now.padding + 1, 0, MOST_PADDING) }),
    P: () => view.set({ padding: clamp(view.now.padding - 1, 0, MOST_PADDING) }),
    d: () => view.set({ dilation: clamp(view.now.dilation + 1, 1, MOST_DILATION) }),
    D: () => view.set({ dilation: clamp(view.now.dilation - 1, 1, MOST_DILATION) }),
    t: () => view.set({ turn: clamp(view.now.turn + TURN_STEP, 0, MOST_TURN) }),
    T: () => view.set({ turn: clamp(view.now.turn - TURN_STEP, 0, MOST_TURN) }),
    k: () => view.set({ kernel: (view.now.kernel + 1) % trace.kernel_names.length }),
    i: () => toPicture((Number(pictures.select.value) + 1) % pictures.select.length),
  }, signal);

  // ---- which picture -------------------------------------------------------------------------------
  /** @type {(which: number) => void} */
  function toPicture(which) {
    ownShown = which === trace.picture_names.length;
    if (ownShown || which === view.now.picture) draw();
    else view.set({ picture: which });
  }
  async function takeFile() {
    const [chosen] = file.files;
    complaint.textContent = "";
    if (!chosen) return;
    const [, height, width] = trace.pictures.shape;
    try {
      const data = await readPicture(chosen, height, width);
      if (chosen !== file.files[0]) return; // another was chosen meanwhile
      own = { name: chosen.name, image: { data, height, width } };
    } catch (error) {
      if (chosen === file.files[0]) complaint.textContent = error.message;
      return;
    }
    pictures.select[trace.picture_names.length]?.remove();
    pictures.select.append(node("option", { value: trace.picture_names.length }, own.name));
    toPicture(trace.picture_names.length);
  }
  file.addEventListener("change", takeFile, { signal });

  // ---- drawing -------------------------------------------------------------------------------------
  const font = () => (view.now.large ? 19 : 13);
  const value = () => written(sumOf(scene.terms));
  const where = () => `row ${scene.row + 1}, column ${scene.column + 1} of ${scene.outputs.height} × ${scene.outputs.width}`;
  function describe() {
    const { stride, padding, dilation, turn } = scene.geometry;
    return `${ownShown ? own.name : trace.picture_names[view.now.picture]}, convolved with ${trace.kernel_names[view.now.kernel]} (stride ${stride}, padding ${padding}, dilation ${dilation}${turn ? `, turned by ${turn}°` : ""}). Output ${where()}: ${value()}.`;
  }
  function svgText() {
    const wanted = frameConvolution(room, font(), scene);
    const context = new SvgContext(wanted.width, wanted.height, describe());
    drawConvolution(context, wanted, scene, palette());
    return context.toString();
  }
  function drawCanvas() {
    frame = frameConvolution(room, font(), scene);
    drawConvolution(sharpContext(canvas, frame.width, frame.height), frame, scene, palette());
    canvas.dataset.places = JSON.stringify(frame);
    canvas.setAttribute("aria-label", `${describe()} Arrow keys move.`);
  }
  function drawReadout() {
    const [rows, columns] = [scene.terms.map((term) => term.row), scene.terms.map((term) => term.column)].map(
      (seen) => `${Math.floor(Math.min(...seen)) + 1} to ${Math.ceil(Math.max(...seen)) + 1}`,
    );
    const rim = scene.terms.filter((term) => !term.inside).length;
    const seen = `rows ${rows}, columns ${columns}`.replaceAll("-", "\u2212");
    readout.textContent = `Output ${where()}: ${value()}. It sees ${seen}${rim ? `; ${rim} of ${scene.terms.length} taps lie in the padding` : ""}.`;
  }
  function drawTable() {
    if (!details.open) return;
    const lines = scene.terms.map((term, tap) => [tap + 1, ...(term.inside ? [written(term.row + 1), written(term.column + 1)] : ["padding", "padding"]),
      written(term.pixel), written(term.weight), written(term.pixel * term.weight)]);
    scroll.replaceChildren(table(`Output ${where()}: ${value()}`, ["tap", "row", "column", "pixel", "weight", "product"], lines));
  }
  function drawLook() {
    look();
    if (room <= 0) return;
    drawCanvas();
    drawReadout();
    drawTable();
  }
  function draw() {
    const { picture, kernel, stride, padding, dilation, turn } = view.now;
    if (picture !== picked) ownShown = false;
    picked = picture;
    pictures.select.value = String(ownShown ? trace.picture_names.length : picture);
    kernels.select.value = String(kernel);
    strides.select.value = String(stride - strides.least);
    paddings.select.value = String(padding - paddings.least);
    dilations.select.value = String(dilation - dilations.least);
    turns.select.value = String(turn / TURN_STEP);
    hovered = null;
    compute();
    drawLook();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => { row: number, column: number } | null} */
  function outputAt(event) {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - frame.outputLeft) / frame.cell);
    const row = Math.floor((event.clientY - box.top - frame.outputTop) / frame.cell);
    const { height, width } = scene.outputs;
    return row >= 0 && row < height && column >= 0 && column < width ? { row, column } : null;
  }
  canvas.addEventListener("pointermove", (event) => {
    const place = outputAt(event);
    if (place?.row === hovered?.row && place?.column === hovered?.column) return;
    hovered = place;
    drawLook();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawLook();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    canvas.focus();
    const place = outputAt(event);
    if (place) toPlace(place.row, place.column);
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  compute();
  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildExplorer);
