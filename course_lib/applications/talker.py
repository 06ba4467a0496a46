"""The talker: it reads what was said in a play, and who is to answer, and writes the reply.

    ROMEO: What is thy name? JULIET:   →   Juliet, my lord.

It is the recurrent encoder–decoder of lecture 11, on talk instead of translations (Vinyals and Le 2015;
attention as in Bahdanau et al. 2015).
"""

from pathlib import Path
from typing import Any

from course_lib.applications.families import build
from course_lib.applications.translator import Translator
from course_lib.checkpoints import FOLDER, load_model, save_checkpoint
from course_lib.data.shakespeare import Exchange
from course_lib.seq2seq.model import EncoderDecoder, Seq2Seq
from course_lib.text import BytePairEncoding

SHIPPED = FOLDER / "talker.safetensors"


def heard(exchange: Exchange) -> str:
    """Return what the talker reads: what was said, and the name of who replies, in one line."""
    return " ".join(f"{exchange.said} {exchange.reply.partition(chr(10))[0]}".split())


def told(exchange: Exchange) -> str:
    """Return what it is to write: the words of the reply, in one line."""
    return " ".join(exchange.reply.partition("\n")[2].split())


def save_talker(path: Path, model: EncoderDecoder, encoding: BytePairEncoding) -> None:
    """Write a talker's rounded weights and its encoding into one file."""
    pieces = {"alphabet": "".join(encoding.alphabet), "merges": encoding.merges}
    save_checkpoint(path, model, {"model": model.config, "encoding": pieces}, int8=True)


def load_talker(path: Path = SHIPPED) -> Translator:
    """Load a talker, ready to use: it turns what was heard into a reply as a translator turns languages.

    Args:
        path: the checkpoint; the one that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """

    def untrained(config: dict[str, Any]) -> Seq2Seq:
        encoding_of(config)  # which another model's checkpoint has not
        return build(config["model"])

    model, config = load_model(path, untrained)
    return Translator(model, encoding_of(config), "talker")


def encoding_of(config: dict[str, Any]) -> BytePairEncoding:
    """Return the encoding that stands in a talker's checkpoint."""
    pieces = config["encoding"]
    return BytePairEncoding(pieces["alphabet"], [(left, right) for left, right in pieces["merges"]])
