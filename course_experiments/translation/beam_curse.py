"""The beam-search curse: what wider beams do to translations, up to the exact search.

A wider beam finds strings that the model likes better. If the translations get worse all the same, the fault
is the model's (Koehn and Knowles 2017, section 3.6; Murray and Chiang 2018; Stahlberg and Byrne 2019).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.applications.translator import Translation, Translator, load_translator, translate_each
from course_lib.data import ReferencedSentence, load_tatoeba
from course_lib.decoding import Hypothesis, LengthPenalty, exact_search
from course_lib.metrics.text import corpus_bleu

MODELS = {"bahdanau": ("none", "average", "gnmt"), "transformer": ("none",)}  # and with which penalties
WIDTHS = (1, 2, 3, 5, 10, 20, 50)
PENALTIES = {
    "none": LengthPenalty(),
    "average": LengthPenalty("average"),
    "gnmt": LengthPenalty("gnmt", 0.6),
}
SENTENCES = 300  # of the test split, the first ones
LONGEST = 100  # of these: those with the most source pieces
MEANS = {
    "bleu": "BLEU",
    "ratio": "pieces written / pieces of the reference of nearest length",
    "log_prob": "log-probability, nats a sentence",
    "short": "share with under half of the shortest reference's pieces",
    "empty": "share of empty translations",
    "same": "a reference was written",
    "search": "the model prefers a reference to what was written",
    "model": "the model prefers what was written to every reference",
}


def log_probabilities(translator: Translator, source: str, targets: Sequence[str]) -> list[float]:
    """Return the model's log-probability of given translations, each cut into pieces in the usual way."""
    ids = [torch.tensor([*translator.target_encoding.encode(t), translator.eos_id]) for t in targets]
    padded = pad_sequence(ids, batch_first=True, padding_value=-1)
    state = translator.start([source] * len(ids))
    tokens, totals = torch.full((len(ids),), translator.bos_id), torch.zeros(len(ids), dtype=torch.float64)
    for following in padded.unbind(dim=1):
        log_probs, state = translator.step(tokens, state)
        tokens = following.clamp(min=0)
        gains = log_probs.gather(1, tokens.unsqueeze(1)).squeeze(1).double()
        totals += gains.where(following >= 0, 0.0)
    return totals.tolist()


class Quality(NamedTuple):
    """What a set of translations is worth."""

    bleu: float
    ratio: float  # pieces written to pieces of the reference of nearest length
    log_prob: float  # nats a sentence, the model's own
    short: float  # share with fewer than half of the pieces of the shortest reference, the empty ones too
    empty: float  # share


def quality(
    translator: Translator, sentences: Sequence[ReferencedSentence], translations: Sequence[Translation]
) -> Quality:
    """Measure translations; the end-of-sentence token counts as no piece."""
    encode = translator.target_encoding.encode
    written = [len(t.pieces) - t.finished for t in translations]
    lengths = [[len(encode(reference)) for reference in s.references] for s in sentences]
    nearest = [
        min(of, key=lambda length: (abs(length - n), length)) for of, n in zip(lengths, written, strict=True)
    ]
    count = len(sentences)
    return Quality(
        bleu=corpus_bleu([t.text for t in translations], [s.references for s in sentences]).score,
        ratio=sum(written) / sum(nearest),
        log_prob=sum(t.log_prob for t in translations) / count,
        short=sum(2 * n < min(of) for of, n in zip(lengths, written, strict=True)) / count,
        empty=sum(n == 0 for n in written) / count,
    )


class Judged(NamedTuple):
    """The best reference against what a search wrote, by the model's own probability: shares of sentences."""

    same: float  # a reference was written
    search: float  # the model prefers a reference: the search missed it
    model: float  # the model prefers what was written, and no reference says so


def judge(
    translations: Sequence[Translation], sentences: Sequence[ReferencedSentence], gold: Sequence[float]
) -> Judged:
    """Tell search errors from model errors.

    Args:
        translations: what a search wrote.
        sentences: with all their references.
        gold: the model's log-probability of the best reference of each sentence.
    """
    same = [t.text in s.references for t, s in zip(translations, sentences, strict=True)]
    missed = [
        not equal and likelier > t.log_prob
        for equal, likelier, t in zip(same, gold, translations, strict=True)
    ]
    shares = sum(same) / len(same), sum(missed) / len(same)
    return Judged(*shares, 1 - sum(shares))


def exact_translations(
    translator: Translator, texts: Sequence[str], known: Sequence[Translation]
) -> list[Translation | None]:
    """Translate by the exact search.

    Args:
        translator: a model with its encoding.
        texts: source sentences.
        known: what a beam wrote, to beat.

    Returns:
        one translation a sentence; None where the exact search, or the beam, came to no end.
    """
    pieces = translator.target_encoding.pieces
    piece_ids = {piece: i for i, piece in enumerate(pieces)}
    found: list[Translation | None] = []
    for text, beaten in zip(texts, known, strict=True):
        tokens = tuple(piece_ids[piece] for piece in beaten.pieces)
        best = beaten.finished and exact_search(
            translator.step,
            translator.start([text]),
            torch.tensor([translator.bos_id]),
            translator.eos_id,
            translator.longest,
            Hypothesis(tokens, beaten.log_prob, beaten.log_prob, True),
        )
        found.append(
            replace(
                beaten,
                text=translator.target_encoding.decode(best.tokens),
                pieces=tuple(pieces[i] for i in best.tokens),
                log_prob=best.log_prob,
                attention=None,
            )
            if best
            else None
        )
    return found


def curse_results(names: Sequence[str] = tuple(MODELS)) -> list[Measurement]:
    """Search test sentences with every width and penalty, and exactly; a quarter of a CPU hour for both."""
    sentences = load_tatoeba("fra").references("test")[:SENTENCES]
    return [
        Measurement(
            id=f"beam-curse-{name}-{key}",
            experiment="beam-curse",
            metric=f"{name}, {SENTENCES} test sentences of Tatoeba English-French: {metric}",
            value=value,
        )
        for name in names
        for key, metric, value in curse(load_translator(name), sentences, MODELS[name])
    ]


def curse(
    translator: Translator,
    sentences: Sequence[ReferencedSentence],
    kinds: Sequence[str] = tuple(PENALTIES),
    widths: Sequence[int] = WIDTHS,
    longest: int = LONGEST,
) -> Iterator[tuple[str, str, float]]:
    """Measure one translator.

    Args:
        translator: a model with its encoding.
        sentences: with all their references.
        kinds: of `PENALTIES`; without one, search errors are counted and the exact search follows.
        widths: of the beam; 1 is greedy.
        longest: how many of the longest sentences are measured apart.

    Yields:
        the key, the metric in words and the value of each number.

    Raises:
        ValueError: no sentence could be searched exactly.
    """
    sources = [sentence.source for sentence in sentences]
    by_length = sorted(range(len(sources)), key=lambda i: -len(translator.source_pieces(sources[i])))
    long = by_length[:longest]
    for kind in kinds:
        penalty, of_width = PENALTIES[kind], {}
        for k in widths:
            if k == 1 and kind != "none":
                continue  # greedy compares nothing
            of_width[k] = found = translate_each(translator, sources, k, penalty)
            what = f"beam {k}, {penalty.formula}"
            yield from _numbers(f"{kind}-{k}", what, quality(translator, sentences, found))
            of_long = quality(translator, [sentences[i] for i in long], [found[i] for i in long])
            where = f"{what}, the {len(long)} longest sources"
            yield from _numbers(f"{kind}-{k}-longest", where, of_long, ("bleu", "ratio"))
        if kind == "none":
            yield from _errors(translator, sentences, of_width)


def _errors(
    translator: Translator, sentences: Sequence[ReferencedSentence], plain: dict[int, list[Translation]]
) -> Iterator[tuple[str, str, float]]:
    """Hold beams without penalty against the references and against the exact search."""
    gold = [max(log_probabilities(translator, s.source, s.references)) for s in sentences]
    yield (
        "reference-log-prob",
        "log-probability of the best reference, nats a sentence",
        sum(gold) / len(gold),
    )
    for k in plain:
        yield from _numbers(f"judged-{k}", f"beam {k}, log p", judge(plain[k], sentences, gold))

    modes = exact_translations(translator, [s.source for s in sentences], plain[max(plain)])
    proved = [(i, mode) for i, mode in enumerate(modes) if mode is not None]
    yield "exact-proved", "sentences searched exactly", len(proved)
    some = [sentences[i] for i, _ in proved]
    rows = {"exact": [mode for _, mode in proved]} | {
        f"exact-{k}": [found[i] for i, _ in proved] for k, found in plain.items()
    }
    for key, found in rows.items():
        what = f"{key.replace('-', ' search beside beam ')}, {len(proved)} sentences"
        yield from _numbers(key, what, quality(translator, some, found))
        missed = sum(mode.pieces != t.pieces for (_, mode), t in zip(proved, found, strict=True))
        yield f"{key}-missed", f"{what}: share whose likeliest string is not found", missed / len(found)


def _numbers(
    key: str, what: str, values: Quality | Judged, names: Sequence[str] = tuple(MEANS)
) -> Iterator[tuple[str, str, float]]:
    for name, value in values._asdict().items():
        if name in names:
            yield f"{key}-{name.replace('_', '-')}", f"{what}: {MEANS[name]}", value


EXPERIMENTS = [
    Experiment(
        "beam_curse",
        "wider and wider beams, and the exact search, on two translators",
        15,
        measuring(curse_results),
    )
]
