"""A real JupyterLab in headless Chromium: one server and one browser for all browser tests.

`notebook("name", [code, …])` opens a new notebook, runs it, and returns its Playwright page;
`saved_notebook(path)` opens a finished one without running it; `exported(path)` opens a file;
`save(page, "SVG")` returns what a view saves. All that open a page fail at the end where the page logged
an error or asked for anything outside this machine.
"""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from course_lib.figures import Picture

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PATIENCE = 60_000  # milliseconds; the machine may be busy

if os.environ.get("CI") and find_spec("playwright") is None:
    raise pytest.UsageError("browser tests need the package playwright")


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import expect, sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        reason = "browser tests need Chromium on the path"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGS)
        # Pages of one context open in half the time, and JupyterLab's files are read once.
        yield chromium.new_context(viewport={"width": 1400, "height": 900})
        chromium.close()


@pytest.fixture(autouse=True)
def plain_pictures(monkeypatch):
    """A page holds its widget and a picture of it, which other tests look at: here a single pixel will do."""
    buffer = BytesIO()
    Image.new("L", (1, 1)).save(buffer, "PNG")
    monkeypatch.setattr(Picture, "of", lambda _, alt, dpi=110: Picture(buffer.getvalue(), alt))


@pytest.fixture
def published(monkeypatch):
    """The bundles of what is shown, as for a page without a kernel."""
    shown = []
    monkeypatch.setattr(
        "course_lib.figures.display.publish_display_data", lambda data, *_: shown.append(data)
    )
    monkeypatch.setenv("COURSE_WIDGETS", "page")
    return shown


@pytest.fixture(scope="session")
def lab(browser, warm_jupyter, tmp_path_factory):
    """Start JupyterLab on a free port with folders of its own; yield (address, token, root folder)."""
    home, root = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("root")
    settings = {  # no news over the notebook; every cell is drawn at once
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},
    }
    for name, value in settings.items():
        file = home / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(value))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    environment = {**os.environ, **{name: str(home / folder) for name, folder in folders.items()}}
    environment["JUPYTER_PATH"] = str(warm_jupyter)
    environment.pop("COURSE_WIDGETS", None)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token, address = secrets.token_hex(8), f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    command += [f"--ServerApp.root_dir={root}", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.expose_app_in_browser=True"]  # opens notebooks without loading all anew
    with (home / "lab.log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        try:
            _wait_for_server(server, f"{address}/api?token={token}", home / "lab.log")
            yield address, token, root
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


def _wait_for_server(server, url, log):
    end = time.time() + 90
    while True:
        try:
            urllib.request.urlopen(url, timeout=2).read()
            return
        except OSError:
            if server.poll() is not None or time.time() > end:
                raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}") from None
            time.sleep(0.2)


class Watch:
    """Notes what pages log as errors, and what they ask for outside this machine."""

    def __init__(self):
        self.errors, self.outside, self._heard = [], [], []

    def begin(self, page, allowed=None):
        """Watch a page; console errors that match the pattern `allowed` are expected."""

        def inside(url):
            return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:"))

        def note(text):
            if not (allowed and re.search(allowed, text)):
                self.errors.append(text)

        for event, hear in (
            ("request", lambda request: inside(request.url) or self.outside.append(request.url)),
            ("pageerror", lambda error: note(str(error))),
            ("console", lambda message: message.type == "error" and note(message.text)),
        ):
            page.on(event, hear)
            self._heard.append((page, event, hear))

    def end(self):
        """Watch no longer, and fail if there was anything."""
        while self._heard:
            page, event, hear = self._heard.pop()
            page.remove_listener(event, hear)
        assert self.outside == []
        assert self.errors == []


@pytest.fixture
def watch():
    watch = Watch()
    yield watch
    watch.end()


@pytest.fixture
def watched(browser, watch):
    """Open pages that may log no error and ask for nothing outside this machine."""
    before = browser.pages

    def open_page(allowed=None):
        """Open a page; console errors that match the pattern `allowed` are expected."""
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        watch.begin(page, allowed)
        return page

    yield open_page
    for page in browser.pages:  # those that pages opened, too
        if page not in before:
            page.close()


@pytest.fixture
def exported(watched):
    """Open a file in a page of its own: exported("/tmp/page.html") -> page."""

    def open_file(path):
        page = watched()
        page.goto(Path(path).resolve().as_uri())
        if page.locator("main#widget").count():
            # The page is loaded before its module has drawn the widget.
            page.locator("#widget .course-widget").wait_for(state="attached")
        return page

    return open_file


@pytest.fixture
def save():
    """Let a view on a page save: `save(page, "SVG")` returns what is in the file."""

    def press(page, name):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save {name}").click()
        return download.value.path().read_bytes()

    return press


def _end_kernels(lab):
    for session in _api(lab, "sessions"):
        _api(lab, f"sessions/{session['id']}", "DELETE")


@pytest.fixture(scope="session")
def desk(browser, lab):
    """Give a page with JupyterLab and nothing open in it; to load it takes longer than most tests."""
    address, token, _ = lab
    pages = []

    def clear():
        if not pages or pages[-1].is_closed():
            pages.append(browser.new_page())
            pages[-1].set_default_timeout(PATIENCE)
            pages[-1].goto(f"{address}/lab?token={token}&reset")
            pages[-1].wait_for_function("() => window.jupyterapp")
            pages[-1].evaluate("() => jupyterapp.restored")
        pages[-1].evaluate("""() => {
            for (const widget of [...jupyterapp.shell.widgets("main")]) widget.dispose();
            document.body.removeAttribute("style");
        }""")
        return pages[-1]

    return clear


@pytest.fixture
def notebook(lab, desk, watch):
    """Run code in a new notebook: notebook("name", ["x = 1", "x"]) -> page.

    wait=False returns while the cells run; listen is called with the page before it opens the notebook.
    """
    _, _, root = lab

    def open_notebook(name, cells, wait=True, listen=None):
        content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])
        content.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(content, root / f"{name}.ipynb")
        page = desk()
        watch.begin(page)
        if listen:
            listen(page)
        page.evaluate(
            """async (path) => {
                const how = { path, factory: "Notebook" };
                const opened = await jupyterapp.commands.execute("docmanager:open", how);
                await opened.context.ready;
                await opened.sessionContext.ready;
            }""",
            f"{name}.ipynb",
        )
        _ready(page)
        run_all(page, wait)
        return page

    yield open_notebook
    watch.end()
    desk()
    _end_kernels(lab)


@pytest.fixture
def saved_notebook(lab, watched):
    """Open a notebook that holds outputs, and run nothing: saved_notebook(path) -> page.

    A new kernel starts, which knows nothing of the outputs; with kernel=False none does.
    """
    _, _, root = lab

    def open_notebook(path, kernel=True):
        _end_kernels(lab)
        content = nbformat.read(path, as_version=4)
        if not kernel:
            content.metadata = {"kernelspec": {"name": "none", "display_name": "none", "language": "none"}}
        if not kernel or Path(path).parent != root:
            nbformat.write(content, root / Path(path).name)
        page = watched(allowed="model not found|widget model")
        _show(page, lab, Path(path).name, kernel)
        return page

    yield open_notebook
    _end_kernels(lab)


def _show(page, lab, name, kernel=True):
    address, token, _ = lab
    page.goto(f"{address}/lab/tree/{name}?token={token}&reset")
    if kernel:
        _ready(page)
    else:
        page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
        page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()


def _ready(page):
    from playwright.sync_api import expect

    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    # The toolbar says idle before there is a kernel, and a run would then be lost without a trace.
    expect(page.locator("#jp-main-statusbar")).to_contain_text(re.compile(r"Python 3.*\| Idle"))


def run_all(page, wait=True):
    """Run > Run All Cells; then wait until no cell shows [*]."""
    from playwright.sync_api import expect

    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile(r"^Run All Cells")).click()
    if wait:
        prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
        expect(prompts.filter(has_text=re.compile(r"\[( |\*)\]"))).to_have_count(0)


@pytest.fixture
def run_code():
    """Type code into the last cell, run it, and return the text of its output: run_code(page, "1 + 1")."""

    def run(page, code):
        from playwright.sync_api import expect

        cell = page.locator(".jp-CodeCell").last
        prompt = cell.locator(".jp-InputPrompt")
        before = prompt.inner_text()
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(code)
        page.keyboard.press("Control+Enter")
        expect(prompt).not_to_have_text(before)
        expect(prompt).to_have_text(re.compile(r"\[\d+\]"))
        return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())

    return run


def _api(lab, path, method="GET"):
    address, token, _ = lab
    request = urllib.request.Request(f"{address}/api/{path}?token={token}", method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        body = answer.read()
    return json.loads(body) if body else None
