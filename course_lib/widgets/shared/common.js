// Shared by the widgets. The module that Python begins with ends with
//   export default courseWidget(build);
// where build({ trace, root, toolbar, view, ask, signal, savePage }) fills `root` and redraws on view.onChange.

/**
 * Make an element. Children are nodes or strings; a string is always text, never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | null | undefined>} attributes
 * @param {...(Node | string)} children
 */
export function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

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
 * A button that stays pressed while `isOn()`; call .refresh() after a change.
 * @param {string} label
 * @param {string} title
 * @param {() => boolean} isOn
 * @param {() => void} flip
 * @param {AbortSignal} signal
 */
export function toggle(label, title, isOn, flip, signal) {
  const refresh = () => button.setAttribute("aria-pressed", String(isOn()));
  const button = Object.assign(node("button", { type: "button", title }, label), { refresh });
  button.addEventListener("click", flip, { signal });
  button.refresh();
  return button;
}

/**
 * Call act with the element's width in whole pixels, now and whenever it changes; not before it is shown.
 * @param {HTMLElement} element
 * @param {(width: number) => void} act
 * @param {AbortSignal} signal
 */
export function followWidth(element, act, signal) {
  let last = 0;
  const check = (/** @type {number} */ width) => {
    if (Math.round(width) === last) return;
    last = Math.round(width);
    act(last);
  };
  const resized = new ResizeObserver(([entry]) => check(entry.contentRect.width));
  resized.observe(element);
  signal.addEventListener("abort", () => resized.disconnect());
  check(element.clientWidth);
}

/**
 * A labelled select; `options` are strings, the value is the index.
 * @param {string} label
 * @param {string[]} options
 * @param {(index: number) => void} onPick
 * @param {AbortSignal} signal
 */
export function picker(label, options, onPick, signal) {
  const select = node("select", { "aria-label": label }, ...options.map((text, i) => node("option", { value: i }, text)));
  select.addEventListener("change", () => onPick(Number(select.value)), { signal });
  return { select, label: node("label", { class: "course-picker" }, node("span", {}, label), select) };
}

/**
 * Keys while `element` has the focus: { ArrowLeft: (event) => … }. A key used here goes no further.
 * @param {HTMLElement | SVGElement} element
 * @param {Record<string, (event: KeyboardEvent) => void>} keys
 * @param {AbortSignal} signal
 */
export function onKeys(element, keys, signal) {
  element.addEventListener(
    "keydown",
    (/** @type {KeyboardEvent} */ event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action) return;
      action(event);
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}

/**
 * A real table: header cells for the first row and column.
 * @param {string} caption
 * @param {(string | number)[]} head
 * @param {(string | number)[][]} rows
 */
export function table(caption, head, rows) {
  const cells = (/** @type {(string | number)[]} */ row) => row.map((text, i) => node(i ? "td" : "th", i ? {} : { scope: "row" }, String(text)));
  return node(
    "table",
    {},
    node("caption", {}, caption),
    node("thead", {}, node("tr", {}, ...head.map((text) => node("th", { scope: "col" }, String(text))))),
    node("tbody", {}, ...rows.map((row) => node("tr", {}, ...cells(row)))),
  );
}

/**
 * Size a canvas for sharp lines and return its 2-D context, scaled to CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function sharpContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (canvas.width === across && canvas.height === down) context.clearRect(0, 0, across, down);
  else Object.assign(canvas, { width: across, height: down }); // which clears it, and takes longer
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/**
 * Offer text or bytes as a file.
 * @param {BlobPart} content
 * @param {string} name
 * @param {string} type
 */
export function saveFile(content, name, type) {
  const link = node("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * A button that saves what is shown in the form that `text` names.
 * @param {string} text
 * @param {() => void} save
 * @param {AbortSignal} signal
 */
export function saveButton(text, save, signal) {
  const button = node("button", { type: "button", "aria-label": `Save ${text}`, title: `Save what is shown as ${text}` }, text);
  button.addEventListener("click", save, { signal });
  return button;
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
    // Lab must not take the keys typed here for its own commands.
    const root = node("section", { class: "course-widget", "data-lm-suppress-shortcuts": "true" }, toolbar);
    const isDark = () => view.now.dark ?? pageIsDark();
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
