"""The contextual reader: a two-sided language model gives each word of a sentence a vector."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from course_lib.checkpoints import FOLDER, load_model, save_checkpoint
from course_lib.recurrent.bidirectional_lm import BidirectionalLanguageModel
from course_lib.text.bpe import BytePairEncoding

SHIPPED = FOLDER / "contextual.safetensors"


class ContextualReader:
    """A trained model and its pieces: words in, one vector for each word in its place out.

    Args:
        model: in eval mode.
        encoding: its pieces.
    """

    def __init__(self, model: BidirectionalLanguageModel, encoding: BytePairEncoding) -> None:
        self.model, self.encoding = model, encoding

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's pieces."""
        return [self.encoding.encode(word) for word in words]

    def sentence(self, words: Sequence[str]) -> list[int]:
        """Return the ids of a sentence, between a mark of its begin and one of its end."""
        ids = [i for word in self.pieces(words) for i in word]
        return [self.encoding.bos_id, *ids, self.encoding.eos_id]

    @torch.no_grad()
    def vectors(self, words: Sequence[str]) -> Float[np.ndarray, "layers words features"]:
        """Return the vector of each word, [h→ ; h←], from each layer.

        A word of several pieces has h→ at its last piece and h← at its first: both have read it whole.

        Args:
            words: a sentence, 1 word or more, none empty.

        Raises:
            ValueError: there are no words, or one is empty.
        """
        if not words or not all(words):
            raise ValueError(f"words are {list(words)!r}; allowed is 1 or more, none of them empty")
        ends = np.cumsum([len(ids) for ids in self.pieces(words)])
        starts = np.concatenate([[1], ends[:-1] + 1])
        tokens = torch.tensor([self.sentence(words)], device=self.model.bias.device)
        right, left = self.model.states(tokens)
        return torch.cat([right[:, 0, ends], left[:, 0, starts]], dim=-1).numpy(force=True)

    @torch.no_grad()
    def next_word(self, words: Sequence[str], candidates: Sequence[str]) -> Float[np.ndarray, "candidates"]:
        """Return ln p of each candidate coming next, by the direction that reads from left to right.

        It is the sum over the candidate's pieces. A longer word that begins with the same pieces counts, too.

        Args:
            words: the begin of a sentence, 1 word or more, none empty.
            candidates: 1 word or more, none empty.

        Raises:
            ValueError: there are no words or no candidates, or one is empty.
        """
        for name, given in (("words", words), ("candidates", candidates)):
            if not given or not all(given):
                raise ValueError(f"{name} are {list(given)!r}; allowed is 1 or more, none of them empty")
        found = []
        for candidate in candidates:
            ids = torch.tensor(self.sentence([*words, candidate])[:-1])
            scores = self.model(ids.to(self.model.bias.device)[None]).forward[0].log_softmax(dim=-1).cpu()
            log_p = scores.take_along_dim(ids[1:, None], dim=-1)
            found.append(log_p[-len(self.encoding.encode(candidate)) :].sum().item())
        return np.array(found)


def save_reader(path: Path, reader: ContextualReader, sizes: dict[str, Any]) -> None:
    """Write a model and its pieces as one checkpoint (float16).

    Args:
        path: a file ending in .safetensors.
        reader: the model and its pieces.
        sizes: the arguments that build the model, without `vocabulary_size`.
    """
    pieces = {"alphabet": "".join(reader.encoding.alphabet), "merges": reader.encoding.merges}
    save_checkpoint(path, reader.model, {"sizes": sizes, "pieces": pieces})


def load_reader(path: Path = SHIPPED) -> ContextualReader:
    """Return a trained model, in eval mode, and its pieces; by default those that ship.

    Raises:
        CheckpointError: the file is missing or damaged.
    """

    def encoding(config: dict[str, Any]) -> BytePairEncoding:
        merges = [(left, right) for left, right in config["pieces"]["merges"]]
        return BytePairEncoding(config["pieces"]["alphabet"], merges)

    model, config = load_model(
        path, lambda config: BidirectionalLanguageModel(len(encoding(config)), **config["sizes"])
    )
    return ContextualReader(model, encoding(config))
