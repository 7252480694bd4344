"""Analysis of expressions before code generation: free variables, dependence on the plan, repeated parts."""

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
    Intervals,
    Logic,
    Lookup,
    OnlyRow,
    RowNamed,
    SetOf,
    Var,
)


@dataclass(frozen=True, slots=True)
class ExpressionTraits:
    """Traits of an expression that determine the code generated for it.

    Attributes:
        free: free variables.
        planned: whether it reads a plan table, directly or through a definition.
        varies: whether the value may differ between plans or, in code shared by tasks, between tasks.
        loops: whether it contains a loop, directly or through a definition.
        size: number of nodes after calls are inlined.
    """

    free: frozenset[Binding]
    planned: bool
    varies: bool
    loops: bool
    size: int


_NO_BINDINGS: frozenset[Binding] = frozenset()


class ExpressionAnalysis:
    """Cache of `ExpressionTraits`, the properties of expressions that determine the code generated for them.

    Args:
        common: whether several tasks share the generated code. Parameters and rows of static tables may then differ.
    """

    def __init__(self, *, common: bool = False) -> None:
        self._common = common
        self._traits: dict[Expr, ExpressionTraits] = {}
        self._definitions: dict[Definition, ExpressionTraits] = {}
        self._repeats: dict[Expr, Mapping[Expr, int]] = {}
        self._uses: dict[Expr, Mapping[Binding, int]] = {}

    def traits(self, root: Expr) -> ExpressionTraits:
        """Return the traits of an expression. The traits of its parts are cached, too."""
        traits = self._traits.get(root)
        if traits is None:
            for expr in reversed(parts_in_preorder(root)):
                self._traits[expr] = self._compute_traits(expr)
            traits = self._traits[root]
        return traits

    def of_definition(self, definition: Definition) -> ExpressionTraits:
        """Return the traits of a definition's body."""
        traits = self._definitions.get(definition)
        if traits is None:
            traits = self._definitions[definition] = self.traits(definition.body)
        return traits

    def _compute_traits(self, expr: Expr) -> ExpressionTraits:
        free, planned, varies, loops, size = _NO_BINDINGS, False, False, False, 1
        for child in children(expr):
            part = self._traits[child]
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
                body = self.of_definition(expr.definition)
                planned, varies = planned or body.planned, varies or body.varies
                loops, size = loops or body.loops, size + body.size
            case _ if binds := clauses(expr):
                free = free.difference(*(clause.targets for clause in binds))
                loops = True
            case _:
                pass
        return ExpressionTraits(free, planned, varies, loops, size)

    def uses(self, root: Expr) -> Mapping[Binding, int]:
        """Return how often each variable occurs in an expression. An occurrence in a loop counts more than once."""
        result = self._uses.get(root)
        if result is None:
            counts: Counter[Binding] = Counter()
            for expr in parts_in_preorder(root):
                if isinstance(expr, Var):
                    counts[expr.binding] += 1
                elif clauses(expr):
                    counts.update(self.traits(expr).free)
            result = self._uses[root] = counts
        return result

    def repeats(self, root: Expr) -> Mapping[Expr, int]:
        """Return the parts of an expression that occur repeatedly and are worth computing only once.

        Each part has a number, which is the same for equal parts.
        """
        result = self._repeats.get(root)
        if result is None:
            order = parts_in_preorder(root)
            candidates = [expr for expr in order if isinstance(expr, (Apply, Lookup, Aggregate, Intervals, SetOf))]
            result = self._repeats[root] = _repeated_parts(order, candidates) if len(candidates) > 1 else {}
        return result


def _repeated_parts(order: Sequence[Expr], candidates: Sequence[Expr]) -> Mapping[Expr, int]:
    """Return the candidates that are equal to another one, each with a number that equal candidates share.

    `order` has all parts of the expression in preorder.
    """
    names = _numbered_variables(order)
    numbers: dict[tuple[object, ...], int] = {}
    keys: dict[Expr, int] = {}
    for expr in reversed(order):
        key = (*shape(expr, names), *(keys[part] for part in children(expr)))
        keys[expr] = numbers.setdefault(key, len(numbers))
    counts = Counter(keys[expr] for expr in candidates)
    return {expr: keys[expr] for expr in candidates if counts[keys[expr]] > 1}


def _numbered_variables(order: Sequence[Expr]) -> dict[Binding, int]:
    """Return for each variable that a loop binds how many are bound before it, in outer loops and in its own.

    `order` has all parts of an expression in preorder. With these numbers in place of variables, two loops that differ
    only in the names of variables are equal.
    """
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


def parts_in_preorder(root: Expr) -> list[Expr]:
    """Return an expression and all of its parts in preorder."""
    order: list[Expr] = []
    todo = [root]
    while todo:
        expr = todo.pop()
        order.append(expr)
        todo += children(expr)
    return order


def conjuncts(condition: Expr | None) -> Iterator[Expr]:
    """Yield the operands of nested conjunctions from left to right."""
    match condition:
        case None:
            return
        case Logic(op="and"):
            for operand in condition.operands:
                yield from conjuncts(operand)
        case _:
            yield condition


def conditions_of(clauses: Iterable[Clause]) -> list[Expr]:
    """Return the conditions of all clauses of a generator, split at `and`."""
    return [part for clause in clauses for part in conjuncts(clause.condition)]
