import torch
from torch import nn

from course_experiments.attention.reading import next_word_loss
from course_lib.applications.word_reader import KNOWN_FIRST, Reader, load_reader, read, save_reader
from course_lib.recurrent.lstmn import LSTMN


def make():
    torch.manual_seed(0)
    return LSTMN(3, 4).double(), torch.randn(2, 6, 3, dtype=torch.float64)


def test_with_one_past_token_it_is_an_lstm():
    model, inputs = make()
    lstm = nn.LSTM(3, 4, batch_first=True).double()
    with torch.no_grad():
        for name, value in model.cell.named_parameters():
            getattr(lstm, f"{name}_l0").copy_(value)
    torch.testing.assert_close(model(inputs[:, :2])[0], lstm(inputs[:, :2])[0])


def test_equals_the_equations_written_out():
    model, inputs = make()
    states, weights = model(inputs)
    cell = model.cell
    for sentence in range(2):
        hiddens, memories = [], []
        summary = cells = torch.zeros(4, dtype=torch.float64)
        for t, x in enumerate(inputs[sentence]):
            if t:
                scores = torch.stack(
                    [
                        model.v.weight[0]
                        @ torch.tanh(
                            model.W_h.weight @ h
                            + model.W_x.weight @ x
                            + model.W_x.bias
                            + model.W_summary.weight @ summary
                        )
                        for h in hiddens
                    ]
                )
                s = scores.exp() / scores.exp().sum()
                torch.testing.assert_close(weights[sentence, t, :t], s)
                summary, cells = s @ torch.stack(hiddens), s @ torch.stack(memories)
            gates = cell.weight_ih @ x + cell.bias_ih + cell.weight_hh @ summary + cell.bias_hh
            i, f, g, o = gates.chunk(4)
            memory = torch.sigmoid(f) * cells + torch.sigmoid(i) * torch.tanh(g)
            hiddens.append(torch.sigmoid(o) * torch.tanh(memory))
            memories.append(memory)
        torch.testing.assert_close(states[sentence], torch.stack(hiddens))


def test_neither_itself_nor_the_future_is_seen():
    model, inputs = make()
    inputs.requires_grad_()
    states, weights = model(inputs)
    assert weights.triu().count_nonzero() == 0
    torch.testing.assert_close(weights.sum(-1)[:, 1:], torch.ones(2, 5, dtype=torch.float64))
    states[:, 3].sum().backward()
    assert inputs.grad[:, 4:].count_nonzero() == 0
    assert (inputs.grad[:, :4] != 0).all()


def reader():
    torch.manual_seed(0)
    return Reader([*KNOWN_FIRST, "the", "cat", "ran", "."], "lstmn", size=8).eval()


def test_a_reader_leaves_a_trace_with_a_row_a_word():
    trace = read(reader(), "the cat ran.")
    assert trace.queries == ("<s>", "the", "cat", "ran", ".")
    assert trace.weights[0, 0].argmax(axis=1).tolist()[:2] == [0, 0]
    assert (trace.weights[0, 0][~trace.keep] == 0).all()


def test_padding_does_not_count_in_the_loss():
    model = reader()
    tokens = torch.tensor([model.encode("the cat ran.")])
    total, count = next_word_loss(model, tokens)
    padded_total, padded_count = next_word_loss(model, nn.functional.pad(tokens, (0, 3)))
    torch.testing.assert_close(total, padded_total)
    assert count == padded_count == 5


def test_a_saved_reader_reads_alike(tmp_path):
    model = reader()
    save_reader(model, tmp_path / "reader.safetensors")
    tokens = torch.tensor([model.encode("the dog ran.")])
    again = load_reader(tmp_path / "reader.safetensors")
    torch.testing.assert_close(again(tokens)[0], model(tokens)[0], rtol=0, atol=1e-2)
