// What the pages of the widgets are made of: elements, controls, tables, canvases, files.
import { clamp, short } from "./drawing.js";

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
 * Keys while `element` has the focus: { ArrowLeft: (event) => … }. A key used here goes no further; an action that
 * returns false had no use for it.
 * @param {GlobalEventHandlers} element
 * @param {Record<string, (event: KeyboardEvent) => unknown>} keys
 * @param {AbortSignal} signal
 */
export function onKeys(element, keys, signal) {
  element.addEventListener(
    "keydown",
    (event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action || action(event) === false) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
}

const EDITING = [..."acvxyz"]; // with Ctrl they edit what is typed

/**
 * Hold the keys that are pressed inside `root`: the page around it would take them for its own, as JupyterLab takes
 * "x" for "cut this cell". Escape leaves `root`. Other combinations with Ctrl pass, to save a notebook or to run a
 * cell, and those of a clicker, to turn a slide.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
export function holdKeys(root, signal) {
  root.addEventListener(
    "keydown",
    (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.key === "Escape") {
        target.blur();
        /** @type {HTMLElement | null} */ (root.parentElement.closest("[tabindex]"))?.focus();
        return;
      }
      const typing = target.matches("textarea, input:not([type=range], [type=checkbox])");
      const combined = event.ctrlKey || event.metaKey || event.altKey;
      const passes = typing ? combined && !EDITING.includes(event.key) : combined || event.key.startsWith("Page");
      if (!passes) event.stopPropagation();
    },
    { signal },
  );
}

/**
 * Bars with their numbers: entries are { text, value, chosen }.
 * @type {(title: string, entries: { text: string, value: number, chosen: boolean }[]) => HTMLElement}
 */
export function bars(title, entries) {
  /** @type {(entry: { text: string, value: number, chosen: boolean }) => HTMLElement} */
  const bar = ({ text, value, chosen }) =>
    node("li", chosen ? { class: "course-chosen" } : {}, node("bdi", { title: text }, text),
      node("span", { class: "course-bar" }, node("i", { style: `width:${100 * clamp(value || 0, 0, 1)}%` })), node("b", {}, short(value)));
  return node("div", { class: "course-bars" }, node("h3", {}, title), node("ol", {}, ...entries.map(bar)));
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
