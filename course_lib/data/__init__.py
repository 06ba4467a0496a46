"""Real data sets that ship with the course, with source, licence and checksum."""

from course_lib.data.babi import BabiTask, StoryQuestion, load_babi
from course_lib.data.fashion_mnist import load_fashion_mnist
from course_lib.data.flowers import flower_credits, load_flowers
from course_lib.data.handwriting import Handwriting, Line, load_handwriting
from course_lib.data.imagenet_names import ImagenetNames, load_imagenet_names
from course_lib.data.labelled_pictures import LabelledPictures, PictureSet
from course_lib.data.mnist import load_mnist
from course_lib.data.packaged import DATA_FOLDER, DataError, read_verified, verify_all
from course_lib.data.photographs import Photograph, Photographs, load_all_photographs, load_photographs
from course_lib.data.shakespeare import CharacterText, load_tiny_shakespeare
from course_lib.data.sketches import Sketches, load_sketches
from course_lib.data.spoken_digits import SpokenDigit, SpokenDigits, load_spoken_digits
from course_lib.data.tatoeba import (
    ReferencedSentence,
    SentencePair,
    TranslationDataset,
    load_more_tatoeba,
    load_tatoeba,
)
from course_lib.data.time_series import Sunspots, load_sunspots, mackey_glass
from course_lib.data.wiki_geo import (
    Analogy,
    WordCorpus,
    WordVectors,
    load_analogies,
    load_glove,
    load_wiki_geo,
)

__all__ = [
    "DATA_FOLDER",
    "Analogy",
    "BabiTask",
    "CharacterText",
    "DataError",
    "Handwriting",
    "ImagenetNames",
    "LabelledPictures",
    "Line",
    "Photograph",
    "Photographs",
    "PictureSet",
    "ReferencedSentence",
    "SentencePair",
    "Sketches",
    "SpokenDigit",
    "SpokenDigits",
    "StoryQuestion",
    "Sunspots",
    "TranslationDataset",
    "WordCorpus",
    "WordVectors",
    "flower_credits",
    "load_all_photographs",
    "load_analogies",
    "load_babi",
    "load_fashion_mnist",
    "load_flowers",
    "load_glove",
    "load_handwriting",
    "load_imagenet_names",
    "load_mnist",
    "load_more_tatoeba",
    "load_photographs",
    "load_sketches",
    "load_spoken_digits",
    "load_sunspots",
    "load_tatoeba",
    "load_tiny_shakespeare",
    "load_wiki_geo",
    "mackey_glass",
    "read_verified",
    "verify_all",
]
