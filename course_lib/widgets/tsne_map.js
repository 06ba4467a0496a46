// A t-SNE run as a film: frames, legend and neighbours are all switched here, without the kernel.
const FRAMES_A_SECOND = 14;
const SPEEDS = [0.5, 1, 2, 4];
const MOST_LABELS = 70;
const MOST_ROWS = 300;

const limit = (value, low, high) => Math.min(high, Math.max(low, value));

/** Add a marker of radius r to the current path; the names are matplotlib's. */
function marker(path, kind, x, y, r) {
  const polygon = (...corners) => {
    corners.forEach(([dx, dy], i) => (i ? path.lineTo(x + dx * r, y + dy * r) : path.moveTo(x + dx * r, y + dy * r)));
    path.closePath();
  };
  const plus = [[-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4], [-1, -0.4], [-0.4, -0.4]];
  const star = Array.from({ length: 10 }, (_, i) => [1.15 - 0.65 * (i % 2), (i * Math.PI) / 5 - Math.PI / 2]);
  if (kind === "o") {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
  } else if (kind === "s") path.rect(x - 0.87 * r, y - 0.87 * r, 1.74 * r, 1.74 * r);
  else if (kind === "^") polygon([-1, 0.85], [0, -1], [1, 0.85]);
  else if (kind === "v") polygon([-1, -0.85], [0, 1], [1, -0.85]);
  else if (kind === "D") polygon([0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]);
  else if (kind === "P") polygon(...plus);
  else if (kind === "X") polygon(...plus.map(([a, b]) => [0.75 * (a - b), 0.75 * (a + b)]));
  else polygon(...star.map(([length, angle]) => [length * Math.cos(angle), length * Math.sin(angle)]));
}

/** The run behind a packed trace. */
function readRun(trace) {
  const [frames, points] = trace.frames.shape;
  const names = [...new Set(trace.groups)];
  const places = new Map(names.map((name, i) => [name, i]));
  const group = trace.groups.map((name) => places.get(name));
  const at = (frame, point, axis) => trace.frames.data[(frame * points + point) * 2 + axis];
  const k = trace.neighbours.shape[1];
  const neighbours = (point) => Array.from(trace.neighbours.data.subarray(point * k, (point + 1) * k));
  // Each frame is scaled to fit: a run starts 10⁻⁴ wide and ends a few dozen wide.
  const boxes = Array.from({ length: frames }, (_, frame) => {
    const ends = [0, 1].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (let point = 0; point < points; point++) {
        low = Math.min(low, at(frame, point, axis));
        high = Math.max(high, at(frame, point, axis));
      }
      return [low, high];
    });
    return { x: (ends[0][0] + ends[0][1]) / 2, y: (ends[1][0] + ends[1][1]) / 2, wide: ends[0][1] - ends[0][0], high: ends[1][1] - ends[1][0] };
  });
  return { frames, points, names, group, at, k, neighbours, boxes };
}

function buildMap({ trace, root, toolbar, view, signal }) {
  const run = readRun(trace);
  let time = null; // in frames, while the film runs
  let request = 0;
  let speed = 1;
  let zoom = { scale: 1, x: 0, y: 0 };
  let hovered = null;
  let query = "";
  let spots = new Float64Array(2 * run.points); // where each point was drawn last, in pixels

  // ---- the page ------------------------------------------------------------------------------------
  const play = toggle("Play", "Watch the map form", () => time !== null, () => (time === null ? start() : stop()), signal);
  const slider = node("input", { type: "range", min: 0, max: run.frames - 1, "aria-label": "Frame" });
  const counter = node("output", { class: "map-counter" });
  const pace = picker("Speed", SPEEDS.map((times) => `${times}×`), (i) => (speed = SPEEDS[i]), signal);
  pace.select.value = 1;
  const search = node("input", { type: "search", "aria-label": "Find a label", placeholder: "Find a label" });
  const found = node("span", { class: "course-quiet", role: "status" });
  const labels = toggle("Labels", "Write labels where there is room", () => view.now.labels, () => view.set({ labels: !view.now.labels }), signal);
  const nearer = node("button", { type: "button", title: "Zoom in", "aria-label": "Zoom in" }, "+");
  const farther = node("button", { type: "button", title: "Zoom out", "aria-label": "Zoom out" }, "−");
  toolbar.append(play, slider, counter, pace.label, search, found, labels, node("span", { class: "course-picker" }, nearer, farther));

  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "map of points" });
  const stage = node("div", { class: "map-stage" }, canvas);
  const side = node("aside", { class: "map-side", "aria-label": "How far to believe this map" });
  const legend = node("div", { class: "map-legend", role: "group", "aria-label": "Classes: press to hide or show" });
  const moment = node("p", { class: "course-quiet map-moment" });
  const readout = node("p", { class: "map-readout", role: "status", "aria-live": "polite" });
  const near = node("div", { class: "map-near" });
  const help = node("p", { class: "course-quiet map-help" });
  const details = node("details", {}, node("summary", {}, "The points as a table"), node("div", { class: "course-scroll map-table", tabindex: "0" }));
  if (trace.title) root.prepend(node("h3", {}, trace.title));
  root.append(legend, node("div", { class: "map-body" }, stage, side), readout, moment, help, details);
  help.append(
    ...[["← ↑ → ↓", "nearest point that way"], ["PageUp PageDown", "frame"], ["Home End", "first, last frame"], ["Space", "play"],
      ["+ − 0", "zoom"], ["n", "next match"], ["Esc", "no point"]].map(([keys, what]) =>
      node("span", { class: "map-key" }, ...keys.split(" ").map((key) => node("kbd", {}, key)), ` ${what}`)),
  );

  const percent = `${Number((100 * trace.neighbours_kept).toPrecision(3))}%`;
  const curve = node("canvas", { role: "img" });
  const divergence = node("p", { class: "course-quiet" });
  side.append(
    node("h3", {}, "How far to believe this map"),
    node("p", {}, node("b", {}, percent), ` of the ${run.k} nearest neighbours are still nearest in the last frame`),
    node("div", { class: "map-bar", "aria-hidden": "true" }, node("i", { style: `width:${100 * trace.neighbours_kept}%` })),
    curve, divergence,
    node("p", {}, `Perplexity ${Number(trace.perplexity.toPrecision(6))}, seed ${trace.seed}.`),
    node("p", { class: "map-caution" }, CAUTION), near,
  );

  // ---- what is chosen ------------------------------------------------------------------------------
  const frame = () => (time === null ? (view.now.frame ?? run.frames - 1) : Math.round(time));
  const shown = (point) => !view.now.hidden.includes(trace.groups[point]);
  const points = Array.from({ length: run.points }, (_, point) => point);
  const matches = () => (query ? points.filter((point) => shown(point) && trace.labels[point].toLowerCase().includes(query)) : []);
  const showFrame = (next) => {
    time = null;
    const last = run.frames - 1;
    view.set({ frame: next >= last ? null : Math.max(0, next) });
  };
  const squared = (at, one, other) => (run.at(at, one, 0) - run.at(at, other, 0)) ** 2 + (run.at(at, one, 1) - run.at(at, other, 1)) ** 2;
  /** The k nearest points in a frame, as the trace's neighbours are in the original space. */
  const nearestInMap = (point, at) =>
    points.filter((other) => other !== point).sort((a, b) => squared(at, point, a) - squared(at, point, b)).slice(0, run.k);

  function walk(dx, dy) {
    const from = view.now.point;
    let best = null;
    let least = Infinity;
    for (const point of points) {
      if (!shown(point) || point === from) continue;
      const [x, y] = from === null ? [0, 0] : [spots[2 * point] - spots[2 * from], spots[2 * point + 1] - spots[2 * from + 1]];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      const cost = from === null ? point : ahead > 0 && aside <= 1.5 * ahead ? ahead + 2 * aside : Infinity;
      if (cost < least) [best, least] = [point, cost];
    }
    if (best !== null) view.set({ point: best });
  }
  function nextMatch() {
    const all = matches();
    if (!all.length) return;
    const next = all.find((point) => point > (view.now.point ?? -1)) ?? all[0];
    view.set({ point: next });
  }
  function magnify(factor, x = 0, y = 0) {
    const scale = limit(zoom.scale * factor, 1, 40);
    const change = scale / zoom.scale;
    zoom = scale === 1 ? { scale: 1, x: 0, y: 0 } : { scale, x: x - (x - zoom.x) * change, y: y - (y - zoom.y) * change };
    drawMap();
  }

  function start() {
    time = frame() === run.frames - 1 ? 0 : frame();
    play.refresh();
    let before = null;
    const tick = (now) => {
      if (time === null || signal.aborted) return;
      if (before !== null) time += ((now - before) / 1000) * FRAMES_A_SECOND * speed;
      before = now;
      if (time >= run.frames - 1) return showFrame(run.frames - 1);
      drawFilm();
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
  }
  const stop = () => showFrame(frame()); // one message when the film stops, none while it runs
  signal.addEventListener("abort", () => cancelAnimationFrame(request));

  onKeys(canvas, {
    ArrowLeft: () => walk(-1, 0),
    ArrowRight: () => walk(1, 0),
    ArrowUp: () => walk(0, -1),
    ArrowDown: () => walk(0, 1),
    PageUp: () => showFrame(frame() - 1),
    PageDown: () => showFrame(frame() + 1),
    Home: () => showFrame(0),
    End: () => showFrame(run.frames - 1),
    " ": () => (time === null ? start() : stop()),
    "+": () => magnify(1.5),
    "=": () => magnify(1.5),
    "-": () => magnify(1 / 1.5),
    0: () => magnify(0),
    n: nextMatch,
    Escape: () => view.set({ point: null }),
  }, signal);
  onKeys(search, { Enter: nextMatch }, signal);
  search.addEventListener("input", () => {
    query = search.value.trim().toLowerCase();
    found.textContent = query ? `${matches().length} found` : "";
    drawMap();
    drawTable();
  }, { signal });
  slider.addEventListener("input", () => showFrame(Number(slider.value)), { signal });
  nearer.addEventListener("click", () => magnify(1.5), { signal });
  farther.addEventListener("click", () => magnify(1 / 1.5), { signal });

  // ---- drawing -------------------------------------------------------------------------------------
  const colours = () => {
    const style = getComputedStyle(root);
    return Object.fromEntries(["paper", "ink", "muted", "line", "accent", "bad"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  };
  const colourOf = (place, paint) => {
    const colour = OKABE_ITO[place % OKABE_ITO.length];
    return colour === "#000000" ? paint.ink : colour;
  };
  const markerOf = (place) => MARKERS[(place + Math.floor(place / OKABE_ITO.length)) % MARKERS.length];

  /** Put every point of a moment of the film in its place on the canvas. */
  function project(width, height) {
    const now = time ?? frame();
    const [a, b] = [Math.floor(now), Math.ceil(now)];
    const mix = (from, to) => from + (to - from) * (now - a);
    const box = Object.fromEntries(["x", "y", "wide", "high"].map((name) => [name, mix(run.boxes[a][name], run.boxes[b][name])]));
    const fit = Math.min((width - 60) / (box.wide || 1), (height - 60) / (box.high || 1)) * zoom.scale;
    for (const point of points) {
      spots[2 * point] = width / 2 + zoom.x + (mix(run.at(a, point, 0), run.at(b, point, 0)) - box.x) * fit;
      spots[2 * point + 1] = height / 2 + zoom.y - (mix(run.at(a, point, 1), run.at(b, point, 1)) - box.y) * fit;
    }
  }

  function drawMap() {
    const large = view.now.large;
    const width = stage.clientWidth;
    if (!width) return;
    const height = Math.round(limit(width * 0.72, 300, large ? 640 : 540));
    const paint = colours();
    const font = large ? 18 : 12;
    const context = sharpContext(canvas, width, height);
    context.fillStyle = paint.paper;
    context.fillRect(0, 0, width, height);
    project(width, height);
    const radius = limit(110 / Math.sqrt(run.points), 2.6, 6) * (large ? 1.35 : 1) * Math.sqrt(Math.min(zoom.scale, 3));
    const { point } = view.now;
    const chosen = point !== null && shown(point) ? point : null;
    const lined = chosen === null ? [] : run.neighbours(chosen).filter(shown);
    const hits = matches();
    const faded = query !== "" || chosen !== null;

    context.lineJoin = "round";
    run.names.forEach((_, place) => {
      context.beginPath();
      for (const one of points)
        if (run.group[one] === place && shown(one)) marker(context, markerOf(place), spots[2 * one], spots[2 * one + 1], radius);
      context.globalAlpha = faded ? 0.4 : 1;
      context.fillStyle = colourOf(place, paint);
      context.strokeStyle = paint.ink;
      context.lineWidth = radius < 4 ? 0.3 : 0.6;
      context.fill();
      if (!faded) context.stroke();
    });
    context.globalAlpha = 1;
    const kept = chosen === null ? new Set() : new Set(nearestInMap(chosen, frame()));
    for (const other of lined) {
      context.beginPath();
      context.setLineDash(kept.has(other) ? [] : [5, 4]);
      context.strokeStyle = kept.has(other) ? paint.ink : paint.bad;
      context.lineWidth = 1.6;
      context.moveTo(spots[2 * chosen], spots[2 * chosen + 1]);
      context.lineTo(spots[2 * other], spots[2 * other + 1]);
      context.stroke();
    }
    context.setLineDash([]);
    for (const one of [...hits, ...lined, ...(chosen === null ? [] : [chosen])]) {
      context.beginPath();
      marker(context, markerOf(run.group[one]), spots[2 * one], spots[2 * one + 1], radius * (one === chosen ? 1.7 : 1.25));
      context.fillStyle = colourOf(run.group[one], paint);
      context.strokeStyle = paint.ink;
      context.lineWidth = one === chosen ? 2.5 : 1.5;
      context.fill();
      context.stroke();
    }
    const first = [...new Set([hovered, chosen, ...lined, ...hits])].filter((one) => one !== null && shown(one));
    const rest = view.now.labels && time === null && !faded ? points.filter(shown) : [];
    writeLabels(context, [...first, ...rest], first.length, radius, font, paint, width, height);
    canvas.dataset.drawn = `${frame()}`;
  }

  /** Write labels that cover none written before; the first ones are wanted most. */
  function writeLabels(context, order, wanted, radius, font, paint, width, height) {
    context.font = `${font}px system-ui, "DejaVu Sans", sans-serif`;
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = paint.paper;
    const written = [];
    // A stride that visits all points, far from each other.
    const rest = order.slice(wanted);
    const stride = Math.max(1, Math.round(rest.length * 0.382));
    const seen = new Set();
    const spread = rest.map((_, i) => rest[(i * stride) % rest.length]).concat(rest);
    for (const point of [...order.slice(0, wanted), ...spread]) {
      if (seen.has(point) || written.length >= MOST_LABELS) continue;
      seen.add(point);
      const [x, y] = [spots[2 * point], spots[2 * point + 1]];
      if (x < 0 || y < 0 || x > width || y > height) continue;
      const text = [...trace.labels[point]].slice(0, 24).join("");
      const wide = context.measureText(text).width;
      const left = x + radius + 4 + wide > width ? x - radius - 4 - wide : x + radius + 4;
      if (written.some((one) => Math.abs(one.y - y) < font * 1.1 && left < one.left + one.wide && one.left < left + wide)) continue;
      written.push({ left, y, wide });
      context.strokeText(text, left, y);
      context.fillStyle = paint.ink;
      context.fillText(text, left, y);
    }
  }

  function drawCurve() {
    const width = Math.max(160, side.clientWidth - 4);
    const [height, font] = view.now.large ? [150, 15] : [110, 11];
    const paint = colours();
    const context = sharpContext(curve, width, height);
    const left = font * 3.2;
    const bottom = height - font * 1.8;
    const top = Math.max(...trace.kl.data) || 1;
    const last = trace.iterations.data.at(-1) || 1;
    const place = (i) => [left + (trace.iterations.data[i] / last) * (width - left - 8), bottom - (trace.kl.data[i] / top) * (bottom - font)];
    context.font = `${font}px system-ui, "DejaVu Sans", sans-serif`;
    context.fillStyle = paint.muted;
    context.textAlign = "right";
    context.fillText(top.toFixed(1), left - 4, font * 1.3);
    context.fillText("0", left - 4, bottom + 3);
    context.fillText(`${last} steps`, width - 4, height - 2);
    context.fillText("KL in nats", width - 10, font * 1.9);
    context.strokeStyle = paint.line;
    context.strokeRect(left, font * 0.5, width - left - 4, bottom - font * 0.5);
    context.beginPath();
    for (let i = 0; i < run.frames; i++) context.lineTo(...place(i));
    context.strokeStyle = paint.accent;
    context.lineWidth = 2;
    context.stroke();
    context.beginPath();
    context.arc(...place(frame()), 4.5, 0, 2 * Math.PI);
    context.fillStyle = paint.bad;
    context.fill();
    const [from, now, to] = [0, frame(), run.frames - 1].map((i) => trace.kl.data[i].toFixed(2));
    divergence.textContent = `KL(P‖Q) ${now} nats now; the run went from ${from} to ${to}.`;
    curve.setAttribute("aria-label", `Curve of the divergence: from ${from} to ${to} nats in ${last} steps.`);
  }

  function drawLegend() {
    const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    const paint = colours();
    const press = (text, hide) => {
      const button = node("button", { type: "button", class: "map-all" }, text);
      button.addEventListener("click", () => view.set({ hidden: hide }), { signal });
      return button;
    };
    const buttons = run.names.map((name, place) => {
      const swatch = node("canvas", { "aria-hidden": "true" });
      const context = sharpContext(swatch, 18, 18);
      marker(context, markerOf(place), 9, 9, 6.5);
      context.fillStyle = colourOf(place, paint);
      context.strokeStyle = paint.ink;
      context.fill();
      context.stroke();
      const on = !view.now.hidden.includes(name);
      const count = trace.groups.filter((one) => one === name).length;
      const button = node("button", { type: "button", "aria-pressed": String(on), "data-name": name }, swatch, node("bdi", {}, name || "∅"), ` ${count}`);
      button.addEventListener("click", () => {
        const { hidden } = view.now;
        view.set({ hidden: on ? [...hidden, name] : hidden.filter((one) => one !== name) });
      }, { signal });
      return button;
    });
    legend.hidden = run.names.length === 1;
    legend.replaceChildren(...buttons, press("All", []), press("None", run.names));
    if (focused !== undefined) buttons[run.names.indexOf(focused)].focus();
  }

  function drawNear() {
    const { point } = view.now;
    if (point === null) {
      near.replaceChildren(node("p", { class: "course-quiet" }, "Click a point, or walk to it with the arrow keys: its nearest neighbours in the original space appear here, with lines to them."));
      return;
    }
    const inMap = new Set(nearestInMap(point, frame()));
    const list = run.neighbours(point);
    const here = list.filter((one) => inMap.has(one)).length;
    near.replaceChildren(
      node("h3", {}, "Nearest to ", node("bdi", {}, trace.labels[point]), " in the original space"),
      node("ol", {}, ...list.map((one) => {
        const name = node("button", { type: "button", class: "map-link" }, node("bdi", {}, trace.labels[one]));
        name.addEventListener("click", () => view.set({ point: one }), { signal });
        return node("li", {}, name, inMap.has(one) ? " ✓ also near here" : " ✗ not near here", shown(one) ? "" : " (hidden)");
      })),
      node("p", {}, `${here} of ${list.length} are among its ${list.length} nearest in this frame.`),
    );
  }

  function drawReadout() {
    const one = hovered ?? view.now.point;
    readout.replaceChildren(
      ...(one === null ? ["No point chosen."] : [node("bdi", {}, `“${trace.labels[one]}”`), ", class ", node("bdi", {}, trace.groups[one])]),
    );
  }

  function drawTable() {
    if (!details.open) return;
    const listed = (query ? matches() : points.filter(shown)).slice(0, MOST_ROWS);
    const at = frame();
    const rows = listed.map((one) => [trace.labels[one], trace.groups[one], run.at(at, one, 0).toPrecision(4), run.at(at, one, 1).toPrecision(4),
      run.neighbours(one).map((other) => trace.labels[other]).join(", ")]);
    const caption = `${listed.length} of ${run.points} points (find a label or hide classes to see others), frame ${at + 1}`;
    details.lastChild.replaceChildren(table(caption, ["label", "class", "x", "y", "nearest in the original space"], rows));
  }

  function drawFilm() {
    slider.value = frame();
    const at = frame();
    counter.textContent = `step ${trace.iterations.data[at]}`;
    const wide = Number(Math.max(run.boxes[at].wide, run.boxes[at].high).toPrecision(2));
    moment.textContent = `Frame ${at + 1} of ${run.frames}; the map is ${wide} wide, and every frame is scaled to fit.`;
    drawMap();
    drawCurve();
  }
  function draw() {
    play.refresh();
    labels.refresh();
    drawLegend();
    drawFilm();
    drawNear();
    drawReadout();
    drawTable();
    canvas.setAttribute("aria-label", `t-SNE map of ${run.points} points in ${run.names.length} classes. Arrow keys walk from point to point.`);
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  function pointAt(event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = 14 ** 2;
    for (const point of points) {
      const distance = (spots[2 * point] - x) ** 2 + (spots[2 * point + 1] - y) ** 2;
      if (shown(point) && distance < least) [best, least] = [point, distance];
    }
    return best;
  }
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, from: zoom, moved: false };
  }, { signal });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && event.buttons && zoom.scale > 1) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moved ||= Math.hypot(dx, dy) > 4;
      zoom = { ...drag.from, x: drag.from.x + dx, y: drag.from.y + dy };
      drawMap();
      return;
    }
    const point = pointAt(event);
    if (point === hovered) return;
    hovered = point;
    canvas.style.cursor = point === null ? "default" : "pointer";
    drawMap();
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    if (hovered === null) return;
    hovered = null;
    drawMap();
    drawReadout();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    if (drag?.moved) return;
    canvas.focus();
    view.set({ point: pointAt(event) });
  }, { signal });
  canvas.addEventListener("dblclick", (event) => {
    const box = canvas.getBoundingClientRect();
    magnify(2, event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  const resized = new ResizeObserver(() => {
    // Built out of sight the canvas has no width yet, and a comparison with NaN is false.
    if (!(Math.abs(stage.clientWidth - parseFloat(canvas.style.width)) < 1)) draw();
  });
  resized.observe(stage);
  signal.addEventListener("abort", () => resized.disconnect());
  view.onChange(draw);
  draw();
}

export default courseWidget(buildMap);
