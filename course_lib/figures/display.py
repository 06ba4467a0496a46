"""How figures are shown: live in a notebook, a picture wherever nothing can be run."""

import os
from typing import Any, Literal, get_args

from IPython.display import publish_display_data

from course_lib.figures.picture import Picture
from course_lib.figures.theme import LIGHT

Mode = Literal["auto", "live", "static", "page"]
MODE_VARIABLE = "COURSE_WIDGETS"
KERNEL_WIDGET = "application/vnd.jupyter.widget-view+json"

# In a live notebook the picture hides beside what is live; where nothing live is drawn, its output hides.
# An output is an element of its own in JupyterLab and Notebook 7, in nbclassic, and in VS Code.
_OUTPUTS = (".jp-OutputArea-child", ".output_area", ".output_container")
_LIVE = ":is(.course-widget, .course-live)"  # a widget of ours, a form of others'
TWIN_STYLE = "<style>{} {{ display: none }}</style>".format(
    ", ".join(
        f"{one}:has(.course-twin):has(+ {one} {_LIVE}), {one}:has(.course-twin) + {one}:not(:has({_LIVE}))"
        for one in _OUTPUTS
    )
)

# plotly writes its colours into each element; JupyterLab's variables are those of its theme.
# A chart is several drawings, one on the other: only the lowest is paper.
_PLOT, _INK = ".js-plotly-plot", f"var(--jp-ui-font-color0, {LIGHT.ink})"
_PAPER = f"var(--jp-layout-color0, {LIGHT.paper})"
CHART_STYLE = f"""<style>
{_PLOT} .main-svg:first-child {{ background: {_PAPER} !important }}
{_PLOT} .main-svg .bg {{ fill: {_PAPER} !important }}
{_PLOT} :is(.infolayer, .xaxislayer-above, .yaxislayer-above, .bartext) text {{ fill: {_INK} !important }}
{_PLOT} text.bartext {{ fill: {_INK} !important }}
{_PLOT} :is(.xerror, .yerror) {{ stroke: {_INK} !important }}
{_PLOT} :is(.gridlayer, .zerolinelayer) path {{ stroke: var(--jp-border-color2, {LIGHT.line}) !important }}
</style>"""


def display_mode(mode: str | None = None) -> Mode:
    """Say how figures are shown: as asked, else as the environment variable COURSE_WIDGETS says, else auto.

    Args:
        mode: "live" (only what a reader can move), "static" (the picture only), "auto" (the first, and the
            picture wherever it cannot be drawn), "page" (what a reader can move without a kernel), or None.

    Raises:
        ValueError: the argument or the variable holds something else.
    """
    name = "mode" if mode is not None else MODE_VARIABLE
    value = mode if mode is not None else os.environ.get(MODE_VARIABLE, "auto")
    for allowed in get_args(Mode):
        if value == allowed:
            return allowed  # type: ignore[no-any-return]
    raise ValueError(f"{name} must be one of {', '.join(get_args(Mode))}, got {value!r}")


def show(picture: Picture | None, live: dict[str, Any], mode: Mode) -> None:
    """Publish a picture, a live bundle, or both.

    Both are one output, of which a page takes what it can draw. But they are two where only a kernel can
    move what is live: a page takes that even where it can't draw it.

    Args:
        picture: needed unless the mode is "live".
        live: MIME type -> data.
        mode: what is shown; on a page, the picture of what only a kernel can move.
    """
    if mode == "page":
        mode = "static" if KERNEL_WIDGET in live else "live"
    if picture is not None and mode == "auto" and KERNEL_WIDGET not in live:
        # No PNG: JupyterLab would take it before plotly.
        publish_display_data({"text/html": picture.html(), **live})
        return
    if picture is not None and mode != "live":
        data, metadata = picture._repr_mimebundle_()
        if mode == "auto":
            data["text/html"] = f'{TWIN_STYLE}<div class="course-twin">{data["text/html"]}</div>'
        publish_display_data(data, metadata)
    if mode != "static":
        # Elsewhere the plain text would show beside the picture.
        publish_display_data({**live, "text/plain": "" if mode == "auto" else live["text/plain"]})
