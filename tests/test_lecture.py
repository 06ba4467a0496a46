"""How every lecture begins."""

import pytest
import torch

from course_lib.lecture import set_up


@pytest.fixture(autouse=True)
def own_threads():
    """Leave the other tests the number of threads they had."""
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


def test_a_preset_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(ValueError, match="PRESET is 'fast'; allowed are 'smoke', 'lecture', 'full'"):
        set_up("fast", seed=0, threads=1)
