"""The Transformer against torch.nn with copied weights; causality and padding as zero gradients."""

import pytest
import torch
from torch import Tensor, nn
from torchs_weights import copy_decoder_layer, copy_encoder_layer, spread

from course_lib.attention.multihead import causal_mask
from course_lib.seq2seq.transformer import Transformer
from course_lib.seq2seq.transformer_layers import DecoderLayer, EncoderLayer

SIZE, HEADS, INNER, VOCABULARY = 8, 2, 16, 20


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_layer_equals_torchs(norm: str) -> None:
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(
        SIZE, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    ).double()
    spread(theirs)
    ours = EncoderLayer(SIZE, HEADS, INNER, norm=norm).double()
    copy_encoder_layer(ours, theirs)
    keep = torch.arange(5) < torch.tensor([[5], [2]])
    x = torch.randn(2, 5, SIZE, dtype=torch.float64, requires_grad=True)
    other = x.detach().clone().requires_grad_()
    result, _ = ours(x, keep[:, None, None])
    expected = theirs(other, src_key_padding_mask=~keep)
    torch.testing.assert_close(result[keep], expected[keep])
    direction = torch.randn_like(result) * keep.unsqueeze(-1)
    (result * direction).sum().backward()
    (expected * direction).sum().backward()
    torch.testing.assert_close(x.grad, other.grad)
    torch.testing.assert_close(ours.feed_forward[0].weight.grad, theirs.linear1.weight.grad)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_layer_equals_torchs(norm: str) -> None:
    torch.manual_seed(0)
    theirs = nn.TransformerDecoderLayer(
        SIZE, HEADS, INNER, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    ).double()
    spread(theirs)
    ours = DecoderLayer(SIZE, HEADS, INNER, norm=norm).double()
    copy_decoder_layer(ours, theirs)
    keep = torch.arange(5) < torch.tensor([[5], [2]])
    memory = torch.randn(2, 5, SIZE, dtype=torch.float64)
    x = torch.randn(2, 4, SIZE, dtype=torch.float64, requires_grad=True)
    other = x.detach().clone().requires_grad_()
    step = ours(x, ours.project(memory), keep[:, None, None], causal_mask(4))
    expected = theirs(other, memory, tgt_mask=~causal_mask(4), memory_key_padding_mask=~keep)
    torch.testing.assert_close(step.x, expected)
    direction = torch.randn_like(expected)
    step.x.backward(direction)
    expected.backward(direction)
    torch.testing.assert_close(x.grad, other.grad)
    torch.testing.assert_close(
        ours.cross_attention.W_O.weight.grad, theirs.multihead_attn.out_proj.weight.grad
    )


def model(norm: str = "post", positions: str = "none") -> Transformer:
    """A small one in float64, in evaluation mode."""
    torch.manual_seed(3)
    return Transformer(VOCABULARY, SIZE, HEADS, 2, INNER, norm=norm, positions=positions).double().eval()


SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 5, 2, 0, 0], [2, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 6], [1, 7, 8, 9], [1, 3, 3, 4]])


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_whole_stack_equals_nn_transformer(norm: str) -> None:
    """Pre-norm stacks end in a norm; the paper's, which are post-norm, do not."""
    ours = model(norm)
    theirs = nn.Transformer(SIZE, HEADS, 2, 2, INNER, dropout=0.0, batch_first=True, norm_first=norm == "pre")
    theirs = theirs.double().eval()
    if norm == "post":
        theirs.encoder.norm = theirs.decoder.norm = None
    spread(theirs)
    for mine, other in zip(ours.encoder, theirs.encoder.layers, strict=True):
        copy_encoder_layer(mine, other)
    for mine, other in zip(ours.decoder, theirs.decoder.layers, strict=True):
        copy_decoder_layer(mine, other)
    if norm == "pre":
        ours.encoder_norm.load_state_dict(theirs.encoder.norm.state_dict())
        ours.decoder_norm.load_state_dict(theirs.decoder.norm.state_dict())
    table = ours.embedding.weight
    expected = theirs(
        table[SOURCE] * SIZE**0.5,
        table[TARGET] * SIZE**0.5,
        tgt_mask=~causal_mask(4),
        src_key_padding_mask=SOURCE == 0,
        memory_key_padding_mask=SOURCE == 0,
    )
    logits, _ = ours(SOURCE, TARGET)
    torch.testing.assert_close(logits, expected @ table.T + ours.bias)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
def test_step_by_step_with_cached_keys_equals_all_at_once(norm: str, positions: str) -> None:
    transformer = model(norm, positions)
    logits, weights = transformer(SOURCE, TARGET)
    state = transformer.start(SOURCE)
    for i, tokens in enumerate(TARGET.unbind(1)):
        step = transformer.step(tokens, state)
        state = step.state
        torch.testing.assert_close(transformer.logits(step.evidence), logits[:, i])
        torch.testing.assert_close(step.weights, weights[..., i, :])


def test_no_gradient_comes_from_the_future_or_from_padding() -> None:
    transformer = model("pre", "sinusoidal")
    embedded: list[Tensor] = []

    def watch(tokens: Tensor) -> Tensor:
        leaf = Transformer.embed(transformer, tokens).detach().requires_grad_()
        embedded.append(leaf)
        return leaf

    transformer.embed = watch  # type: ignore[method-assign]
    logits, _ = transformer(SOURCE, TARGET)
    logits[:, 1].square().sum().backward()
    source, target = embedded
    assert (target.grad[:, 2:] == 0).all() and (target.grad[:, :2] != 0).any()
    assert (source.grad[SOURCE == 0] == 0).all() and (source.grad[SOURCE != 0] != 0).any()


def test_more_padding_and_other_sentences_change_nothing() -> None:
    transformer = model("pre", "sinusoidal")
    together, _ = transformer(SOURCE, TARGET)
    for i, length in enumerate((5, 3, 1)):
        alone, weights = transformer(SOURCE[i : i + 1, :length], TARGET[i : i + 1])
        torch.testing.assert_close(alone[0], together[i])
        wide = torch.nn.functional.pad(SOURCE[i : i + 1, :length], (0, 2 * length))
        padded, padded_weights = transformer(wide, TARGET[i : i + 1])
        torch.testing.assert_close(padded[0], together[i])
        torch.testing.assert_close(padded_weights[..., :length], weights)
        assert (padded_weights[..., length:] == 0).all()


def test_without_positions_the_order_of_the_source_is_lost() -> None:
    order = torch.tensor([3, 0, 4, 1, 2])
    blind, _ = model("pre", "none")(SOURCE[:1], TARGET[:1])
    shuffled, _ = model("pre", "none")(SOURCE[:1, order], TARGET[:1])
    torch.testing.assert_close(blind, shuffled)
    seeing, _ = model("pre", "sinusoidal")(SOURCE[:1], TARGET[:1])
    moved, _ = model("pre", "sinusoidal")(SOURCE[:1, order], TARGET[:1])
    assert not torch.allclose(seeing, moved)


def test_attention_maps_are_those_of_the_forward_pass() -> None:
    transformer = model("pre", "sinusoidal")
    maps = transformer.attention(SOURCE, TARGET)
    _, cross = transformer(SOURCE, TARGET)
    torch.testing.assert_close(maps.cross, cross)
    for weights in maps:
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert (maps.encoder[1, ..., 3:] == 0).all()
    assert (maps.decoder.triu(1) == 0).all()


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"lengths are \[2, 0\]"):
        model().start(torch.tensor([[5, 2], [0, 0]]))
    with pytest.raises(ValueError, match="up to 256 positions"):
        model().start(torch.ones(1, 257, dtype=torch.long))
    with pytest.raises(ValueError, match=r"norm is 'both'; allowed are 'pre' and 'post'"):
        EncoderLayer(SIZE, HEADS, INNER, norm="both")
