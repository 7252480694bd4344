"""Conversion of CPMpy's global constraints to conditions of the language.

These functions convert constraints that must hold. Negated constraints, and constraints without such a function, are
converted through CPMpy's decomposition.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.foreign_models.terms import (
    AND,
    ATOM,
    CHOICE,
    OR,
    SUM,
    Term,
    chain,
    compare,
    constant,
    infix,
    join,
    number,
)
from planspec.foreign_models.values import InexpressibleModelError

if TYPE_CHECKING:
    from planspec.foreign_models.expressions import Expressions

STAR = "*"
LONGEST_NESTING = 40
"""Maximum length of lists whose lexicographic order becomes nested conditions."""


def _all_different(write: Expressions, expression: Any) -> Term:
    return _different(write, [write.number(arg) for arg in expression.args])


def _different(write: Expressions, terms: Sequence[Term]) -> Term:
    family = write.families.family(terms, repeats=True)
    if family is not None:
        return family.inside("all_different({} for @)")
    return write.every([compare("!=", a, b) for a, b in itertools.combinations(terms, 2)])


def _all_equal(write: Expressions, expression: Any) -> Term:
    return _neighbours(write, "==", expression.args)


def _ordered(operator: str) -> Callable[[Expressions, Any], Term]:
    return lambda write, expression: _neighbours(write, operator, expression.args)


def _neighbours(write: Expressions, operator: str, args: Sequence[Any]) -> Term:
    terms = [write.number(arg) for arg in args]
    return write.every([compare(operator, a, b) for a, b in itertools.pairwise(terms)])


def _table(write: Expressions, expression: Any) -> Term:
    """Return the condition that the values form one of the listed rows. `*` in a row stands for any value."""
    array, rows = expression.args
    terms = [write.number(item) for item in array]
    return write.some(
        [
            write.every(
                [
                    compare("==", term, number(int(value)))
                    for term, value in zip(terms, row, strict=True)
                    if value != STAR
                ]
            )
            for row in rows
        ]
    )


def _negative_table(write: Expressions, expression: Any) -> Term:
    array, rows = expression.args
    terms = [write.number(item) for item in array]
    return write.every(
        [
            write.some([compare("!=", term, number(int(value))) for term, value in zip(terms, row, strict=True)])
            for row in rows
        ]
    )


def _choice(write: Expressions, expression: Any) -> Term:
    condition, value, other = expression.args
    return write.every(
        [
            write.some([write.condition(condition, holds=False), write.condition(value)]),
            write.some([write.condition(condition), write.condition(other)]),
        ]
    )


def _cardinalities(write: Expressions, expression: Any) -> Term:
    import cpmpy

    array, values, occurrences = expression.args
    counts = [
        compare("==", write.number(cpmpy.Count(array, value)), write.number(count))
        for value, count in zip(values, occurrences, strict=True)
    ]
    closed = [write.member(write.number(item), map(int, values)) for item in array] if expression.closed else []
    return write.every([*counts, *closed])


def _inverse(write: Expressions, expression: Any) -> Term:
    forward, backward = (list(array) for array in expression.args)
    size = len(backward)
    found = [
        compare("==", write.element(backward, [item], [size]), number(place)) for place, item in enumerate(forward)
    ]
    inside = [write.member(write.number(item), range(size)) for item in forward]
    return write.every([*inside, *found])


def _lexicographic(*, strict: bool) -> Callable[[Expressions, Any], Term]:
    def ordered(write: Expressions, expression: Any) -> Term:
        first, second = (list(array) for array in expression.args)
        if len(first) > LONGEST_NESTING or not first:
            return write.decomposed(expression)
        pairs = [(write.number(a), write.number(b)) for a, b in zip(first, second, strict=True)]
        term = compare("<" if strict else "<=", *pairs[-1])
        for a, b in reversed(pairs[:-1]):
            rest = chain("and", [compare("==", a, b), term], AND)
            term = chain("or", [compare("<", a, b), rest], OR)
        return term

    return ordered


def _no_overlap(write: Expressions, expression: Any) -> Term:
    """Return the condition that intervals do not overlap.

    CPMpy allows intervals of length 0 anywhere. If a length can be 0, all pairs of intervals are compared.
    """
    from cpmpy.expressions.utils import get_bounds

    starts, durations, *ends = expression.args
    if any(get_bounds(duration)[0] <= 0 for duration in durations):
        return write.decomposed(expression)
    first = [write.number(start) for start in starts]
    last = [_sum(a, write.number(b)) for a, b in zip(first, durations, strict=True)]
    rows = [_tuple(pair) for pair in zip(first, last, strict=True)]
    family = write.families.family(rows, repeats=True)
    if family is None:
        return write.decomposed(expression)
    given = [compare("==", a, write.number(b)) for a, b in zip(last, ends[0], strict=True)] if ends else []
    return write.every([*given, family.spread("no_overlap(1 for @, from={}, to={})")])


def _cumulative(write: Expressions, expression: Any) -> Term:
    """Return the condition that the total demand never exceeds the capacity."""
    from cpmpy.expressions.utils import get_bounds

    starts, durations, *ends, demands, capacity = expression.args
    first = [write.number(start) for start in starts]
    lengths = [write.number(duration) for duration in durations]
    last = [_sum(a, b) for a, b in zip(first, lengths, strict=True)]
    heights = [write.number(demand) for demand in demands]
    family = write.families.family([_tuple(row) for row in zip(heights, first, last, strict=True)], repeats=True)
    if family is None:
        return write.all_of(expression.decompose(how="task")[0])
    given = [compare("==", a, write.number(b)) for a, b in zip(last, ends[0], strict=True)] if ends else []
    signs = [
        compare(">=", term, number(0))
        for term, source in zip([*lengths, *heights], [*durations, *demands], strict=True)
        if get_bounds(source)[0] < 0
    ]
    peak = compare("<=", family.spread("peak({} for @, from={}, to={})"), write.number(capacity))
    return write.every([*given, *signs, peak])


def _sum(left: Term, right: Term) -> Term:
    added = constant(right)
    return left if added == 0 else infix("+", left, right, SUM)


def _tuple(parts: Sequence[Term]) -> Term:
    return join(", ".join(["{}"] * len(parts)), parts, ATOM, CHOICE)


def decomposition(expression: Any) -> tuple[list[Any], list[Any]]:
    """Return CPMpy's decomposition of a global constraint.

    Returns:
        Conditions, and conditions that define auxiliary variables.

    Raises:
        InexpressibleModelError: the constraint has no decomposition.
    """
    try:
        conditions, defining = copy.deepcopy(expression).decompose()  # some decompositions modify the expression
    except (AttributeError, NotImplementedError, TypeError):
        raise InexpressibleModelError(f"`{expression.name}` is not a constraint that can be imported") from None
    # CPMpy's decomposition lacks the condition that durations of present tasks are not negative
    if expression.name == "no_overlap_optional":
        from cpmpy.expressions.utils import implies

        tasks = zip(expression.args[1], expression.args[-1], strict=True)
        conditions = [*conditions, *(implies(present, duration >= 0) for duration, present in tasks)]
    return conditions, defining


def _circuit(write: Expressions, expression: Any) -> Term:
    """Return the condition that the successors of all nodes form a single circuit.

    The positions on the circuit are auxiliary variables, determined by the successors. In another expression than a
    constraint of the model, they would not be determined.
    """
    if not any(expression is each for each in write.required):
        return write.decomposed(expression)
    import cpmpy

    size = len(expression.args)
    successors = [write.number(arg) for arg in expression.args]
    positions = list(cpmpy.intvar(0, size - 1, shape=size))
    write.variables.add_array("position", positions)
    steps = [
        write.some(
            [
                compare("==", successor, number(0)),
                compare("==", write.element(positions, [arg], [size]), _sum(write.number(position), number(1))),
            ]
        )
        for successor, arg, position in zip(successors, expression.args, positions, strict=True)
    ]
    inside = [write.member(successor, range(size)) for successor in successors]
    first = compare("==", write.number(positions[0]), number(0))
    return write.every([*inside, _different(write, successors), first, *steps])


CONDITIONS: Mapping[str, Callable[[Expressions, Any], Term]] = {
    "alldifferent": _all_different,
    "allequal": _all_equal,
    "circuit": _circuit,
    "cumulative": _cumulative,
    "decreasing": _ordered(">="),
    "gcc": _cardinalities,
    "increasing": _ordered("<="),
    "inverse": _inverse,
    "ite": _choice,
    "lex_less": _lexicographic(strict=True),
    "lex_lesseq": _lexicographic(strict=False),
    "negative_table": _negative_table,
    "no_overlap": _no_overlap,
    "short_table": _table,
    "strictly_decreasing": _ordered(">"),
    "strictly_increasing": _ordered("<"),
    "table": _table,
}
"""Function that converts a global constraint, by the constraint's name in CPMpy."""
