"""Letters are cut where they stand, and who reads them alone hears nothing of their neighbours."""

import numpy as np
import pytest
import torch

from course_experiments.recurrent import segments as module
from course_experiments.recurrent.segments import (
    FEATURES,
    HALF,
    Letters,
    batches,
    cut,
    cut_line,
    mistakes,
    segment_results,
    train_letters,
)
from course_lib.data import load_handwriting


def line_of(labels, seed=0):
    """Letters of which only every second one has a picture."""
    torch.manual_seed(seed)
    labels = torch.tensor(labels)
    seen = torch.zeros(len(labels), FEATURES)
    seen[::2] = torch.nn.functional.one_hot(labels[::2], FEATURES).float()
    return Letters(seen, labels)


def test_a_cut_letter_has_its_middle_in_the_middle_and_paper_beyond_its_borders():
    picture = torch.arange(1.0, 101).expand(40, 100)
    letter = cut(picture, 50.0, 45.0, 56.0)
    assert letter.shape == (40, 2 * HALF) and letter[0, HALF] == picture[0, 50]
    assert letter[0].nonzero().flatten().tolist() == list(range(HALF - 5, HALF + 6))
    assert cut(picture, 2.0, 0.0, 99.0)[0, : HALF - 2].sum() == 0  # nothing stands before the line begins


def test_a_line_is_cut_into_as_many_letters_as_its_text_has():
    line = load_handwriting().test[1]
    letters = cut_line(line)
    assert len(letters.labels) == len(letters.seen) == len(line.text)
    assert letters.seen.mean(dim=1).count_nonzero() > 0.8 * len(line.text)  # spaces are paper


def test_alone_each_letter_is_a_sequence_and_all_letters_are_there():
    lines = [line_of([1, 2]), line_of([3, 4, 5, 6])]
    (together,), (alone,) = (list(batches(lines, context)) for context in (True, False))
    assert together.lengths.tolist() == [2, 4] and alone.lengths.tolist() == [1] * 6
    assert alone.labels.flatten().tolist() == [1, 2, 3, 4, 5, 6]
    assert torch.equal(alone.seen[2:, 0], together.seen[1])


def test_what_only_the_neighbour_tells_is_learned_with_context_and_not_without():
    rng = np.random.default_rng(0)
    lines = [line_of(np.repeat(rng.integers(1, 5, 4), 2)) for _ in range(60)]
    shares = {}
    for context in (True, False):
        wrong, labels = mistakes(train_letters(context, 0, lines, 5, passes=25), context, lines)
        assert labels.tolist() == [
            k for line in lines for k in line.labels.tolist()
        ]  # equally long: in order
        shares[context] = wrong.reshape(-1, 2).mean(axis=0)
    assert shares[True].max() < 0.1
    assert shares[False][0] < 0.1 and shares[False][1] > 0.5


@pytest.mark.usefixtures("unchecked")
def test_thin_letters_are_counted_by_themselves(monkeypatch):
    n, a = module.load_line_reader()[1].encode("na").tolist()
    monkeypatch.setattr(module, "cut_part", lambda part: ())
    monkeypatch.setattr(module, "train_letters", lambda *_: None)
    monkeypatch.setattr(
        module, "mistakes", lambda model, context, lines: (np.array([not context, False]), np.array([n, a]))
    )
    found = {result.id: result.value for result in segment_results()}
    assert found == {
        "segments-alone-all": 50,
        "segments-alone-thin": 100,
        "segments-context-all": 0,
        "segments-context-thin": 0,
    }
