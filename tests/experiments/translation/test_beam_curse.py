"""What is counted of translations, against counting by hand."""

import math

import pytest
import torch

from course_experiments.translation.beam_curse import curse, judge, log_probabilities, quality
from course_experiments.translation.translators import tokenise
from course_lib.applications.translator import Translation, Translator
from course_lib.data import ReferencedSentence, SentencePair
from course_lib.data.batches import length_batches
from course_lib.seq2seq import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.training.objectives import next_token_loss


@pytest.fixture(scope="module")
def translator() -> Translator:
    torch.manual_seed(0)
    encoding = BytePairEncoding.train(["a b c où va là ! là où"], 4)
    return Translator(EncoderDecoder("bahdanau", len(encoding), 8, 8), encoding, "random")


def test_a_given_translation_costs_what_teacher_forcing_says(translator: Translator) -> None:
    targets = ["où va là", "va", "là où va ! où"]
    found = log_probabilities(translator, "a b c", targets)
    for target, log_prob in zip(targets, found, strict=True):
        ids = tokenise([SentencePair("a b c", target)], translator.encoding)
        (batch,) = length_batches(ids, 1, translator.encoding.pad_id)
        with torch.no_grad():
            assert log_prob == pytest.approx(-float(next_token_loss(translator.model, batch)[0]), rel=1e-5)


def wrote(text: str, log_prob: float, translator: Translator, finished: bool = True) -> Translation:
    pieces = [translator.encoding.pieces[i] for i in translator.encoding.encode(text)]
    return Translation(text, (*pieces, *["</s>"] * finished), (), log_prob, finished, None)


def test_what_is_short_empty_and_how_long_it_is_by_hand(translator: Translator) -> None:
    def size(text: str) -> int:
        return len(translator.encoding.encode(text))

    long, short = "là où va là où va", "là où va"
    sentences = [ReferencedSentence("a", (long, short)), ReferencedSentence("b", (long,))] * 2
    texts = [short, "là", "", long]
    found = quality(
        translator, sentences, [wrote(text, -2.0, translator, i < 3) for i, text in enumerate(texts)]
    )
    # The references of nearest length: the short one, the long one, the short one, the long one.
    wanted = (size(short) + size("là") + size(long)) / (2 * size(short) + 2 * size(long))
    assert found.ratio == pytest.approx(wanted)
    assert found.empty == 0.25 and found.short == 0.5 and found.log_prob == -2.0
    assert 0 < found.bleu < 100


def test_search_errors_are_told_from_model_errors(translator: Translator) -> None:
    sentences = [ReferencedSentence("a", ("là", "où"))] * 4
    found = [wrote("où", -5.0, translator), *(wrote("va", total, translator) for total in (-3.0, -1.0, -2.0))]
    judged = judge(found, sentences, gold=[-1.0, -2.0, -2.0, -2.5])
    assert judged == (0.25, 0.25, 0.5)  # a reference; worse than one; two that the model prefers


def test_a_translator_gives_each_number_once(translator: Translator) -> None:
    with torch.no_grad():
        translator.model.bias[translator.eos_id] = 2.0  # it comes to an end, and so does the exact search
    sentences = [ReferencedSentence("a b", ("où va",)), ReferencedSentence("c", ("là !", "où"))]
    numbers = list(curse(translator, sentences, widths=(1, 3), longest=1))
    values = {key: value for key, _, value in numbers}
    assert len(values) == len(numbers) and all(math.isfinite(value) for value in values.values())
    assert {"none-1-bleu", "average-3-longest-ratio", "judged-3-search", "exact-missed"} <= set(values)
    assert "average-1-bleu" not in values  # greedy compares nothing
    assert values["exact-missed"] == 0 <= values["exact-3-missed"] <= values["exact-1-missed"]
    assert values["exact-log-prob"] >= values["exact-3-log-prob"] - 1e-6
