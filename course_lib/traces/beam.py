"""The trace of one beam search: every hypothesis that was scored, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens

STATUSES = ("kept", "pruned", "finished")
TOLERANCE = 1e-4  # float32 sums of a few dozen log-probabilities


@dataclass(frozen=True, eq=False)
class BeamTrace(Trace):
    """One beam search as a tree. Node 0 is the root; the others are numbered in the order they were scored.

    A node is known by its number, never by its text: equal tokens on different paths stay apart.

    Args:
        parent: int (nodes,), the node this one extends; -1 for the root.
        step: int (nodes,), 0 for the root, 1 for the first token.
        token_id: int (nodes,), -1 for the root.
        token: (nodes,) strings as the vocabulary spells them.
        log_prob: float (nodes,), log p(token | prefix), at most 0; 0 for the root. Candidates that can't
            happen (minus infinity) are left out.
        total: float (nodes,), sum of ``log_prob`` from the root.
        score: float (nodes,), ``total`` after the length penalty; what ranks hypotheses.
        rank: int (nodes,), place by ``total`` among all candidates of the step, before the cut;
            0 is the best.
        status: (nodes,), "kept" (expanded, or still open at the end), "pruned" or "finished".
        best: the node that ends the hypothesis returned, kept or finished.
        beam_size: hypotheses that go on after each step, at least 1.
        penalty: the length penalty's formula as a reader sees it.
        source: what was decoded from, e.g. the source sentence.
        temperature: of the distributions searched, above 0; 1 leaves them as the model gave them.
        reference: int (written,), token ids that somebody else holds to be right; None where nobody does.
        reference_token: (written,) their texts.

    Raises:
        TypeError: a field of another kind.
        ValueError: a tree that no beam search can leave.
    """

    parent: np.ndarray = field(metadata=array(np.int64, "nodes"))
    step: np.ndarray = field(metadata=array(np.int64, "nodes"))
    token_id: np.ndarray = field(metadata=array(np.int64, "nodes"))
    token: tuple[str, ...] = field(metadata=tokens("nodes"))
    log_prob: np.ndarray = field(metadata=array(np.float64, "nodes"))
    total: np.ndarray = field(metadata=array(np.float64, "nodes"))
    score: np.ndarray = field(metadata=array(np.float64, "nodes"))
    rank: np.ndarray = field(metadata=array(np.int64, "nodes"))
    status: tuple[str, ...] = field(metadata=names("nodes"))
    best: int
    beam_size: int
    penalty: str
    source: str = ""
    temperature: float = 1.0
    reference: np.ndarray | None = field(default=None, metadata=array(np.int64, "written"))
    reference_token: tuple[str, ...] | None = field(default=None, metadata=tokens("written"))

    def __len__(self) -> int:
        return len(self.token)

    def validate(self) -> None:
        """Raise where the fields contradict one another."""
        roots = np.flatnonzero(self.parent < 0)
        if roots.tolist() != [0] or self.parent[0] != -1:
            raise ValueError(f"node 0 and no other is the root, with parent -1; got roots {roots.tolist()}")
        if self.step[0] != 0 or self.token_id[0] != -1 or self.log_prob[0] != 0 or self.total[0] != 0:
            raise ValueError("the root has step 0, token_id -1, log_prob 0 and total 0")

        parent = self.parent[1:]
        self._refuse(parent > np.arange(len(parent)), "parent", "a node with a lower number")
        self._refuse(self.step[1:] != self.step[parent] + 1, "step", "one more than the parent's step")
        for name in ("log_prob", "total", "score"):
            self._refuse(~np.isfinite(getattr(self, name)[1:]), name, "a finite number")
        self._refuse(self.log_prob[1:] > TOLERANCE, "log_prob", "at most 0, a log-probability")
        drift = np.abs(self.total[1:] - self.total[parent] - self.log_prob[1:])
        self._refuse(drift > TOLERANCE, "total", "the parent's total plus the node's log_prob")
        self._refuse(self.rank[1:] < 0, "rank", "0 or more")

        known = np.isin(self.status, STATUSES)
        if not known.all():
            node = int(np.flatnonzero(~known)[0])
            raise ValueError(f"status of node {node} is {self.status[node]!r}, allowed are {STATUSES}")
        kept = np.array(self.status) == "kept"
        self._refuse(~kept[parent], "parent", "a kept node: pruned and finished ones are not expanded")
        if self.beam_size < 1:
            raise ValueError(f"beam_size is at least 1; got {self.beam_size}")
        if not self.temperature > 0:
            raise ValueError(f"temperature is above 0; got {self.temperature}")
        if (self.reference is None) != (self.reference_token is None):
            raise ValueError("reference and reference_token belong together: ids and their texts")
        if not 0 <= self.best < len(self) or self.status[self.best] == "pruned":
            raise ValueError(f"best is a kept or finished node among {len(self)}; got {self.best}")
        for step in range(self.last_step + 1):
            self._validate_step(step, kept)

    def _validate_step(self, step: int, kept: np.ndarray) -> None:
        nodes = self.nodes_at(step)
        if kept[nodes].sum() > self.beam_size:
            raise ValueError(
                f"step {step} keeps {kept[nodes].sum()} nodes, but beam_size is {self.beam_size}"
            )
        ranks = self.rank[nodes]
        if (np.diff(ranks) == 0).any():
            raise ValueError(f"rank is given twice at step {step}; got {ranks.tolist()}")
        if (np.diff(self.total[nodes]) > TOLERANCE).any():
            raise ValueError(f"rank does not follow total at step {step}; got ranks {ranks.tolist()}")

    def _refuse(self, wrong: np.ndarray, name: str, allowed: str) -> None:
        """Raise for the first node after the root where ``wrong`` holds."""
        if wrong.any():
            node = int(np.flatnonzero(wrong)[0]) + 1
            raise ValueError(f"{name} of node {node} must be {allowed}; got {getattr(self, name)[node]}")

    @property
    def last_step(self) -> int:
        """The number of steps that were searched."""
        return int(self.step.max())

    def nodes_at(self, step: int) -> np.ndarray:
        """Return the nodes of one step, best rank first."""
        nodes = np.flatnonzero(self.step == step)
        return nodes[np.argsort(self.rank[nodes], kind="stable")]

    def children(self, node: int | np.integer) -> np.ndarray:
        """Return the recorded extensions of a node, best rank first."""
        nodes = np.flatnonzero(self.parent == node)
        return nodes[np.argsort(self.rank[nodes], kind="stable")]

    def path(self, node: int | np.integer) -> tuple[int, ...]:
        """Return the nodes from the root to ``node``, both included."""
        nodes = [int(node)]
        while nodes[-1] != 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return tuple(reversed(nodes))

    def greedy_path(self) -> tuple[int, ...]:
        """Return the path that takes the likeliest child at every step.

        It ends early where the beam dropped it: what greedy search would write next was never scored.
        """
        nodes = [0]
        while len(children := self.children(nodes[-1])) > 0:
            nodes.append(int(children[0]))
        return tuple(nodes)

    def reference_path(self) -> tuple[int, ...]:
        """Return the nodes of the reference, from the root to where it fell out or where the search ended."""
        nodes = [0]
        for token in self.reference if self.reference is not None else ():
            following = [node for node in self.children(nodes[-1]) if self.token_id[node] == token]
            if not following:
                break
            nodes.append(int(following[0]))
        return tuple(nodes)

    def overtaken(self) -> tuple[int, ...]:
        """Return the nodes that led their step, yet are not on the path to the best hypothesis."""
        led = (self.rank == 0) & (self.step <= self.step[self.best])
        led[list(self.path(self.best))] = False
        return tuple(np.flatnonzero(led).tolist())
