// Makes every slide fit, then starts reveal.js. All measuring is done on pages of 1280 × 720, before reveal.js scales them.

const SIZES = [30, 28, 26, 24, 22, 20]; // of a slide's text, in pixels; the largest that fits is taken
const SMALLEST = 0.5; // of their size, for a widget and for what is too wide
const LARGEST = 1.6; // of its size, for a picture
const FEWEST = 6; // lines of code that go on on the next slide
const HEADINGS = "h1, h2, h3, h4";
const INDIVISIBLE = "p, h1, h2, h3, h4, figure, img, svg, iframe, math, .chart";

const setSize = (page, size) => {
  page.style.setProperty("--size", `${size}px`);
  for (const element of page.querySelectorAll(":scope > .part :is(pre, table, math[display=block])")) narrow(element);
};

function narrow(element) {
  const room = element.parentElement.clientWidth;
  element.style.fontSize = "";
  element.classList.remove("wrapped");
  const size = parseFloat(getComputedStyle(element).fontSize);
  const width = () => Math.max(element.scrollWidth, element.getBoundingClientRect().width);
  const share = room / width();
  if (share >= 1) return;
  element.style.setProperty("font-size", `${size * Math.max(share * 0.99, SMALLEST)}px`, "important");
  if (width() > room) element.classList.add("wrapped");
}

const fits = (page) => page.scrollHeight <= page.clientHeight && page.scrollWidth <= page.clientWidth;

function fit(page) {
  for (const size of SIZES) {
    setSize(page, size);
    if (fits(page)) return true;
  }
  return false;
}

/** Move what does not fit from the end of one element to the beginning of another, its empty twin. */
function spill(from, to, done) {
  while (!done()) {
    const last = [...from.children].filter((child) => !child.matches("details")).at(-1);
    const before = last?.previousElementSibling;
    if (!last) return;
    if (before && !before.matches(HEADINGS)) to.prepend(last);
    else if (last.matches(INDIVISIBLE)) return;
    else {
      const twin = last.cloneNode(false);
      to.prepend(twin);
      if (last.matches("pre")) spillLines(last, twin, done);
      else {
        if (last.matches("table") && last.tHead) twin.append(last.tHead.cloneNode(true));
        spill(last, twin, done);
        if (last.matches("ol")) twin.start = last.start + last.childElementCount;
      }
      if (!twin.textContent.trim() && !twin.querySelector("img, iframe")) twin.remove();
      return;
    }
  }
}

function spillLines(from, to, done) {
  while (!done() || to.textContent.split("\n").length < FEWEST) {
    const cut = from.textContent.trimEnd().lastIndexOf("\n");
    if (cut < 0) return;
    moveText(from, to, cut + 1);
  }
  const gap = from.textContent.lastIndexOf("\n\n");
  if (gap > from.textContent.length / 2) moveText(from, to, gap + 2); // so that a method stays whole
}

/** Move the text of an element from an offset on to the beginning of its twin. */
function moveText(from, to, offset) {
  const range = document.createRange();
  range.selectNodeContents(from);
  range.setStart(...place(from, offset));
  to.prepend(range.extractContents());
}

/** Find where the text of an element has been read so far. */
function place(element, offset) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (offset <= texts.currentNode.length) return [texts.currentNode, offset];
    offset -= texts.currentNode.length;
  }
  throw new RangeError("the element has less text");
}

/** Spread a slide over as many as it needs. */
function spread(section) {
  const page = section.querySelector(".page");
  if (fit(page)) return;
  const next = document.createElement("section");
  next.dataset.timing = 0;
  const rest = page.cloneNode(false);
  next.append(rest);
  section.after(next);
  spill(page, rest, () => fits(page));
  if (!rest.childElementCount) {
    next.remove();
    return; // one thing that is larger than a slide
  }
  fit(page);
  const code = page.querySelector(":scope > details");
  if (code) rest.append(code.cloneNode(true));
  for (let first = rest.firstElementChild; first; first = first.firstElementChild)
    first.classList.remove("fragment"); // turning the page has shown it
  spread(next);
}

/** Let each slide name its part of the lecture, and share the part's minutes among its slides. */
function nameParts(slides) {
  const parts = [[]];
  for (const slide of slides) {
    if (slide.querySelector("h2")) parts.push([]);
    parts.at(-1).push(slide);
  }
  for (const part of parts) {
    const seconds = part.reduce((sum, slide) => sum + Number(slide.dataset.timing), 0);
    for (const slide of part) {
      slide.dataset.timing = Math.round(seconds / part.length);
      if (slide !== part[0]) slide.querySelector(".page").dataset.part = part[0].querySelector("h2")?.textContent ?? "";
    }
  }
}

/** Let a picture share the room that text leaves, from readable to a little blurred. */
function letGrow(image) {
  const most = Math.min(LARGEST, image.closest(".part").clientWidth / image.naturalWidth) * image.naturalHeight;
  image.style.maxHeight = `${most}px`;
  image.style.minHeight = `${Math.min(most, 380)}px`;
}

function drawCharts(slide) {
  for (const chart of slide.querySelectorAll(".chart:not(.js-plotly-plot)")) {
    const { data, layout } = JSON.parse(chart.firstElementChild.textContent);
    const [width, height] = [chart.clientWidth, chart.clientHeight];
    Object.assign(layout, { width, height, font: { size: 18 } });
    for (const [axis, room] of [["xaxis", width], ["yaxis", height]]) {
      const title = layout[axis]?.title; // a surface has its axes in a scene
      if (title) title.font = { size: Math.min(20, (1.6 * room) / title.text.length) }; // as long as its axis, at most
    }
    Plotly.newPlot(chart, data, layout, { displayModeBar: false });
  }
}

/** Shrink a widget's page into its frame, and let a presenter's keys turn slides there, too. */
function settle(frame) {
  const page = frame.contentDocument;
  const shrink = () => {
    const zoom = Number(page.documentElement.style.zoom || 1);
    const share = frame.clientHeight / page.documentElement.scrollHeight;
    if (0 < share && share < 1) page.documentElement.style.zoom = Math.max(zoom * share, SMALLEST);
  };
  const watch = new ResizeObserver(shrink);
  watch.observe(frame);
  watch.observe(page.body);
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return; // the widget has used it
    if (event.key === "PageDown") Reveal.next();
    if (event.key === "PageUp") Reveal.prev();
  });
}

async function start() {
  const reveal = document.querySelector(".reveal");
  for (const frame of reveal.querySelectorAll("iframe")) {
    frame.addEventListener("load", () => settle(frame));
    if (frame.contentDocument.querySelector("#widget")) settle(frame); // it is already there
  }
  await Promise.all([...document.images].map((image) => image.decode()));
  reveal.classList.add("measured");
  reveal.querySelectorAll("img").forEach(letGrow);
  reveal.querySelectorAll("section section").forEach(spread);
  nameParts(reveal.querySelectorAll("section section"));
  reveal.classList.remove("measured");
  for (const details of reveal.querySelectorAll(".page > details"))
    details.addEventListener("toggle", () => details.firstElementChild.blur()); // so that keys turn slides again
  Reveal.on("ready", ({ currentSlide }) => drawCharts(currentSlide));
  Reveal.on("slidechanged", ({ currentSlide }) => drawCharts(currentSlide));
  Reveal.initialize({
    width: 1280,
    height: 720,
    margin: 0,
    maxScale: 4,
    center: false,
    hash: true,
    controls: false,
    slideNumber: "c/t",
    navigationMode: "linear",
    transition: "none",
    defaultTiming: 0, // with it, the speaker's view shows how a slide's minutes run out
    plugins: [RevealNotes],
  });
}

start();
