"""Networks that look at pictures, beside formulations in plain torch with the same weights."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from course_experiments.speed.harness import Benchmark, check_same, side_by_side, training_step
from course_experiments.speed.memory import lstm_cell
from course_lib.applications.describer import FilmDescriber, Films
from course_lib.applications.handwriting import LineBatch, line_loss
from course_lib.data.described_films import SIDE
from course_lib.data.described_films import WORDS as FILM_WORDS
from course_lib.data.handwriting import HEIGHT
from course_lib.data.special import SPECIAL
from course_lib.seq2seq.decoders import BahdanauDecoder
from course_lib.seq2seq.line_reader import POOLS, STRIDE, LineReader
from course_lib.visual_attention import Captioner
from course_lib.visual_attention.draw import Draw, ThroughWindows, bound
from course_lib.visual_attention.hard_decoder import HardAttentionDecoder
from course_lib.visual_attention.ram import Glimpses, RecurrentAttentionModel, ram_loss
from course_lib.visual_attention.retina import first_pixels
from course_lib.visual_attention.soft_decoder import SoftAttentionDecoder

CLASSES = 80  # labels of a line, the blank among them
WORDS = 40  # that a captioner can write


Models = tuple[nn.Module, nn.Module]  # ours and the other
Losses = tuple[Callable[[], Tensor], Callable[[], Tensor]]


def check_gradients(name: str, models: Models, losses: Losses) -> None:
    """Raise RuntimeError unless the losses agree, and the gradients of the weights that both models hold."""
    others = list(models[1].parameters())
    shared = [weight for weight in models[0].parameters() if any(weight is other for other in others)]
    answers = []
    for loss in losses:
        value = loss()
        gradients = torch.autograd.grad(value, shared)
        answers.append(torch.cat([part.detach().flatten() for part in (value, *gradients)]))
    check_same(name, *answers)


def time_steps(name: str, against: str, models: Models, losses: Losses, rounds: int) -> Benchmark:
    """Compare training steps."""
    ours, theirs = (
        training_step(list(model.parameters()), loss) for model, loss in zip(models, losses, strict=True)
    )
    return Benchmark(name, against, *side_by_side(ours, theirs, rounds), target=1.1)


def training_steps(name: str, against: str, models: Models, losses: Losses, rounds: int) -> Benchmark:
    """Compare training steps that must compute the same."""
    check_gradients(name, models, losses)
    return time_steps(name, against, models, losses, rounds)


def line_reader(batch: int = 10, width: int = 400, labels: int = 30, rounds: int = 9) -> Benchmark:
    """A training step of the reader of handwritten lines, all of one width: the other masks no end."""
    torch.manual_seed(0)
    ours = LineReader(CLASSES, (16, 32, 48, 64), 80)
    widths, lengths = torch.full((batch,), width), torch.full((batch,), labels)
    written = torch.randint(1, CLASSES, (batch, labels))
    pictures = torch.rand(batch, HEIGHT, width)
    stages = zip(ours.convolutions, ours.norms, POOLS, strict=True)
    look = [layer for seen, norm, pool in stages for layer in (seen, norm, nn.ReLU(), nn.MaxPool2d(pool))]
    plain = nn.ModuleList([nn.Sequential(*look, nn.Flatten(1, 2)), ours.rnn, ours.head])

    def mine() -> Tensor:
        return line_loss(ours, LineBatch(pictures, widths, written, lengths))

    def theirs() -> Tensor:
        look, rnn, head = plain
        states, _ = rnn(look(pictures.unsqueeze(1)).transpose(1, 2))
        said = head(states).log_softmax(dim=2).transpose(0, 1)
        loss = functional.ctc_loss(said, written, widths // STRIDE, lengths, reduction="sum")
        return loss / lengths.sum()

    name = f"line reader, training step, batch {batch}, lines of {width} pixels and {labels} labels"
    models, losses = (ours, plain), (mine, theirs)
    # In float32 a rounding decides which of two nearly equal numbers a pooling takes.
    ours.double()
    pictures = pictures.double()
    check_gradients(name, models, losses)
    ours.float()
    pictures = pictures.float()
    return time_steps(name, "nn.Conv2d, nn.LSTM and F.ctc_loss", models, losses, rounds)


def captioner(
    attention: str = "soft", batch: int = 32, places: int = 64, words: int = 15, rounds: int = 9
) -> Benchmark:
    """A training step of the captioner, on annotation vectors computed beforehand; the same draws in both.

    Args:
        attention: "soft", or "hard" with half of the looks drawn.
        batch, places, words: sizes.
        rounds: of the measurement.
    """
    torch.manual_seed(0)
    sizes = {"features": 96, "embedding_size": 64, "hidden_size": 96, "attention_size": 64}
    hard = attention == "hard"
    decoder = HardAttentionDecoder(**sizes, drawn=0.5) if hard else SoftAttentionDecoder(**sizes)
    ours = Captioner(nn.Identity(), decoder, [str(i) for i in range(WORDS)], 64)
    seen = torch.rand(batch, places, 96)
    captions = torch.randint(len(SPECIAL), WORDS, (batch, words + 1))
    before, following = captions[:, :-1], captions[:, 1:]

    def drawn(weights: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is seen if half of the looks are drawn, and the log-probability of these."""
        place = torch.multinomial(weights.detach(), 1)
        looks = (torch.rand(batch) < 0.5).unsqueeze(1)
        there = seen[torch.arange(batch), place.squeeze(1)]
        log_chance = torch.where(looks, weights.gather(1, place).log(), 0.0)
        return torch.where(looks, there, mean), log_chance.squeeze(1)

    def theirs() -> Tensor:
        torch.manual_seed(0)
        mean, keys, embedded = seen.mean(dim=1), decoder.attention.U(seen), ours.embedding(before)
        hidden, cell = torch.tanh(decoder.first_hidden(mean)), torch.tanh(decoder.first_cell(mean))
        states, contexts, log_chances = [], [], []
        for word in embedded.unbind(1):
            scores = decoder.attention.v(torch.tanh(decoder.attention.W(hidden).unsqueeze(1) + keys))
            weights = scores.squeeze(2).softmax(dim=1)
            context = torch.bmm(weights.unsqueeze(1), seen).squeeze(1)
            if hard:
                context, log_chance = drawn(weights, context)
                log_chances.append(log_chance)
            context = torch.sigmoid(decoder.gate(hidden)) * context
            hidden, cell = decoder.cell(torch.cat([word, context], dim=1), (hidden, cell))
            states.append(hidden)
            contexts.append(context)
        evidence = decoder.L_h(torch.stack(states, dim=1)) + decoder.L_z(torch.stack(contexts, dim=1))
        return loss_of(ours.L_o(embedded + evidence), torch.stack(log_chances, dim=1) if hard else None)

    def mine() -> Tensor:
        torch.manual_seed(0)
        run = ours(seen, before)
        return loss_of(run.logits, run.log_probabilities)

    def loss_of(logits: Tensor, log_chances: Tensor | None) -> Tensor:
        """Nats a word; every look has earned a reward of 1."""
        nats = functional.cross_entropy(logits.transpose(1, 2), following)
        return nats if log_chances is None else nats - log_chances.mean()

    name = f"captioner, {attention} attention, training step, batch {batch}, {places} places, {words} words"
    losses = (mine, theirs)
    return training_steps(name, "plain torch with nn.LSTMCell", (ours, ours), losses, rounds)


def describer(batch: int = 64, frames: int = 10, words: int = 10, rounds: int = 9) -> Benchmark:
    """A training step of the describer of films."""
    torch.manual_seed(0)
    ours = FilmDescriber(attention=True, motion=True)
    decoder, appearance, motion = ours.decoder, ours.appearance, ours.motion
    assert isinstance(decoder, BahdanauDecoder) and motion is not None
    films = torch.rand(batch, frames, 1, SIDE, SIDE)
    sentences = torch.randint(len(SPECIAL), len(FILM_WORDS), (batch, words + 1))
    before, following = sentences[:, :-1], sentences[:, 1:]

    def plain(network: Films) -> Tensor:
        first, _, second, _ = network.convolutions
        maps = second(first(films.transpose(1, 2)).relu()).relu()
        return network.linear(maps.transpose(1, 2).flatten(2))

    def theirs() -> Tensor:
        seen = torch.tanh(plain(appearance) + plain(motion))
        hidden, evidence = torch.tanh(decoder.first(seen.mean(dim=1))), []
        keys, scale = decoder.attention.U(seen), ours.embedding.embedding_dim**0.5
        for word in (scale * ours.embedding(before)).unbind(1):
            scores = decoder.attention.v(torch.tanh(decoder.attention.W(hidden).unsqueeze(1) + keys))
            context = torch.bmm(scores.softmax(dim=1).mT, seen).squeeze(1)
            hidden = decoder.cell(torch.cat([word, context], dim=1), hidden)
            evidence.append(torch.cat([hidden, word, context], dim=1))
        first, second = decoder.readout.linear(torch.stack(evidence, dim=1)).chunk(2, dim=2)
        return loss_of(torch.maximum(first, second) @ ours.embedding.weight.T + ours.bias)

    def loss_of(logits: Tensor) -> Tensor:
        return functional.cross_entropy(logits.transpose(1, 2), following)

    name = f"describer of films, training step, batch {batch}, {frames} frames, {words} words"
    losses = (lambda: loss_of(ours(films, before)[0]), theirs)
    return training_steps(name, "plain torch with nn.GRUCell", (ours, ours), losses, rounds)


class PlainGlimpses(nn.Module):
    """The recurrent attention model with nn.RNNCell, and a retina that cuts squares out and averages them."""

    def __init__(self, ours: RecurrentAttentionModel) -> None:
        super().__init__()
        self.ours = ours
        self.cell = nn.RNNCell(ours.W_g.in_features, ours.W_h.in_features, nonlinearity="relu")
        self.cell.weight_ih, self.cell.bias_ih = ours.W_g.weight, ours.W_g.bias
        self.cell.weight_hh, self.cell.bias_hh = ours.W_h.weight, ours.W_h.bias

    def retina(self, padded: Tensor, places: Tensor, border: int, side: int) -> Tensor:
        """Return what is seen, (batch, numbers)."""
        squares = []
        for step in (2**k for k in range(self.ours.scales)):
            width = step * self.ours.size
            corners = first_pixels(places, width, side, side).clamp(-width, side) + border
            rows, columns = (corners.unsqueeze(2) + torch.arange(width)).unbind(1)
            batch = torch.arange(len(padded))[:, None, None]
            cut = padded[batch, rows.unsqueeze(2), columns.unsqueeze(1)]
            squares.append(functional.avg_pool2d(cut.unsqueeze(1), step))
        return torch.cat(squares, dim=1).flatten(1)

    def forward(self, pictures: Tensor, generator: Generator) -> Glimpses:
        """Return what one run left."""
        ours, (batch, side, _) = self.ours, pictures.shape
        border = ours.size * 2 ** (ours.scales - 1)
        padded = functional.pad(pictures, (border,) * 4)
        hidden, place = pictures.new_zeros(batch, self.cell.hidden_size), pictures.new_zeros(batch, 2)
        states, places, chances = [hidden], [place], [pictures.new_zeros(batch)]
        for t in range(ours.glimpses):
            if t > 0:
                mean = ours.location(hidden.detach())
                place = (mean + ours.spread * torch.randn(mean.shape, generator=generator)).detach()
                places.append(place)
                chances.append(-((place - mean) / ours.spread).square().sum(dim=1) / 2)
            what = ours.what(self.retina(padded, place, border, side)).relu()
            where = ours.where(place).relu()
            hidden = self.cell(ours.joined(torch.cat([what, where], dim=1)).relu(), hidden)
            states.append(hidden)
        known = torch.stack(states, dim=1)
        baselines = ours.baseline(known[:, :-1].detach()).squeeze(2)
        return Glimpses(
            ours.answer(known[:, 1:]), torch.stack(places, dim=1), torch.stack(chances, dim=1), baselines
        )


def glimpses(batch: int = 32, side: int = 60, rounds: int = 9) -> Benchmark:
    """A training step of the recurrent attention model, 6 glimpses of 3 scales; the same draws in both."""
    torch.manual_seed(0)
    ours = RecurrentAttentionModel(10)
    theirs = PlainGlimpses(ours)
    pictures, labels = torch.rand(batch, side, side), torch.randint(10, (batch,))

    def loss(model: nn.Module) -> Tensor:
        return ram_loss(model(pictures, Generator().manual_seed(0)), labels)

    name = f"recurrent attention model, training step, batch {batch}, pictures of {side}×{side}, 6 glimpses"
    losses = (lambda: loss(ours), lambda: loss(theirs))
    return training_steps(name, "plain torch with nn.RNNCell", (ours, theirs), losses, rounds)


class PlainDraw(nn.Module):
    """DRAW with nn.LSTMCell on square pictures; both axes of a window, and both patches, in one go."""

    def __init__(self, ours: Draw, view: ThroughWindows) -> None:
        super().__init__()
        self.view, self.steps, self.code_size, (self.side, _) = view, ours.steps, ours.code_size, ours.size
        self.W_mean, self.W_deviation = ours.W_mean, ours.W_deviation
        self.encoder, self.decoder = lstm_cell(ours.encoder), lstm_cell(ours.decoder)

    def window(self, asked: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return filters along both axes, and the strength."""
        side, count = self.side, self.view.count
        middles = (side - 1) / 2 + (side + 1) / 2 * asked[:, :2]
        variance, stride, strength = asked[:, 2:].exp()[:, :, None, None].unbind(1)
        steps = (side - 1) / (count - 1) * (torch.arange(count) - (count - 1) / 2)
        means = middles.unsqueeze(2) + stride * steps
        apart = torch.arange(side) - means.unsqueeze(3)
        rows, columns = (-apart.square() / (2 * variance.unsqueeze(1))).softmax(dim=3).unbind(1)
        return rows, columns, strength

    def forward(self, pictures: Tensor, generator: Generator) -> Tensor:
        """Return the bound of each picture."""
        batch, count = len(pictures), self.view.count
        canvas, divergence = torch.zeros_like(pictures), pictures.new_zeros(batch)
        encoded = decoded = (pictures.new_zeros(batch, self.encoder.hidden_size),) * 2
        for _ in range(self.steps):
            rows, columns, strength = self.window(self.view.look(decoded[0]))
            both = torch.stack([pictures, pictures - torch.sigmoid(canvas)], dim=1)
            patches = rows.unsqueeze(1) @ both @ columns.mT.unsqueeze(1)
            seen = (strength.unsqueeze(1) * patches).flatten(1)
            encoded = self.encoder(torch.cat([seen, decoded[0]], dim=1), encoded)
            mean, log_deviation = self.W_mean(encoded[0]), self.W_deviation(encoded[0])
            deviation = log_deviation.exp()
            terms = mean.square() + deviation.square() - 2 * log_deviation - 1
            divergence = divergence + terms.sum(dim=1) / 2
            code = mean + deviation * torch.randn(batch, self.code_size, generator=generator)
            decoded = self.decoder(code, decoded)
            rows, columns, strength = self.window(self.view.aim(decoded[0]))
            patch = self.view.W(decoded[0]).view(batch, count, count)
            canvas = canvas + torch.bmm(torch.bmm(rows.mT, patch / strength), columns)
        missed = functional.binary_cross_entropy_with_logits(canvas, pictures, reduction="none")
        return missed.sum(dim=(1, 2)) + divergence


def draw(batch: int = 32, side: int = 28, rounds: int = 9) -> Benchmark:
    """A training step of DRAW, 10 steps through windows of 5×5; the same draws in both."""
    torch.manual_seed(0)
    ours = Draw(side, side)
    assert isinstance(ours.view, ThroughWindows)
    theirs = PlainDraw(ours, ours.view)
    pictures = torch.rand(batch, side, side).round()

    def loss() -> Tensor:
        return bound(ours(pictures, Generator().manual_seed(0)), pictures).mean()

    def other() -> Tensor:
        return theirs(pictures, Generator().manual_seed(0)).mean()

    name = f"DRAW, training step, batch {batch}, pictures of {side}×{side}, windows of 5×5, 10 steps"
    return training_steps(name, "plain torch with nn.LSTMCell", (ours, theirs), (loss, other), rounds)
