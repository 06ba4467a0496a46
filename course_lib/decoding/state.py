"""What a search needs of a model: a function that takes one token further.

    log_probs, state = step(tokens, state)

`tokens` (batch,) are the last tokens of the hypotheses, `log_probs` (batch, vocabulary) the log-probabilities
of the next ones, and `state` whatever the model carries: a tensor, or tuples, lists and dictionaries of
tensors, each with the hypotheses on its first axis.

A search with a coverage penalty needs a third thing, where the model looked to predict that token:

    log_probs, state, weights = step(tokens, state)            weights (batch, source)
"""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor


@runtime_checkable
class NextToken(Protocol):
    """A next-token distribution."""

    def __call__(
        self, tokens: Int[Tensor, "batch"], state: Any
    ) -> tuple[Float[Tensor, "batch vocabulary"], Any]:
        """Return the log-probabilities of the next token, and the state after the given one."""


@runtime_checkable
class AttentiveNextToken(Protocol):
    """A next-token distribution that tells where it looked."""

    def __call__(
        self, tokens: Int[Tensor, "batch"], state: Any
    ) -> tuple[Float[Tensor, "batch vocabulary"], Any, Float[Tensor, "batch source"] | None]:
        """Return log-probabilities, state and attention weights; None where the model has no attention."""


def reorder(state: Any, index: Int[Tensor, "chosen"]) -> Any:
    """Return the state of the chosen hypotheses, in their order; a hypothesis may be chosen more than once.

    Raises:
        TypeError: the state holds something that is no tensor, tuple, list, dictionary or None.
    """
    if state is None:
        return None
    if isinstance(state, Tensor):
        return state[index]
    if isinstance(state, tuple) and hasattr(state, "_fields"):
        return type(state)(*(reorder(part, index) for part in state))
    if isinstance(state, (tuple, list)):
        return type(state)(reorder(part, index) for part in state)
    if isinstance(state, dict):
        return {key: reorder(part, index) for key, part in state.items()}
    raise TypeError(
        f"state holds a {type(state).__name__}; allowed are tensors, tuples, lists, dictionaries, None"
    )


def first_tensor(state: Any) -> Tensor | None:
    """Return a tensor of the state, if there is one: it tells how many hypotheses there are, and where."""
    if isinstance(state, Tensor):
        return state
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (tuple, list)) else ()
    return next((found for part in parts if (found := first_tensor(part)) is not None), None)
