"""Hard alignment while the input comes in: read a frame, then decide whether to write (Luo et al. 2016).

    h_j = GRU([x_j; y_last; b_{j-1}], h_{j-1})
    b_j ~ Bernoulli(σ(w · h_j))                write now, or read on?
    p(y | h_j)                                 what is written where b_j = 1

The net never looks ahead and never looks back: where it writes is its alignment. The decisions are drawn, so
they are trained by the score function, with a baseline that the state predicts. A bonus for the entropy of
the decisions keeps them open at first.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.hard import cost_to_go, sequence_surrogate


class OnlineRun(NamedTuple):
    """One pass over the input."""

    emits: Bool[Tensor, "batch frames"]  # where a symbol was written
    probabilities: Float[Tensor, "batch frames"]  # of writing
    losses: Float[Tensor, "batch frames"]  # -log p of the symbol written there, in nats; 0 where none was
    log_probabilities: Float[Tensor, "batch frames"]  # of the decision; 0 where there was no choice
    entropy: Float[Tensor, "batch frames"]  # of the decision, in nats; 0 where there was no choice
    baseline: Float[Tensor, "batch frames"]  # the cost to go, as the state foretells it


class OnlineTransducer(nn.Module):
    """Write symbols while reading frames.

    Args:
        symbols: number of frame and target symbols, both together; 0 is padding.
        embedding_size: features of a symbol.
        hidden_size: features of a state.
    """

    def __init__(self, symbols: int, embedding_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(symbols, embedding_size, padding_idx=0)
        self.cell = nn.GRUCell(2 * embedding_size + 1, hidden_size)
        self.emit = nn.Linear(hidden_size, 1)
        self.write = nn.Linear(hidden_size, symbols)
        self.foretell = nn.Linear(hidden_size, 1)

    def step(
        self,
        frame: Int[Tensor, "batch"],
        last: Int[Tensor, "batch"],
        emitted: Bool[Tensor, "batch"],
        hidden: Tensor,
    ) -> tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch"]]:
        """Read one frame; return the state and the log-odds of writing now."""
        inputs = [self.embedding(frame), self.embedding(last), emitted.unsqueeze(1).to(hidden)]
        hidden = self.cell(torch.cat(inputs, dim=1), hidden)
        return hidden, self.emit(hidden).squeeze(1)

    def forward(
        self,
        source: Int[Tensor, "batch frames"],
        target: Int[Tensor, "batch target"],
        decisions: Bool[Tensor, "batch frames"] | None = None,
        generator: torch.Generator | None = None,
    ) -> OnlineRun:
        """Read, and write the true target (teacher forcing) at the frames that are drawn.

        Every symbol is written once: with as many frames left as symbols, the net must write; with none left
        to write, it reads on.

        Args:
            source: frames, padding after the last one.
            target: symbols to write, padding after the last one.
            decisions: the outcome of each draw, to score given decisions; None draws.
            generator: source of the draws.

        Raises:
            ValueError: a target has more symbols than its source has frames.
        """
        frames, symbols = (source != 0).sum(1), (target != 0).sum(1)
        if (symbols > frames).any():
            raise ValueError(
                f"target has {symbols.tolist()} symbols; allowed are at most {frames.tolist()}, one a frame"
            )
        written, last = torch.zeros_like(frames), torch.zeros_like(frames)
        emitted, hidden = written.bool(), self.emit.weight.new_zeros(len(source), self.hidden_size)
        steps = []
        for t, frame in enumerate(source.unbind(dim=1)):
            hidden, logit = self.step(frame, last, emitted, hidden)
            probability = torch.sigmoid(logit)
            forced = frames - t <= symbols - written
            free = (written < symbols) & ~forced  # never so at padding: no frame is left there
            drawn = (
                torch.rand(len(source), generator=generator) < probability
                if decisions is None
                else decisions[:, t]
            )
            emitted = (written < symbols) & (forced | drawn)
            wanted = target.gather(1, written.clamp(max=target.shape[1] - 1).unsqueeze(1)).squeeze(1)
            loss = functional.cross_entropy(self.write(hidden), wanted, reduction="none") * emitted
            surprise = functional.binary_cross_entropy_with_logits(logit, emitted.to(logit), reduction="none")
            entropy = functional.binary_cross_entropy_with_logits(logit, probability, reduction="none")
            foretold = self.foretell(hidden.detach()).squeeze(1)
            steps.append((emitted, probability, loss, -surprise * free, entropy * free, foretold))
            last = torch.where(emitted, wanted, last)
            written = written + emitted
        return OnlineRun(*(torch.stack(parts, dim=1) for parts in zip(*steps, strict=True)))

    @torch.no_grad()
    def transcribe(self, source: Int[Tensor, "batch frames"]) -> list[list[tuple[int, int]]]:
        """Write freely: wherever writing is more likely than not, the likeliest symbol.

        Returns:
            of each source (frame, symbol) for all that was written.
        """
        last = torch.zeros(len(source), dtype=torch.long, device=source.device)
        emitted, hidden = last.bool(), self.emit.weight.new_zeros(len(source), self.hidden_size)
        written: list[list[tuple[int, int]]] = [[] for _ in source]
        for t, frame in enumerate(source.unbind(dim=1)):
            hidden, logit = self.step(frame, last, emitted, hidden)
            emitted = (logit > 0) & (frame != 0)
            last = torch.where(emitted, self.write(hidden)[:, 1:].argmax(1) + 1, last)
            for i in emitted.nonzero().flatten().tolist():
                written[i].append((t, int(last[i])))
        return written


def online_loss(run: OnlineRun, baseline: bool = True, entropy_bonus: float = 0.0) -> Float[Tensor, ""]:
    """Return what to make small: the surrogate, the error of the foretold cost, less the bonus.

    Args:
        run: one pass over the input.
        baseline: whether the foretold cost is taken off.
        entropy_bonus: how many nats of loss a nat of entropy is worth.
    """
    foretold = run.baseline.detach() if baseline else 0.0
    surrogate = sequence_surrogate(run.losses, run.log_probabilities, foretold)
    error = (run.baseline - cost_to_go(run.losses).detach()).square() * (run.entropy > 0)
    return surrogate + error.sum(1).mean() - entropy_bonus * run.entropy.sum(1).mean()
