"""Who handed a file in, as its name says: in nbgrader's exchange, from Moodle, from Canvas."""

import re
import unicodedata
from dataclasses import dataclass

# student+paper+time, and mostly a random word more.
_EXCHANGE = re.compile(r"(?P<name>.+)\+(?P<paper>[^+]+)\+(?P<time>\d{4}-\d\d-\d\d [^+]+)(?:\+[^+]+)?")
# A folder for each student, or the file itself. What the student called the file comes last; it may look like
# the beginning of another one's.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_file(?:_(?P<file>.*))?")
# Letters of the name, perhaps LATE, numbers of the student and of the file, and its name.
_CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_(?P<order>\d+)_(?P<file>.+)")


@dataclass(frozen=True)
class Sender:
    """What the name of a file or folder says.

    Attributes:
        platform: exchange, Moodle, Canvas, or empty: then the whole name is the student's.
        name: the student's, as it is written there.
        number: the platform's number of the student.
        paper: of which paper it is; only the exchange says so.
        time: when it came, in the exchange's words.
        file: what the student called the file, without its ending.
        order: later files of a platform have larger numbers.
        late: whether the platform says that it came late.
    """

    platform: str
    name: str
    number: str = ""
    paper: str = ""
    time: str = ""
    file: str = ""
    order: int = 0
    late: bool = False


def read_sender(name: str) -> Sender:
    """Read the name of an entry, without the ending of a file."""
    name = unicodedata.normalize("NFC", name)
    for platform, pattern in (("exchange", _EXCHANGE), ("Canvas", _CANVAS), ("Moodle", _MOODLE)):
        match = pattern.fullmatch(name)
        if match and (platform != "exchange" or _is_time(match["time"])):
            found = {key: value or "" for key, value in match.groupdict().items()}
            order, late = int(found.pop("order", "0")), bool(found.pop("late", ""))
            return Sender(platform, **found, order=order, late=late)
    return Sender("", name)


def _is_time(text: str) -> bool:
    from nbgrader.utils import parse_utc

    try:
        parse_utc(text)
    except (ValueError, OverflowError):
        return False
    return True
