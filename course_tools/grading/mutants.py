"""Near misses of a right answer: one thing in it is changed. Shown are those that no test tells apart.

    make mutants PAPERS="ps00_cnn ps04_attention"

Each line that it prints is one change that keeps full marks. It is either as right as the answer itself, or a
case that is missing from the tests: a person must say which.
"""

import argparse
import ast
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from course_tools.grading.solved_paper import SolvedPaper

SECONDS = 5.0  # of the processor, for a test cell; a near miss may never end
SOLUTIONS = Path("solutions")

_OPERATORS: dict[type[ast.AST], tuple[type[Any], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_PAIRS = (
    "min max",
    "amin amax",
    "argmin argmax",
    "any all",
    "sum mean",
    "zeros ones",
    "zeros_like ones_like",
)
_NAMES = dict(pair.split()[::step] for pair in _PAIRS for step in (1, -1))


class Mutant(NamedTuple):
    """A right answer with one thing changed."""

    line: int
    change: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every near miss of an answer: one operator, number, term, argument or statement is another.

    Args:
        source: the cell of the answer.
    """
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for parent in list(ast.walk(tree)):
        for holder, place, node in _places(parent):
            for other in _changed(node):
                holder[place] = other
                text = ast.unparse(ast.fix_missing_locations(tree))
                holder[place] = node
                if text not in seen:
                    seen.add(text)
                    yield Mutant(node.lineno, f"{_shown(node)}  ->  {_shown(other)}", text)


def survivors(paper: SolvedPaper, exercise: str) -> Iterator[Mutant]:
    """Yield those near misses of the model answer that get full marks."""
    paper.run(exercise, paper.source(exercise))  # whatever is imported is imported without a limit
    for mutant in mutants(paper.source(exercise)):
        with _limited():
            result = paper.run(exercise, mutant.source)
        if result.points == result.possible:
            yield mutant


def _places(parent: ast.AST) -> Iterator[tuple[Any, str | int, ast.expr | ast.stmt]]:
    """Yield holder, place and node, so that another can be put there; not types, texts and messages."""
    if isinstance(parent, ast.Raise | ast.JoinedStr | ast.arg):
        return
    for field, value in list(ast.iter_fields(parent)):
        if field in ("returns", "decorator_list", "annotation"):
            continue
        if isinstance(value, list):
            yield from ((value, place, node) for place, node in enumerate(value) if _has_place(node))
        elif _has_place(value):
            yield vars(parent), field, value


def _has_place(node: object) -> TypeGuard[ast.expr | ast.stmt]:
    return isinstance(node, ast.expr | ast.stmt)


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what could stand in a node's place."""
    match node:
        case ast.Compare(left, [operator], [right]):
            yield from (ast.Compare(left, [other()], [right]) for other in _others(operator))
        case ast.BinOp(left, operator, right):
            yield from (ast.BinOp(left, other(), right) for other in _others(operator))
            yield from (left, right)
        case ast.BoolOp(operator, values):
            yield from (ast.BoolOp(other(), values) for other in _others(operator))
            yield from values
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Call(function, arguments, keywords):
            yield from _other_calls(function, arguments, keywords)
        case ast.Subscript(value, slice=ast.Slice() as part, ctx=ast.Load()):
            for bound in ("lower", "upper", "step"):
                if getattr(part, bound):
                    fewer = deepcopy(part)
                    setattr(fewer, bound, None)
                    yield ast.Subscript(value, fewer, ast.Load())
        case ast.IfExp(_, first, second):
            yield from (first, second)
        case ast.ListComp(part, [ast.comprehension(target, values, [_, *_])]):
            yield ast.ListComp(part, [ast.comprehension(target, values, [], 0)])
        case ast.If(_, body, rest):
            yield from (ast.If(ast.Constant(value), body, rest) for value in (True, False))
        case ast.For(target, values, body, rest):
            yield ast.For(target, values, [*body, ast.Break()], rest)
        case ast.AugAssign(target, operator, value):
            yield from (ast.AugAssign(target, other(), value) for other in _others(operator))
            yield from (ast.Assign([target], value), ast.Pass())
        case ast.Assign() | ast.Continue():
            yield ast.Pass()
        case ast.Break():
            yield from (ast.Pass(), ast.Continue())
        case ast.Expr(ast.Call()):
            yield ast.Pass()


def _others(operator: ast.AST) -> tuple[type[Any], ...]:
    return _OPERATORS.get(type(operator), ())


def _other_calls(
    function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]
) -> Iterator[ast.AST]:
    """Yield a call of the opposite, one with an argument less or two swapped, and what it is called on."""
    if isinstance(function, ast.Attribute):
        if function.attr in _NAMES:
            opposite = ast.Attribute(function.value, _NAMES[function.attr], ast.Load())
            yield ast.Call(opposite, arguments, keywords)
        yield function.value
    if isinstance(function, ast.Name) and function.id in _NAMES:
        yield ast.Call(ast.Name(_NAMES[function.id], ast.Load()), arguments, keywords)
    for left_out in keywords:
        yield ast.Call(function, arguments, [keyword for keyword in keywords if keyword is not left_out])
    if arguments:
        yield from (arguments[0], ast.Call(function, arguments[:-1], keywords))
    if len(arguments) == 2:
        yield ast.Call(function, arguments[::-1], keywords)


def _shown(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


@contextmanager
def _limited() -> Iterator[None]:
    """Interrupt whatever runs, every so many seconds of the processor."""

    def interrupt(*_: object) -> None:
        raise TimeoutError(f"not done after {SECONDS:g} seconds")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main(arguments: list[str] | None = None) -> None:
    """Print, for each exercise, the near misses that get full marks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", help="papers or exercises, such as ps00_cnn or ps04-beam; default: all"
    )
    names = parser.parse_args(arguments).names
    papers = [SolvedPaper(path) for path in sorted(SOLUTIONS.glob("*/*.ipynb"))]
    known = {name for paper in papers for name in (paper.name, *paper.exercises())}
    if unknown := set(names) - known:
        sys.exit(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    for paper in papers:
        for exercise in paper.exercises():
            if not names or {paper.name, exercise} & set(names):
                count = sum(1 for _ in mutants(paper.source(exercise)))
                print(f"{exercise}: {count} near misses; full marks get")
                for mutant in survivors(paper, exercise):
                    print(f"  line {mutant.line}: {mutant.change}", flush=True)


if __name__ == "__main__":
    main()
