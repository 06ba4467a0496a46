"""How long a reader waits for the attention heatmap, in an exported page and in JupyterLab."""

from __future__ import annotations

import datetime
import os
import platform
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
import numpy as np

from course_lib.registers import Result
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap

PATIENCE = 120_000  # milliseconds
TARGET = 100.0  # milliseconds that a reader may wait
SIZES = ((6, 8, 32), (6, 8, 128), (2, 2, 512))
KEYS = {"head": "h", "layer": "l", "step": "ArrowDown"}
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# From the key until the browser has painted the frame that the key changed.
_WAIT = """async ([key, times]) => {
    const canvas = document.querySelector(".course-widget canvas[role=application]");
    const shown = () => document.querySelector(".course-widget [role=status]").textContent;
    const once = () => new Promise((done) => {
        const before = shown();
        const start = performance.now();
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        requestAnimationFrame(() => setTimeout(() => done([performance.now() - start, shown() !== before])));
    });
    const all = [];
    for (let i = 0; i < times; i++) {
        all.push(await once());
        await new Promise((rest) => setTimeout(rest, 400));
    }
    return all;
}"""


@dataclass(frozen=True)
class Switch:
    """One kind of switch, made several times.

    Args:
        what: "head", "layer" or "step".
        size: (layers, heads, tokens).
        where: "exported page" or "JupyterLab".
        milliseconds: each wait, from the key to the painted frame.
        work: processor time of the page's main thread for one switch, in milliseconds; what else the machine
            does changes it little.
        load: load average of the machine over the last minute.
    """

    what: str
    size: tuple[int, int, int]
    where: str
    milliseconds: tuple[float, ...]
    work: float
    load: float

    @property
    def met(self) -> bool:
        """Whether the median wait is short enough."""
        return median(self.milliseconds) <= TARGET

    def __str__(self) -> str:
        layers, heads, tokens = self.size
        return (
            f"switching {self.what}, {layers} layers × {heads} heads × {tokens} tokens, {self.where}: "
            f"median {median(self.milliseconds):.0f} ms, longest {max(self.milliseconds):.0f} ms "
            f"(of {len(self.milliseconds)}; {self.work:.0f} ms of work; load {self.load:.1f}), "
            f"target {TARGET:.0f} ms {'met' if self.met else 'missed'}"
        )


def switch_result(switch: Switch) -> Result:
    """Return what the register keeps of a kind of switch: the median wait."""
    layers, heads, tokens = switch.size
    place = "lab" if switch.where == "JupyterLab" else "page"
    return Result(
        id=f"wait-heatmap-{switch.what}-{tokens}-{place}",
        experiment="speed",
        metric=f"attention heatmap, {layers} layers, {heads} heads, {tokens} tokens, {switch.where}: ms from "
        f"the key for another {switch.what} to the painted frame, median of {len(switch.milliseconds)}",
        value=round(median(switch.milliseconds), 1),
        spread=round(stdev(switch.milliseconds), 1),
        published=None,
        published_source="",
        seed=0,
        hardware=f"{platform.machine()}, two cores, headless Chromium, load average {switch.load:.1f}",
        date=datetime.date.today().isoformat(),
        command="course bench --widgets --ship",
    )


def heatmap_switching(repeats: int = 24) -> list[Switch]:
    """Measure how long the heatmap takes to show another head, layer or step; some minutes.

    Args:
        repeats: how often each switch is made.

    Raises:
        RuntimeError: playwright or Chromium is missing, JupyterLab does not start, or a key changes nothing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise RuntimeError("measuring widgets needs the package playwright") from None
    program = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        raise RuntimeError(f"measuring widgets needs a browser on the path: one of {', '.join(_CHROMIUM)}")
    switches = []
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        with _lab(folder) as address:
            for size in SIZES:
                page = chromium.new_page(viewport={"width": 1400, "height": 1000})
                page.set_default_timeout(PATIENCE)
                page.goto(
                    AttentionHeatmap(random_attention(*size)).export_html(folder / "page.html").as_uri()
                )
                switches += _switch(page, size, "exported page", repeats)
                _open_in_lab(page, address, folder, size)
                switches += _switch(page, size, "JupyterLab", repeats)
                page.close()
        chromium.close()
    return switches


def random_attention(layers: int, heads: int, tokens: int) -> AttentionTrace:
    """Make self-attention of random scores, (layers, heads, tokens, tokens)."""
    scores = np.random.default_rng(0).normal(size=(layers, heads, tokens, tokens))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = tuple(f"w{i}" for i in range(tokens))
    return AttentionTrace(weights, names, names)


def _switch(page: Any, size: tuple[int, int, int], where: str, repeats: int) -> list[Switch]:
    page.locator(".course-widget canvas[role=application]").wait_for()
    page.wait_for_timeout(2000)  # the page itself is still being drawn
    switches = []
    counters = page.context.new_cdp_session(page)
    counters.send("Performance.enable", {"timeDomain": "threadTicks"})
    for what, key in KEYS.items():
        page.evaluate(_WAIT, [key, 3])  # the first ones don't count: their code is compiled
        before = _busy(counters)
        waits, changed = zip(*page.evaluate(_WAIT, [key, repeats]), strict=True)
        work = (_busy(counters) - before) / repeats
        if not all(changed):
            raise RuntimeError(
                f"switching {what} changed nothing in {changed.count(False)} of {repeats} cases"
            )
        switches.append(Switch(what, size, where, tuple(waits), work, os.getloadavg()[0]))
    return switches


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


def _open_in_lab(page: Any, address: str, folder: Path, size: tuple[int, int, int]) -> None:
    from playwright.sync_api import expect

    code = "from course_lib.benchmarks_widgets import AttentionHeatmap, random_attention\n"
    code += f"AttentionHeatmap(random_attention{size})"
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    content.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    name = f"switching{size[-1]}.ipynb"
    nbformat.write(content, folder / name)
    page.goto(address.format(name=name))
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    expect(page.locator("#jp-main-statusbar")).to_contain_text(re.compile("Idle"), timeout=PATIENCE)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile(r"^Run All Cells")).click()
