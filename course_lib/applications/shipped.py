"""Every trained model that ships with the course: one table, from a file's name to what loads it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from course_lib.applications import clothes
from course_lib.applications.captioner import load_captioner
from course_lib.applications.contextual_reader import load_reader as load_contextual_reader
from course_lib.applications.counter import read_counter
from course_lib.applications.describer import load_describer
from course_lib.applications.digit_strings import SHIPPED as STRING_MODELS
from course_lib.applications.digit_strings import load_string_model
from course_lib.applications.frames import load_predictor
from course_lib.applications.glimpser import load_glimpser
from course_lib.applications.handwriting import SHIPPED as LINE_READER
from course_lib.applications.handwriting import load_line_reader
from course_lib.applications.language import load_character_lm, load_decoder_only
from course_lib.applications.memory_reader import read_dynamic_reader, read_memory_reader
from course_lib.applications.painter import load_painter
from course_lib.applications.pictures import PICTURE_NETWORKS, load_picture_network
from course_lib.applications.speller import LETTERS, Speller
from course_lib.applications.talker import SHIPPED as TALKER
from course_lib.applications.talker import load_talker
from course_lib.applications.tapes import load_two_ways, read_copier
from course_lib.applications.translator import LARGE_ENCODING, SHIPPED_ENCODING, Translator
from course_lib.applications.word_reader import load_reader
from course_lib.checkpoints import FOLDER, load_model
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.visual_attention import ATTENTIONS
from course_lib.words.storage import load_word_vectors

APPLICATIONS = ("reader", "reader_without", "speller", "summariser", "summariser_without")


def load_application(name: str, path: Path | None = None) -> tuple[EncoderDecoder, tuple[str, ...]]:
    """Load a trained model, ready to use, and the names of its tokens.

    Args:
        name: one of `APPLICATIONS`.
        path: its checkpoint; None takes the shipped one.

    Raises:
        ValueError: no such application.
        CheckpointError: the checkpoint is missing or damaged.
    """
    if name not in APPLICATIONS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, APPLICATIONS))}")

    def build(config: dict[str, Any]) -> EncoderDecoder:
        sizes = {key: value for key, value in config.items() if key != "vocabulary"}
        return Speller(**sizes) if name == "speller" else EncoderDecoder(**sizes)

    model, config = load_model(path or FOLDER / f"app_{name}.safetensors", build)
    return model, tuple(config.get("vocabulary", LETTERS))


TRANSLATORS = (
    "bahdanau",
    "bahdanau_large",
    "cho",
    "convs2s",
    "luong_concat",
    "luong_dot",
    "luong_general",
    "sutskever",
    "transformer",
    "transformer_large",
)
SHIPPED: dict[str, Callable[[Path], object]] = {
    SHIPPED_ENCODING.name: BytePairEncoding.load,
    LARGE_ENCODING.name: BytePairEncoding.load,
    **{f"translator_{name}.safetensors": Translator.load for name in TRANSLATORS},
    **{f"app_{name}.safetensors": partial(load_application, name) for name in APPLICATIONS},
    "character_lm.safetensors": load_character_lm,
    "decoder_only.safetensors": load_decoder_only,
    "lstmn_english.safetensors": load_reader,
    "contextual.safetensors": load_contextual_reader,
    "word_vectors.safetensors": load_word_vectors,
    "conv_lstm_digits.safetensors": load_predictor,
    "films_both.safetensors": load_describer,
    "ram_translated.safetensors": load_glimpser,
    "draw_windows.safetensors": load_painter,
    **{f"{name}.safetensors": partial(load_picture_network, name) for name in PICTURE_NETWORKS},
    **{f"babi_{name}.safetensors": read_memory_reader for name in ("joint", "single")},
    "facts_dynamic_15.safetensors": read_dynamic_reader,
    **{f"tape_{task}.safetensors": read_copier for task in ("copy", "repeat")},
    "two_ways.safetensors": load_two_ways,
    LINE_READER.name: load_line_reader,
    TALKER.name: load_talker,
    **{path.name: partial(load_string_model, kind) for kind, path in STRING_MODELS.items()},
    **{f"captions_{name}.safetensors": partial(load_captioner, name) for name in ATTENTIONS},
    **{path.name: clothes.load_clothes_network for path in clothes.SHIPPED.values()},
    **{
        f"count_{kind}_{letters}.safetensors": read_counter
        for kind in ("lstm", "gru")
        for letters in ("ab", "abc")
    },
}
