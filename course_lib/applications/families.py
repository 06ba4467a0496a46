"""Build any translation model of the course from its configuration."""

from collections.abc import Callable
from typing import Any

from course_lib.seq2seq.character import CharacterDecoder
from course_lib.seq2seq.convs2s import ConvS2S
from course_lib.seq2seq.gnmt import GNMT
from course_lib.seq2seq.model import EncoderDecoder, Seq2Seq
from course_lib.seq2seq.sutskever import Sutskever
from course_lib.seq2seq.transformer import Transformer

FAMILIES: dict[str, Callable[..., Seq2Seq]] = {
    "recurrent": EncoderDecoder,
    "sutskever": Sutskever,
    "gnmt": GNMT,
    "character": CharacterDecoder,
    "convs2s": ConvS2S,
    "transformer": Transformer,
}


def build(config: dict[str, Any], **training: Any) -> Seq2Seq:
    """Build a model.

    Args:
        config: a model's `config`: its family ("recurrent" where none is named) and its sizes.
        training: what a trained model no longer needs, such as `dropout`.

    Raises:
        ValueError: no such family.
    """
    sizes = dict(config)
    family = sizes.pop("family", "recurrent")
    if family not in FAMILIES:
        raise ValueError(f"family is {family!r}; allowed are {', '.join(map(repr, FAMILIES))}")
    return FAMILIES[family](**sizes, **training)
