"""Short stories with questions about them, made by a simulator (bAbI, version 1.1)."""

import io
import tarfile
from dataclasses import dataclass
from functools import lru_cache

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

ARCHIVE = "babi_v1.1_en.tar.xz"
TASKS = range(1, 21)


@dataclass(frozen=True)
class StoryQuestion:
    """A question, the story told before it, and what answers it."""

    story: tuple[str, ...]  # sentences, without the questions asked in between
    question: str
    answer: str
    supporting: tuple[int, ...]  # positions in `story` of the sentences that the answer rests on


@dataclass(frozen=True)
class BabiTask:
    """One of the twenty tasks."""

    name: str
    train: tuple[StoryQuestion, ...]
    test: tuple[StoryQuestion, ...]
    licence: str = "CC BY 3.0"
    attribution: str = "bAbI tasks, version 1.1, Facebook AI Research, CC BY 3.0."


@lru_cache
def load_babi(task: int) -> BabiTask:
    """Load one task: 1,000 training and 1,000 test questions, in file order (Weston et al. 2015).

    Args:
        task: its number, 1 to 20.

    Raises:
        ValueError: no such task.
        DataError: the file is missing or damaged.
    """
    if task not in TASKS:
        raise ValueError(f"task is {task!r}; allowed are 1 to {TASKS[-1]}")
    folder = DATA_FOLDER / "babi_v1.1"
    packed = read_verified(folder / ARCHIVE, checksums(folder)[ARCHIVE])
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:xz") as archive:
        texts = {
            member.name.rsplit("/", 1)[-1]: content.read().decode("utf8")
            for member in archive
            if f"/qa{task}_" in member.name and (content := archive.extractfile(member))
        }
    train, test = (next(n for n in texts if n.endswith(ending)) for ending in ("_train.txt", "_test.txt"))
    name = train.removesuffix("_train.txt").split("_", 1)[1].replace("-", " ")
    return BabiTask(name, tuple(read_stories(texts[train])), tuple(read_stories(texts[test])))


def read_stories(text: str) -> list[StoryQuestion]:
    """Read the format of the tasks: `ID text`, or `ID question<TAB>answer<TAB>supporting IDs`."""
    questions: list[StoryQuestion] = []
    story: dict[int, str] = {}
    for line in text.splitlines():
        number, _, rest = line.partition(" ")
        if number == "1":  # a new story begins
            story = {}
        if "\t" in rest:
            question, answer, supporting = rest.split("\t")
            places = {id_: place for place, id_ in enumerate(story)}
            facts = tuple(places[int(id_)] for id_ in supporting.split())
            questions.append(StoryQuestion(tuple(story.values()), question.strip(), answer, facts))
        else:
            story[int(number)] = rest.strip()
    return questions
