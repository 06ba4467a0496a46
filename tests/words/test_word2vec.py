import torch
from torch import nn

from course_lib.words import Word2Vec, one_hot_product
from course_lib.words.training import step


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


def test_a_step_of_cbow_goes_down_the_gradient_of_autograd():
    v, moved = model(), model()
    (2 * v.negative_loss(CONTEXT, KEEP, TARGET, NEGATIVES)).backward()  # the sum of two windows
    step(moved, "cbow", CONTEXT, KEEP, TARGET, NEGATIVES, 0.1)
    for table in ("inputs", "outputs"):
        before = getattr(v, table).weight
        torch.testing.assert_close(getattr(moved, table).weight.data, before.data - 0.1 * before.grad)


def test_a_step_of_skip_gram_reads_the_words_of_a_window_one_by_one():
    v, moved = model(), model()
    total = torch.tensor(0.0, dtype=torch.float64)
    for i in range(2):
        for j in range(3):
            if KEEP[i, j]:
                one = (
                    CONTEXT[i, j].view(1, 1),
                    torch.tensor([[True]]),
                    TARGET[i : i + 1],
                    NEGATIVES[i : i + 1],
                )
                total = total + v.negative_loss(*one)
    total.backward()
    step(moved, "skip-gram", CONTEXT, KEEP, TARGET, NEGATIVES, 0.1)
    for table in ("inputs", "outputs"):
        before = getattr(v, table).weight
        torch.testing.assert_close(getattr(moved, table).weight.data, before.data - 0.1 * before.grad)


def test_a_rival_that_is_the_true_word_changes_nothing():
    with_it, without = model(), model()
    step(with_it, "cbow", CONTEXT[1:], KEEP[1:], TARGET[1:], torch.tensor([[6, 1]]), 0.1)
    step(without, "cbow", CONTEXT[1:], KEEP[1:], TARGET[1:], torch.tensor([[1]]), 0.1)
    torch.testing.assert_close(with_it.outputs.weight, without.outputs.weight)
    torch.testing.assert_close(with_it.inputs.weight, without.inputs.weight)
