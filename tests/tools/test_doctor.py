import importlib.metadata
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import torch
from packaging.requirements import Requirement
from safetensors import safe_open
from safetensors.torch import save_file

from course_lib.applications.shipped import SHIPPED
from course_lib.checkpoints import FOLDER
from course_tools import doctor
from course_tools.doctor import Check


def test_a_python_that_is_too_old_fails() -> None:
    assert doctor.python((3, 10, 9)).status == "fail"
    assert doctor.python((3, 11, 0)).status == "ok"
    assert "3.11" in doctor.python((3, 10, 9)).found


def test_packages_are_compared_with_what_the_project_asks() -> None:
    asked = {requirement.name for requirement in doctor.requirements("course")}
    assert {"torch", "numpy", "jupyterlab", "anywidget"} <= asked
    assert "pytest" not in asked
    assert "pytest" in {requirement.name for requirement in doctor.requirements("dev")}
    assert doctor.packages()[0].status == "ok"


def test_a_package_out_of_range_or_missing_fails_with_advice() -> None:
    version = importlib.metadata.version("numpy")
    wrong = doctor.package(Requirement("numpy<1"))
    assert (wrong.status, wrong.found) == ("fail", f"{version}, <1 is needed")
    missing = doctor.package(Requirement("no-such-package-here"))
    assert (missing.status, missing.found) == ("fail", "not installed")
    assert "pip install" in wrong.advice and "pip install" in missing.advice


def test_damaged_data_fails_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"set/train.tsv.xz": "", "set/test.tsv.xz": "is damaged: expected sha256 aa, found bb"}
    monkeypatch.setattr("course_lib.data.verify_all", lambda: files)
    (check,) = doctor.data()
    assert (check.status, check.name) == ("fail", "Data set/test.tsv.xz")
    assert "expected sha256 aa, found bb" in check.found


def test_shipped_data_and_models_are_whole() -> None:
    assert [check.status for check in doctor.data() + doctor.checkpoints()] == ["ok", "ok"]


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """All shipped models, in a folder where they can be damaged."""
    for name in SHIPPED:
        shutil.copy(FOLDER / name, tmp_path)
    assert [check.status for check in doctor.checkpoints(tmp_path)] == ["ok"]
    return tmp_path


def test_every_shipped_model_that_is_missing_is_named(tmp_path: Path) -> None:
    checks = doctor.checkpoints(tmp_path)
    assert [check.name for check in checks] == [f"Model {Path(name).stem}" for name in SHIPPED]
    assert all(check.status == "fail" and "course train" in check.advice for check in checks)


def cut_off(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])


def test_every_shipped_model_that_is_cut_off_is_named(copies: Path) -> None:
    for name in SHIPPED:
        cut_off(copies / name)
    checks = doctor.checkpoints(copies)
    assert [check.name for check in checks] == [f"Model {Path(name).stem}" for name in SHIPPED]
    assert all(check.status == "fail" for check in checks)


@pytest.mark.parametrize("name", ["translator_cho.safetensors", "tatoeba_eng_fra_more_bpe.json"])
def test_only_the_model_that_is_cut_off_is_named(copies: Path, name: str) -> None:
    cut_off(copies / name)
    (check,) = doctor.checkpoints(copies)
    assert (check.status, check.name) == ("fail", f"Model {Path(name).stem}")


def test_another_model_in_the_place_of_one_is_named(copies: Path) -> None:
    shutil.copy(copies / "translator_cho.safetensors", copies / "word_vectors.safetensors")
    shutil.copy(copies / "translator_cho.safetensors", copies / "count_gru_ab.safetensors")
    save_file({"weight": torch.ones(2)}, copies / "translator_cho.safetensors")
    named = {check.name for check in doctor.checkpoints(copies)}
    assert named == {"Model word_vectors", "Model count_gru_ab", "Model translator_cho"}


@pytest.mark.parametrize("name", ["translator_bahdanau.safetensors", "character_lm.safetensors"])
def test_a_model_with_a_number_that_is_not_finite_fails(copies: Path, name: str) -> None:
    with safe_open(copies / name, framework="pt") as file:
        weights, metadata = {key: file.get_tensor(key) for key in file.keys()}, file.metadata()  # noqa: SIM118
    numbers = next(weight for weight in weights.values() if weight.is_floating_point())
    numbers.view(-1)[0] = float("inf")
    save_file(weights, copies / name, metadata)
    (check,) = doctor.checkpoints(copies)
    assert check.status == "fail" and "is not finite" in check.found


def kernel_of(folder: Path, python: str) -> Path:
    """A python3 kernel that starts `python`, in a folder that Jupyter looks in."""
    kernel = folder / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    described = {"argv": command, "display_name": "Python", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(described))
    return folder


def another_python(folder: Path) -> str:
    """A program that says that it belongs to another environment."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\necho {folder}\n")
    program.chmod(0o755)
    return str(program)


def test_a_kernel_of_another_python_fails_and_the_cure_cures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    assert doctor.kernel().status == "ok"
    program = another_python(tmp_path)
    monkeypatch.setenv("JUPYTER_PATH", str(kernel_of(tmp_path / "shared", program)))
    wrong = doctor.kernel()
    assert wrong.status == "fail" and program in wrong.found
    assert f"{tmp_path / 'shared'} out of the variable JUPYTER_PATH" in wrong.advice
    monkeypatch.delenv("JUPYTER_PATH")

    # The user's own kernels come first where Jupyter sees no virtual environment.
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(kernel_of(tmp_path / "own", program)))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    wrong = doctor.kernel()
    assert wrong.status == "fail" and str(tmp_path / "own") in wrong.advice
    assert "JUPYTER_PREFER_ENV_PATH to 1" in wrong.advice
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    assert doctor.kernel().status == "ok"


def test_the_environments_own_kernel_is_written_anew() -> None:
    own = Path(sys.prefix, "share", "jupyter", "kernels", "python3")
    assert "--sys-prefix" in doctor.before_others(own)


def test_a_python_is_known_however_its_path_is_spelled(tmp_path: Path) -> None:
    (tmp_path / "env").symlink_to(sys.prefix, target_is_directory=True)
    folder = Path(sys.executable).parent
    spellings = [folder / "python", folder / "python3", folder / ".." / folder.name / "python"]
    spellings.append(tmp_path / "env" / folder.name / "python3")
    assert all(doctor.same_environment(str(path)) for path in spellings)
    assert not doctor.same_environment(another_python(tmp_path))
    assert not doctor.same_environment(str(tmp_path / "nothing"))


def test_in_a_notebook_of_another_server_nothing_is_asked_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *parts: [])
    monkeypatch.delenv("VSCODE_PID", raising=False)
    assert [check.status for check in doctor.front_ends()] == ["fail", "fail"]
    monkeypatch.setattr(doctor, "in_a_notebook", lambda: True)
    monkeypatch.setattr(doctor, "same_environment", lambda command: False)
    monkeypatch.setenv("JPY_PARENT_PID", "1")  # the system's first process is no JupyterLab of ours
    assert [check.status for check in (doctor.kernel(), *doctor.front_ends())] == ["ok", "ok"]
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    assert [check.status for check in doctor.front_ends()] == ["fail", "fail"]
    monkeypatch.setenv("VSCODE_PID", "1")
    assert [check.status for check in doctor.front_ends()] == ["ok"]


def test_what_only_the_command_needs_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [
        "numpy>=2",
        'plotly<1; extra == "notebook"',
        'course-lib[notebook]; extra == "course"',
        'nbgrader<0; extra == "course"',
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: asked)
    assert [str(wanted.name) for wanted in doctor.requirements("course")] == ["numpy", "plotly", "nbgrader"]
    assert {check.name: check.status for check in doctor.packages()} == {"plotly": "fail", "nbgrader": "warn"}


def test_front_ends_are_looked_for_where_jupyterlab_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [check.status for check in doctor.front_ends()] == ["ok", "ok"]
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *parts: [str(tmp_path)])
    assert doctor.front_end("anywidget", "anywidget").status == "fail"
    (tmp_path / "anywidget").mkdir()
    (tmp_path / "anywidget" / "package.json").write_text('{"version": "0.1.0"}')
    outside = doctor.front_end("anywidget", "anywidget")
    assert (outside.status, outside.found[:5]) == ("warn", "0.1.0")


def test_little_room_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.space(tmp_path).status in ("ok", "warn")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 0.4e9}))
    assert doctor.space(tmp_path).status == "warn"
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"available": 0.5e9}))
    assert doctor.memory().found == "0.5 GB free"
    assert doctor.memory().status == "warn"


def test_no_browser_is_only_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: "/opt/chrome" if name == "google-chrome" else None)
    assert doctor.browser().found == "/opt/chrome"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert doctor.browser().status == "warn"


def test_a_check_reads_as_one_line_and_its_advice_as_a_second() -> None:
    assert str(Check("Disk", "ok", "5 GB free")) == "ok    Disk: 5 GB free"
    assert str(Check("Disk", "warn", "0 GB free", "Make room.")).splitlines()[1].strip() == "→ Make room."


def test_a_machine_without_bubblewrap_grades_nothing_and_students_are_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    (check,) = doctor.sandbox()
    assert check.status == "warn" and "apt install bubblewrap" in check.found
    assert "does not run students' code" in check.advice
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert doctor.sandbox() == []
