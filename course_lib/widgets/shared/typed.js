// A sentence that the reader types, and what the model reads of it.
import { node, onKeys } from "./elements.js";

/**
 * A form to type a sentence in. `send` gets it, and returns what is wrong with it, "" where nothing is: then that
 * stands beside the field, and what was typed stays. The form waits for a kernel: `probe` fails where there is none.
 * @type {(page: { action: string, probe: Promise<unknown>, send: (text: string) => Promise<string>, signal: AbortSignal }) => HTMLElement}
 */
export function typedForm({ action, probe, send, signal }) {
  const sentence = node("input", { type: "text", "aria-label": "Your sentence", class: "course-sentence", dir: "auto", spellcheck: "false", disabled: true });
  const go = node("button", { type: "submit", disabled: true }, action);
  const complaint = node("span", { class: "course-quiet", role: "alert" });
  async function submit() {
    complaint.textContent = "";
    complaint.textContent = await send(sentence.value);
  }
  const form = node("form", { class: "course-form" }, node("label", { class: "course-picker course-grow" }, node("span", {}, "Your sentence"), sentence), go, complaint);
  form.addEventListener("submit", (event) => (event.preventDefault(), submit()), { signal });
  onKeys(sentence, { Enter: submit }, signal);
  probe.then(() => (sentence.disabled = go.disabled = false), (error) => (complaint.textContent = error.message));
  return form;
}

/** @type {(parts: (string | HTMLElement)[][]) => (string | HTMLElement)[]} */
const listed = (parts) => parts.flatMap((part, i) => [i ? ", " : "", ...part]);
/** @type {(text: string) => HTMLElement} */
const asTyped = (text) => node("bdi", {}, `“${text}”`);

/**
 * What the model reads, piece by piece. What it never read in training is marked, and named in words; so are names
 * that it hardly knows, with those that it was given in their place.
 * @type {(reading: Course.Reading) => HTMLElement[]}
 */
export function readingParts({ pieces, unseen, unseen_texts: texts, read_as: lent }) {
  /** @type {(piece: string, place: number) => HTMLElement} */
  const shown = (piece, place) => node("bdi", unseen.includes(place) ? { class: "course-unseen", title: "never seen in training" } : {}, piece);
  const parts = [node("p", { class: "course-reading" }, node("span", { class: "course-quiet" }, "Read: "), ...pieces.map(shown))];
  if (lent.length) parts.push(node("p", {}, "Names that the model hardly knows: ",
    ...listed(lent.map(([name, other]) => [asTyped(name), " was read as ", asTyped(other)])), ". In the translation they are put back."));
  if (texts.length) parts.push(node("p", { class: "course-never" }, "Never seen in training: ", ...listed(texts.map((text) => [asTyped(text)])),
    ". What the model makes of it is a guess."));
  return parts;
}
