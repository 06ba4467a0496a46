"""Examine an installation of the course: what is right, what is not, and what to do about it."""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from course_tools.installed import is_clone, reinstall

GIGABYTE = 1e9
PROJECT = "course-lib"


@dataclass(frozen=True)
class Check:
    """One thing that was examined.

    Args:
        name: what was examined.
        status: "ok"; "warn" where the course works all the same; "fail" where it does not.
        found: what was found, in words.
        advice: what to do; "" where nothing is to be done.
    """

    name: str
    status: Literal["ok", "warn", "fail"]
    found: str
    advice: str = ""

    def __str__(self) -> str:
        """One line for people, and a second one with the advice."""
        line = f"{self.status:4}  {self.name}: {self.found}"
        return f"{line}\n      → {self.advice}" if self.advice else line


def examine() -> list[Check]:
    """Examine everything that the course needs, in the order in which it is needed."""
    examinations = [python(), *packages(), device(), *data(), *checkpoints(), kernel(), *front_ends()]
    return [*examinations, memory(), space(Path.cwd()), browser(), *sandbox()]


def python(version: tuple[int, ...] = sys.version_info[:3]) -> Check:
    """Whether this Python is new enough."""
    found = ".".join(map(str, version))
    if version < (3, 11):
        return Check(
            "Python", "fail", f"{found}, 3.11 or newer is needed", "Run `make PYTHON=python3.12 course`."
        )
    return Check("Python", "ok", found)


def requirements(*extras: str) -> Iterator[Requirement]:
    """What this package asks of others, with these extras chosen."""
    for line in importlib.metadata.requires(PROJECT) or []:
        requirement = Requirement(line)
        if requirement.marker is None or any(
            requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            if requirement.name == PROJECT:  # an extra that holds others
                yield from (inner for inner in requirements(*requirement.extras) if inner.marker is not None)
            else:
                yield requirement


def packages() -> list[Check]:
    """Whether each package of the course is there in a version that it was made for."""
    needed = {requirement.name for requirement in requirements("notebook")}
    wanted = list(requirements("course"))
    wrong = [
        check if requirement.name in needed else replace(check, status="warn")
        for requirement in wanted
        if (check := package(requirement)).status != "ok"
    ]
    return wrong or [Check("Packages", "ok", f"all {len(wanted)} in range")]


def package(requirement: Requirement) -> Check:
    """Whether one package is there in a version in range."""
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return Check(requirement.name, "fail", "not installed", reinstall())
    if not requirement.specifier.contains(version, prereleases=True):
        return Check(requirement.name, "fail", f"{version}, {requirement.specifier} is needed", reinstall())
    return Check(requirement.name, "ok", version)


def device() -> Check:
    """What torch computes on."""
    try:
        import torch
    except (ImportError, OSError) as error:
        return Check("torch", "fail", f"cannot be imported: {error}", reinstall())
    if torch.cuda.is_available():
        where = torch.cuda.get_device_name()
    else:
        where = (
            "Apple GPU (MPS)"
            if torch.backends.mps.is_available()
            else "CPU, which is all that the course needs"
        )
    return Check("torch", "ok", f"{torch.__version__} on {where}")


def data() -> list[Check]:
    """Whether each packaged data file is the one that the course was tested with."""
    from course_lib.data import verify_all

    files = verify_all()
    if not files:
        return [Check("Data", "fail", "no data set is there", restore("course_lib/data"))]
    wrong = [
        Check(f"Data {name}", "fail", problem, restore(f"course_lib/data/{name}"))
        for name, problem in files.items()
        if problem
    ]
    return wrong or [Check("Data", "ok", f"{len(files)} files, all checksums right")]


def checkpoints(folder: Path | None = None) -> list[Check]:
    """Whether each shipped model is there, loads, and holds finite numbers only.

    Args:
        folder: where the checkpoints lie; None for those that ship with the course.
    """
    import torch

    from course_lib.applications.shipped import SHIPPED
    from course_lib.checkpoints import FOLDER, read_checkpoint

    wrong = []
    for name, load in SHIPPED.items():
        path = (folder or FOLDER) / name
        advice = f"{restore(f'course_lib/checkpoints/{name}')} Or make it: `course train {path.stem} --ship`."
        try:
            load(path)
            weights = read_checkpoint(path)[1] if path.suffix == ".safetensors" else {}
        except (RuntimeError, OSError, ValueError, KeyError, TypeError) as error:
            wrong.append(Check(f"Model {path.stem}", "fail", str(error), advice))
            continue
        broken = [key for key, weight in weights.items() if not torch.isfinite(weight).all()]
        if broken:
            wrong.append(Check(f"Model {path.stem}", "fail", f"{broken[0]} is not finite", advice))
    return wrong or [Check("Models", "ok", f"{len(SHIPPED)}, all load")]


def restore(file: str) -> str:
    """What brings a file of the course back, as a sentence."""
    if is_clone():
        return f"In the clone, restore it: `git checkout -- {file}`."
    return "Install the course's wheel again: `pip install --force-reinstall --no-deps FILE.whl`."


def kernel() -> Check:
    """Whether notebooks run on this Python."""
    if in_a_notebook():
        return Check("Kernel", "ok", "this notebook runs on it")
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
        from jupyter_client.manager import KernelManager
    except ImportError:
        return Check("Kernel", "warn", "Jupyter is not installed here", reinstall())
    try:
        command = KernelManager(kernel_name="python3").format_kernel_cmd()[0]
    except NoSuchKernel:
        return Check("Kernel", "fail", "no python3 kernel", "Run `python -m ipykernel install --sys-prefix`.")
    if not same_environment(command):
        found = f"notebooks would run on {command}, not on {sys.executable}"
        return Check(
            "Kernel", "fail", found, before_others(Path(KernelSpecManager().find_kernel_specs()["python3"]))
        )
    return Check("Kernel", "ok", "notebooks run on this Python")


def in_a_notebook() -> bool:
    """Whether this is a kernel, which somebody has opened a notebook with."""
    return (
        "ipykernel.kernelapp" in sys.modules and sys.modules["ipykernel.kernelapp"].IPKernelApp.initialized()
    )


def same_environment(command: str) -> bool:
    """Whether a command starts a Python of this environment, however its path is spelled."""
    try:
        run = [command, "-c", "import sys; print(sys.prefix)"]
        prefix = subprocess.run(run, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
        return os.path.samefile(prefix, sys.prefix)
    except (OSError, subprocess.SubprocessError):
        return False


def before_others(folder: Path) -> str:
    """What lets this environment's kernel be found before the one in `folder`, as a sentence."""
    if folder.is_relative_to(sys.prefix):
        return "Run `python -m ipykernel install --sys-prefix` in the course's environment."
    for entry in filter(None, os.environ.get("JUPYTER_PATH", "").split(os.pathsep)):
        if folder.is_relative_to(entry):
            return f"Take {entry} out of the variable JUPYTER_PATH: what it holds comes before all else."
    return f"Set the variable JUPYTER_PREFER_ENV_PATH to 1, or remove {folder}, which is found first."


def front_ends() -> list[Check]:
    """Whether JupyterLab finds the browser's half of the widgets."""
    if not opened_here():
        return [Check("Widgets", "ok", "another server opens the notebooks; what it shows is its own")]
    return [
        front_end("@jupyter-widgets/jupyterlab-manager", "ipywidgets"),
        front_end("anywidget", "anywidget"),
    ]


def opened_here() -> bool:
    """Whether it is this environment's JupyterLab that opens notebooks: not VS Code, a hub or Colab.

    In a notebook that is asked of the process which started it; where it cannot be known, it is taken for so.
    """
    import psutil

    if importlib.util.find_spec("jupyterlab") is None:
        return False
    if not in_a_notebook():
        return True
    if "VSCODE_PID" in os.environ:
        return False
    try:
        server = psutil.Process(int(os.environ["JPY_PARENT_PID"])).cmdline()[0]
        return os.path.samefile(os.path.dirname(server), os.path.dirname(sys.executable))
    except (KeyError, ValueError, IndexError, OSError, psutil.Error):
        return True


def front_end(extension: str, package: str) -> Check:
    """Whether one JupyterLab extension lies where this environment's JupyterLab looks first."""
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return Check(f"Widgets, {package}", "fail", "Jupyter is not installed", reinstall())
    descriptions = [Path(folder, extension, "package.json") for folder in jupyter_path("labextensions")]
    found = next((path for path in descriptions if path.exists()), None)
    if found is None:
        advice = f"Run `pip install --force-reinstall --no-deps {package}` and reload JupyterLab."
        return Check(f"Widgets, {package}", "fail", f"JupyterLab does not find {extension}", advice)
    version = json.loads(found.read_text(encoding="utf8"))["version"]
    if not found.resolve().is_relative_to(Path(sys.prefix).resolve()):
        advice = f"Remove {found.parent}, or install the course into a fresh environment."
        return Check(f"Widgets, {package}", "warn", f"{version} comes from outside this environment", advice)
    return Check(f"Widgets, {package}", "ok", f"front end {version}")


def memory() -> Check:
    """Whether a lecture fits into the free memory."""
    import psutil

    free = psutil.virtual_memory().available / GIGABYTE
    if free < 2:
        return Check(
            "Memory", "warn", f"{free:.1f} GB free", "Close other programs: a lecture needs about 2 GB."
        )
    return Check("Memory", "ok", f"{free:.1f} GB free")


def space(folder: Path) -> Check:
    """Whether results of runs, submissions and feedback fit on the disk."""
    free = shutil.disk_usage(folder).free / GIGABYTE
    if free < 1:
        return Check(
            "Disk", "warn", f"{free:.1f} GB free", f"Make room on the disk of {folder}: 1 GB is advised."
        )
    return Check("Disk", "ok", f"{free:.1f} GB free")


def browser() -> Check:
    """Whether the browser tests can run; nothing else needs this."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((path for name in names if (path := shutil.which(name))), None)
    if path is None:
        advice = "Only the browser tests need it. Debian: `sudo apt install chromium fonts-dejavu-core`."
        return Check("Chromium", "warn", "not found", advice)
    return Check("Chromium", "ok", path)


def sandbox() -> list[Check]:
    """Whether students' code can be run apart from all else; only graders need that and have it."""
    if importlib.util.find_spec("course_tools.sandbox") is None:
        return []
    from course_tools.sandbox.walls import Bubblewrap

    wall = Bubblewrap()
    if problem := wall.problem():
        advice = "Only `course grade` needs it: it does not run students' code before that is put right."
        return [Check("Sandbox", "warn", problem, advice)]
    return [Check("Sandbox", "ok", f"bubblewrap works; {wall.limits()}")]
