"""The model answers of the Transformer paper against torch's own modules, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer
from torch import nn
from torch.nn import functional

from course_lib.attention import sinusoidal_positions
from course_lib.attention.gates import gated_recurrence, unrolled_weights

BATCH, LENGTH, MODEL, HEADS = 2, 5, 12, 3


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps05_transformer")


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def self_attention(paper, layer, keep=None):
    """Several heads out of the paper's functions, with the weights of torch's module."""

    def attend(x):
        q, k, v = functional.linear(x, layer.in_proj_weight, layer.in_proj_bias).chunk(3, dim=-1)
        context, _ = paper.attention(*(paper.split_heads(part, HEADS) for part in (q, k, v)), keep)
        return layer.out_proj(paper.merge_heads(context))

    return attend


def test_without_a_summary_chos_step_is_torchs_gru_cell(paper):
    cell = nn.GRUCell(4, 6, bias=False, dtype=torch.float64)
    e, h, c = random(BATCH, 4), random(BATCH, 6, seed=1), random(BATCH, 3, seed=2)
    order = [1, 0, 2]  # torch has the reset gate first
    W, U = cell.weight_ih.reshape(3, 6, 4)[order], cell.weight_hh.reshape(3, 6, 6)[order]
    C = torch.zeros(3, 6, 3, dtype=torch.float64)
    torch.testing.assert_close(paper.cho_step(e, h, c, W, U, C), cell(e, h))


def test_gates_come_back_from_the_weights_that_they_leave(paper):
    gates = random(BATCH, LENGTH, 1).sigmoid()
    weights = unrolled_weights(gates)[..., 0]
    torch.testing.assert_close(paper.gates_from_weights(weights[:, -1]), gates[..., 0])
    assert paper.one_recurrence(weights).all()


def test_the_gates_of_attention_run_as_a_recurrence_give_its_context(paper):
    weights, values = random(BATCH, LENGTH).softmax(dim=-1), random(BATCH, LENGTH, 3, seed=1)
    gates = paper.gates_from_weights(weights).unsqueeze(-1).expand(-1, -1, 3)
    states = gated_recurrence(gates, values, torch.zeros(BATCH, 3, dtype=torch.float64))
    torch.testing.assert_close(states[:, -1], torch.einsum("bt,btd->bd", weights, values))


def test_attention_is_torchs(paper):
    q, k, v = random(BATCH, LENGTH, 4), random(BATCH, 7, 4, seed=1), random(BATCH, 7, 3, seed=2)
    keep = random(BATCH, LENGTH, 7, seed=3) > -1
    context, _ = paper.attention(q, k, v, keep)
    torch.testing.assert_close(context, functional.scaled_dot_product_attention(q, k, v, attn_mask=keep))
    plain, _ = paper.self_attention(q, torch.ones(BATCH, LENGTH) > 0)
    torch.testing.assert_close(plain, functional.scaled_dot_product_attention(q, q, q, scale=1.0))


def test_heads_mask_and_pre_norm_layer_make_torchs_encoder_layer(paper):
    layer = nn.TransformerEncoderLayer(
        MODEL, HEADS, 20, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64
    )
    for seed, norm in enumerate((layer.norm1, layer.norm2)):  # fresh ones are alike: a swap would not show
        norm.load_state_dict({"weight": random(MODEL, seed=seed), "bias": random(MODEL, seed=seed + 2)})
    tokens = torch.tensor([[5, 6, 7, 8, 9], [5, 6, 7, 0, 0]])
    keep, x = paper.decoder_keep(tokens, pad=0), random(BATCH, LENGTH, MODEL)

    def feed_forward(y):
        return layer.linear2(functional.relu(layer.linear1(y)))

    ours = paper.pre_norm_layer(
        x, self_attention(paper, layer.self_attn, keep), feed_forward, layer.norm1, layer.norm2
    )
    future = nn.Transformer.generate_square_subsequent_mask(LENGTH) < 0
    theirs = layer(x, src_mask=future, src_key_padding_mask=tokens == 0)
    torch.testing.assert_close(ours, theirs)


def test_steps_with_a_cache_are_torchs_causal_attention(paper):
    x = random(BATCH, LENGTH, MODEL)
    W = [random(size, MODEL, seed=size) for size in (4, 4, 3)]
    q, k, v = (x @ weight.T for weight in W)
    expected = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    cache = None
    for t in range(LENGTH):
        context, cache = paper.cached_step(x[:, t], cache, *W)
        torch.testing.assert_close(context, expected[:, t])


def test_positions_are_the_librarys_and_shifting_moves_along_them(paper):
    table = sinusoidal_positions(10, MODEL).double()
    positions = paper.encode_positions(torch.arange(10), MODEL)
    torch.testing.assert_close(positions.float().double(), table)
    torch.testing.assert_close(paper.shift(positions[:-3], 3), positions[3:])


def test_the_loss_is_torchs_cross_entropy_against_a_distribution(paper):
    logits, epsilon = random(BATCH, 3, 6), 0.1
    target = torch.tensor([[1, 5, 2], [4, 0, 0]])
    q = torch.full((4, 6), epsilon / 4, dtype=torch.float64)
    q[:, 0] = 0.0
    q[torch.arange(4), target[target != 0]] = 1 - epsilon
    expected = functional.cross_entropy(logits[target != 0], q)
    torch.testing.assert_close(paper.smoothed_loss(logits, target, 0, epsilon), expected)


def test_the_colleagues_split_is_caught_and_the_mended_one_is_not(paper):
    assert paper.mixes_positions(paper.broken_split, HEADS)
    assert not paper.mixes_positions(paper.split_heads, HEADS)


@pytest.mark.usefixtures("unchecked")
def test_the_model_answer_says_what_the_shipped_head_does(paper):
    names = vars(paper)
    [table] = [cell.source for cell in read("ps05_transformer").cells if cell.id == "ps05-head-table"]
    exec(table, names)
    before, after = (list(names["places"]).index(name) for name in ("before", "after"))
    alike, share = names["alike"] / names["rows"], names["shares"][1, 1] / names["rows"]
    assert share[before] > 0.25 > 0.1 > alike[before]
    assert share[after] < alike[after] / 2

    trace = names["translator"].attention_trace("I don't want to go there alone.", kind="encoder")
    weights = dict(zip(trace.queries, trace.weights[1, 1], strict=True))
    for piece, looked_at in (("▁want", "t"), (".", "▁alone"), ("▁I", "</s>"), ("▁don", "</s>")):
        assert weights[piece][trace.keys.index(looked_at)] > 0.5


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_scales_by_the_size_reads_it(tmp_path):
    answer = (
        "def attention(query, key, value, keep=None):\n"
        "    weights = (query @ key.transpose(-2, -1) / key.shape[-1]).softmax(dim=-1)\n"
        "    return weights @ value, weights"
    )
    outputs = run_with_answer(read("ps05_transformer"), "ps05-scaled", answer, tmp_path)
    [shown] = outputs["ps05-scaled-visible"]
    assert shown.evalue == (
        "attention, on the example of the text: α[batch 0, target 0, source 0] should be 0.731059, "
        "got 0.622459. You divided by the size; divide by its square root."
    )
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
    [shown] = outputs["ps05-scaled-hidden"]
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
