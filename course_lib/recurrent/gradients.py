"""Gradients through time: look at them, keep them from exploding, keep them from vanishing.

Pascanu, Mikolov and Bengio 2013.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.layer import RecurrentLayer, State, check_inputs, check_state
from course_lib.recurrent.rnn import RNN
from course_lib.traces.gradient_flow import ALL_STEPS, GradientTrace


def state_gradients(
    layer: RecurrentLayer,
    inputs: Float[Tensor, "batch time input"],
    loss: Callable[[Float[Tensor, "batch time hidden"]], Tensor],
    state: State | None = None,
) -> tuple[Float[Tensor, "batch time hidden"], ...]:
    """Return ∂L/∂s_1 … ∂L/∂s_T: how much each state on the way matters, through all that came after it.

    Args:
        layer: that reads.
        inputs: x_1 … x_T.
        loss: h_1 … h_T -> L.
        state: s_0; None is zeros.

    Returns:
        one tensor for each part of the state: by h, and for an LSTM by c. A state that L does not depend on
        has gradient 0.

    Raises:
        ValueError, TypeError: as the layer.
    """
    check_inputs(inputs, layer.input_size, None)
    if state is None:
        state = layer.zero_state(len(inputs))
    check_state(state, layer.parts, (len(inputs), layer.hidden_size))
    states = layer.unroll(inputs, state)
    value = loss(torch.stack([h for h, *_ in states], dim=1))
    tracks = list(zip(*states, strict=True))
    wanted = [part for track in tracks for part in track if part.requires_grad]
    found = iter(torch.autograd.grad(value, wanted, allow_unused=True))

    def gradient(part: Tensor) -> Tensor:
        of_part = next(found) if part.requires_grad else None
        return torch.zeros_like(part) if of_part is None else of_part

    return tuple(torch.stack([gradient(part) for part in track], dim=1) for track in tracks)


def gradient_norms(
    layer: RecurrentLayer,
    inputs: Float[Tensor, "batch time input"],
    loss: Callable[[Float[Tensor, "batch time hidden"]], Tensor] | None = None,
    part: int = 0,
) -> Float[Tensor, "time"]:
    """Return ‖∂L/∂s_1‖ … ‖∂L/∂s_T‖, means over the batch.

    Args:
        layer: that reads, from a state of zeros.
        inputs: x_1 … x_T.
        loss: h_1 … h_T -> L; None takes the sum of all features of h_T.
        part: of the state: 0 is h, 1 the cell c of an LSTM.

    Raises:
        ValueError, TypeError: as the layer.
    """
    gradients = state_gradients(layer, inputs, loss or (lambda states: states[:, -1].sum()))
    return gradients[part].norm(dim=-1).mean(dim=0)


def clip_gradients(parameters: Iterable[nn.Parameter], threshold: float) -> float:
    """Scale all gradients together so that their norm is at most the threshold; the direction stays.

        g ← g · threshold / ‖g‖    if ‖g‖ > threshold

    Call it after `backward` and before the optimiser's step (Pascanu et al. 2013, algorithm 1).

    Args:
        parameters: those without a gradient are skipped.
        threshold: above 0.

    Returns:
        the norm of all gradients together before clipping.

    Raises:
        ValueError: the threshold is not above 0, or the norm is not finite, which no scale repairs.
    """
    if not threshold > 0:
        raise ValueError(f"threshold is {threshold}; allowed is above 0")
    gradients = [weight.grad for weight in parameters if weight.grad is not None]
    norm = sum(float(gradient.square().sum()) for gradient in gradients) ** 0.5
    if not norm < float("inf"):
        raise ValueError(f"the norm of the gradients is {norm}; allowed is a finite one")
    if norm > threshold:
        for gradient in gradients:
            gradient.mul_(threshold / norm)
    return norm


def vanishing_penalty(
    W_hh: Float[Tensor, "hidden hidden"],
    errors: Float[Tensor, "batch time hidden"],
    slopes: Float[Tensor, "batch time hidden"],
) -> Float[Tensor, ""]:
    """Return Ω: how far one step back changes the norm of the error, summed over steps, mean of sequences.

        Ω = Σ_k (‖ ∂L/∂a_{k+1} · ∂a_{k+1}/∂a_k ‖ / ‖ ∂L/∂a_{k+1} ‖ − 1)²
        ∂a_{k+1}/∂a_k = W_hh diag(σ'(a_k))

    Errors and slopes count as constants, so its gradient by W_hh is the immediate one of equation 10. The
    paper's x is a here. A step whose error is below 1e-10 adds nothing, as in the authors' code, which puts
    squared norms in the place of norms. (Pascanu et al. 2013, equations 9 and 10.)

    Args:
        W_hh: from state to state.
        errors: ∂L/∂a_1 … ∂L/∂a_T, before the nonlinearity σ.
        slopes: σ'(a_1) … σ'(a_T); 1 − h² for tanh, 1 for a linear network.
    """
    errors, slopes = errors.detach()[:, 1:], slopes.detach()[:, :-1]
    norms = errors.norm(dim=-1)
    alive = norms > 1e-10
    stepped = ((errors @ W_hh) * slopes)[alive].norm(dim=-1)
    return (stepped / norms[alive] - 1).square().sum() / len(errors)


def loss_and_penalty(
    layer: RNN,
    inputs: Float[Tensor, "batch time input"],
    loss: Callable[[Float[Tensor, "batch time hidden"]], Tensor],
) -> tuple[Tensor, Tensor]:
    """Return L and Ω of a vanilla network; train it on L + α Ω.

    Args:
        layer: that reads, from a zero state.
        inputs: x_1 … x_T.
        loss: h_1 … h_T -> L.

    Raises:
        ValueError: as the layer.
    """
    check_inputs(inputs, layer.input_size, None)
    states = [h for (h,) in layer.unroll(inputs, layer.zero_state(len(inputs)))]
    history = torch.stack(states, dim=1)
    value = loss(history)
    slopes = 1 - history.detach() ** 2
    flow = torch.stack(torch.autograd.grad(value, states, retain_graph=True), dim=1)
    return value, vanishing_penalty(layer.W_h.weight, flow * slopes, slopes)


def gradient_trace(
    layers: Mapping[str, RecurrentLayer],
    inputs: Tensor,
    labels: Sequence[str],
    losses: Mapping[str, Callable[[Tensor], Tensor]] | None = None,
    targets: Sequence[str] | None = None,
    title: str = "",
) -> GradientTrace:
    """Measure the gradient of every step's loss, and of their sum, at every state before it.

    A layer that carries (h, c) gives two entries, "name · h" and "name · c". The way back is computed in
    float64, whatever the layers hold; they stay as they are.

    Args:
        layers: name -> a `RecurrentLayer`.
        inputs: x_1 … x_T, (batch, time, input); norms are means over the batch.
        labels: what each input is.
        losses: name -> a function of h_1 … h_T (batch, time, hidden) that returns L_1 … L_T
            (batch, time), where L_k asks nothing of later states; None takes the sum of h_k for L_k.
        targets: what is asked at each step.
        title: what the picture shows, as a sentence.

    Raises:
        ValueError: no layers, a layer without its loss, or what `validate` refuses.
    """
    if not layers:
        raise ValueError("layers must hold at least one layer, got none")
    if losses is not None and set(losses) != set(layers):
        raise ValueError(f"losses must have the names {', '.join(layers)}, got {', '.join(losses)}")
    found: dict[str, np.ndarray] = {}
    sizes = []
    for name, layer in layers.items():
        norms = _norms(layer, inputs, losses[name] if losses else lambda states: states.sum(-1))
        parts = ("h", "c") if len(norms) == 2 else tuple(f"state {i + 1}" for i in range(len(norms)))
        found |= {
            f"{name} · {part}" if len(norms) > 1 else name: n for part, n in zip(parts, norms, strict=True)
        }
        sizes += [layer.hidden_size] * len(norms)
    with np.errstate(divide="ignore"):
        logs = np.log10(np.stack(list(found.values())))
    steps = np.arange(ALL_STEPS, inputs.shape[1])
    asked = None if targets is None else tuple(targets)
    return GradientTrace(logs, tuple(found), steps, np.array(sizes), tuple(labels), asked, title)


def _norms(layer: RecurrentLayer, inputs: Tensor, loss: Callable[[Tensor], Tensor]) -> list[np.ndarray]:
    """Return for each part of the state the norms (1 + time, time): first of the sum, then of each L_k.

    A copy of the batch for each loss makes one pass enough for all.
    """
    precise, inputs = deepcopy(layer).double(), inputs.detach().double()
    batch, time, _ = inputs.shape
    asked = torch.cat([torch.ones(1, time), torch.eye(time)]).double().repeat_interleave(batch, dim=0)

    def chosen(states: Tensor) -> Tensor:
        copies = states.to(layer.W_x.weight.dtype).split(batch)
        return (torch.cat([loss(copy) for copy in copies]) * asked).sum()

    gradients = state_gradients(precise, inputs.repeat(1 + time, 1, 1), chosen)
    return [part.norm(dim=-1).unflatten(0, (1 + time, batch)).mean(1).numpy() for part in gradients]
