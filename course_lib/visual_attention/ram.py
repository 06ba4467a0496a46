"""The recurrent attention model: look, remember, decide where to look next, and at last say what it is.

    ρ_t = retina(x, l_t)                               the glimpse
    g_t = ReLU(W [ReLU(W_ρ ρ_t); ReLU(W_l l_t)])       what was seen, and where
    h_t = ReLU(W_h h_{t−1} + W_g g_t)                  what is known by now
    μ_t = tanh(location network(h_t)),  l_{t+1} ~ N(μ_t, σ²)
    p(a | x, l) = softmax(W_a h_t)                     the answer, if this is the last glimpse

The retina passes no gradient to the place. So the location network learns by REINFORCE with the reward
log p(a* | x, l) of the true answer a*. Its mean is a lower bound: by Jensen's inequality

    E_{l ~ π}[log p(a* | x, l)]  ≤  log E_{l ~ π}[p(a* | x, l)]  =  log p(a* | x)

and the gradient of the bound has two terms. The first trains glimpse, core and answer, the second the places:

    E[ ∇ log p(a* | x, l)  +  Σ_t (log p(a* | x, l) − b_t) ∇ log π(l_t | h_{t−1}) ]

The answer is asked for after every glimpse, and the mean of these bounds is made large: a place is rewarded
for the answers from there on. The baseline b_t is what a linear layer expects of them before the glimpse; it
is fitted by its squared error alone. Location network and baseline see h detached: neither changes what is
remembered.

Mnih, Heess, Graves and Kavukcuoglu 2014, sections 3.1 and 3.2. There the answer is asked for once, and the
reward is 1 for a right one and 0 else; the bound as reward is that of Ba, Mnih and Kavukcuoglu 2015.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn
from torch.nn import functional

from course_lib.attention.hard import cost_to_go, sequence_surrogate
from course_lib.visual_attention.retina import look, sums


class Glimpses(NamedTuple):
    """What one run over a batch of pictures left; one draw of places, as at test time."""

    logits: Float[Tensor, "batch glimpses classes"]  # the answer if this glimpse were the last
    places: Float[Tensor, "batch glimpses 2"]  # l_1 … l_T; they carry no gradient
    log_probabilities: Float[Tensor, "batch glimpses"]  # log π(l_t); 0 where nothing was learned to be drawn
    baselines: Float[Tensor, "batch glimpses"]  # what the loss was expected to be, before each glimpse


class RecurrentAttentionModel(nn.Module):
    """Reads a picture glimpse by glimpse; the first is at its middle.

    Args:
        classes: answers.
        size: numbers along a side of a glimpse.
        scales: of the retina.
        glimpses: T, 1 or more.
        spread: σ of a place, in units of half a picture; above 0.
        hidden_size: of h; half of it for each of what was seen and where.
        at_random: draw places evenly over the picture instead: a control.

    Raises:
        ValueError: `glimpses` or `spread` is too small.
    """

    def __init__(
        self,
        classes: int,
        size: int = 12,
        scales: int = 3,
        glimpses: int = 6,
        spread: float = 0.1,
        hidden_size: int = 256,
        at_random: bool = False,
    ) -> None:
        super().__init__()
        if glimpses < 1:
            raise ValueError(f"glimpses is {glimpses}; allowed is 1 or more")
        if spread <= 0:
            raise ValueError(f"spread is {spread:g}; allowed is a number above 0")
        self.size, self.scales, self.glimpses = size, scales, glimpses
        self.spread, self.at_random = spread, at_random
        half = hidden_size // 2
        self.what = nn.Linear(scales * size**2, half)
        self.where = nn.Linear(2, half)
        self.joined = nn.Linear(2 * half, hidden_size)
        self.W_h = nn.Linear(hidden_size, hidden_size)
        self.W_g = nn.Linear(hidden_size, hidden_size)
        self.location = nn.Sequential(nn.Linear(hidden_size, half), nn.ReLU(), nn.Linear(half, 2), nn.Tanh())
        self.baseline = nn.Linear(hidden_size, 1)
        self.answer = nn.Linear(hidden_size, classes)

    def see(
        self, table: Float[Tensor, "batch rows columns"], places: Float[Tensor, "batch 2"]
    ) -> Float[Tensor, "batch hidden"]:
        """Return g_t, given the table of sums of the pictures."""
        seen = look(table, places, self.size, self.scales).flatten(1)
        both = torch.cat([functional.relu(self.what(seen)), functional.relu(self.where(places))], dim=1)
        return functional.relu(self.joined(both))

    def move(
        self, hidden: Float[Tensor, "batch hidden"], generator: Generator | None
    ) -> tuple[Float[Tensor, "batch 2"], Float[Tensor, "batch"]]:
        """Draw the next place; return it, detached, and log π of it without its constant."""
        if self.at_random:
            places = 2 * torch.rand(len(hidden), 2, generator=generator) - 1
            return places.to(hidden), hidden.new_zeros(len(hidden))
        mean = self.location(hidden.detach())
        noise = torch.randn(mean.shape, generator=generator).to(mean)
        places = (mean + self.spread * noise).detach()
        return places, -((places - mean) / self.spread).square().sum(dim=1) / 2

    def forward(
        self, pictures: Float[Tensor, "batch height width"], generator: Generator | None = None
    ) -> Glimpses:
        """Run once.

        Args:
            pictures: 0 to 1.
            generator: draws the places.
        """
        table = sums(pictures)
        hidden = pictures.new_zeros(len(pictures), self.W_h.in_features)
        places, log_probability = pictures.new_zeros(len(pictures), 2), pictures.new_zeros(len(pictures))
        steps = []
        for t in range(self.glimpses):
            if t > 0:
                places, log_probability = self.move(hidden, generator)
            expected = self.baseline(hidden.detach()).squeeze(1)
            hidden = functional.relu(self.W_h(hidden) + self.W_g(self.see(table, places)))
            steps.append((self.answer(hidden), places, log_probability, expected))
        return Glimpses(*(torch.stack(track, dim=1) for track in zip(*steps, strict=True)))


def ram_loss(run: Glimpses, labels: Int[Tensor, "batch"]) -> Float[Tensor, ""]:
    """Return a number whose gradient is, in the mean over draws, that of −(1/T) Σ_t E[log p(a* | x, l)].

    `sequence_surrogate` holds the term of REINFORCE, with a loss in place of a reward: what the answers from
    a draw on cost. Added is the squared error of the baselines, which reaches nothing else.

    Args:
        run: of the model.
        labels: a*.
    """
    steps = run.logits.shape[1]
    told = labels.unsqueeze(1).expand(-1, steps)
    losses = functional.cross_entropy(run.logits.movedim(2, 1), told, reduction="none") / steps
    error = (run.baselines - cost_to_go(losses).detach()).square().mean()
    return sequence_surrogate(losses, run.log_probabilities, run.baselines) + error
