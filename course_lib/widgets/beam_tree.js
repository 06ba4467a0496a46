// A beam search as a tree: one column a step, best rank on top. Everything but another search happens here.
const VALUES = ["probability", "log", "score"];
const VALUE_NAMES = ["p(token | prefix)", "log p of the prefix", "score after the penalty"];
const PACE = 1100; // milliseconds a step

const number = (value, digits = 2) => value.toFixed(digits).replace("-", "−");
const probability = (value) => (value >= 0.005 ? value.toFixed(2) : value.toExponential(0).replace("-", "−"));

/** The tree behind a packed trace: nodes are numbers, never texts. */
function readBeam(trace) {
  const [parent, step, log, total, score, rank] = ["parent", "step", "log_prob", "total", "score", "rank"].map(
    (name) => trace[name].data,
  );
  const nodes = Array.from(trace.token, (_, node) => node);
  const steps = Math.max(...step);
  const byRank = (a, b) => rank[a] - rank[b];
  const columns = Array.from({ length: steps + 1 }, (_, s) => nodes.filter((node) => step[node] === s).sort(byRank));
  const children = nodes.map(() => []);
  columns.flat().forEach((node) => node && children[parent[node]].push(node));
  const path = (node) => (node === 0 ? [0] : [...path(parent[node]), node]);
  const words = (node) => path(node).slice(1).map((one) => trace.token[one]);
  const bestPath = new Set(path(trace.best));
  const greedyPath = new Set([0]);
  for (let node = children[0][0]; node !== undefined; node = children[node][0]) greedyPath.add(node);
  const led = (node) => rank[node] === 0 && step[node] <= step[trace.best];
  const overtaken = new Set(nodes.filter((node) => led(node) && !bestPath.has(node)));
  const shape = { parent, step, log, total, score, rank, nodes, steps, columns, children };
  return { ...trace, ...shape, path, words, bestPath, greedyPath, overtaken };
}

/** What became of a node, and why, in sentences. */
function explain(tree, node) {
  if (node === 0) return "Here the search begins: nothing is written yet.";
  const { step, rank, total, score, status, beam_size: width } = tree;
  const column = tree.columns[step[node]];
  const place = `Rank ${rank[node] + 1} among all candidates of step ${step[node]}`;
  if (status[node] === "pruned") {
    const goOn = column.filter((one) => tree.status[one] === "kept");
    const stay = goOn.length ? goOn : column.filter((one) => tree.status[one] === "finished");
    const last = stay.at(-1);
    const gap = total[last] - total[node];
    // A reader subtracts the rounded numbers, so the gap must agree with them.
    const shown = gap < 0.01 ? number(gap, 5) : number(total[last].toFixed(2) - total[node].toFixed(2));
    const compare =
      gap > 0
        ? `its log p ${number(total[node])} is ${shown} below that of the last one that stayed, ` +
          `“${tree.words(last).join(" ")}” (${number(total[last])})`
        : `its log p ${number(total[node])} is not below that of the last one that stayed; the search's own rule left ` +
          `it out (a sentence may end only among the ${width} best)`;
    return `Pruned. ${place}; the beam goes on with ${width}: ${compare}.`;
  }
  const sentences = [];
  if (status[node] === "finished") {
    const order = tree.nodes.filter((one) => status[one] === "finished").sort((a, b) => score[b] - score[a]);
    sentences.push(`Finished. ${place}; its score ${number(score[node])} is number ${order.indexOf(node) + 1} of ${order.length} finished.`);
  } else {
    const open = tree.children[node].length === 0;
    sentences.push(`${open ? "Still open when the search ended" : "Kept"}. ${place}; the beam goes on with ${width}.`);
  }
  if (node === tree.best) sentences.push("This is the hypothesis that the search returns.");
  else if (tree.bestPath.has(node)) sentences.push("It lies on the path to the best hypothesis.");
  if (tree.overtaken.has(node))
    sentences.push(
      `It led this step, yet was overtaken: the search returns “${tree.words(tree.best).join(" ")}” with score ` +
        `${number(score[tree.best])}.`,
    );
  return sentences.join(" ");
}

/** Make an SVG element; a string child is text. */
function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The outline tells the status: round is kept, a dashed box is pruned, an arrow is finished. */
function outline(status, x, y, width, height) {
  if (status !== "finished")
    return shape("rect", { x, y, width, height, rx: status === "kept" ? height / 2.6 : 0, class: `beam-box ${status}` });
  const tip = x + width - height / 3;
  const corners = [[x, y], [tip, y], [x + width, y + height / 2], [tip, y + height], [x, y + height]];
  return shape("polygon", { points: corners.map((corner) => corner.join(",")).join(" "), class: "beam-box finished" });
}

function buildBeam({ trace, root, toolbar, view, ask, signal }) {
  let tree = readBeam(trace);
  let timer = null;
  const id = `beam-${Math.random().toString(36).slice(2)}`;

  // ---- the page ------------------------------------------------------------------------------------
  const back = node("button", { type: "button", title: "One step back", "aria-label": "One step back" }, "◀");
  const forth = node("button", { type: "button", title: "One step on", "aria-label": "One step on" }, "▶");
  const slider = node("input", { type: "range", min: 0, "aria-label": "Step" });
  const counter = node("output", { class: "beam-counter" });
  const play = toggle("Play", "Let the tree grow", () => timer !== null, () => (timer ? stop() : start()), signal);
  const value = picker("In the nodes", VALUE_NAMES, (i) => view.set({ score: VALUES[i] }), signal);
  const pruned = toggle("Pruned", "Show what was cut off", () => view.now.pruned, () => view.set({ pruned: !view.now.pruned }), signal);
  toolbar.append(node("span", { class: "course-picker" }, node("span", {}, "Step"), back, slider, forth, counter), play, value.label, pruned);

  const width = node("input", { type: "number", min: 1, max: 20, step: 1, "aria-label": "Beam width" });
  const alpha = node("input", { type: "number", min: 0, max: 2, step: 0.1, "aria-label": "Alpha, power of the length penalty" });
  const reason = node("span", { class: "course-quiet", role: "status" });
  const again = node("fieldset", { class: "beam-search" },
    node("legend", {}, "Search again with"),
    node("label", { class: "course-picker" }, node("span", {}, "beam width"), width),
    node("label", { class: "course-picker" }, node("span", {}, "α"), alpha), reason);
  if (view.now.alpha !== null) root.append(again);

  const heading = node("h3");
  const facts = node("p", { class: "course-quiet" });
  const svg = shape("svg", { tabindex: 0, role: "tree", "aria-label": "Tree of the search", class: "beam-svg" });
  const stage = node("div", { class: "beam-stage" }, svg);
  const readout = node("div", { class: "beam-readout", role: "status", "aria-live": "polite" });
  const legend = node("div", { class: "beam-legend" });
  const help = node("p", { class: "course-quiet beam-help" });
  const details = node("details", {}, node("summary", {}, "The search as a table"), node("div", { class: "course-scroll beam-table", tabindex: "0" }));
  root.prepend(heading);
  root.append(facts, stage, readout, legend, help, details);
  help.append(
    ...[["←", "parent"], ["→", "best child"], ["↑ ↓", "next in rank"], ["Shift ↑ ↓", "sibling"], ["Home End", "root, best"],
      ["PageUp PageDown", "step"], ["Space", "play"]].map(([keys, what]) =>
      node("span", { class: "beam-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)),
  );

  // ---- what is chosen ------------------------------------------------------------------------------
  const last = () => Math.min(view.now.step ?? tree.steps, tree.steps);
  const visible = (one) => tree.step[one] <= last() && (view.now.pruned || tree.status[one] !== "pruned");
  const column = (step) => tree.columns[step].filter(visible);
  const over = () => last() === tree.steps;
  function chosen() {
    let one = view.now.node ?? (over() ? tree.best : tree.columns[last()][0]);
    if (one >= tree.nodes.length) one = tree.best;
    while (!visible(one)) one = tree.parent[one];
    return one;
  }
  const choose = (one) => {
    if (one === undefined || one < 0) return;
    view.set({ node: one, step: tree.step[one] > last() ? tree.step[one] : view.now.step });
  };
  const showStep = (step) => view.set({ step: Math.max(0, Math.min(tree.steps, step)), node: null });
  const beside = (list, by) => choose(list[list.indexOf(chosen()) + by]);
  const upDown = (by) => (event) =>
    beside(event.shiftKey ? tree.children[tree.parent[chosen()]]?.filter(visible) ?? [] : column(tree.step[chosen()]), by);

  function stop() {
    clearInterval(timer);
    timer = null;
    play.refresh();
  }
  function start() {
    if (over()) showStep(0);
    timer = setInterval(() => {
      showStep(last() + 1);
      if (over()) stop();
    }, PACE);
    play.refresh();
  }
  signal.addEventListener("abort", stop);

  onKeys(svg, {
    ArrowLeft: () => choose(tree.parent[chosen()]),
    ArrowRight: () => choose(tree.children[chosen()].find((one) => view.now.pruned || tree.status[one] !== "pruned")),
    ArrowUp: upDown(-1),
    ArrowDown: upDown(1),
    Home: () => choose(0),
    End: () => view.set({ step: null, node: tree.best }),
    PageUp: () => showStep(last() - 1),
    PageDown: () => showStep(last() + 1),
    " ": () => (timer ? stop() : start()),
  }, signal);
  back.addEventListener("click", () => showStep(last() - 1), { signal });
  forth.addEventListener("click", () => showStep(last() + 1), { signal });
  slider.addEventListener("input", () => showStep(Number(slider.value)), { signal });
  svg.addEventListener("click", (event) => {
    const group = event.target.closest("[data-node]");
    if (group) choose(Number(group.dataset.node));
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  // ---- another search ------------------------------------------------------------------------------
  let busy = false;
  async function search() {
    const [beam_size, power] = [width.valueAsNumber, alpha.valueAsNumber];
    if (busy || (beam_size === tree.beam_size && power === view.now.alpha)) return;
    busy = true;
    reason.textContent = "searching…";
    try {
      tree = readBeam(await ask({ want: "search", beam_size, alpha: power }));
      reason.textContent = "";
      view.set({ step: null, node: null, alpha: power });
    } catch (error) {
      reason.textContent = error.message;
    }
    busy = false;
    // The reader may have moved on meanwhile; an empty field is NaN, which Object.is takes as equal to itself.
    if (!Object.is(width.valueAsNumber, beam_size) || !Object.is(alpha.valueAsNumber, power)) search();
  }
  for (const input of [width, alpha]) {
    input.addEventListener("change", search, { signal });
    onKeys(input, { Enter: search }, signal); // Lab takes Enter before it becomes a change
  }
  if (view.now.alpha !== null) {
    width.value = tree.beam_size;
    alpha.value = view.now.alpha;
    again.disabled = true;
    ask({ want: "search" }).then(
      () => (again.disabled = false),
      (error) => (reason.textContent = error.message),
    );
  }

  // ---- drawing -------------------------------------------------------------------------------------
  const text = (one) => ([...tree.token[one]].length > 18 ? [...tree.token[one]].slice(0, 17).join("") + "…" : tree.token[one]);
  const written = (one) => {
    if (one === 0) return "";
    if (view.now.score === "probability") return probability(Math.exp(tree.log[one]));
    return number((view.now.score === "log" ? tree.total : tree.score)[one]);
  };

  /** Where each node stands; a column keeps its width while the tree grows. */
  function layout(font) {
    const context = node("canvas").getContext("2d");
    context.font = `${font}px system-ui, "DejaVu Sans", sans-serif`;
    const wide = (string) => context.measureText(string).width;
    const places = new Map();
    let x = 6;
    let rows = 1;
    const heads = [];
    tree.columns.forEach((all, step) => {
      const able = all.filter((one) => view.now.pruned || tree.status[one] !== "pruned");
      const across = Math.max(wide(`step ${step}`), ...able.map((one) => wide(text(one)) + wide(written(one)) + font * 2.1));
      able.filter(visible).forEach((one, row) => places.set(one, { x, y: font * (2.2 + row * 2.15), width: across }));
      if (step <= last()) heads.push({ x: x + across / 2, step });
      rows = Math.max(rows, able.length);
      x += across + font * 3;
    });
    return { places, heads, width: x - font * 3 + 10, height: font * (2.2 + rows * 2.15) + 4, box: font * 1.7 };
  }

  function drawTree() {
    const font = view.now.large ? 20 : 13;
    const { places, heads, width: across, height, box } = layout(font);
    const edges = shape("g", { "aria-hidden": "true" });
    const marks = shape("g", { "aria-hidden": "true" });
    const nodes = [];
    const onPath = new Set(tree.path(chosen()));
    for (const { x, step } of heads)
      marks.append(shape("text", { x, y: font * 1.2, class: "beam-head" }, step ? `step ${step}` : "start"));
    for (const [one, { x, y, width }] of places) {
      const middle = y + box / 2;
      if (one !== 0) {
        const from = places.get(tree.parent[one]);
        const [x0, y0] = [from.x + from.width, from.y + box / 2];
        const bend = (x - x0) / 2;
        const curve = (shift) => `M${x0} ${y0 + shift}C${x0 + bend} ${y0 + shift} ${x - bend} ${middle + shift} ${x} ${middle + shift}`;
        const kind = over() && tree.bestPath.has(one) ? "best" : tree.status[one] === "pruned" ? "pruned" : "";
        edges.append(shape("path", { d: curve(0), class: `beam-edge ${kind} ${onPath.has(one) ? "on" : ""}` }));
        if (tree.greedyPath.has(one)) edges.append(shape("path", { d: curve(font * 0.36), class: "beam-edge greedy" }));
      }
      const led = over() && tree.overtaken.has(one);
      const title = shape("title", {}, explain(tree, one));
      const group = shape("g", {
        id: `${id}-${one}`, "data-node": one, role: "treeitem", "aria-level": tree.step[one] + 1,
        "aria-selected": String(one === chosen()), "data-status": tree.status[one],
        "aria-label": `${tree.token[one]}, ${tree.status[one]}, rank ${tree.rank[one] + 1}, ${written(one)}`,
        class: `beam-node ${one === chosen() ? "chosen" : ""}`,
      }, title);
      if (one === chosen())
        group.append(shape("rect", { x: x - 4, y: y - 4, width: width + 8, height: box + 8, rx: box / 2.2, class: "beam-ring" }));
      group.append(
        outline(tree.status[one], x, y, width, box),
        shape("text", { x: x + font * 0.6, y: middle, class: "beam-token", direction: "ltr" }, text(one)),
        shape("text", { x: x + width - font * (tree.status[one] === "finished" ? 0.8 : 0.6), y: middle, class: "beam-value" }, written(one)),
      );
      if (led) {
        const [left, top, size] = [x - font * 0.95, middle - font * 0.75, font * 0.7];
        group.append(shape("path", { d: `M${left} ${top}h${size}l${-size / 2} ${size}z`, class: "beam-led" }));
      }
      nodes.push(group);
    }
    for (const { step } of heads) {
      const all = column(step);
      const stays = all.filter((one) => tree.status[one] !== "pruned").at(-1);
      if (stays === undefined || stays === all.at(-1)) continue;
      const { x, y, width } = places.get(stays);
      const line = y + box + font * 0.22;
      marks.append(shape("path", { d: `M${x - 6} ${line}h${width + 12}`, class: "beam-cut" }));
    }
    svg.setAttribute("width", across);
    svg.setAttribute("height", height);
    svg.style.fontSize = `${font}px`;
    svg.replaceChildren(edges, marks, ...nodes);
    svg.setAttribute("aria-activedescendant", `${id}-${chosen()}`);
    return places.get(chosen());
  }

  /** Keep the chosen node in sight. */
  function follow({ x, width }) {
    const seen = stage.scrollLeft;
    if (x - 30 < seen) stage.scrollLeft = x - 30;
    else if (x + width + 30 > seen + stage.clientWidth) stage.scrollLeft = x + width + 30 - stage.clientWidth;
  }

  function drawReadout() {
    const one = chosen();
    const prefix = tree.words(one);
    readout.replaceChildren(
      node("p", { class: "beam-prefix" }, node("span", { class: "course-quiet" }, "Written so far: "),
        ...(prefix.length ? prefix.map((token) => node("bdi", {}, token)) : ["nothing"])),
      ...(one === 0 ? [] : [node("p", { class: "beam-numbers" },
        `p(token | prefix) ${probability(Math.exp(tree.log[one]))} · log p ${number(tree.total[one])} · score ${number(tree.score[one])}`)]),
      node("p", { class: "beam-why" }, explain(tree, one)),
    );
  }

  function drawLegend() {
    const sample = (...parts) => shape("svg", { width: 30, height: 18, "aria-hidden": "true" }, ...parts);
    const line = (kind) => sample(shape("path", { d: "M2 9h26", class: `beam-edge ${kind}` }));
    const entry = (picture, what) => node("span", {}, picture, what);
    legend.replaceChildren(
      ...["kept", "pruned", "finished"].map((status) => entry(sample(outline(status, 2, 2, 26, 14)), status)),
      entry(line("best"), "best path"),
      entry(line("greedy"), "greedy path"),
      entry(sample(shape("path", { d: "M2 9h26", class: "beam-cut" })), "cut"),
      entry(sample(shape("path", { d: "M10 4h11l-5.5 11z", class: "beam-led" })), "led, then overtaken"),
    );
  }

  function drawTable() {
    if (!details.open) return;
    const notes = (one) => [
      over() && tree.bestPath.has(one) && "best path", tree.greedyPath.has(one) && "greedy path", over() && tree.overtaken.has(one) && "overtaken",
    ].filter(Boolean).join(", ");
    const rows = tree.columns.flatMap((_, step) => column(step)).map((one) => [
      one, tree.step[one], tree.rank[one] + 1, tree.token[one], tree.words(one).join(" "), one ? tree.parent[one] : "",
      Math.exp(tree.log[one]).toPrecision(4), number(tree.total[one], 4), number(tree.score[one], 4), tree.status[one], notes(one),
    ]);
    const head = ["node", "step", "rank", "token", "prefix", "parent", "p(token | prefix)", "log p", "score", "status", "path"];
    details.lastChild.replaceChildren(table(facts.textContent, head, rows));
  }

  function draw() {
    const ended = tree.status[tree.best] === "finished" ? "" : " (cut off by the limit)";
    heading.replaceChildren(
      ...(over() ? ["Best: ", ...tree.words(tree.best).flatMap((token) => [node("bdi", {}, token), " "]), ended] : [`After step ${last()} of ${tree.steps}`]),
    );
    facts.replaceChildren(
      `Beam width ${tree.beam_size} · score = ${tree.penalty}`,
      ...(tree.source ? [" · source: ", node("bdi", {}, tree.source)] : []),
    );
    slider.max = tree.steps;
    slider.value = last();
    counter.textContent = `${last()} / ${tree.steps}`;
    back.disabled = last() === 0;
    forth.disabled = over();
    value.select.value = VALUES.indexOf(view.now.score);
    pruned.refresh();
    const place = drawTree();
    drawReadout();
    drawTable();
    return place;
  }
  drawLegend();
  view.onChange(() => follow(draw()));
  draw();
}

export default courseWidget(buildBeam);
