"""A finished picture with its alt text: what stays of a figure in a file that has no kernel."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.traces.base import whole_characters

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_WIDE = 1600  # pixels; a wider picture is scrolled
_READABLE = 0.75  # of its size, at least: type of 14 pixels is still one of 10


@dataclass(frozen=True)
class Picture:
    """A PNG and the words that say what a sighted reader takes away from it.

    Shown in a notebook it becomes one bundle of HTML (with the alt text), PNG and plain text, so it
    appears in JupyterLab, in an HTML or PDF export, and on a screen reader.
    """

    png: bytes = field(repr=False)
    alt: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "alt", whole_characters(self.alt))

    @classmethod
    def of(cls, figure: Figure, alt: str, dpi: int = 110) -> Picture:
        """Draw a matplotlib figure.

        Args:
            figure: the figure; it is not changed.
            alt: what a sighted reader takes away from it; not empty.
            dpi: pixels per inch.

        Raises:
            ValueError: alt is empty.
        """
        if not alt.strip():
            raise ValueError("alt must say what the picture shows, got an empty text")
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=dpi, bbox_inches="tight", pad_inches=0.12)
        return cls(buffer.getvalue(), alt)

    def html(self) -> str:
        """Return `<figure role="img">` with the PNG inside; every character of the alt text is escaped."""
        alt, data = escape(self.alt), base64.b64encode(self.png).decode()
        wide = int.from_bytes(self.png[16:20])  # pixels, as the header of a PNG says
        least = f"min-width:{int(_READABLE * wide)}px;" if wide > _WIDE else ""
        return (
            f'<figure class="course-picture" role="img" aria-label="{alt}" style="margin:0;overflow-x:auto">'
            f'<img alt="{alt}" src="data:image/png;base64,{data}" style="{least}max-width:100%"></figure>'
        )

    def save(self, path: str | Path) -> Path:
        """Write the PNG and return its path."""
        path = Path(path)
        path.write_bytes(self.png)
        return path

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        png = base64.b64encode(self.png).decode()
        bundle = {"text/html": self.html(), "image/png": png, "text/plain": self.alt}
        return bundle, {"image/png": {"alt": self.alt}}
