"""What an experiment gets from the protocol: jobs that go on where they stopped, means over seeds."""

import pytest

from course_experiments.protocol import Budget, each_seed, over_seeds, sweep


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path):
    jobs, done = [("a", 0), ("a", 1), ("b", 0)], []

    def run(name, seed, earlier):
        done.append((name, seed, len(earlier)))
        if len(done) == 2:
            raise KeyboardInterrupt
        return {"value": float(seed)}

    with pytest.raises(KeyboardInterrupt):
        sweep(Budget(tmp_path), jobs, run)
    assert sweep(Budget(tmp_path, minutes=0), jobs, run) is None
    found = sweep(Budget(tmp_path), jobs, run)
    assert found == {"a": [{"value": 0.0}, {"value": 1.0}], "b": [{"value": 0.0}]}
    assert done == [("a", 0, 0), ("a", 1, 1), ("a", 1, 1), ("b", 0, 0)]


def test_a_mean_has_a_spread_where_there_are_two():
    both, one = over_seeds("a", "b", "c", [1.0, 3.0]), over_seeds("a", "b", "c", [1.0])
    assert (both.value, both.spread) == (2, pytest.approx(2**0.5))
    assert (one.value, one.spread) == (1, None)
    assert [(each.id, each.value) for each in each_seed("a", "b", "c", [1.0, 3.0])] == [
        ("a-seed-0", 1.0),
        ("a-seed-1", 3.0),
    ]
