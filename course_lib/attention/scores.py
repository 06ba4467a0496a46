"""Attention over a source sentence: score, weigh, sum.

    e_j = score(s, h_j)        how well does source position j answer the decoder state s?
    α   = softmax(e)           over the kept source positions
    c   = Σ_j α_j h_j          the context

The scores, and the other names that they go by:

    additive        vᵀ tanh(W s + U h_j)      Bahdanau, Cho and Bengio 2015, appendix A.1.2
    concat, MLP     vᵀ tanh(W [s; h_j])       Luong, Pham and Manning 2015, equation 8; W and U joined
    dot             sᵀ h_j                    the same
    scaled dot      sᵀ h_j / √size            Vaswani et al. 2017, section 3.2.1: dot with a factor
    general,        sᵀ W h_j                  Luong, Pham and Manning 2015, equation 8
      bilinear
    content-based   β cos(s, h_j)             Graves, Wayne and Danihelka 2014, equations 5 and 6
    location-base   (W s)_j                   Luong, Pham and Manning 2015, equation 8; sees no key
    location-aware  vᵀ tanh(W s + U h_j + F f_j)  Chorowski et al. 2015, equation 9; f: where it looked last

A product of two vectors grows with their size, and a softmax of large scores puts all its weight on one
position and passes no gradient to the others. So dot and general take a factor; 1 is Luong's score,
1/√size that of Vaswani et al. 2017, section 3.2.1.

Any of them can be put behind a window (`local`), or give the chances of a draw instead of the weights of a
mean (`hard`).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.masks import masked_softmax, weighted_mean, weighted_sum


class Attention(nn.Module):
    """What the scores have in common. A subclass says how it scores.

    Scores need some product of the keys that is the same at every decoder step: `project` computes it,
    once a sentence.
    """

    def project(self, keys: Float[Tensor, "batch source key"]) -> Float[Tensor, "batch source projected"]:
        """Return what `score` needs of the keys."""
        return keys

    def score(
        self, query: Float[Tensor, "batch query"], projected: Float[Tensor, "batch source projected"]
    ) -> Float[Tensor, "batch source"]:
        """Return one score for each source position."""
        raise NotImplementedError

    def forward(
        self,
        query: Float[Tensor, "batch query"],
        keys: Float[Tensor, "batch source key"],
        keep: Bool[Tensor, "batch source"] | None,
        projected: Float[Tensor, "batch source projected"] | None = None,
    ) -> tuple[Float[Tensor, "batch key"], Float[Tensor, "batch source"]]:
        """Return the context and the weights that made it.

        Args:
            query: the decoder state s.
            keys: the encoder states h_1 … h_S.
            keep: False at padding; None where there is none.
            projected: `self.project(keys)`, if at hand.

        Returns:
            context, and weights in [0, 1]: exactly 0 where not kept, each row sums to 1
            (to 0 where it keeps nothing).
        """
        scores = self.score(query, self.project(keys) if projected is None else projected)
        weights = masked_softmax(scores, keep)
        if keep is None:
            return weighted_mean(weights, keys), weights
        return weighted_sum(weights.unsqueeze(1), keys, keep.unsqueeze(1)).squeeze(1), weights


class AdditiveAttention(Attention):
    """e_j = vᵀ tanh(W s + U h_j).

    Args:
        query_size: features of a decoder state.
        key_size: features of an encoder state.
        attention_size: width of the layer that compares them.
    """

    def __init__(self, query_size: int, key_size: int, attention_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(query_size, attention_size, bias=False)
        self.U = nn.Linear(key_size, attention_size, bias=False)
        self.v = nn.Linear(attention_size, 1, bias=False)

    def project(self, keys: Tensor) -> Tensor:
        """Return U h_j."""
        return self.U(keys)

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return vᵀ tanh(W s + U h_j)."""
        compared = self.W(query).unsqueeze(1) + projected
        return self.v(compared.tanh_()).squeeze(-1)  # in its place: the largest array of a step, written once


class LocationAwareAttention(AdditiveAttention):
    """e_j = vᵀ tanh(W s + U h_j + F f_j) with f = K ∗ α′: content and location mixed.

    α′ are the weights of the step before and K the filters of a convolution, so f_j holds what lay near
    position j when the decoder looked last.

    Args:
        query_size: features of a decoder state.
        key_size: features of an encoder state.
        attention_size: width of the layer that compares them.
        filters: numbers in f_j.
        width: positions that a filter covers; odd, so that position j stands in the middle.

    Raises:
        ValueError: `width` is not odd.

    Source: Chorowski et al. 2015, Attention-Based Models for Speech Recognition, equations 8 and 9.
    """

    def __init__(
        self, query_size: int, key_size: int, attention_size: int, filters: int = 10, width: int = 15
    ) -> None:
        if width % 2 == 0:
            raise ValueError(f"width is {width}; allowed are odd numbers")
        super().__init__(query_size, key_size, attention_size)
        self.K = nn.Conv1d(1, filters, width, padding=width // 2, bias=False)
        self.F = nn.Linear(filters, attention_size, bias=False)

    def locate(self, previous: Float[Tensor, "batch source"]) -> Float[Tensor, "batch source projected"]:
        """Return F f_j, which is added to what `project` returns, from the weights of the step before."""
        return self.F(self.K(previous.unsqueeze(1)).transpose(1, 2))


class DotAttention(Attention):
    """e_j = scale · sᵀ h_j. No parameters; query and key must have the same size.

    Args:
        scale: factor of the score.
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return scale · sᵀ h_j.

        Raises:
            ValueError: query and keys differ in size.
        """
        if query.shape[-1] != projected.shape[-1]:
            raise ValueError(
                f"query has {query.shape[-1]} features, keys have {projected.shape[-1]}; "
                "the dot score needs the same number (use GeneralAttention)"
            )
        return self.scale * torch.einsum("bk,bsk->bs", query, projected)


class GeneralAttention(Attention):
    """e_j = scale · sᵀ W h_j.

    Args:
        query_size: features of a decoder state.
        key_size: features of an encoder state.
        scale: factor of the score.
    """

    def __init__(self, query_size: int, key_size: int, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale
        self.W = nn.Linear(key_size, query_size, bias=False)

    def project(self, keys: Tensor) -> Tensor:
        """Return W h_j."""
        return self.W(keys)

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return scale · sᵀ (W h_j)."""
        return self.scale * torch.einsum("bq,bsq->bs", query, projected)


class ConcatAttention(Attention):
    """e_j = vᵀ tanh(W [s; h_j]).

    W [s; h] is W's left columns times s plus its right columns times h. So this is the additive score
    with W = [W, U]; only the name of the matrix differs.

    Args:
        query_size: features of a decoder state.
        key_size: features of an encoder state.
        attention_size: width of the layer that compares them.
    """

    def __init__(self, query_size: int, key_size: int, attention_size: int) -> None:
        super().__init__()
        self.query_size = query_size
        self.W = nn.Linear(query_size + key_size, attention_size, bias=False)
        self.v = nn.Linear(attention_size, 1, bias=False)

    def project(self, keys: Tensor) -> Tensor:
        """Return W's right columns times h_j."""
        return functional.linear(keys, self.W.weight[:, self.query_size :])

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return vᵀ tanh(W [s; h_j])."""
        left = functional.linear(query, self.W.weight[:, : self.query_size])
        return self.v(torch.tanh(left.unsqueeze(1) + projected)).squeeze(-1)


class CosineAttention(Attention):
    """e_j = β · cos(s, h_j). No parameters; only directions count, so no vector wins by its length.

    Args:
        sharpness: β above 0. A cosine is at most 1, so β alone decides how sharp the weights can get.

    Raises:
        ValueError: `sharpness` is not above 0.
    """

    def __init__(self, sharpness: float = 1.0) -> None:
        super().__init__()
        if not sharpness > 0:
            raise ValueError(f"sharpness is {sharpness}; allowed are numbers above 0")
        self.sharpness = sharpness

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return β · cos(s, h_j); 0 for a vector of zeros.

        Raises:
            ValueError: query and keys differ in size.
        """
        if query.shape[-1] != projected.shape[-1]:
            raise ValueError(
                f"query has {query.shape[-1]} features, keys have {projected.shape[-1]}; "
                "the cosine needs the same number"
            )
        return self.sharpness * functional.cosine_similarity(query.unsqueeze(1), projected, dim=-1)


class LocationAttention(Attention):
    """e_j = (W s)_j: the decoder state alone says where to look.

    Args:
        query_size: features of a decoder state.
        longest: rows of W, the longest source that can be attended to.
    """

    def __init__(self, query_size: int, longest: int) -> None:
        super().__init__()
        self.W = nn.Linear(query_size, longest, bias=False)

    def score(self, query: Tensor, projected: Tensor) -> Tensor:
        """Return the first `source` entries of W s.

        Raises:
            ValueError: the source is longer than `longest`.
        """
        length = projected.shape[1]
        if length > self.W.out_features:
            raise ValueError(f"the source has {length} positions; allowed are up to {self.W.out_features}")
        return self.W(query)[:, :length]
