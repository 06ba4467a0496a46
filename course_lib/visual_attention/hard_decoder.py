"""Show, Attend and Tell with hard attention: before each word, one place, drawn at random.

    s_t ~ α_t,  ẑ_t = β_t a_{s_t}

The likelihood of a caption is a sum over all ways to look, too many to count. Its lower bound is trained,
by draws (Xu et al. 2015, equations 10 to 12):

    L_s = Σ_s p(s | a) log p(y | s, a)  ≤  log Σ_s p(s | a) p(y | s, a) = log p(y | a)
    ∂L_s ≈ ∂ log p(y | s̃, a) + λ_r (log p(y | s̃, a) − b) ∂ log p(s̃ | a) + λ_e ∂ H(s̃)

b is a moving mean of earlier captions' log-likelihood. The entropy H keeps the looking open. Here the part of
a caption that was written before a draw is left out of that draw's reward: it could not change it.

The authors' code draws half of the time only, and takes the mean otherwise, as soft attention does. Here
`drawn` says how often. After training, the likeliest place is looked at.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention import cost_to_go, sequence_surrogate, weighted_mean
from course_lib.visual_attention.soft_decoder import SoftAttentionDecoder
from course_lib.visual_attention.steps import CaptionRun, CaptionState, CaptionStep, Words

KEPT = 0.9  # share of the baseline that stays when a new batch comes


class HardAttentionDecoder(SoftAttentionDecoder):
    """Look at one place: drawn in training, the likeliest afterwards.

    Args:
        features, embedding_size, hidden_size, attention_size: as of soft attention.
        drawn: share of the looks in training that are drawn; the others take the mean.
    """

    def __init__(
        self,
        features: int,
        embedding_size: int,
        hidden_size: int,
        attention_size: int,
        drawn: float = 1.0,
    ) -> None:
        super().__init__(features, embedding_size, hidden_size, attention_size)
        self.drawn = drawn

    def forward(
        self,
        embedded: Float[Tensor, "batch embedding"],
        state: CaptionState,
        place: Int[Tensor, "batch"] | None = None,
    ) -> CaptionStep:
        """Look, then take the previous word.

        Args:
            embedded: the previous word.
            state: before this step.
            place: where to look; None draws it, or takes the likeliest.
        """
        weights = self.weights(state)
        if place is None and self.training:
            place = torch.multinomial(weights.detach(), 1)
            looks = torch.rand_like(weights[:, :1]) < self.drawn
        else:
            place = (weights.argmax(dim=1) if place is None else place).unsqueeze(1)
            looks = torch.ones_like(place, dtype=torch.bool)
        # A look at one place is a mean that has all its weight there.
        there = torch.zeros_like(weights).scatter_(1, place, 1.0)
        context = weighted_mean(torch.where(looks, there, weights), state.annotations)
        log_probability = torch.where(looks, weights.gather(1, place), 1.0).log().squeeze(1)
        return self.after(context, embedded, state)._replace(weights=weights, log_probability=log_probability)


class MovingBaseline(nn.Module):
    """What a caption's words from each step on have cost of late: m_t ← 0.9 m_t + 0.1 C_t.

    After n batches b_t = m_t / (1 − 0.9ⁿ), as if there had been no zero to begin with.

    Args:
        longest: most words of a caption, `END` counted.
    """

    costs: Tensor
    batches: Tensor

    def __init__(self, longest: int) -> None:
        super().__init__()
        self.register_buffer("costs", torch.zeros(longest))
        self.register_buffer("batches", torch.zeros(()))

    def update(
        self, to_go: Float[Tensor, "batch time"], real: Float[Tensor, "batch time"]
    ) -> Float[Tensor, "time"]:
        """Return the baseline from the batches before, 0 at the first; then take this batch in.

        Args:
            to_go: C_t = L_t + L_{t+1} + … of each caption.
            real: 1 where there is a word, 0 at padding.

        Raises:
            ValueError: captions longer than the longest.
        """
        time, longest = to_go.shape[1], len(self.costs)
        if time > longest:
            raise ValueError(f"captions have {time} words; allowed are up to {longest}")
        before = self.costs[:time] / (1 - KEPT**self.batches).clamp(min=1e-9)
        now = (to_go * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)
        self.costs.mul_(KEPT).add_((1 - KEPT) * functional.pad(now, (0, longest - time)))
        self.batches.add_(1)
        return before


def hard_attention_loss(
    run: CaptionRun,
    following: Words,
    pad_id: int,
    baseline: MovingBaseline,
    reward: float,
    entropy: float,
    label_smoothing: float = 0.0,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Return a number whose gradient estimates that of −L_s, and the estimate of −L_s in nats.

    Args:
        run: of one draw for each caption.
        following: the true words.
        pad_id: stands where there is no word.
        baseline: from earlier batches; takes this one in.
        reward: λ_r; with 1, and λ_e 0, the gradient is right in the mean.
        entropy: λ_e.
        label_smoothing: share of each word's target that is spread over all words; then L is that loss.

    Returns:
        both are means over captions.

    Raises:
        ValueError: the run drew nothing.
    """
    if run.log_probabilities is None or run.weights is None:
        raise ValueError("the run drew no place; allowed are runs of hard attention")
    real = (following != pad_id).to(run.weights)
    losses = functional.cross_entropy(
        run.logits.transpose(1, 2),
        following,
        ignore_index=pad_id,
        reduction="none",
        label_smoothing=label_smoothing,
    )
    expected = baseline.update(cost_to_go(losses.detach()), real)
    surrogate = sequence_surrogate(losses, reward * real * run.log_probabilities, expected.expand_as(losses))
    open_looks = (torch.special.entr(run.weights).sum(dim=2) * real).sum(dim=1).mean()
    return surrogate - entropy * open_looks, losses.detach().sum(dim=1).mean()
