"""Of what a search found, prefer what is spelled in words that exist.

A model that writes in pieces can put together a word that nobody has ever written. Its beam often holds, a
little lower, a hypothesis without one.
"""

from collections.abc import Callable, Container, Sequence

from course_lib.decoding.greedy import Hypothesis
from course_lib.metrics.text import invented_words


def prefer_known_words(
    hypotheses: Sequence[Hypothesis],
    text_of: Callable[[Sequence[int]], str],
    known: Container[str],
    source: str = "",
) -> list[Hypothesis]:
    """Return hypotheses in a new order: finished ones without an invented word go before all others.

    Else the order stays, so that nothing changes where every hypothesis holds an invented word.

    Args:
        hypotheses: best first.
        text_of: (tokens) -> their text.
        known: words of the target language, as `letter_runs` gives them.
        source: what was translated; a name may be copied from it.
    """

    def behind(hypothesis: Hypothesis) -> bool:
        text = text_of(hypothesis.tokens)
        return not hypothesis.finished or bool(invented_words(text, known, source))

    return sorted(hypotheses, key=behind)
