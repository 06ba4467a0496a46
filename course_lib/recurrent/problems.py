"""Kinds of sequence problem, by what goes in and what is asked.

    one to one     a fixed input, a fixed answer: no sequence, no recurrence
    many to one    one answer for a sequence (is this review kind?)    from the last real step
    many to many   one answer for each step (which sound is this?)     from each step
    one to many    a sequence from one input (a caption of an image)   each step reads the answer before

Many to many with another length on each side takes two networks (encoder and decoder), or an alignment that
is summed out (CTC). In the words of Graves 2012, chapter 2: sequence classification is many to one, segment
classification is many to many with known borders, temporal classification has unknown ones.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.masks import keep_lengths
from course_lib.recurrent.layer import RecurrentLayer, check_lengths
from course_lib.recurrent.stacked import Stacked


class ManyToOne(nn.Module):
    """One answer for a sequence, from the states after its last real step, in each direction.

    Args:
        layers: that read.
        classes: possible answers.
    """

    def __init__(self, layers: Stacked, classes: int) -> None:
        super().__init__()
        self.layers = layers
        self.head = nn.Linear(layers.directions * layers.hidden_size, classes)

    def forward(
        self, inputs: Float[Tensor, "batch time input"], lengths: Int[Tensor, "batch"]
    ) -> Float[Tensor, "batch classes"]:
        """Return the logits of the answers."""
        _, (hidden, *_) = self.layers(inputs, None, lengths)
        return self.head(torch.cat(list(hidden[-self.layers.directions :]), dim=-1))


class ManyToMany(nn.Module):
    """One answer for each step.

    Args:
        layers: that read.
        classes: possible answers.
    """

    def __init__(self, layers: Stacked, classes: int) -> None:
        super().__init__()
        self.layers = layers
        self.head = nn.Linear(layers.directions * layers.hidden_size, classes)

    def forward(
        self, inputs: Float[Tensor, "batch time input"], lengths: Int[Tensor, "batch"]
    ) -> Float[Tensor, "batch time classes"]:
        """Return the logits of each step; those behind a sequence's end mean nothing."""
        states, _ = self.layers(inputs, None, lengths)
        return self.head(states)


class OneToMany(nn.Module):
    """A sequence from one input, which sets the first state; each step reads the answer before.

    Args:
        input_size: features of the input.
        layer: reads one-hot answers; its state is (h,).
        classes: possible answers; 0 also stands in front of the first.
    """

    def __init__(self, input_size: int, layer: RecurrentLayer, classes: int) -> None:
        super().__init__()
        self.start = nn.Linear(input_size, layer.hidden_size)
        self.layer = layer
        self.head = nn.Linear(layer.hidden_size, classes)

    def forward(
        self, inputs: Float[Tensor, "batch input"], targets: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time classes"]:
        """Return the logits of each step, when every step before gave the right answer (teacher forcing)."""
        before = nn.functional.pad(targets[:, :-1], (1, 0))
        states, _ = self.layer(self.one_hot(before), (torch.tanh(self.start(inputs)),))
        return self.head(states)

    @torch.no_grad()
    def generate(self, inputs: Float[Tensor, "batch input"], steps: int) -> Int[Tensor, "batch steps"]:
        """Return the likeliest answer at each step, each read by the next.

        Raises:
            ValueError: steps is below 1.
        """
        if steps < 1:
            raise ValueError(f"steps is {steps}; allowed is 1 or more")
        state = (torch.tanh(self.start(inputs)),)
        answer = inputs.new_zeros(len(inputs), 1, dtype=torch.long)
        answers = []
        for _ in range(steps):
            outputs, state = self.layer(self.one_hot(answer), state)
            answer = self.head(outputs).argmax(dim=-1)
            answers.append(answer)
        return torch.cat(answers, dim=1)

    def one_hot(self, answers: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time classes"]:
        """Return answers as the layer reads them.

        Raises:
            ValueError: an answer is none of the classes.
        """
        check_classes("targets", answers, self.head.out_features)
        return nn.functional.one_hot(answers, self.head.out_features).to(self.head.weight.dtype)


def step_loss(
    logits: Float[Tensor, "batch time classes"],
    targets: Int[Tensor, "batch time"],
    lengths: Int[Tensor, "batch"],
) -> Float[Tensor, ""]:
    """Return the cross-entropy, in nats, averaged over the real steps of all sequences.

    Its exponential is the perplexity.

    Args:
        logits: of each step.
        targets: the right class at each step; behind a sequence's end anything.
        lengths: real steps of each sequence, 1 to time.

    Raises:
        ValueError: a length is outside 1 to time, or a target of a real step is no class.
        TypeError: the lengths are no whole numbers.
    """
    check_lengths(lengths, *targets.shape)
    keep = keep_lengths(lengths, targets.shape[1])
    check_classes("targets", targets[keep], logits.shape[-1])
    return nn.functional.cross_entropy(logits[keep], targets[keep])


def check_classes(name: str, values: Tensor, classes: int) -> None:
    """Raise ValueError unless all values are 0 to classes − 1."""
    outside = values[(values < 0) | (values >= classes)]
    if len(outside):
        raise ValueError(f"{name} hold {int(outside[0])}; allowed are 0 to {classes - 1}")
