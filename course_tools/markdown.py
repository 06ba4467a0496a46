"""Markdown as a page shows it: formulas become MathML, which browsers draw without a script."""

import re
from html import escape
from typing import Any

from latex2mathml.converter import convert as to_mathml
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath


class MathRenderer(IPythonRenderer):
    """Renders formulas as MathML, and HTML as it is."""

    def block_math(self, body: str) -> str:
        """A formula in a line of its own."""
        return f"<p>{_mathml(body, 'block')}</p>"

    def inline_math(self, body: str) -> str:
        """A formula in a text."""
        return _mathml(body, "inline")

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture; of one that was deleted from the cell, its description."""
        try:
            return super().image(text, url, title)
        except InvalidNotebook:  # a picture that was deleted from the cell
            return escape(text)

    def latex_environment(self, name: str, body: str) -> str:
        """A formula such as a matrix."""
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def markdown_html(
    source: str, attachments: dict[str, Any] | None = None, renderer: type[MathRenderer] = MathRenderer
) -> str:
    """Render Markdown as HTML.

    Args:
        source: Markdown with formulas between dollar signs.
        attachments: the pictures that a notebook's cell holds.
        renderer: what becomes of HTML inside it; it stays as it is unless this says otherwise.
    """
    made = renderer(escape=False, attachments=attachments or {}, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=made).render(source)


def anchor(heading: str) -> str:
    """Return the place that JupyterLab gives a heading: its text, with hyphens for spaces.

    Args:
        heading: Markdown.
    """
    return re.sub(r"[*`]", "", heading).replace(" ", "-")


def _mathml(formula: str, display: str) -> str:
    try:
        # Of a command that it doesn't know, such as \\arg, the converter leaves the backslash.
        mathml = to_mathml(formula, display=display).replace("<mi>\\", "<mi>")
    except Exception:  # a student's formula may be anything; its source is still readable
        return f"<code>{escape(formula)}</code>"
    # What stands in \\text{} it copies as it is, such as </s>.
    return re.sub(
        r"(<mtext[^>]*>)(.*?)(?=</mtext>)",
        lambda text: text[1] + text[2].replace("<", "&lt;").replace(">", "&gt;"),
        mathml,
        flags=re.DOTALL,
    )
