"""Our speed beside that of another implementation of the same thing, measured in the same run.

Absolute times differ from machine to machine; the ratio is what has a target.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from statistics import median
from typing import TypeVar

import torch
from torch import Tensor, nn

from course_lib.attention.multihead import MultiHeadAttention, causal_mask
from course_lib.recurrent import from_torch
from course_lib.registers import Result, new_result
from course_lib.seq2seq.transformer import Transformer
from course_lib.seq2seq.transformer_layers import DecoderLayer

Answer = TypeVar("Answer")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Benchmark:
    """One comparison.

    Args:
        name: what was done, with its size.
        against: the other implementation.
        ours: our time in seconds.
        theirs: the other's time in seconds, for the same work.
        target: largest ratio ours / theirs that is good enough.

    Raises:
        ValueError: if a time or the target is not positive.
    """

    name: str
    against: str
    ours: float
    theirs: float
    target: float

    def __post_init__(self) -> None:
        for field in ("ours", "theirs", "target"):
            if not getattr(self, field) > 0:
                raise ValueError(f"{field} of {self.name!r} is {getattr(self, field)}; it must be positive")

    @property
    def ratio(self) -> float:
        """Our time over theirs: below 1 we are the faster."""
        return self.ours / self.theirs

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= self.target


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return what the work returns, and the seconds that it took."""
    start = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - start


def recount_merges(word_counts: dict[str, int], merges: int) -> list[Pair]:
    """Byte-pair encoding as first told: count every pair of every word again before each merge.

    Sennrich, Haddow and Birch 2016, algorithm 1; of equally frequent pairs the one with older symbols wins.
    """
    spelled = [(list(word), count) for word, count in word_counts.items()]
    age = {symbol: i for i, symbol in enumerate(sorted({s for word in word_counts for s in word}))}
    learned: list[Pair] = []
    for _ in range(merges):
        frequency: Counter[Pair] = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                frequency[pair] += count
        if not frequency:
            break
        best = min(frequency, key=lambda pair: (-frequency[pair], age[pair[0]], age[pair[1]]))
        joined = "".join(best)
        age.setdefault(joined, len(age))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [joined]
                i += 1
    return learned


def byte_pair_encoding(characters: int = 1_000_000, merges: int = 4_000) -> Benchmark:
    """Learning the merges of real French text, against counting all pairs anew for each merge.

    Raises:
        RuntimeError: if the two do not learn the same merges, since then the times compare nothing.
    """
    from course_lib.data import load_tatoeba
    from course_lib.text.bpe import learn_merges, words

    text = " ".join(pair.target for pair in load_tatoeba("fra").train)[:characters]
    counts = dict(Counter(words(text)))
    learned, ours = timed(lambda: learn_merges(counts, merges))
    expected, theirs = timed(lambda: recount_merges(counts, merges))
    if learned != expected:
        raise RuntimeError("the two ways learn different merges: the times compare nothing")
    name = f"BPE training, {len(text) / 1e6:.1f} million characters, {len(learned)} merges"
    return Benchmark(name, "recount before each merge", ours, theirs, target=1 / 20)


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 9
) -> tuple[float, float]:
    """Return the median seconds of each, taken in turn after a round that does not count.

    The clock is the processor time of this process, so what else the machine runs decides little.
    """
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for work, taken in zip((ours, theirs), seconds, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return median(seconds[0][1:]), median(seconds[1][1:])


def check_same(name: str, ours: Tensor, theirs: Tensor) -> None:
    """Raise RuntimeError unless two results agree: the times of different work compare nothing."""
    if not torch.allclose(ours, theirs, atol=1e-4):
        raise RuntimeError(f"{name}: results differ by {(ours - theirs).abs().max():.2g}: no fair comparison")


def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    """Give torch's attention the weights of ours."""
    inputs = (ours.W_Q, ours.W_K, ours.W_V)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in inputs]))
        theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in inputs]))
    theirs.out_proj.load_state_dict(ours.W_O.state_dict())


def multi_head_attention(need_weights: bool, batch: int = 64, length: int = 35, rounds: int = 9) -> Benchmark:
    """Self-attention forward and backward, model size 256, 8 heads, against torch's.

    Args:
        need_weights: whether torch's returns its weights, as ours always does.
        batch, length, rounds: size of the work.
    """
    torch.manual_seed(0)
    ours, theirs = MultiHeadAttention(256, 8), nn.MultiheadAttention(256, 8, batch_first=True)
    copy_attention(theirs, ours)
    x = torch.randn(batch, length, 256, requires_grad=True)

    def run_ours() -> Tensor:
        context, _ = ours(x, x, x, None)
        context.sum().backward()
        return context

    def run_theirs() -> Tensor:
        context, _ = theirs(x, x, x, need_weights=need_weights, average_attn_weights=False)
        context.sum().backward()
        return context

    name = f"multi-head attention, forward and backward, batch {batch}, length {length}, model 256, 8 heads"
    check_same(name, run_ours(), run_theirs())
    against = f"nn.MultiheadAttention(need_weights={need_weights})"
    return Benchmark(name, against, *side_by_side(run_ours, run_theirs, rounds), target=1.0)


def recurrent_layer(
    kind: type[nn.RNN | nn.LSTM | nn.GRU], batch: int = 64, steps: int = 35, size: int = 256, rounds: int = 9
) -> Benchmark:
    """One layer forward and backward, the same weights in both.

    Args:
        kind: `nn.RNN`, `nn.LSTM` or `nn.GRU`.
        batch, steps, size, rounds: size of the work; inputs have as many features as states.
    """
    torch.manual_seed(0)
    theirs = kind(size, size, batch_first=True)
    ours = from_torch(theirs)
    x = torch.randn(batch, steps, size, requires_grad=True)

    def run(model: nn.Module) -> Tensor:
        outputs, _ = model(x)
        outputs.sum().backward()
        return outputs

    name = f"{kind.__name__}, forward and backward, batch {batch}, {steps} steps, hidden {size}"
    check_same(name, run(ours), run(theirs))
    times = side_by_side(lambda: run(ours), lambda: run(theirs), rounds)
    return Benchmark(name, f"nn.{kind.__name__}", *times, target=1.5)


class TorchTransformer(nn.Module):
    """nn.Transformer between the embedding and the output layer of ours, with the same weights."""

    def __init__(self, ours: Transformer) -> None:
        super().__init__()
        size, layers = ours.config["model_size"], ours.config["layers"]
        self.outer = deepcopy(ours)
        self.inner = nn.Transformer(
            size,
            ours.config["heads"],
            layers,
            layers,
            ours.config["feed_forward_size"],
            ours.dropout.p,
            batch_first=True,
            norm_first=True,
        )
        for stack, copied in ((ours.encoder, self.inner.encoder), (ours.decoder, self.inner.decoder)):
            for layer, other in zip(stack, copied.layers, strict=True):
                copy_layer(layer, other)
        del self.outer.encoder, self.outer.decoder, self.outer.encoder_norm, self.outer.decoder_norm

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits."""
        pad = source == self.outer.pad_id
        written = self.inner(
            self.outer.positions(self.outer.embed(source)),
            self.outer.positions(self.outer.embed(target)),
            tgt_mask=~causal_mask(target.shape[1]),
            src_key_padding_mask=pad,
            memory_key_padding_mask=pad,
        )
        return self.outer.logits(written)


def copy_layer(ours: nn.Module, theirs: nn.Module) -> None:
    """Give a torch layer the weights of ours; the norms of a new layer are alike anyway."""
    copy_attention(theirs.get_submodule("self_attn"), ours.get_submodule("self_attention"))  # type: ignore[arg-type]
    if isinstance(ours, DecoderLayer):
        copy_attention(theirs.get_submodule("multihead_attn"), ours.cross_attention)  # type: ignore[arg-type]
    for mine, other in (("feed_forward.0", "linear1"), ("feed_forward.3", "linear2")):
        theirs.get_submodule(other).load_state_dict(ours.get_submodule(mine).state_dict())


def sentences(batch: int, length: int, vocabulary: int) -> Tensor:
    """Random tokens, the rear quarter of every second sentence padded with 0."""
    tokens = torch.randint(1, vocabulary, (batch, length))
    tokens[::2, length - length // 4 :] = 0
    return tokens


def transformer_step(batch: int = 32, length: int = 24, rounds: int = 9) -> Benchmark:
    """One training step (forward, loss, backward, Adam), dropout 0.1, against nn.Transformer."""
    torch.manual_seed(0)
    ours = Transformer(2_000, 256, 8, 3, 512, dropout=0.1)
    theirs = TorchTransformer(ours)
    source, target = sentences(batch, length, 2_000), sentences(batch, length + 1, 2_000)
    name = f"Transformer training step, batch {batch}, length {length}, model 256, 3 + 3 layers"
    with torch.no_grad():
        expected = theirs.eval()(source, target[:, :-1])
        check_same(name, ours.eval()(source, target[:, :-1])[0], expected)

    def training(model: nn.Module, predict: Callable[[Tensor, Tensor], Tensor]) -> Callable[[], None]:
        model.train()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

        def step() -> None:
            logits = predict(source, target[:, :-1])
            optimizer.zero_grad()
            nn.functional.cross_entropy(
                logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0
            ).backward()
            optimizer.step()

        return step

    steps = training(ours, lambda s, t: ours(s, t)[0]), training(theirs, theirs)
    return Benchmark(name, "nn.Transformer", *side_by_side(*steps, rounds), target=1.0)


@torch.no_grad()
def write_cached(model: Transformer, source: Tensor, length: int) -> Tensor:
    """Write greedily; every step meets one token, and the keys and values of the earlier ones."""
    state, tokens = model.start(source), [source[:, 0]]
    for _ in range(length):
        step = model.step(tokens[-1], state)
        state = step.state
        tokens.append(model.logits(step.evidence).argmax(dim=-1))
    return torch.stack(tokens, dim=1)


@torch.no_grad()
def write_uncached(model: Transformer, source: Tensor, length: int) -> Tensor:
    """Write greedily; every step runs the decoder over all that is written. The source is read once."""
    state, tokens = model.start(source), source[:, :1]
    for _ in range(length):
        written, _ = model.write(tokens, state)
        following = model.logits(written[:, -1]).argmax(dim=-1)
        tokens = torch.cat([tokens, following.unsqueeze(1)], dim=1)
    return tokens


def cached_decoding(length: int, batch: int = 8, rounds: int = 3) -> Benchmark:
    """Greedy decoding with the keys and values of the past kept, against decoding all of it anew.

    The longer the text, the smaller is the ratio.
    """
    torch.manual_seed(0)
    model = Transformer(2_000, 256, 8, 3, 512).eval()
    source = sentences(batch, 16, 2_000)
    same = write_cached(model, source, length), write_uncached(model, source, length)
    name = f"greedy decoding, {length} tokens, batch {batch}, model 256, 3 layers"
    check_same(name, *(tokens.double() for tokens in same))
    times = side_by_side(
        lambda: write_cached(model, source, length), lambda: write_uncached(model, source, length), rounds
    )
    return Benchmark(name, "without a cache", *times, target=1.0)


@dataclass(frozen=True)
class Cost:
    """What one layer takes for one sentence, forward and backward.

    Args:
        layer: "RNN", "CNN" or "self-attention".
        length: positions of the sentence.
        seconds: processor time, median.
        peak_bytes: most memory that its tensors took at once, beyond the input and the weights.
    """

    layer: str
    length: int
    seconds: float
    peak_bytes: int


def peak_memory(work: Callable[[], object]) -> int:
    """Return the most bytes of tensors that were alive at once, those made before not counted."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # otherwise each use of the profiler is told on stderr
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as profile:
        work()
    events = profile.profiler.kineto_results.events()  # type: ignore[union-attr]
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    return max(accumulate((nbytes for _, nbytes in changes), initial=0))


def cost_over_length(
    lengths: tuple[int, ...] = (16, 64, 256, 1024), size: int = 64, rounds: int = 3
) -> list[Cost]:
    """Time and peak memory of three layers that let positions meet, over the sentence's length n.

    A layer costs O(n d²) for a recurrent, O(k n d²) for a convolutional layer of width k = 3, and
    O(n² d) for self-attention (Vaswani et al. 2017, table 1); n² weights take O(n²) memory.
    The RNN is a tanh network, the attention has 4 heads.
    """
    torch.manual_seed(0)
    recurrent = nn.RNN(size, size, batch_first=True)
    convolution = nn.Conv1d(size, size, kernel_size=3, padding=1)
    attention = MultiHeadAttention(size, heads=4)
    layers: dict[str, Callable[[Tensor], Tensor]] = {
        "RNN": lambda x: recurrent(x)[0],
        "CNN": lambda x: convolution(x.transpose(1, 2)),
        "self-attention": lambda x: attention(x, x, x, None)[0],
    }
    costs = []
    for length in lengths:
        x = torch.randn(1, length, size, requires_grad=True)
        for name, layer in layers.items():

            def work(layer: Callable[[Tensor], Tensor] = layer, x: Tensor = x) -> None:
                layer(x).sum().backward()

            work()
            seconds = []
            for _ in range(rounds):
                start = time.process_time()
                work()
                seconds.append(time.process_time() - start)
            costs.append(Cost(name, length, median(seconds), peak_memory(work)))
    return costs


def echo_state_network() -> Benchmark:
    """Compare with reservoirpy; see `benchmarks_reservoir.echo_state_network`."""
    from course_lib import benchmarks_reservoir  # it needs this module, and reservoirpy

    return benchmarks_reservoir.echo_state_network()


def word_vectors() -> Benchmark:
    """Compare with gensim; see `benchmarks_words.word_vectors`."""
    from course_lib import benchmarks_words  # it needs this module, and gensim

    return benchmarks_words.word_vectors()


BENCHMARKS: dict[str, Callable[[], Benchmark]] = {
    "bpe": byte_pair_encoding,
    "attention-no-weights": partial(multi_head_attention, need_weights=False),
    "attention-weights": partial(multi_head_attention, need_weights=True),
    "transformer-step": transformer_step,
    **{kind.__name__.lower(): partial(recurrent_layer, kind) for kind in (nn.RNN, nn.LSTM, nn.GRU)},
    **{f"cache-{length}": partial(cached_decoding, length) for length in (16, 32, 64, 128)},
    "echo-state": echo_state_network,
    "word-vectors": word_vectors,
}


def speed_result(id: str, measured: Benchmark) -> Result:
    """Return what the register keeps of a comparison: the ratio of the two times."""
    return new_result(
        id=f"speed-{id}",
        experiment="speed",
        metric=f"our time over the other's, median of interleaved rounds: {measured.name}, "
        f"against {measured.against}",
        value=measured.ratio,
        command="course bench --ship",
    )
