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

    `<=` and `>=` state what holds by construction and may be reached: such a pair has no margin.
    `x == sorted(x)` counts as one comparison for each pair of neighbours.
    """
    neighbours = list(zip(signs, pairwise(values), strict=True))
    answers = [HOLDS[sign](left, right) for sign, (left, right) in neighbours]
    pairs = []
    for sign, (left, right) in neighbours:
        if sign == "==":
            pairs += pairwise(left)
        elif sign in "<>":
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
    """Sends each comparison of sizes that is claimed, alone or of `all` things, through `compare`."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        sizes = all(isinstance(sign, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for sign in node.ops)
        left, right = map(ast.unparse, (node.left, node.comparators[0]))
        if not sizes and not right.startswith(f"sorted({left}"):
            return node
        signs = [SIGNS[type(sign)] for sign in node.ops]
        return _call("compare", ast.unparse(node), signs, node.left, *node.comparators)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        of_all = ast.unparse(node.func) == "all" or getattr(node.func, "attr", "") == "all"
        return (
            self.generic_visit(node) if of_all else node
        )  # `sum(x < 1 for x in …)` counts, and claims nothing

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        return node


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
