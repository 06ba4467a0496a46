"""The language model of characters that ships, and what it writes."""

from pathlib import Path
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.checkpoints import FOLDER, read_checkpoint, save_checkpoint
from course_lib.decoding.sampling import next_probabilities
from course_lib.recurrent.language_model import LanguageModel
from course_lib.text.vocabulary import CharacterVocabulary


@torch.no_grad()
def sample(
    model: LanguageModel,
    start: Int[Tensor, "batch given"],
    length: int,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "batch length"]:
    """Draw tokens one after the other; each is read before the next is drawn.

    Args:
        model: in eval mode.
        start: the beginning of each text, one token or more.
        length: tokens to draw for each text, 0 or more.
        temperature: of each draw, above 0; see `next_probabilities`.
        generator: of the random numbers.

    Returns:
        the tokens drawn, without the beginning.

    Raises:
        ValueError: the beginning is empty, or the temperature is not above 0.
    """
    if start.shape[1] < 1:
        raise ValueError("start has 0 tokens; allowed is 1 or more: the model needs something to go on from")
    tokens, state = start, None
    drawn = []
    for _ in range(length):
        logits, state = model(tokens, state)
        tokens = torch.multinomial(next_probabilities(logits[:, -1], temperature), 1, generator=generator)
        drawn.append(tokens)
    return torch.cat(drawn, dim=1) if drawn else start[:, :0]


def write(
    model: LanguageModel,
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
        length: characters to write.
        temperature: above 0.
        seed: of the random numbers.

    Raises:
        ValueError: the beginning is empty or has a character that the model does not know.
    """
    generator = torch.Generator().manual_seed(seed)
    start = vocabulary.encode(beginning).unsqueeze(0)
    return vocabulary.decode(sample(model, start, length, temperature, generator)[0])


def save_character_lm(
    path: Path, model: LanguageModel, vocabulary: CharacterVocabulary, sizes: dict[str, Any]
) -> None:
    """Write a model of characters as a checkpoint (float16).

    Args:
        path: a file ending in .safetensors.
        model: its weights.
        vocabulary: its characters.
        sizes: the arguments that build the model, without `vocabulary_size`.
    """
    save_checkpoint(path, model, {"characters": vocabulary.characters, "sizes": sizes})


def load_character_lm(
    path: Path = FOLDER / "character_lm.safetensors",
) -> tuple[LanguageModel, CharacterVocabulary]:
    """Return a trained model of characters, in eval mode, and its vocabulary; by default the shipped one.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    config, weights = read_checkpoint(path)
    vocabulary = CharacterVocabulary(config["characters"])
    model = LanguageModel(len(vocabulary), **config["sizes"])
    model.load_state_dict(weights)
    return model.eval(), vocabulary
