"""A small task for soft and hard looks: words said slowly, to be written down.

Each letter of a real word is held for one to three frames. At times a silence follows, and always between two
equal letters: "all" may be said a a l l l - l.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.hard import HardAttention, cost_to_go, sequence_surrogate
from course_lib.data.slow_words import SYMBOLS, stretched_batches
from course_lib.data.special import BEGIN, END, PAD
from course_lib.seq2seq.decoders import LuongDecoder
from course_lib.seq2seq.looks import Look, Looked, look_with
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.seq2seq.online import OnlineTransducer, online_loss
from course_lib.training.loop import train_steps

Way = Literal["soft", "hard, no baseline", "hard, baseline", "online, baseline"]
EMBEDDING_SIZE, HIDDEN_SIZE = 32, 64
LEARNING_RATE, ENTROPY_BONUS = 3e-3, 0.1
KEPT = 0.9  # share of the old in the running mean that serves hard attention as baseline


@dataclass
class Learner:
    """One model that learns to write slow words down.

    Args:
        way: how it aligns: soft attention; hard attention, trained by the score function without or with a
            baseline (the running mean of the cost to go, Xu et al. 2015, section 4.1); or online.
        seed: draws the first weights and all that is drawn in training.

    Raises:
        ValueError: no such way.
    """

    way: Way
    seed: int = 0
    generator: torch.Generator = field(init=False)
    model: EncoderDecoder | OnlineTransducer = field(init=False)

    def __post_init__(self) -> None:
        if self.way not in get_args(Way):
            raise ValueError(f"way is {self.way!r}; allowed are {', '.join(map(repr, get_args(Way)))}")
        torch.manual_seed(self.seed)
        self.generator = torch.Generator().manual_seed(self.seed)
        self.expected = torch.zeros(64)  # cost to go at each step, for targets of up to 64 symbols
        if self.way == "online, baseline":
            self.model = OnlineTransducer(len(SYMBOLS), EMBEDDING_SIZE, HIDDEN_SIZE)
        else:
            self.model = EncoderDecoder("luong_general", len(SYMBOLS), EMBEDDING_SIZE, HIDDEN_SIZE)

    def look(self) -> Look:
        """Return the soft or the hard look of an encoder-decoder."""
        assert isinstance(self.model.decoder, LuongDecoder)
        attention = self.model.decoder.attention
        if self.way == "soft":
            return lambda query, keys, keep, step: attention(query, keys, keep)
        hard = HardAttention(attention)
        return lambda query, keys, keep, step: hard(query, keys, keep, self.generator)

    def write(self, source: Int[Tensor, "batch frames"], target: Int[Tensor, "batch target"]) -> Looked:
        """Write true symbols with the look of an encoder-decoder."""
        assert isinstance(self.model, EncoderDecoder)
        begin = torch.full((len(target), 1), BEGIN)
        return look_with(self.model, self.look(), source, torch.cat([begin, target], dim=1))

    def loss(
        self, source: Int[Tensor, "batch frames"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, ""]:
        """Return what training makes small."""
        if isinstance(self.model, OnlineTransducer):
            return online_loss(
                self.model(source, target, generator=self.generator), entropy_bonus=ENTROPY_BONUS
            )
        looked = self.write(source, with_end(target))
        if looked.log_probabilities is None:
            return looked.losses.sum(1).mean()
        steps = looked.losses.shape[1]
        baseline = self.expected[:steps].clone() if self.way == "hard, baseline" else 0.0
        costs = cost_to_go(looked.losses.detach()).mean(0)
        self.expected[:steps] = KEPT * self.expected[:steps] + (1 - KEPT) * costs
        return sequence_surrogate(looked.losses, looked.log_probabilities, baseline)

    @torch.no_grad()
    def measure(self, source: Int[Tensor, "batch frames"], target: Int[Tensor, "batch target"]) -> float:
        """Return nats a letter, the true letters before it given; what is drawn is drawn."""
        if isinstance(self.model, OnlineTransducer):
            losses = self.model(source, target, generator=self.generator).losses
        else:
            losses = self.write(source, target).losses
        return losses.sum().item() / int((target != PAD).sum())


def with_end(target: Int[Tensor, "batch target"]) -> Int[Tensor, "batch target+1"]:
    """Put "</s>" after the last symbol of each target."""
    longer = nn.functional.pad(target, (0, 1), value=PAD)
    return longer.scatter(1, (target != PAD).sum(1, keepdim=True), END)


def learning_curve(
    learner: Learner, words: Sequence[str], updates: int, measured: int = 10
) -> dict[int, float]:
    """Train on nine words of ten, 32 at a time; return nats a letter on the others, by number of updates.

    Args:
        learner: what is trained.
        words: real words.
        updates: how long.
        measured: how often to measure, the start not counted.
    """
    optimizer = torch.optim.Adam(learner.model.parameters(), lr=LEARNING_RATE)
    training = [word for i, word in enumerate(words) if i % 10]
    (held_out,) = stretched_batches(words[::10], 128, 1, seed=99)
    curve = {0: learner.measure(*held_out)}
    losses = (learner.loss(*batch) for batch in stretched_batches(training, 32, updates, learner.seed))
    for update, _ in enumerate(train_steps(losses, optimizer, clip=1.0), start=1):
        if update % max(1, updates // measured) == 0:
            curve[update] = learner.measure(*held_out)
    return curve
