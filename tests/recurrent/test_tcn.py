import pytest
import torch

from course_lib.recurrent.tcn import TCN, CausalConv, ResidualBlock


@pytest.mark.parametrize(("kernel", "dilation"), [(1, 1), (2, 1), (3, 4)])
def test_a_causal_convolution_is_the_sum_of_the_paper(kernel, dilation):
    torch.manual_seed(0)
    layer = CausalConv(2, 3, kernel, dilation).double()
    x = torch.randn(2, 2, 11, dtype=torch.float64)
    found, weight = layer(x), layer.conv.weight
    for t in range(11):
        expected = layer.conv.bias.expand(2, 3)
        for i in range(kernel):
            if t - dilation * i >= 0:  # f(i) is the tap i back; torch keeps the newest last
                expected = expected + x[:, :, t - dilation * i] @ weight[:, :, kernel - 1 - i].T
        torch.testing.assert_close(found[:, :, t], expected)


def last_gradient(model, time):
    inputs = torch.randn(1, time, 2, dtype=torch.float64, requires_grad=True)
    model(inputs)[0, time // 2].abs().sum().backward()
    return inputs.grad[0].abs().amax(dim=-1)


@pytest.mark.parametrize(("blocks", "kernel"), [(1, 2), (2, 3), (3, 3), (4, 2)])
def test_it_sees_its_receptive_field_exactly_and_never_the_future(blocks, kernel):
    torch.manual_seed(0)
    model = TCN(2, 16, blocks, kernel).double()
    field = 1 + sum(2 * (kernel - 1) * 2**block for block in range(blocks))
    assert model.receptive_field == field
    time = 2 * field + 4
    seen, now = last_gradient(model, time), time // 2
    assert seen[now + 1 :].count_nonzero() == 0  # exactly
    assert seen[: now - field + 1].count_nonzero() == 0
    assert seen[now - field + 1] > 0 and seen[now] > 0


def test_a_block_is_its_equation():
    torch.manual_seed(0)
    for width in (4, 5):  # the same width goes around as it is, another through a 1×1 convolution
        block = ResidualBlock(4, width, 3, 2).double()
        x = torch.randn(2, 4, 9, dtype=torch.float64)
        first, second = block.transform[0], block.transform[3]
        around = x if width == 4 else torch.einsum("oi,bit->bot", block.around.weight[:, :, 0], x)
        if width == 5:
            around = around + block.around.bias.unsqueeze(-1)
        torch.testing.assert_close(block(x), (around + second(first(x).relu()).relu()).relu())


def test_reading_more_changes_nothing_that_was_said():
    torch.manual_seed(0)
    model, inputs = TCN(2, 8, 3).double(), torch.randn(2, 20, 2, dtype=torch.float64)
    torch.testing.assert_close(model(inputs[:, :12]), model(inputs)[:, :12])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TCN(2, 8, 0), "blocks is 0; allowed is 1 or more"),
        (lambda: CausalConv(2, 3, 0), "kernel_size is 0"),
        (lambda: CausalConv(2, 3, 2, 0), "dilation is 0"),
    ],
)
def test_sizes_without_meaning_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
