"""What ships still does what the register says: each trained model measured again on its whole test data.

Slow (minutes), so only `make test-full` runs it. Processors round differently, and one rounding can turn a
word: the tolerances are a fraction of what separates two models of the course.
"""

import math
from collections.abc import Iterable
from functools import partial
from statistics import fmean

import numpy as np
import pytest
import torch

from course_experiments.attention import digit_strings, handwriting
from course_experiments.attention.at_work import application_results
from course_experiments.attention.decoder_only import decoder_only_results
from course_experiments.attention.dialogue import talker_results
from course_experiments.attention.reading import english, measure_links, perplexity
from course_experiments.captioning import scenes as captioning
from course_experiments.memory import babi, facts, tapes, two_ways
from course_experiments.recurrent.characters import load_text, nats
from course_experiments.recurrent.counting import FARTHEST, reach
from course_experiments.recurrent.next_frames import PROBE, errors_ahead, films, ink_ahead
from course_experiments.results import Measurement, result
from course_experiments.translation.translators import measure
from course_experiments.vision import canvases, describing, fooled, glimpses, pointing, shortcuts
from course_experiments.vision.pooling import accuracy, clothes
from course_experiments.words.contextual import nats_a_token, split
from course_experiments.words.word_vectors import accuracy_results
from course_lib.applications.captioner import load_captioner
from course_lib.applications.clothes import SHIPPED as CLOTHES
from course_lib.applications.clothes import load_clothes_network
from course_lib.applications.contextual_reader import load_reader as load_contextual
from course_lib.applications.counter import load_counter
from course_lib.applications.describer import load_describer
from course_lib.applications.digit_strings import SHIPPED as STRING_MODELS
from course_lib.applications.digit_strings import load_string_model
from course_lib.applications.frames import load_predictor
from course_lib.applications.glimpser import load_glimpser
from course_lib.applications.handwriting import load_line_reader
from course_lib.applications.language import load_character_lm
from course_lib.applications.memory_reader import load_dynamic_reader, load_memory_reader
from course_lib.applications.painter import load_painter
from course_lib.applications.pictures import load_picture_network
from course_lib.applications.shipped import APPLICATIONS, TRANSLATORS
from course_lib.applications.shipped import SHIPPED as FILES
from course_lib.applications.story_reader import babi_stories
from course_lib.applications.talker import SHIPPED as TALKER
from course_lib.applications.tapes import load_copier, load_two_ways
from course_lib.applications.translator import load_translator
from course_lib.applications.word_reader import load_reader
from course_lib.checkpoints import FOLDER
from course_lib.data.described_films import describe_films
from course_lib.data.mnist import load_mnist
from course_lib.vision import fast_gradient_sign, iterated_gradient_sign
from course_lib.visual_attention import ATTENTIONS
from course_lib.words.storage import load_word_vectors

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


def values(found: Iterable[Measurement]) -> Measured:
    return {measured.id: measured.value for measured in found if not measured.id.endswith("cpu-minutes")}


def application(name: str) -> Measured:
    return values(application_results(name, FOLDER / f"app_{name}.safetensors", cpu_minutes=0))


def decoder_only() -> Measured:
    return values(decoder_only_results(FOLDER / "decoder_only.safetensors", cpu_minutes=0))


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


def bits_copied(task: tapes.CopyTask) -> Measured:
    return values(tapes.measured("machine", task, load_copier(task), minutes=0))


def both_ways() -> Measured:
    return values(two_ways.measured("links", load_two_ways(), minutes=0))


def facts_told() -> Measured:
    known = load_dynamic_reader()
    told = facts.Told.of(babi.tasks([15], "test"), known.vocabulary)
    return values(facts.measured("dynamic_15", known.network, told, minutes=0))


def story(kind: str) -> Measured:
    known = load_memory_reader(kind)
    tasks = babi.TASKS if kind == "joint" else [babi.SHIPPED]
    errors = {
        f"babi-{kind}-{task:02}": babi.error(
            known.network, babi_stories(babi.tasks([task], "test"), known.vocabulary)
        )
        for task in tasks
    }
    if kind == "joint":
        return errors
    return errors | values(babi.supports(babi.SHIPPED, known.network, known.vocabulary))


def digits(which: str, file: str) -> Measured:
    network, (pixels, labels) = load_picture_network(file), fooled.digits("test")
    found = {}
    for epsilon in fooled.TRIED:
        attacked = fast_gradient_sign(network, pixels, labels, epsilon)
        told = fooled.error_and_confidence(network, attacked, labels)
        for what, share in zip(("error", "confidence"), told, strict=True):
            found[f"fooled-{which}-{what}-{100 * epsilon:.0f}"] = share
    attacked = iterated_gradient_sign(network, pixels, labels, fooled.EPSILON)
    return found | {f"fooled-{which}-steps-25": fooled.error_and_confidence(network, attacked, labels)[0]}


def scenes() -> Measured:
    tried = pointing.scenes("test", pointing.TEST_SCENES, np.random.default_rng(0))
    network = load_picture_network("clothes_on_scenes")
    found = {"pointing-kinds": pointing.kinds_right(network, tried)}
    for name, pointer in pointing.POINTERS.items():
        right, anything = pointing.hits(pointer, network, tried)
        found |= {f"pointing-{name}-trained": right, f"pointing-any-{name}-trained": anything}
    return found


def stack(kind: str) -> Measured:
    network, test = load_clothes_network(CLOTHES[kind]), clothes("test")
    left = shortcuts.deletions(network, *test)
    found = {"test": accuracy(network, *test), "deleted": fmean(left), "worst": min(left)}
    return {f"shortcuts-{kind}-{part}": share for part, share in found.items()}


def glimpser() -> Measured:
    test = glimpses.canvases("test", "translated")
    wrong = glimpses.error(glimpses.answers(load_glimpser(), test), test.labels)
    return {"glimpses-translated-ram-seed-0": wrong}


def painter() -> Measured:
    return {"draw-windows-bound-seed-0": canvases.mean_bound(load_painter(), "test")}


def describer() -> Measured:
    test = describe_films(load_mnist().test, describing.PROBE, torch.Generator().manual_seed(10_000))
    found = describing.scores(describing.written(load_describer(), test), test.sentences)
    return {f"films-both-{what}": share for what, share in found.items()}


def lines() -> Measured:
    return values(handwriting.measure(*load_line_reader()))


def digits_in_a_row(kind: str) -> Measured:
    model = load_string_model(kind)
    return {
        f"digit-strings-{kind}-{name}": 100
        * digit_strings.digit_error(model, digit_strings.new_strings(lengths))
        for name, lengths in (("known", digit_strings.KNOWN), ("longer", digit_strings.LONGER))
    }


def talker() -> Measured:
    return values(talker_results("attention", [TALKER], minutes=[0]))


def captioner(name: str) -> Measured:
    found = captioning.judged(load_captioner(name))
    return {f"captions-{name}-{key}": value for key, value in found.items()}


MODELS = {
    **{f"translator_{name}": partial(translator, name) for name in TRANSLATORS},
    **{f"app_{name}": partial(application, name) for name in APPLICATIONS},
    "character_lm": characters,
    "decoder_only": decoder_only,
    "lstmn_english": reader,
    "contextual": contextual,
    "conv_lstm_digits": frames,
    "ram_translated": glimpser,
    "draw_windows": painter,
    "films_both": describer,
    "line_reader": lines,
    "talker": talker,
    **{path.stem: partial(digits_in_a_row, kind) for kind, path in STRING_MODELS.items()},
    **{f"captions_{name}": partial(captioner, name) for name in ATTENTIONS},
    **{f"tape_{task}": partial(bits_copied, task) for task in tapes.LESSONS},
    "two_ways": both_ways,
    "facts_dynamic_15": facts_told,
    **{f"babi_{kind}": partial(story, kind) for kind in ("joint", "single")},
    **{
        file.partition(".")[0]: partial(digits, which, file.partition(".")[0])
        for which, file in fooled.CHECKPOINTS.items()
    },
    "clothes_on_scenes": scenes,
    **{f"clothes_{kind}_shortcuts": partial(stack, kind) for kind in CLOTHES},
}
SEVERAL = (
    "fooled",
    "pointing",
    "shortcuts",
    "digit-strings",
    "captions-none",
    "captions-soft",
    "captions-hard",
)  # the register has the mean of three seeds; one of them ships
COUNTERS = [(kind, letters) for kind in ("lstm", "gru") for letters in ("ab", "abc")]


def test_every_model_is_measured_again() -> None:
    elsewhere = {f"count_{kind}_{letters}" for kind, letters in COUNTERS} | {"word_vectors"}
    assert {*MODELS, *elsewhere} == {name.partition(".")[0] for name in FILES if "bpe" not in name}


def allowed(id: str) -> float:
    """How far a new measurement may be from the recorded one, in its unit."""
    recorded = result(id)
    if recorded.experiment in SEVERAL:  # of three numbers none is 1.16 deviations from their mean
        # And weights are rounded to 8 bits: points of %, of thousands of pictures or of 250 words.
        return 1.16 * (recorded.spread or 0) + (3.0 if id.startswith("captions-") else 1.5)
    if "bleu" in id:
        return 0.4
    if id.startswith(("babi-", "facts-")):
        return 1.0  # % of 1,000 questions
    if id.startswith("lines-"):
        return 0.2  # % of 10,000 characters
    if id.startswith(("films-", "glimpses-")):
        return 1.0  # % of 1,000 films, of 2,000 digits
    if id.startswith(("tape-", "two-ways-")):
        return 0.1  # % of thousands of bits
    if id.endswith("invented"):
        return 1.0  # % of 1,000 sentences
    if id.startswith("talker-"):  # of two numbers each is 0.71 deviations from their mean
        return 0.71 * (recorded.spread or 0) + 0.01 * recorded.value
    if id.startswith("app-"):
        return 0.015  # shares of 300 and more
    return 0.01 * recorded.value


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_shipped_model_does_what_the_register_says(name: str) -> None:
    for id, value in MODELS[name]().items():
        assert value == pytest.approx(result(id).value, abs=allowed(id)), id


@pytest.mark.slow
def test_shipped_word_vectors_know_what_those_of_all_words_know() -> None:
    """Fewer words to choose among can only make an answer right that was wrong."""
    for found in accuracy_results("skip-gram", "ours", [load_word_vectors()]):
        recorded = result(found.id)
        assert found.value >= recorded.value - 1.16 * (recorded.spread or 0) - 1.0, found.id


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "letters"), COUNTERS)
def test_a_shipped_counter_reads_as_far_as_the_median_of_its_five(kind: str, letters: str) -> None:
    key = f"counting-{kind}-{letters}"
    found = reach(load_counter(letters, kind), FARTHEST)  # type: ignore[arg-type]
    assert result(f"{key}-lowest").value <= found <= result(f"{key}-highest").value
