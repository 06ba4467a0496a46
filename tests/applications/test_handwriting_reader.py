import numpy as np
import pytest
import torch

from course_lib.applications.handwriting import (
    LineBatch,
    count_characters,
    find_letters,
    ink,
    line_batches,
    line_loss,
    line_vocabulary,
    look_at,
    next_character,
    read_lines,
    redrawn,
    stack,
)
from course_lib.data import load_handwriting
from course_lib.data.handwriting import Line
from course_lib.seq2seq.ctc import BLANK
from course_lib.seq2seq.line_reader import LineReader

VOCABULARY = line_vocabulary("abc ")


def line(text: str, width: int) -> Line:
    rows = np.random.default_rng(width).integers(16, size=(40, width)).astype(np.uint8)
    return Line(rows, text, "page", "B")


def untrained() -> LineReader:
    torch.manual_seed(0)
    return LineReader(len(VOCABULARY), (2, 2, 2, 2), 4).eval()


def test_a_batch_holds_ink_widths_and_labels_above_the_blank():
    batch = stack([line("ab", 20), line("c", 12)], VOCABULARY)
    assert batch.pictures.shape == (2, 40, 20) and batch.widths.tolist() == [20, 12]
    assert not batch.pictures[1, :, 12:].any() and batch.pictures.max() <= 1
    torch.testing.assert_close(batch.pictures[1, :, :12] * 15, torch.tensor(line("c", 12).picture).float())
    assert batch.labels.tolist() == [[1, 2], [3, 0]] and batch.lengths.tolist() == [2, 1]


def test_every_line_comes_once_whatever_the_seed():
    lines = [line("ab", width) for width in range(10, 21)]
    for seed in (None, 0, 1):
        widths = [w for b in line_batches(lines, VOCABULARY, 4, seed) for w in b.widths.tolist()]
        assert sorted(widths) == list(range(10, 21))


def test_a_line_redrawn_is_still_that_line():
    """Nothing is cut off, and without a draw of its own (all zeros) nothing changes at all."""
    batch = stack(load_handwriting().train[:6], line_vocabulary(load_handwriting().characters))
    torch.manual_seed(0)
    changed = redrawn(batch)
    assert changed.pictures.shape == (6, 40, int(changed.widths.max()))
    assert changed.labels is batch.labels and not torch.equal(changed.widths, batch.widths)
    ratio = changed.pictures.sum((1, 2)) / batch.pictures.sum((1, 2))
    assert ((ratio > 0.7) & (ratio < 1.35)).all()


def test_without_a_draw_redrawing_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    batch = stack([line("ab", 20), line("c", 12)], VOCABULARY)
    monkeypatch.setattr(torch.Tensor, "uniform_", lambda self, *_: self.zero_())
    same = redrawn(batch)
    torch.testing.assert_close(same.pictures, batch.pictures, atol=1e-5, rtol=0)
    assert same.widths.tolist() == [20, 12]


def test_the_loss_is_in_nats_a_character():
    """Twice the same line costs as much a character as the line alone."""
    once, twice = stack([line("ab", 20)], VOCABULARY), stack([line("ab", 20)] * 2, VOCABULARY)
    model = untrained()
    torch.testing.assert_close(line_loss(model, once), line_loss(model, twice))
    said = look_at(model, [line("ab", 20)])[0]
    one = torch.nn.functional.ctc_loss(
        said[:, None], once.labels, torch.tensor([5]), once.lengths, reduction="sum"
    )
    torch.testing.assert_close(line_loss(model, once), one / 2)


def test_a_search_is_told_what_follows_the_last_characters_and_what_begins_a_line():
    lines = [line(text, 20) for text in ("ab", "ab", "cb", "bb")]  # b is the most frequent, a comes first
    after = next_character(count_characters(lines, VOCABULARY, memory=2, strength=0.1))
    a, b, c = VOCABULARY.encode("abc").tolist()
    assert after(()).argmax() == a and after((a,)).argmax() == b
    np.testing.assert_array_equal(after((c, b, a, b)), after((b, a, b)))
    assert after((a, b)).argmax() == BLANK  # the next line


def test_reading_writes_what_the_search_finds():
    lines = [line("ab", 20), line("c", 12)]
    assert read_lines(untrained(), VOCABULARY, lines, lambda said: [1] * len(said)) == ["aaaaa", "aaa"]


@pytest.mark.parametrize("shape", [(39, 20), (40, 3)])
def test_a_picture_of_another_size_is_refused(shape):
    with pytest.raises(ValueError, match="allowed is 40 rows, 4 columns or more"):
        ink(np.zeros(shape, np.uint8))


def test_a_line_that_is_too_narrow_for_its_text_is_named():
    batch: LineBatch = stack([line("aaa", 16)], VOCABULARY)
    with pytest.raises(ValueError, match="target 0 cannot be aligned: it needs 5 steps, and there are 4"):
        line_loss(untrained(), batch)


def test_letters_stand_where_the_likeliest_path_of_the_text_puts_them():
    """Six steps of four pixels: ∅ a a ∅ b b; the a lies around pixel 8, the b around 20."""
    said = torch.full((6, 4), 0.01)
    for step, label in enumerate((0, 1, 1, 0, 2, 2)):
        said[step, label] = 0.97
    middles, borders = find_letters(said.log(), [1, 2])
    assert middles.tolist() == [8, 20] and borders.tolist() == [0, 14, 24]


def test_a_text_that_is_told_is_found_even_if_the_reader_says_another():
    said = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.9, 0.0, 0.1], [0.9, 0.0, 0.1]]).log()
    assert find_letters(said, [1, 2])[0].tolist() in ([6, 10], [6, 12], [6, 14])
    with pytest.raises(ValueError, match="labels are empty"):
        find_letters(said, [])
