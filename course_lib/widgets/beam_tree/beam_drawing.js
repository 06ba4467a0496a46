// How the tree is drawn, as SVG: one column a step, best rank on top.
import { FACE } from "../shared/drawing.js";
import { node } from "../shared/elements.js";
import { number, probability, rankOf } from "./beam_words.js";

/**
 * Make an SVG element; a string child is text.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | null | undefined>} attributes
 * @param {...(Node | string)} children
 */
export function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * The outline tells the status: round is kept, a dashed box is pruned, an arrow is finished, a plain box is not told yet.
 * @type {(status: Beam.Status | "open", x: number, y: number, width: number, height: number) => SVGElement}
 */
function outline(status, x, y, width, height) {
  if (status !== "finished")
    return shape("rect", { x, y, width, height, rx: status === "kept" ? height / 2.6 : 0, class: `beam-box ${status}` });
  const tip = x + width - height / 3;
  const corners = [[x, y], [tip, y], [x + width, y + height / 2], [tip, y + height], [x, y + height]];
  return shape("polygon", { points: corners.map((corner) => corner.join(",")).join(" "), class: "beam-box finished" });
}

/** @type {(left: number, top: number, size: number, kind: string) => SVGElement} */
const triangle = (left, top, size, kind) => shape("path", { d: `M${left} ${top}h${size}l${-size / 2} ${size}z`, class: kind });
/** @type {(left: number, top: number, size: number, kind: string) => SVGElement} */
const diamond = (left, top, size, kind) =>
  shape("path", { d: `M${left} ${top + size / 2}l${size / 2} ${-size / 2}l${size / 2} ${size / 2}l${-size / 2} ${size / 2}z`, class: kind });

const MOST_LETTERS = 18;
/** @type {(tree: Beam.Tree, node: number) => string} */
function labelOf(tree, one) {
  const letters = [...tree.token[one]];
  const short = letters.length > MOST_LETTERS ? letters.slice(0, MOST_LETTERS - 1).join("") + "…" : tree.token[one];
  return tree.alike.has(one) ? `${short} #${tree.id[one]}` : short;
}

/**
 * Draws into `svg`; returns what `markChosen` needs. What to show is `look`:
 * { id, font, score, over, column(step), wide(step), secret(node), greedy, reference }.
 * @type {(svg: SVGElement, tree: Beam.Tree, look: Beam.Look) => Beam.Drawn}
 */
export function drawBeam(svg, tree, look) {
  const { id, font, over } = look;
  /** @type {(node: number) => string} */
  const written = (one) => {
    if (one === 0) return "";
    if (look.score === "probability" || look.secret(one)) return probability(Math.exp(tree.log[one]));
    return number((look.score === "log" ? tree.total : tree.score)[one]);
  };
  const { places, heads, width: across, height, box } = layoutBeam(tree, look, written);
  const edges = shape("g", { "aria-hidden": "true" });
  const marks = shape("g", { "aria-hidden": "true" });
  /** @type {Map<number, SVGElement>} */
  const groups = new Map();
  /** @type {Map<number, Element>} */
  const ways = new Map(); // to each node, from its parent
  for (const { x, step } of heads)
    marks.append(shape("text", { x, y: font * 1.2, class: "beam-head" }, step ? `step ${step}` : "start"));
  for (const [one, { x, y, width }] of places) {
    const middle = y + box / 2;
    const status = look.secret(one) ? "open" : tree.status[one];
    if (one !== 0) {
      const from = places.get(tree.parent[one]);
      const [x0, y0] = [from.x + from.width, from.y + box / 2];
      const bend = (x - x0) / 2;
      /** @type {(shift: number, kind: string) => Element} */
      const edge = (shift, kind) => {
        const d = `M${x0} ${y0 + shift}C${x0 + bend} ${y0 + shift} ${x - bend} ${middle + shift} ${x} ${middle + shift}`;
        edges.append(shape("path", { d, class: `beam-edge ${kind}` }));
        return edges.lastElementChild;
      };
      ways.set(one, edge(0, over && tree.bestPath.has(one) ? "best" : status === "pruned" ? "pruned" : ""));
      if (look.greedy && tree.greedyPath.has(one)) edge(font * 0.36, "greedy");
      if (look.reference && tree.referencePath.has(one)) edge(font * -0.36, "reference");
    }
    const spoken = status === "open" ? "candidate, not told yet" : `${status}, rank ${rankOf(tree, one)}`;
    const group = shape("g", {
      id: `${id}-${one}`, "data-node": one, role: "treeitem", "aria-level": tree.step[one] + 1,
      "aria-selected": "false", "data-status": status, "aria-label": `${[labelOf(tree, one), written(one)].filter(Boolean).join(" ")}, ${spoken}`, class: "beam-node",
    });
    group.append(
      outline(status, x, y, width, box),
      shape("text", { x: x + font * 0.6, y: middle, class: "beam-token", direction: "ltr" }, labelOf(tree, one)),
      shape("text", { x: x + width - font * (status === "finished" ? 0.8 : 0.6), y: middle, class: "beam-value" }, written(one)),
    );
    if (over && tree.overtaken.has(one)) group.append(triangle(x - font * 0.95, middle - font * 0.75, font * 0.7, "beam-led"));
    if (look.reference && tree.referencePath.has(one) && status === "pruned")
      group.append(diamond(x - font * 0.95, middle - font * 0.45, font * 0.9, "beam-fell"));
    groups.set(one, group);
  }
  for (const { step } of heads) {
    const all = look.column(step);
    if (look.secret(all[0])) continue;
    const stays = all.filter((one) => tree.status[one] !== "pruned").at(-1);
    if (stays === undefined || stays === all.at(-1)) continue;
    const { x, y, width } = places.get(stays);
    const line = y + box + font * 0.22;
    marks.append(shape("path", { d: `M${x - 6} ${line}h${width + 12}`, class: "beam-cut" }));
  }
  svg.setAttribute("width", String(across));
  svg.setAttribute("height", String(height));
  svg.style.fontSize = `${font}px`;
  const ring = shape("rect", { class: "beam-ring", "aria-hidden": "true" });
  svg.replaceChildren(edges, marks, ...groups.values(), ring);
  return { svg, id, places, box, groups, ways, ring, chosen: null };
}

/**
 * Put the ring around a node, and mark the way to it.
 * @type {(tree: Beam.Tree, drawn: Beam.Drawn, chosen: number) => Beam.Spot}
 */
export function markChosen(tree, drawn, chosen) {
  const { svg, id, places, box, groups, ways, ring } = drawn;
  /** @type {(node: number, on: boolean) => void} */
  const mark = (one, on) => {
    groups.get(one).setAttribute("aria-selected", String(on));
    groups.get(one).classList.toggle("chosen", on);
    for (const step of tree.path(one)) ways.get(step)?.classList.toggle("on", on);
  };
  if (drawn.chosen !== null) mark(drawn.chosen, false);
  mark(chosen, true);
  drawn.chosen = chosen;
  const { x, y, width } = places.get(chosen);
  for (const [name, value] of Object.entries({ x: x - 4, y: y - 4, width: width + 8, height: box + 8, rx: box / 2.2 })) ring.setAttribute(name, String(value));
  svg.setAttribute("aria-activedescendant", `${id}-${chosen}`);
  return places.get(chosen);
}

/** @type {CanvasRenderingContext2D} */
let ruler;
/** @type {Map<string, number>} */
const widths = new Map();
/**
 * The width of a text in pixels; measuring takes long, and most texts come again.
 * @type {(text: string, font: number) => number}
 */
export function widthOf(text, font) {
  const key = `${font} ${text}`;
  if (!widths.has(key)) {
    ruler ??= document.createElement("canvas").getContext("2d");
    ruler.font = `${font}px ${FACE}`;
    widths.set(key, ruler.measureText(text).width);
  }
  return widths.get(key);
}

/**
 * Where each node stands; a column keeps its width while the tree grows.
 * @type {(tree: Beam.Tree, look: Beam.Look, written: (node: number) => string) => Beam.Layout}
 */
function layoutBeam(tree, look, written) {
  const { font } = look;
  /** @type {Beam.Layout["places"]} */
  const places = new Map();
  /** @type {Beam.Layout["heads"]} */
  const heads = [];
  let x = 6;
  let rows = 1;
  for (let step = 0; step <= tree.steps; step++) {
    const able = look.wide(step);
    const across = able.reduce(
      (most, one) => Math.max(most, widthOf(labelOf(tree, one), font) + widthOf(written(one), font) + font * 2.1),
      widthOf(`step ${step}`, font),
    );
    const shown = look.column(step);
    shown.forEach((one, row) => places.set(one, { x, y: font * (2.2 + row * 2.15), width: across }));
    if (shown.length) heads.push({ x: x + across / 2, step });
    rows = Math.max(rows, able.length);
    x += across + font * 3;
  }
  return { places, heads, width: x - font * 3 + 10, height: font * (2.2 + rows * 2.15) + 4, box: font * 1.7 };
}

/**
 * What the shapes, dashes and colours mean.
 * @type {(hasReference: boolean) => HTMLElement[]}
 */
export function legendOf(hasReference) {
  /** @type {(...parts: SVGElement[]) => SVGElement} */
  const sample = (...parts) => shape("svg", { width: 30, height: 18, "aria-hidden": "true" }, ...parts);
  /** @type {(kind: string) => SVGElement} */
  const line = (kind) => sample(shape("path", { d: "M2 9h26", class: `beam-edge ${kind}` }));
  /** @type {(picture: SVGElement, what: string) => HTMLElement} */
  const entry = (picture, what) => node("span", {}, picture, what);
  return [
    .../** @type {const} */ (["kept", "pruned", "finished"]).map((status) => entry(sample(outline(status, 2, 2, 26, 14)), status)),
    entry(line("best"), "best path"),
    entry(line("greedy"), "greedy path"),
    ...(hasReference ? [entry(line("reference"), "reference"), entry(sample(diamond(9, 3, 12, "beam-fell")), "reference falls out")] : []),
    entry(sample(shape("path", { d: "M2 9h26", class: "beam-cut" })), "cut"),
    entry(sample(triangle(10, 4, 11, "beam-led")), "led, then overtaken"),
  ];
}
