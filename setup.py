"""What `pyproject.toml` cannot say: lectures and papers, which lie beside the packages, go into the wheel."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithLectures(build_py):
    """Copies what `course get` brings into the built package; an editable install needs no copy."""

    def run(self) -> None:
        """Build the packages, then add the lectures and papers."""
        super().run()
        if not self.editable_mode:
            for name in ("notebooks", "assignments"):
                target = Path(self.build_lib, "course_tools", "shipped", name)
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(name, target, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))


setup(cmdclass={"build_py": BuildWithLectures})
