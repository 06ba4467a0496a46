"""Attention beyond translation: read a story and answer; listen and spell.

Both are the course's `EncoderDecoder` with Bahdanau's attention, trained by the course's one loop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import keep_lengths
from course_lib.checkpoints import FOLDER, read_checkpoint, save_checkpoint
from course_lib.data.babi import StoryQuestion, load_babi
from course_lib.data.spoken_digits import SAMPLE_RATE, WORDS, SpokenDigit, load_spoken_digits
from course_lib.registers import Result, new_result
from course_lib.seq2seq.decoders import DecoderState
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.training.batches import Batch, length_batches, pad
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.training.translation import next_token_loss, validation_loss

PAD, BEGIN, END = 0, 1, 2
SPECIAL = ("<pad>", "<s>", "</s>")
LETTERS = (*SPECIAL, *sorted(set("".join(WORDS))))
WINDOW, HOP, BANDS = 256, 80, 40  # samples: windows of 32 ms, one every 10 ms; frequency bands


def words_of(text: str) -> list[str]:
    """Return lower-case words; a full stop or question mark is a word of its own."""
    return text.lower().replace(".", " .").replace("?", " ?").split()


def reading(question: StoryQuestion) -> tuple[list[str], list[int]]:
    """Return story and question as words, and the sentence that each word stands in.

    The question, which comes last, is sentence number `len(question.story)`.
    """
    sentences = [words_of(text) for text in (*question.story, question.question)]
    return [w for s in sentences for w in s], [i for i, s in enumerate(sentences) for _ in s]


def babi_vocabulary(questions: Sequence[StoryQuestion]) -> list[str]:
    """Return the special tokens and every word of the questions, sorted."""
    known = {word for q in questions for word in (*reading(q)[0], q.answer)}
    return [*SPECIAL, *sorted(known)]


def babi_pairs(
    questions: Sequence[StoryQuestion], vocabulary: Sequence[str]
) -> list[tuple[list[int], list[int]]]:
    """Return (story and question, <s> answer </s>) as ids."""
    ids = {word: i for i, word in enumerate(vocabulary)}
    return [([ids[w] for w in reading(q)[0]], [BEGIN, ids[q.answer], END]) for q in questions]


def log_spectrogram(wave: np.ndarray) -> Float[Tensor, "frames bands"]:
    """Return log energies in frequency bands, one frame every 10 ms, each clip brought to mean 0, spread 1.

    Bands are equally wide on the mel scale, m = 2595 log10(1 + f / 700), and overlap as triangles.

    Args:
        wave: (samples,) at 8,000 a second, at least one window long.

    Raises:
        ValueError: the clip is shorter than one window.
    """
    if len(wave) < WINDOW:
        raise ValueError(f"wave has {len(wave)} samples; at least {WINDOW} are needed")
    spectrum = torch.stft(
        torch.from_numpy(np.array(wave)),
        WINDOW,
        HOP,
        window=torch.hann_window(WINDOW),
        center=False,
        return_complex=True,
    )
    energies = torch.log(_mel_filters() @ spectrum.abs() ** 2 + 1e-10).T
    return (energies - energies.mean()) / energies.std()


def _mel_filters() -> Float[Tensor, "bands bins"]:
    """Return the triangles that sum a power spectrum into bands."""
    top = 2595 * np.log10(1 + SAMPLE_RATE / 2 / 700)
    corners = torch.tensor(700 * (10 ** (np.linspace(0, top, BANDS + 2) / 2595) - 1), dtype=torch.float32)
    bins = torch.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    low, peak, high = (corners[i : BANDS + i, None] for i in range(3))
    return torch.minimum((bins - low) / (peak - low), (high - bins) / (high - peak)).clamp(min=0)


class Heard(NamedTuple):
    """Sounds in a batch: frames, zeros after the last one, and how many there are."""

    frames: Float[Tensor, "batch frames bands"]
    lengths: Int[Tensor, "batch"]


class Speller(EncoderDecoder):
    """Listen, attend and spell, in small (Chan et al. 2016, section 3): sound in, letters out.

    A bidirectional GRU reads pairs of frames; the course's encoder reads pairs of its states. So one state
    stands for four frames, and the decoder has four times fewer places to choose from.

    Args:
        vocabulary_size: number of letters and special tokens.
        embedding_size: features of a letter, and of a state of the lower GRU; even.
        hidden_size: features of a state.
        dropout: share of features that training drops.
    """

    def __init__(
        self, vocabulary_size: int, embedding_size: int, hidden_size: int, dropout: float = 0.0
    ) -> None:
        super().__init__("bahdanau", vocabulary_size, embedding_size, hidden_size, PAD, dropout)
        self.config = {
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
        }
        self.listen = nn.GRU(2 * BANDS, embedding_size // 2, batch_first=True, bidirectional=True)
        self.narrow = nn.Linear(2 * embedding_size, embedding_size)

    def start(self, source: Heard) -> DecoderState:  # type: ignore[override]  # sounds, not token ids
        """Listen; return the state before the first letter."""
        lower_lengths = (source.lengths // 2).clamp(min=1)
        packed = nn.utils.rnn.pack_padded_sequence(
            pairs(source.frames), lower_lengths, batch_first=True, enforce_sorted=False
        )
        lower, _ = nn.utils.rnn.pad_packed_sequence(self.listen(packed)[0], batch_first=True)
        lengths = (lower_lengths // 2).clamp(min=1)
        upper = self.dropout(torch.tanh(self.narrow(pairs(lower))))
        upper = upper * keep_lengths(lengths, upper.shape[1]).unsqueeze(-1)
        return self.decoder.start(self.encoder(upper, lengths))

    def forward(  # type: ignore[override]  # sounds, not token ids
        self, source: Heard, target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target states"]]:
        """Predict each next letter from the true ones before it; see `Seq2Seq.forward`."""
        state = self.start(source)
        steps = []
        for letters in target.unbind(dim=1):
            steps.append(self.step(letters, state))
            state = steps[-1].state
        evidence = torch.stack([step.evidence for step in steps], dim=1)
        weights = torch.stack([step.weights for step in steps if step.weights is not None], dim=1)
        return self.logits(evidence), weights


def pairs(states: Float[Tensor, "batch time features"]) -> Float[Tensor, "batch half doubled"]:
    """Join each state with its neighbour; an odd last one is dropped."""
    batch, time, features = states.shape
    return states[:, : time // 2 * 2].reshape(batch, time // 2, 2 * features)


def spelled(word: str) -> list[int]:
    """Return <s>, the letters and </s> as ids."""
    return [BEGIN, *(LETTERS.index(letter) for letter in word), END]


def hear(sounds: Sequence[Float[Tensor, "frames bands"]]) -> Heard:
    """Put sounds into one batch."""
    lengths = torch.tensor([len(sound) for sound in sounds])
    return Heard(nn.utils.rnn.pad_sequence(list(sounds), batch_first=True), lengths)


def sound_batches(
    clips: Sequence[tuple[Tensor, list[int]]], size: int, seed: int | None = None
) -> Iterator[Batch]:
    """Yield all clips, `size` at a time, shuffled by the seed; None keeps their order."""
    order = list(range(len(clips)))
    if seed is not None:
        order = torch.randperm(len(clips), generator=torch.Generator().manual_seed(seed)).tolist()
    for start in range(0, len(order), size):
        chosen = [clips[i] for i in order[start : start + size]]
        heard: Any = hear([sound for sound, _ in chosen])
        yield Batch(heard, pad([letters for _, letters in chosen], PAD))


@dataclass(frozen=True)
class Application:
    """What one small task is trained on."""

    sizes: dict[str, Any]
    schedule: Schedule
    batch_size: int
    dropout: float


READER = Schedule(30, 5e-3, warmup=100, patience=30)
APPLICATIONS = {
    "reader": Application({"decoder": "bahdanau", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1),
    "reader_without": Application(
        {"decoder": "cho", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1
    ),
    "speller": Application(
        {"embedding_size": 64, "hidden_size": 96}, Schedule(10, 4e-3, warmup=50, patience=10), 32, 0.2
    ),
}


class Setting(NamedTuple):
    """A model before training, and what it learns from."""

    model: EncoderDecoder
    config: dict[str, Any]  # what builds the model again
    data: list[Any]
    held_out: list[Any]  # chooses the epoch; never a test example
    batches: Callable[..., Iterator[Batch]]


def prepare(name: str) -> Setting:
    """Build an untrained model and cut its training data: one tenth is held out."""
    recipe = APPLICATIONS[name]
    if name == "speller":
        clips = load_spoken_digits().train
        heard = {clip: (log_spectrogram(clip.wave), spelled(clip.word)) for clip in clips}
        data = [example for clip, example in heard.items() if clip.take < 14]
        held_out = [example for clip, example in heard.items() if clip.take == 14]
        speller = Speller(len(LETTERS), **recipe.sizes, dropout=recipe.dropout)
        return Setting(speller, speller.config, data, held_out, sound_batches)
    questions = load_babi(1).train
    names = babi_vocabulary(questions)
    numbered = babi_pairs(questions, names)
    reader = EncoderDecoder(vocabulary_size=len(names), **recipe.sizes, dropout=recipe.dropout)
    config = {**reader.config, "vocabulary": names}  # whole stories are held out: five questions each
    return Setting(reader, config, numbered[:900], numbered[900:], partial(length_batches, pad_id=PAD))


def train_application(
    name: str, folder: Path, minutes: float | None = None, fresh: bool = False
) -> tuple[EncoderDecoder, Progress]:
    """Train one of `APPLICATIONS` on one thread, seed 0; write `folder/app_NAME.safetensors` at its end.

    Args:
        name: one of `APPLICATIONS`.
        folder: where the state of training is kept.
        minutes: pause after about so many minutes; None never pauses.
        fresh: forget what is in `folder`.

    Raises:
        ValueError: no such application.
    """
    if name not in APPLICATIONS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, APPLICATIONS))}")
    recipe = APPLICATIONS[name]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, config, data, held_out, batches = prepare(name)
    validation = list(batches(held_out, 100))

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    progress = fit(
        model,
        loss,
        lambda epoch: batches(data, recipe.batch_size, seed=epoch),
        -(-len(data) // recipe.batch_size),
        lambda: validation_loss(model, validation),
        recipe.schedule,
        folder,
        minutes,
        fresh,
    )
    if progress.stopped != "paused":
        save_checkpoint(folder / f"app_{name}.safetensors", model.eval(), config)
    return model, progress


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
    config, weights = read_checkpoint(path or FOLDER / f"app_{name}.safetensors")
    tokens = tuple(config.pop("vocabulary", LETTERS))
    model = Speller(**config) if name == "speller" else EncoderDecoder(**config)
    model.load_state_dict(weights)
    return model.eval(), tokens


class Written(NamedTuple):
    """What a model wrote, free-running, and where it looked."""

    tokens: tuple[str, ...]  # ends in </s> where the model ended it
    weights: Float[np.ndarray, "written source"] | None  # None without attention

    @property
    def text(self) -> tuple[str, ...]:
        """The tokens before </s>."""
        return self.tokens[: self.tokens.index("</s>")] if "</s>" in self.tokens else self.tokens


@torch.no_grad()
def write(model: EncoderDecoder, source: Any, names: Sequence[str], limit: int = 8) -> list[Written]:
    """Write greedily from a batch of sources, at most `limit` tokens each, `</s>` counted.

    Args:
        model: a reader, or a speller.
        source: word ids (batch, source), or `Heard`.
        names: the tokens of the vocabulary.
        limit: 1 or more.
    """
    state = model.start(source)
    tokens = torch.full((len(state.hidden),), BEGIN)
    chosen, looked = [], []
    for _ in range(limit):
        step = model.step(tokens, state)
        state = step.state
        tokens = model.logits(step.evidence).argmax(dim=-1)
        chosen.append(tokens)
        looked.append(step.weights)
    written = []
    lengths = state.source.keep.sum(dim=1).tolist()
    for i, ids in enumerate(torch.stack(chosen, dim=1).tolist()):
        count = ids.index(END) + 1 if END in ids else limit
        seen = None
        if looked[0] is not None:
            seen = torch.stack([w[i, : lengths[i]] for w in looked[:count] if w is not None]).numpy()
        written.append(Written(tuple(names[id_] for id_ in ids[:count]), seen))
    return written


def answer(model: EncoderDecoder, questions: Sequence[StoryQuestion], names: Sequence[str]) -> list[Written]:
    """Let a reader answer questions, those given first."""
    ids = [source for source, _ in babi_pairs(questions, names)]
    found: list[Written] = []
    for start in range(0, len(ids), 100):
        found += write(model, pad(ids[start : start + 100], PAD), names, limit=2)
    return found


def spell(
    model: EncoderDecoder, clips: Sequence[SpokenDigit], names: Sequence[str] = LETTERS
) -> list[Written]:
    """Let a speller listen to recordings and write them."""
    found: list[Written] = []
    for start in range(0, len(clips), 100):
        heard = hear([log_spectrogram(clip.wave) for clip in clips[start : start + 100]])
        found += write(model, heard, names)
    return found


def sentence_weights(question: StoryQuestion, weights: Float[np.ndarray, "source"]) -> np.ndarray:
    """Return the attention on each sentence: the sum over its words, the question last."""
    _, places = reading(question)
    return np.bincount(places, weights=weights, minlength=len(question.story) + 1)


def found_support(question: StoryQuestion, written: Written) -> bool:
    """Return whether the story's most attended sentence, as the answer is written, is a supporting one."""
    if written.weights is None:
        raise ValueError("written has no weights; a model without attention looks nowhere")
    return int(sentence_weights(question, written.weights[0])[:-1].argmax()) in question.supporting


def forward_share(weights: Float[np.ndarray, "written source"]) -> float:
    """Return the share of steps, 0 to 1, in which the mean place looked at does not move back."""
    centres = weights @ np.arange(weights.shape[1])
    return fmean(centres[1:] >= centres[:-1]) if len(centres) > 1 else 1.0


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how few insertions, deletions and replacements turn one into the other (Levenshtein 1966)."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


@dataclass(frozen=True)
class ReaderScores:
    """How a reader does on the test questions of bAbI task 1."""

    error: float  # share of wrong answers, 0 to 1
    support: float | None  # share where the most attended sentence is the supporting one; None: no attention


def measure_reader(
    model: EncoderDecoder, names: Sequence[str], questions: Sequence[StoryQuestion]
) -> ReaderScores:
    """Answer the questions, free-running, and see where the reader looked."""
    found = answer(model, questions, names)
    wrong = [w.text != (q.answer,) for q, w in zip(questions, found, strict=True)]
    if found[0].weights is None:
        return ReaderScores(fmean(wrong), None)
    return ReaderScores(
        fmean(wrong), fmean(found_support(q, w) for q, w in zip(questions, found, strict=True))
    )


@dataclass(frozen=True)
class SpellerScores:
    """How a speller does on recordings."""

    word_error: float  # share of words with any wrong letter, 0 to 1
    character_error: float  # edits a letter of the true words
    forward: float  # share of steps in which attention does not move back


def measure_speller(model: EncoderDecoder, clips: Sequence[SpokenDigit]) -> SpellerScores:
    """Spell the recordings, free-running, and see how attention moves."""
    found = spell(model, clips)
    edits = [edit_distance(w.text, clip.word) for clip, w in zip(clips, found, strict=True)]
    letters = sum(len(clip.word) for clip in clips)
    moves = [forward_share(w.weights) for w in found if w.weights is not None]
    return SpellerScores(fmean(e > 0 for e in edits), sum(edits) / letters, fmean(moves))


def application_results(name: str, path: Path, cpu_minutes: float) -> list[Result]:
    """Measure a trained application on its test data, for the register.

    Args:
        name: one of `APPLICATIONS`.
        path: its checkpoint.
        cpu_minutes: what the training took.
    """
    model, names = load_application(name, path)
    if name == "speller":
        heard = measure_speller(model, load_spoken_digits().test)
        where = "300 test recordings of spoken digits, known voices"
        values = {
            "word-error": (heard.word_error, f"share of words misspelt, {where}"),
            "character-error": (heard.character_error, f"edits a letter, {where}"),
            "forward": (heard.forward, f"share of steps in which attention does not move back, {where}"),
        }
    else:
        read = measure_reader(model, names, load_babi(1).test)
        where = "bAbI 1.1 task 1, 1,000 test questions, trained on 900"
        values = {"error": (read.error, f"share of wrong answers, {where}")}
        if read.support is not None:
            values["support"] = (
                read.support,
                f"share of questions whose most attended sentence is the supporting one, {where}",
            )
    values["cpu-minutes"] = (cpu_minutes, "CPU minutes of training")
    slug = f"app-{name.replace('_', '-')}"
    return [
        new_result(
            id=f"{slug}-{metric}",
            experiment="applications",
            metric=f"{slug}: {what}",
            value=value,
            command=f"course train app_{name} --ship",
        )
        for metric, (value, what) in values.items()
    ]
