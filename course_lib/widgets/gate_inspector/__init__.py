"""The gate inspector."""

from course_lib.widgets.gate_inspector.gate_inspector import LONGEST_TEXT, GateInspector

__all__ = ["LONGEST_TEXT", "GateInspector"]
