"""Dynamic memory network: it goes through the facts several times, with the question in mind.

    c_t   = the states of a GRU over all words of the story, at each sentence's end     input
    q     = the last state of a GRU over the question's words                           question
    g_t   = σ(W_2 tanh(W_1 z(c_t, m, q) + b_1) + b_2)                                   gate of a fact
    h_t   = g_t GRU(c_t, h_t−1) + (1 − g_t) h_t−1                                       episode: h_T
    m     ← GRU(h_T, m),  at first q                                                    episodic memory
    a     = GRU([nothing said yet; q], m),  logits W_a a                                answer

    z(c, m, q) = [c, m, q, c ⊙ q, c ⊙ m, |c − q|, |c − m|, cᵀ W q, cᵀ W m]

A gate that is shut skips its fact: nothing of the fact gets into the episode, and the order of the open ones
counts, which a weighted mean would not see. A second pass can open to what the first one has found out about.

(Kumar et al. 2016, section 2. Answers are one word here, so the GRU of the answer takes one step.)
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.data.special import PAD
from course_lib.memory.end_to_end import check_ids, check_texts
from course_lib.recurrent.gru import GRU


class DynamicMemoryNetwork(nn.Module):
    """Reads facts in the order told, once a pass, through gates that the question and the memory open.

    Args:
        vocabulary: words that there are; word 0 is padding.
        size: features of a word, and of every state.
        passes: over the facts.

    Raises:
        ValueError: a number below 1.
    """

    def __init__(self, vocabulary: int, size: int, passes: int = 3) -> None:
        super().__init__()
        for name, number in (("vocabulary", vocabulary), ("passes", passes)):
            if number < 1:
                raise ValueError(f"{name} is {number}; allowed is 1 or more")
        self.passes = passes
        self.words = nn.Embedding(vocabulary, size)
        self.input = GRU(size, size)
        self.question = GRU(size, size)
        self.W = nn.Linear(size, size, bias=False)
        self.gate = nn.Sequential(nn.Linear(7 * size + 2, size), nn.Tanh(), nn.Linear(size, 1))
        self.episode = GRU(size, size)
        self.memory = GRU(size, size)
        self.answer = GRU(vocabulary + size, size)
        self.W_a = nn.Linear(size, vocabulary)

    def forward(
        self, sentences: Int[Tensor, "batch slots words"], questions: Int[Tensor, "batch asked"]
    ) -> tuple[Float[Tensor, "batch vocabulary"], Float[Tensor, "batch passes slots"]]:
        """Return logits of the answer, and the gates of each pass.

        Args:
            sentences: word ids, the newest sentence first; padding behind each sentence and each story.
            questions: word ids, padding behind.

        Returns:
            logits, and gates in [0, 1], the newest sentence's first: exactly 0 where no sentence is.

        Raises:
            ValueError: a story without sentences, a question without words, or an id that is no word.
        """
        check_texts(sentences, questions)
        check_ids(self.words.num_embeddings, sentences, questions)
        facts = self.facts(sentences)
        keep = (sentences != PAD).any(dim=-1)
        _, (q,) = self.question(self.words(questions), None, (questions != PAD).sum(dim=-1))
        m = q
        opened = []
        for _ in range(self.passes):
            gates = self.gates(facts, m, q) * keep
            m = self.memory.step(self.memory.project(self.listen(facts, gates)), (m,))[0]
            opened.append(gates)
        nothing = q.new_zeros(len(q), self.words.num_embeddings)
        (a,) = self.answer.step(self.answer.project(torch.cat([nothing, q], dim=-1)), (m,))
        return self.W_a(a), torch.stack(opened, dim=1)

    def facts(self, sentences: Int[Tensor, "batch slots words"]) -> Float[Tensor, "batch slots size"]:
        """Return the state at the end of each sentence, read as one text from the oldest sentence on.

        Where no sentence is, the state of another place stands.
        """
        told = sentences.flip(1)
        lengths = (told != PAD).sum(dim=-1)
        ends = (lengths.cumsum(dim=1) - 1).clamp(min=0).flip(1)
        text = told.flatten(1)
        places = (text == PAD).long().argsort(dim=1, stable=True)  # the words first, in their order
        states, _ = self.input(self.words(text.gather(1, places)), None, lengths.sum(dim=1))
        return states.gather(1, ends.unsqueeze(-1).expand(*ends.shape, states.shape[-1]))

    def gates(
        self,
        facts: Float[Tensor, "batch slots size"],
        m: Float[Tensor, "batch size"],
        q: Float[Tensor, "batch size"],
    ) -> Float[Tensor, "batch slots"]:
        """Return g of each fact."""
        m, q = (x.unsqueeze(1).expand_as(facts) for x in (m, q))
        alike = [(facts * self.W(x)).sum(dim=-1, keepdim=True) for x in (q, m)]
        z = [facts, m, q, facts * q, facts * m, (facts - q).abs(), (facts - m).abs(), *alike]
        return torch.sigmoid(self.gate(torch.cat(z, dim=-1))).squeeze(-1)

    def listen(
        self, facts: Float[Tensor, "batch slots size"], gates: Float[Tensor, "batch slots"]
    ) -> Float[Tensor, "batch size"]:
        """Return the episode: the last state of a GRU that takes each fact as far as its gate is open."""
        h = facts.new_zeros(len(facts), facts.shape[-1])
        told = self.episode.project(facts.flip(1)).unbind(1)  # the oldest first
        for projected, gate in zip(told, gates.unsqueeze(-1).flip(1).unbind(1), strict=True):
            h = gate * self.episode.step(projected, (h,))[0] + (1 - gate) * h
        return h
