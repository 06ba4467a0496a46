"""How every lecture begins, and how it holds an answer back."""

import os
from unittest.mock import patch

import pytest
import torch

from course_lib.lecture import HELD_BACK, reveal, set_up


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch):
    """Leave the other tests the number of threads and the mode of figures that they had."""
    monkeypatch.setenv("COURSE_WIDGETS", "page")
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def test_a_lecture_uses_as_many_threads_as_it_says_and_draws_what_its_seed_says() -> None:
    set_up("smoke", seed=3, threads=2)
    assert torch.get_num_threads() == 2
    drawn = torch.rand(4)
    assert torch.equal(drawn, torch.rand(4, generator=torch.Generator().manual_seed(3)))
    set_up("lecture", seed=4, threads=1)
    assert torch.get_num_threads() == 1
    assert not torch.equal(drawn, torch.rand(4))


def test_a_quick_check_draws_no_pictures_beside_live_figures_unless_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_up("smoke", seed=0, threads=1)
    assert os.environ["COURSE_WIDGETS"] == "page"
    monkeypatch.delenv("COURSE_WIDGETS")
    set_up("lecture", seed=0, threads=1)
    assert "COURSE_WIDGETS" not in os.environ
    set_up("smoke", seed=0, threads=1)
    assert os.environ["COURSE_WIDGETS"] == "live"


def test_a_preset_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(ValueError, match="PRESET is 'fast'; allowed are 'smoke', 'lecture', 'full'"):
        set_up("fast", seed=0, threads=1)


def test_what_folds_an_answer_says_what_it_is_told_and_nothing_else() -> None:
    with patch("IPython.display.display") as display:
        reveal("a < b?")
    (shown,) = display.call_args.args
    assert f'<details class="{HELD_BACK}"><summary>a &lt; b?</summary></details>' in shown.data
