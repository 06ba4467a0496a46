import pytest
import torch
from torch.nn import functional

from course_experiments.attention import dialogue
from course_experiments.attention.dialogue import (
    KINDS,
    LONGEST,
    after_another,
    reply_nats,
    short_exchanges,
    talker_nats,
)
from course_lib.applications.talker import heard, load_talker, told
from course_lib.applications.translator import Translator
from course_lib.data.shakespeare import Exchange, exchanges, load_tiny_shakespeare
from course_lib.recurrent.language_model import LanguageModel
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.text.vocabulary import CharacterVocabulary

PLAY = "ROMEO:\nWho is there?\n\nNURSE:\nI.\nOpen!\n\nNURSE:\nNow.\n\nA room.\n\nROMEO:\n\nROMEO:\nYes."


def test_an_exchange_is_two_speeches_by_two_people():
    assert exchanges(PLAY) == [
        Exchange("ROMEO:\nWho is there?", "NURSE:\nI.\nOpen!"),
        Exchange("NURSE:\nNow.", "ROMEO:\nYes."),  # what nobody says, and names without words, are left out
    ]


def test_a_reply_costs_what_a_plain_loop_over_its_characters_says():
    torch.manual_seed(0)
    vocabulary = CharacterVocabulary("abAB:\n")
    model = LanguageModel(len(vocabulary), 5).eval()
    text, start = "A:\nab\n\nB:\nbab", len("A:\nab\n\nB:\n")
    costs = []
    with torch.no_grad():
        for i in range(start, len(text)):
            logits, _ = model(vocabulary.encode(text[:i])[None])
            costs.append(functional.cross_entropy(logits[0, -1], vocabulary.encode(text[i])[0]).item())
    assert reply_nats(model, vocabulary, "A:\nab", "B:\nbab") == pytest.approx(sum(costs) / 3, rel=1e-5)


def test_a_reply_without_words_is_refused():
    vocabulary = CharacterVocabulary("A:\n")
    with pytest.raises(ValueError, match="reply is 'A:'; allowed is a name, a new line and words"):
        reply_nats(LanguageModel(3, 2), vocabulary, "A:\nA", "A:")


TALK = [Exchange(f"A{i}:\nwords {i}", f"B{i}:\nreply\nnumber {i}") for i in range(5)]


def test_what_is_heard_and_told_stands_in_one_line():
    exchange = Exchange("ROMEO:\nWho is\nthere?", "NURSE:\nI.\nOpen!")
    assert heard(exchange) == "ROMEO: Who is there? NURSE:"
    assert told(exchange) == "I. Open!"


def test_after_another_speech_stand_the_same_replies_and_none_after_its_own():
    for same_name in (False, True):
        shuffled = after_another(TALK, same_name)
        assert [each.reply for each in shuffled] == [each.reply for each in TALK]
        words = [each.said.partition("\n")[2] for each in shuffled]
        assert sorted(words) == [f"words {i}" for i in range(5)]
        assert all(mine != f"words {i}" for i, mine in enumerate(words))
        names = [each.said.partition(":")[0] for each in shuffled]
        assert names == ([f"A{i}" for i in range(5)] if same_name else [f"A{mine[-1]}" for mine in words])
    with pytest.raises(ValueError, match="talk has 1 exchanges; allowed is 2 or more"):
        after_another(TALK[:1])


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_reply_costs_a_talker_what_its_steps_cost_one_by_one(kind):
    torch.manual_seed(0)
    encoding = BytePairEncoding.train([told(each) for each in TALK], 5)
    talker = Translator(EncoderDecoder(KINDS[kind], len(encoding), 6, 8), encoding, "talker")
    costs = talker_nats(talker, [Exchange("A:\nfew", "B:\nreply to many more words"), TALK[3]])
    nats = 0.0
    state, token = talker.start([heard(TALK[3])]), torch.tensor([talker.bos_id])
    for id_ in encoding.encode("reply number 3"):
        log_probs, state = talker.step(token, state)
        nats -= log_probs[0, id_].item()
        token = torch.tensor([id_])
    assert costs[1].item() == pytest.approx(nats, rel=1e-5)


def test_a_talker_learns_pauses_and_is_loaded_as_it_was_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(dialogue, "SIZES", {"embedding_size": 6, "hidden_size": 8})
    few = {"passes": 2, "most": 40}
    assert dialogue.train_talker("attention", 0, tmp_path, minutes=0, **few) is None
    assert dialogue.train_talker("attention", 0, tmp_path, **few) > 0
    talker = load_talker(tmp_path / "talker.safetensors")
    exchange = short_exchanges(load_tiny_shakespeare().validation)[0]
    assert max(map(len, exchange)) <= LONGEST
    assert talker.encoding.decode(talker.encoding.encode(told(exchange))) == told(exchange)
    trace = talker.attention_trace(heard(exchange), told(exchange))
    assert trace.keys == talker.source_pieces(heard(exchange))
