"""Show the library's code in a lecture instead of pasting it a second time."""

import inspect
from typing import Any

from IPython.display import Code
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

STYLE = "font-family: monospace; font-size: 90%; line-height: 1.35; padding: 0.6em 0.8em; overflow-x: auto"


class Source(Code):
    """Code that looks the same in JupyterLab, on a slide and in an exported page."""

    def _repr_html_(self) -> str:
        return highlight(self.data, PythonLexer(), HtmlFormatter(noclasses=True, prestyles=STYLE))


def show_source(thing: Any) -> Source:
    """Return the source of a function, method or class, highlighted."""
    return Source(inspect.getsource(thing), language="python")
