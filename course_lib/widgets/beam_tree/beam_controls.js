// What a reader can search anew: other settings, another sentence, a table.
import { node, onKeys, picker } from "../shared/elements.js";
import { readingParts, typedForm } from "../shared/typed.js";
import { keyOf, settingsOf, wrongSettings } from "./beam_searches.js";
import { WIDEST_BEAM } from "./constants.js";

/** @type {Beam.Kind[]} */
const KINDS = ["none", "average", "gnmt"];
const KIND_NAMES = ["none: log p", "average: log p / |y|^α", "GNMT: log p / ((5 + |y|) / 6)^α"];
const SLIDE = [...Array(5)].map(() => "0.1, 0.2, 0.3, 0.4, 0.5\n0.5, 0.4, 0.3, 0.2, 0.1").join("\n");

/** @type {(label: string, attributes: Record<string, number>) => { input: HTMLInputElement, label: (text: string) => HTMLElement }} */
function numberField(label, attributes) {
  const input = node("input", { type: "number", "aria-label": label, ...attributes });
  return { input, label: (text) => node("label", { class: "course-picker" }, node("span", {}, text), input) };
}

/** @type {(page: { searches: Beam.Searches, view: Course.View<Beam.Choices>, ask: Course.Ask, signal: AbortSignal }) => { parts: HTMLElement[], own: HTMLElement | null, refresh: () => void }} */
export function searchControls({ searches, view, ask, signal }) {
  const able = view.now.alpha !== null || searches.hasRecord;
  const width = numberField("Beam width", { min: 1, max: WIDEST_BEAM, step: 1 });
  const alpha = numberField("α (alpha), power of the length penalty", { min: 0, max: 2, step: 0.1 });
  const heat = numberField("Temperature", { min: 0.1, max: 10, step: 0.1 });
  const kind = picker("Length penalty", KIND_NAMES, () => change(true), signal);
  const reason = node("span", { class: "course-quiet beam-origin", role: "status" });
  const settings = node("fieldset", { class: "beam-search" },
    node("legend", {}, "Search again with"),
    width.label("beam width"), ...(view.now.kind === null ? [] : [kind.label]), alpha.label("α"),
    ...(view.now.temperature === null ? [] : [heat.label("temperature")]), reason);
  /** @type {() => Beam.Settings} */
  const asked = () => ({
    ...settingsOf(view.now), beam_size: width.input.valueAsNumber, alpha: view.now.alpha === null ? null : alpha.input.valueAsNumber,
    kind: view.now.kind === null ? null : KINDS[Number(kind.select.value)],
    temperature: view.now.temperature === null ? null : heat.input.valueAsNumber,
  });

  /**
   * Other settings leave the reader at the same step; another sentence or table is shown whole.
   * @type {(wanted: Beam.Settings, tree: Beam.Tree, whole?: boolean) => void}
   */
  const show = (wanted, tree, whole = false) => {
    const step = whole || view.now.step === null ? null : Math.min(view.now.step, tree.steps);
    view.set({ ...wanted, step, node: null });
  };
  /** @type {(settings: Beam.Settings) => string} */
  const describeSettings = ({ beam_size, alpha: power, temperature }) =>
    [`beam width ${beam_size}`, ...(power === null ? [] : [`α ${power}`]), ...(temperature === null ? [] : [`temperature ${temperature}`])].join(", ");

  let alone = ""; // what a page without a kernel says
  let busy = false;
  /**
   * Show the search that the fields ask for; only where `mayAsk`, the kernel is asked for what the record does not hold.
   * @type {(mayAsk: boolean) => Promise<void>}
   */
  async function change(mayAsk) {
    const wanted = asked();
    if (busy || keyOf(wanted) === keyOf(view.now)) return refresh();
    const wrong = wrongSettings(wanted);
    if (wrong) return void (mayAsk && (reason.textContent = wrong));
    const found = searches.now(wanted);
    if (found.tree) return show(wanted, found.tree);
    const kept = `Still shown: ${describeSettings(view.now)}.`;
    const short = found.missing === null ? "" : `The record does not reach here: ${found.missing}. `;
    if (!searches.can.search || wanted.table || alone) return void (reason.textContent = [short + kept, alone].filter(Boolean).join(" "));
    if (!mayAsk) return void (reason.textContent = `${short}Enter asks the model.`);
    const { beam_size, kind: form, alpha: power, temperature } = wanted;
    await fromModel({ want: "search", beam_size, kind: form, alpha: power, temperature }, wanted, found.missing, short + kept);
    // The reader may have moved on meanwhile; an empty field is NaN, which becomes null in a key.
    if (keyOf(asked()) !== keyOf(wanted)) change(true);
  }

  /** @type {(request: { want: string } & Record<string, unknown>, wanted: Beam.Settings, why: string | null, otherwise: string) => Promise<boolean>} */
  async function fromModel(request, wanted, why, otherwise) {
    busy = true;
    reason.textContent = "searching…";
    try {
      await searches.model(request, why);
      const found = searches.now(wanted);
      busy = false;
      show(wanted, found.tree, request.want === "text");
      view.redraw(); // all choices may be as before, and only the tree another
      return true;
    } catch (error) {
      reason.textContent = [error.message, otherwise].filter(Boolean).join(" ");
      return false;
    } finally {
      busy = false;
    }
  }

  for (const input of [width.input, alpha.input, heat.input]) {
    input.addEventListener("input", () => searches.hasRecord && change(false), { signal });
    input.addEventListener("change", () => change(true), { signal });
    onKeys(input, { Enter: () => change(true) }, signal); // Lab takes Enter before it becomes a change
  }

  // ---- another sentence ----------------------------------------------------------------------------
  /** @type {(text: string) => Promise<string>} */
  async function searchSentence(text) {
    if (busy) return "";
    /** @type {Beam.Settings} */
    const wanted = { ...settingsOf(view.now), table: null };
    const { beam_size, kind: chosen, alpha: power, temperature } = wanted;
    if (await fromModel({ want: "text", text, beam_size, kind: chosen, alpha: power, temperature }, wanted, null, "")) return "";
    const wrong = reason.textContent;
    reason.textContent = "";
    return wrong;
  }
  const kernel = searches.can.search || searches.can.text ? ask({ want: "search" }) : null;
  const typed = searches.can.text ? [typedForm({ action: "Search this sentence", probe: kernel, send: searchSentence, signal })] : [];
  const reading = node("div", { class: "beam-reading" });
  /** @type {Course.Reading | undefined} */
  let written; // what stands there
  /** @type {(read: Course.Reading | undefined) => void} */
  function showReading(read) {
    if (read !== written) reading.replaceChildren(...(read ? readingParts(read) : []));
    written = read;
  }

  // ---- a table -------------------------------------------------------------------------------------
  const cells = node("textarea", { rows: 8, "aria-label": "Table of probabilities", spellcheck: "false", class: "beam-cells" });
  const by = picker("A row stands for", ["a step", "the last token (the search begins with row 1)"], () => {}, signal);
  const weights = node("input", { type: "checkbox" });
  const eos = numberField("ends with column: the place of the token that ends, from 0; empty for none", { min: 0, step: 1 });
  const steps = numberField("Steps; empty for as many as rows", { min: 1, max: 50, step: 1 });
  const send = node("button", { type: "button" }, "Search this table");
  const leave = node("button", { type: "button" }, "Back to the model");
  const objection = node("p", { class: "beam-wrong", role: "alert" });
  const own = node("details", { class: "beam-own" }, node("summary", {}, "Search a table of your own"),
    node("p", { class: "course-quiet" }, "Probabilities of the next token, a row a line, parted by commas, semicolons, tabs or spaces. A first row of words names the tokens."),
    cells, node("div", { class: "course-form" }, by.label, node("label", { class: "course-picker" }, weights, node("span", {}, "rows are weights (need not sum to 1)")),
      eos.label("ends with column"), steps.label("steps"), send, leave), objection);
  /** @type {string[] | null} */
  let names = null;
  let example = false;
  /** @type {(table: Beam.Table | null) => void} */
  function fillTable(table) {
    example = !table;
    ({ text: cells.value, names } = table ?? { text: SLIDE, names: null });
    by.select.value = String(table?.by === "token" ? 1 : 0);
    weights.checked = table ? table.weights : true;
    eos.input.value = String(table?.eos ?? "");
    steps.input.value = String(table?.steps ?? "");
  }
  /** @type {(input: HTMLInputElement) => number | null} */
  const whole = (input) => (input.value === "" ? null : input.valueAsNumber);
  function searchTable() {
    /** @type {Beam.Table} */
    const table = {
      text: cells.value, names, by: by.select.value === "1" ? "token" : "step", weights: weights.checked, eos: whole(eos.input), steps: whole(steps.input),
    };
    /** @type {Beam.Settings} */
    const wanted = { ...asked(), kind: view.now.kind ?? "none", temperature: view.now.temperature ?? 1, alpha: view.now.alpha ?? 1, table };
    const found = searches.now(wanted);
    objection.textContent = found.tree ? "" : found.missing;
    if (found.tree) show(wanted, found.tree, true);
  }
  cells.addEventListener("input", () => {
    if (example) weights.checked = false; // the slide's rows are weights, a reader's own need not be
    [names, example] = [null, false];
  }, { signal });
  send.addEventListener("click", searchTable, { signal });
  leave.addEventListener("click", () => {
    /** @type {Beam.Settings} */
    const wanted = { ...settingsOf(view.now), table: null };
    const found = searches.now(wanted);
    if (found.tree) show(wanted, found.tree, true);
    else objection.textContent = `The record does not reach here: ${found.missing}. Choose smaller settings first.`;
  }, { signal });
  fillTable(view.now.table);

  // ---- together ------------------------------------------------------------------------------------
  function refresh() {
    const { table } = view.now;
    /** @type {{ input: HTMLInputElement, value: number | null }[]} */
    const fields = [
      { input: width.input, value: view.now.beam_size }, { input: alpha.input, value: view.now.alpha }, { input: heat.input, value: view.now.temperature },
    ];
    for (const { input, value } of fields) if (document.activeElement !== input || input.valueAsNumber !== value) input.value = String(value ?? "");
    kind.select.value = String(KINDS.indexOf(view.now.kind));
    alpha.input.disabled = view.now.kind === "none";
    leave.hidden = !table || !searches.hasModel;
    showReading(table ? undefined : searches.reading);
    if (busy) return;
    const found = searches.now(view.now);
    reason.textContent = searches.hasRecord || table ? found.origin ?? "" : "";
  }

  kernel?.then(() => (settings.disabled = false), (error) => {
    alone = error.message;
    if (!searches.can.text && !searches.hasRecord) reason.textContent = alone;
  });
  settings.disabled = Boolean(kernel) && !searches.hasRecord; // until a kernel answers
  return { parts: [...(able ? [settings] : []), ...typed, reading], own: searches.hasRecord ? own : null, refresh };
}
