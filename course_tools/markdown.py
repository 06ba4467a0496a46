"""Markdown as a page shows it: formulas become MathML, which browsers draw without a script."""

from html import escape
from typing import Any

from latex2mathml.converter import convert as to_mathml
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath


def markdown_html(source: str, attachments: dict[str, Any] | None = None) -> str:
    """Render Markdown as HTML; HTML inside it stays as it is.

    Args:
        source: Markdown with formulas between dollar signs.
        attachments: the pictures that a notebook's cell holds.
    """
    renderer = _MathRenderer(escape=False, attachments=attachments or {}, exclude_anchor_links=True)
    return MarkdownWithMath(renderer=renderer).render(source)


class _MathRenderer(IPythonRenderer):
    def block_math(self, body: str) -> str:
        return f"<p>{_mathml(body, 'block')}</p>"

    def inline_math(self, body: str) -> str:
        return _mathml(body, "inline")

    def image(self, text: str, url: str, title: str | None = None) -> str:
        try:
            return super().image(text, url, title)
        except InvalidNotebook:  # a picture that was deleted from the cell
            return escape(text)

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def _mathml(formula: str, display: str) -> str:
    try:
        # Of a command that it doesn't know, such as \\arg, the converter leaves the backslash.
        return to_mathml(formula, display=display).replace("<mi>\\", "<mi>")
    except Exception:  # a student's formula may be anything; its source is still readable
        return f"<code>{escape(formula)}</code>"
