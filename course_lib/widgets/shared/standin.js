// Stands in for the kernel's model in an exported page: same module, same trace, no kernel.

const content = JSON.parse(document.getElementById("content").textContent);
const bytes = Uint8Array.from(atob(content.buffer), (character) => character.charCodeAt(0));
/** @type {Record<string, unknown>} */
const state = {
  view: content.view,
  _fields: content.fields,
  _buffer: new DataView(bytes.buffer),
  _esm: content.module,
  _css: content.style,
  _page: content.page,
};
/** @typedef {(...values: unknown[]) => void} Listener */
/** @type {Map<string, Listener[]>} */
const listeners = new Map();
/** @type {(event: string, ...values: unknown[]) => void} */
const fire = (event, ...values) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...values));

/** @type {Course.Model} */
const model = {
  get: (name) => state[name],
  set: (name, value) => {
    state[name] = value;
    fire(`change:${name}`);
  },
  save_changes: () => {},
  on: (event, listener) => void listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  off: (event, listener) =>
    void listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== listener)),
  send: ({ id }) => fire("msg:custom", { reply: id, error: "This page has no kernel, so nothing new can be computed." }),
};

const style = document.createElement("style");
style.textContent = content.style;
document.head.append(style);
const address = URL.createObjectURL(new Blob([content.module], { type: "text/javascript" }));
const widget = (await import(address)).default;
URL.revokeObjectURL(address);
widget.render({ model, el: document.getElementById("widget") });
