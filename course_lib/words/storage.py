"""Word vectors in a small file: eight bits a number."""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from course_lib.checkpoints import FOLDER, CheckpointError, read_checkpoint
from course_lib.data.wiki_geo import WordVectors

SHIPPED = FOLDER / "word_vectors.safetensors"
LICENCE = "CC BY-SA 3.0"
ATTRIBUTION = "Trained by this course on wiki_geo: contributors of English Wikipedia, and CIA World Factbook."


def save_word_vectors(path: Path, vectors: WordVectors) -> None:
    """Write vectors, each scaled so that its largest component is 127, then rounded.

    Args:
        path: a file ending in .safetensors.
        vectors: finite, below 8 million; no word is empty or holds white space.

    Raises:
        ValueError: they are not.
    """
    if not (np.abs(vectors.vectors) < 127 * float(np.finfo(np.float16).max)).all():
        raise ValueError("vectors hold NaN, an infinity or a number of 8 million and more")
    odd = [word for word in vectors.words if word.split() != [word]]
    if odd:
        raise ValueError(f"words hold {odd[0]!r}; allowed are words that are not empty, without white space")
    scale = np.abs(vectors.vectors).max(axis=1, keepdims=True).clip(min=1e-4) / 127
    numbers = {
        "rounded": torch.from_numpy((vectors.vectors / scale).round().astype(np.int8)),
        "scale": torch.from_numpy(scale.astype(np.float16)),
    }
    config = json.dumps({"words": " ".join(vectors.words)})
    save_file(numbers, path, metadata={"config": config})


def load_word_vectors(path: Path = SHIPPED) -> WordVectors:
    """Load vectors: those that ship are skip-gram's, of the frequent words of wiki_geo and all it asks for.

    Args:
        path: what `save_word_vectors` wrote.

    Raises:
        CheckpointError: the file is missing, damaged or holds something else.
    """
    config, numbers = read_checkpoint(path)
    if config.keys() != {"words"} or numbers.keys() != {"rounded", "scale"}:
        raise CheckpointError(f"{path} holds no word vectors, but {', '.join(numbers)}")
    vectors = (numbers["rounded"] * numbers["scale"]).numpy()
    return WordVectors(tuple(config["words"].split(" ")), vectors, LICENCE, ATTRIBUTION)
