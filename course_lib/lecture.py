"""How every lecture begins, and how it holds an answer back."""

import os
from html import escape

PRESETS = ("smoke", "lecture", "full")
HELD_BACK = "course-held-back"  # the class of what folds its cell's other outputs
# Where a page does not know these rules, nothing is hidden. What is hidden keeps its width: charts need it.
HELD_BACK_STYLE = f"""<style>
.jp-OutputArea:has(details.{HELD_BACK}:not([open])) > .jp-OutputArea-child:not(:has(details.{HELD_BACK})) {{
  height: 0;
  overflow: hidden;
  visibility: hidden;
}}
details.{HELD_BACK} > summary {{ cursor: pointer; font-weight: 600; padding: 0.5em 0; }}
</style>"""


def set_up(preset: str, seed: int, threads: int) -> None:
    """Check the preset, say how many threads torch uses, seed what it draws; charts take the page's colours.

    A quick check draws no picture beside a live figure, unless COURSE_WIDGETS asks for it.

    Args:
        preset: "smoke" (a quick check), "lecture" (as it is taught) or "full" (models are trained again).
        seed: 0 or above.
        threads: 1 or above. One is the safe choice: two on a busy machine are up to ten times slower.

    Raises:
        ValueError: the preset is another one.
    """
    import torch  # here, so that the command line can name the presets without waiting for it
    from IPython.display import HTML, display

    from course_lib.figures.display import CHART_STYLE

    if preset not in PRESETS:
        raise ValueError(f"PRESET is {preset!r}; allowed are {', '.join(map(repr, PRESETS))}")
    if preset == "smoke":
        os.environ.setdefault("COURSE_WIDGETS", "live")
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    display(HTML(CHART_STYLE))


def reveal(summary: str = "Written down? Open what came out.") -> None:
    """Fold whatever else this cell shows, in JupyterLab, until the reader opens it.

    For a cell that answers a prediction: after "Run All" the answer does not stand under its question.

    Args:
        summary: what is read in its place; plain text.
    """
    from IPython.display import HTML, display  # here for the same reason as torch

    display(
        HTML(f'{HELD_BACK_STYLE}<details class="{HELD_BACK}"><summary>{escape(summary)}</summary></details>')
    )
