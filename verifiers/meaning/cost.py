"""Check that the evaluation of a task's expressions does not take too long, by lower bounds on the number of steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind, Memory
from planspec.dsl.model.task import Task, TaskPart
from planspec.dsl.model.traversal import children, free_variables, part_expressions, walk
from planspec.dsl.model.types import Stage
from planspec.dsl.resources.limits import DEGREE, JUDGING_STEPS
from planspec.verifiers.meaning.interpret import Interpreter


@dataclass(frozen=True, slots=True)
class _CheapExpressions:
    """Expressions that were checked for several tasks at once and are cheap.

    An expression is cheap if `check_costs` has nothing to report: neither too many steps nor too many factors. The
    expressions here remain cheap as long as no collection is longer than recorded in `lengths`.

    Attributes:
        parts: parts of tasks (such as constraints) in which all expressions are cheap.
        definitions: definitions that these expressions use.
        lengths: for each collection, the number of elements up to which the expressions are cheap.
    """

    parts: frozenset[TaskPart]
    definitions: frozenset[t.Definition]
    lengths: Mapping[t.Expr, int]


CHEAP: Kind[None, _CheapExpressions] = Kind("cheap expressions of shared documents")
"""Cache in which `check_costs` stores the expressions that are cheap in all tasks over the same documents.

A task can use it if none of its collections is longer than the length recorded in `lengths`.
"""


def check_costs(
    task: Task, parts: Sequence[TaskPart], interpreter: Interpreter, report: Report, shared: Memory
) -> None:
    """Report expressions that take too many steps on every plan, or whose values may have too many digits.

    Args:
        task: a task that passed the type checks.
        parts: parts of the task. Their expressions, and the definitions that they use, are checked.
        interpreter: interpreter of the task, without a plan, for the ends of ranges.
        report: receives the errors.
        shared: cache of results about parts from documents other than the task's own.
    """
    cheap = _cheap_expressions(task, parts, interpreter, shared)
    costs = _CostEstimator(interpreter)
    roots = _expressions(part for part in parts if part not in cheap.parts)
    for expr in walk(*roots, done=set(cheap.definitions)):
        if costs.lower_bound(expr) > JUDGING_STEPS:
            culprit = costs.too_costly_part(expr)
            label = f"at least {costs.lower_bound(culprit):,} steps, and {JUDGING_STEPS:,} are the most"
            report.error("PS415", "this takes too many steps to work out", culprit.span, label)
        if costs.degree(expr) > DEGREE:
            span = costs.too_large_product(expr).span
            report.error("PS402", "the product has too many factors", span, f"more than {DEGREE}")


def _cheap_expressions(
    task: Task, parts: Iterable[TaskPart], interpreter: Interpreter, shared: Memory
) -> _CheapExpressions:
    """Return the cheap expressions in the parts that come from other documents than the task's own.

    The result is cached in `shared`. It is computed again if it lacks one of the parts, or if a collection is longer
    than recorded in it (`_CheapExpressions.lengths`). If an expression is not cheap, the result is empty and is kept.
    """
    own = task.span.source
    used = frozenset(part for part in parts if part.span.source is not own)
    if not used:  # a cached result may contain ranges that read parameters or tables which this task lacks
        return _CheapExpressions(frozenset(), frozenset(), {})
    memo = shared.of(CHEAP)
    cached = memo.get(None)
    if cached is not None:
        costs = _CostEstimator(interpreter)
        grown = any(costs.length(source) > most for source, most in cached.lengths.items())
        if not cached.parts or (used <= cached.parts and not grown):
            return cached
        used |= cached.parts
    costs = _CostEstimator(interpreter, rounds_up=True)
    definitions: set[t.Definition] = set()
    nodes = walk(*_expressions(used), done=definitions)
    is_cheap = all(costs.lower_bound(node) <= JUDGING_STEPS and costs.degree(node) <= DEGREE for node in nodes)
    # If an expression is too costly, all expressions are checked again for each task, so that each task reports it.
    cached = (
        _CheapExpressions(used, frozenset(definitions), costs.lengths)
        if is_cheap
        else _CheapExpressions(frozenset(), frozenset(), {})
    )
    memo[None] = cached
    return cached


def _expressions(parts: Iterable[TaskPart]) -> Iterator[t.Expr]:
    return (root for part in parts for root in part_expressions(part))


class _CostEstimator:
    """Estimator of lower bounds on the number of steps of one evaluation: loop iterations and calls.

    Steps that an evaluation may skip do not count, such as steps that depend on a condition, and the operands of `and`
    after the first one. An inner loop that does not read the variables of the outer loop counts only once, since it
    may be evaluated outside the outer loop.

    Args:
        interpreter: interpreter of the task, without a plan.
        rounds_up: whether lengths of collections are rounded up to the next power of two. The bounds are then
            those for collections of these lengths: an expression whose bound is within the limit remains within it
            while the collections grow up to these lengths.

    Attributes:
        lengths: for each collection that a loop iterates over, the length that was used, rounded if `rounds_up`.
    """

    def __init__(self, interpreter: Interpreter, *, rounds_up: bool = False) -> None:
        self.lengths: dict[t.Expr, int] = {}
        self._interpreter = interpreter
        self._rounds_up = rounds_up
        self._costs: dict[t.Expr, int] = {}
        self._degrees: dict[t.Expr, int] = {}

    def lower_bound(self, expr: t.Expr) -> int:
        """Return a lower bound on the number of steps of one evaluation of an expression."""
        cost = self._costs.get(expr)
        if cost is None:
            cost = self._costs[expr] = self._cost(expr)
        return cost

    def too_costly_part(self, expr: t.Expr) -> t.Expr:
        """Return the innermost part of an expression that alone takes too many steps."""
        inner = next((part for part in children(expr) if self.lower_bound(part) > JUDGING_STEPS), None)
        return expr if inner is None else self.too_costly_part(inner)

    def _cost(self, expr: t.Expr) -> int:
        match expr:
            case t.Logic(operands=parts):
                return self.lower_bound(parts[0])
            case t.Conditional():
                return self.lower_bound(expr.condition)
            case t.Coalesce():
                return self.lower_bound(expr.left)
            case t.Apply():
                return 1 + self._sum(expr.args)
            case t.Aggregate(function="all" | "any"):
                return self.lower_bound(expr.clauses[0].source)
            case t.Aggregate() | t.Intervals() | t.SetOf() | t.Steps():
                return self._loop_cost(expr)
            case (
                t.Literal()
                | t.Var()
                | t.GivenRef()
                | t.RowNamed()
                | t.FieldOf()
                | t.Lookup()
                | t.OnlyRow()
                | t.Negate()
                | t.Arith()
                | t.Compare()
                | t.InSet()
                | t.IsNone()
                | t.IsUnknown()
                | t.Not()
                | t.Call()
                | t.SetLiteral()
                | t.RangeOf()
                | t.AllRows()
                | t.AllMembers()
            ):
                return self._sum(children(expr))
            case _:
                assert_never(expr)

    def _sum(self, parts: Iterable[t.Expr]) -> int:
        return sum(map(self.lower_bound, parts))

    def _loop_cost(self, expr: t.Aggregate | t.Intervals | t.SetOf | t.Steps) -> int:
        total, rounds = 0, 1
        for clause in expr.clauses:
            total += rounds * self.lower_bound(clause.source)
            rounds *= self._counted_length(clause.source)
            if clause.condition is not None:  # an index may visit only the elements that satisfy the condition
                return total
            total += rounds
        first = expr.start if isinstance(expr, t.Intervals) else expr.body
        inner = self._repeated_cost(first, expr.clauses[-1].targets)
        return total + max(rounds * inner, self.lower_bound(first))

    def _repeated_cost(self, expr: t.Expr, targets: Sequence[t.Binding]) -> int:
        """Return a lower bound on the steps that each iteration of a loop spends in loops within an expression.

        Args:
            expr: expression in the loop.
            targets: variables of the loop. Inner loops that do not read them may be evaluated once.
        """
        if isinstance(expr, t.Aggregate | t.Intervals | t.SetOf | t.Steps):
            return 0 if set(targets).isdisjoint(free_variables(expr)) else self.lower_bound(expr)
        if isinstance(expr, t.Logic | t.Conditional | t.Coalesce | t.Apply):
            return 0
        return sum(self._repeated_cost(part, targets) for part in children(expr))

    def _counted_length(self, source: t.Expr) -> int:
        length = self.length(source)
        self.lengths[source] = 1 << length.bit_length() if self._rounds_up else length
        return self.lengths[source]

    def length(self, source: t.Expr) -> int:
        """Return a lower bound on the number of elements of a collection."""
        match source:
            case t.AllRows(table=table) if not table.plan:
                return len(self._interpreter.rows(table))
            case t.AllMembers():
                return len(source.enum.members)
            case t.RangeOf() if source.stage is Stage.STATIC and not free_variables(source):
                ends = (source.low, source.high, source.step)
                low, high, step = (1 if end is None else self._interpreter.value(end, {}) for end in ends)
                is_known = low is not None and high is not None and step is not None and step > 0
                return max(0, int((high - low) // step) + 1) if is_known else 0
            case _:
                return 0

    # -- factors ----------------------------------------------------------------------------------

    def degree(self, expr: t.Expr) -> int:
        """Return the degree of an expression as a polynomial, after definitions are expanded: 3 for `a * b * c`.

        The degree bounds the number of digits of the value.
        """
        degree = self._degrees.get(expr)
        if degree is None:
            degree = self._degrees[expr] = self._degree(expr)
        return degree

    def too_large_product(self, expr: t.Expr) -> t.Expr:
        """Return the innermost part whose degree as a polynomial exceeds the limit `DEGREE`."""
        parts = [*children(expr), *([expr.definition.body] if isinstance(expr, t.Apply) else [])]
        inner = next((part for part in parts if self.degree(part) > DEGREE), None)
        return expr if inner is None else self.too_large_product(inner)

    def _degree(self, expr: t.Expr) -> int:
        parts = [self.degree(part) for part in children(expr)]
        most = max(parts, default=1)
        match expr:
            case t.Arith(op="*"):
                return sum(parts)
            case t.Apply():
                return self.degree(expr.definition.body) * most
            case _:
                return most
