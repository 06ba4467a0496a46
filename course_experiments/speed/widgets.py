"""How long a reader waits for a widget, in an exported page and in JupyterLab."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, stdev
from tempfile import TemporaryDirectory
from typing import Any

import nbformat

from course_experiments.results import Measurement
from course_experiments.speed.widget_samples import SAMPLES, Act, Sample

PATIENCE = 120_000  # milliseconds
TARGET = 100.0  # milliseconds that a reader may wait
SMOOTH = 30.0  # frames a second
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# From what the reader does until the browser has painted what it changed.
_WAIT = """async ([selector, how, times]) => {
    const widget = document.querySelector(".course-widget");
    const shown = () =>
        widget.innerHTML + [...widget.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()).join();
    const keys = how.split(" ");
    let made = 0;
    const act = (target) => {
        if (how === "click") target.click();
        else if (how === "slide") {
            const last = target.value === target.max;
            target.value = last ? target.min : Number(target.value) + (Number(target.step) || 1);
            for (const name of ["input", "change"]) target.dispatchEvent(new Event(name, { bubbles: true }));
        } else {
            const pressed = { key: keys[made++ % keys.length], bubbles: true, cancelable: true };
            target.dispatchEvent(new KeyboardEvent("keydown", pressed));
        }
    };
    const once = () => new Promise((done) => {
        const before = shown();
        const target = widget.querySelector(selector);
        const start = performance.now();
        act(target);
        requestAnimationFrame(() => setTimeout(() => done([performance.now() - start, shown() !== before])));
    });
    const all = [];
    for (let i = 0; i < times; i++) {
        all.push(await once());
        await new Promise((rest) => setTimeout(rest, 200));
    }
    return all;
}"""

# Frames painted in three seconds of a film.
_FILM = """() => new Promise((done) => {
    let frames = 0;
    const start = performance.now();
    const count = () => {
        frames += 1;
        if (performance.now() - start < 3000) requestAnimationFrame(count);
        else done((1000 * frames) / (performance.now() - start));
    };
    requestAnimationFrame(count);
})"""


@dataclass(frozen=True)
class Film:
    """How fast a film is played.

    Args:
        sample: the widget.
        where: "exported page" or "JupyterLab".
        rate: frames a second; the browser paints at most 60.
        load: load average of the machine over the last minute.
    """

    sample: str
    where: str
    rate: float
    load: float

    @property
    def met(self) -> bool:
        """Whether the film runs smoothly."""
        return self.rate >= SMOOTH

    def __str__(self) -> str:
        return (
            f"{SAMPLES[self.sample].about}, film, {self.where}: {self.rate:.0f} frames a second "
            f"(load {self.load:.1f}), target {SMOOTH:.0f} {'met' if self.met else 'missed'}"
        )


def film_result(film: Film) -> Measurement:
    """Return what the register keeps of a film."""
    place = "lab" if film.where == "JupyterLab" else "page"
    return Measurement(
        id=f"film-{film.sample}-{place}",
        experiment="speed",
        metric=f"{SAMPLES[film.sample].about}, {film.where}: frames a second of the film; "
        f"load average {film.load:.1f}",
        value=film.rate,
    )


@dataclass(frozen=True)
class Wait:
    """One kind of change, made several times.

    Args:
        sample: the widget.
        what: what is changed, a name in the sample's `acts`.
        where: "exported page" or "JupyterLab".
        milliseconds: each wait, from what the reader does to the painted frame.
        work: processor time of the page's main thread for one change, in milliseconds.
        load: load average of the machine over the last minute.
    """

    sample: str
    what: str
    where: str
    milliseconds: tuple[float, ...]
    work: float
    load: float

    @property
    def met(self) -> bool:
        """Whether the median wait is short enough."""
        return median(self.milliseconds) <= TARGET

    def __str__(self) -> str:
        middle, longest = median(self.milliseconds), max(self.milliseconds)
        return (
            f"{SAMPLES[self.sample].about}, {self.what}, {self.where}: median {middle:.0f} ms, longest "
            f"{longest:.0f} ms (of {len(self.milliseconds)}; {self.work:.0f} ms of work; "
            f"load {self.load:.1f}), target {TARGET:.0f} ms {'met' if self.met else 'missed'}"
        )


def wait_result(wait: Wait) -> Measurement:
    """Return what the register keeps of a kind of change: the median wait."""
    place = "lab" if wait.where == "JupyterLab" else "page"
    return Measurement(
        id=f"wait-{wait.sample}-{wait.what.replace(' ', '-')}-{place}",
        experiment="speed",
        metric=f"{SAMPLES[wait.sample].about}, {wait.where}: ms until another {wait.what} is painted, median "
        f"of {len(wait.milliseconds)}; load average {wait.load:.1f}",
        value=median(wait.milliseconds),
        spread=stdev(wait.milliseconds),
    )


def widget_waits(repeats: int = 12) -> tuple[list[Wait], list[Film]]:
    """Measure how long widgets take to show another head, frame, step or node, and how films run; minutes.

    Args:
        repeats: how often each change is made.

    Raises:
        RuntimeError: playwright or Chromium is missing, JupyterLab does not start, or nothing changes.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise RuntimeError("measuring widgets needs the package playwright") from None
    program = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        raise RuntimeError(f"measuring widgets needs a browser on the path: one of {', '.join(_CHROMIUM)}")
    waits: list[Wait] = []
    films: list[Film] = []
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        with _lab(folder) as address:
            for sample in SAMPLES.values():
                page = chromium.new_page(viewport={"width": 1400, "height": 1000})
                page.set_default_timeout(PATIENCE)
                page.goto(sample.make().export_html(folder / "page.html").as_uri())
                for where in ("exported page", "JupyterLab"):
                    if where == "JupyterLab":
                        _open_in_lab(page, address, folder, sample)
                    waits += _wait(page, sample, where, repeats)
                    if sample.film:
                        page.locator(sample.film).click()
                        films.append(Film(sample.name, where, page.evaluate(_FILM), os.getloadavg()[0]))
                page.close()
        chromium.close()
    return waits, films


def _wait(page: Any, sample: Sample, where: str, repeats: int) -> list[Wait]:
    page.locator(".course-widget").wait_for()
    page.wait_for_timeout(2000)  # the page itself is still being drawn
    counters = page.context.new_cdp_session(page)
    counters.send("Performance.enable", {"timeDomain": "threadTicks"})
    return [
        _wait_for(page, counters, sample.name, what, act, where, repeats) for what, act in sample.acts.items()
    ]


def _wait_for(page: Any, counters: Any, sample: str, what: str, act: Act, where: str, repeats: int) -> Wait:
    page.evaluate(_WAIT, [*act, 4])  # the first ones don't count: their code is compiled
    before = _busy(counters)
    waits, changed = zip(*page.evaluate(_WAIT, [*act, repeats]), strict=True)
    work = (_busy(counters) - before) / repeats
    if not all(changed):
        failed = f"{changed.count(False)} of {repeats} cases"
        raise RuntimeError(f"{sample}, {where}: another {what} changed nothing in {failed}")
    return Wait(sample, what, where, tuple(waits), work, os.getloadavg()[0])


def _busy(counters: Any) -> float:
    """Return the milliseconds that the page's main thread has worked so far."""
    metrics = counters.send("Performance.getMetrics")["metrics"]
    return 1000 * next(float(entry["value"]) for entry in metrics if entry["name"] == "TaskDuration")


@contextmanager
def _lab(folder: Path) -> Iterator[str]:
    """Run JupyterLab with settings of its own; give an address with a place for the notebook's name."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token, address = secrets.token_hex(8), f"http://127.0.0.1:{port}"
    names = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    own = {f"JUPYTER_{name}": str(folder / name) for name in names}
    own["JUPYTERLAB_WORKSPACES_DIR"] = str(folder / "WORKSPACES_DIR")
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, stdout=quiet, stderr=quiet, env={**os.environ, **own})
    try:
        end = time.monotonic() + PATIENCE / 1000
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=2).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("JupyterLab did not start") from None
                time.sleep(0.2)
        yield f"{address}/lab/tree/{{name}}?token={token}&reset"
    finally:
        server.terminate()
        server.wait()


def _open_in_lab(page: Any, address: str, folder: Path, sample: Sample) -> None:
    from playwright.sync_api import expect

    code = f"from course_experiments.speed.widget_samples import SAMPLES\nSAMPLES[{sample.name!r}].make()"
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    content.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    name = f"{sample.name}.ipynb"
    nbformat.write(content, folder / name)
    page.goto(address.format(name=name))
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    expect(page.locator("#jp-main-statusbar")).to_contain_text(re.compile("Idle"), timeout=PATIENCE)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile(r"^Run All Cells")).click()
