"""Attention and the Transformer, beside torch's."""

from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn

from course_experiments.speed.harness import Benchmark, check_same, side_by_side
from course_lib.attention.multihead import MultiHeadAttention, causal_mask
from course_lib.seq2seq.transformer import Transformer
from course_lib.seq2seq.transformer_layers import DecoderLayer


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


def transformer_step(batch: int = 32, length: int = 24, rounds: int = 25) -> Benchmark:
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
