"""Who asks the source? Nobody, the decoder's first state once for all, its last state, or the last word too.

The same encoder and the same budget for each, three seeds, on numbers that are read out in German: there the
right digit of every word is known, and it jumps ahead and back.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import torch

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_lib.data.batches import Batch
from course_lib.data.special import PAD
from course_lib.data.spoken_numbers import SYMBOLS, number_batches
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.training.loop import train_steps
from course_lib.training.objectives import next_token_loss

SEEDS, STEPS, BATCH_SIZE, LEARNING_RATE, PAIRS_OF_DIGITS = 3, 400, 64, 3e-3, 5
ASKS = {  # decoder -> what asks
    "cho": "no look, one summary",
    "bahdanau_fixed": "the first state, once for all steps",
    "bahdanau": "the last state",
    "bahdanau_word": "the last state and the last word",
    "luong_general": "the new state, which has read the last word",
}


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


def measure(decoder: str, seed: int) -> float:
    """Train on drawn numbers of up to five pairs of digits; return % of the words wrong on others."""
    torch.manual_seed(seed)
    model = EncoderDecoder(decoder, len(SYMBOLS), embedding_size=32, hidden_size=64)
    train(model, number_batches(BATCH_SIZE, PAIRS_OF_DIGITS, seed), STEPS)
    return words_wrong(model, list(islice(number_batches(BATCH_SIZE, PAIRS_OF_DIGITS, 1000 + seed), 20)))


def run(budget: Budget) -> Outcome:
    """Train every decoder with every seed; measure."""
    jobs = [(decoder, seed) for decoder in ASKS for seed in range(SEEDS)]
    wrong = sweep(budget, jobs, lambda decoder, seed, _: measure(decoder, seed))
    if wrong is None:
        return PAUSED
    return Outcome(
        [
            over_seeds(
                f"questions-{decoder.replace('_', '-')}-wrong",
                "questions",
                f"who asks: {what}; % of words wrong, numbers of up to {2 * PAIRS_OF_DIGITS} digits read out "
                f"in German, {STEPS} updates, {SEEDS} seeds",
                wrong[decoder],
            )
            for decoder, what in ASKS.items()
        ]
    )


EXPERIMENTS = [Experiment("questions", "who asks the source, lecture 11", 5, run)]
