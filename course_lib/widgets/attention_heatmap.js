// Attention weights as a heatmap. Everything that is known is switched here, without the kernel.
const CIVIDIS =
  "00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66002d68" +
  "002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f357012357014367016377018376f" +
  "1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d2e416d2f426d31436d" +
  "32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c3f4c6c404c6c414d6c424e6c" +
  "434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c4e566c4f576c50576c51586d52596d" +
  "535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e5c616e5d616e5e626e5e636f5f636f60646f" +
  "61656f62656f636670646770656870656870666970676a71686a71696b716a6c716b6d726c6d726c6e726d6f726e6f73" +
  "6f70737071737172747272747273747374757474757575757676767777767777777878777979777a7a787b7a787c7b78" +
  "7d7c787e7c787e7d787f7e78807f78817f788280798381798482798582798683798784788885788985788a86788b8778" +
  "8c88788d88788e89788f8a78908b78918b78928c78928d78938e78948e77958f779690779791779892779992779a9376" +
  "9b94769c95769d95769e96769f9775a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073" +
  "aba072aca172ada272aea371afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6d" +
  "bcae6cbdae6cbeaf6bbfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64" +
  "cdbb63cebc63cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858" +
  "dec958dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748" +
  "f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636fee838";
const LABEL = 11.5; // the longest label, in font sizes
const STRONGEST = 8; // keys listed for a row
const TILT = Math.PI / 3.2; // of the labels over the columns

const colour = (share) => "#" + CIVIDIS.substr(6 * Math.round(255 * Math.min(1, Math.max(0, share))), 6);
const exact = (value) => (Number.isNaN(value) ? "NaN" : String(Number(value.toPrecision(6))));
const short = (value) => (Number.isNaN(value) ? "NaN" : value.toFixed(2));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const quoted = (text) => `“${text}”`;

/** The trace's numbers, by position. */
function readWeights(trace) {
  const [layers, heads, queries, keys] = trace.weights.shape;
  const weight = (layer, head, query, key) =>
    trace.weights.data[((layer * heads + head) * queries + query) * keys + key];
  const kept = (query, key) => !trace.keep || trace.keep.data[query * keys + key] === 1;
  const row = (layer, head, query) => Array.from({ length: keys }, (_, key) => weight(layer, head, query, key));
  const kind = (layer, head, query, key) => {
    if (!kept(query, key)) return "masked";
    const value = weight(layer, head, query, key);
    return Number.isNaN(value) ? "nan" : value === 0 ? "zero" : "weight";
  };
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  // H = -Σ w log2 w, with 0 log 0 = 0.
  const entropy = (values) => Math.abs(sum(values.map((value) => (value === 0 ? 0 : value * Math.log2(value)))));
  const largest = (layer, head) => {
    let top = 0;
    for (let q = 0; q < queries; q++)
      for (let k = 0; k < keys; k++) if (weight(layer, head, q, k) > top) top = weight(layer, head, q, k);
    return top;
  };
  const layerNames = trace.layer_names ?? Array.from({ length: layers }, (_, i) => `Layer ${i + 1}`);
  const headNames = trace.head_names ?? Array.from({ length: heads }, (_, i) => `Head ${i + 1}`);
  return { layers, heads, queries, keys, weight, kept, row, kind, sum, entropy, largest, layerNames, headNames };
}

/** One cell; the pattern is the second cue beside the colour. */
function drawCell(context, kind, share, x, y, size, colours) {
  context.fillStyle = { masked: colours.masked, nan: colours.paper, hidden: colours.panel }[kind] ?? colour(share);
  context.fillRect(x, y, size, size);
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  context.lineWidth = 1;
  if (kind === "masked") {
    context.strokeStyle = colours.muted;
    context.globalAlpha = 0.65;
    context.beginPath();
    for (let shift = -size; shift < size; shift += 5) {
      context.moveTo(x + shift, y + size);
      context.lineTo(x + shift + size, y);
    }
    context.stroke();
  } else if (kind === "nan") {
    context.strokeStyle = colours.bad;
    context.lineWidth = 2;
    const inset = size * 0.28;
    context.beginPath();
    context.moveTo(x + inset, y + inset);
    context.lineTo(x + size - inset, y + size - inset);
    context.moveTo(x + size - inset, y + inset);
    context.lineTo(x + inset, y + size - inset);
    context.stroke();
  } else if (kind === "zero") {
    context.strokeStyle = "#ffffff";
    context.beginPath();
    context.arc(x + size / 2, y + size / 2, Math.min(4, size / 5), 0, 2 * Math.PI);
    context.stroke();
  } else if (kind === "hidden") {
    context.fillStyle = colours.muted;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText("?", x + size / 2, y + size / 2);
  }
  context.restore();
}

/** Where the window on the cells lies, and how large a cell is, in a canvas `width` wide. */
function measure(context, { data, trace, panels, width, font, query, key }) {
  const longest = (labels) => Math.min(font * LABEL, Math.max(...labels.map((text) => context.measureText(text).width)));
  const left = Math.ceil(longest(trace.queries)) + 12;
  const measures = font * 5.6; // the columns Σ and H
  const gap = font * 1.6;
  const room = (width - left - panels * measures - (panels - 1) * gap) / panels;
  const height = clamp(0.55 * window.innerHeight, 300, 640);
  const cell = Math.floor(clamp(Math.min(room / data.keys, height / data.queries), font * 1.08, font * 3.4));
  const columns = clamp(Math.floor(room / cell), 1, data.keys);
  const rows = clamp(Math.floor(height / cell), 1, data.queries);
  const flat = trace.keys.every((text) => context.measureText(text).width <= cell - 4);
  const top = font * 2.1 + (flat ? font * 1.4 : longest(trace.keys) * Math.sin(TILT) + font);
  return {
    left, measures, gap, cell, columns, rows, flat, top,
    firstRow: clamp(query - Math.floor(rows / 2), 0, data.queries - rows),
    firstColumn: clamp(key - Math.floor(columns / 2), 0, data.keys - columns),
    panel: columns * cell + measures + gap,
    width: left + panels * (columns * cell + measures + gap),
    height: top + rows * cell + 6,
  };
}

/** Shorten a label to a width in pixels; the read-out and the table keep it whole. */
function fit(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && context.measureText(characters.join("") + "…").width > width) characters.pop();
  return characters.join("") + "…";
}

function buildAttention({ trace, root, toolbar, view, signal }) {
  const data = readWeights(trace);
  const revealed = new Map(); // query -> guessed key
  let hovered = null;
  let pool = {}; // the last pooled map
  let frame = null; // what `measure` returned for the last drawing

  // ---- the page ------------------------------------------------------------------------------------
  const several = data.layers * data.heads > 1;
  const layer = picker("Layer", data.layerNames, (layer) => view.set({ layer }), signal);
  const head = picker("Head", data.headNames, (head) => view.set({ head }), signal);
  const other = picker("Beside it", ["nothing", ...data.headNames], (i) => view.set({ other: i ? i - 1 : null }), signal);
  const scale = picker("Colours", ["0 to 1", "0 to max"], (i) => view.set({ scale: ["fixed", "largest"][i] }), signal);
  const grid = toggle("All heads", "A small map of every head", () => view.now.grid, () => view.set({ grid: !view.now.grid }), signal);
  const step = node("input", { type: "range", min: 1, max: data.queries, "aria-label": "Step" });
  step.addEventListener("input", () => view.set({ query: Number(step.value) - 1 }), { signal });
  const guess = toggle("Guess first", "Hide each row until you guess its strongest key", () => view.now.guess,
    () => view.set({ guess: !view.now.guess }), signal);
  const save = node("button", { type: "button", title: "Save the map as a picture" }, "Save PNG");
  save.addEventListener("click", () => savePng(canvas, "attention.png"), { signal });
  if (data.layers > 1) toolbar.append(layer.label);
  if (data.heads > 1) toolbar.append(head.label, other.label);
  if (data.queries > 1) toolbar.append(node("label", { class: "picker" }, node("span", {}, "Step"), step));
  toolbar.append(scale.label);
  if (several) toolbar.append(grid);
  toolbar.append(guess, save);

  const canvas = node("canvas", { tabindex: "0", role: "application", "aria-roledescription": "heatmap" });
  const status = node("p", { class: "readout", role: "status", "aria-live": "polite" });
  const stage = node("div", { class: "stage" }, canvas);
  const note = node("p", { class: "quiet note" });
  const overview = node("canvas", { class: "overview", "aria-hidden": "true" });
  const row = node("div", { role: "group", "aria-label": "The chosen row" });
  const side = node("div", { class: "side" }, row, overview, note);
  const thumbnails = node("div", { class: "thumbnails", role: "group", "aria-label": "All heads" });
  const legend = node("div", { class: "legend" });
  const help = node("p", { class: "quiet help" });
  const details = node("details", {}, node("summary", {}, "The weights as a table"), node("div", { class: "scroll", tabindex: "0" }));
  if (trace.title) root.prepend(node("h3", {}, trace.title));
  const body = node("div", { class: "body" }, stage, side);
  root.append(thumbnails, body, status, legend, help, details);
  const keys = [["← ↑ → ↓", "move"], ["Home End", "ends of the row"], ["PageUp PageDown", "a window up, down"],
    data.heads > 1 && ["h H", "next, previous head"], data.layers > 1 && ["l L", "next, previous layer"],
    data.heads > 1 && ["c", "a second head"], several && ["g", "all heads"], ["s", "colours"], ["Enter", "guess"]];
  help.append("On the map: ", ...keys.filter(Boolean).map(([key, what]) =>
    node("span", { class: "key" }, ...key.split(" ").map((one) => node("kbd", {}, one)), ` ${what}`)));

  // ---- what is chosen ------------------------------------------------------------------------------
  const now = () => view.now;
  const hidden = (query) => now().guess && !revealed.has(query);
  const heads = () => (now().other === null ? [now().head] : [now().head, now().other]);
  const colours = () => {
    const style = getComputedStyle(root);
    return Object.fromEntries(["paper", "panel", "ink", "muted", "line", "accent", "bad", "masked"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  };
  /** Pixels that the map may take: the chosen row is beside it where there is room for both. */
  const mapRoom = () => {
    const beside = parseFloat(getComputedStyle(root).fontSize) * 21;
    return body.clientWidth > 2.2 * beside ? body.clientWidth - beside : body.clientWidth;
  };
  /** What a pooled map depends on. */
  const look = () => JSON.stringify([now().guess, revealed.size, top(), root.dataset.theme]);
  const top = () =>
    now().scale === "fixed" ? 1 : Math.max(...heads().map((one) => data.largest(now().layer, one))) || 1;
  const move = (rows, columns) =>
    view.set({
      query: clamp(now().query + rows, 0, data.queries - 1),
      key: clamp(now().key + columns, 0, data.keys - 1),
    });
  const makeGuess = () => {
    if (!hidden(now().query)) return;
    revealed.set(now().query, now().key);
    draw();
  };
  const turn = (name, count, by) => view.set({ [name]: (now()[name] + by + count) % count });

  onKeys(canvas, {
    ArrowLeft: () => move(0, -1),
    ArrowRight: () => move(0, 1),
    ArrowUp: () => move(-1, 0),
    ArrowDown: () => move(1, 0),
    Home: () => move(0, -data.keys),
    End: () => move(0, data.keys),
    PageUp: () => move(-frame.rows, 0),
    PageDown: () => move(frame.rows, 0),
    h: () => turn("head", data.heads, 1),
    H: () => turn("head", data.heads, -1),
    l: () => turn("layer", data.layers, 1),
    L: () => turn("layer", data.layers, -1),
    c: () => view.set({ other: now().other === null && data.heads > 1 ? (now().head + 1) % data.heads : null }),
    g: () => view.set({ grid: !now().grid }),
    s: () => view.set({ scale: now().scale === "fixed" ? "largest" : "fixed" }),
    Enter: makeGuess,
  }, signal);

  // ---- drawing -------------------------------------------------------------------------------------
  const bars = (title, entries) =>
    node("div", { class: "bars" }, node("h3", {}, title), node("ol", {}, ...entries.map(({ text, value, chosen }) =>
      node("li", chosen ? { class: "chosen" } : {}, node("bdi", { title: text }, text),
        node("span", { class: "bar" }, node("i", { style: `width:${100 * clamp(value || 0, 0, 1)}%` })),
        node("b", {}, short(value))))));

  function drawRow() {
    const { layer, query, key } = now();
    row.replaceChildren(node("p", { class: "row" }, `Row ${query + 1}: `, node("bdi", {}, trace.queries[query]), " looks at"));
    if (hidden(query)) {
      row.append(node("p", {}, "Which key gets the most weight? Choose a cell of this row and press Enter, or click it."));
      return;
    }
    for (const one of heads()) {
      const order = data.row(layer, one, query).map((value, i) => ({ value, i })).filter(({ i }) => data.kept(query, i))
        .sort((a, b) => (Number.isNaN(a.value) ? -1 : a.value) < (Number.isNaN(b.value) ? -1 : b.value) ? 1 : -1);
      const entries = order.slice(0, STRONGEST).map(({ value, i }) => ({ text: trace.keys[i], value, chosen: i === key }));
      if (revealed.has(query) && now().guess && one === now().head) {
        const mine = revealed.get(query);
        const right = order.length > 0 && order[0].i === mine;
        row.append(node("p", { class: "verdict" }, right ? "✓ Right: " : "✗ Your guess: ", node("bdi", {}, trace.keys[mine]),
          ` has ${short(data.weight(layer, one, query, mine))}.`));
      }
      row.append(entries.length ? bars(data.headNames[one], entries) : node("p", {}, "Every key of this row is masked."));
    }
    if (trace.candidates) {
      const n = trace.candidate_probabilities.shape[1];
      const chances = trace.candidate_probabilities.data.subarray(query * n, (query + 1) * n);
      row.append(bars("Next token, probability", trace.candidates[query].map((text, i) => ({ text, value: chances[i] }))));
    }
  }

  function drawMap() {
    const { layer, query, key, large } = now();
    const width = mapRoom();
    if (width <= 0) return;
    const paint = colours();
    const font = large ? 19 : 13;
    const face = `${font}px system-ui, "DejaVu Sans", sans-serif`;
    let context = canvas.getContext("2d");
    context.font = `700 ${face}`;
    frame = { ...measure(context, { data, trace, panels: heads().length, width, font, query, key }), room: width };
    const { left, cell, columns, rows, flat, firstRow, firstColumn } = frame;
    const small = `${Math.min(font, cell * 0.8)}px system-ui, "DejaVu Sans", sans-serif`;
    context = sharpContext(canvas, frame.width, frame.height);
    context.fillStyle = paint.paper;
    context.fillRect(0, 0, frame.width, frame.height);
    heads().forEach((one, panel) => {
      const x0 = left + panel * frame.panel;
      const y0 = frame.top;
      const right = x0 + columns * cell;
      context.font = `600 ${face}`;
      context.fillStyle = paint.ink;
      context.textBaseline = "alphabetic";
      context.textAlign = "left";
      context.fillText(fit(context, `${data.layers > 1 ? data.layerNames[layer] + " · " : ""}${data.headNames[one]}`, frame.panel), x0, font * 1.1);
      context.textAlign = "right";
      context.font = face;
      context.fillStyle = paint.muted;
      context.fillText("Σ", right + font * 2.6, y0 - 6);
      context.fillText("bits", right + font * 5.4, y0 - 6);
      for (let c = 0; c < columns; c++) {
        const k = firstColumn + c;
        const chosen = k === key;
        context.save();
        context.font = chosen ? `700 ${small}` : small;
        context.fillStyle = chosen ? paint.ink : paint.muted;
        context.translate(x0 + (c + 0.5) * cell, y0 - 6);
        context.textAlign = flat ? "center" : "left";
        if (!flat) {
          context.translate(font * 0.3, 0);
          context.rotate(-TILT);
        }
        context.fillText(fit(context, trace.keys[k], flat ? cell : font * LABEL), 0, 0);
        context.restore();
      }
      context.textBaseline = "middle";
      for (let r = 0; r < rows; r++) {
        const q = firstRow + r;
        const y = y0 + r * cell;
        const middle = y + cell / 2;
        const chosen = q === query;
        context.textAlign = "right";
        context.font = chosen ? `700 ${small}` : small;
        context.fillStyle = chosen ? paint.ink : paint.muted;
        if (panel === 0) context.fillText(fit(context, trace.queries[q], left - 10), left - 8, middle);
        context.font = small;
        const values = data.row(layer, one, q);
        context.fillText(hidden(q) ? "?" : short(data.sum(values)), right + font * 2.6, middle);
        context.fillText(hidden(q) ? "?" : short(data.entropy(values)), right + font * 5.4, middle);
        for (let c = 0; c < columns; c++) {
          const k = firstColumn + c;
          const kind = hidden(q) && data.kept(q, k) ? "hidden" : data.kind(layer, one, q, k);
          const share = values[k] / top();
          drawCell(context, kind, share, x0 + c * cell, y, cell - 1, paint);
          if (kind === "weight" && cell >= 28 && values[k] >= 0.005) {
            context.font = `${Math.min(font * 0.88, cell * 0.37)}px system-ui, "DejaVu Sans", sans-serif`;
            context.fillStyle = share > 0.55 ? "#000000" : "#ffffff";
            context.textAlign = "center";
            context.fillText(short(values[k]).replace(/^0/, ""), x0 + (c + 0.5) * cell, middle + 1);
          }
        }
      }
      const x = x0 + (key - firstColumn) * cell;
      const y = y0 + (query - firstRow) * cell;
      context.lineWidth = 2;
      context.strokeStyle = paint.accent;
      context.strokeRect(x0 - 1, y - 1, columns * cell + 1, cell + 1);
      context.lineWidth = 4;
      context.strokeRect(x, y, cell - 1, cell - 1);
      context.lineWidth = 1.5;
      context.strokeStyle = "#ffffff";
      context.strokeRect(x + 1.5, y + 1.5, cell - 4, cell - 4);
      if (panel === 0) canvas.dataset.cell = [x, y, cell].join(" ");
    });
  }

  /** The whole map, pooled: each pixel is the largest weight of its block. */
  function pooled(layer, head, width, height) {
    const image = new ImageData(width, height);
    const paint = colours();
    const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.substr(i, 2), 16));
    const grey = rgb(paint.masked);
    for (let y = 0; y < height; y++) {
      const q0 = Math.floor((y * data.queries) / height);
      const q1 = Math.max(q0 + 1, Math.floor(((y + 1) * data.queries) / height));
      for (let x = 0; x < width; x++) {
        const k0 = Math.floor((x * data.keys) / width);
        const k1 = Math.max(k0 + 1, Math.floor(((x + 1) * data.keys) / width));
        let most = -1;
        for (let q = q0; q < q1; q++)
          for (let k = k0; k < k1; k++) {
            const value = hidden(q) || !data.kept(q, k) ? -1 : data.weight(layer, head, q, k);
            if (value > most) most = value;
          }
        image.data.set([...(most < 0 ? grey : rgb(colour(most / top()))), 255], 4 * (y * width + x));
      }
    }
    return image;
  }

  function drawOverview() {
    const { rows, columns, firstRow, firstColumn } = frame ?? { rows: data.queries, columns: data.keys };
    const needed = rows < data.queries || columns < data.keys;
    overview.hidden = note.hidden = !needed;
    if (!needed) return;
    const share = 200 / Math.max(data.keys, data.queries);
    const [width, height] = [data.keys, data.queries].map((count) => Math.max(8, Math.round(count * Math.min(share, 4))));
    overview.width = width;
    overview.height = height;
    const context = overview.getContext("2d");
    const wanted = JSON.stringify([now().layer, now().head, width, height, look()]);
    if (pool.wanted !== wanted) pool = { wanted, image: pooled(now().layer, now().head, width, height) };
    context.putImageData(pool.image, 0, 0);
    context.strokeStyle = "#ffffff";
    context.lineWidth = 2;
    context.strokeRect((firstColumn * width) / data.keys, (firstRow * height) / data.queries, (columns * width) / data.keys, (rows * height) / data.queries);
    note.textContent =
      `Rows ${firstRow + 1}–${firstRow + rows} of ${data.queries}, columns ${firstColumn + 1}–${firstColumn + columns} of ${data.keys}. ` +
      "The small map shows all of them (the largest weight of each block); click it, or move with the arrow keys.";
  }

  function drawThumbnails() {
    thumbnails.hidden = !now().grid;
    if (!now().grid) return;
    const wanted = JSON.stringify([look(), body.clientWidth]);
    if (thumbnails.dataset.wanted !== wanted) {
      thumbnails.dataset.wanted = wanted;
      const size = clamp(Math.min((body.clientWidth - 90) / data.heads - 22, 440 / data.layers - 40), 44, 180);
      thumbnails.replaceChildren(...data.layerNames.map((name, l) => node("div", { class: "layer" },
        data.layers > 1 ? node("span", { class: "quiet" }, name) : "",
        ...data.headNames.map((head, h) => thumbnail(l, h, head, size)))));
    }
    for (const button of thumbnails.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.layer == now().layer && heads().includes(Number(button.dataset.head))));
  }

  function thumbnail(l, h, name, size) {
    const [width, height] = [Math.min(64, data.keys), Math.min(64, data.queries)];
    const tall = Math.round(size * clamp(data.queries / data.keys, 0.3, 1.6));
    const picture = node("canvas", { width, height, style: `width:${size}px;height:${tall}px`, "aria-hidden": "true" });
    picture.getContext("2d").putImageData(pooled(l, h, width, height), 0, 0);
    const label = `${data.layerNames[l]}, ${name}`;
    const button = node("button", { type: "button", "aria-label": label, title: label, "data-layer": l, "data-head": h }, picture,
      node("span", { style: `max-width:${Math.max(size, 60)}px` }, name));
    button.addEventListener("click", () => view.set({ layer: l, head: h, other: now().other === h ? null : now().other }), { signal });
    return button;
  }

  function drawLegend() {
    const paint = colours();
    const bar = node("canvas", { "aria-hidden": "true" });
    const context = sharpContext(bar, 150, 14);
    for (let x = 0; x < 150; x++) {
      context.fillStyle = colour(x / 149);
      context.fillRect(x, 0, 1.5, 14);
    }
    const swatch = (kind, text) => {
      const cell = node("canvas", { "aria-hidden": "true" });
      drawCell(sharpContext(cell, 18, 18), kind, 0, 0, 0, 18, paint);
      return node("span", { class: "swatch" }, cell, text);
    };
    legend.replaceChildren(
      node("span", { class: "swatch" }, "weight 0", bar, exact(top())),
      swatch("zero", "exactly 0"), swatch("masked", "masked"), swatch("nan", "NaN"),
      node("span", {}, "Σ: sum of the row"), node("span", {}, `bits: entropy of the row, at most ${Math.log2(data.keys).toFixed(2)}`),
    );
  }

  function drawReadout() {
    const { layer } = now();
    const { query, key } = hovered ?? now();
    const say = (one) => {
      const kind = data.kind(layer, one, query, key);
      return kind === "masked" ? "masked" : hidden(query) ? "hidden until you guess" : kind === "nan" ? "NaN" : `weight ${exact(data.weight(layer, one, query, key))}`;
    };
    status.replaceChildren(
      `Row ${query + 1} `, node("bdi", {}, quoted(trace.queries[query])), `, column ${key + 1} `, node("bdi", {}, quoted(trace.keys[key])), ": ",
      heads().map((one) => (data.heads > 1 ? `${data.headNames[one]} ` : "") + say(one)).join(", "),
    );
  }

  function drawTable() {
    if (!details.open || !frame) return;
    const { layer, head } = now();
    const { firstRow, firstColumn, rows, columns } = frame;
    const keys = Array.from({ length: columns }, (_, c) => firstColumn + c);
    const lines = Array.from({ length: rows }, (_, r) => firstRow + r).map((q) => {
      const values = data.row(layer, head, q);
      const cells = keys.map((k) => {
        const kind = data.kind(layer, head, q, k);
        return kind === "masked" ? "masked" : hidden(q) ? "?" : kind === "nan" ? "NaN" : exact(values[k]);
      });
      const ends = [data.sum(values), data.entropy(values)].map((value) => (hidden(q) ? "?" : Number.isNaN(value) ? "NaN" : value.toFixed(4)));
      return [trace.queries[q], ...cells, ...ends];
    });
    details.lastChild.replaceChildren(table(`${data.layerNames[layer]}, ${data.headNames[head]}`, ["query", ...keys.map((k) => trace.keys[k]), "sum", "entropy in bits"], lines));
  }

  function draw() {
    const { layer: l, head: h, other: o } = now();
    layer.select.value = l;
    head.select.value = h;
    step.value = now().query + 1;
    step.setAttribute("aria-valuetext", `${now().query + 1} of ${data.queries}: ${trace.queries[now().query]}`);
    other.select.value = o === null ? 0 : o + 1;
    scale.select.value = now().scale === "fixed" ? 0 : 1;
    grid.refresh();
    guess.refresh();
    drawRow();
    drawMap();
    drawOverview();
    drawThumbnails();
    drawLegend();
    drawReadout();
    drawTable();
    canvas.setAttribute("aria-label", `Attention of ${data.layerNames[l]}, ${data.headNames[h]}: ${data.queries} rows, ${data.keys} columns. Arrow keys move.`);
  }

  // ---- the mouse -----------------------------------------------------------------------------------
  function cellAt(event) {
    if (!frame) return null;
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left - frame.left;
    const row = Math.floor((event.clientY - box.top - frame.top) / frame.cell);
    const panel = clamp(Math.floor(x / frame.panel), 0, heads().length - 1);
    const column = clamp(Math.floor((x - panel * frame.panel) / frame.cell), -1, frame.columns);
    if (row < 0 || row >= frame.rows) return null;
    // A label, or a sum, stands for its row.
    const inside = column >= 0 && column < frame.columns;
    return { query: frame.firstRow + row, key: inside ? frame.firstColumn + column : now().key, inside };
  }
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    hovered = cell?.inside ? cell : null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("pointerleave", () => {
    hovered = null;
    drawReadout();
  }, { signal });
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    canvas.focus();
    const again = cell.query === now().query;
    view.set({ query: cell.query, key: cell.key });
    if (again && cell.inside) makeGuess();
  }, { signal });
  overview.addEventListener("click", (event) => {
    const box = overview.getBoundingClientRect();
    view.set({
      query: clamp(Math.floor(((event.clientY - box.top) / box.height) * data.queries), 0, data.queries - 1),
      key: clamp(Math.floor(((event.clientX - box.left) / box.width) * data.keys), 0, data.keys - 1),
    });
  }, { signal });
  details.addEventListener("toggle", drawTable, { signal });

  const resized = new ResizeObserver(() => {
    if (frame?.room !== mapRoom()) draw();
  });
  resized.observe(body);
  signal.addEventListener("abort", () => resized.disconnect());
  view.onChange(draw);
  draw();
}

export default courseWidget(buildAttention);
