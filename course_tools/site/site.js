// What a page of the site needs beside HTML: charts where they come into sight, widgets in full, the speaker's notes.

function drawChart(chart) {
  const { data, layout } = JSON.parse(chart.firstElementChild.textContent);
  const height = layout.height ?? 450;
  chart.style.height = `${height}px`;
  Plotly.newPlot(chart, data, { ...layout, height, autosize: true }, { displayModeBar: false, responsive: true });
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    drawChart(target);
  }
}, { rootMargin: "400px" });
document.querySelectorAll(".chart").forEach((chart) => seen.observe(chart));

function showInFull(frame) {
  const { body } = frame.contentDocument;
  new ResizeObserver(() => (frame.style.height = `${body.offsetHeight}px`)).observe(body);
}
for (const frame of document.querySelectorAll("iframe")) {
  frame.addEventListener("load", () => showInFull(frame));
  if (frame.contentDocument.querySelector("#widget")) showInFull(frame); // it is already there
}

const notes = document.getElementById("notes");
notes?.addEventListener("change", () => document.body.classList.toggle("with-notes", notes.checked));
