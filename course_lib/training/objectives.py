"""What training makes small."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.data.batches import Batch
from course_lib.seq2seq.model import Seq2Seq


def summed_cross_entropy(
    logits: Float[Tensor, "batch time vocabulary"],
    following: Int[Tensor, "batch time"],
    pad_id: int,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, int]:
    """Return the cross-entropy of tokens, summed, and their number.

    Args:
        logits: of each token.
        following: the true ones.
        pad_id: stands where there is no token.
        label_smoothing: see `next_token_loss`.

    Returns:
        the sum in nats, and how many tokens there are; padding counts in neither.
    """
    total = functional.cross_entropy(
        logits.flatten(0, 1),
        following.flatten(),
        ignore_index=pad_id,
        reduction="sum",
        label_smoothing=label_smoothing,
    )
    return total, int((following != pad_id).sum())


def next_token_loss(model: Seq2Seq, batch: Batch, label_smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Return the cross-entropy of the next tokens given the true ones before them, and their number.

    Args:
        model: scores the next tokens.
        batch: sentence pairs.
        label_smoothing: ε, the share of the target that is spread evenly over the whole vocabulary
            (Szegedy et al. 2016, section 7); 0 leaves all of it on the true token. In [0, 1].

    Returns:
        the sum over all tokens, in nats, and how many there are; padding counts in neither.
    """
    logits, _ = model(batch.source, batch.target[:, :-1])
    return summed_cross_entropy(logits, batch.target[:, 1:], model.pad_id, label_smoothing)


def validation_loss(model: Seq2Seq, batches: Sequence[Batch]) -> float:
    """Return nats a token, teacher-forced; its exponential is the perplexity."""
    with torch.no_grad():
        totals, counts = zip(*(next_token_loss(model, batch) for batch in batches), strict=True)
    return float(sum(totals)) / sum(counts)
