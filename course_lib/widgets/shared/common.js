// Shared by the widgets. The module that Python begins with ends with
//   export default courseWidget(build);
// where build({ trace, root, toolbar, view, ask, signal, savePage }) fills `root` and redraws on view.onChange.

/** Make an element. Children are nodes or strings; a string is always text, never markup. */
export function node(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Turn a packed trace, or several, into { field: value }; arrays become { data, shape } on one shared buffer. */
export function unpack(packed, view) {
  const types = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array };
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
  const read = (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    if (value.dtype === undefined) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
    const length = value.shape.reduce((product, size) => product * size, 1);
    return { data: new types[value.dtype](bytes, value.offset, length), shape: value.shape };
  };
  return read(packed);
}

/** Ask the kernel for a new trace: ask({ width: 3 }) resolves to it, or fails with what Python's ValueError says. */
function asker(model, signal) {
  return (request) =>
    new Promise((resolve, reject) => {
      const id = `${Date.now()}-${Math.random()}`;
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
 */
function viewOf(model, signal) {
  const listeners = new Set();
  const tell = () => listeners.forEach((listener) => listener());
  let waiting = null;
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
    onChange: (listener) => listeners.add(listener),
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

/** Call `listener` when the page around us turns dark or light. */
function onPageTheme(listener, signal) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listener, { signal });
  const watcher = new MutationObserver(listener);
  watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  signal.addEventListener("abort", () => watcher.disconnect());
}

/** The theme's colours, { paper: "#ffffff", … }; read once a theme, for reading makes the browser lay out the page. */
export function paletteOf(root) {
  const names = ["paper", "panel", "ink", "muted", "line", "accent", "good", "bad", "masked"];
  const known = {};
  return () => {
    if (!known[root.dataset.theme]?.paper) {
      const style = getComputedStyle(root);
      known[root.dataset.theme] = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    }
    return known[root.dataset.theme];
  };
}

/** Let `work` run only when what it depends on differs from last time: once(draw)(layer, head). */
export function once(work) {
  let seen;
  return (...needs) => {
    const wanted = JSON.stringify(needs);
    if (wanted === seen) return;
    seen = wanted;
    work();
  };
}

/** A button that stays pressed while `isOn()`; call .refresh() after a change. */
export function toggle(label, title, isOn, flip, signal) {
  const button = node("button", { type: "button", title }, label);
  button.refresh = () => button.setAttribute("aria-pressed", String(isOn()));
  button.addEventListener("click", flip, { signal });
  button.refresh();
  return button;
}

/** Call act with the element's width in whole pixels, now and whenever it changes; not before it is shown. */
export function followWidth(element, act, signal) {
  let last = 0;
  const check = (width) => {
    if (Math.round(width) === last) return;
    last = Math.round(width);
    act(last);
  };
  const resized = new ResizeObserver(([entry]) => check(entry.contentRect.width));
  resized.observe(element);
  signal.addEventListener("abort", () => resized.disconnect());
  check(element.clientWidth);
}

/** A labelled select; `options` are strings, the value is the index. */
export function picker(label, options, onPick, signal) {
  const select = node("select", { "aria-label": label }, ...options.map((text, i) => node("option", { value: i }, text)));
  select.addEventListener("change", () => onPick(Number(select.value)), { signal });
  return { select, label: node("label", { class: "course-picker" }, node("span", {}, label), select) };
}

/** Keys while `element` has the focus: { ArrowLeft: (event) => … }. A key used here goes no further. */
export function onKeys(element, keys, signal) {
  element.addEventListener(
    "keydown",
    (event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action) return;
      action(event);
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}

/** A real table: header cells for the first row and column. `rows` are arrays of strings or numbers. */
export function table(caption, head, rows) {
  const cells = (row) => row.map((text, i) => node(i ? "td" : "th", i ? {} : { scope: "row" }, String(text)));
  return node(
    "table",
    {},
    node("caption", {}, caption),
    node("thead", {}, node("tr", {}, ...head.map((text) => node("th", { scope: "col" }, String(text))))),
    node("tbody", {}, ...rows.map((row) => node("tr", {}, ...cells(row)))),
  );
}

/** Size a canvas for sharp lines and return its 2-D context, scaled to CSS pixels. */
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

/** Offer text or bytes as a file. */
export function saveFile(content, name, type) {
  const link = node("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Offer this widget as one HTML file, as Python's `export_html` writes it; `picture` is an <img> for readers without
 * scripts. `packed` is what an answer of the kernel brought, where that is to be saved.
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
  const parts = {
    title: node("p", {}, title).innerHTML,
    picture: node("figure", { class: "course-picture", role: "img", "aria-label": picture.alt }, picture).outerHTML,
    content: JSON.stringify(content).replaceAll("<", "\\u003c"),
  };
  saveFile(content.page.replace(/%%(\w+)%%/g, (_, part) => parts[part]), name, "text/html");
}

/** The anywidget module: sets up the frame and the theme, then calls `build`. */
export function courseWidget(build) {
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
    build({ trace, root, toolbar, view, ask, signal, savePage: (...about) => savePage(model, ...about) });
    toolbar.append(node("span", { class: "course-gap" }), large, dark);
  }
  return {
    render({ model, el }) {
      const gone = new AbortController();
      start(model, el, gone.signal);
      return () => gone.abort();
    },
  };
}
