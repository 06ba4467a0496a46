import pytest
import torch
from torch import nn

from course_lib.words import Word2Vec, one_hot_product
from course_lib.words.training import Examples, softmax_step, step


def model(seed=0, words=7, size=3):
    torch.manual_seed(seed)
    made = Word2Vec(words, size).double()
    nn.init.normal_(made.inputs.weight)
    nn.init.normal_(made.outputs.weight)
    return made


CONTEXT = torch.tensor([[1, 2, 0], [3, 3, 5]])
KEEP = torch.tensor([[True, True, False], [True, True, True]])
TARGET = torch.tensor([4, 6])
NEGATIVES = torch.tensor([[0, 5, 2], [6, 1, 1]])  # the second row has drawn its own target


def test_a_one_hot_vector_times_a_matrix_is_a_look_up_to_the_last_bit():
    table = torch.randn(50, 8)
    words = torch.randint(50, (20,))
    assert torch.equal(one_hot_product(words, table), table[words])


def test_hidden_is_the_mean_of_the_real_words():
    v = model()
    rows = v.inputs.weight
    expected = torch.stack([(rows[1] + rows[2]) / 2, (rows[3] + rows[3] + rows[5]) / 3])
    torch.testing.assert_close(v.hidden(CONTEXT, KEEP), expected)


def test_losses_equal_sums_over_the_equations():
    v = model()
    h = v.hidden(CONTEXT, KEEP)
    u = v.outputs.weight
    full = (
        sum(-torch.log(torch.exp(u[o] @ h[i]) / torch.exp(u @ h[i]).sum()) for i, o in enumerate(TARGET)) / 2
    )
    torch.testing.assert_close(v.softmax_loss(CONTEXT, KEEP, TARGET), full)
    few = torch.tensor(0.0, dtype=torch.float64)
    for i, o in enumerate(TARGET):
        few = few - torch.log(1 / (1 + torch.exp(-u[o] @ h[i])))
        for k in NEGATIVES[i]:
            if k != o:
                few = few - torch.log(1 / (1 + torch.exp(u[k] @ h[i])))
    torch.testing.assert_close(v.negative_loss(CONTEXT, KEEP, TARGET, NEGATIVES), few / 2)


def examples(sizes=(2, 3)):
    """The two windows above, or their five words one by one."""
    flat = CONTEXT[KEEP]
    target = TARGET if len(sizes) == 2 else TARGET.repeat_interleave(KEEP.sum(dim=1))
    return Examples(flat, torch.tensor(sizes), target)


def test_a_step_of_skip_gram_goes_down_the_gradient_of_autograd():
    v, moved = model(), model()
    one_by_one = examples((1, 1, 1, 1, 1))
    rivals = torch.tensor([[0, 6, 2]])  # one group: all five pairs share them; two have drawn their target
    loss = 5 * v.negative_loss(
        one_by_one.context.view(5, 1),
        torch.ones(5, 1, dtype=torch.bool),
        one_by_one.target,
        rivals.expand(5, 3),
    )
    loss.backward()
    step(moved, one_by_one, rivals, 0.1)
    for table in ("inputs", "outputs"):
        before = getattr(v, table).weight
        torch.testing.assert_close(getattr(moved, table).weight.data, before.data - 0.1 * before.grad)


@pytest.mark.parametrize("rivals", [NEGATIVES, None])
def test_a_step_of_cbow_goes_down_the_gradient_a_window_of_n_words_n_times_as_far(rivals):
    v, moved = model(), model()
    if rivals is None:
        loss = 2 * v.softmax_loss(CONTEXT, KEEP, TARGET)  # the sum of two windows
        softmax_step(moved, examples(), 0.1)
    else:
        loss = 2 * v.negative_loss(CONTEXT, KEEP, TARGET, rivals)
        step(moved, examples(), rivals, 0.1)  # two groups of one window each
    loss.backward()
    reads = torch.ones(7, 1, dtype=torch.float64)
    reads[[1, 2]], reads[[3, 5]] = 2, 3  # no word is in both windows
    inputs, outputs = v.inputs.weight, v.outputs.weight
    torch.testing.assert_close(moved.inputs.weight.data, inputs.data - 0.1 * reads * inputs.grad)
    torch.testing.assert_close(moved.outputs.weight.data, outputs.data - 0.1 * outputs.grad)


def test_the_step_of_one_pair_equals_the_closed_form():
    """u and v move by rate · (label − σ(u · v)) times the other vector, as on paper."""
    v = model()
    read, there, rival = v.inputs.weight[1], v.outputs.weight[4], v.outputs.weight[2]
    up, down = 0.1 * (1 - torch.sigmoid(there @ read)), -0.1 * torch.sigmoid(rival @ read)
    expected = {
        "read": read + up * there + down * rival,
        "there": there + up * read,
        "rival": rival + down * read,
    }
    expected = {name: vector.detach() for name, vector in expected.items()}
    step(v, Examples(torch.tensor([1]), torch.tensor([1]), torch.tensor([4])), torch.tensor([[2]]), 0.1)
    torch.testing.assert_close(v.inputs.weight.data[1], expected["read"])
    torch.testing.assert_close(v.outputs.weight.data[4], expected["there"])
    torch.testing.assert_close(v.outputs.weight.data[2], expected["rival"])


def test_a_rival_that_is_the_true_word_changes_nothing():
    with_it, without = model(), model()
    one = Examples(torch.tensor([3, 5]), torch.tensor([2]), torch.tensor([6]))
    step(with_it, one, torch.tensor([[6, 1]]), 0.1)
    step(without, one, torch.tensor([[1]]), 0.1)
    torch.testing.assert_close(with_it.outputs.weight, without.outputs.weight)
    torch.testing.assert_close(with_it.inputs.weight, without.inputs.weight)


def test_a_row_without_a_word_to_read_is_named():
    with pytest.raises(ValueError, match=r"rows without a word to read: \[1\]"):
        model().hidden(CONTEXT, torch.tensor([[True, False, False], [False, False, False]]))


def test_a_model_of_no_words_is_refused():
    with pytest.raises(ValueError, match="vocabulary_size is 0; allowed is 1 or more"):
        Word2Vec(0, 3)
