import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import nbformat
import pytest
from click.testing import CliRunner, Result
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_experiments.results import load_results
from course_experiments.speed.harness import Benchmark, timed
from course_tools import cli
from course_tools.syllabus import load_syllabus


@pytest.fixture
def course() -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(cli.main, arguments)


@pytest.fixture
def small_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of three tiny lectures, in a folder that is no pattern and no URL; the command runs in it."""
    tmp_path /= "c [2026] {a}#%20"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    sources = {
        "00_start_here": "assert PRESET == 'smoke'",
        "11_attention": "pass",
        "12_broken": "raise ValueError('no such thing')",
    }
    for name, source in sources.items():
        parameters = new_code_cell('PRESET = "lecture"', metadata={"tags": ["parameters"]})
        notebook = new_notebook(cells=[parameters, new_code_cell(source)], metadata=kernel)
        (tmp_path / "notebooks").mkdir(exist_ok=True, parents=True)
        nbformat.write(notebook, tmp_path / "notebooks" / f"{name}.ipynb")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def says_in_one_line(result: Result, *parts: str) -> bool:
    assert isinstance(result.exception, SystemExit) and "Traceback" not in result.output
    errors = [line for line in result.output.splitlines() if line.startswith("Error: ")]
    return result.exit_code == 2 and len(errors) == 1 and all(part in errors[0] for part in parts)


def test_help_names_every_command_that_the_design_asks_for(course: Callable[..., Result]) -> None:
    text = course("--help").output
    commands = (
        "lab, run, slides, site, train, release, grade, feedback, doctor, syllabus, where, results, bench"
    )
    for name in commands.split(", "):
        assert re.search(rf"^  {name} ", text, re.M)
        assert course(name, "--help").exit_code == 0


def test_syllabus_prints_all_76_rows(course: Callable[..., Result]) -> None:
    lines = course("syllabus").output.splitlines()
    ids = [line.split()[0] for line in lines if re.match(r"[A-Z]\d+ ", line)]
    assert ids == [row.id for row in load_syllabus()]
    assert len(ids) == 76
    assert lines[-1].startswith("76 rows, ")
    assert len({line.index(" R P L E N") for line in lines if line.endswith(" R P L E N")}) == 1


def test_syllabus_as_json_says_what_is_missing(course: Callable[..., Result]) -> None:
    rows = json.loads(course("syllabus", "--part", "2", "--json").output)
    assert [row["id"] for row in rows] == ["D1", "D2", "D3", "D4", "D5"]
    assert "R" in rows[3]["missing"] or rows[3]["code"]
    assert says_in_one_line(course("syllabus", "--part", "8"), "0<=x<=7")


def test_where_answers_with_the_row(course: Callable[..., Result]) -> None:
    assert course("where", "beam search").output.startswith("D2  Beam search\n")
    assert course("where", "beam", "search").output == course("where", "beam search").output
    assert json.loads(course("where", "bahdanau", "--json").output)[0]["id"] == "A1"
    assert says_in_one_line(course("where", "xyzzy"), "'xyzzy'", "course syllabus")
    assert says_in_one_line(course("where"), "WORDS")


def test_results_are_shown_as_text_json_and_markdown(course: Callable[..., Result]) -> None:
    entries = load_results()
    assert [entry["id"] for entry in json.loads(course("results", "--json").output)] == [
        e.id for e in entries
    ]
    text, markdown = course("results").output, course("results", "--markdown").output
    assert all(entry.metric in text and entry.command in markdown for entry in entries)


def test_docs_draws_what_is_out_of_date_and_names_the_page(
    course: Callable[..., Result], small_course: Path
) -> None:
    readme, page = small_course / "README.md", small_course / "docs" / "syllabus.md"
    page.parent.mkdir()
    readme.write_text("Nothing is drawn here.\n")
    page.write_text("<!-- drawn: syllabus -->\nold\n<!-- end of drawn -->\n")
    assert course("docs").output == "docs/syllabus.md is drawn again\n"
    assert "Beam search" in page.read_text() and "\nold\n" not in page.read_text()
    assert course("docs").output == ""
    readme.write_text("<!-- drawn: weather -->\nfine\n<!-- end of drawn -->\n")
    assert says_in_one_line(course("docs"), "README.md", "'weather'", "syllabus")
    assert "fine" in readme.read_text()


def test_run_executes_a_lecture_with_its_preset(course: Callable[..., Result], small_course: Path) -> None:
    done = course("run", "00", "--preset", "smoke")
    assert done.exit_code == 0, done.output
    assert (small_course / "runs" / "00_start_here.ipynb").exists()
    failed = course("run", "00", "--preset", "lecture")
    assert failed.exit_code == 1
    assert failed.output.startswith("Error: ") and "AssertionError" in failed.output
    broken = course("run", "12")
    assert broken.exit_code == 1 and "ValueError: no such thing" in broken.output


def test_slides_takes_a_notebook_that_was_run_and_refuses_one_that_was_not(
    course: Callable[..., Result], small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_WIDGETS", "auto")  # the command sets it; so it is set back
    assert says_in_one_line(course("slides", "00", "--executed"), "was not run")
    heading = new_markdown_cell("# Mine", metadata={"slideshow": {"slide_type": "slide"}})
    nbformat.write(new_notebook(cells=[heading]), small_course / "mine.ipynb")
    for output, path in (("decks", "decks/mine.html"), ("decks/other.html",) * 2):
        done = course("slides", "mine.ipynb", "--executed", "--output", output)
        assert done.output.strip() == path and "<h1>Mine</h1>" in Path(path).read_text()
    assert says_in_one_line(course("slides", "99"), "'99'", "11_attention")


def test_site_makes_pages_and_slides_and_the_way_to_them_even_where_a_lecture_fails(
    course: Callable[..., Result], small_course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_WIDGETS", "auto")  # the command sets it; so it is set back

    def execute(notebook: Path, preset: str) -> Path:
        if "broken" in notebook.name:
            raise click.ClickException(f"{preset}: no such thing")
        heading = new_markdown_cell(f"# {notebook.stem}", metadata={"slideshow": {"slide_type": "slide"}})
        nbformat.write(new_notebook(cells=[heading]), small_course / "run.ipynb")
        return small_course / "run.ipynb"

    monkeypatch.setattr(cli, "execute", execute)
    done = course("site", "out/site", "11")
    assert done.output.splitlines() == ["out/site/11_attention.html", "out/site/index.html"]
    assert "<h1>11_attention</h1>" in Path("out/site/slides/11_attention.html").read_text()
    assert 'href="11_attention.html"' in Path("out/site/index.html").read_text()
    failed = course("site", "out/site", "--preset", "smoke")
    assert failed.exit_code == 1 and failed.output.endswith("Error: smoke: no such thing\n")
    assert Path("out/site/index.html").read_text().count("· <a href") == 2
    assert says_in_one_line(course("site", "out/site", "99"), "'99'", "11_attention")
    Path("file").touch()
    monkeypatch.setattr(cli, "execute", lambda *_: pytest.fail("a lecture is run though it has no place"))
    assert says_in_one_line(course("site", "file/site", "11"), "file/site")
    assert course("site").exit_code == 2


def test_a_lecture_that_does_not_exist_is_told_with_those_that_do(
    course: Callable[..., Result], small_course: Path
) -> None:
    assert says_in_one_line(course("run", "99"), "'99'", "00_start_here, 11_attention, 12_broken")
    assert says_in_one_line(course("lab", "1"), "2 lectures", "11_attention, 12_broken")
    assert says_in_one_line(course("run", "00", "--preset", "fast"), "'fast'", "'smoke'")
    assert cli.find_lecture("notebooks/11_attention.ipynb").samefile("notebooks/11_attention.ipynb")


def test_a_number_names_the_lecture_of_that_number_and_not_those_with_a_letter_behind() -> None:
    assert cli.find_lecture("11").stem == "11_attention"
    assert cli.find_lecture("11d").stem == "11d_attention_at_work"


def test_train_lists_experiments_and_refuses_others(
    course: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_experiments import registry

    names = registry.experiments()
    assert all(name in course("train").output for name in names)
    assert says_in_one_line(course("train", "gpt5"), "'gpt5'", *names)
    assert says_in_one_line(course("train", "x", "--minutes", "0"), "--minutes")
    calls: list[Any] = []
    monkeypatch.setattr(registry, "train", lambda name, **options: calls.append((name, options)))
    name = next(iter(names))
    assert course("train", name, "--minutes", "5", "--fresh").exit_code == 0
    assert calls == [(name, {"minutes": 5.0, "fresh": True, "ship": False})]


def test_what_a_narrow_output_cannot_write_is_replaced() -> None:
    """A redirected output on Windows knows no ● and no Greek."""
    for command in ("syllabus", "results"):
        run = subprocess.run(
            [sys.executable, "-m", "course_tools.cli", command],
            env={**os.environ, "PYTHONIOENCODING": "cp1252"},
            capture_output=True,
            encoding="cp1252",
        )
        assert run.returncode == 0, run.stderr
        assert "?" in run.stdout


def test_picture_draws_the_sentence_asked_for(course: Callable[..., Result], tmp_path: Path) -> None:
    pictures = []
    for sentence in ("I am cold.", "She advised him not to smoke."):
        path = tmp_path / "new" / f"{len(pictures)}.png"
        assert course("picture", str(path), "--sentence", sentence).exit_code == 0
        pictures.append(path.read_bytes())
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[0] != pictures[1]


def test_grading_commands_refuse_unknown_papers(course: Callable[..., Result], tmp_path: Path) -> None:
    assert says_in_one_line(course("release", "ps99_none"), "'ps99_none'", "ps04_attention")
    assert says_in_one_line(course("grade", "ps99_none", str(tmp_path)), "'ps99_none'", "ps04_attention")
    assert says_in_one_line(course("grade", "ps04_attention", str(tmp_path / "none")), "does not exist")
    assert says_in_one_line(course("feedback", "ps99_none"), "'ps99_none'")


def test_doctor_fails_when_one_check_fails(
    course: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_tools import doctor

    good, poor, bad = (doctor.Check(s, s, "found", "do this") for s in ("ok", "warn", "fail"))
    monkeypatch.setattr(doctor, "examine", lambda: [good, poor])
    assert course("doctor").exit_code == 0
    monkeypatch.setattr(doctor, "examine", lambda: [good, poor, bad])
    assert course("doctor").exit_code == 1
    assert [entry["status"] for entry in json.loads(course("doctor", "--json").output)] == [
        "ok",
        "warn",
        "fail",
    ]


def test_bench_prints_ratio_and_target(
    course: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_experiments import benchmarks

    slow = Benchmark("sorting", "another way", ours=3.0, theirs=2.0, target=1.0)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {"sorting": lambda: slow})
    (entry,) = json.loads(course("bench", "--json").output)
    assert (entry["name"], entry["ratio"], entry["target"], entry["met"]) == ("sorting", 1.5, 1.0, False)
    assert "ratio 1.500, target 1 missed" in course("bench").output
    recorded = []
    monkeypatch.setattr("course_experiments.registry.record", lambda *results: recorded.extend(results))
    course("bench", "--ship")
    assert [(result.id, result.value) for result in recorded] == [("speed-sorting", 1.5)]


def test_bench_goes_on_where_another_implementation_is_missing(
    course: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_experiments import benchmarks

    def missing() -> Benchmark:
        raise ModuleNotFoundError("sorter is not installed")

    slow = Benchmark("sorting", "another way", ours=3.0, theirs=2.0, target=1.0)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {"other": missing, "sorting": lambda: slow})
    output = course("bench").output
    assert "other: sorter is not installed" in output and "ratio 1.500" in output


def test_waiting_for_widgets_without_a_browser_is_one_line(
    course: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_experiments.speed import widgets as benchmarks_widgets
    from course_experiments.speed.widgets import Film, Wait, film_result, wait_result

    monkeypatch.setattr(benchmarks_widgets, "_CHROMIUM", ())
    failed = course("bench", "--widgets")
    assert failed.exit_code == 1 and "a browser on the path" in failed.output
    wait = Wait("heatmap-32", "head", "JupyterLab", (10.0, 14.0, 30.0), 5.0, 0.5)
    assert (wait_result(wait).id, wait_result(wait).value) == ("wait-heatmap-32-head-lab", 14.0)
    film = Film("tsne-map", "exported page", 29.0, 0.5)
    assert film_result(film).id == "film-tsne-map-page" and not film.met and "missed" in str(film)


def test_a_benchmark_needs_positive_times() -> None:
    with pytest.raises(ValueError, match="ours of 'x' is 0"):
        Benchmark("x", "y", ours=0, theirs=1, target=1)
    assert Benchmark("x", "y", ours=1, theirs=2, target=0.5).met
    answer, seconds = timed(lambda: 6 * 7)
    assert answer == 42 and seconds >= 0


def test_lab_without_a_display_serves_and_prints_the_address(small_course: Path) -> None:
    command = [sys.executable, "-m", "course_tools.cli", "lab", "11", "--port", "18888"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        line = next(text for text in server.stdout if "http" in text)
        address = re.search(r"http\S+", line)
        assert address is not None and "/lab/tree/notebooks/11_attention.ipynb?token=" in address[0]
        page = urllib.request.urlopen(address[0], timeout=60).read().decode()
        assert "JupyterLab" in page
        assert "11_attention" in page
        place = "/lab/api/settings/@jupyterlab/apputils-extension:notification"
        settings = json.load(
            urllib.request.urlopen(re.sub(r"/lab/tree/[^?]*", place, address[0]), timeout=60)
        )
        asked = settings["schema"]["properties"]
        assert (asked["fetchNews"]["default"], asked["checkForUpdates"]["default"]) == ("false", False)
    finally:
        server.terminate()
        server.wait(30)
