from pathlib import Path

import pytest

from course_experiments import results
from course_experiments.protocol import Experiment, Outcome
from course_experiments.results import Result, record
from course_tools import docs

BLOCK = "<!-- drawn: {} -->\n{}\n<!-- end of drawn -->"


def number(id: str, experiment: str, command: str) -> Result:
    how = {"seed": 0, "hardware": "one core", "date": "2026-11-27", "command": command}
    return Result(id, experiment, f"what {id} is", 31.25, **how)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of a course in which two blocks can be drawn."""
    monkeypatch.setattr(docs, "BLOCKS", {"one": lambda: "first\\1", "two": lambda: "second"})
    return tmp_path / "README.md"


def test_only_what_stands_between_the_marks_is_rewritten(page: Path) -> None:
    page.write_text(f"before\n{BLOCK.format('one', 'old')}\nmiddle\n{BLOCK.format('two', '')}\nafter\n")
    assert docs.draw_docs(page.parent) == [page]
    one, two = BLOCK.format("one", "\nfirst\\1\n"), BLOCK.format("two", "\nsecond\n")
    assert page.read_text() == f"before\n{one}\nmiddle\n{two}\nafter\n"
    assert docs.draw_docs(page.parent) == []


@pytest.mark.parametrize(
    "text",
    [
        "<!-- drawn: one -->\nnever closed",
        "never opened\n<!-- end of drawn -->",
        f"<!-- drawn: one -->\nnever closed\n{BLOCK.format('two', 'old')}",
        "<!-- drawn: one --> old <!-- end of drawn -->",
    ],
)
def test_a_mark_without_its_partner_is_refused_and_nothing_is_lost(page: Path, text: str) -> None:
    page.write_text(text)
    with pytest.raises(ValueError, match=r"README\.md: a mark lacks its partner"):
        docs.draw_docs(page.parent)
    assert page.read_text() == text


def test_an_unknown_block_is_refused_before_any_page_is_written(page: Path) -> None:
    page.write_text(BLOCK.format("one", "old"))
    (page.parent / "docs").mkdir()
    (page.parent / "docs" / "more.md").write_text(BLOCK.format("three", "old"))
    with pytest.raises(ValueError, match=r"more\.md asks for a block 'three'; there are: one, two"):
        docs.draw_docs(page.parent)
    assert "old" in page.read_text()


def test_numbers_come_by_experiment_with_the_command_once_where_all_share_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    record(number("a", "alone", "course train alone"), number("b", "alone", "course train alone"))
    record(number("c", "several", "course train c"), number("d", "several", "course train d"))
    contents, alone, several = docs.numbers().split("\n\n## ")
    assert contents == "[alone](#alone) · [several](#several)"
    assert alone.count("course train") == 1 and "| what b is | 31.25 |" in alone
    assert "| what d is | 31.25 | `course train d` |" in several and "To repeat" not in several


def test_headlines_say_in_few_words_what_the_register_knows() -> None:
    lines = docs.headlines().splitlines()[2:]
    assert len(lines) == len(docs.HEADLINES)
    for line, (id, what) in zip(lines, docs.HEADLINES.items(), strict=True):
        assert line.startswith(f"| {what} | {results.result(id).text} |")


def test_experiments_are_listed_with_cost_and_what_they_ship(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Experiment("toy", "a toy", 5, lambda budget: Outcome(), ships=("toy.safetensors", "toy.json"))
    monkeypatch.setattr(docs, "experiments", lambda: {"toy": toy})
    assert docs.experiment_list().splitlines()[2:] == [
        "| `toy` | a toy | about 5 CPU minutes | `toy.safetensors`, `toy.json` |"
    ]
