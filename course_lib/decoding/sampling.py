"""Sampling: draw the next token instead of choosing it, and cut off the unlikely ones first."""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.decoding.greedy import Hypothesis, check_limit
from course_lib.decoding.state import NextToken


def next_probabilities(
    log_probs: Float[Tensor, "*batch vocabulary"],
    temperature: float = 1.0,
    top_k: int | None = None,
    nucleus: float | None = None,
) -> Float[Tensor, "*batch vocabulary"]:
    """Return the probabilities that a token is drawn from.

        temperature   p ∝ exp(log p / temperature)
        top-k         only the k likeliest tokens stay
        nucleus       only the smallest set of likeliest tokens stays that has this share, at least

    Each works on what the one before it left; what stays is divided by its sum.

    Args:
        log_probs: of the model, or logits.
        temperature: above 0; towards 0 the likeliest token takes all, towards infinity all become equal.
        top_k: 1 or more; None keeps all. Of tokens equally likely at the border, those of smaller number.
        nucleus: above 0, at most 1; None keeps all.

    Raises:
        ValueError: an argument is out of its range.

    Sources: Ackley, Hinton and Sejnowski 1985 (temperature); Fan, Lewis and Dauphin 2018, section 5 (top-k);
    Holtzman et al. 2020, section 3.1 (nucleus).
    """
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}; allowed is above 0, and near 0 for the likeliest")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}; allowed is 1 or more, or None")
    if nucleus is not None and not 0 < nucleus <= 1:
        raise ValueError(f"nucleus is {nucleus}; allowed is above 0, at most 1, or None")
    largest = log_probs.max(dim=-1, keepdim=True).values
    probabilities = ((log_probs - largest) / temperature).softmax(dim=-1)
    order = probabilities.argsort(dim=-1, descending=True, stable=True)
    ordered = probabilities.gather(-1, order)
    stays = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        stays[..., top_k:] = False
    if nucleus is not None:
        left = ordered * stays
        left = left / left.sum(dim=-1, keepdim=True)
        stays &= left.cumsum(dim=-1) - left < nucleus  # the likelier ones alone have not enough
    stays = torch.zeros_like(stays).scatter(-1, order, stays)
    probabilities = probabilities * stays
    return probabilities / probabilities.sum(dim=-1, keepdim=True)


@torch.no_grad()
def sample(
    step: NextToken,
    state: Any,
    first: Int[Tensor, "batch"],
    eos: int | None,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    nucleus: float | None = None,
    generator: torch.Generator | None = None,
) -> list[Hypothesis]:
    """Draw a sequence for each sentence of a batch, one token after the other.

    Args:
        step: the next-token distribution.
        state: the state before the first token, one row a sentence.
        first: the token that each sentence begins with.
        eos: the token that ends a sentence; None where nothing does.
        max_length: most tokens to draw, the end-of-sentence token counted; at least 1.
        temperature, top_k, nucleus: as for `next_probabilities`.
        generator: of the random numbers.

    Returns:
        one hypothesis a sentence; its log-probability is the model's own, whatever was cut off.

    Raises:
        ValueError: an argument is out of its range.
    """
    check_limit(max_length)
    tokens, ended = first, torch.zeros_like(first, dtype=torch.bool)
    drawn: list[list[int]] = [[] for _ in first]
    totals = [0.0] * len(first)
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        probabilities = next_probabilities(log_probs, temperature, top_k, nucleus)
        tokens = torch.multinomial(probabilities, 1, generator=generator).squeeze(1)
        gains = log_probs.gather(1, tokens.unsqueeze(1)).squeeze(1)
        for i in (~ended).nonzero().flatten().tolist():
            drawn[i].append(int(tokens[i]))
            totals[i] += gains[i].item()
        if eos is not None:
            ended |= tokens == eos
            if ended.all():
                break
    return [
        Hypothesis(tuple(ids), total, total, bool(end))
        for ids, total, end in zip(drawn, totals, ended, strict=True)
    ]
