"""The language models of characters that ship, and what they write."""

from pathlib import Path
from typing import Any

import torch

from course_lib.checkpoints import FOLDER, load_model, save_checkpoint
from course_lib.decoding import sample
from course_lib.recurrent.language_model import LanguageModel
from course_lib.seq2seq.one_stack import OneStack
from course_lib.text.vocabulary import CharacterVocabulary


def write(
    model: LanguageModel | OneStack,
    vocabulary: CharacterVocabulary,
    beginning: str,
    length: int,
    temperature: float = 1.0,
    seed: int = 0,
) -> str:
    """Return a text that goes on from a beginning, without it.

    Args:
        model: of characters, in eval mode.
        vocabulary: of the model.
        beginning: one character or more.
        length: characters to write, 1 or more.
        temperature: above 0.
        seed: of the random numbers.

    Raises:
        ValueError: the beginning is empty or has a character that the model does not know.
    """
    device = next(model.parameters()).device
    generator = torch.Generator(device).manual_seed(seed)
    last, state = model.read(vocabulary.encode(beginning).to(device).unsqueeze(0))
    (drawn,) = sample(model.next_token, state, last, None, length, temperature, generator=generator)
    return vocabulary.decode(drawn.tokens)


def save_character_lm(
    path: Path, model: LanguageModel | OneStack, vocabulary: CharacterVocabulary, sizes: dict[str, Any]
) -> None:
    """Write a model of characters as a checkpoint, its matrices in whole numbers.

    Args:
        path: a file ending in .safetensors.
        model: its weights.
        vocabulary: its characters.
        sizes: the arguments that build the model, without `vocabulary_size` (and `causal`).
    """
    save_checkpoint(path, model, {"characters": vocabulary.characters, "sizes": sizes}, int8=True)


def load_character_lm(
    path: Path = FOLDER / "character_lm.safetensors",
) -> tuple[LanguageModel, CharacterVocabulary]:
    """Return a trained model of characters, in eval mode, and its vocabulary; by default the shipped one.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    model, config = load_model(
        path, lambda config: LanguageModel(len(config["characters"]), **config["sizes"])
    )
    return model, CharacterVocabulary(config["characters"])


def load_decoder_only(
    path: Path = FOLDER / "decoder_only.safetensors",
) -> tuple[OneStack, CharacterVocabulary]:
    """Return a trained decoder-only Transformer of characters, in eval mode, and its vocabulary.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    model, config = load_model(
        path, lambda config: OneStack(len(config["characters"]), **config["sizes"], causal=True)
    )
    return model, CharacterVocabulary(config["characters"])
