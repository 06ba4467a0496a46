"""Train a decoder-only Transformer on the characters of Shakespeare, to stand beside an LSTM.

Both (the LSTM is "six" in `recurrent/characters.py`) read the same 90 % of the text, have about as many
weights, and get about as much processor time.
"""

from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.language import load_decoder_only, save_character_lm
from course_lib.data import load_tiny_shakespeare
from course_lib.seq2seq.one_stack import OneStack
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Progress, Schedule, fit

SIZES = {"model_size": 92, "heads": 4, "layers": 3, "feed_forward_size": 368, "window": 128}
SCHEDULE = Schedule(epochs=5, learning_rate=4e-3, warmup=100)
BATCH_SIZE = 8  # windows
SHORT_WINDOW = 64  # characters that the published model sees at most

PUBLISHED = 1.88
SOURCE = (
    "nanoGPT, README, “I only have a macbook”: a Transformer of 4 layers, 128 features, about 3 minutes on a "
    "laptop's CPU; same text and split, but a mean over random windows of 64 characters"
)


def windows(text: Int[Tensor, "length"], size: int, start: int = 0) -> Int[Tensor, "count size"]:
    """Cut a text into windows that lie side by side; what is left over at the end is dropped.

    Args:
        text: as long as a window or longer.
        size: tokens of a window.
        start: tokens left out at the beginning.
    """
    return text[start:].unfold(0, size, size)


@torch.no_grad()
def window_loss(model: OneStack, pieces: Int[Tensor, "count size"], first: int = 0) -> float:
    """Return −ln p, nats a token, of the tokens of each window that stand behind the one at `first`."""
    total = 0.0
    for batch in pieces.split(64):
        log_probabilities = model(batch[:, :-1])[0].log_softmax(dim=-1)
        total -= log_probabilities.gather(-1, batch[:, 1:, None])[:, first:].sum().item()
    return total / (pieces.shape[0] * (pieces.shape[1] - 1 - first))


@torch.no_grad()
def text_loss(model: OneStack, text: Int[Tensor, "length"]) -> float:
    """Return −ln p of a text, nats a token, where each token has more than half a window before it.

    Only the first half window has less, since the text begins there. A few tokens at the end are left out.

    Args:
        model: in eval mode.
        text: longer than a window.
    """
    half = model.window // 2
    pieces = text.unfold(0, model.window + 1, half)  # each begins in the middle of the one before
    begun, new = model.window, half * (len(pieces) - 1)  # tokens that the first and the others add
    total = begun * window_loss(model, pieces[:1]) + new * window_loss(model, pieces[1:], half)
    return total / (begun + new)


def train_decoder_only(
    folder: Path, minutes: float | None = None
) -> tuple[OneStack, CharacterVocabulary, Progress]:
    """Train on the first 90 % of the text; each epoch reads it once, cut into windows at other places.

    Args:
        folder: where the training state is kept.
        minutes: pause after about so many minutes of wall-clock time; None never pauses.
    """
    data = load_tiny_shakespeare()
    vocabulary = CharacterVocabulary(data.characters)
    torch.manual_seed(0)
    model = OneStack(len(vocabulary), **SIZES, causal=True)
    train, held_out = vocabulary.encode(data.train), vocabulary.encode(data.validation)
    count = len(train) // (model.window + 1) - 1  # windows in an epoch, wherever the first begins

    def batches(epoch: int) -> Iterator[Int[Tensor, "batch window"]]:
        generator = torch.Generator().manual_seed(epoch)
        start = int(torch.randint(model.window, (), generator=generator))
        cut = windows(train, model.window + 1, start)
        yield from cut[torch.randperm(count, generator=generator)].split(BATCH_SIZE)

    progress = fit(
        model,
        model.next_token_loss,
        batches,
        -(-count // BATCH_SIZE),
        lambda: window_loss(model, windows(held_out, model.window + 1)),
        SCHEDULE,
        folder,
        minutes,
    )
    return model.eval(), vocabulary, progress


def decoder_only_results(path: Path, cpu_minutes: float) -> list[Measurement]:
    """Measure the trained model on the last 10 % of the text, for the register.

    Args:
        path: its checkpoint.
        cpu_minutes: what the training took.
    """
    model, vocabulary = load_decoder_only(path)
    held_out = vocabulary.encode(load_tiny_shakespeare().validation)
    where = "nats a character on the last 10 % of tiny Shakespeare"
    measured = {
        "nats": (text_loss(model, held_out), f"{where}, each with 65 to 128 characters before it"),
        "windows": (
            window_loss(model, windows(held_out, SHORT_WINDOW + 1)),
            f"{where}, in windows of {SHORT_WINDOW}, each read from its beginning",
        ),
        "parameters": (sum(weight.numel() for weight in model.parameters()), "parameters"),
        "cpu-minutes": (cpu_minutes, "CPU minutes of training"),
    }
    published = {"nats": PUBLISHED, "windows": PUBLISHED}
    return [
        Measurement(
            id=f"decoder-only-{name}",
            experiment="decoder-only",
            metric=f"decoder-only Transformer: {what}",
            value=value,
            published=published.get(name),
            published_source=SOURCE if name in published else "",
        )
        for name, (value, what) in measured.items()
    ]


def run(budget: Budget) -> Outcome:
    """Train and measure."""
    model, vocabulary, progress = train_decoder_only(budget.folder, budget.minutes)
    if progress.stopped == "paused":
        return PAUSED
    path = budget.folder / CHECKPOINT
    save_character_lm(path, model, vocabulary, SIZES)
    return Outcome(decoder_only_results(path, progress.cpu_seconds / 60), [path])


CHECKPOINT = "decoder_only.safetensors"
EXPERIMENTS = [
    Experiment("decoder_only", "characters, decoder-only Transformer", 6, run, ships=(CHECKPOINT,))
]
