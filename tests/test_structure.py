"""The house: who may import whom is import-linter's (`make lint`); here is what its contracts cannot say."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]
CONTRACTS = {contract["name"]: contract for contract in PYPROJECT["importlinter"]["contracts"]}
IMPORT_EVERYTHING = """
import importlib, pkgutil, sys

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        name = arguments[0].replace("\\\\", "/")
        if "/course_lib/data/" in name or "/course_lib/checkpoints/" in name:
            if not name.endswith((".py", ".pyc")) and "__pycache__" not in name:
                print(name)

sys.addaudithook(watch)
for top in ("course_lib", "course_experiments", "course_tools"):
    for module in pkgutil.walk_packages(importlib.import_module(top).__path__, top + "."):
        importlib.import_module(module.name)
print("imported", len([name for name in sys.modules if name.startswith("course_")]))
"""


def packages(parent: str) -> set[str]:
    return {f"{parent}.{path.parent.name}" for path in (ROOT / parent).glob("*/__init__.py")}


def test_the_contract_of_the_checks_names_every_package_of_the_library() -> None:
    contract = CONTRACTS["What papers import for their checks imports nothing else of the course"]
    assert set(contract["forbidden_modules"]) == packages("course_lib") - {"course_lib.checks"}


def test_the_contracts_of_the_experiments_name_every_topic() -> None:
    topics = packages("course_experiments") - {"course_experiments.results"}
    assert set(CONTRACTS["Experiments of one topic know nothing of another topic's"]["modules"]) == topics
    layers = CONTRACTS["Experiments leave the register and the runner alone"]["layers"]
    assert set(layers[1].split(" : ")) == topics


def test_the_check_of_signatures_names_every_package_of_the_library() -> None:
    (packages_checked,) = re.findall(
        r"--jaxtyping-packages=(\S+)", PYPROJECT["pytest"]["ini_options"]["addopts"]
    )
    *checked, _ = packages_checked.split(",")
    assert set(checked) == packages("course_lib") - {"course_lib.checks"} | {"course_experiments"}


def test_no_module_reads_data_or_checkpoints_when_it_is_imported() -> None:
    # In a process of its own: here everything may have been imported long ago.
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_EVERYTHING], capture_output=True, text=True, check=True
    )
    (last,) = run.stdout.splitlines()
    assert int(last.removeprefix("imported ")) > 200
