"""Captioners against a plain version written from the papers' equations, and what padding may not change."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.data.special import BEGIN, END, PAD
from course_lib.decoding import beam_search, greedy_search
from course_lib.visual_attention import (
    ATTENTIONS,
    AnnotationEncoder,
    Captioner,
    ShowAndTellDecoder,
    caption_decoder,
    doubly_stochastic_penalty,
    scene_captioner,
)

WORDS = ("a", "red", "fish")


def captioner(attention, grid=4, features=3):
    """Annotation vectors are given, so the encoder does nothing."""
    torch.manual_seed(0)
    decoder = caption_decoder(attention, grid, features, 4, 5, 2)
    return Captioner(nn.Identity(), decoder, WORDS, 4).double().eval()


def annotations(count=2, places=16):
    return torch.randn(count, places, 3, generator=torch.Generator().manual_seed(1)).double()


def lstm(cell, x, h, c):
    """One step for one example, gate by gate."""
    i, f, g, o = (cell.weight_ih @ x + cell.bias_ih + cell.weight_hh @ h + cell.bias_hh).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def plain_soft(model, a, caption):
    """Xu et al. 2015, equations 1 to 7 and 13, for one picture, place by place."""
    d, e = model.decoder, model.embedding.weight
    h, c = (torch.tanh(layer(a.mean(dim=0))) for layer in (d.first_hidden, d.first_cell))
    logits, weights = [], []
    for y in caption.tolist():
        scores = [
            d.attention.v.weight[0] @ torch.tanh(d.attention.W.weight @ h + d.attention.U.weight @ a_i)
            for a_i in a
        ]
        total = sum(score.exp() for score in scores)
        alpha = [score.exp() / total for score in scores]
        beta = 1 / (1 + torch.exp(-(d.gate.weight[0] @ h + d.gate.bias[0])))
        z = beta * sum(weight * a_i for weight, a_i in zip(alpha, a, strict=True))
        h, c = lstm(d.cell, torch.cat([e[y], z]), h, c)
        logits.append(
            model.L_o.weight @ (e[y] + d.L_h.weight @ h + d.L_h.bias + d.L_z.weight @ z) + model.L_o.bias
        )
        weights.append(torch.stack(alpha))
    return torch.stack(logits), torch.stack(weights)


def test_soft_attention_is_what_the_paper_writes():
    model, a = captioner("soft"), annotations()
    captions = model.encode(["a red fish", "fish a red"])[:, :-1]
    run = model(a, captions)
    for i in range(2):
        logits, weights = plain_soft(model, a[i], captions[i])
        torch.testing.assert_close(run.logits[i], logits)
        torch.testing.assert_close(run.weights[i], weights)


def test_the_expected_context_is_the_weighted_sum():
    """Soft attention sees what hard attention sees in the mean."""
    soft, hard, a, word = captioner("soft"), captioner("hard"), annotations(1), torch.tensor([BEGIN])
    hard.load_state_dict(soft.state_dict())

    _, step = soft.look(word, soft.start(a))
    at_each = [
        hard.decoder(hard.embedding(word), hard.start(a), torch.tensor([place])).context[0]
        for place in range(16)
    ]
    expected = sum(weight * one for weight, one in zip(step.weights[0], at_each, strict=True))
    torch.testing.assert_close(step.context[0], expected)


@pytest.mark.parametrize("grid", [4, 8])
def test_show_and_tell_sees_the_picture_once_and_before_the_first_word(grid):
    model, a = captioner("none", grid), annotations(places=grid**2)
    captions = model.encode(["a red fish", "fish a red"])[:, :-1]
    run = model(a, captions)
    d = model.decoder
    for i in range(2):
        blocks = a[i].reshape(4, grid // 4, 4, grid // 4, 3)  # the mean of each of 4×4 blocks
        columns = blocks.mean(dim=(1, 3)).permute(2, 0, 1).flatten()
        zero = torch.zeros(5, dtype=torch.float64)
        h, c = lstm(d.cell, d.see(columns), zero, zero)
        for t, y in enumerate(captions[i].tolist()):
            h, c = lstm(d.cell, model.embedding.weight[y], h, c)
            torch.testing.assert_close(run.logits[i, t], model.L_o(torch.tanh(d.readout(h))))
    assert run.weights is None and run.log_probabilities is None


def test_the_penalty_by_hand():
    weights = torch.tensor([[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.5, 0.5]]])
    real = torch.tensor([[True, True], [True, False]])
    # Looks: 1.5 and 0.5; 0.25 and 0.75. So 0.25 + 0.25, and 0.5625 + 0.0625; their mean is 0.5625.
    assert doubly_stochastic_penalty(weights, real).item() == pytest.approx(0.5625)
    even = torch.full((1, 4, 4), 0.25)
    assert doubly_stochastic_penalty(even, torch.ones(1, 4, dtype=torch.bool)).item() == pytest.approx(0)


@pytest.mark.parametrize("attention", ["none", "soft"])
def test_padding_changes_no_loss_no_penalty_and_no_gradient(attention):
    model, a = captioner(attention), annotations()

    def gradients(padding):
        model.zero_grad()
        captions = functional.pad(model.encode(["a red fish", "fish"]), (0, padding), value=PAD)
        run, following = model(a, captions[:, :-1]), captions[:, 1:]
        loss = functional.cross_entropy(run.logits.transpose(1, 2), following, ignore_index=PAD)
        if run.weights is not None:
            loss = loss + doubly_stochastic_penalty(run.weights, following != PAD)
        loss.backward()
        return [loss.detach(), *(p.grad.clone() for p in model.parameters())]

    for short, long in zip(gradients(0), gradients(3), strict=True):
        torch.testing.assert_close(short, long)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_search_finds_what_the_whole_run_says(attention):
    model, a = captioner(attention), annotations()
    first = torch.full((2,), BEGIN)
    found = greedy_search(model.step, model.start(a), first, END, 6)
    for i, hypothesis in enumerate(found):
        tokens = torch.tensor([[BEGIN, *hypothesis.tokens]])
        log_probs = model(a[i : i + 1], tokens[:, :-1]).logits.log_softmax(dim=-1)
        total = log_probs.gather(2, tokens[:, 1:].unsqueeze(2)).sum().item()
        assert hypothesis.log_prob == pytest.approx(total)
    for one, best in zip(found, beam_search(model.step, model.start(a), first, END, 6, 1), strict=True):
        assert best.hypotheses[0].tokens == one.tokens
    # A caption that never ends gives the best unfinished one.
    with torch.no_grad():
        model.L_o.bias[END] = -1e9
    never = beam_search(model.step, model.start(a), first, END, 6, 3)
    assert all(len(r.hypotheses[0].tokens) == 6 and not r.hypotheses[0].finished for r in never)


def test_captions_become_numbers_and_words_again():
    model = captioner("soft")
    numbers = model.encode(["a red fish", "fish"])
    assert numbers.tolist() == [[BEGIN, 3, 4, 5, END], [BEGIN, 5, END, PAD, PAD]]
    assert model.decode(numbers[0, 1:].tolist()) == "a red fish" and model.decode([3, 4]) == "a red"
    for wrong in ("a blue fish", ""):
        with pytest.raises(ValueError, match="unknown words"):
            model.encode([wrong])


def test_annotation_vectors_lie_where_the_maps_lie():
    torch.manual_seed(0)
    encoder = AnnotationEncoder((2, 3, 4), 16).eval()
    pixels = torch.rand(1, 3, 16, 16)
    found = encoder(pixels)
    assert found.shape == (1, 16, 4) and encoder.grid == 4
    maps = encoder.convolutions(pixels)
    torch.testing.assert_close(found[0, 7], maps[0, :, 1, 3])  # row by row: 7 = 4·1 + 3


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="attention is 'firm'"):
        caption_decoder("firm", 4, 3, 4, 5, 2)
    with pytest.raises(ValueError, match="grid is 6; allowed are multiples of 4"):
        ShowAndTellDecoder(6, 3, 4, 5)
    with pytest.raises(ValueError, match="side is 30; allowed are multiples of 4"):
        AnnotationEncoder((2, 3, 4), 30)
    model = scene_captioner("soft", WORDS, 16, (2, 3, 4), 4, 5, 2)
    with pytest.raises(ValueError, match="pixels are 20×20; allowed is 16×16"):
        model.start(torch.rand(1, 3, 20, 20))
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.start(2 + torch.rand(1, 3, 16, 16))


def test_an_untrained_captioner_is_about_as_unsure_as_can_be():
    model = captioner("soft")
    captions = model.encode(["a red fish"])
    logits = model(annotations(1), captions[:, :-1]).logits
    loss = functional.cross_entropy(logits.transpose(1, 2), captions[:, 1:]).item()
    assert abs(loss - math.log(6)) < 1
