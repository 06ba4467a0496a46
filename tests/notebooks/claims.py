"""What a lecture claims in its `assert` statements, and how far each claim is from failing.

`with_margins` rewrites the code of a cell so that its claims note both sides instead of raising.
"""

import ast
import json
import operator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True)
class Claim:
    """One claim as it came out in one run; equalities and yes-or-no claims have no sides."""

    text: str
    holds: bool
    left: float | None = None
    right: float | None = None

    @property
    def margin(self) -> float | None:
        """How far the claim is from its edge."""
        if self.left is None or self.right is None:
            return None
        return distance(self.left, self.right)


made: list[Claim] = []


def distance(left: float, right: float) -> float:
    """How far two numbers are apart, as a share of the larger."""
    larger = max(abs(left), abs(right))
    return abs(left - right) / larger if larger else 0.0


def compare(text: str, signs: list[str], *values: Any) -> Any:
    """Note the tightest pair of `a < b < c` (of arrays, the tightest elements), and return what it says.

    `x == sorted(x)` counts as one comparison for each pair of neighbours.
    """
    answers = [HOLDS[sign](left, right) for sign, (left, right) in zip(signs, pairwise(values), strict=True)]
    pairs = []
    for sign, (left, right) in zip(signs, pairwise(values), strict=True):
        if sign == "==":
            pairs += pairwise(left)
        else:
            sides = np.broadcast_arrays(np.asarray(left, dtype=float), np.asarray(right, dtype=float))
            pairs += zip(*(side.ravel().tolist() for side in sides), strict=True)
    if pairs:
        holds = all(np.asarray(answer).all() for answer in answers)
        made.append(Claim(text, holds, *min(pairs, key=lambda pair: distance(*pair))))
    return answers[0] if len(answers) == 1 else all(answers)


def claim(text: str, holds: Any) -> None:
    """Note whether a claim holds."""
    made.append(Claim(text, bool(holds)))


def report() -> None:
    """Print what was claimed so far, as JSON."""
    print(json.dumps([asdict(claim) for claim in made]))


class _BothSides(ast.NodeTransformer):
    """Sends each comparison of sizes through `compare`."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        text = ast.unparse(node)
        self.generic_visit(node)
        sorts = any(
            isinstance(side, ast.Call) and ast.unparse(side.func) == "sorted" for side in node.comparators
        )
        sizes = all(isinstance(sign, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for sign in node.ops)
        if not (sizes or sorts):
            return node
        signs = [SIGNS[type(sign)] for sign in node.ops]
        return _call("compare", text, signs, node.left, *node.comparators)


class _Claims(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        text = ast.unparse(node.test)
        return ast.Expr(_call("claim", text, _BothSides().visit(node.test)))


def _call(name: str, *arguments: Any) -> ast.Call:
    values = [
        each if isinstance(each, ast.AST) else ast.parse(repr(each), mode="eval").body for each in arguments
    ]
    return ast.Call(ast.Attribute(ast.Name("claims", ast.Load()), name, ast.Load()), values, [])


def with_margins(source: str) -> str:
    """Rewrite each `assert` of a cell so that it notes the claim; other code stays as it is."""
    if "assert" not in source:
        return source
    return ast.unparse(ast.fix_missing_locations(_Claims().visit(ast.parse(source))))
