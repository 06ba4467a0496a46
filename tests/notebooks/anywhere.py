"""Whether the lectures' claims hold with room: on a plain processor, with other threads and other seeds.

`make test-anywhere` runs all lectures; `python tests/notebooks/anywhere.py 05 16b` runs some.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
from claims import Claim, with_margins
from nbformat.v4 import new_code_cell

HERE = Path(__file__).parent
LECTURES = sorted(HERE.parents[1].glob("notebooks/*.ipynb"))
PRESET = os.environ.get("PRESET", "smoke")
SETTINGS = ({"SEED": 0, "THREADS": 2}, *({"SEED": seed, "THREADS": 1} for seed in range(4)))
LEAST, LEAST_OF_ROUNDING = 0.05, 0.5  # of the larger side; a bound of a thousandth or less is for rounding


def run(lecture: Path, setting: dict[str, int]) -> list[Claim]:
    """Run a lecture and return what it claimed; an error is a claim that fails."""
    os.environ |= {"ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": str(setting["THREADS"])}
    os.environ["COURSE_WIDGETS"] = "live"  # a claim needs no pictures
    notebook = nbformat.read(lecture, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = with_margins(cell.source)
    start = new_code_cell(f"import sys\nsys.path.append({str(HERE)!r})\nimport claims")
    notebook.cells = [start, *notebook.cells, new_code_cell("claims.report()")]
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "in.ipynb"), Path(folder, "out.ipynb")
        nbformat.write(notebook, source)
        try:
            done = papermill.execute_notebook(
                source,
                result,
                {"PRESET": PRESET, **setting},
                cwd=lecture.parent,
                progress_bar=False,
                request_save_on_cell_execute=False,
                shutdown_kernel="immediate",
                extra_arguments=["--IPKernelApp.log_level=ERROR"],
            )
        except papermill.PapermillExecutionError as error:
            return [Claim(f"the lecture runs ({error.ename}: {error.evalue})", False)]
    return [Claim(**claim) for claim in json.loads(done.cells[-1].outputs[0].text)]


@dataclass(frozen=True)
class Finding:
    """A claim in the setting where it came closest to failing."""

    lecture: str
    setting: dict[str, int]
    claim: Claim

    @property
    def rank(self) -> float:
        """Its margin; below all margins if it fails, above all if it has none."""
        if not self.claim.holds:
            return -1.0
        return 2.0 if self.claim.margin is None else self.claim.margin

    def __str__(self) -> str:
        margin = "fails" if not self.claim.holds else f"{self.claim.margin:.1%}"
        sides = "" if self.claim.left is None else f"{self.claim.left:.6g} and {self.claim.right:.6g}; "
        setting = " ".join(f"{name} {value}" for name, value in self.setting.items())
        return f"{margin:>7}  {self.lecture}  {self.claim.text}  ({sides}{setting})"


def tightest(findings: Iterable[Finding]) -> list[Finding]:
    """Of each claim the setting in which it is closest to failing, worst claim first."""
    worst: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = finding.lecture, finding.claim.text
        worst[key] = min(worst.get(key, finding), finding, key=lambda one: one.rank)
    return sorted(worst.values(), key=lambda one: one.rank)


def everywhere(lectures: list[Path]) -> Iterator[Finding]:
    """Run the lectures in all settings; two threads get the machine for themselves."""
    for threads in sorted({setting["THREADS"] for setting in SETTINGS}):
        runs = [(path, setting) for path in lectures for setting in SETTINGS if setting["THREADS"] == threads]
        with ProcessPoolExecutor(max(1, (os.cpu_count() or 1) // threads)) as pool:
            for (path, setting), claims in zip(runs, pool.map(run, *zip(*runs, strict=True)), strict=True):
                yield from (Finding(path.stem, setting, claim) for claim in claims)
                print(f"{path.stem} with {setting}", file=sys.stderr)


def least(claim: Claim) -> float:
    """The least margin: half, where the bound is there for rounding errors, which differ between machines."""
    if claim.left is None or claim.right is None:
        return 0.0
    return LEAST_OF_ROUNDING if max(abs(claim.left), abs(claim.right)) <= 1e-3 else LEAST


def main(names: list[str]) -> int:
    """Print every claim with its margin, worst first; return 1 if one fails or has too little room."""
    numbers = {path.stem.split("_")[0]: path for path in LECTURES}
    if unknown := [name for name in names if name not in numbers]:
        sys.exit(f"no lecture is called {', '.join(unknown)}; there are {', '.join(numbers)}")
    lectures = [numbers[name] for name in names or numbers]
    findings = tightest(everywhere(lectures))
    for finding in findings:
        if finding.rank <= 1:
            print(finding)
    short = sum(finding.rank < least(finding.claim) for finding in findings)
    print(f"{len(findings)} claims; {short} fail or have too little room")
    return int(short > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
