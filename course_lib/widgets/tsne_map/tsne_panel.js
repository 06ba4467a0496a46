// How far to believe a t-SNE map: what is kept, the divergence, other perplexities, and a random twin.
import { clamp } from "../shared/drawing.js";
import { node, onKeys, sharpContext } from "../shared/elements.js";
import { CAUTION } from "./constants.js";
import { addMarker, drawBold, drawClasses, drawCurve } from "./tsne_drawing.js";
import { percent, project } from "./tsne_run.js";

/** @type {Record<string, string>} */
const TWIN_NAMES = { noise: "Gaussian noise", permuted: "each feature shuffled" };

/**
 * A share as a bar, with a mark at that of the random twin.
 * @type {(share: number, twin?: number) => HTMLElement}
 */
function shareBar(share, twin) {
  const bar = node("div", { class: "map-bar", "aria-hidden": "true" }, node("i", { style: `width:${100 * clamp(share, 0, 1)}%` }));
  if (twin !== undefined) bar.append(node("span", { style: `left:${100 * clamp(twin, 0, 1)}%` }));
  return bar;
}

/**
 * The column beside the map; draw(run, frame) draws it.
 * @type {(side: HTMLElement, page: { palette: () => Course.Palette, view: Course.View<Tsne.Choices> }) => (run: Tsne.Run, frame: number) => void}
 */
export function buildMeasures(side, { palette, view }) {
  const title = node("h3");
  const numbers = node("div", { class: "map-numbers" });
  const curve = node("canvas", { role: "img" });
  const divergence = node("p", { class: "course-quiet" });
  const settings = node("p");
  side.append(title, numbers, curve, divergence, settings, node("p", { class: "map-caution" }, CAUTION));
  /** @type {Tsne.Run | null} */
  let written = null; // the run whose numbers stand there
  /** @type {(run: Tsne.Run) => void} */
  function write({ trace, k, twins }) {
    const { neighbours_kept: kept, trustworthiness: trust } = trace;
    /** @type {(other: Tsne.Outcome) => number} */
    const away = ({ perplexity }) => Math.abs(Math.log(perplexity / trace.perplexity));
    const [twin] = [...twins].sort((a, b) => away(a) - away(b));
    const held = twin ? `; its random twin keeps ${percent(twin.kept)}` : "";
    const twinTrust = twin?.trustworthiness ?? undefined;
    numbers.replaceChildren(
      node("p", {}, node("b", {}, percent(kept)), ` of the ${k} nearest neighbours are still nearest in the last frame${held}`),
      shareBar(kept, twin?.kept),
    );
    if (trust !== null) numbers.append(node("p", { title: "1 where no point that is far in the original space has come near" }, node("b", {}, trust.toFixed(3)), ` trustworthiness: 1 where nothing that is far has come near${twinTrust === undefined ? "" : `; of its random twin ${twinTrust.toFixed(2)}`}`), shareBar(trust, twinTrust));
    settings.textContent = `Perplexity ${Number(trace.perplexity.toPrecision(4))}, seed ${trace.seed}.`;
  }
  return (run, frame) => {
    if (written !== run) write((written = run));
    title.textContent = `How far to believe ${view.now.layout === "tsne" ? "this" : "the t-SNE"} map`;
    const [height, font] = view.now.large ? [150, 15] : [110, 11];
    const width = Math.max(160, side.clientWidth - 4);
    drawCurve(sharpContext(curve, width, height), run, frame, { width, height, font, palette: palette() });
    const [from, now, to] = [0, frame, run.frames - 1].map((i) => run.trace.kl.data[i].toFixed(2));
    divergence.textContent = `KL(P‖Q) ${now} nats now; the run went from ${from} to ${to}.`;
    curve.setAttribute("aria-label", `Curve of the divergence: from ${from} to ${to} nats in ${run.trace.iterations.data.at(-1)} steps.`);
  };
}

/**
 * The maps side by side below; draw(run, marks) draws them, marks are what stands out: { shown, chosen, lined, selected }.
 * @type {(place: HTMLElement, page: { palette: () => Course.Palette, view: Course.View<Tsne.Choices> }) => (run: Tsne.Run, marks: Tsne.Marks) => void}
 */
export function buildOthers(place, { palette, view }) {
  const note = node("p", { class: "map-caution", hidden: true });
  const row = node("div", { class: "map-others", role: "group", "aria-label": "The same data at other perplexities, and a random twin" });
  const title = node("h3", {}, "Would another run show the same?");
  place.append(title, row, note);
  /** @type {Tsne.Run | null} */
  let shownRun = null;
  /** @type {{ canvas: HTMLCanvasElement, other: Tsne.Outcome, spots: Float64Array }[]} */
  let maps = []; // { canvas, other, spots }
  /** @type {(run: Tsne.Run) => void} */
  function make(run) {
    /** @type {(other: Tsne.Outcome) => HTMLElement} */
    const small = (other) => {
      const canvas = node("canvas", { role: "img" });
      const own = other.kind === "own";
      const twin = TWIN_NAMES[other.kind];
      const perplexity = `perplexity ${Number(other.perplexity.toPrecision(3))}`;
      const trust = other.trustworthiness === null ? "" : `, trustworthiness ${other.trustworthiness.toFixed(2)}`;
      const numbers = `${percent(other.kept)} kept${trust}, KL ${other.kl.toFixed(2)}`;
      const what = twin ? `Random twin, ${perplexity}` : `P${perplexity.slice(1)}${own ? " (this map)" : ""}`;
      canvas.setAttribute("aria-label", `${what}${twin ? `: ${twin} of the same size` : ""}. ${numbers}.`);
      maps.push({ canvas, other, spots: new Float64Array(2 * run.points) });
      return node("figure", { class: `map-other ${twin ? "map-twin" : own ? "map-own" : ""}` },
        canvas, node("figcaption", {}, node("b", {}, what), node("span", { class: "course-quiet" }, twin ? `${twin}; ${numbers}` : numbers)));
    };
    maps = [];
    const all = [...run.ofPoints, ...run.twins];
    row.replaceChildren(...(all.length > 1 ? all.map(small) : []));
    place.hidden = all.length < 2;
    note.hidden = !run.twins.length;
    note.textContent = "The twin is random: of its size and its spread, with nothing to find. Whatever groups you see in it are made by t-SNE.";
    shownRun = run;
  }
  return (run, marks) => {
    if (run !== shownRun) make(run);
    if (place.hidden) return;
    const wide = row.firstElementChild.clientWidth - 2;
    const high = Math.round(wide * 0.86);
    for (const { canvas, other, spots } of maps) {
      project(spots, [other.layout, other.layout, 0], run.points, { width: wide, height: high, margin: 10 });
      drawOther(sharpContext(canvas, wide, high), { run, spots, palette: palette(), ...marks }, other, clamp(55 / Math.sqrt(run.points), 1.4, 4) * (view.now.large ? 1.4 : 1));
    }
  };
}

/**
 * A small map: a twin's points have no class, and nothing of the map is chosen among them.
 * @type {(context: Course.Context, scene: Tsne.Map & Tsne.Marks, other: Tsne.Outcome, radius: number) => void}
 */
function drawOther(context, scene, other, radius) {
  const { run, spots, palette, shown, chosen, lined, selected } = scene;
  if (other.kind === "noise" || other.kind === "permuted") {
    context.beginPath();
    for (const point of run.all) addMarker(context, "o", spots[2 * point], spots[2 * point + 1], radius);
    context.fillStyle = palette.muted;
    context.fill();
    return;
  }
  const stands = new Set([...selected, ...lined, ...(chosen === null ? [] : [chosen])]);
  drawClasses(context, scene, (one) => shown(one) && !stands.has(one), radius, { alpha: stands.size ? 0.3 : 1 });
  if (stands.size) drawClasses(context, scene, (one) => shown(one) && stands.has(one), radius * 1.6, { outline: 0.8 });
  if (chosen !== null) drawBold(context, scene, chosen, radius * 2.6, 1.8);
}

/**
 * A box to ask the kernel for another perplexity in; it shows only where a kernel answers.
 * @type {(side: HTMLElement, page: { ask: Course.Ask, signal: AbortSignal, onRun: (answer: Tsne.Trace) => void }) => void}
 */
export function buildAsking(side, { ask, signal, onRun }) {
  const box = node("input", { type: "number", step: "any", "aria-label": "Another perplexity" });
  const button = node("button", { type: "button", title: "The kernel lays the same points out anew" }, "Compute");
  const said = node("span", { class: "course-quiet", role: "status" });
  const form = node("div", { class: "map-asking", role: "group", "aria-label": "Another perplexity", hidden: true },
    node("label", { class: "course-picker" }, node("span", {}, "Another perplexity"), box), button, said);
  side.append(form);
  async function compute() {
    if (button.disabled) return;
    button.disabled = true;
    said.textContent = "computing…";
    try {
      onRun(await ask({ want: "perplexity", perplexity: box.valueAsNumber }));
      said.textContent = "done";
    } catch (error) {
      said.textContent = error.message;
    }
    button.disabled = false;
  }
  button.addEventListener("click", compute, { signal });
  onKeys(box, { Enter: compute }, signal);
  ask({ want: "perplexity" }).then(({ smallest, largest }) => {
    Object.assign(box, { min: smallest, max: largest, placeholder: `${smallest} to ${Number(largest.toPrecision(4))}` });
    form.hidden = false;
  }, () => form.remove());
}
