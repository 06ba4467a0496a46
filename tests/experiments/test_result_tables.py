from dataclasses import replace

import pytest

from course_experiments import results
from course_experiments.results import Result, record
from course_experiments.results.tables import Column, result_table

PERPLEXITY = Result(
    id="toy-lstm-perplexity",
    experiment="toy",
    metric="perplexity",
    value=115.04,
    spread=2.26,
    published=118.0,
    published_source="Somebody 2016, table 1",
    seed=0,
    hardware="one core",
    date="2026-11-27",
    command="course train toy",
)


@pytest.fixture(autouse=True)
def two_readers(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    record(
        PERPLEXITY,
        replace(PERPLEXITY, id="toy-rnn-perplexity", value=140.0, spread=None, published=None),
    )


def test_rows_are_subjects_and_columns_are_measures():
    perplexity = Column("toy-{}-perplexity", ".1f")
    published = Column("toy-{}-perplexity", ".0f", published=True)
    table = result_table(
        "reader",
        {"LSTM": "lstm", "plain": "rnn"},
        {"ours": perplexity, "theirs": published},
        note="One seed.",
    )
    assert table.markdown().splitlines() == [
        "| reader | ours | theirs |",
        "| --- | ---: | ---: |",
        "| LSTM | 115.0 ± 2.3 | 118 |",
        "| plain | 140.0 | – |",
        "",
        "One seed.",
    ]


def test_a_number_that_was_never_measured_is_named():
    with pytest.raises(KeyError, match=r"no result 'toy-gru-perplexity'; there are: toy-lstm-perplexity"):
        result_table("reader", {"GRU": "gru"}, {"ours": Column("toy-{}-perplexity", ".1f")})


def test_a_result_is_written_with_its_spread():
    assert f"{PERPLEXITY:.2f}" == "115.04 ± 2.26"
    assert f"{replace(PERPLEXITY, value=0.5, spread=0.01):.0%}" == "50% ± 1%"
    assert f"{replace(PERPLEXITY, spread=None):,.0f}" == "115"
    assert f"{PERPLEXITY}" == PERPLEXITY.text
