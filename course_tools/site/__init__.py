"""The lectures as a folder of pages, which any browser opens and no network or server is needed for."""

from course_tools.site.pages import SLIDES, write_index, write_page

__all__ = ["SLIDES", "write_index", "write_page"]
