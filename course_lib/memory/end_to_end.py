"""End-to-end memory network: it asks its memory, and asks again with what it found.

    u^1   = Σ_j l_j ⊙ B q_j                          the question, from its words q_j
    m_i   = Σ_j l_j ⊙ A^k x_ij + T_A^k(i)            sentence i as it is addressed
    c_i   = Σ_j l_j ⊙ C^k x_ij + T_C^k(i)            sentence i as it is read
    p^k   = softmax(u^k · m_i)                       how much each sentence matters, at hop k
    o^k   = Σ_i p_i^k c_i
    u^k+1 = u^k + o^k,  or  H u^k + o^k              adjacent, or layer-wise
    a     = softmax(W u^K+1)                         the answer, one word

    adjacent      A^k+1 = C^k,  B = A^1,  W = C^K    what one hop reads by, the next addresses by
    layer-wise    A^k = A,  C^k = C                  all hops are the same, like steps of a recurrence

A bag of words has l_j = 1; the position encoding lets l_j tell where in its sentence a word stands. T tells
how old a sentence is. (Sukhbaatar, Szlam, Weston and Fergus 2015, sections 2 and 4.1.)

The memory network of Weston, Chopra and Bordes 2015 names four parts: I takes in a text (A, C and B here),
G writes it to a free place, O finds what supports an answer, and R says it (W). There O takes the best
sentence, and must be told in training which one that is; here it takes the mean of all by p, and gradients
find out.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.masks import masked_softmax
from course_lib.data.special import PAD

SPREAD = 0.1  # standard deviation of all weights at the start (section 4.2)


def position_weights(
    lengths: Int[Tensor, "*batch"], words: int, size: int
) -> Float[Tensor, "*batch {words} {size}"]:
    """Return l_kj = (1 − j/J) − (k/d)(1 − 2j/J) for word j of J and feature k of d, both counted from 1.

    The same words in another order have another sum. In float64.

    Args:
        lengths: J of each sentence, 0 to words.
        words: rows; those behind a sentence's end are 0.
        size: d.
    """
    j = torch.arange(1, words + 1, dtype=torch.float64, device=lengths.device)
    place = (j / lengths.clamp(min=1).unsqueeze(-1)).unsqueeze(-1)
    feature = torch.arange(1, size + 1, dtype=torch.float64, device=lengths.device) / size
    real = (j <= lengths.unsqueeze(-1)).unsqueeze(-1)
    return ((1 - place) - feature * (1 - 2 * place)) * real


def ages_with_gaps(lengths: Int[Tensor, "batch"], slots: int, share: float) -> Int[Tensor, "batch {slots}"]:
    """Return the ages 0, 1, 2, … of sentences, as if some empty ones stood between them.

    So a model meets ages beyond its stories', and learns that what counts is who is older (section 4.1).

    Args:
        lengths: sentences of each story, 0 to slots.
        slots: ages of a story; those behind its sentences mean nothing.
        share: most empty sentences, as a share of the real ones; how many is drawn for each story.
    """
    ages = torch.arange(slots).repeat(len(lengths), 1)
    for row, length in zip(ages, lengths.tolist(), strict=True):
        empty = int(torch.randint(math.ceil(share * length) + 1, ()))
        row[:length] = torch.randperm(length + empty)[:length].sort().values
    return ages.to(lengths.device)


class MemoryNetwork(nn.Module):
    """Reads a story several times over, each time asking for what the last reading lacked.

    Args:
        vocabulary: words that there are; word 0 is padding.
        size: d, features of a sentence.
        memory: most sentences of a story.
        hops: readings.
        tying: "adjacent" or "layer-wise".
        encoding: "position", or "bag" for a bag of words.
        temporal: whether sentences know their age.
        time_noise: in training, most empty sentences put between the real ones, as a share of these.

    Raises:
        ValueError: a number below 1, a share below 0, or no such tying or encoding.
    """

    def __init__(
        self,
        vocabulary: int,
        size: int,
        memory: int = 50,
        hops: int = 3,
        tying: str = "adjacent",
        encoding: str = "position",
        temporal: bool = True,
        time_noise: float = 0.0,
    ) -> None:
        super().__init__()
        numbers = {"vocabulary": vocabulary, "size": size, "memory": memory, "hops": hops}
        for name, number in numbers.items():
            if number < 1:
                raise ValueError(f"{name} is {number}; allowed is 1 or more")
        if tying not in ("adjacent", "layer-wise"):
            raise ValueError(f"tying is {tying!r}; allowed are 'adjacent', 'layer-wise'")
        if encoding not in ("position", "bag"):
            raise ValueError(f"encoding is {encoding!r}; allowed are 'position', 'bag'")
        if not time_noise >= 0:
            raise ValueError(f"time_noise is {time_noise}; allowed is 0 or more")
        self.memory = memory
        self.encoding = encoding
        self.temporal = temporal
        self.time_noise = time_noise
        self.adjacent = tying == "adjacent"
        A, C = self.tied(lambda: nn.Embedding(vocabulary, size), hops)
        self.A, self.C = nn.ModuleList(A), nn.ModuleList(C)
        if temporal:
            T_A, T_C = self.tied(lambda: nn.Embedding(memory, size), hops)
            self.T_A, self.T_C = nn.ModuleList(T_A), nn.ModuleList(T_C)
        if self.adjacent:
            self.B, self.W = A[0], C[-1]
        else:
            self.B, self.W = nn.Embedding(vocabulary, size), nn.Embedding(vocabulary, size)
            self.H = nn.Linear(size, size, bias=False)
        for weight in self.parameters():
            nn.init.normal_(weight, std=SPREAD)

    def tied(
        self, table: Callable[[], nn.Embedding], hops: int
    ) -> tuple[list[nn.Embedding], list[nn.Embedding]]:
        """Return the tables that address and those that are read, one of each a hop; some are the same."""
        if self.adjacent:
            tables = [table() for _ in range(hops + 1)]
            return tables[:-1], tables[1:]
        return [table()] * hops, [table()] * hops

    def forward(
        self,
        sentences: Int[Tensor, "batch slots words"],
        questions: Int[Tensor, "batch asked"],
        softmax: bool = True,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Float[Tensor, "batch hops slots"]]:
        """Return logits of the answer, and how each hop looked at the sentences.

        Args:
            sentences: word ids, the newest sentence first; padding behind each sentence and each story.
            questions: word ids, padding behind.
            softmax: whether scores are squashed to weights; a training that begins without gets stuck less
                often (linear start, section 4.2).

        Returns:
            logits, and weights: exactly 0 where no sentence is; each row in [0, 1] with sum 1, or any
            numbers without the softmax.

        Raises:
            ValueError: a story without sentences, more of them than the memory holds, a question without
                words, or an id that is no word.
        """
        if sentences.shape[1] > self.memory:
            raise ValueError(f"a story has {sentences.shape[1]} sentences; allowed are up to {self.memory}")
        check_texts(sentences, questions)
        check_ids(self.B.num_embeddings, sentences, questions)
        keep = (sentences != PAD).any(dim=-1)
        u = self.encode(self.B, questions, self.word_weights(questions))
        distinct, which = sentences.flatten(0, 1).unique(dim=0, return_inverse=True)
        which, weights = which.view(keep.shape), self.word_weights(distinct)
        told = {
            table: functional.embedding(which, self.encode(table, distinct, weights))
            for table in {*self.A, *self.C}
        }
        if self.temporal:
            ages = self.ages(keep)
            times = zip([*self.A, *self.C], [*self.T_A, *self.T_C], strict=True)
            told = {table: told[table] + time(ages) for table, time in dict(times).items()}
        looked = []
        for hop in range(len(self.A)):
            m, c = told[self.A[hop]], told[self.C[hop]]
            scores = torch.einsum("bd,bsd->bs", u, m)
            p = masked_softmax(scores, keep) if softmax else scores * keep
            o = torch.einsum("bs,bsd->bd", p, c)
            u = (u if self.adjacent else self.H(u)) + o
            looked.append(p)
        return functional.linear(u, self.W.weight), torch.stack(looked, dim=1)

    def encode(
        self,
        table: nn.Module,
        ids: Int[Tensor, "*batch words"],
        weights: Float[Tensor, "*batch words #size"],
    ) -> Float[Tensor, "*batch size"]:
        """Return Σ_j l_j ⊙ table(x_j)."""
        return (weights * table(ids)).sum(dim=-2)

    def word_weights(self, ids: Int[Tensor, "*batch words"]) -> Float[Tensor, "*batch words #size"]:
        """Return l_j of each word, 0 at padding."""
        real = ids != PAD
        if self.encoding == "bag":
            return real.unsqueeze(-1).to(self.B.weight.dtype)
        weights = position_weights(real.sum(dim=-1), real.shape[-1], self.B.embedding_dim)
        return weights.to(self.B.weight.dtype)

    def ages(self, keep: Bool[Tensor, "batch slots"]) -> Int[Tensor, "batch slots"]:
        """Return each sentence's row of the temporal tables: 0 the newest, the last row for all older."""
        if not (self.training and self.time_noise):
            return torch.arange(keep.shape[1], device=keep.device).expand_as(keep)
        ages = ages_with_gaps(keep.sum(dim=1), keep.shape[1], self.time_noise)
        return ages.clamp(max=self.memory - 1)


def check_texts(sentences: Int[Tensor, "batch slots words"], questions: Int[Tensor, "batch asked"]) -> None:
    """Raise ValueError if a story or a question is empty."""
    for name, texts in (("story", sentences.flatten(1)), ("question", questions)):
        empty = (~(texts != PAD).any(dim=1)).nonzero().flatten().tolist()
        if empty:
            raise ValueError(f"{name} {empty[0]} of the batch is empty; allowed is 1 or more words")


def check_ids(vocabulary: int, *texts: Int[Tensor, "..."]) -> None:
    """Raise ValueError unless all ids are 0 to vocabulary − 1."""
    for ids in texts:
        outside = ids[(ids < 0) | (ids >= vocabulary)]
        if len(outside):
            raise ValueError(f"a word has id {int(outside[0])}; allowed are 0 to {vocabulary - 1}")
