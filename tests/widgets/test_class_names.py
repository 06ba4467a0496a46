import re
from pathlib import Path

import pytest

import course_lib.widgets

SCRIPTS = sorted(Path(course_lib.widgets.__file__).parent.rglob("*.js"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_class_names_are_the_courses_own(script):
    """A page's own rules for .toolbar or .scroll must not reach into a widget."""
    for names in re.findall(r'class: "([^"]*)"', script.read_text(encoding="utf8")):
        first, *_ = names.split()  # a second one tells states of the first apart
        assert re.match(r"[a-z]+-", first), f"class {first!r} has no prefix"
