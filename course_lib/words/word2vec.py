"""Word vectors that guess their neighbours: CBOW and skip-gram (Mikolov et al. 2013).

    h = mean of v_c over the words c that are read       v_c: row c of the table `inputs`
    full softmax        −log p(o | h) = −log softmax_o(U h)                      U: the table `outputs`
    negative sampling   −log σ(u_o · h) − Σ_k log σ(−u_k · h)                   k: words drawn at random

CBOW reads all words around o; skip-gram reads one word. A one-hot vector times a matrix is a row of it, so
the tables are looked up and never multiplied.

Sources: Efficient Estimation of Word Representations in Vector Space, section 3; Distributed Representations
of Words and Phrases and their Compositionality, equations 2 and 4.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional


class Word2Vec(nn.Module):
    """Two vectors for each word: one for when it is read, one for when it is guessed.

    Args:
        vocabulary_size: number of words.
        size: numbers in a vector.

    Raises:
        ValueError: one of them is below 1.
    """

    def __init__(self, vocabulary_size: int, size: int) -> None:
        super().__init__()
        for name, value in (("vocabulary_size", vocabulary_size), ("size", size)):
            if value < 1:
                raise ValueError(f"{name} is {value}; allowed is 1 or more")
        self.inputs = nn.Embedding(vocabulary_size, size)
        self.outputs = nn.Embedding(vocabulary_size, size)
        nn.init.uniform_(self.inputs.weight, -0.5 / size, 0.5 / size)
        nn.init.zeros_(self.outputs.weight)

    def hidden(
        self, context: Int[Tensor, "batch window"], keep: Bool[Tensor, "batch window"]
    ) -> Float[Tensor, "batch size"]:
        """Return the mean vector of the words that are read.

        Args:
            context: the words; one for skip-gram.
            keep: which of them are real, one or more of each row.

        Raises:
            ValueError: a row has no real word.
        """
        empty = (~keep.any(dim=1)).nonzero().flatten().tolist()
        if empty:
            raise ValueError(f"keep has rows without a word to read: {empty[:5]}; each needs one or more")
        share = keep / keep.sum(dim=1, keepdim=True)
        return (share.unsqueeze(2) * self.inputs(context).masked_fill(~keep.unsqueeze(2), 0)).sum(dim=1)

    def softmax_loss(
        self,
        context: Int[Tensor, "batch window"],
        keep: Bool[Tensor, "batch window"],
        target: Int[Tensor, "batch"],
    ) -> Float[Tensor, ""]:
        """Return the mean loss of the softmax over the whole vocabulary."""
        return functional.cross_entropy(self.hidden(context, keep) @ self.outputs.weight.T, target)

    def negative_loss(
        self,
        context: Int[Tensor, "batch window"],
        keep: Bool[Tensor, "batch window"],
        target: Int[Tensor, "batch"],
        negatives: Int[Tensor, "batch negatives"],
    ) -> Float[Tensor, ""]:
        """Return the mean loss of negative sampling; a sample that is the target does not count."""
        h = self.hidden(context, keep).unsqueeze(2)
        right = functional.logsigmoid(self.outputs(target).unsqueeze(1) @ h).squeeze(2)
        wrong = functional.logsigmoid(-self.outputs(negatives) @ h).squeeze(2)
        return -(right.sum() + wrong[negatives != target.unsqueeze(1)].sum()) / len(target)


def one_hot_product(
    words: Int[Tensor, "batch"], table: Float[Tensor, "vocabulary size"]
) -> Float[Tensor, "batch size"]:
    """Return one-hot vectors times a table: the rows of the table, the long way."""
    return functional.one_hot(words, len(table)).to(table.dtype) @ table
