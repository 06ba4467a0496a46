import pytest
import torch

from course_lib.seq2seq.line_reader import STRIDE, LineReader


def reader() -> LineReader:
    torch.manual_seed(0)
    model = LineReader(classes=5, channels=(2, 3, 4, 5), hidden_size=4, dropout=0.5)
    with torch.no_grad():
        model(torch.rand(8, 40, 32), torch.full((8,), 32))  # the norms learn what they see
    return model.eval()


@pytest.mark.parametrize("width", [4, 21, 23, 32])
def test_what_stands_behind_a_line_changes_nothing(width: int) -> None:
    model, line = reader(), torch.rand(1, 40, width)
    alone = model(line, torch.tensor([width]))
    assert alone.lengths.tolist() == [width // STRIDE] and alone.logits.shape[1] == width // STRIDE
    for behind in (torch.zeros(1, 40, 40 - width), torch.zeros(1, 40, 97 - width)):
        padded = torch.cat([line, behind], dim=2)
        batch = torch.cat([padded, torch.rand_like(padded)])
        both = model(batch, torch.tensor([width, batch.shape[2]]))
        torch.testing.assert_close(both.logits[:1, : width // STRIDE], alone.logits)


def test_each_direction_reaches_every_step() -> None:
    line = torch.rand(1, 40, 40, requires_grad=True)
    model = reader()
    for step, far in ((0, 39), (9, 0)):
        (gradient,) = torch.autograd.grad(model(line, torch.tensor([40])).logits[0, step].sum(), line)
        assert gradient[0, :, far].any()


@pytest.mark.parametrize("width", [3, 33])
def test_a_width_out_of_range_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"widths are \\[{width}\\]; allowed are 4 to 32"):
        reader()(torch.rand(1, 40, 32), torch.tensor([width]))


def test_training_hides_features_below_and_above_the_lstms() -> None:
    model, line, width = reader(), torch.rand(1, 40, 32), torch.tensor([32])
    once, again = (model(line, width).logits for _ in range(2))
    torch.testing.assert_close(once, again)
    hidden: list[int] = []
    model.dropout.register_forward_hook(lambda _, given, __: hidden.append(given[0].shape[-1]))
    model.dropout.train()
    assert not torch.allclose(model(line, width).logits, once)
    assert hidden == [model.rnn.input_size, 2 * model.rnn.hidden_size]
