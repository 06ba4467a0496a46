"""Hard attention: look at one place, drawn at random, instead of at an average of all.

    soft   c = Σ_j α_j h_j
    hard   z ~ α,  c = h_z        (Xu et al. 2015, section 4.1)

The draw passes no gradient to α. The score function does, in the mean (REINFORCE, Williams 1992):

    ∇ E_z[L(z)] = E_z[∇ L(z) + (L(z) − b) ∇ log α_z]

for every baseline b that does not depend on z. A b near the mean of L makes the estimate less noisy.

Where a sequence has a draw at each step t, a draw can change no loss before it. So its L is the cost to go,
L_t + L_{t+1} + …
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.masks import masked_softmax
from course_lib.attention.scores import Attention


class Glimpse(NamedTuple):
    """What one look gave."""

    context: Float[Tensor, "batch key"]
    weights: Float[Tensor, "batch source"]
    location: Int[Tensor, "batch"]
    log_probability: Float[Tensor, "batch"]


class HardAttention(nn.Module):
    """Look at one position, drawn with the probabilities that soft attention uses as weights.

    Args:
        attention: how a position is scored.
    """

    def __init__(self, attention: Attention) -> None:
        super().__init__()
        self.attention = attention

    def forward(
        self,
        query: Float[Tensor, "batch query"],
        keys: Float[Tensor, "batch source key"],
        keep: Bool[Tensor, "batch source"],
        generator: torch.Generator | None = None,
    ) -> Glimpse:
        """Draw a position and return what stands there.

        Args:
            query: the decoder state.
            keys: the encoder states.
            keep: False at padding, which is never drawn.
            generator: source of the draw.

        Returns:
            context h_z, the probabilities, z, and log α_z, which alone carries a gradient to the score. A row
            that keeps nothing has context 0 and log probability 0.
        """
        weights = masked_softmax(self.attention.score(query, self.attention.project(keys)), keep)
        some = keep.any(1)
        drawable = torch.where(some.unsqueeze(1), weights, torch.ones_like(weights)).detach()
        location = torch.multinomial(drawable, 1, generator=generator)
        chosen = weights.gather(1, location).squeeze(1)
        log_probability = torch.where(some, chosen, torch.ones_like(chosen)).log()
        seen = keys[torch.arange(len(keys), device=keys.device), location.squeeze(1)]
        context = seen.masked_fill(~some.unsqueeze(1), 0)
        return Glimpse(context, weights, location.squeeze(1), log_probability)


def score_function_surrogate(
    loss: Float[Tensor, "batch"],
    log_probability: Float[Tensor, "batch"],
    baseline: Float[Tensor, "*batch"] | float = 0.0,
) -> Float[Tensor, ""]:
    """Return a number whose gradient is, in the mean over draws, that of the expected loss.

        mean(L + (L − b) log α_z), where L − b counts as a constant

    Args:
        loss: L(z) of each draw.
        log_probability: log α_z of each draw.
        baseline: b, which must not depend on z.
    """
    advantage = (loss - baseline).detach()
    return (loss + advantage * log_probability).mean()


def cost_to_go(losses: Float[Tensor, "batch steps"]) -> Float[Tensor, "batch steps"]:
    """Return the sum of the losses from each step on: all that a draw at that step can change."""
    return losses.flip(1).cumsum(1).flip(1)


def sequence_surrogate(
    losses: Float[Tensor, "batch steps"],
    log_probabilities: Float[Tensor, "batch steps"],
    baseline: Float[Tensor, "*batch steps"] | float = 0.0,
) -> Float[Tensor, ""]:
    """Return a number whose gradient is, in the mean over draws, that of the expected sum of losses.

        mean over the batch of Σ_t (L_t + (C_t − b_t) log α_{z_t}), C_t = L_t + L_{t+1} + …

    C − b counts as a constant.

    Args:
        losses: L_t, 0 where there is no step.
        log_probabilities: log α_{z_t}, 0 where nothing was drawn.
        baseline: b_t, which must not depend on the draws from step t on.
    """
    advantage = (cost_to_go(losses) - baseline).detach()
    return (losses + advantage * log_probabilities).sum(1).mean()


def expected_loss(
    weights: Float[Tensor, "batch source"], losses: Float[Tensor, "batch source"]
) -> Float[Tensor, ""]:
    """Return E_z[L(z)] exactly, by going through every position.

    Args:
        weights: α.
        losses: L(z) for each position z.
    """
    return (weights * losses).sum(1).mean()
