"""Dropout and first weights of the translators are where the papers put them.

A dropout that doubles instead of dropping makes its places visible: the result is compared with a formula, or
with torch's own layers, that double there.
"""

import math

import pytest
import torch
from torch import nn
from torchs_weights import copy_decoder_layer, copy_encoder_layer

from course_lib.applications.families import build
from course_lib.attention import masked_softmax
from course_lib.attention.multihead import MultiHeadAttention
from course_lib.attention.position import PositionalEncoding
from course_lib.seq2seq.convs2s import GatedConvolution
from course_lib.seq2seq.transformer_layers import DecoderLayer, EncoderLayer

SIZE, HEADS, INNER = 8, 2, 12
FAMILIES = {
    "recurrent": {"decoder": "bahdanau", "embedding_size": SIZE, "hidden_size": 6},
    "sutskever": {"embedding_size": SIZE, "hidden_size": 6, "layers": 2},
    "gnmt": {"embedding_size": SIZE, "hidden_size": 6, "layers": 3},
    "convs2s": {"size": SIZE, "layers": 2},
    "transformer": {"model_size": SIZE, "heads": HEADS, "layers": 2, "feed_forward_size": INNER},
}


@pytest.fixture
def doubled(monkeypatch):
    monkeypatch.setattr(nn.Dropout, "forward", lambda self, x: 2 * x if self.p > 0 else x)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_translator_drops_features_of_words_and_of_what_is_scored(family, doubled) -> None:
    model = build({"family": family, "vocabulary_size": 9, **FAMILIES[family]}, dropout=0.5)
    tokens = torch.tensor([[3, 4, 5]])
    size = 1 if family == "convs2s" else math.sqrt(SIZE)  # see ConvS2S.embed
    torch.testing.assert_close(model.embed(tokens), 2 * size * model.embedding.weight[tokens])
    evidence = torch.randn(4, 2 * 6 if family == "gnmt" else SIZE)
    if family == "recurrent":
        evidence = torch.randn(4, SIZE + 2 * 6)
    if family == "sutskever":
        evidence = torch.randn(4, 6)
    scores = 2 * model.readout(evidence) @ model.embedding.weight.T + model.bias
    torch.testing.assert_close(model.logits(evidence), scores)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_transformer_layers_drop_where_those_of_torch_do(norm, doubled) -> None:
    """After each sub-layer, before the sum, and inside the feed-forward network."""
    x, y = torch.randn(2, 5, SIZE), torch.randn(2, 4, SIZE)
    settings = {"dropout": 0.5, "batch_first": True, "norm_first": norm == "pre"}
    encoder = EncoderLayer(SIZE, HEADS, INNER, 0.5, norm)
    theirs = nn.TransformerEncoderLayer(SIZE, HEADS, INNER, **settings)
    copy_encoder_layer(encoder, theirs)
    decoder = DecoderLayer(SIZE, HEADS, INNER, 0.5, norm)
    other = nn.TransformerDecoderLayer(SIZE, HEADS, INNER, **settings)
    copy_decoder_layer(decoder, other)
    for attention in (encoder.self_attention, decoder.self_attention, decoder.cross_attention):
        attention.dropout.p = 0.0  # compared by itself
    for attention in (theirs.self_attn, other.self_attn, other.multihead_attn):
        attention.dropout = 0.0
    torch.testing.assert_close(encoder(x)[0], theirs(x))
    torch.testing.assert_close(decoder(y, decoder.project(x)).x, other(y, x))


def test_heads_drop_their_weights(doubled) -> None:
    attention = MultiHeadAttention(SIZE, HEADS, dropout=0.5)
    query, source = torch.randn(1, 3, SIZE), torch.randn(1, 4, SIZE)
    split = [
        part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for part, x in ((attention.W_Q, query), (attention.W_K, source), (attention.W_V, source))
    ]
    weights = (split[0] @ split[1].transpose(2, 3) / math.sqrt(SIZE / HEADS)).softmax(dim=-1)
    expected = attention.W_O((2 * weights @ split[2]).transpose(1, 2).flatten(2))
    torch.testing.assert_close(attention(query, source, source)[0], expected)


def test_every_attention_of_a_transformer_layer_drops_weights() -> None:
    layers = EncoderLayer(SIZE, HEADS, INNER, 0.3), DecoderLayer(SIZE, HEADS, INNER, 0.3)
    attentions = [
        part for layer in layers for part in layer.modules() if isinstance(part, MultiHeadAttention)
    ]
    assert [attention.dropout.p for attention in attentions] == [0.3] * 3


def test_convolutions_drop_what_they_read_and_nothing_of_the_way_around(doubled) -> None:
    """The encoder of ConvS2S, written again with doubled inputs."""
    model = build({"family": "convs2s", "vocabulary_size": 9, **FAMILIES["convs2s"]}, dropout=0.5)
    source = torch.tensor([[3, 4, 5, 6]])
    embedded = 2 * model.embedding.weight[source] + model.positions.table[:4]
    x = embedded
    for layer in model.encoder:
        inner = nn.functional.conv1d(
            2 * x.transpose(1, 2), layer.convolution.weight, layer.convolution.bias, padding=1
        )
        a, b = inner.transpose(1, 2).chunk(2, dim=-1)
        x = (x + a * b.sigmoid()) * math.sqrt(0.5)
    state = model.start(source)
    torch.testing.assert_close(state.source.keys, x)
    hidden = model.decoder[0]
    wide = torch.randn(1, 6, SIZE)
    found, _, _ = hidden(wide[:, 2:], wide[:, 2:], state.source, wide[:, :2])
    inner = hidden.convolution.convolution((2 * wide).transpose(1, 2)).transpose(1, 2)
    a, b = inner.chunk(2, dim=-1)
    h = a * b.sigmoid()
    weights = masked_softmax(
        (hidden.query(h) + wide[:, 2:]) * math.sqrt(0.5) @ x.transpose(1, 2), state.source.keep[:, None]
    )
    context = weights @ ((x + embedded) * math.sqrt(0.5)) * math.sqrt(4)
    expected = ((h + hidden.output(context)) * math.sqrt(0.5) + wide[:, 2:]) * math.sqrt(0.5)
    torch.testing.assert_close(found, expected)


def test_layers_of_gnmt_drop_what_they_read_from_the_layer_below(doubled) -> None:
    model = build({"family": "gnmt", "vocabulary_size": 9, **FAMILIES["gnmt"]}, dropout=0.5)
    source = torch.tensor([[3, 4, 5, 6]])
    x = model.both_ways(model.embed(source))[0]
    first, second = model.encoder
    x = first(2 * x)[0]  # reads both directions: no sum
    x = x + second(2 * x)[0]
    torch.testing.assert_close(model.start(source).source, x)


@pytest.mark.parametrize("dropout", [0.0, 0.2, 0.5])
def test_a_gated_convolution_keeps_the_variance_of_what_dropout_leaves(dropout) -> None:
    """1 − p of the inputs make the sum, and σ(b) halves it twice (Gehring et al. 2017, appendix C.1)."""
    layer = GatedConvolution(200, 5, dropout)
    expected = 4 * (1 - dropout) / (5 * 200)
    assert layer.convolution.weight.var().item() == pytest.approx(expected, rel=0.05)  # of 400,000 draws


def test_learned_positions_begin_as_small_as_word_vectors() -> None:
    table = PositionalEncoding(64, "learned").table
    assert table.std().item() == pytest.approx(64**-0.5, rel=0.05)  # of 16,384 draws


def test_matrices_of_a_transformer_begin_by_xaviers_rule() -> None:
    sizes = {"model_size": 64, "heads": 4, "layers": 1, "feed_forward_size": 256}
    model = build({"family": "transformer", "vocabulary_size": 9, **sizes})
    for layer in (*model.encoder, *model.decoder):
        for weight in (parameter for parameter in layer.parameters() if parameter.dim() > 1):
            bound = math.sqrt(6 / sum(weight.shape))
            assert 0.97 * bound < weight.abs().max().item() <= bound
            assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
