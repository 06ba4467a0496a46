"""The counter: a small LSTM or GRU that has learned to count letters."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.counting import END, counting_word
from course_lib.recurrent.conversion import from_torch
from course_lib.recurrent.layer import GatedLayer
from course_lib.recurrent.lstm import LSTMGates

Kind = Literal["lstm", "gru"]


LAYERS: dict[str, Callable[..., nn.LSTM | nn.GRU]] = {"lstm": nn.LSTM, "gru": nn.GRU}


UNITS = 10


IGNORED = -100  # stands where the next symbol is not asked


class CountingModel(nn.Module):
    """A recurrent layer that reads one-hot letters and scores the next symbol.

    Args:
        letters: the language, as in `counting_word`.
        kind: "lstm" or "gru".

    Raises:
        ValueError: another kind.
    """

    def __init__(self, letters: str, kind: Kind) -> None:
        if kind not in LAYERS:
            raise ValueError(f"kind is {kind!r}; allowed are {', '.join(map(repr, LAYERS))}")
        super().__init__()
        self.letters, self.kind = letters, kind
        self.recurrent = LAYERS[kind](len(letters), UNITS, batch_first=True)
        self.head = nn.Linear(UNITS, len(letters) + 1)
        if kind == "lstm":  # keep at first, as the course's own LSTM does
            nn.init.ones_(self.get_parameter("recurrent.bias_ih_l0").data[UNITS : 2 * UNITS])

    def read(self, symbols: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time letters"]:
        """Return letters as the layer reads them."""
        return functional.one_hot(symbols, len(self.letters)).float()

    def forward(self, symbols: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time symbols"]:
        """Return the logits of each next symbol: of the letters, then of `END`."""
        return self.head(self.recurrent(self.read(symbols))[0])

    def layer(self) -> GatedLayer:
        """Return the layer as the course's own, whose gates can be watched."""
        layer = from_torch(self.recurrent).rnns[0]
        assert isinstance(layer, GatedLayer)
        return layer


def words(letters: str, sizes: Iterable[int]) -> tuple[Int[Tensor, "batch time"], Int[Tensor, "batch time"]]:
    """Return the words of these n: what is read, and what comes next where that is certain.

    After a first letter no one can know what comes next, and behind a word's end nothing comes: `IGNORED`.
    """
    pad, symbols = nn.utils.rnn.pad_sequence, letters + END
    texts = [(n, counting_word(n, letters)) for n in sizes]
    read = [torch.tensor([symbols.index(letter) for letter in text]) for _, text in texts]
    following = [
        torch.tensor([IGNORED] * n + [symbols.index(symbol) for symbol in text[n + 1 :] + END])
        for n, text in texts
    ]
    return pad(read, batch_first=True), pad(following, batch_first=True, padding_value=IGNORED)


@torch.no_grad()
def memory(model: CountingModel, n: int) -> Float[Tensor, "time units"]:
    """Return what the network keeps while it reads the word of n: the cell of an LSTM, the state of a GRU."""
    read, _ = words(model.letters, [n])
    gates = model.layer().watch(model.read(read.to(model.head.weight.device)))
    return (gates.cell if isinstance(gates, LSTMGates) else gates[-1])[0]


def best_units(held: Float[Tensor, "time units"], letters: str) -> list[tuple[int, float]]:
    """Return for each counter of a language the unit that follows it most closely, and their correlation.

    A counter goes up at one letter and down at the next.

    Args:
        held: what the units hold over one word, as from `memory`.
        letters: the language, as in `counting_word`.
    """
    block = torch.arange(len(letters)).repeat_interleave(len(held) // len(letters))
    found = []
    for j in range(len(letters) - 1):
        counter = ((block == j).float() - (block == j + 1).float()).cumsum(0)
        correlations = torch.corrcoef(torch.cat([counter[None], held.T]))[0, 1:].nan_to_num()
        best = int(correlations.abs().argmax())
        found.append((best, correlations[best].item()))
    return found


def load_counter(letters: str, kind: Kind, folder: Path = FOLDER) -> CountingModel:
    """Return a trained network in eval mode; by default a shipped one, of five the one of median reach.

    Args:
        letters: "ab" or "abc".
        kind: "lstm" or "gru".
        folder: where `count_KIND_LETTERS.safetensors` lies.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return read_counter(folder / f"count_{kind}_{letters}.safetensors")


def read_counter(path: Path) -> CountingModel:
    """Return the trained network of a file, in eval mode.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return load_model(path, lambda config: CountingModel(**config))[0]
