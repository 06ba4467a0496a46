// Points chosen by the lasso or by keys: their table, and how to take it along.
import { node, saveFile, table } from "../shared/elements.js";

const CHOSEN_ROWS = 100; // in the page; a copy or a file has all
const CHOSEN_HEAD = ["label", "class", "x", "y", "nearest in the original space"];

/**
 * One row a point, as strings; `texts` come last where the trace has them.
 * @type {(run: Tsne.Run, points: number[], frame: number) => string[][]}
 */
export function rowsOf(run, points, frame) {
  const { labels, groups, texts } = run.trace;
  return points.map((one) => [
    labels[one], groups[one], run.at(frame, one, 0).toPrecision(4), run.at(frame, one, 1).toPrecision(4),
    run.neighbours(one).map((other) => labels[other]).join(", "), ...(texts ? [texts[one]] : []),
  ]);
}
/** @type {(run: Tsne.Run) => string[]} */
export const headOf = ({ trace }) => [...CHOSEN_HEAD, ...(trace.texts ? ["text"] : [])];

/** @type {(rows: string[][]) => string} */
const csvOf = (rows) => rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(",") + "\r\n").join("");
/** @type {(rows: string[][]) => string} */
const tsvOf = (rows) => rows.map((row) => row.map((text) => text.replace(/[\t\r\n]/g, " ")).join("\t")).join("\n");

/**
 * Put text on the clipboard, also where a page is not trusted with it.
 * @type {(text: string) => Promise<void>}
 */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = node("textarea", { style: "position:fixed;opacity:0" });
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("The browser allows no copying here.");
}

/**
 * The table of the chosen points; draw(run, points, frame) draws it.
 * @type {(place: HTMLElement, page: { signal: AbortSignal, clear: () => void }) => (run: Tsne.Run, points: number[], frame: number) => void}
 */
export function buildChosen(place, { signal, clear }) {
  const count = node("h3");
  const kinds = node("p", { class: "course-quiet" });
  const said = node("span", { class: "course-quiet", role: "status" });
  /** @type {(text: string, title: string, act: () => void) => HTMLElement} */
  const button = (text, title, act) => {
    const made = node("button", { type: "button", title }, text);
    made.addEventListener("click", act, { signal });
    return made;
  };
  const copy = button("Copy", "Copy the table, for a spreadsheet", () =>
    copyText(tsvOf(content())).then(() => (said.textContent = "copied"), (error) => (said.textContent = error.message)));
  const save = button("CSV", "Save the table as a CSV file", () => saveFile(csvOf(content()), "points.csv", "text/csv"));
  const list = node("div", { class: "course-scroll map-table", tabindex: "0" });
  place.append(count, node("div", { class: "map-take" }, copy, save, button("Choose none", "Choose no points", clear), said), kinds, list);
  /** @type {{ run: Tsne.Run | null, points: number[], frame: number }} */
  let shown = { run: null, points: [], frame: 0 };
  const content = () => [headOf(shown.run), ...rowsOf(shown.run, shown.points, shown.frame)];
  return (run, points, frame) => {
    shown = { run, points, frame };
    place.hidden = points.length === 0;
    said.textContent = "";
    if (!points.length) return list.replaceChildren();
    count.textContent = points.length === 1 ? "1 point is chosen" : `${points.length} points are chosen`;
    const by = run.names.map((name, i) => ({ name, many: points.filter((one) => run.group[one] === i).length })).filter(({ many }) => many);
    by.sort((one, other) => other.many - one.many);
    kinds.replaceChildren(...by.flatMap(({ name, many }, i) => [i ? ", " : "", node("bdi", {}, name || "∅"), ` (${many})`]));
    const rows = rowsOf(run, points.slice(0, CHOSEN_ROWS), frame);
    list.replaceChildren(table(points.length > CHOSEN_ROWS ? `The first ${CHOSEN_ROWS}; a copy has all` : "The chosen points", headOf(run), rows));
    return undefined;
  };
}
