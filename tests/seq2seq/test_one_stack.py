"""One stack against torch's encoder with copied weights, with a causal mask and without."""

import pytest
import torch
from torch import nn
from torchs_weights import copy_encoder_layer, spread

from course_lib.seq2seq.one_stack import OneStack

SIZE, HEADS, INNER, VOCABULARY, LENGTH = 8, 2, 16, 11, 6
TOKENS = torch.tensor([[5, 6, 7, 8, 2, 4], [9, 5, 2, 3, 3, 10]])


def model(causal: bool) -> OneStack:
    """A small one in float64, in evaluation mode, with no weight at its neutral value."""
    torch.manual_seed(2)
    stack = OneStack(VOCABULARY, SIZE, HEADS, 2, INNER, causal, window=LENGTH).double().eval()
    spread(stack)
    return stack


@pytest.mark.parametrize("causal", [True, False])
def test_equals_torchs_encoder_with_copied_weights(causal: bool) -> None:
    ours = model(causal)
    layer = nn.TransformerEncoderLayer(
        SIZE, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64
    )
    norm = nn.LayerNorm(SIZE, dtype=torch.float64)
    theirs = nn.TransformerEncoder(layer, 2, norm, enable_nested_tensor=False).eval()
    spread(theirs)
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_encoder_layer(mine, other)
    ours.norm.load_state_dict(theirs.norm.state_dict())
    table = ours.embedding.weight
    mask = nn.Transformer.generate_square_subsequent_mask(LENGTH, dtype=torch.float64) if causal else None
    expected = theirs(table[TOKENS] * SIZE**0.5 + ours.positions.table, mask=mask)
    logits, weights = ours(TOKENS)
    torch.testing.assert_close(logits, expected @ table.T + ours.bias)
    assert weights.shape == (2, 2, HEADS, LENGTH, LENGTH)
    assert (weights.triu(1) == 0).all() == causal


def test_the_losses_are_the_logarithms_of_single_probabilities() -> None:
    causal, both = model(True), model(False)
    expected = [
        -causal(row[None, :i])[0][0, -1].log_softmax(-1)[row[i]] for row in TOKENS for i in range(1, LENGTH)
    ]
    torch.testing.assert_close(causal.next_token_loss(TOKENS), sum(expected) / len(expected))
    hidden = torch.tensor([3, 0])
    seen = torch.tensor([[5, 6, 7, 0, 2, 4], [0, 5, 2, 3, 3, 10]])
    first, second = (both(row[None])[0][0].log_softmax(-1) for row in seen)
    torch.testing.assert_close(
        both.hidden_token_loss(TOKENS, hidden, mask=0), -(first[3, 8] + second[0, 9]) / 2
    )
    assert TOKENS[0, 3] == 8  # hidden in a copy


def test_token_by_token_gives_what_the_whole_text_gives_up_to_the_window() -> None:
    causal = model(True)
    text = torch.randint(VOCABULARY, (2, LENGTH + 3), generator=torch.Generator().manual_seed(0))
    last, state = causal.read(text[:, :2])
    for i in range(2, text.shape[1]):
        log_probabilities, state = causal.next_token(last, state)
        window = text[:, max(0, i - LENGTH) : i]
        torch.testing.assert_close(log_probabilities, causal(window)[0][:, -1].log_softmax(-1))
        last = text[:, i]


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="up to 6 positions"):
        model(True)(torch.zeros(1, LENGTH + 1, dtype=torch.long))
    with pytest.raises(ValueError, match="causal is False; the next token needs True"):
        model(False).next_token_loss(TOKENS)
    with pytest.raises(ValueError, match="causal is False"):
        model(False).next_token(TOKENS[:, 0], TOKENS)
    with pytest.raises(ValueError, match="tokens are 0"):
        model(True).read(TOKENS[:, :0])
