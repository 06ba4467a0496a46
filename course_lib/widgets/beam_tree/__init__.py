"""The beam tree."""

from course_lib.widgets.beam_tree.beam_tree import BeamTree

__all__ = ["BeamTree"]
