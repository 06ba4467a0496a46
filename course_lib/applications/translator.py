"""Text in, text out: a trained encoder–decoder with its vocabulary."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from course_lib.applications.families import build
from course_lib.applications.names import Lent, learned_words, lend_names, missing
from course_lib.checkpoints import FOLDER, load_model, save_checkpoint
from course_lib.data import SentencePair, load_more_tatoeba, load_tatoeba
from course_lib.decoding import (
    Hypothesis,
    LengthPenalty,
    SearchResult,
    beam_search,
    greedy_search,
    prefer_known_words,
)
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.metrics.text import letter_runs
from course_lib.seq2seq.character import CharacterDecoder, characters
from course_lib.seq2seq.model import Seq2Seq
from course_lib.seq2seq.transformer import Transformer
from course_lib.text import BytePairEncoding
from course_lib.text.bpe import BYTES
from course_lib.text.typography import plain
from course_lib.traces import AttentionTrace

SHIPPED_ENCODING = FOLDER / "tatoeba_eng_fra_bpe.json"
LARGE_ENCODING = FOLDER / "tatoeba_eng_fra_more_bpe.json"


@dataclass(frozen=True)
class Translation:
    """One translated sentence."""

    text: str
    pieces: tuple[str, ...]  # what was written, token by token; "</s>" last if finished
    source_pieces: tuple[str, ...]  # what was read; "</s>" last
    log_prob: float
    finished: bool  # False: the length limit cut it off
    attention: (
        np.ndarray | None
    )  # (pieces, source_pieces), mean of all layers and heads; None without attention


class Translator:
    """A model in evaluation mode, with the encoding of its two languages.

    Args:
        model: trained.
        encoding: the one it was trained with.
        name: for people.
        shipped: the file of the encoding, of a model trained on all the English–French pairs that it was
            learned from; None where the model was trained on something else.
    """

    def __init__(
        self, model: Seq2Seq, encoding: BytePairEncoding, name: str, shipped: Path | None = None
    ) -> None:
        self.model, self.encoding, self.name, self._shipped = model.eval(), encoding, name, shipped
        by_character = isinstance(model, CharacterDecoder)
        self.target_encoding = characters(encoding) if by_character else encoding
        self.longest = 250 if by_character else 50  # target tokens, where a caller sets no limit
        self.bos_id, self.eos_id = encoding.bos_id, encoding.eos_id

    def source_pieces(self, text: str) -> tuple[str, ...]:
        """Return what the encoder reads of a text in plain signs (see `plain`): its pieces and "</s>"."""
        return tuple(self.encoding.pieces[i] for i in self._source_ids(text))

    def never_read(self, pieces: Sequence[str]) -> tuple[bool, ...]:
        """Say of each source piece whether the model never read it in training.

        Of a model that does not ship no more is known than this: bytes spell a character that no text has
        from which the encoding was learned.
        """
        if self._shipped is None:
            return tuple(piece in BYTES for piece in pieces)
        known = _read_in_training(self._shipped)
        return tuple(piece not in known for piece in pieces)

    def _source_ids(self, text: str) -> list[int]:
        read = plain(text)
        if not read:
            raise ValueError(
                f"a text to translate is {text!r}; allowed is one with at least one character to read"
            )
        return [*self.encoding.encode(read), self.eos_id]

    def _source_batch(self, texts: Sequence[str]) -> Tensor:
        if isinstance(texts, str):
            raise TypeError(f"texts is one string, {texts!r}; allowed is a list of strings")
        ids = [torch.tensor(self._source_ids(text), device=self.device) for text in texts]
        return pad_sequence(ids, batch_first=True, padding_value=self.encoding.pad_id)

    @property
    def device(self) -> torch.device:
        """Where the model computes; what it reads is made there."""
        return self.model.bias.device

    @torch.no_grad()
    def start(self, texts: Sequence[str]) -> Any:
        """Read sentences; return the decoder state before the first target token."""
        return self.model.start(self._source_batch(texts))

    @torch.no_grad()
    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Return the log-probabilities of the next target token, and the state after the given one."""
        log_probs, state, _ = self.look(tokens, state)
        return log_probs, state

    @torch.no_grad()
    def look(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any, Tensor | None]:
        """Take a step; return also where the model looked: (batch, source), mean of all layers and heads."""
        evidence, state, weights = self.model.step(tokens, state)
        if weights is not None:
            weights = weights.flatten(1, -2).mean(dim=1) if weights.dim() > 2 else weights
        return self.model.logits(evidence).log_softmax(dim=-1), state, weights

    def translate(
        self,
        texts: Sequence[str],
        beam_size: int = 1,
        penalty: LengthPenalty = LengthPenalty("average"),
        max_length: int | None = None,
        coverage: CoveragePenalty | None = None,
        known_words: bool = False,
    ) -> list[Translation]:
        """Translate sentences; the result of each does not depend on the others.

        Args:
            texts: source sentences.
            beam_size: 1 decodes greedily.
            penalty: compares finished hypotheses, where `beam_size` is above 1.
            max_length: most target tokens, "</s>" counted; None for 50, or 250 characters.
            coverage: compares them by how much of the source they looked at, where `beam_size` is above 1.
            known_words: prefers those without an invented word (see `prefer_known_words`), where `beam_size`
                is above 1 and the model is one that ships.

        Raises:
            TypeError: `texts` is one string.
            ValueError: a text is empty or white space, or too long for the model; or `coverage` is asked of
                a model without attention.
        """
        if not len(texts):
            return []
        max_length = self.longest if max_length is None else max_length
        if beam_size == 1:
            best = greedy_search(self.step, self.start(texts), self._first(texts), self.eos_id, max_length)
        else:
            found = self._search(texts, beam_size, penalty, max_length, coverage, False)
            ranked = self._prefer_known if known_words else lambda text, hypotheses: hypotheses
            best = [ranked(text, each.hypotheses)[0] for text, each in zip(texts, found, strict=True)]
        return [
            self._translation(text, hypothesis, weights)
            for text, hypothesis, weights in zip(texts, best, self.attend(texts, best), strict=True)
        ]

    def best(self, text: str, beam_size: int = 5) -> Translation:
        """Translate a sentence as somebody who types it sees it: the best without an invented word.

        Where names are lost that the model hardly knows, others are lent to them (see `lend_names`).
        """
        lent, hypothesis = self._best(text, beam_size)
        (weights,) = self.attend([lent.text], [hypothesis])
        found = self._translation(lent.text, hypothesis, weights)
        return replace(
            found,
            text=lent.give_back(found.text),
            pieces=lent.named(found.pieces),
            source_pieces=lent.named(found.source_pieces),
        )

    def _best(self, text: str, beam_size: int = 5) -> tuple[Lent, Hypothesis]:
        """Return the text as it is read, and of its translations the best that loses no lent name."""
        as_typed = self._of_known_words(text, beam_size)[0]
        if self._shipped is None:
            return Lent(text, {}), as_typed
        lent = lend_names(text, _learned_in_training(self._shipped))
        if not missing(lent.names.values(), self.target_encoding.decode(as_typed.tokens)):
            return Lent(text, {}), as_typed

        def behind(hypothesis: Hypothesis) -> tuple[bool, int]:
            text = self.target_encoding.decode(hypothesis.tokens)
            return not hypothesis.finished, len(missing(lent.names, text))

        return lent, min(self._of_known_words(lent.text, beam_size), key=behind)

    def _of_known_words(self, text: str, beam_size: int) -> Sequence[Hypothesis]:
        (found,) = self._search([text], beam_size, LengthPenalty("average"), self.longest, None, False)
        return self._prefer_known(text, found.hypotheses)

    def _prefer_known(self, text: str, hypotheses: Sequence[Hypothesis]) -> Sequence[Hypothesis]:
        if self._shipped is None:
            return hypotheses
        return prefer_known_words(hypotheses, self.target_encoding.decode, french_words(), plain(text))

    def search(
        self,
        text: str,
        beam_size: int,
        penalty: LengthPenalty = LengthPenalty("average"),
        max_length: int | None = None,
        coverage: CoveragePenalty | None = None,
    ) -> SearchResult:
        """Return all hypotheses of a beam search for one sentence, and its whole tree as a trace."""
        limit = self.longest if max_length is None else max_length
        return self._search([text], beam_size, penalty, limit, coverage, True)[0]

    def _search(
        self,
        texts: Sequence[str],
        beam_size: int,
        penalty: LengthPenalty,
        max_length: int,
        coverage: CoveragePenalty | None,
        record: bool,
    ) -> list[SearchResult]:
        source = self._source_batch(texts)
        with torch.no_grad():
            state = self.model.start(source)
        return beam_search(
            self.look if coverage else self.step,
            state,
            self._first(texts),
            self.eos_id,
            max_length,
            beam_size,
            penalty,
            self.target_encoding.pieces if record else None,
            texts,
            coverage,
            source != self.encoding.pad_id,
        )

    def _first(self, texts: Sequence[str]) -> Tensor:
        return torch.full((len(texts),), self.bos_id, device=self.device)

    @torch.no_grad()
    def attend(self, texts: Sequence[str], hypotheses: Sequence[Hypothesis]) -> list[np.ndarray | None]:
        """Return where the model looked while it wrote each hypothesis: (target, source) weights.

        Several layers and heads are averaged; `attention_trace` shows each.
        """
        written = [
            torch.tensor([self.bos_id, *hypothesis.tokens[:-1]], device=self.device)
            for hypothesis in hypotheses
        ]
        target = pad_sequence(written, batch_first=True, padding_value=self.encoding.pad_id)
        source = self._source_batch(texts)
        _, weights = self.model(source, target)
        if weights is None:
            return [None] * len(texts)
        weights = weights.flatten(1, -3).mean(dim=1) if weights.dim() > 3 else weights
        lengths = (source != self.encoding.pad_id).sum(dim=1).tolist()
        return [
            weights[i, : len(hypothesis.tokens), : lengths[i]].numpy(force=True)
            for i, hypothesis in enumerate(hypotheses)
        ]

    def _translation(self, text: str, hypothesis: Hypothesis, weights: np.ndarray | None) -> Translation:
        return Translation(
            text=self.target_encoding.decode(hypothesis.tokens),
            pieces=tuple(self.target_encoding.pieces[i] for i in hypothesis.tokens),
            source_pieces=self.source_pieces(text),
            log_prob=hypothesis.log_prob,
            finished=hypothesis.finished,
            attention=weights,
        )

    def attention_trace(self, text: str, target: str | None = None, kind: str = "cross") -> AttentionTrace:
        """Return where the model looks while it writes, and its five best next tokens at each step.

        Args:
            text: the source sentence.
            target: the translation to write (teacher forcing); None takes the model's own, see `best`: then
                pieces of a name that was lent are shown as the sentence has it.
            kind: "cross" for the decoder's look at the source. A Transformer has two more: "encoder" for the
                source's look at itself, "decoder" for the target's look at what is written.

        Raises:
            ValueError: the model has no such attention.
        """
        return self.attention_traces(text, (kind,), target)[kind]

    def attention_traces(
        self, text: str, kinds: Sequence[str], target: str | None = None
    ) -> dict[str, AttentionTrace]:
        """Return the traces of several kinds for one translation, by kind; see `attention_trace`."""
        lent, ids = Lent(text, {}), [*self.target_encoding.encode(target or ""), self.eos_id]
        if target is None:
            lent, hypothesis = self._best(text)
            ids = [*hypothesis.tokens]
        source = self._source_batch([lent.text])
        written = torch.tensor([[self.bos_id, *ids[:-1]]], device=self.device)
        with torch.no_grad():
            logits, cross = self.model(source, written)
            if cross is None:
                raise ValueError(f"the model {self.name!r} has no attention to show")
            maps = {"cross": cross}
            if isinstance(self.model, Transformer):
                maps = self.model.attention(source, written)._asdict()
        for kind in kinds:
            if kind not in maps:
                raise ValueError(f"kind is {kind!r}; the model {self.name!r} has only {', '.join(maps)}")
        probabilities, candidates = logits[0].softmax(dim=-1).topk(5)
        pieces = lent.named(self.target_encoding.pieces)
        read = lent.named(self.source_pieces(lent.text))
        shown = tuple(pieces[i] for i in written[0].tolist())

        def trace(kind: str) -> AttentionTrace:
            whole = AttentionTrace.of_model(
                maps[kind][0].numpy(force=True),
                read if kind == "encoder" else tuple(pieces[i] for i in ids),
                shown if kind == "decoder" else read,
                self.name,
                title=f"{text} · {kind}" if kind != "cross" else text,
                read_as=lent.read_as,
            )
            if kind == "encoder":
                return whole
            return replace(
                whole,
                keep=None if kind == "cross" else np.tri(len(ids), dtype=bool),
                candidates=tuple(tuple(pieces[i] for i in row) for row in candidates.tolist()),
                candidate_probabilities=probabilities.numpy(force=True),
            )

        return {kind: trace(kind) for kind in kinds}

    def save(self, path: Path, encoding: Path = SHIPPED_ENCODING, int8: bool = False) -> None:
        """Write the model's rounded weights with what is needed to build it.

        Args:
            path: of the checkpoint.
            encoding: a file that holds its encoding; where it isn't among those that ship, it has to lie
                beside the checkpoint.
            int8: see `save_checkpoint`.
        """
        config = {"name": self.name, "model": self.model.config, "encoding": encoding.name}
        save_checkpoint(path, self.model, config, int8)

    @classmethod
    def load(cls, path: Path) -> "Translator":
        """Read what `save` wrote.

        Raises:
            CheckpointError: the file is missing or damaged.
        """
        model, config = load_model(path, lambda config: build(config["model"]))
        name = config.get("encoding", SHIPPED_ENCODING.name)
        shipped = FOLDER / name
        if shipped.exists():
            return cls(model, BytePairEncoding.load(shipped), config["name"], shipped)
        return cls(model, BytePairEncoding.load(path.parent / name), config["name"])


@lru_cache
def french_words() -> frozenset[str]:
    """Return every word of the French sides of all training pairs, of the larger set too."""
    pairs = (*load_tatoeba("fra").train, *load_more_tatoeba())
    tokens = {token for pair in pairs for token in pair.target.split()}
    return frozenset(word for token in tokens for word in letter_runs(token))


@lru_cache
def _read_in_training(encoding: Path) -> frozenset[str]:
    """Return the pieces of the English sentences on which a shipped encoding's translators were trained."""
    cut = BytePairEncoding.load(encoding)
    read = cut.pieces_in(pair.source for pair in _training_pairs(encoding))
    return frozenset({*read, cut.pieces[cut.eos_id]})


@lru_cache
def _learned_in_training(encoding: Path) -> frozenset[str]:
    """Return the English words that a shipped encoding's translators learned to translate."""
    return learned_words(_training_pairs(encoding))


def _training_pairs(encoding: Path) -> Sequence[SentencePair]:
    """Return the pairs on which a shipped encoding's translators were trained."""
    more = load_more_tatoeba() if encoding == LARGE_ENCODING else ()
    return (*load_tatoeba("fra").train, *more)


def load_translator(name: str) -> Translator:
    """Load one of the translators that ship with the course.

    Raises:
        ValueError: no such translator.
    """
    shipped = sorted(
        path.stem.removeprefix("translator_") for path in FOLDER.glob("translator_*.safetensors")
    )
    if name not in shipped:
        raise ValueError(f"name is {name!r}; shipped are {', '.join(map(repr, shipped))}")
    return Translator.load(FOLDER / f"translator_{name}.safetensors")


def translate_all(
    translator: Translator, texts: Sequence[str], beam_size: int = 1, known_words: bool = False
) -> list[str]:
    """Translate many sentences; see `translate_each`."""
    found = translate_each(translator, texts, beam_size, known_words=known_words)
    return [translation.text for translation in found]


def translate_each(
    translator: Translator,
    texts: Sequence[str],
    beam_size: int = 1,
    penalty: LengthPenalty = LengthPenalty("average"),
    coverage: CoveragePenalty | None = None,
    known_words: bool = False,
) -> list[Translation]:
    """Translate many sentences, those of similar length together."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    translations: dict[int, Translation] = {}
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        found = translator.translate(
            [texts[i] for i in chosen], beam_size, penalty, coverage=coverage, known_words=known_words
        )
        translations.update(zip(chosen, found, strict=True))
    return [translations[i] for i in range(len(texts))]
