"""What does a decoder ask the source with? Nothing, its first state, its last one, or also the last word.

The same encoder and the same budget for each, three seeds. Two tasks: numbers read out in German, where the
right digit of every word is known, and short English sentences with their French translations.
"""

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import torch

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.translators import tokenise
from course_lib.applications.translator import SHIPPED_ENCODING, Translator, translate_all
from course_lib.data import SentencePair, load_tatoeba
from course_lib.data.batches import Batch, length_batches
from course_lib.data.special import PAD
from course_lib.data.spoken_numbers import SYMBOLS, number_batches
from course_lib.metrics.text import corpus_bleu
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.training.loop import train_steps
from course_lib.training.objectives import next_token_loss, validation_loss

SEEDS, BATCH_SIZE, LEARNING_RATE = 3, 64, 3e-3
ASKS = {  # decoder -> what asks
    "cho": "no look, one summary",
    "bahdanau_fixed": "the first state, once for all steps",
    "bahdanau": "the last state",
    "bahdanau_word": "the last state and the last word",
    "luong_general": "the new state, which has read the last word",
}
ON_NUMBERS = ("cho", "bahdanau_fixed", "bahdanau")  # is a row of weights for every step worth it?
ON_SENTENCES = ("bahdanau", "bahdanau_word", "luong_general")  # does it help to know the last word?
NUMBER_STEPS, PAIRS_OF_DIGITS = 400, 5
SENTENCE_STEPS, MOST_WORDS = 400, 7


def train(model: EncoderDecoder, batches: Iterator[Batch], steps: int) -> EncoderDecoder:
    """Train for some batches, by Adam with a rate that falls to 0; return the model in evaluation mode."""
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, total_iters=steps)

    def losses() -> Iterator[torch.Tensor]:
        for batch in islice(batches, steps):
            total, tokens = next_token_loss(model, batch)
            yield total / tokens

    for _ in train_steps(losses(), optimizer, clip=1.0, scheduler=falling):
        pass
    return model.eval()


@torch.no_grad()
def words_wrong(model: EncoderDecoder, batches: Sequence[Batch]) -> float:
    """Return % of the target words that are not the likeliest next word, the true ones before them given."""
    wrong, words = 0, 0
    for source, target in batches:
        likeliest = model(source, target[:, :-1])[0].argmax(dim=-1)
        real = target[:, 1:] != PAD
        wrong += int((likeliest != target[:, 1:])[real].sum())
        words += int(real.sum())
    return 100 * wrong / words


def on_numbers(decoder: str, seed: int) -> dict[str, float]:
    """Train on drawn numbers of up to five pairs of digits; measure on others."""
    torch.manual_seed(seed)
    model = EncoderDecoder(decoder, len(SYMBOLS), embedding_size=32, hidden_size=64)
    train(model, number_batches(BATCH_SIZE, PAIRS_OF_DIGITS, seed), NUMBER_STEPS)
    others = list(islice(number_batches(BATCH_SIZE, PAIRS_OF_DIGITS, 1000 + seed), 20))
    return {"numbers-wrong": words_wrong(model, others)}


def short(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    """Return the pairs whose source has few words."""
    return [pair for pair in pairs if len(pair.source.split()) <= MOST_WORDS]


def on_sentences(decoder: str, seed: int) -> dict[str, float]:
    """Train a small translator on short sentences; measure it on those of the test."""
    data, encoding = load_tatoeba("fra"), BytePairEncoding.load(SHIPPED_ENCODING)
    torch.manual_seed(seed)
    model = EncoderDecoder(decoder, len(encoding), 64, 96, encoding.pad_id, dropout=0.1)
    pairs = tokenise(short(data.train), encoding)

    def batches() -> Iterator[Batch]:
        for epoch in range(SENTENCE_STEPS):
            yield from length_batches(pairs, BATCH_SIZE, encoding.pad_id, seed=1000 * seed + epoch)

    train(model, batches(), SENTENCE_STEPS)
    test = list(length_batches(tokenise(short(data.test), encoding), 128, encoding.pad_id))
    asked = [s for s in data.references("test") if len(s.source.split()) <= MOST_WORDS]
    written = translate_all(Translator(model, encoding, decoder), [s.source for s in asked])
    return {
        "sentences-perplexity": math.exp(validation_loss(model, test)),
        "sentences-bleu": corpus_bleu(written, [s.references for s in asked]).score,
    }


class Job(NamedTuple):
    """One training."""

    task: str
    decoder: str
    seed: int

    def told(self, folder: Path) -> dict[str, float]:
        """Train and measure, or read what an earlier run has measured."""
        path = folder / f"{self.task}-{self.decoder}-{self.seed}.json"
        if not path.exists():
            measure = {"numbers": on_numbers, "sentences": on_sentences}[self.task]
            path.write_text(json.dumps(measure(self.decoder, self.seed)), encoding="utf8")
        found: dict[str, float] = json.loads(path.read_text(encoding="utf8"))
        return found


METRICS = {
    "numbers-wrong": f"% of words wrong, numbers of up to {2 * PAIRS_OF_DIGITS} digits read out in German, "
    f"{NUMBER_STEPS} updates",
    "sentences-perplexity": f"perplexity, Tatoeba English-French, test sentences of up to {MOST_WORDS} "
    f"words, {SENTENCE_STEPS:,} updates",
    "sentences-bleu": f"BLEU, greedy, the same sentences, {SENTENCE_STEPS:,} updates",
}


def run(task: str, decoders: Sequence[str], budget: Budget) -> Outcome:
    """Train decoders with every seed on a task; measure."""
    over = budget.clock()
    found: dict[tuple[str, str], list[float]] = {}
    for decoder in decoders:
        for seed in range(SEEDS):
            if over():
                return PAUSED
            for metric, value in Job(task, decoder, seed).told(budget.folder).items():
                found.setdefault((decoder, metric), []).append(value)
    return Outcome(
        [
            Measurement(
                f"questions-{decoder.replace('_', '-')}-{metric}",
                "questions",
                f"who asks: {ASKS[decoder]}; {METRICS[metric]}, {SEEDS} seeds",
                fmean(values),
                stdev(values),
            )
            for (decoder, metric), values in found.items()
        ]
    )


EXPERIMENTS = [
    Experiment(
        f"questions_{task}",
        "what a decoder asks the source with, lecture 11",
        minutes,
        partial(run, task, some),
    )
    for task, some, minutes in (("numbers", ON_NUMBERS, 3), ("sentences", ON_SENTENCES, 5))
]
