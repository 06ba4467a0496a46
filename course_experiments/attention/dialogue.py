"""Talk as a sequence task: what was said, and the reply (Vinyals and Le 2015, with a language model)."""

import torch

from course_lib.recurrent.language_model import LanguageModel
from course_lib.text.vocabulary import CharacterVocabulary


@torch.no_grad()
def reply_nats(model: LanguageModel, vocabulary: CharacterVocabulary, said: str, reply: str) -> float:
    """Return what a reply costs in nats a character, its speaker's name not counted.

    Args:
        model: of characters, in eval mode.
        vocabulary: of the model.
        said: the speech before, with its name.
        reply: with its name; it has at least one line of words.

    Raises:
        ValueError: the reply has no words, or a character that the model does not know.
    """
    name, _, words = reply.partition("\n")
    if not words:
        raise ValueError(f"reply is {reply!r}; allowed is a name, a new line and words")
    given = vocabulary.encode(f"{said}\n\n{name}\n")
    tokens = torch.cat([given, vocabulary.encode(words)])
    logits, _ = model(tokens[None, :-1])
    log_probs = logits[0, len(given) - 1 :].log_softmax(dim=-1)
    return -log_probs.gather(1, tokens[len(given) :, None]).mean().item()
