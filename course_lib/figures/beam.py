"""The tree of a beam search as a picture: one column a step, best rank on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from course_lib.figures.beam_drawing import draw_edges, draw_legend, draw_node, draw_steps, layout
from course_lib.figures.theme import LIGHT, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces import BeamTrace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCORES = {
    "probability": "p(token | prefix)",
    "log": "log p of the prefix",
    "score": "score after the penalty",
}


def static_beam_tree(
    trace: BeamTrace,
    *,
    step: int | None = None,
    score: str = "log",
    pruned: bool = True,
    greedy: bool = True,
    reference: bool = True,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw the search up to a step. In a column the nodes stand by rank; below the line they are cut off.

    Kept nodes are round, pruned ones dashed, finished ones pointed. The best path (thick) shows once the
    whole search does; the greedy path is dashed, a reference dotted, with a diamond where it falls out.

    Args:
        trace: the search.
        step: the last step shown, from 0; None shows all.
        score: the number in each node: "probability", "log" or "score".
        pruned: whether pruned nodes are shown.
        greedy, reference: whether these paths are shown; the second where the trace has one.
        theme: the colours.

    Raises:
        ValueError: a step or a score that does not exist.
    """
    from matplotlib.figure import Figure

    last = trace.last_step if step is None else step
    if not 0 <= last <= trace.last_step:
        raise ValueError(f"step must lie in 0 to {trace.last_step}, got {step}")
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}, got {score!r}")
    shown = [
        node
        for node in range(len(trace))
        if trace.step[node] <= last and (pruned or trace.status[node] != "pruned")
    ]
    reference = reference and trace.reference is not None
    with drawing(theme):
        places, width, height = layout(trace, shown, score)
        figure = Figure(figsize=(max(width, 6.5), height + 1.6))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, max(width, 6.5)), ylim=(height + 0.65, -0.95))
        axes.axis("off")
        draw_steps(axes, trace, shown, places, theme)
        draw_edges(axes, trace, places, last == trace.last_step, greedy, reference, theme)
        for node in shown:
            draw_node(axes, trace, node, places[node], score, reference, theme)
        axes.text(0.15, -0.72, drawable(_title(trace, last)), fontweight="bold", fontsize=12, va="center")
        heat = "" if trace.temperature == 1 else f" · temperature {trace.temperature:g}"
        subtitle = (
            f"beam width {trace.beam_size} · score = {trace.penalty}{heat} · in the nodes: {SCORES[score]}"
        )
        axes.text(0.15, -0.45, drawable(subtitle), color=theme.muted, fontsize=10, va="center")
        draw_legend(figure, trace, greedy, reference, theme)
    return figure


def describe_beam_tree(trace: BeamTrace) -> str:
    """Say in words what the tree shows: the alt text of the picture."""
    best = trace.best
    ranks = ", ".join(str(int(trace.rank[node]) + 1) for node in trace.path(best)[1:])
    parts = [
        f"Tree of a beam search of width {trace.beam_size} over {trace.last_step} steps"
        + (f" on “{trace.source}”." if trace.source else "."),
        f"The best hypothesis is “{words(trace, best)}”, "
        + ("finished" if trace.status[best] == "finished" else "cut off by the limit")
        + f", with log p {trace.total[best]:.2f} and score {trace.score[best]:.2f} ({trace.penalty}).",
    ]
    if ranks:
        parts.append(f"Its ranks step by step: {ranks}.")
    greedy = trace.greedy_path()
    if greedy[-1] == best:
        parts.append("Greedy search finds the same.")
    elif trace.status[greedy[-1]] == "pruned":
        parts.append(f"The greedy path “{words(trace, greedy[-1])}” is pruned at step {len(greedy) - 1}.")
    else:
        parts.append(f"The greedy path is “{words(trace, greedy[-1])}”, score {trace.score[greedy[-1]]:.2f}.")
    if overtaken := trace.overtaken():
        led = ", ".join(f"“{words(trace, node)}” at step {trace.step[node]}" for node in overtaken)
        parts.append(f"In the lead but overtaken later: {led}.")
    if trace.reference is not None:
        parts.append(_reference(trace))
    return " ".join(parts)


def _reference(trace: BeamTrace) -> str:
    assert trace.reference is not None and trace.reference_token is not None
    what = f"The reference “{' '.join(map(token_label, trace.reference_token))}”"
    *_, last = trace.reference_path()
    step, status = int(trace.step[last]), trace.status[last]
    if status == "pruned":
        return f"{what} falls out of the beam at step {step}, with rank {trace.rank[last] + 1}."
    if step == len(trace.reference):
        return f"{what} is found, with score {trace.score[last]:.2f}."
    if status == "finished" or not len(trace.children(last)):
        return f"{what} is longer than what was searched; as far as that goes it stays in the beam."
    return f"{what} falls out of the beam at step {step + 1}, at a token that was not scored."


def words(trace: BeamTrace, node: int) -> str:
    """Return the tokens from the first to a node's, each as it is shown, with spaces between."""
    return " ".join(token_label(trace.token[step]) for step in trace.path(node)[1:])


def _title(trace: BeamTrace, last: int) -> str:
    if last < trace.last_step:
        return f"After step {last} of {trace.last_step}"
    text = words(trace, trace.best)
    text = text if len(text) <= 60 else text[:59] + "…"
    steps = sorted({int(trace.step[node]) for node in trace.overtaken()})
    name = "step" if len(steps) == 1 else "steps"
    behind = f", though another led at {name} {', '.join(map(str, steps))}" if steps else ""
    return f"“{text}” wins{behind}"
