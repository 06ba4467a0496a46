"""Talk as a sequence task: what was said, and the reply (Vinyals and Le 2015).

Two ways. A language model of characters reads on from one speech to the next. A talker is an encoder–decoder:
with attention it looks back at every piece of what was said, without it has one vector. Both kinds learn from
the same short exchanges, as often, in the same sizes. The question to each: is the true reply cheaper after
what was truly said than after something else?
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds
from course_experiments.results import Measurement
from course_lib.applications.talker import SHIPPED, heard, load_talker, save_talker, told
from course_lib.applications.translator import Translator
from course_lib.data.batches import Batch, length_batches, pad
from course_lib.data.shakespeare import Exchange, exchanges, load_tiny_shakespeare
from course_lib.data.special import BEGIN, END, PAD
from course_lib.recurrent.language_model import LanguageModel
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Schedule, fit
from course_lib.training.objectives import next_token_loss, validation_loss

LONGEST = 200  # characters of a speech, its name counted
MERGES = 500
SIZES = {"embedding_size": 48, "hidden_size": 64}
DROPOUT, BATCH, RATE = 0.1, 32, 1.5e-2  # the rate serves attention better than 5e-3 on held-out exchanges
PASSES, SEEDS = 8, 2
KINDS = {"attention": "bahdanau", "no-attention": "cho"}  # name in the register -> decoder


@torch.no_grad()
def reply_nats(model: LanguageModel, vocabulary: CharacterVocabulary, said: str, reply: str) -> float:
    """Return what a reply costs in nats a character, its speaker's name not counted.

    Args:
        model: of characters, in eval mode.
        vocabulary: of the model.
        said: the speech before, with its name.
        reply: with its name; it has at least one line of words.

    Raises:
        ValueError: the reply has no words, or a character that the model does not know.
    """
    name, _, words = reply.partition("\n")
    if not words:
        raise ValueError(f"reply is {reply!r}; allowed is a name, a new line and words")
    given = vocabulary.encode(f"{said}\n\n{name}\n")
    tokens = torch.cat([given, vocabulary.encode(words)])
    logits, _ = model(tokens[None, :-1])
    log_probs = logits[0, len(given) - 1 :].log_softmax(dim=-1)
    return -log_probs.gather(1, tokens[len(given) :, None]).mean().item()


def short_exchanges(play: str) -> list[Exchange]:
    """Return the exchanges of a play in which neither speech has more than 200 characters."""
    return [each for each in exchanges(play) if max(map(len, each)) <= LONGEST]


def after_another(talk: Sequence[Exchange], same_name: bool = False, seed: int = 0) -> list[Exchange]:
    """Put each reply behind the speech before another reply.

    Args:
        talk: two exchanges or more.
        same_name: who spoke stays, only the words are another's.
        seed: draws which speech comes before which reply.

    Raises:
        ValueError: there are fewer than two exchanges.
    """
    if len(talk) < 2:
        raise ValueError(f"talk has {len(talk)} exchanges; allowed is 2 or more")
    order = np.random.default_rng(seed).permutation(len(talk))
    other = dict(zip(order, np.roll(order, 1), strict=True))
    found = []
    for i, exchange in enumerate(talk):
        said = talk[other[i]].said
        if same_name:
            said = exchange.said.partition("\n")[0] + "\n" + said.partition("\n")[2]
        found.append(Exchange(said, exchange.reply))
    return found


def talk_ids(talk: Sequence[Exchange], encoding: BytePairEncoding) -> list[tuple[list[int], list[int]]]:
    """Return (what was heard </s>, <s> what was told </s>) as ids."""
    return [
        ([*encoding.encode(heard(each)), END], [BEGIN, *encoding.encode(told(each)), END]) for each in talk
    ]


@torch.no_grad()
def talker_nats(talker: Translator, talk: Sequence[Exchange]) -> Float[Tensor, "replies"]:
    """Return what each reply costs a talker in nats, teacher-forced: its words, without name and end mark."""
    found = []
    pairs = talk_ids(talk, talker.encoding)
    for start in range(0, len(pairs), 64):
        source, target = (pad(side, PAD) for side in zip(*pairs[start : start + 64], strict=True))
        logits, _ = talker.model(source, target[:, :-1])
        following = target[:, 1:].masked_fill(target[:, 1:] == END, PAD)
        nats = functional.cross_entropy(logits.mT, following, ignore_index=PAD, reduction="none")
        found.append(nats.sum(dim=1))
    return torch.cat(found)


@cache
def talk_pieces() -> BytePairEncoding:
    """Learn pieces from the training part of the plays."""
    return BytePairEncoding.train(load_tiny_shakespeare().train.split("\n"), MERGES)


def train_talker(
    kind: str,
    seed: int,
    folder: Path,
    minutes: float | None = None,
    passes: int = PASSES,
    most: int | None = None,
) -> float | None:
    """Train a talker, or go on; write its checkpoint at the end.

    Args:
        kind: one of `KINDS`.
        seed: of weights, dropout and order.
        folder: of this training.
        minutes: pause after about so many; None never pauses.
        passes: how long.
        most: how many exchanges to learn from; None takes all.

    Returns:
        the CPU minutes that it took; None where it is paused.
    """
    torch.manual_seed(seed)
    encoding = talk_pieces()
    pairs = talk_ids(short_exchanges(load_tiny_shakespeare().train)[:most], encoding)
    border = len(pairs) * 9 // 10
    train, held_out = pairs[:border], list(length_batches(pairs[border:], 64, PAD))
    model = EncoderDecoder(KINDS[kind], len(encoding), **SIZES, dropout=DROPOUT)

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    def batches(epoch: int) -> Iterator[Batch]:
        return length_batches(train, BATCH, PAD, seed=1000 * seed + epoch)

    progress = fit(
        model,
        loss,
        batches,
        -(-len(train) // BATCH),
        lambda: validation_loss(model, held_out),
        Schedule(passes, RATE, warmup=50, patience=passes),
        folder,
        minutes,
    )
    if progress.stopped == "paused":
        return None
    save_talker(folder / SHIPPED.name, model.eval(), encoding)
    return progress.cpu_seconds / 60


def run(kind: str, budget: Budget) -> Outcome:
    """Train a kind with each seed, and measure."""
    over = budget.clock()
    folders = [budget.folder / f"seed-{seed}" for seed in range(SEEDS)]
    costs: list[float] = []
    for seed, folder in enumerate(folders):
        cost = None if over() else train_talker(kind, seed, folder, budget.minutes)
        if cost is None:
            return PAUSED
        costs.append(cost)
    paths = [folder / SHIPPED.name for folder in folders]
    return Outcome(talker_results(kind, paths, costs), paths[:1])


def talker_results(kind: str, paths: Sequence[Path], minutes: Sequence[float]) -> list[Measurement]:
    """Measure talkers on the exchanges that nothing was trained on or chosen by.

    Args:
        kind: one of `KINDS`.
        paths: their checkpoints.
        minutes: what each training took.
    """
    talk = short_exchanges(load_tiny_shakespeare().validation)
    asked = {
        "true": ("after what was truly said", talk),
        "words": ("after the same speaker with another's words", after_another(talk, same_name=True)),
        "speech": ("after another speech", after_another(talk)),
    }
    talkers = [load_talker(path) for path in paths]
    pieces = sum(len(talkers[0].encoding.encode(told(each))) for each in talk)
    characters = sum(len(told(each)) for each in talk)
    where = f"{len(talk)} short exchanges of the last tenth of the plays"
    nats = {name: [talker_nats(t, each).sum().item() for t in talkers] for name, (_, each) in asked.items()}
    values = {
        name: (
            f"perplexity a piece of the reply {asked[name][0]}, {where}",
            [math.exp(n / pieces) for n in each],
        )
        for name, each in nats.items()
    }
    values["character"] = (
        f"nats a character of the reply after what was truly said, {where}",
        [each / characters for each in nats["true"]],
    )
    values["cpu-minutes"] = "CPU minutes of training", list(minutes)
    return [
        over_seeds(
            f"talker-{kind}-{name}",
            "talker",
            f"talker, {kind.replace('-', ' ')}: {what}",
            each,
        )
        for name, (what, each) in values.items()
    ]


EXPERIMENTS = [
    Experiment(
        "talker",
        "replies in a play, with attention, lecture 11d",
        5,
        partial(run, "attention"),
        ships=(SHIPPED.name,),
    ),
    Experiment("talker_without", "the same without attention", 3, partial(run, "no-attention")),
]
