"""What an encoder–decoder writes, free-running, and where it looks while it does."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from course_lib.data.special import BEGIN, END
from course_lib.decoding.greedy import check_limit
from course_lib.seq2seq.model import EncoderDecoder


class Written(NamedTuple):
    """What a model wrote, free-running, and where it looked."""

    tokens: tuple[str, ...]  # ends in </s> where the model ended it
    weights: Float[np.ndarray, "written source"] | None  # None without attention

    @property
    def text(self) -> tuple[str, ...]:
        """The tokens before </s>."""
        return self.tokens[: self.tokens.index("</s>")] if "</s>" in self.tokens else self.tokens


@torch.no_grad()
def write(model: EncoderDecoder, source: Any, names: Sequence[str], limit: int = 8) -> list[Written]:
    """Write greedily from a batch of sources, at most `limit` tokens each, `</s>` counted.

    Args:
        model: a reader, or a speller.
        source: word ids (batch, source), or `Heard`.
        names: the tokens of the vocabulary.
        limit: 1 or more.

    Raises:
        ValueError: the limit is below 1.
    """
    check_limit(limit)
    state = model.start(source)
    tokens = torch.full((len(state.hidden),), BEGIN, device=state.hidden.device)
    chosen, looked = [], []
    for _ in range(limit):
        step = model.step(tokens, state)
        state = step.state
        tokens = model.logits(step.evidence).argmax(dim=-1)
        chosen.append(tokens)
        looked.append(step.weights)
    written = []
    lengths = state.source.lengths().tolist()
    for i, ids in enumerate(torch.stack(chosen, dim=1).tolist()):
        count = ids.index(END) + 1 if END in ids else limit
        seen = None
        if looked[0] is not None:
            seen = torch.stack([w[i, : lengths[i]] for w in looked[:count] if w is not None]).numpy(
                force=True
            )
        written.append(Written(tuple(names[id_] for id_ in ids[:count]), seen))
    return written
