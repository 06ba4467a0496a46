"""The margins of `make test-anywhere` on claims whose distance from failing is known."""

from pathlib import Path
from typing import Any

import anywhere
import claims
import nbformat
import numpy as np
import pytest
import torch
from claims import Claim, distance, with_margins
from nbformat.v4 import new_code_cell, new_notebook


def claimed(monkeypatch: pytest.MonkeyPatch, source: str, **names: Any) -> list[Claim]:
    """What a cell claims."""
    monkeypatch.setattr(claims, "made", [])
    exec(with_margins(source), {"claims": claims, **names})
    return claims.made


def test_a_margin_is_the_distance_as_a_share_of_the_larger_side() -> None:
    assert distance(95, 100) == distance(100, 95) == distance(-100, -95) == 0.05
    assert distance(0.3, 0.3) == distance(0, 0) == 0
    assert distance(0, 1e-9) == 1
    assert distance(-1, 1) == 2


def test_each_comparison_of_a_claim_has_a_margin_and_the_tightest_pair_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, chain = claimed(monkeypatch, "assert 1 < x < 4", x=2)[::-1]
    assert whole == Claim("1 < x < 4", True)
    assert chain == Claim("1 < x < 4", True, 1, 2)

    *parts, whole = claimed(
        monkeypatch, "assert all(a < b for a, b in pairs) and 8 > 6", pairs=[(1, 4), (3, 5)]
    )
    assert [part.margin for part in parts] == [0.75, 0.4, 0.25]
    assert whole.holds


@pytest.mark.parametrize("array", [np.array, torch.tensor])
def test_an_array_counts_by_its_tightest_element(monkeypatch: pytest.MonkeyPatch, array: Any) -> None:
    part, whole = claimed(monkeypatch, "assert (x > 3).all()", x=array([10.0, 4.0, 6.0]))
    assert part == Claim("x > 3", True, 4, 3) and whole.holds


def test_what_is_in_order_counts_by_its_closest_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    part, whole = claimed(monkeypatch, "assert x == sorted(x)", x=[1.0, 3.0, 4.0])
    assert (part.left, part.right) == (3, 4) and part.margin == 0.25 and whole.holds


def test_what_may_be_reached_what_is_counted_and_what_is_chosen_has_no_margin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = "assert share <= 1 < 4 and sum(x < 1 for x in xs) == 1 and all(x > 1 for x in xs if x > 0.9)"
    *parts, whole = claimed(monkeypatch, source, share=1, xs=[0, 2, 4])
    assert [(part.left, part.right) for part in parts] == [(1, 4), (2, 1), (4, 1)]
    assert whole.holds


def test_a_claim_that_fails_is_noted_and_the_next_is_still_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = claimed(monkeypatch, "assert 2 < 1, 'no'\nassert [1] == [1]")
    assert [(claim.text, claim.holds) for claim in made if claim.margin is None] == [
        ("2 < 1", False),
        ("[1] == [1]", True),
    ]


def test_code_without_a_claim_stays_as_it_is() -> None:
    assert with_margins("x = 1  # one") == "x = 1  # one"


def test_the_worst_setting_of_each_claim_counts_and_the_worst_claim_comes_first() -> None:
    one, two = {"SEED": 0, "THREADS": 1}, {"SEED": 1, "THREADS": 1}
    sure, wide, hair = (
        Claim("sure", True),
        Claim("wide", True, 1, 2),
        Claim("hair", True, 99, 100),
    )
    hair_with_room = Claim("hair", True, 50, 100)
    failed = Claim("wide", False, 2, 1)
    found = [anywhere.Finding("05", one, claim) for claim in (sure, wide, hair)]
    found += [anywhere.Finding("05", two, claim) for claim in (sure, wide, hair_with_room)]
    assert [(each.claim, each.setting) for each in anywhere.tightest(found)] == [
        (hair, one),
        (wide, one),
        (sure, one),
    ]
    found += [anywhere.Finding("05", two, failed)]
    assert anywhere.tightest(found)[0].claim == failed


def test_a_bound_for_rounding_needs_more_room_than_one_for_a_number() -> None:
    assert anywhere.least(Claim("a", True, 0.9e-6, 1e-6)) > anywhere.least(Claim("a", True, 0.9, 1)) > 0
    assert anywhere.least(Claim("a", True)) == 0 > anywhere.Finding("05", {}, Claim("a", False)).rank


def test_a_lecture_runs_on_a_plain_processor_with_its_setting_and_an_error_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anywhere, "PRESET", "smoke")
    for variable in ("ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS", "COURSE_WIDGETS"):
        monkeypatch.setenv(variable, "")  # so that they come back as they were
    parameters = new_code_cell('PRESET, SEED, THREADS = "lecture", 0, 1', metadata={"tags": ["parameters"]})
    check = new_code_cell(
        "import os\n"
        "assert PRESET == 'smoke' and os.environ['ATEN_CPU_CAPABILITY'] == 'default'\n"
        "assert os.environ['OMP_NUM_THREADS'] == str(THREADS)\n"
        "assert SEED < THREADS"
    )
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    lecture = tmp_path / "00_small.ipynb"
    nbformat.write(new_notebook(cells=[parameters, check], metadata=kernel), lecture)
    machine, threads, part, whole = anywhere.run(lecture, {"SEED": 1, "THREADS": 2})
    assert machine.holds and threads.holds and whole.holds
    assert part == Claim("SEED < THREADS", True, 1, 2)

    nbformat.write(new_notebook(cells=[parameters, new_code_cell("1 / 0")], metadata=kernel), lecture)
    (failed,) = anywhere.run(lecture, {"SEED": 0, "THREADS": 1})
    assert "ZeroDivisionError" in failed.text and not failed.holds
