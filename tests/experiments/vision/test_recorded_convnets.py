"""What is recorded of binary networks, of stacks at equal cost and of small relatives: means over seeds."""

import pytest

from course_experiments.protocol import PAUSED, Budget
from course_experiments.vision import binary, trade_offs
from course_lib.vision.binary_networks import KINDS
from course_lib.vision.small_convnets import SMALL
from course_lib.vision.trade_offs import Stack


def told(name, seed, earlier):
    return {"test": 80.0 + seed, "cpu seconds": 2.0 + seed}


def recorded(outcome):
    return {measured.id: measured for measured in outcome.measurements}


def test_of_each_kind_of_binary_network_the_mean_stands_beside_the_paper(monkeypatch, tmp_path):
    monkeypatch.setattr(binary, "try_kind", told)
    found = recorded(binary.binary(Budget(tmp_path)))
    assert set(found) == {f"binary-{binary.kind_id(kind)}" for kind in KINDS} | {"binary-memory"}
    usual = found["binary-xnor-usual-order"]
    assert (usual.value, usual.spread, usual.published) == (81, 1, 30.3)
    # of one filter of 9·c weights, 32 bits each, are left a bit each and one number of 32 bits
    assert 24 < found["binary-memory"].value < 32


def test_of_each_stack_the_mean_is_recorded_with_its_cost(monkeypatch, tmp_path):
    monkeypatch.setattr(trade_offs, "try_stack", told)
    found = recorded(trade_offs.trade_offs(Budget(tmp_path)))
    assert set(found) == {f"trade-off-{name}" for name in trade_offs.STACKS}
    one = found["trade-off-6x16x3"]
    assert one.value == 81 and f"{Stack(6, 16, 3).multiply_adds:,} multiply-adds" in one.metric


def test_of_each_small_relative_accuracy_and_time_are_recorded(monkeypatch, tmp_path):
    monkeypatch.setattr(trade_offs, "try_rates", lambda build, seed, earlier: told("", seed, earlier))
    found = recorded(trade_offs.small_networks(Budget(tmp_path)))
    names = {f"small-{trade_offs.small_id(name)}" for name in SMALL}
    assert set(found) == names | {f"{name}-seconds" for name in names}
    assert found["small-lenet-seconds"].value == 3 and found["small-lenet-seconds"].spread == 1


@pytest.mark.parametrize("run", [binary.binary, trade_offs.trade_offs, trade_offs.small_networks])
def test_without_time_nothing_is_recorded(run, tmp_path):
    assert run(Budget(tmp_path, minutes=0)) is PAUSED
