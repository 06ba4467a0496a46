"""A lecture as a deck of slides, in one file that needs no network."""

from course_tools.slides.deck import write_deck

__all__ = ["write_deck"]
