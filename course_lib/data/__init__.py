"""Real data sets that ship with the course, with source, licence and checksum."""

from course_lib.data.babi import BabiTask, StoryQuestion, load_babi
from course_lib.data.packaged import DATA_FOLDER, DataError, read_verified, verify_all
from course_lib.data.spoken_digits import SpokenDigit, SpokenDigits, load_spoken_digits
from course_lib.data.tatoeba import ReferencedSentence, SentencePair, TranslationDataset, load_tatoeba

__all__ = [
    "DATA_FOLDER",
    "BabiTask",
    "DataError",
    "ReferencedSentence",
    "SentencePair",
    "SpokenDigit",
    "SpokenDigits",
    "StoryQuestion",
    "TranslationDataset",
    "load_babi",
    "load_spoken_digits",
    "load_tatoeba",
    "read_verified",
    "verify_all",
]
