"""Real data sets that ship with the course, with source, licence and checksum."""

from course_lib.data.packaged import DATA_FOLDER, DataError, read_verified, verify_all
from course_lib.data.tatoeba import ReferencedSentence, SentencePair, TranslationDataset, load_tatoeba

__all__ = [
    "DATA_FOLDER",
    "DataError",
    "ReferencedSentence",
    "SentencePair",
    "TranslationDataset",
    "load_tatoeba",
    "read_verified",
    "verify_all",
]
