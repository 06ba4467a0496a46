"""Fine-tuning: a network trained on many pictures learns a new task from few.

A network is a row of stages. The first ones are *frozen*: they compute, and nothing in them moves. That asks
for two things, and the second is often forgotten: no gradients for their weights, and no training mode, in
which batch normalisation moves its running mean although no gradient asks it to. Here no stage is ever in
training mode, frozen or not: the statistics of a few new pictures would replace those of a million old ones.

Frozen stages give the same answer for a picture in every pass, so it is computed once.

Yosinski et al. 2014, *How transferable are features in deep neural networks?*
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

LOOKED_AT_ONCE = 50  # pictures


class FineTuned(nn.Module):
    """The first stages of a trained network, and a new readout.

    Args:
        stages: from pictures to maps; the network is changed where it is trained.
        frozen: how many stages stay as they are.
        features: channels of the last stage.
        classes: of the new task.

    Raises:
        ValueError: `frozen` is below 0 or above the number of stages.
    """

    def __init__(self, stages: nn.Sequential, frozen: int, features: int, classes: int) -> None:
        super().__init__()
        if not 0 <= frozen <= len(stages):
            raise ValueError(f"frozen is {frozen}; allowed is 0 to {len(stages)}")
        self.frozen, self.trained = stages[:frozen].requires_grad_(False), stages[frozen:]
        self.readout = nn.Linear(features, classes)
        self.eval()

    def train(self, mode: bool = True) -> "FineTuned":
        """Stay in evaluation mode, whatever is asked for: running statistics are not to move."""
        return super().train(False)

    @torch.no_grad()
    def look(self, pictures: Float[Tensor, "pictures channels height width"]) -> Tensor:
        """Return what the frozen stages make of pictures."""
        return torch.cat([self.frozen(few) for few in pictures.split(LOOKED_AT_ONCE)])

    def judge(self, seen: Tensor) -> Float[Tensor, "pictures classes"]:
        """Return the scores of what `look` returned; the last maps are averaged over their places."""
        return self.readout(self.trained(seen).flatten(2).mean(dim=2))

    def forward(
        self, pictures: Float[Tensor, "pictures channels height width"]
    ) -> Float[Tensor, "pictures classes"]:
        """Return the scores of each class."""
        return self.judge(self.look(pictures))
