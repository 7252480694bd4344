"""The analysis of an expression before code is written for it: free variables, plan tables, repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.dsl.model.traversal import children, clauses, shape
from planspec.dsl.model.tree import (
    Aggregate,
    AllRows,
    Apply,
    Binding,
    Clause,
    Definition,
    Expr,
    GivenRef,
    Logic,
    Lookup,
    OnlyRow,
    RowNamed,
    SetOf,
    Var,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """The facts about an expression.

    Attributes:
        free: the variables in it that something around it binds.
        planned: it mentions a plan table, itself or through a definition.
        varies: its value may differ between the plans that the code judges and, where tasks have the code in common,
            between tasks.
        loops: it ranges over something, itself or through a definition.
        size: how many nodes it has, calls written out.
    """

    free: frozenset[Binding]
    planned: bool
    varies: bool
    loops: bool
    size: int


_NO_BINDINGS: frozenset[Binding] = frozenset()


class ExpressionFacts:
    """Facts about expressions, each worked out once, without recursion on the depth of an expression.

    Args:
        common: the code is for many tasks, so givens and rows of static tables vary, too.
    """

    def __init__(self, *, common: bool = False) -> None:
        self._common = common
        self._facts: dict[Expr, Fact] = {}
        self._definitions: dict[Definition, Fact] = {}
        self._repeats: dict[Expr, Mapping[Expr, int]] = {}
        self._uses: dict[Expr, Mapping[Binding, int]] = {}

    def of(self, root: Expr) -> Fact:
        """The fact about an expression, and with it those about all of its parts."""
        found = self._facts.get(root)
        if found is None:
            for expr in reversed(preorder(root)):
                self._facts[expr] = self._fact(expr)
            found = self._facts[root]
        return found

    def definition(self, definition: Definition) -> Fact:
        """The fact about a definition's body."""
        found = self._definitions.get(definition)
        if found is None:
            found = self._definitions[definition] = self.of(definition.body)
        return found

    def _fact(self, expr: Expr) -> Fact:
        free, planned, varies, loops, size = _NO_BINDINGS, False, False, False, 1
        for child in children(expr):
            part = self._facts[child]
            if part.free:
                free = free | part.free if free else part.free
            planned, varies = planned or part.planned, varies or part.varies
            loops, size = loops or part.loops, size + part.size
        match expr:
            case Var():
                free = frozenset((expr.binding,))
            case AllRows() | Lookup() | OnlyRow():
                planned = planned or expr.table.plan
                varies = varies or planned or self._common
            case GivenRef() | RowNamed():
                varies = varies or self._common
            case Apply():
                body = self.definition(expr.definition)
                planned, varies = planned or body.planned, varies or body.varies
                loops, size = loops or body.loops, size + body.size
            case _ if binds := clauses(expr):
                free = free.difference(*(clause.targets for clause in binds))
                loops = True
            case _:
                pass
        return Fact(free, planned, varies, loops, size)

    def uses(self, root: Expr) -> Mapping[Binding, int]:
        """The number of times that each variable stands in an expression; more than once if it stands in a loop."""
        found = self._uses.get(root)
        if found is None:
            counts: Counter[Binding] = Counter()
            for expr in preorder(root):
                if isinstance(expr, Var):
                    counts[expr.binding] += 1
                elif clauses(expr):
                    counts.update(self.of(expr).free)
            found = self._uses[root] = counts
        return found

    def repeats(self, root: Expr) -> Mapping[Expr, int]:
        """The parts of an expression that are worth working out once, with a number that equal parts share."""
        found = self._repeats.get(root)
        if found is None:
            order = preorder(root)
            candidates = [expr for expr in order if isinstance(expr, (Apply, Lookup, Aggregate, SetOf))]
            found = self._repeats[root] = _repeats(order, candidates) if len(candidates) > 1 else {}
        return found


def _repeats(order: Sequence[Expr], candidates: Sequence[Expr]) -> Mapping[Expr, int]:
    names = _numbers(order)
    numbers: dict[tuple[object, ...], int] = {}
    keys: dict[Expr, int] = {}
    for expr in reversed(order):
        key = (*shape(expr, names), *(keys[part] for part in children(expr)))
        keys[expr] = numbers.setdefault(key, len(numbers))
    counts = Counter(keys[expr] for expr in candidates)
    return {expr: keys[expr] for expr in candidates if counts[keys[expr]] > 1}


def _numbers(order: Sequence[Expr]) -> dict[Binding, int]:
    """Bound variables by how many loops stand around theirs, so that equal loops look equal."""
    depth: dict[Expr, int] = {}
    names: dict[Binding, int] = {}
    for expr in order:
        inner = depth.setdefault(expr, 0)
        for clause in clauses(expr):
            for target in clause.targets:
                names[target] = inner
                inner += 1
        for part in children(expr):
            depth[part] = inner
    return names


def preorder(root: Expr) -> list[Expr]:
    """An expression and all of its parts, each before its own parts."""
    order: list[Expr] = []
    todo = [root]
    while todo:
        expr = todo.pop()
        order.append(expr)
        todo += children(expr)
    return order


def conjuncts(condition: Expr | None) -> Iterator[Expr]:
    """The operands of `and`, flat, from left to right."""
    match condition:
        case None:
            return
        case Logic(op="and"):
            for operand in condition.operands:
                yield from conjuncts(operand)
        case _:
            yield condition


def conditions_of(clauses: Iterable[Clause]) -> list[Expr]:
    """The conditions on a generator's variables, in whichever of its clauses they stand."""
    return [part for clause in clauses for part in conjuncts(clause.condition)]
