// The page of the lattice view. All is known beforehand, so the kernel is never asked.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp, exact } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table, toggle } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { MAPS, MOVES_UP_TO } from "./constants.js";
import { drawLattice, frameLattice, pixels } from "./lattice_drawing.js";
import { logOf, movesOf, runsOf, sharesOf, statesOf } from "./lattice_maps.js";

/** @type {(stage: Course.Stage<Lattice.Trace, Lattice.Choices>) => void} */
function buildLattice({ trace, root, toolbar, view, signal, savePage }) {
  const palette = paletteOf(root);
  const kinds = /** @type {Lattice.Kind[]} */ (Object.keys(MAPS));
  const [steps, classes] = trace.probabilities.shape;
  const runs = runsOf(trace);
  const grey = trace.picture;
  const picture = grey && pixels(grey.shape[1], grey.shape[0], (column, row) => Array(3).fill(grey.data[row * grey.shape[1] + column]));
  /** @type {Lattice.Scene} */
  let scene;
  /** @type {Lattice.Frame | null} */
  let frame = null;
  let room = 0; // pixels across

  // ---- what is chosen ------------------------------------------------------------------------------
  const alignmentOf = (/** @type {number} */ labelling) => trace.alignment.data.subarray(labelling * steps, (labelling + 1) * steps);
  function compute() {
    const { labelling, kind, time, state } = view.now;
    const alignment = alignmentOf(labelling);
    scene = {
      steps, runs, picture, alignment, time,
      blank: trace.classes[0],
      labels: statesOf(trace, labelling).map((label) => trace.classes[label]),
      shares: sharesOf(trace, labelling, kind),
      moves: steps <= MOVES_UP_TO ? movesOf(trace, labelling) : [],
      state: state ?? alignment[time],
    };
  }
  const toTime = (/** @type {number} */ time) => view.set({ time: clamp(time, 0, steps - 1), state: null });
  const toState = (/** @type {number} */ state) => view.set({ state: clamp(state, 0, scene.labels.length - 1) });
  const toLabelling = (/** @type {number} */ labelling) => view.set({ labelling: labelling % trace.labellings.length, state: null });
  const toKind = (/** @type {Lattice.Kind} */ kind) => view.set({ kind });

  // ---- the page ------------------------------------------------------------------------------------
  /** @type {(labelling: number) => string} */
  const chance = (labelling) => {
    const log = trace.log_likelihood.data[labelling];
    return log > -9 ? `p = ${exact(Number(Math.exp(log).toPrecision(3)))}` : `log p = ${log.toFixed(1)}`;
  };
  const names = trace.labellings.map((text, i) => `${text}   (${chance(i)})`);
  const choice = picker("Labelling", names, toLabelling, signal);
  const buttons = kinds.map((kind) => toggle(kind, MAPS[kind], () => view.now.kind === kind, () => toKind(kind), signal));
  toolbar.append(
    choice.label,
    node("span", { class: "course-picker", role: "group", "aria-label": "Map" }, ...buttons),
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "lattice.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "lattice.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(trace.title || "Lattice", node("img", { src: canvas.toDataURL(), alt: describe() }), "lattice.html"), signal)),
  );
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "lattice of CTC" });
  const body = node("div", { class: "lattice-stage" }, canvas);
  const readout = node("p", { class: "lattice-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet" });
  const help = node("p", { class: "course-quiet lattice-help" }, "On the lattice: ", ...[["← →", "step"], ["↑ ↓", "state"], ["Home End", "first, last step"], ["m", "map"], ["l", "labelling"]].map(([keys, what]) =>
    node("span", { class: "lattice-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The likeliest path as a table"), scroll);
  root.prepend(node("h3", { hidden: !trace.title }, trace.title));
  root.append(body, readout, legend, help, details);
  onKeys(canvas, {
    ArrowLeft: () => toTime(view.now.time - 1),
    ArrowRight: () => toTime(view.now.time + 1),
    ArrowUp: () => toState(scene.state - 1),
    ArrowDown: () => toState(scene.state + 1),
    Home: () => toTime(0),
    End: () => toTime(steps - 1),
    m: () => toKind(kinds[(kinds.indexOf(view.now.kind) + 1) % kinds.length]),
    l: () => toLabelling(view.now.labelling + 1),
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  const titles = () => ["best path (grey: a label; between: the blank)", `${view.now.kind} of “${trace.labellings[view.now.labelling]}”, ${chance(view.now.labelling)}`];
  /** What a sighted reader takes away. */
  const describe = () => `A lattice of ${steps} steps and ${scene.labels.length} states; ${titles()[1]}. Best path: ${runs.map(([label]) => label).join(" ")}.`;
  function svgText() {
    const context = new SvgContext(frame.width, frame.height, describe());
    drawLattice(context, frame, scene, titles(), palette());
    return context.toString();
  }
  /** @type {(step: number, state: number) => string} */
  const said = (step, state) => exact(Number(trace.probabilities.data[step * classes + statesOf(trace, view.now.labelling)[state]].toPrecision(3)));
  function drawReadout() {
    const { time, state, labels, shares } = scene;
    const [alpha, beta] = [trace.forward, trace.backward].map((part) => Math.exp(logOf(part, view.now.labelling)(time, state)));
    const share = shares[time * labels.length + state];
    readout.replaceChildren(
      `Step ${time}, state ${state} `, node("bdi", {}, `“${labels[state]}”`), `: the network says ${said(time, state)}; `,
      `α = ${alpha.toPrecision(3)}, β = ${beta.toPrecision(3)}; ${view.now.kind} ${share.toFixed(3)}.`,
    );
  }
  function drawTable() {
    if (!details.open) return;
    const lines = [...scene.alignment].map((state, step) => [step, scene.labels[state], said(step, state)]);
    scroll.replaceChildren(table(`The likeliest path of “${trace.labellings[view.now.labelling]}”`, ["step", "label", "the network says"], lines));
  }
  function draw() {
    compute();
    choice.select.value = String(view.now.labelling);
    for (const button of buttons) button.refresh();
    legend.textContent = `${view.now.kind}: ${MAPS[view.now.kind]}. Dark blue is 0, yellow 1. The light line is the likeliest path of this labelling.`;
    drawReadout();
    drawTable();
    if (room <= 0) return;
    frame = frameLattice(room, view.now.large ? 19 : 13, scene);
    drawLattice(sharpContext(canvas, frame.width, frame.height), frame, scene, titles(), palette());
    canvas.dataset.places = JSON.stringify(frame);
    canvas.setAttribute("aria-label", `${describe()} Arrow keys choose.`);
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  canvas.addEventListener("pointerdown", (event) => {
    const box = canvas.getBoundingClientRect();
    const time = Math.floor((event.clientX - box.left - frame.left) / frame.wide);
    const state = Math.floor((event.clientY - box.top - frame.map) / frame.high);
    if (time >= 0 && time < steps && state >= 0 && state < scene.labels.length) view.set({ time, state });
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  compute();
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildLattice);
