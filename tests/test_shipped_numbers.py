"""What ships still does what the register says: each trained model measured again on its whole test data.

Slow (minutes), so only `make test-full` runs it. Processors round differently, and one rounding can turn a
word: the tolerances are a fraction of what separates two models of the course.
"""

import math
from functools import partial

import pytest

from course_experiments.attention.at_work import application_results
from course_experiments.attention.reading import english, measure_links, perplexity
from course_experiments.recurrent.characters import load_text, nats
from course_experiments.recurrent.counting import FARTHEST, reach
from course_experiments.recurrent.next_frames import PROBE, errors_ahead, films, ink_ahead
from course_experiments.results import result
from course_experiments.translation.translators import measure
from course_experiments.words.contextual import nats_a_token, split
from course_lib.applications.contextual_reader import load_reader as load_contextual
from course_lib.applications.counter import load_counter
from course_lib.applications.frames import load_predictor
from course_lib.applications.language import load_character_lm
from course_lib.applications.shipped import APPLICATIONS, TRANSLATORS
from course_lib.applications.translator import load_translator
from course_lib.applications.word_reader import load_reader
from course_lib.checkpoints import FOLDER

pytestmark = pytest.mark.slow
Measured = dict[str, float]  # id in the register -> what is measured now


def translator(name: str) -> Measured:
    found, key = measure(load_translator(name)), f"translator-{name.replace('_', '-')}"
    return {
        f"{key}-bleu-greedy": found.bleu_greedy,
        f"{key}-bleu-beam5": found.bleu_beam,
        f"{key}-perplexity": found.perplexity,
        f"{key}-parameters": found.parameters,
        f"{key}-invented": 100 * found.invented,
    }


def application(name: str) -> Measured:
    found = application_results(name, FOLDER / f"app_{name}.safetensors", cpu_minutes=0)
    return {measured.id: measured.value for measured in found if not measured.id.endswith("cpu-minutes")}


def characters() -> Measured:
    model, vocabulary = load_character_lm()
    return {"character-lm-nats": nats(model, vocabulary.encode(load_text("Shakespeare").validation))}


def reader() -> Measured:
    model, texts = load_reader(), english("validation")
    links = measure_links(model, texts)
    backs = {f"reading-lstmn-back-{i}": share for i, share in enumerate(links.back, start=1)}
    return {
        "reading-lstmn-perplexity": perplexity(model, texts),
        "reading-lstmn-entropy": links.entropy,
    } | backs


def contextual() -> Measured:
    known = load_contextual()
    rows = [known.sentence(text.split()) for text in split()[1]]
    found = nats_a_token(known.model, rows, known.encoding.pad_id)
    sides = ("forward", "backward")
    return {f"contextual-perplexity-{side}": math.exp(nat) for side, nat in zip(sides, found, strict=True)}


def frames() -> Measured:
    found = errors_ahead(partial(ink_ahead, load_predictor()), films("test", PROBE, seed=1).frames)
    return {f"conv-lstm-conv-lstm-ahead-{k}": error for k, error in enumerate(found, start=1)}


SHIPPED = {
    **{f"translator_{name}": partial(translator, name) for name in TRANSLATORS},
    **{f"app_{name}": partial(application, name) for name in APPLICATIONS},
    "character_lm": characters,
    "lstmn_english": reader,
    "contextual": contextual,
    "conv_lstm_digits": frames,
}


def allowed(id: str) -> float:
    """How far a new measurement may be from the recorded one, in its unit."""
    if "bleu" in id:
        return 0.4
    if id.endswith("invented"):
        return 1.0  # % of 1,000 sentences
    if id.startswith("app-"):
        return 0.015  # shares of 300 and more
    return 0.01 * result(id).value


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_model_does_what_the_register_says(name: str) -> None:
    for id, value in SHIPPED[name]().items():
        assert value == pytest.approx(result(id).value, abs=allowed(id)), id


@pytest.mark.parametrize("letters", ["ab", "abc"])
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_a_shipped_counter_reads_as_far_as_the_median_of_its_five(kind: str, letters: str) -> None:
    key = f"counting-{kind}-{letters}"
    found = reach(load_counter(letters, kind), FARTHEST)  # type: ignore[arg-type]
    assert result(f"{key}-lowest").value <= found <= result(f"{key}-highest").value
