"""The character decoder: written-out equations, its own target encoding, and what a sentence costs it."""

import pytest
import torch

from course_experiments.translation.translators import tokenise
from course_lib.applications.families import build
from course_lib.applications.translator import Translator
from course_lib.data import SentencePair
from course_lib.decoding import greedy_search
from course_lib.seq2seq.character import CharacterDecoder, characters
from course_lib.text import BytePairEncoding

SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 5, 2, 0, 0], [2, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 6, 4, 4], [1, 7, 8, 9, 5, 2], [1, 3, 3, 4, 0, 0]])
TEXTS = ["Tom est né à Noël.", "où êtes-vous ?", "Tom est là."]


@pytest.fixture
def model() -> CharacterDecoder:
    torch.manual_seed(0)
    return CharacterDecoder(20, 10, 6, 4, 8).double().eval()


@pytest.fixture(scope="module")
def encoding() -> BytePairEncoding:
    return BytePairEncoding.train(TEXTS, 12)


def test_equals_its_equations_written_out_step_by_step(model: CharacterDecoder) -> None:
    upper = torch.nn.GRUCell(16, 8, dtype=torch.float64)
    upper.load_state_dict({name.removesuffix("_l0"): w for name, w in model.upper.state_dict().items()})
    for row, length in enumerate((5, 3, 1)):
        read, (last, back) = model.encoder.rnn(model.pieces.weight[SOURCE[row, :length]][None])
        h1, h2 = torch.tanh(model.first(torch.cat([last, back], -1))).split(8, -1)
        expected = []
        for token in TARGET[row]:
            y = (model.embedding.weight[token] * 2)[None]
            scores = [
                model.attention.v((model.attention.W(h1) + model.attention.U(h)).tanh()) for h in read[0]
            ]
            c = torch.cat(scores, 1).softmax(1) @ read[0]
            h1 = model.lower(torch.cat([y, c], 1), h1)
            h2 = upper(torch.cat([h1, c], 1), h2)
            features = torch.tanh(model.to_embedding(torch.cat([h2, y, c], 1)))
            expected.append(features @ model.embedding.weight.T + model.bias)
        # The other rows are longer or shorter: what pads this one must not count.
        torch.testing.assert_close(model(SOURCE, TARGET)[0][row], torch.cat(expected))


def test_step_by_step_equals_all_at_once(model: CharacterDecoder) -> None:
    logits, weights = model(SOURCE, TARGET)
    state = model.start(SOURCE)
    for i, tokens in enumerate(TARGET.unbind(1)):
        step = model.step(tokens, state)
        state = step.state
        torch.testing.assert_close(model.logits(step.evidence), logits[:, i])
        torch.testing.assert_close(step.weights, weights[:, i])
    assert weights.shape == (3, 6, 5) and (weights[1, :, 3:] == 0).all()


def test_is_built_again_from_its_configuration(model: CharacterDecoder) -> None:
    again = build(model.config).double().eval()
    again.load_state_dict(model.state_dict())
    torch.testing.assert_close(again(SOURCE, TARGET)[0], model(SOURCE, TARGET)[0])


def test_every_character_is_one_token_accents_and_spaces_too(encoding: BytePairEncoding) -> None:
    by_character = characters(encoding)
    for text in TEXTS:
        pieces = [by_character.pieces[i] for i in by_character.encode(text)]
        assert pieces == ["▁", *text.replace(" ", "▁")]
        assert by_character.decode(by_character.encode(text)) == text
    unseen = by_character.encode("ß")
    assert [by_character.pieces[i] for i in unseen] == ["▁", "<0xC3>", "<0x9F>"]
    assert by_character.decode(unseen) == "ß"


def test_pieces_are_read_and_characters_written(encoding: BytePairEncoding) -> None:
    ((source, target),) = tokenise([SentencePair("Tom", "où")], encoding, characters(encoding))
    assert source == [*encoding.encode("Tom"), encoding.eos_id] and len(source) < 5
    assert [characters(encoding).pieces[i] for i in target] == ["<s>", "▁", "o", "ù", "</s>"]


def test_a_trained_one_spells_what_it_learned(encoding: BytePairEncoding, tmp_path) -> None:
    torch.manual_seed(0)
    by_character = characters(encoding)
    model = CharacterDecoder(len(encoding), len(by_character), 16, 16, 32)
    pairs = tokenise([SentencePair("Tom", "Noël"), SentencePair("est", "là ?")], encoding, by_character)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        for source, target in pairs:
            logits, _ = model(torch.tensor([source]), torch.tensor([target[:-1]]))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits[0], torch.tensor(target[1:])).backward()
            optimizer.step()
    vocabulary = tmp_path / "bpe.json"
    encoding.save(vocabulary)
    Translator(model, encoding, "character").save(tmp_path / "c.safetensors", vocabulary)
    translator = Translator.load(tmp_path / "c.safetensors")
    for beam_size in (1, 3):
        found = translator.translate(["Tom", "est"], beam_size)
        assert [t.text for t in found] == ["Noël", "là ?"]
    assert found[0].pieces == ("▁", "N", "o", "ë", "l", "</s>")
    assert found[0].attention is not None and found[0].attention.shape == (6, len(found[0].source_pieces))
    trace = translator.attention_trace("Tom", "Noël")
    assert trace.queries == found[0].pieces and trace.keys == found[0].source_pieces
    assert translator.search("Tom", 2).trace.token[1] == "▁"


def test_the_limit_leaves_room_for_characters(encoding: BytePairEncoding) -> None:
    torch.manual_seed(0)
    model = CharacterDecoder(len(encoding), len(characters(encoding)), 4, 4, 8)
    with torch.no_grad():
        model.bias[encoding.eos_id] = -50.0  # never ends
    translator = Translator(model, encoding, "character")
    (found,) = translator.translate(["Tom"])
    assert len(found.pieces) == 250 and not found.finished
    assert len(translator.translate(["Tom"], max_length=7)[0].pieces) == 7
    (same,) = greedy_search(translator.step, translator.start(["Tom"]), torch.tensor([1]), 2, 250)
    assert tuple(translator.target_encoding.pieces[i] for i in same.tokens) == found.pieces
