// A beam search as a tree: one column a step, best rank on top.
import { courseWidget, paletteOf } from "../shared/common.js";
import { node, onKeys, picker, saveFile, table, toggle } from "../shared/elements.js";
import { searchControls } from "./beam_controls.js";
import { drawBeam, legendOf, markChosen, shape } from "./beam_drawing.js";
import { guessing } from "./beam_guess.js";
import { greedyOf } from "./beam_replay.js";
import { canvasOf, treeFile } from "./beam_save.js";
import { searchesOf } from "./beam_searches.js";
import {
  aboutGreedy, aboutReference, describe, explain, number, probability, rankOf, VALUE_NAMES, VALUES,
} from "./beam_words.js";

const PACE = 1100; // milliseconds a step

/** @type {(stage: Course.Stage<Beam.Content, Beam.Choices>) => void} */
function buildBeam({ trace: content, root, toolbar, view, ask, signal, savePage }) {
  const searches = searchesOf(content, ask);
  let { tree, record } = searches.now(view.now);
  /** @type {boolean | undefined} */
  let shownReference;
  let guess = guessing(tree);
  /** @type {number | null} */
  let timer = null;
  const id = `beam-${Math.random().toString(36).slice(2)}`;

  // ---- the page ------------------------------------------------------------------------------------
  const back = node("button", { type: "button", title: "One step back", "aria-label": "One step back" }, "◀");
  const forth = node("button", { type: "button", title: "One step on", "aria-label": "One step on" }, "▶");
  const slider = node("input", { type: "range", min: 0, "aria-label": "Step" });
  const counter = node("output", { class: "beam-counter" });
  const play = toggle("Play", "Let the tree grow", () => timer !== null, () => (timer ? stop() : start()), signal);
  const value = picker("In the nodes", VALUE_NAMES, (i) => view.set({ score: VALUES[i] }), signal);
  /** @type {(label: string, title: string, name: "pruned" | "show_greedy" | "show_reference") => ReturnType<typeof toggle>} */
  const flag = (label, title, name) => toggle(label, title, () => view.now[name], () => view.set({ [name]: !view.now[name] }), signal);
  const followed = flag("Reference", "Show the path of the reference", "show_reference");
  const flags = [flag("Pruned", "Show what was cut off", "pruned"), flag("Greedy", "Show the path of greedy search", "show_greedy"), followed];
  const predict = toggle("Predict", "Hide the next step, and guess who leads it", () => view.now.predict, startPredicting, signal);
  /** @type {(text: string, save: () => void) => HTMLElement} */
  const saver = (text, save) => {
    const button = node("button", { type: "button", title: `Save as ${text}` }, text);
    button.addEventListener("click", save, { signal });
    return button;
  };
  const palette = paletteOf(root);
  const saves = node("span", { class: "beam-save", role: "group", "aria-label": "Save" }, node("span", { class: "course-quiet" }, "Save"),
    saver("PNG", async () => (await canvasOf(file())).toBlob((blob) => saveFile(blob, "beam.png", "image/png"))),
    saver("SVG", () => saveFile(file().text, "beam.svg", "image/svg+xml")),
    saver("HTML", async () => savePage("Beam search", node("img", { src: (await canvasOf(file())).toDataURL(), alt: describe(tree) }), "beam.html", searches.packed)));
  toolbar.append(node("span", { class: "course-picker" }, node("span", {}, "Step"), back, slider, forth, counter), play, value.label, ...flags, predict, saves);

  const controls = searchControls({ searches, view, ask, signal });
  const heading = node("h3");
  const facts = node("p", { class: "course-quiet beam-facts" });
  const notes = node("p", { class: "beam-notes" });
  const verdict = node("p", { class: "beam-verdict", role: "status", "aria-live": "assertive" });
  const svg = shape("svg", { tabindex: 0, role: "tree", "aria-label": "Tree of the search", class: "beam-svg" });
  const stage = node("div", { class: "beam-stage" }, svg);
  const readout = node("div", { class: "beam-readout", role: "status", "aria-live": "polite" });
  const legend = node("div", { class: "beam-legend" });
  const help = node("p", { class: "course-quiet beam-help" });
  const scroll = node("div", { class: "course-scroll beam-table", tabindex: "0" });
  const details = node("details", {}, node("summary", {}, "The search as a table"), scroll);
  root.prepend(heading);
  root.append(...controls.parts, facts, verdict, stage, readout, notes, legend, help, details, ...(controls.own ? [controls.own] : []));
  help.append(
    ...[["←", "parent"], ["→", "best child"], ["↑ ↓", "next in rank"], ["Shift ↑ ↓", "sibling"], ["Home End", "root, best"],
      ["PageUp PageDown", "step"], ["Space", "play"], ["Enter", "guess"]].map(([keys, what]) =>
      node("span", { class: "beam-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)),
  );

  // ---- what is chosen ------------------------------------------------------------------------------
  const last = () => Math.min(view.now.step ?? tree.steps, tree.steps);
  const over = () => last() === tree.steps;
  /** @type {(node: number) => boolean} */
  const secret = (one) => view.now.predict && tree.step[one] === last() + 1;
  /** @type {(node: number) => boolean} */
  const able = (one) => view.now.pruned || tree.status[one] !== "pruned";
  /** @type {(step: number) => number[]} */
  function column(step) {
    if (step <= last()) return tree.columns[step].filter(able);
    return view.now.predict && step === last() + 1 ? guess.column(step) : [];
  }
  /** @type {(node: number) => boolean} */
  const visible = (one) => column(tree.step[one]).includes(one);
  function chosen() {
    let one = view.now.node ?? (over() ? tree.best : tree.columns[last()][0]);
    if (one >= tree.nodes.length) one = tree.best;
    while (!visible(one)) one = tree.parent[one];
    return one;
  }
  /** @type {(node: number | undefined) => void} */
  const choose = (one) => {
    if (one === undefined || one < 0) return;
    view.set({ node: one, step: tree.step[one] > last() && !secret(one) ? tree.step[one] : view.now.step });
  };
  /** @type {(step: number) => void} */
  const showStep = (step) => view.set({ step: Math.max(0, Math.min(tree.steps, step)), node: null });
  /** @type {(list: number[], by: number) => void} */
  const beside = (list, by) => choose(list[list.indexOf(chosen()) + by]);
  const siblings = () => {
    const all = tree.children[tree.parent[chosen()]] ?? [];
    return secret(chosen()) ? column(tree.step[chosen()]).filter((one) => all.includes(one)) : all.filter(visible);
  };
  /** @type {(by: number) => (event: KeyboardEvent) => void} */
  const upDown = (by) => (event) => beside(event.shiftKey ? siblings() : column(tree.step[chosen()]), by);
  /** @type {(node: number) => number | undefined} */
  const childOf = (one) => (view.now.predict ? column(tree.step[one] + 1).find((child) => tree.parent[child] === one) : tree.children[one].find(able));

  function stop() {
    clearInterval(timer);
    timer = null;
    play.refresh();
  }
  function start() {
    if (view.now.predict) view.set({ predict: false });
    if (over()) showStep(0);
    timer = setInterval(() => {
      showStep(last() + 1);
      if (over()) stop();
    }, PACE);
    play.refresh();
  }
  signal.addEventListener("abort", stop);

  function startPredicting() {
    stop();
    guess = guessing(tree);
    view.set(view.now.predict ? { predict: false } : { predict: true, step: over() ? 0 : last(), node: null });
  }
  /** @type {(node: number) => void} */
  function takeGuess(one) {
    if (!secret(one)) return;
    guess.take(one);
    view.set({ step: tree.step[one], node: one });
  }

  onKeys(svg, {
    ArrowLeft: () => choose(tree.parent[chosen()]),
    ArrowRight: () => choose(childOf(chosen())),
    ArrowUp: upDown(-1),
    ArrowDown: upDown(1),
    Home: () => choose(0),
    End: () => view.set(view.now.predict ? { node: null } : { step: null, node: tree.best }),
    PageUp: () => showStep(last() - 1),
    PageDown: () => showStep(last() + 1),
    Enter: () => takeGuess(chosen()),
    " ": () => (timer ? stop() : start()),
  }, signal);
  back.addEventListener("click", () => showStep(last() - 1), { signal });
  forth.addEventListener("click", () => showStep(last() + 1), { signal });
  slider.addEventListener("input", () => showStep(Number(slider.value)), { signal });
  /** @type {(event: Event) => HTMLElement | null} */
  const groupAt = (event) => /** @type {Element} */ (event.target).closest("[data-node]");
  svg.addEventListener("click", (event) => {
    const group = groupAt(event);
    if (!group) return;
    const one = Number(group.dataset.node);
    if (secret(one)) takeGuess(one);
    else choose(one);
  }, { signal });
  svg.addEventListener("pointerover", (event) => {
    const group = groupAt(event); // the pointer asks for the words, so only then are they made
    if (group && !group.querySelector("title")) group.prepend(shape("title", {}, said(Number(group.dataset.node))));
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  // ---- drawing -------------------------------------------------------------------------------------
  /** @type {(node: number) => string} */
  const said = (one) => (secret(one) ? `A candidate of step ${tree.step[one]}: will it lead? Its log p is that of its parent plus log p(token | prefix).` : explain(tree, one, over()));

  /** @type {Beam.Drawn & { tree: Beam.Tree } | null} */
  let drawn = null;
  /** @type {string} */
  let drawnFor;
  /** Draw the tree where more has changed than the chosen node; return where that stands. */
  function drawTree() {
    const { large, score, pruned, predict, show_greedy, show_reference } = view.now;
    const key = JSON.stringify([large, score, pruned, predict, show_greedy, show_reference, last()]);
    if (drawn?.tree !== tree || drawnFor !== key) {
      /** @type {(step: number) => number[]} */
      const wide = (step) => (predict ? tree.columns[step] : tree.columns[step].filter(able));
      const look = { id, font: large ? 20 : 13, score, over: over(), column, wide, secret, greedy: show_greedy && !predict, reference: show_reference && !predict };
      [drawn, drawnFor] = [{ ...drawBeam(svg, tree, look), tree }, key];
    }
    return markChosen(tree, drawn, chosen());
  }

  /**
   * Keep the chosen node in sight, and the column that is to be guessed.
   * @type {(spot: Beam.Spot) => void}
   */
  function follow({ x, width }) {
    const end = x + width + 30 + (view.now.predict && !over() ? 200 : 0);
    const seen = stage.scrollLeft;
    if (x - 30 < seen) stage.scrollLeft = x - 30;
    else if (end > seen + stage.clientWidth) stage.scrollLeft = Math.min(x - 30, end - stage.clientWidth);
  }

  function drawReadout() {
    const one = chosen();
    const prefix = tree.words(one);
    const p = one === 0 ? "" : `p(token | prefix) ${probability(Math.exp(tree.log[one]))}`;
    readout.replaceChildren(
      node("p", { class: "beam-prefix" }, node("span", { class: "course-quiet" }, "Written so far: "),
        ...(prefix.length ? prefix.map((token) => node("bdi", {}, token)) : ["nothing"])),
      ...(one === 0 ? [] : [node("p", { class: "beam-numbers" },
        secret(one) ? p : `${p} · log p ${number(tree.total[one])} · score ${number(tree.score[one])}`)]),
      node("p", { class: "beam-why" }, said(one)),
    );
  }

  function drawTable() {
    if (!details.open) return;
    const told = !view.now.predict;
    /** @type {(node: number) => string} */
    const notes = (one) => [
      over() && tree.bestPath.has(one) && "best path", told && tree.greedyPath.has(one) && "greedy path", over() && tree.overtaken.has(one) && "overtaken",
      told && tree.referencePath.has(one) && "reference",
    ].filter(Boolean).join(", ");
    const rows = tree.columns.flatMap((_, step) => (step <= last() ? column(step) : [])).map((one) => [
      one, tree.step[one], rankOf(tree, one), tree.token[one], tree.words(one).join(" "), one ? tree.parent[one] : "",
      Math.exp(tree.log[one]).toPrecision(4), number(tree.total[one], 4), number(tree.score[one], 4), tree.status[one], notes(one), one ? tree.id[one] : "",
    ]);
    const head = ["node", "step", "rank", "token", "prefix", "parent", "p(token | prefix)", "log p", "score", "status", "path", "token id"];
    scroll.replaceChildren(table(facts.textContent, head, rows));
  }

  /** @type {() => (string | HTMLElement)[]} */
  function titleWords() {
    const asking = view.now.predict && !over();
    if (asking) return [`After step ${last()} of ${tree.steps}: which candidate will lead step ${last() + 1}? Click it.`];
    if (!over()) return [`After step ${last()} of ${tree.steps}`];
    const ended = tree.status[tree.best] === "finished" ? "" : " (cut off by the limit)";
    return ["Best: ", ...tree.words(tree.best).flatMap((token) => [node("bdi", {}, token), " "]), ended];
  }
  const heated = () => (tree.temperature === 1 || tree.temperature === undefined ? "" : ` · temperature ${Number(tree.temperature.toFixed(6))} (p^(1/T), made to sum to 1)`);

  function file() {
    const lines = [heading.textContent, facts.textContent, ...(notes.textContent ? [notes.textContent] : [])];
    return treeFile({ svg, legend, lines, description: describe(tree), palette: palette() });
  }

  /** Take the tree that the choices ask for; where there is none, the last one stays. */
  function update() {
    const found = searches.now(view.now);
    if (found.tree && found.tree !== tree) {
      ({ tree, record } = found);
      guess = guessing(tree);
    }
    if (shownReference === Boolean(tree.reference)) return;
    shownReference = Boolean(tree.reference);
    legend.replaceChildren(...legendOf(shownReference));
    followed.hidden = !shownReference;
  }

  function draw() {
    update();
    heading.replaceChildren(...titleWords());
    facts.replaceChildren(
      `Beam width ${tree.beam_size} · score = ${tree.penalty}${heated()}`,
      ...(tree.source ? [" · source: ", node("bdi", {}, tree.source)] : []),
    );
    verdict.textContent = view.now.predict ? guess.words : "";
    const words = over() ? [aboutGreedy(tree, record ? greedyOf(record) : null), aboutReference(tree)] : [];
    notes.textContent = words.filter(Boolean).join(" ");
    slider.max = String(tree.steps);
    slider.value = String(last());
    counter.textContent = `${last()} / ${tree.steps}`;
    back.disabled = last() === 0;
    forth.disabled = over();
    value.select.value = String(VALUES.indexOf(view.now.score));
    for (const button of [...flags, predict]) button.refresh();
    controls.refresh();
    const place = drawTree();
    drawReadout();
    drawTable();
    return place;
  }
  view.onChange(() => follow(draw()));
  draw();
}

export default courseWidget(buildBeam);
