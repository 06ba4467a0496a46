"""The memory film."""

from course_lib.widgets.memory_film.memory_film import MemoryFilm

__all__ = ["MemoryFilm"]
