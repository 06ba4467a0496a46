"""The memory network as it was first proposed, in its four parts; it takes the best sentence, no mean of all.

    I   turns a text into features: here its bag of words                            input
    G   writes it to the next free place, and nothing else changes                   generalization
    O   finds what supports an answer, one sentence after another                    output
    R   says a word                                                                  response

    s_O(x, y, y') = Φ_x(x)ᵀ U_Oᵀ U_O (Φ_y(y) − Φ_y(y') + Φ_t(x, y, y'))     is y a better support than y'?
    s_R(x, w)     = Φ_x(x)ᵀ U_Rᵀ U_R Φ_y(w)

x is the question, and then the question with the first sentence found. A word has other features in a
question, in a sentence that was found, and in one that is looked at: `asked` and `found` are the two parts of
U_O Φ_x, and `offered` is U_O Φ_y. Φ_t are three yes or no: is the sentence found last older than y, is it
older than y', and is y older than y'?

Taking the best has no gradient, so training must be told which sentences support an answer; each of them
shall win against every other by a margin. (Weston, Chopra and Bordes 2015, section 3, and 3.4 for time.)
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.data.special import PAD
from course_lib.memory.end_to_end import check_ids, check_texts

QUESTION = -1  # its place: newer than the newest sentence, which is 0


class OriginalMemoryNetwork(nn.Module):
    """Finds supporting sentences one after another, then says a word.

    Args:
        vocabulary: words that there are; word 0 is padding.
        size: features of a text.
        hops: most sentences that are looked for.

    Raises:
        ValueError: a number below 1.
    """

    def __init__(self, vocabulary: int, size: int, hops: int = 2) -> None:
        super().__init__()
        for name, number in (("vocabulary", vocabulary), ("size", size), ("hops", hops)):
            if number < 1:
                raise ValueError(f"{name} is {number}; allowed is 1 or more")
        self.vocabulary, self.hops = vocabulary, hops

        def table() -> nn.Embedding:
            return nn.Embedding(vocabulary, size)

        self.asked, self.found, self.offered = table(), table(), table()  # of O
        self.times = nn.Parameter(torch.zeros(3, size))
        self.told_asked, self.told_found, self.words = table(), table(), table()  # of R
        for weight in self.parameters():
            nn.init.normal_(weight, std=0.1)

    def forward(
        self, sentences: Int[Tensor, "batch slots words"], questions: Int[Tensor, "batch asked"]
    ) -> tuple[Float[Tensor, "batch vocabulary"], Int[Tensor, "batch hops"]]:
        """Return the score of each word as an answer, and the places of the sentences found.

        Args:
            sentences: word ids, the newest sentence first; padding behind each sentence and each story.
            questions: word ids, padding behind.

        Returns:
            scores, s_R; and places, 0 the newest sentence's, in the order in which they were found.

        Raises:
            ValueError: a story without sentences, a question without words, or an id that is no word.
        """
        check_texts(sentences, questions)
        check_ids(self.vocabulary, sentences, questions)
        keep = (sentences != PAD).any(dim=-1)
        found: list[Tensor] = []
        for _ in range(self.hops):
            found.append(winner(self.compare(sentences, questions, found), keep))
        return self.respond(sentences, questions, found), torch.stack(found, dim=1)

    def compare(
        self,
        sentences: Int[Tensor, "batch slots words"],
        questions: Int[Tensor, "batch asked"],
        found: list[Tensor],
    ) -> Float[Tensor, "batch slots slots"]:
        """Return s_O(x, y, y'), with y from row to row and y' from column to column.

        Args:
            sentences, questions: as in `forward`.
            found: places of the sentences found so far, each (batch).
        """
        x = bag(self.asked, questions) + sum(bag(self.found, picked(sentences, place)) for place in found)
        fit = torch.einsum("bd,bsd->bs", x, bag(self.offered, sentences))
        than_y, than_other, y_older = (x @ self.times.T).unsqueeze(-1).unsqueeze(-1).unbind(1)
        places = torch.arange(sentences.shape[1], device=sentences.device)
        last = found[-1] if found else torch.full_like(questions[:, 0], QUESTION)
        older = last.unsqueeze(1) > places
        return (
            (fit.unsqueeze(2) - fit.unsqueeze(1))
            + than_y * older.unsqueeze(2)
            + than_other * older.unsqueeze(1)
            + y_older * (places.unsqueeze(1) > places)
        )

    def respond(
        self,
        sentences: Int[Tensor, "batch slots words"],
        questions: Int[Tensor, "batch asked"],
        found: list[Tensor],
    ) -> Float[Tensor, "batch vocabulary"]:
        """Return s_R(x, w) of each word w, with x the question and the sentences found."""
        x = bag(self.told_asked, questions)
        x = x + sum(bag(self.told_found, picked(sentences, place)) for place in found)
        return x @ self.words.weight.T

    def loss(
        self,
        sentences: Int[Tensor, "batch slots words"],
        questions: Int[Tensor, "batch asked"],
        answers: Int[Tensor, "batch"],
        supporting: Int[Tensor, "batch hops"],
        margin: float = 0.1,
    ) -> Float[Tensor, ""]:
        """Return the mean over questions of what lacks to the margin, over all that should lose.

        Args:
            sentences, questions: as in `forward`.
            answers: the right words.
            supporting: places of the sentences that support the answer, in the order in which to find them.
            margin: γ.
        """
        keep = (sentences != PAD).any(dim=-1)
        rows = torch.arange(len(answers), device=answers.device)
        told = list(supporting.unbind(1))
        lacking = sentences.new_zeros(len(answers), dtype=self.times.dtype)
        for hop, place in enumerate(told):
            scores = self.compare(sentences, questions, told[:hop])
            wins, losses = scores[rows, place], scores[rows, :, place]
            others = keep.scatter(1, place.unsqueeze(1), False)
            lacking = lacking + (
                (functional.relu(margin - wins) + functional.relu(margin + losses)) * others
            ).sum(1)
        said = self.respond(sentences, questions, told)
        behind = functional.relu(margin - said[rows, answers].unsqueeze(1) + said)
        return (lacking + behind.scatter(1, answers.unsqueeze(1), 0).sum(dim=1)).mean()


def bag(table: nn.Embedding, ids: Int[Tensor, "*batch words"]) -> Float[Tensor, "*batch size"]:
    """Return the sum of the words' features; padding has none."""
    return (table(ids) * (ids != PAD).unsqueeze(-1)).sum(dim=-2)


def picked(
    sentences: Int[Tensor, "batch slots words"], place: Int[Tensor, "batch"]
) -> Int[Tensor, "batch words"]:
    """Return one sentence of each story."""
    return sentences[torch.arange(len(place), device=place.device), place]


def winner(
    scores: Float[Tensor, "batch slots slots"], keep: Bool[Tensor, "batch slots"]
) -> Int[Tensor, "batch"]:
    """Return the place that is left when each sentence in turn challenges the winner so far.

    Args:
        scores: s_O, above 0 where the row's sentence wins against the column's.
        keep: where sentences are; the first always is one.
    """
    rows = torch.arange(len(scores), device=scores.device)
    best = torch.zeros_like(rows)
    for challenger in range(1, scores.shape[1]):
        wins = keep[:, challenger] & (scores[rows, challenger, best] > 0)
        best = torch.where(wins, challenger, best)
    return best
