"""The two networks for clothes: one has shortcuts, the other none, and both know clothes."""

import pytest

from course_experiments.results import result
from course_experiments.vision.pooling import accuracy, clothes
from course_lib.applications.clothes import SHIPPED, STACK_BLOCKS, load_clothes_network


@pytest.mark.parametrize("kind", SHIPPED)
def test_a_shipped_network_knows_clothes_as_its_seeds_do(kind: str) -> None:
    network = load_clothes_network(SHIPPED[kind])
    assert not network.training and len(network.blocks) == STACK_BLOCKS
    assert all((block.shortcut is not None) == (kind == "with") for block in network.blocks)
    recorded = result(f"shortcuts-{kind}-test")  # of three seeds, of which the first is shipped
    found = accuracy(network, *clothes("test"))
    assert recorded.spread is not None
    assert found == pytest.approx(recorded.value, abs=2 * recorded.spread + 1)
