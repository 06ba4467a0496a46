"""A table of probabilities as something to search: the slide's numbers, and every way to get one wrong."""

import math

import pytest
import torch

from course_lib.decoding import LengthPenalty, beam_search, greedy_search
from course_lib.decoding.replay import replay
from course_lib.decoding.table import read_table, table_record, table_step

SLIDE = "0.1, 0.2, 0.3, 0.4, 0.5\n0.5, 0.4, 0.3, 0.2, 0.1\n" * 5


def test_the_slides_numbers():
    _, rows = read_table(SLIDE)
    trace = replay(table_record(rows, weights=True), 3)
    last = [trace.total[node] for node in trace.nodes_at(10)[:3]]
    assert last == pytest.approx([-6.931471805599453, -7.154615356913663, -7.154615356913663], abs=1e-6)
    assert [int(trace.token_id[node]) for node in trace.path(trace.best)[1:]] == [4, 0] * 5
    assert last[1] == last[2]  # a tie stays one


def test_a_step_reads_the_row_of_its_position_or_of_its_last_token():
    _, slide = read_table(SLIDE)
    (best,) = greedy_search(
        table_step(torch.tensor(slide)), torch.zeros(1, dtype=torch.long), torch.tensor([0]), None, 10
    )
    assert best.tokens == (4, 0) * 5
    assert best.log_prob == pytest.approx(10 * math.log(0.5), abs=1e-5)
    rows = torch.tensor([[0.1, 0.9], [0.7, 0.3]])
    log_probs, state = table_step(rows, by="token")(torch.tensor([1, 0]), "kept")
    assert log_probs.exp().flatten().tolist() == pytest.approx([0.7, 0.3, 0.1, 0.9])
    assert state == "kept"
    with pytest.raises(ValueError, match="by is 'row'; allowed are 'step' and 'token'"):
        table_step(rows, by="row")


def test_rows_by_the_last_token_are_a_markov_chain():
    rows = [[0.1, 0.5, 0.4], [0.6, 0.1, 0.3], [0.2, 0.2, 0.6]]
    record = table_record(rows, ("</s>", "b", "b"), by="token", eos=0, steps=5)
    table = torch.tensor(rows, dtype=torch.float64).log()
    (found,) = beam_search(
        lambda tokens, state: (table[tokens], state),
        torch.zeros(1),
        torch.tensor([0]),
        0,
        5,
        3,
        LengthPenalty("average"),
    )
    trace = replay(record, 3, LengthPenalty("average"))
    ids = tuple(int(trace.token_id[node]) for node in trace.path(trace.best)[1:])
    assert ids == found.hypotheses[0].tokens
    assert trace.score[trace.best] == pytest.approx(found.hypotheses[0].score, abs=1e-6)
    assert trace.token[1] == trace.token[2] == "b" and trace.token_id[1] != trace.token_id[2]


def test_what_can_not_come_is_left_out():
    trace = replay(table_record([[0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]), 2)
    assert trace.nodes_at(1).tolist() == [1] and trace.token[1] == "1"
    assert math.exp(trace.total[trace.best]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("0.5, 0.5\n\n1,0\n", None, [[0.5, 0.5], [1, 0]]),
        ("a b\n.5 5e-1", ("a", "b"), [[0.5, 0.5]]),
        ("a;b\n0,5;0,5", ("a", "b"), [[0.5, 0.5]]),
        ("0,25\t0,75", None, [[0.25, 0.75]]),
        ("<s>, 😀\n1, 0", ("<s>", "😀"), [[1, 0]]),
    ],
)
def test_tables_as_people_paste_them(text, names, rows):
    assert read_table(text) == (names, rows)


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ([[0.5, 0.6]], {}, r"Row 1 sums to 1\.1, not to 1"),
        ([[0.5, 0.5], [1.0]], {}, "Row 2 has 1 entries, row 1 has 2"),
        ([[1.5, -0.5]], {}, r"Row 1, entry 1 is 1\.5; it must be a number from 0 to 1"),
        ([[1.0, -0.5]], {"weights": True}, r"entry 2 is -0\.5"),
        ([[0.5, math.nan]], {}, "entry 2 is nan"),
        ([[0.5, math.inf]], {"weights": True}, "entry 2 is inf"),
        ([[0.0, 0.0]], {"weights": True}, "only zeros"),
        ([], {}, "no row of numbers"),
        ([[0.5, 0.5]], {"names": ("a",)}, "1 names for 2 columns"),
        ([[0.5, 0.5]], {"by": "token"}, "as many rows as columns; got 1 and 2"),
        ([[0.5, 0.5]], {"by": "column"}, "by is 'column'"),
        ([[0.5, 0.5]], {"steps": 2}, "from 1 to 1; got 2"),
        ([[0.5, 0.5]], {"steps": 0}, "got 0"),
        ([[0.5, 0.5]], {"eos": 2}, "a column from 0 to 1; got 2"),
    ],
)
def test_what_is_no_table_is_refused_in_words(rows, more, message):
    with pytest.raises(ValueError, match=message):
        table_record(rows, **more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5, half", "Row 1, entry 2 is “half”"),
        ("a, b\n0.5, NaN", "Row 1, entry 2 is “NaN”"),
        ("0.5, ", "Row 1, entry 2 is “”"),
        ("", "no row of numbers"),
        ("a, b", "no row of numbers"),
    ],
)
def test_what_is_no_number_is_refused_in_words(text, message):
    with pytest.raises(ValueError, match=message):
        read_table(text)
