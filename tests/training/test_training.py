import math

import pytest
import sacrebleu
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from course_experiments.translation.translators import tokenise
from course_lib.data import SentencePair
from course_lib.data.batches import length_batches, pad
from course_lib.metrics.text import corpus_bleu, perplexity
from course_lib.seq2seq import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.training.loop import Schedule, fit, train_steps
from course_lib.training.objectives import next_token_loss, validation_loss

GENERATOR = torch.Generator().manual_seed(0)
INPUTS = torch.randn(40, 3, generator=GENERATOR)
TARGETS = INPUTS @ torch.tensor([[1.0], [-2.0], [0.5]])


class Cut(Exception):
    """Stands for a machine that is switched off."""


def run(folder, epochs=4, cut_in=None, measure=None, patience=9, **options):
    """Fit a linear model with dropout; `cut_in` ends the run in the middle of that epoch."""
    torch.manual_seed(3)
    model = nn.Sequential(nn.Dropout(0.3), nn.Linear(3, 1))

    def batches(epoch):
        order = torch.randperm(40, generator=torch.Generator().manual_seed(epoch))
        for position, chosen in enumerate(order.split(8)):
            if epoch == cut_in and position == 3:
                raise Cut
            yield INPUTS[chosen], TARGETS[chosen]

    progress = fit(
        model,
        lambda batch: (model(batch[0]) - batch[1]).square().mean(),
        batches,
        5,
        measure or (lambda: (model(INPUTS) - TARGETS).square().mean().item()),
        Schedule(epochs=epochs, learning_rate=0.05, warmup=3, patience=patience),
        folder,
        **options,
    )
    return model, progress


def weights(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def test_a_run_cut_off_anywhere_ends_like_one_that_never_was(tmp_path):
    whole, progress = run(tmp_path / "whole")
    for epoch in (0, 2, 3):
        with pytest.raises(Cut):
            run(tmp_path / "cut", cut_in=epoch)
    again, finished = run(tmp_path / "cut")
    assert torch.equal(weights(whole), weights(again))
    assert finished.history == progress.history and finished.stopped == "finished"


def test_a_pause_keeps_what_was_reached(tmp_path):
    whole, _ = run(tmp_path / "whole", epochs=2)
    _, paused = run(tmp_path / "run", epochs=2, minutes=0)
    assert paused.stopped == "paused" and paused.epoch == 1
    model, progress = run(tmp_path / "run", epochs=2)
    assert progress.stopped == "finished" and torch.equal(weights(model), weights(whole))


def test_training_stops_early_and_keeps_the_best_epoch(tmp_path):
    losses = iter([3.0, 1.0, 2.0, 2.0, 0.5])
    model, progress = run(tmp_path, epochs=9, patience=2, measure=lambda: next(losses))
    assert progress.stopped == "early" and progress.epoch == 4 and progress.best_epoch == 2
    second_epoch, _ = run(tmp_path / "two", epochs=9, patience=2, minutes=0, measure=lambda: 3.0)
    with pytest.raises(StopIteration):
        run(tmp_path / "three", epochs=9, measure=iter([3.0, 1.0]).__next__)
    reached = torch.load(tmp_path / "three" / "best.pt", weights_only=True)
    assert torch.equal(torch.cat([w.flatten() for w in reached.values()]), weights(model))
    assert not torch.equal(weights(second_epoch), weights(model))


def test_a_loss_that_is_no_number_is_said(tmp_path):
    with pytest.raises(
        FloatingPointError, match="validation loss is nan in epoch 1: lower the learning rate"
    ):
        run(tmp_path, measure=lambda: math.nan)


def test_gradients_are_clipped_before_the_step(tmp_path):
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    norms = []
    schedule = Schedule(epochs=1, learning_rate=0.1, warmup=1, clip=0.5)
    handle = register_optimizer_step_pre_hook(
        lambda optimizer, *_: norms.append(float(model.weight.grad.norm()))
    )
    try:
        fit(
            model,
            lambda x: (model(x) - 100).square().sum(),
            lambda _: [torch.ones(1, 1)] * 3,
            3,
            lambda: 0.0,
            schedule,
            tmp_path,
        )
    finally:
        handle.remove()
    assert norms == pytest.approx([0.5] * 3)


def test_the_learning_rate_climbs_then_falls_to_zero():
    schedule = Schedule(epochs=1, learning_rate=1.0, warmup=10)
    factors = [schedule.factor(step, 100) for step in range(101)]
    assert factors[0] == pytest.approx(0.1) and factors[9] == factors[10] == 1.0
    assert factors[100] == 0 and factors[55] == pytest.approx(0.5)


def test_batches_hold_every_pair_once_padded_at_the_end():
    pairs = [([i] * (i % 5 + 1), [1, *[i] * (i % 3), 2]) for i in range(3, 53)]
    for seed in (None, 0, 1):
        seen = []
        for batch in length_batches(pairs, 8, 0, seed):
            for source, target in zip(batch.source.tolist(), batch.target.tolist(), strict=True):
                seen.append(([i for i in source if i], [i for i in target if i]))
                assert source == seen[-1][0] + [0] * (len(source) - len(seen[-1][0]))
        assert sorted(seen) == sorted(pairs)
    first = [batch.source.tolist() for batch in length_batches(pairs, 8, 0, 1)]
    assert first == [batch.source.tolist() for batch in length_batches(pairs, 8, 0, 1)]
    assert first != [batch.source.tolist() for batch in length_batches(pairs, 8, 0, 2)]
    with pytest.raises(ValueError, match="size is 0"):
        next(length_batches(pairs, 0, 0))
    assert pad([[5], [6, 7]], 0).tolist() == [[5, 0], [6, 7]]


def test_bleu_with_unequal_numbers_of_references_is_sacrebleus():
    hypotheses = ["the cat is on the mat", "there is a dog in the park today"]
    references = [["the cat sat on the mat", "a cat is on the mat"], ["there is a dog in the park now"]]
    ours = corpus_bleu(hypotheses, references)
    # A reference given twice changes nothing, so sacrebleu may be asked with equal numbers.
    theirs = sacrebleu.corpus_bleu(
        hypotheses, [[references[0][0], references[1][0]], [references[0][1], references[1][0]]]
    )
    assert ours.score == pytest.approx(theirs.score)
    assert "version" in ours.signature


def test_bleu_worked_by_hand():
    # Six tokens, the last one wrong: of 6 words 5 match, of 5 pairs 4, of 4 triples 3, of 3 fours 2.
    hypothesis, reference = "a b c d e g", "a b c d e f"
    precisions = [5 / 6, 4 / 5, 3 / 4, 2 / 3]
    expected = 100 * math.exp(sum(map(math.log, precisions)) / 4)
    assert corpus_bleu([hypothesis], [[reference]]).score == pytest.approx(expected)


def test_wrong_references_are_refused():
    with pytest.raises(TypeError, match=r"references\[0\] is the string 'a b'"):
        corpus_bleu(["a b"], ["a b"])
    with pytest.raises(ValueError, match=r"references\[0\] is empty"):
        corpus_bleu(["a b"], [[]])
    with pytest.raises(ValueError, match="2 hypotheses came with 1"):
        corpus_bleu(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="no hypotheses"):
        corpus_bleu([], [])


def test_perplexity_of_a_uniform_model_is_the_vocabulary():
    assert perplexity(7 * math.log(50), 7) == pytest.approx(50)
    with pytest.raises(ValueError, match="tokens is 0"):
        perplexity(0.0, 0)


def test_the_loss_counts_no_padding():
    encoding = BytePairEncoding.train(["a b c d e f", "u v w"], 3)
    torch.manual_seed(0)
    model = EncoderDecoder("bahdanau", len(encoding), 8, 8).eval()
    pairs = tokenise([SentencePair("a b", "u"), SentencePair("a b c d e", "u v w u v w")], encoding)
    (together,) = length_batches(pairs, 2, encoding.pad_id)
    total, tokens = next_token_loss(model, together)
    alone = [next_token_loss(model, next(length_batches([pair], 1, encoding.pad_id))) for pair in pairs]
    assert tokens == sum(n for _, n in alone) == sum(len(target) - 1 for _, target in pairs)
    torch.testing.assert_close(total, sum(value for value, _ in alone))
    assert validation_loss(model, [together]) == pytest.approx(total.item() / tokens)


def test_an_untrained_uniform_model_loses_log_v():
    encoding = BytePairEncoding.train(["a b"], 1)
    model = EncoderDecoder("cho", len(encoding), 8, 8).eval()
    nn.init.zeros_(model.embedding.weight)
    batch = next(length_batches(tokenise([SentencePair("a", "b")], encoding), 1, encoding.pad_id))
    assert validation_loss(model, [batch]) == pytest.approx(math.log(len(encoding)))


def test_label_smoothing_spreads_a_share_of_the_target_over_the_vocabulary():
    encoding = BytePairEncoding.train(["a b c d e f", "u v w"], 3)
    torch.manual_seed(0)
    model = EncoderDecoder("bahdanau", len(encoding), 8, 8).eval()
    pairs = tokenise([SentencePair("a b", "u"), SentencePair("a b c d e", "u v w u v w")], encoding)
    (batch,) = length_batches(pairs, 2, encoding.pad_id)
    log_probs = model(batch.source, batch.target[:, :-1])[0].log_softmax(-1).detach()
    expected = 0.0
    for (_, target), row in zip(sorted(pairs, key=lambda pair: len(pair[0])), log_probs, strict=True):
        for token, scores in zip(target[1:], row, strict=False):
            expected -= float(0.9 * scores[token] + 0.1 * scores.mean())
    total, _ = next_token_loss(model, batch, label_smoothing=0.1)
    assert total.item() == pytest.approx(expected, rel=1e-5)
    plain, _ = next_token_loss(model, batch)
    assert plain.item() == pytest.approx(next_token_loss(model, batch, 0.0)[0].item())
    assert plain.item() != pytest.approx(expected, rel=1e-3)


def test_bare_steps_are_those_of_gradient_descent_by_hand():
    """f(w) = w² has the gradient 2w: w shrinks by a fifth of itself when the rate is 0.1."""
    weight = nn.Parameter(torch.tensor([10.0]))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    seen = list(train_steps((weight.square().sum() for _ in range(3)), optimizer))
    assert seen == pytest.approx([100.0, 64.0, 40.96])  # each loss is that of the newest weight
    assert weight.item() == pytest.approx(10 * 0.8**3)


def test_bare_steps_clip_before_the_step_and_then_change_the_rate():
    weight = nn.Parameter(torch.tensor([3.0, 4.0]))  # its gradient (6, 8) has norm 10
    optimizer = torch.optim.SGD([weight], lr=1.0)
    halve = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
    losses = train_steps((weight.square().sum() for _ in range(2)), optimizer, clip=1.0, scheduler=halve)
    next(losses)
    torch.testing.assert_close(weight.detach(), torch.tensor([2.4, 3.2]))  # one step of length 1
    next(losses)
    torch.testing.assert_close(weight.detach(), torch.tensor([2.1, 2.8]))  # then one of length ½
