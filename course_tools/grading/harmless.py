"""What students wrote and what their code displayed, as HTML that can do nothing to the page around it."""

import re
from html import escape
from typing import Any

import nh3
from jinja2 import pass_context
from nbformat.notebooknode import NotebookNode

from course_tools.markdown import MathRenderer, markdown_html


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Not <s>: in this course that is the mark of a sentence's start.
_WORDS = _names("b i em strong u sub sup small kbd mark code samp var q del ins br wbr")
_BLOCKS = _names(
    """p div details summary blockquote pre hr ul ol li dl dt dd h1 h2 h3 h4 h5 h6
    table caption thead tbody tr th td figure figcaption"""
)
_MATH = _names(
    """math mrow mi mo mn mtext mspace msub msup msubsup mfrac msqrt mroot mover munder munderover
    mtable mtr mtd menclose mstyle mpadded mphantom mmultiscripts mprescripts none"""
)
_MATH_SETTINGS = _names(
    """xmlns display displaystyle mathvariant stretchy fence form separator accent movablelimits largeop
    linethickness columnalign columnlines rowlines rowspacing columnspacing width height depth lspace rspace
    minsize maxsize notation"""
)
_TAGS = _WORDS | _BLOCKS | _MATH | {"a", "img", "span", "s", "strike"}
_ATTRIBUTES = {
    **{tag: set(_MATH_SETTINGS) for tag in _MATH},
    **{tag: {"class"} for tag in ("span", "div", "pre", "code")},
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "th": {"colspan", "rowspan", "scope"},
    "td": {"colspan", "rowspan"},
    "ol": {"start"},
}
# What a page without scripts shows of an output; of pictures only what a browser cannot run.
_SHOWN = ("text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/plain")


def harmless_markdown(source: str, attachments: dict[str, Any] | None = None) -> str:
    """Render Markdown that anybody may have written.

    HTML in it is rendered where it is known, closed and without attributes; else it is shown as written.

    Args:
        source: Markdown with formulas between dollar signs.
        attachments: the pictures that a notebook's cell holds.

    Returns:
        HTML without scripts, styles, forms or links that a browser follows by itself.
    """
    return harmless_html(markdown_html(source, attachments, _AsWritten))


@pass_context
def cell_markdown(context: Any, source: str) -> str:
    """Render a Markdown cell where a template of nbconvert asks for it, with the cell's own pictures."""
    return harmless_markdown(source, context.get("cell", {}).get("attachments"))


def harmless_html(html: str) -> str:
    """Take out of HTML whatever could act on the page around it; all tags are closed."""
    return nh3.clean(
        html,
        tags=set(_TAGS),
        attributes=_ATTRIBUTES,
        attribute_filter=_without_other_data,
        url_schemes={"http", "https", "mailto", "data"},
    )


def _without_other_data(tag: str, attribute: str, value: str) -> str | None:
    is_picture = tag == "img" and attribute == "src" and value.startswith("data:image/")
    return None if value.lower().lstrip().startswith("data:") and not is_picture else value


def clean_output(output: NotebookNode) -> None:
    """Leave of a cell's output, in place, only what is shown on a page without scripts."""
    if "data" not in output:
        return
    output.metadata = NotebookNode()  # sizes, which a template writes without quotes
    if latex := output.data.get("text/latex"):
        output.data.setdefault("text/markdown", latex)
    output.data = NotebookNode({kind: output.data[kind] for kind in _SHOWN if kind in output.data})
    if "text/html" in output.data:
        output.data["text/html"] = harmless_html(output.data["text/html"])
        if not output.data["text/html"].strip():  # a script and nothing else
            del output.data["text/html"]


class _AsWritten(MathRenderer):
    """Shows HTML as it is written, but for what is known, closed and harmless."""

    def iter_tokens(self, tokens: Any, state: Any) -> Any:
        """Render tokens that stand side by side; tags that have no partner among them are text."""
        tokens = list(tokens)
        closed = _closed_tags(tokens)
        for number, token in enumerate(tokens):
            if token["type"] == "inline_html" and number not in closed:
                yield escape(token["raw"])
            else:
                yield self.render_token(token, state)

    def block_html(self, html: str) -> str:
        """A block of HTML; what cleaning it would change is shown as written."""
        html = html.strip()
        if nh3.clean(html, tags=set(_WORDS | _BLOCKS), attributes={}) == html:
            return html
        return f"<p>{'<br>'.join(map(escape, html.splitlines()))}</p>\n"

    def block_mermaidjs(self, code: str) -> str:
        """A diagram that only a script could draw, as its source."""
        return f"<pre>{escape(code)}</pre>\n"


def _closed_tags(tokens: list[Any]) -> set[int]:
    """Positions of tags without attributes that are opened and closed in turn, or need no closing."""
    closed: set[int] = set()
    opened: list[tuple[str, int]] = []
    for number, token in enumerate(tokens):
        tag = re.fullmatch(r"<(/?)(\w+) ?/?>", token["raw"]) if token["type"] == "inline_html" else None
        if tag is None or tag[2].lower() not in _WORDS:
            continue
        name = tag[2].lower()
        if name in ("br", "wbr"):
            closed.add(number)
        elif not tag[1]:
            opened.append((name, number))
        elif any(name == other for other, _ in opened):
            while opened[-1][0] != name:
                opened.pop()
            closed |= {number, opened.pop()[1]}
    return closed
