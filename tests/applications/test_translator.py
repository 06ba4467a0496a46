import numpy as np
import pytest
import torch

from course_lib.applications.translator import Translator, load_translator
from course_lib.checkpoints import CheckpointError
from course_lib.data import load_tatoeba
from course_lib.decoding import LengthPenalty
from course_lib.seq2seq import DECODERS, EncoderDecoder, Transformer
from course_lib.text import BytePairEncoding

TEXTS = ["a cat", "a", "the cat sat on the mat 😀 <s>", "cat"]


@pytest.fixture(params=["cho", "bahdanau", "luong_general"])
def translator(request):
    torch.manual_seed(0)
    encoding = BytePairEncoding.train(["the cat sat on the mat", "le chat"], 10)
    return Translator(
        EncoderDecoder(request.param, len(encoding), 16, 24, dropout=0.5), encoding, request.param
    )


def same(one, other):
    assert one.text == other.text and one.pieces == other.pieces and one.finished == other.finished
    assert one.log_prob == pytest.approx(other.log_prob, rel=1e-4)
    if one.attention is not None:
        np.testing.assert_allclose(one.attention, other.attention, atol=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_sentence_is_translated_as_if_it_were_alone(translator, beam_size):
    together = translator.translate(TEXTS, beam_size, max_length=7)
    for text, found in zip(TEXTS, together, strict=True):
        same(translator.translate([text], beam_size, max_length=7)[0], found)


def test_attention_has_a_row_a_written_token_and_a_column_a_read_one(translator):
    for found in translator.translate(TEXTS, max_length=6):
        assert found.source_pieces[-1] == "</s>"
        if translator.name == "cho":
            assert found.attention is None
        else:
            assert found.attention.shape == (len(found.pieces), len(found.source_pieces))
            np.testing.assert_allclose(found.attention.sum(axis=1), 1, atol=1e-5)


def test_the_search_tree_ends_in_the_translation(translator):
    found = translator.search("a cat", 3, max_length=6)
    best = found.hypotheses[0]
    (translation,) = translator.translate(["a cat"], 3, max_length=6)
    assert translator.encoding.decode(best.tokens) == translation.text
    assert found.trace.source == "a cat"
    with pytest.raises(ValueError, match="beam_size is 0"):
        translator.search("a cat", 0)


def test_the_log_probability_is_that_of_the_model_reading_its_own_translation(translator):
    for found in translator.translate(TEXTS, max_length=6):
        ids = [translator.encoding.pieces.index(piece) for piece in found.pieces]
        source = torch.tensor([[translator.encoding.pieces.index(piece) for piece in found.source_pieces]])
        logits, _ = translator.model(source, torch.tensor([[translator.bos_id, *ids[:-1]]]))
        expected = logits[0].detach().log_softmax(-1)[range(len(ids)), ids].sum()
        assert found.log_prob == pytest.approx(float(expected), rel=1e-4)


def test_saved_and_loaded_it_translates_the_same(translator, tmp_path):
    translator.save(tmp_path / "t.safetensors", tmp_path / "bpe.json")
    translator.encoding.save(tmp_path / "bpe.json")
    loaded = Translator.load(tmp_path / "t.safetensors")
    for name, weight in translator.model.state_dict().items():
        torch.testing.assert_close(loaded.model.state_dict()[name], weight.half().float())
    assert loaded.name == translator.name
    # A second round trip rounds nothing any more.
    again = tmp_path / "again.safetensors"
    loaded.save(again, tmp_path / "bpe.json")
    twice = Translator.load(again)
    for one, other in zip(
        loaded.translate(TEXTS, max_length=6), twice.translate(TEXTS, max_length=6), strict=True
    ):
        same(one, other)


def test_a_trace_shows_the_translation_or_the_target_asked_for(translator):
    if translator.name == "cho":
        with pytest.raises(ValueError, match="'cho' has no attention"):
            translator.attention_trace("a cat")
        return
    trace = translator.attention_trace("a cat", "le chat")
    assert "".join(trace.queries) == "▁le▁chat</s>"
    assert trace.keys == translator.source_pieces("a cat")
    assert trace.candidate_probabilities.shape == (len(trace.queries), 5)
    free = translator.attention_trace("a cat")
    assert free.queries == translator.translate(["a cat"], beam_size=5)[0].pieces


def test_the_traces_of_a_transformer_are_where_its_layers_look():
    torch.manual_seed(0)
    encoding = BytePairEncoding.train(["the cat sat on the mat", "le chat"], 10)
    model, pair = Transformer(len(encoding), 8, 2, 2, 16), ("a cat", "le chat")
    traces = Translator(model, encoding, "tiny").attention_traces(pair[0], ("decoder", "encoder"), pair[1])
    source, target = (torch.tensor([[*encoding.encode(text), encoding.eos_id]]) for text in pair)
    written = target.roll(1).index_fill(1, torch.tensor([0]), encoding.bos_id)
    read, said, shown = (tuple(encoding.pieces[i] for i in ids[0]) for ids in (source, target, written))
    assert [(t.queries, t.keys) for t in traces.values()] == [(said, shown), (read, read)]
    maps = model.attention(source, written)
    for kind, trace in traces.items():
        np.testing.assert_allclose(trace.weights, getattr(maps, kind)[0].detach(), atol=1e-6)
    best = model(source, written)[0][0].argmax(dim=-1)
    assert [row[0] for row in traces["decoder"].candidates] == [encoding.pieces[i] for i in best]


def test_a_kind_of_attention_that_a_model_lacks_is_named(translator):
    if translator.name != "cho":
        with pytest.raises(ValueError, match=f"'encoder'; the model '{translator.name}' has only cross"):
            translator.attention_trace("a cat", "le chat", "encoder")


def test_wrong_input_is_named(translator):
    with pytest.raises(TypeError, match="texts is one string, 'a cat'; allowed is a list of strings"):
        translator.translate("a cat")
    with pytest.raises(ValueError, match="name is 'bert'; shipped are "):
        load_translator("bert")
    assert translator.translate([]) == []
    for call in (translator.search, translator.attention_trace):
        with pytest.raises(ValueError, match="a text to translate is ''; allowed is one with at least one"):
            call("", 2) if call == translator.search else call("")
    with pytest.raises(ValueError, match=r"a text to translate is ' \\n'"):
        translator.translate(["a cat", " \n"])


def test_a_missing_or_damaged_checkpoint_is_named(tmp_path):
    path = tmp_path / "t.safetensors"
    with pytest.raises(CheckpointError, match=r"t\.safetensors is missing"):
        Translator.load(path)
    path.write_bytes(b"garbage" * 10)
    with pytest.raises(CheckpointError, match=r"t\.safetensors is damaged"):
        Translator.load(path)


def test_every_decoder_can_be_searched_with_a_length_penalty():
    encoding = BytePairEncoding.train(["abc"], 1)
    for decoder in DECODERS:
        translator = Translator(EncoderDecoder(decoder, len(encoding), 8, 8), encoding, decoder)
        found = translator.search("ab", 2, LengthPenalty("gnmt", 0.6), max_length=4)
        assert len(found.hypotheses) == 2


def test_pieces_that_the_model_never_read_are_told():
    """Held against the training sentences themselves, as text: what is told is in none, the rest in some."""
    translator = load_translator("bahdanau")
    pieces = translator.source_pieces("Where is être in 😀, Tom?")
    told = dict(zip(pieces, translator.never_read(pieces), strict=True))
    english = [pair.source for pair in load_tatoeba("fra").train]
    assert not any("être" in text or "😀" in text for text in english)
    assert any(text.startswith("Where is ") for text in english)
    never = {"▁être", *(f"<0x{byte:02X}>" for byte in "😀".encode())}
    assert {piece for piece, strange in told.items() if strange} == never
    assert told["</s>"] is False


def test_of_a_model_of_ones_own_only_characters_without_a_piece_are_told(translator):
    pieces = translator.source_pieces("tac 😀")
    assert translator.never_read(pieces) == tuple(piece.startswith("<0x") for piece in pieces)
    assert any(translator.never_read(pieces))
