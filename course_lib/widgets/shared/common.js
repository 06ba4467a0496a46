// The frame of every widget. The module of a widget ends with
//   export default courseWidget(build);
// where build({ trace, root, toolbar, view, ask, signal, savePage }) fills `root` and redraws on view.onChange.
import { holdKeys, node, saveFile, toggle } from "./elements.js";

/**
 * Turn a packed trace, or several, into { field: value }; arrays become { data, shape } on one shared buffer.
 * @param {Course.Message["fields"]} packed
 * @param {ArrayBufferView} view
 * @returns {any}
 */
export function unpack(packed, view) {
  const types = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };
  const bytes = /** @type {ArrayBuffer} */ (view.buffer).slice(view.byteOffset, view.byteOffset + view.byteLength);
  /** @type {(value: any) => any} */
  const read = (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    if (value.dtype === undefined) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
    const length = value.shape.reduce((/** @type {number} */ product, /** @type {number} */ size) => product * size, 1);
    const Numbers = types[/** @type {keyof types} */ (value.dtype)];
    return { data: new Numbers(bytes, value.offset, length), shape: value.shape };
  };
  return read(packed);
}

/**
 * Ask the kernel for a new trace: ask({ width: 3 }) resolves to it, or fails with what Python's ValueError says.
 * @param {Course.Model} model
 * @param {AbortSignal} signal
 * @returns {Course.Ask}
 */
function asker(model, signal) {
  return (request) =>
    new Promise((resolve, reject) => {
      const id = `${Date.now()}-${Math.random()}`;
      /** @type {(message: { reply: string, error?: string, fields: Course.Message["fields"] }, buffers: DataView[]) => void} */
      const answer = (message, buffers) => {
        if (message.reply !== id) return;
        model.off("msg:custom", answer);
        if (message.error) reject(new Error(message.error));
        else resolve({ ...unpack(message.fields, buffers[0]), packed: { fields: message.fields, buffer: buffers[0] } });
      };
      model.on("msg:custom", answer);
      signal.addEventListener("abort", () => model.off("msg:custom", answer));
      model.send({ ...request, id });
    });
}

/**
 * The reader's choices: view.now is a dictionary, view.set({ head: 2 }) changes it, view.onChange(draw) hears of it.
 *
 * What is on the screen changes at once. The kernel hears of it a moment later, in one message for all changes
 * since the last: in a notebook, sending and its echo cost more time than drawing.
 * @param {Course.Model} model
 * @param {AbortSignal} signal
 * @returns {Course.View<any>}
 */
function viewOf(model, signal) {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const tell = () => listeners.forEach((listener) => listener());
  let waiting = 0;
  /** @type {object | null} */
  let unsaved = null; // what the kernel has not heard of; its echo of an older choice must not undo it
  const now = () => unsaved ?? model.get("view");
  const save = () => {
    if (unsaved === null) return;
    clearTimeout(waiting);
    if (model.get("view") !== unsaved) model.set("view", unsaved);
    unsaved = null;
    model.save_changes();
  };
  model.on("change:view", tell);
  signal.addEventListener("abort", () => {
    model.off("change:view", tell);
    save();
  });
  return {
    get now() {
      return now();
    },
    set(choices) {
      unsaved = { ...now(), ...choices };
      model.set("view", unsaved);
      clearTimeout(waiting);
      waiting = setTimeout(save, 150);
    },
    onChange: (listener) => void listeners.add(listener),
    /** Let the kernel hear of every choice now. */
    save,
    /** Draw again, although no choice has changed: the page around us has. */
    redraw: tell,
  };
}

/** Whether the page around us is dark. */
function pageIsDark() {
  const jupyter = document.body.dataset.jpThemeLight;
  return jupyter ? jupyter === "false" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Call `listener` when the page around us turns dark or light.
 * @param {() => void} listener
 * @param {AbortSignal} signal
 */
function onPageTheme(listener, signal) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
  const watcher = new MutationObserver(listener);
  watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  signal.addEventListener("abort", () => watcher.disconnect());
}

/**
 * The theme's colours, { paper: "#ffffff", … }; read once a theme, for reading makes the browser lay out the page.
 * @param {HTMLElement} root
 * @returns {() => Course.Palette}
 */
export function paletteOf(root) {
  const names = ["paper", "panel", "ink", "muted", "line", "accent", "good", "bad", "masked"];
  /** @type {Record<string, any>} */
  const known = {};
  return () => {
    const { theme } = root.dataset;
    if (!known[theme]?.paper) {
      const style = getComputedStyle(root);
      known[theme] = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    }
    return known[theme];
  };
}

/**
 * Let `work` run only when what it depends on differs from last time: once(draw)(layer, head).
 * @param {() => void} work
 * @returns {(...needs: unknown[]) => void}
 */
export function once(work) {
  /** @type {string} */
  let seen;
  return (...needs) => {
    const wanted = JSON.stringify(needs);
    if (wanted === seen) return;
    seen = wanted;
    work();
  };
}

/**
 * Offer this widget as one HTML file, as Python's `export_html` writes it; `picture` is an <img> for readers without
 * scripts. `packed` is what an answer of the kernel brought, where that is to be saved.
 * @param {Course.Model} model
 * @param {string} title
 * @param {HTMLImageElement} picture
 * @param {string} name
 * @param {Course.Message} packed
 */
function savePage(model, title, picture, name, packed = { fields: model.get("_fields"), buffer: model.get("_buffer") }) {
  const { buffer, byteOffset, byteLength } = packed.buffer;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  const content = {
    module: model.get("_esm"), style: model.get("_css"), page: model.get("_page"),
    view: model.get("view"), fields: packed.fields, buffer: btoa(text),
  };
  /** @type {Record<string, string>} */
  const parts = {
    title: node("p", {}, title).innerHTML,
    picture: node("figure", { class: "course-picture", role: "img", "aria-label": picture.alt }, picture).outerHTML,
    content: JSON.stringify(content).replaceAll("<", "\\u003c"),
  };
  saveFile(content.page.replace(/%%(\w+)%%/g, (/** @type {string} */ _, /** @type {string} */ part) => parts[part]), name, "text/html");
}

/**
 * The anywidget module: sets up the frame and the theme, then calls `build`.
 * @param {(stage: Course.Stage<any, any>) => void} build
 */
export function courseWidget(build) {
  /** @type {(model: Course.Model, el: HTMLElement, signal: AbortSignal) => void} */
  function start(model, el, signal) {
    const ask = asker(model, signal);
    const trace = unpack(model.get("_fields"), model.get("_buffer"));
    const view = viewOf(model, signal);
    const toolbar = node("div", { class: "course-toolbar", role: "toolbar", "aria-label": "Choices" });
    // Drawings and numbers run from left to right on every page; a word keeps its own direction.
    const root = node("section", { class: "course-widget", dir: "ltr" }, toolbar);
    const printing = matchMedia("print"); // on white paper
    holdKeys(root, signal);
    const isDark = () => !printing.matches && (view.now.dark ?? pageIsDark());
    const dark = toggle("Dark", "Dark background", isDark, () => view.set({ dark: !isDark() }), signal);
    const large = toggle(
      "Large type",
      "Large type, for a lecture",
      () => view.now.large,
      () => view.set({ large: !view.now.large }),
      signal,
    );
    const look = () => {
      root.dataset.theme = isDark() ? "dark" : "light";
      root.dataset.size = view.now.large ? "large" : "normal";
      dark.refresh();
      large.refresh();
    };
    look();
    view.onChange(look);
    onPageTheme(view.redraw, signal);
    printing.addEventListener("change", view.redraw, { signal });
    root.addEventListener("focusout", view.save, { signal }); // before the reader runs a cell that asks for a choice
    el.append(root);
    build({ trace, root, toolbar, view, ask, signal, savePage: (title, picture, name, packed) => savePage(model, title, picture, name, packed) });
    toolbar.append(node("span", { class: "course-gap" }), large, dark);
  }
  return {
    /** @param {{ model: Course.Model, el: HTMLElement }} where */
    render({ model, el }) {
      const gone = new AbortController();
      start(model, el, gone.signal);
      return () => gone.abort();
    },
  };
}
