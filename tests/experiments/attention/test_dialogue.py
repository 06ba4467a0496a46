import pytest
import torch
from torch.nn import functional

from course_experiments.attention.dialogue import reply_nats
from course_lib.data.shakespeare import Exchange, exchanges
from course_lib.recurrent.language_model import LanguageModel
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
