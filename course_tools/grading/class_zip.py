"""The one zip in which a learning platform hands out the work of a whole class."""

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from course_tools.grading.senders import read_sender
from course_tools.grading.submissions import (
    SIZE_LIMIT,
    ZIP_FAULTS,
    SubmissionError,
    holds_work,
    safe_members,
    time_of,
)

FILES_LIMIT = 20_000
TOTAL_LIMIT = 2_000_000_000  # bytes of all its notebooks, unpacked


@contextmanager
def unpacked(submissions: Path) -> Iterator[Path]:
    """Give the folder of submissions; of a class' zip, one that is there while the block runs.

    Files that hold no work are there by name only. The times are those of the zip.

    Args:
        submissions: a folder, or the zip of Moodle or Canvas as it was downloaded.

    Yields:
        The folder.

    Raises:
        ValueError: no readable zip, one with a path or a link that leads out of it, or too much in it.
    """
    if submissions.is_dir():
        yield submissions
        return
    with tempfile.TemporaryDirectory(prefix="course-class-") as folder:
        try:
            with zipfile.ZipFile(submissions) as archive:
                _unpack(archive, Path(folder))
        except SubmissionError as error:
            raise ValueError(f"{submissions} is {error}") from error
        except ZIP_FAULTS as error:
            raise ValueError(f"{submissions} is neither a folder nor a readable zip: {error}") from error
        yield Path(folder)


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    members = safe_members(archive, FILES_LIMIT)
    if not members:
        raise SubmissionError("missing_notebook", "a zip that holds nothing")
    around = _folder_around(list(members))
    left = TOTAL_LIMIT
    for place, member in members.items():
        path = folder / place.relative_to(around)
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as file, path.open("xb") as target:
            if holds_work(path):
                left -= target.write(file.read(SIZE_LIMIT + 1))  # one too many is refused like any large file
        if left < 0:
            raise SubmissionError("refused", f"a zip with more than {TOTAL_LIMIT / 1e9:g} GB of notebooks")
        os.utime(path, (time_of(member),) * 2)


def _folder_around(places: list[PurePosixPath]) -> PurePosixPath:
    """Return the folder that holds everything, where it is nobody's."""
    first = {place.parts[0] for place in places}
    if len(first) == 1 and all(len(place.parts) > 1 for place in places):
        [name] = first
        if not read_sender(name).platform:
            return PurePosixPath(name)
    return PurePosixPath()
