"""Conditions that may be none where none would make the whole true.

A planned atom that may be none is false there. Under `not`, left of `implies`, or in a filter of `all` or
`count`, false makes the whole condition true (or a row uncounted) without anybody having said so. A guard
that dominates the atom (`x is not none and ...`) or a `??` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from planspec.dsl import tree as t
from planspec.dsl.diagnostics import Report
from planspec.dsl.types import Stage
from planspec.dsl.walk import children


def check_guards(
    constraints: Iterable[t.Constraint], definitions: Iterable[t.Definition], kinds: Mapping[str, str], report: Report
) -> None:
    """Report atoms without a guard: a warning in a task, an error in a library.

    Args:
        kinds: the kind of document that each source's name stands for.
    """
    check = _Guards(kinds, report)
    for constraint in constraints:
        check.condition(constraint.body, frozenset(), negative=False)
    for definition in definitions:
        check.condition(definition.body, frozenset(), negative=False)


class _Guards:
    def __init__(self, kinds: Mapping[str, str], report: Report) -> None:
        self.kinds = kinds
        self.report = report

    def condition(self, node: t.Expr, guards: frozenset[str], *, negative: bool) -> None:
        """Visit a node whose falsehood makes the whole true if `negative`."""
        match node:
            case t.Not(operand=x):
                self.condition(x, guards, negative=not negative)
            case t.Logic(op="implies", operands=(a, b)):
                self.condition(a, guards, negative=not negative)
                self.condition(b, guards | positive(a), negative=negative)
            case t.Logic(op=op, operands=xs):
                known = guards
                for x in xs:
                    self.condition(x, known, negative=negative)
                    known = known | (positive(x) if op == "and" else absent(x))
            case t.Conditional(condition=c, then=a, otherwise=b):
                self.condition(c, guards, negative=negative)
                self.condition(a, guards | positive(c), negative=negative)
                self.condition(b, guards | absent(c), negative=negative)
            case t.Aggregate(function=function, body=body, clauses=clauses):
                known = guards
                for clause in clauses:
                    self.condition(clause.source, known, negative=False)
                    if clause.condition is not None:
                        # `all` over fewer rows is truer; a count can be compared either way
                        turned = not negative if function == "all" else function == "count" or negative
                        self.condition(clause.condition, known, negative=turned)
                        known = known | positive(clause.condition)
                self.condition(body, known, negative=negative and function in ("all", "any"))
            case t.Compare(operands=xs):
                self._atom(node, xs, guards, negative)
            case t.InSet(item=a, collection=b):
                self._atom(node, (a, b), guards, negative)
            case _:
                for child in children(node):
                    self.condition(child, guards, negative=False)

    def _atom(self, node: t.Expr, operands: tuple[t.Expr, ...], guards: frozenset[str], negative: bool) -> None:
        for operand in operands:
            self.condition(operand, guards, negative=False)
        if not negative or node.stage is not Stage.PLANNED:
            return
        for operand in operands:
            cause = _cause(operand, guards)
            if cause is not None:
                self._report(node, cause)
                return

    def _report(self, node: t.Expr, cause: t.Expr) -> None:
        text = " ".join(cause.span.text.split())
        message = "this condition may be none, and then the rule holds unnoticed"
        help_text = f"guard it: `{text} is not none and ...`, or give a value with `??`"
        kind = self.kinds.get(node.span.source.name, "task")
        report = self.report.error if kind == "library" else self.report.warning
        report("PS309", message, node.span, f"`{text}` may be none", help=help_text)


def _cause(node: t.Expr, guards: frozenset[str]) -> t.Expr | None:
    """The smallest planned part that may make `node` none, if no guard covers it."""
    if not node.partial or node.stage is not Stage.PLANNED or text_of(node) in guards:
        return None
    match node:
        case t.Coalesce(right=right):
            return _cause(right, guards)
        case t.Conditional(condition=c, then=a, otherwise=b):
            return _cause(a, guards | positive(c)) or _cause(b, guards | absent(c))
        case t.FieldOf(row=row, column=column) if not column.optional:
            return _cause(row, guards)
        case t.Arith() | t.Negate() | t.Call():
            inner = [_cause(child, guards) for child in children(node) if child.partial]
            found = next((x for x in inner if x is not None), None)
            return found if any(child.partial for child in children(node)) else node
    return node


def text_of(node: t.Expr) -> str:
    """What makes two mentions of a value the same: their words."""
    return " ".join(node.span.text.split())


def positive(node: t.Expr) -> frozenset[str]:
    """What is not none where the condition holds."""
    match node:
        case t.IsNone(operand=x, negated=True):
            return frozenset({text_of(x)}) | _implied(x)
        case t.Logic(op="and", operands=xs):
            return frozenset().union(*(positive(x) for x in xs))
        case t.Not(operand=x):
            return absent(x)
        case t.Compare(operands=xs):
            return frozenset().union(*(frozenset({text_of(x)}) | _implied(x) for x in xs))
        case t.InSet(item=x, negated=False):
            return frozenset({text_of(x)}) | _implied(x)
    return frozenset()


def absent(node: t.Expr) -> frozenset[str]:
    """What is not none where the condition does not hold."""
    match node:
        case t.IsNone(operand=x, negated=False):
            return frozenset({text_of(x)}) | _implied(x)
        case t.Logic(op="or", operands=xs):
            return frozenset().union(*(absent(x) for x in xs))
        case t.Not(operand=x):
            return positive(x)
    return frozenset()


def _implied(node: t.Expr) -> frozenset[str]:
    """A value that is there has rows and operands that are there."""
    match node:
        case t.FieldOf(row=row):
            return frozenset({text_of(row)}) | _implied(row)
        case t.Arith(left=a, right=b):
            return frozenset({text_of(a), text_of(b)}) | _implied(a) | _implied(b)
    return frozenset()
