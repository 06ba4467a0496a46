// The page of the gate inspector. Everything that is known is switched here; only a new text asks the kernel.
import { courseWidget, paletteOf } from "../shared/common.js";
import { clamp, exact, short, signed } from "../shared/drawing.js";
import { followWidth, node, onKeys, picker, saveButton, saveFile, sharpContext, table } from "../shared/elements.js";
import { SvgContext } from "../shared/svg_context.js";
import { LONGEST_TEXT } from "./constants.js";
import { drawGates, frameGates, isSigned, minus, readGates } from "./gate_drawing.js";

/** @type {(stage: Course.Stage<Gates.Trace, Gates.Choices>) => void} */
function buildGates({ trace, root, toolbar, view, ask, signal, savePage }) {
  const palette = paletteOf(root);
  let run = readGates(trace);
  /** @type {{ time?: number, row?: number, unit?: number } | null} */
  let hovered = null; // what is under the pointer: { time } and a row or a unit
  /** @type {Gates.Frame | null} */
  let frame = null; // what `frameGates` returned for the last drawing
  let room = 0; // pixels across
  let busy = false;

  // ---- what is chosen ------------------------------------------------------------------------------
  const unit = () => view.now.unit;
  const row = () => Math.max(0, run.names.indexOf(view.now.quantity));
  const time = () => Math.min(view.now.time, run.times - 1);
  /** @type {(place: { unit?: number, row?: number, time?: number }) => void} */
  const choose = ({ unit: nextUnit = unit(), row: nextRow = row(), time: nextTime = time() }) =>
    view.set({
      unit: clamp(nextUnit, 0, run.units - 1),
      quantity: run.names[(nextRow + run.rows) % run.rows],
      time: clamp(nextTime, 0, run.times - 1),
    });

  // ---- the page ------------------------------------------------------------------------------------
  const gate = picker("Gate", run.names, (row) => choose({ row }), signal);
  const unitBox = node("input", { type: "number", min: 0, max: run.units - 1, step: 1, "aria-label": "Unit" });
  const setUnit = () => {
    if (Number.isInteger(unitBox.valueAsNumber)) choose({ unit: unitBox.valueAsNumber });
    draw();
  };
  unitBox.addEventListener("change", setUnit, { signal });
  onKeys(unitBox, { Enter: setUnit }, signal); // Lab takes Enter before it becomes a change
  const slider = node("input", { type: "range", min: 1, "aria-label": "Character" });
  slider.addEventListener("input", () => choose({ time: Number(slider.value) - 1 }), { signal });
  toolbar.append(
    gate.label, node("label", { class: "course-picker" }, node("span", {}, "Unit"), unitBox),
    node("label", { class: "course-picker" }, node("span", {}, "Character"), slider),
    node("span", { class: "course-picker", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
      saveButton("PNG", () => canvas.toBlob((blob) => saveFile(blob, "gates.png", "image/png")), signal),
      saveButton("SVG", () => saveFile(svgText(), "gates.svg", "image/svg+xml"), signal),
      saveButton("HTML", () => savePage(run.trace.title || "Gates", node("img", { src: canvas.toDataURL(), alt: describe() }), "gates.html"), signal)),
  );

  const title = node("h3");
  const text = node("textarea", { rows: 2, maxlength: LONGEST_TEXT, "aria-label": "Your own text", placeholder: "Your own text" });
  const send = node("button", { type: "button", title: "Let the layer read this text (Ctrl+Enter)" }, "Read it");
  const said = node("span", { class: "course-quiet", role: "status" });
  const writing = node("div", { class: "gate-writing", role: "group", "aria-label": "Your own text", hidden: true }, text, send, said);
  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "gates over time" });
  const body = node("div", { class: "gate-stage" }, canvas);
  const readout = node("p", { class: "gate-readout", role: "status", "aria-live": "polite" });
  const legend = node("p", { class: "course-quiet gate-legend" },
    "A bar's length is the value: a gate's from the bottom (0) up to 1; what can be negative goes up or down from the middle. × is NaN.");
  const help = node("p", { class: "course-quiet gate-help" });
  const scroll = node("div", { class: "course-scroll", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The unit as a table"), scroll);
  root.prepend(title);
  root.append(writing, body, readout, legend, help, details);
  help.append("On the picture: ", ...[["← →", "character"], ["↑ ↓", "unit"], ["PageUp PageDown", "a window of units"], ["Home End", "first, last character"],
    ["g G", "next, previous gate"]].map(([keys, what]) =>
    node("span", { class: "gate-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)));
  onKeys(canvas, {
    ArrowLeft: () => choose({ time: time() - 1 }),
    ArrowRight: () => choose({ time: time() + 1 }),
    ArrowUp: () => choose({ unit: unit() - 1 }),
    ArrowDown: () => choose({ unit: unit() + 1 }),
    PageUp: () => choose({ unit: unit() - frame.lines }),
    PageDown: () => choose({ unit: unit() + frame.lines }),
    Home: () => choose({ time: 0 }),
    End: () => choose({ time: run.times - 1 }),
    g: () => choose({ row: row() + 1 }),
    G: () => choose({ row: row() - 1 }),
  }, signal);

  // ---- a text of one's own -------------------------------------------------------------------------
  async function readText() {
    if (busy) return;
    busy = send.disabled = true;
    said.textContent = "reading…";
    try {
      run = readGates(await ask({ want: "read", text: text.value }));
      frame = null;
      hovered = null;
      said.textContent = "";
      choose({ time: 0 });
      draw(); // where nothing else has changed, no one else would
    } catch (error) {
      said.textContent = error.message;
    }
    busy = send.disabled = false;
  }
  send.addEventListener("click", readText, { signal });
  text.addEventListener("keydown", (event) => {
    event.stopPropagation(); // Lab would take Enter and the arrows
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    readText();
  }, { signal });
  // Without a kernel that can read, there is nothing to type for.
  ask({ want: "read" }).then(() => (writing.hidden = false), () => writing.remove());

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(row: number, value: number) => string} */
  const number = (r, value) => (isSigned(run.names[r]) ? signed(exact, value) : exact(value));
  /** @type {(context: Course.Context) => Gates.Frame} */
  function frameOf(context) {
    const height = clamp(0.3 * window.innerHeight, 150, 420);
    return frameGates(context, run, { width: room, height, font: view.now.large ? 19 : 13, time: time(), unit: unit(), last: frame });
  }
  const looks = () => ({ time: time(), unit: unit(), row: row(), palette: palette() });
  function drawCanvas() {
    frame = frameOf(canvas.getContext("2d"));
    drawGates(sharpContext(canvas, frame.width, frame.height), run, frame, looks());
    const { left, column, firstTime, top, step, strip, mapTop, cell, firstUnit } = frame;
    canvas.dataset.places = JSON.stringify({ left, column, firstTime, top, step, strip, mapTop, cell, firstUnit });
    canvas.setAttribute("aria-label", `Gates of unit ${unit()} and ${run.names[row()]} of all units over ${run.times} characters. Arrow keys move.`);
  }
  function svgText() {
    const wanted = frameOf(new SvgContext(1, 1, ""));
    const context = new SvgContext(wanted.width, wanted.height, describe());
    drawGates(context, run, wanted, looks());
    return context.toString();
  }
  /** What a sighted reader takes away from the strips. */
  function describe() {
    const told = run.names.map((name, r) => {
      const values = Array.from({ length: run.times }, (_, t) => ({ value: run.at(r, t, unit()), t })).filter(({ value }) => !Number.isNaN(value));
      if (!values.length) return `${name} has no numbers (NaN)`;
      values.sort((one, other) => one.value - other.value);
      /** @type {(entry: { value: number, t: number }) => string} */
      const place = ({ value, t }) => `${minus(short(value))} at “${run.characters[t]}” (${t + 1})`;
      return `${name} from ${place(values[0])} to ${place(values.at(-1))}`;
    });
    return `${run.trace.title} ${run.names.join(", ")} at each of ${run.times} characters. Unit ${unit()} of ${run.units}: ${told.join("; ")}.`.trim();
  }
  function drawToolbar() {
    title.textContent = run.trace.title;
    title.hidden = !run.trace.title;
    gate.select.value = String(row());
    unitBox.value = String(unit());
    slider.max = String(run.times);
    slider.value = String(time() + 1);
    slider.setAttribute("aria-valuetext", `${time() + 1} of ${run.times}: ${run.characters[time()]}`);
  }
  function drawReadout() {
    const shown = { time: time(), unit: unit(), ...hovered };
    shown.time = Math.min(shown.time, run.times - 1);
    readout.replaceChildren(
      `Character ${shown.time + 1} of ${run.times} `, node("bdi", {}, `“${run.characters[shown.time]}”`), `, unit ${shown.unit}: `,
      run.names.map((name, r) => `${name} ${number(r, run.at(r, shown.time, shown.unit))}`).join(", "),
    );
  }
  function drawTable() {
    if (!details.open) return;
    const lines = run.characters.map((character, t) => [character, ...run.names.map((_, r) => minus(exact(run.at(r, t, unit()))))]);
    scroll.replaceChildren(table(`Unit ${unit()}`, ["character", ...run.names], lines));
  }
  function draw() {
    drawToolbar();
    if (room <= 0) return;
    drawCanvas();
    drawReadout();
    drawTable();
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  /** @type {(event: MouseEvent) => { time?: number, row?: number, unit?: number }} */
  function placeAt(event) {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - frame.left) / frame.column);
    const y = event.clientY - box.top;
    const place = column >= 0 && column < frame.columns ? { time: frame.firstTime + column } : {};
    const line = Math.floor((y - frame.mapTop) / frame.cell);
    if (line >= 0 && line < frame.lines) return { ...place, unit: frame.firstUnit + line };
    const strip = Math.floor((y - frame.top) / frame.step);
    return strip >= 0 && strip < run.rows ? { ...place, row: strip } : place;
  }
  canvas.addEventListener("pointermove", (event) => {
    hovered = placeAt(event);
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    canvas.focus();
    choose(placeAt(event));
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  view.onChange(draw);
  followWidth(body, (width) => {
    room = width;
    draw();
  }, signal);
}

export default courseWidget(buildGates);
