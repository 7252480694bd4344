"""Detection of conditions that become true as a whole because an operand is *none*.

An atom (a condition without logical operators) that depends on the plan is false if an operand is *none*. A false atom
makes the whole condition true under `not`, left of `implies` or in a filter of `all`; in a filter of `count`, it leaves
a row uncounted. The author may not intend this. A guard before the atom (`x is not none and ...`, or a predicate that
implies it) or a `??` makes the intention explicit.

Results about a definition are computed once, in terms of its parameters, and translated for each call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.structural_keys import Key, ValueKeys
from planspec.dsl.model.traversal import children
from planspec.dsl.model.types import ScalarType, Special, Stage

Facts: TypeAlias = frozenset[Key]
NOTHING: Facts = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """An atom (condition without logical operators) with a part that may be *none* and has no guard.

    Attributes:
        atom: condition that is false if the cause is *none*.
        cause: smallest part of the atom that may be *none*.
        key: structural key of the cause.
        planned: whether the cause depends on the plan even if the parameters are static.
        variables: variables of the cause. If the value of one of them depends on the plan, so does the cause.
    """

    atom: t.Expr
    cause: t.Expr
    key: Key
    planned: bool
    variables: frozenset[t.Binding]


def check_guards(
    constraints: Iterable[t.Constraint],
    definitions: Iterable[t.Definition],
    kinds: Mapping[str, str],
    report: Report,
) -> None:
    """Report unguarded parts of conditions that may be *none*: a warning in a task, an error in a library.

    Args:
        constraints: constraints whose bodies are checked; a body with a mistake is skipped.
        definitions: definitions whose bodies are checked; a body with a mistake is skipped.
        kinds: kinds of documents, keyed by the name of the source.
        report: receives the diagnostics.
    """
    check = _RiskCollector()
    for body in (*(c.body for c in constraints), *(d.body for d in definitions)):
        if _is_sound(body):
            check.visit(body, NOTHING, negative=False)
    for risk in check.risks:
        _report(risk, kinds, report)


def _is_sound(root: t.Expr) -> bool:
    """Return whether no part of the expression has a mistake."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type is Special.WRONG:
            return False
        stack.extend(children(node))
    return True


def _report(risk: Risk, kinds: Mapping[str, str], report: Report) -> None:
    text = " ".join(risk.cause.span.text.split())
    place = risk.atom.span
    inside = place.source is risk.cause.span.source and place.start <= risk.cause.span.start < place.end
    where = "" if inside else f" in `{' '.join(place.text.split())}`"
    mend = f"guard it: `{text} is not none and ...`, or give a value with `??`"
    add = report.error if kinds.get(place.source.name, "task") == "library" else report.warning
    add(
        "PS309",
        "this condition may meet none, and then the constraint holds unnoticed",
        place,
        f"`{text}` may be none{where}",
        help=mend if inside else f"guard what `{text}` needs, or give a value with `??`",
    )


class _RiskCollector:
    """Collector of the parts of conditions that may be *none* and are not guarded.

    Each visit to a part gets `facts`: the expressions that are known not to be *none* at that place. `risks` contains
    the risks found so far. Results about definitions are cached, and shared with the collector `other`.
    """

    def __init__(self, other: _RiskCollector | None = None, *, inside: bool = False) -> None:
        self.inside = inside  # inside a definition, whose arguments may depend on the plan
        self.risks: list[Risk] = []
        self.keys: ValueKeys = other.keys if other else ValueKeys()
        self._denied: tuple[t.Expr, ...] = ()  # later operands of the `or` that is being visited
        self._true: dict[t.Definition, Facts] = other._true if other else {}
        self._false: dict[t.Definition, Facts] = other._false if other else {}
        self._inner: dict[t.Definition, tuple[Risk, ...]] = other._inner if other else {}
        self._causing: dict[t.Definition, tuple[Key, ...]] = other._causing if other else {}

    def visit(self, node: t.Expr, facts: Facts, *, negative: bool) -> None:
        """Visit a node. `negative` is set if a false node makes the whole condition true."""
        match node:
            case t.Not(operand=x):
                self.visit(x, facts, negative=not negative)
            case t.Logic(op="implies", operands=(a, b)):
                self.visit(a, facts, negative=not negative)
                self.visit(b, facts | self.holds(a), negative=negative)
            case t.Logic(op="and", operands=xs):
                for x in xs:
                    self.visit(x, facts, negative=negative)
                    facts = facts | self.holds(x)
            case t.Logic(op="or", operands=xs):
                for i, x in enumerate(xs):
                    outer = self._denied
                    self._denied = (*outer, *xs[i + 1 :])
                    self.visit(x, facts, negative=negative)
                    self._denied = outer
                    facts = facts | self.fails(x)
            case t.Conditional(condition=c, then=a, otherwise=b):
                self.visit(c, facts, negative=negative)
                self.visit(a, facts | self.holds(c), negative=negative)
                self.visit(b, facts | self.fails(c), negative=negative)
            case t.Aggregate() | t.Intervals():
                self._visit_loop(node, facts, negative=negative)
            case t.Apply() if node.type is ScalarType.BOOL:
                self._visit_atom(
                    node,
                    [a for a, p in zip(node.args, node.definition.params, strict=True) if not p.optional],
                    facts,
                    negative=negative,
                )
                if negative:
                    self._add_call_risk(node, facts)
            case t.Compare() | t.InSet():
                self._visit_atom(node, list(children(node)), facts, negative=negative)
            case t.FieldOf() | t.Call() if node.type is ScalarType.BOOL:
                self._visit_atom(node, list(children(node)), facts, negative=negative)
            case (
                t.Apply()
                | t.FieldOf()
                | t.Call()
                | t.Literal()
                | t.Var()
                | t.GivenRef()
                | t.RowNamed()
                | t.Lookup()
                | t.OnlyRow()
                | t.Negate()
                | t.Arith()
                | t.IsNone()
                | t.IsUnknown()
                | t.Coalesce()
                | t.SetLiteral()
                | t.SetOf()
                | t.RangeOf()
                | t.AllRows()
                | t.AllMembers()
                | t.Steps()
                | t.Logic()
            ):
                for child in children(node):
                    self.visit(child, facts, negative=False)
            case _:
                assert_never(node)

    def _visit_loop(self, node: t.Aggregate | t.Intervals, facts: Facts, *, negative: bool) -> None:
        for clause in node.clauses:
            self.visit(clause.source, facts, negative=False)
            if clause.condition is not None:
                # `all` and `no_overlap` are weaker over fewer rows; for a count or a peak, it depends on the comparison
                weaker = node.function in ("all", "no_overlap")
                turned = not negative if weaker else node.function in ("count", "peak") or negative
                self.visit(clause.condition, facts, negative=turned)
                facts = facts | self.holds(clause.condition)
        if isinstance(node, t.Intervals):
            self._visit_ends(node, facts, negative=negative)
            return
        self.visit(node.body, facts, negative=negative and node.type is ScalarType.BOOL)
        if node.function == "all_different" and negative:
            self._add_cause(node, node.body, facts)
        if node.by is not None:
            self.visit(node.by, facts, negative=False)

    def _visit_ends(self, node: t.Intervals, facts: Facts, *, negative: bool) -> None:
        parts = [part for part in (node.start, node.end, node.gap, node.per, node.body) if part is not None]
        for part in parts:
            self.visit(part, facts, negative=False)
        if node.function == "no_overlap" and negative:
            any(self._add_cause(node, part, facts) for part in (node.start, node.end, node.gap) if part is not None)

    def _visit_atom(self, node: t.Expr, operands: list[t.Expr], facts: Facts, *, negative: bool) -> None:
        for operand in children(node):
            self.visit(operand, facts, negative=False)
        if negative and (self.inside or node.stage is Stage.PLANNED):
            any(self._add_cause(node, operand, facts) for operand in operands)

    def _add_cause(self, atom: t.Expr, operand: t.Expr, facts: Facts) -> bool:
        for denied in self._denied:
            facts = facts | self._explicitly_present(denied, facts)
        causes = self._causes(operand, facts, static=self.inside)
        if causes:
            cause = causes[0]
            planned = cause.stage is Stage.PLANNED
            self.risks.append(Risk(atom, cause, self.keys.key_of(cause), planned, _variables(cause)))
        return bool(causes)

    def _add_call_risk(self, node: t.Apply, facts: Facts) -> None:
        """Add the first unguarded risk inside a called predicate, if the caller does not guard against it."""
        facts = self._facts_inside(node, facts)
        for risk in self._risks_inside(node.definition):
            args = [a for a, p in zip(node.args, node.definition.params, strict=True) if p in risk.variables]
            planned = risk.planned or any(arg.stage is Stage.PLANNED for arg in args)
            key = self.keys.translated(risk.key, node)
            if key not in facts and (planned or self.inside):
                variables = frozenset[t.Binding]().union(*(_variables(arg) for arg in args))
                self.risks.append(Risk(node, risk.cause, key, planned, variables))
                return

    def _risks_inside(self, definition: t.Definition) -> tuple[Risk, ...]:
        if definition not in self._inner:
            inner = _RiskCollector(self, inside=True)
            if _is_sound(definition.body):
                inner.visit(definition.body, NOTHING, negative=True)
                own = _RiskCollector(self)
                own.visit(definition.body, NOTHING, negative=False)
                reported = {id(risk.atom) for risk in own.risks}  # reported once at the definition, not at each call
                inner.risks = [risk for risk in inner.risks if id(risk.atom) not in reported]
            self._inner[definition] = tuple(inner.risks)
        return self._inner[definition]

    def _causes(self, node: t.Expr, facts: Facts, *, static: bool = False) -> list[t.Expr]:
        """Return the smallest parts that may make `node` *none* and are not among the facts.

        By default, only parts that depend on the plan are considered. Set `static` to consider all parts. This is
        needed inside definitions, whose arguments are unknown.
        """
        if not node.partial or self.keys.key_of(node) in facts or (node.stage is not Stage.PLANNED and not static):
            return []
        match node:
            case t.Coalesce(right=right):
                return self._causes(right, facts, static=static)
            case t.Conditional(condition=c, then=a, otherwise=b):
                first = self._causes(a, facts | self.holds(c), static=static)
                return first + self._causes(b, facts | self.fails(c), static=static)
            case t.FieldOf(row=row, column=column) if not column.optional:
                return self._causes(row, facts, static=static)
            case t.Arith() | t.Negate() | t.Call():
                parts = [child for child in children(node) if child.partial]
                return (
                    [cause for part in parts for cause in self._causes(part, facts, static=static)] if parts else [node]
                )
            case t.Apply(definition=definition):
                parts = [cause for arg in _strict_arguments(node) for cause in self._causes(arg, facts, static=static)]
                facts = self._facts_inside(node, facts)
                inside = (self.keys.translated(key, node) for key in self._causes_inside(definition))
                return parts or ([node] if any(key not in facts for key in inside) else [])
        return [node]

    def _facts_inside(self, call: t.Apply, facts: Facts) -> Facts:
        """Return the expressions known not to be *none* inside a call: `facts` and arguments that are never *none*."""
        return facts | {self.keys.key_of(arg) for arg in call.args if not arg.partial}

    def _causes_inside(self, definition: t.Definition) -> tuple[Key, ...]:
        if definition not in self._causing:
            causes = self._causes(definition.body, NOTHING, static=True)
            self._causing[definition] = tuple(self.keys.key_of(cause) for cause in causes)
        return self._causing[definition]

    # -- expressions that are not *none* if a condition holds, or if it does not --------------------------

    def holds(self, node: t.Expr) -> Facts:
        """Return the expressions that are not *none* if the condition holds."""
        match node:
            case t.IsNone(operand=x, negated=True):
                return self.present(x)
            case t.Logic(op="and", operands=xs):
                return NOTHING.union(*(self.holds(x) for x in xs))
            case t.Logic(op="or", operands=(first, *rest)):
                return self.holds(first).intersection(*(self.holds(x) for x in rest))
            case t.Not(operand=x):
                return self.fails(x)
            case t.Compare() | t.InSet():
                return NOTHING.union(*(self.present(x) for x in children(node)))
            case t.FieldOf(row=row):
                return self.present(row)
            case t.Call(args=args):
                return NOTHING.union(*(self.present(x) for x in args))
            case t.Apply(definition=definition):
                strict = [a for a, p in zip(node.args, definition.params, strict=True) if not p.optional]
                inside = self._cached(self._true, definition, positive=True)
                return NOTHING.union(*(self.present(x) for x in strict)) | {
                    self.keys.translated(fact, node) for fact in inside
                }
        return NOTHING

    def fails(self, node: t.Expr) -> Facts:
        """Return the expressions that are not *none* if the condition does not hold."""
        match node:
            case t.IsNone(operand=x, negated=False):
                return self.present(x)
            case t.Logic(op="or", operands=xs):
                return NOTHING.union(*(self.fails(x) for x in xs))
            case t.Logic(op="and", operands=(first, *rest)):
                return self.fails(first).intersection(*(self.fails(x) for x in rest))
            case t.Logic(op="implies", operands=(a, b)):
                return self.holds(a) | self.fails(b)
            case t.Not(operand=x):
                return self.holds(x)
            case t.Apply(definition=definition) if all(
                p.optional or not a.partial for a, p in zip(node.args, definition.params, strict=True)
            ):
                return frozenset(
                    self.keys.translated(fact, node) for fact in self._cached(self._false, definition, positive=False)
                )
        return NOTHING

    def _explicitly_present(self, node: t.Expr, facts: Facts) -> Facts:
        """Return the expressions that are not *none* if an alternative such as `x is none` is false."""
        match node:
            case t.IsNone(operand=x, negated=False):
                return self.present(x)
            case t.Logic(op="or", operands=xs):
                return NOTHING.union(*(self._explicitly_present(x, facts) for x in xs))
            case t.Logic(op="and", operands=xs):
                rest = [
                    x
                    for x in xs
                    if not (isinstance(x, t.IsNone) and x.negated and self.keys.key_of(x.operand) in facts)
                ]
                return self._explicitly_present(rest[0], facts) if len(rest) == 1 else NOTHING
        return NOTHING

    def _cached(self, memo: dict[t.Definition, Facts], definition: t.Definition, *, positive: bool) -> Facts:
        if definition not in memo:
            memo[definition] = self.holds(definition.body) if positive else self.fails(definition.body)
        return memo[definition]

    def present(self, node: t.Expr) -> Facts:
        """Return an expression and its strict operands, which are not *none* if the value of the expression is not."""
        match node:
            case t.FieldOf(row=row):
                return self.present(row) | {self.keys.key_of(node)}
            case t.Arith() | t.Negate() | t.Call() | t.Lookup():
                return NOTHING.union(*(self.present(x) for x in children(node))) | {self.keys.key_of(node)}
            case t.Apply(definition=definition):
                strict = [a for a, p in zip(node.args, definition.params, strict=True) if not p.optional]
                return NOTHING.union(*(self.present(x) for x in strict)) | {self.keys.key_of(node)}
        return frozenset({self.keys.key_of(node)})


def _strict_arguments(call: t.Apply) -> list[t.Expr]:
    """Return the arguments that make the call *none* if they are *none*."""
    return [arg for arg, param in zip(call.args, call.definition.params, strict=True) if not param.optional]


def _variables(node: t.Expr) -> frozenset[t.Binding]:
    """Return the variables that an expression mentions."""
    variables: set[t.Binding] = set()
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, t.Var):
            variables.add(top.binding)
        stack.extend(children(top))
    return frozenset(variables)
