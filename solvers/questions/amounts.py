"""Minimum amounts by which a rule must be violated for the other rules to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from planspec.deprecation import former_fields
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Stage, Type
from planspec.solvers.backends.outcome import Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.ir.builder import BoundError
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool, Linear
from planspec.solvers.lowering.context import SymbolicEnv
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.lowering.symbolic import Algebra, NotSupportedError, Num
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.relaxed_scope import ColumnBound
from planspec.verifiers.meaning.ground import Instance
from planspec.verifiers.meaning.margin import unit_of


@former_fields(stated="given", needed="required")
@dataclass(frozen=True, slots=True)
class Amount:
    """The amount by which a comparison fails, or by which a field lies outside the range that the task allows.

    Attributes:
        by: the minimum amount in `unit`, such as 15 if a visit ends 15 minutes after closing time.
        unit: unit of the amount, such as `min`.
        proved: whether a back end proved that no smaller amount suffices.
        given: value of the side of the comparison that does not depend on the plan. None if both sides depend on the
            plan, or if the value differs between rows.
        required: value that would make the comparison hold if it replaced `given`; None if `given` is None.
        type: type of `given` and `required`; None if `given` is None.
    """

    by: int | Fraction
    unit: str
    proved: bool
    given: int | Fraction | None = None
    required: int | Fraction | None = None
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """The amount by which a comparison fails, as a linear expression to minimise.

    The comparison may also be that of a field with the range of values that the task's scope allows.

    Attributes:
        least: the amount. For a strict comparison of whole numbers it is too small by one: it is 0 for `5 < 5`.
        strict: whether 1 must be added to `least`.
        unit: unit of the amount, such as `min`.
        given: value of the side of the comparison that does not depend on the plan; None if there is no such side.
        upper: whether `given` is the upper limit of the comparison, such as 18:00 in `end <= 18:00`.
        type: type of both sides.
        remainder: condition that the rule's other conjuncts hold.
    """

    least: Num
    strict: bool
    unit: str
    given: int | Fraction | None
    upper: bool
    type: Type
    remainder: Bool = TRUE


def shortage_of(lowered: Lowered, instance: Instance) -> Shortage | None:
    """Return an expression for the amount by which a constraint that is an inequality fails.

    Return None if the constraint is no inequality or has no encoding.

    The comparison may be inside `all`, in the body of a definition, or in a conjunction in which it is the only
    inequality.
    """
    lowering = Lowering(lowered.ground, lowered.problem.model, lowered.slots, lowered.coding)
    body, env = instance.constraint.body, dict(instance.env)
    clauses: tuple[t.Clause, ...] = ()
    remainder: list[Bool] = []
    try:
        while True:
            match body:
                case t.Apply(definition=definition, args=args) if not clauses:
                    env = {p: lowering.value(a, env) for p, a in zip(definition.params, args, strict=True)}
                    body = definition.body
                case t.Aggregate(function="all") if not clauses:
                    clauses, body = body.clauses, body.body
                case t.Logic(op="and", operands=parts) if not clauses:
                    if sum(map(_is_inequality, parts)) != 1:
                        return None
                    remainder += [lowering.condition(part, env) for part in parts if not _is_inequality(part)]
                    (body,) = filter(_is_inequality, parts)
                case t.Compare(operands=(a, b), ops=("<" | "<=" | ">" | ">=" as op,)):
                    sides = (a, b) if op[0] == "<" else (b, a)
                    shortage = _make_shortage(lowering, clauses, env, sides, op)
                    return shortage and replace(shortage, remainder=lowered.problem.model.conj(remainder))
                case _:
                    return None
    except (NotSupportedError, BoundError):
        return None


def _is_inequality(expr: t.Expr) -> bool:
    """Return whether an expression is a single `<`, `<=`, `>` or `>=` comparison."""
    return isinstance(expr, t.Compare) and len(expr.ops) == 1 and expr.ops[0] in ("<", "<=", ">", ">=")


def shortage_of_bound(lowered: Lowered, bound: ColumnBound) -> Shortage | None:
    """Return the maximum distance of a column's values from the ranges that `bound` allows, as an expression.

    Return None if the column is not a number or if the scope allows something other than ranges.
    """
    model, slots = lowered.problem.model, lowered.slots.by_table[bound.table]
    type_ = slots[0].table.columns[bound.column].type
    unit = unit_of(type_, lowered.ground.task.currency)
    if unit is None or any(domain.interval is None for domain in bound.rows.values()):
        return None
    algebra = Algebra(model)
    missed: list[tuple[Bool, Linear]] = [(TRUE, model.constant(0))]
    for index, domain in bound.rows.items():
        number = algebra.num(slots[index].fields[bound.column])
        present = model.conj((slots[index].present, number.defined))
        assert domain.interval is not None
        low, high, _ = domain.interval
        missed.append((present, model.minus(number.linear, model.constant(high))))
        missed.append((present, model.minus(model.constant(low), number.linear)))
    return Shortage(Num(model.extreme(missed, greatest=True)), False, unit, None, False, type_)


def _make_shortage(
    lowering: Lowering, clauses: tuple[t.Clause, ...], env: SymbolicEnv, sides: tuple[t.Expr, t.Expr], op: str
) -> Shortage | None:
    lesser, greater = sides
    unit = unit_of(lesser.type, lowering.ground.task.currency)
    if unit is None:
        return None
    missed: t.Expr = t.Arith(lesser.type, lesser.span, Stage.PLANNED, True, "-", lesser, greater)
    if clauses:
        missed = t.Aggregate(lesser.type, lesser.span, Stage.PLANNED, True, "max", missed, clauses)
    least = lowering.algebra.num(lowering.value(missed, env))
    targets = {target for clause in clauses for target in clause.targets}
    given: dict[t.Expr, int | Fraction] = {}
    for side in sides:
        if side.stage is Stage.STATIC and not targets & set(free_variables(side)):
            value = lowering.value(side, env)
            if isinstance(value, int | Fraction):
                given[side] = value
    given_side = next(iter(given)) if len(given) == 1 else None
    strict = op in ("<", ">") and least.scale == 1
    return Shortage(
        least, strict, unit, given.get(given_side) if given_side else None, given_side is greater, lesser.type
    )


def amount_in(
    lowered: Lowered, shortage: Shortage, values: Mapping[int, int], *, proved: bool = False
) -> Amount | None:
    """Return the amount by which a comparison fails under an assignment.

    Return None if a side of the comparison is undefined, or if another conjunct of the rule is violated.

    Args:
        lowered: the task, translated into a problem for solvers.
        shortage: the amount by which the comparison (of a rule, or of a field with its range) fails, as an expression.
        values: the assignment.
        proved: whether no assignment has a smaller amount.
    """
    if not evaluate(_is_applicable(lowered, shortage), values):
        return None
    by: int | Fraction = Fraction(evaluate(shortage.least.linear, values), shortage.least.scale) + shortage.strict
    by = by.numerator if by.denominator == 1 else by
    if shortage.given is None:
        return Amount(by, shortage.unit, proved)
    needed = shortage.given + by if shortage.upper else shortage.given - by
    return Amount(by, shortage.unit, proved, shortage.given, needed, shortage.type)


def amount_of(
    lowered: Lowered, shortage: Shortage, session: Session, clock: TimeBudget, start: Mapping[int, int]
) -> tuple[Amount | None, Mapping[int, int]]:
    """Return the minimum amount by which a comparison fails under a session's conditions.

    Also return an assignment with that amount. The session keeps the condition that the amount is not greater than this
    minimum.

    Args:
        lowered: the task, translated into a problem for solvers.
        shortage: the amount by which the comparison (of a rule, or of a field with its range) fails, as an expression.
        session: session that contains all conditions that must hold.
        clock: limit on the search.
        start: assignment with which the search starts.

    Returns:
        The amount and its assignment. If a limit stops the search, these are the best that it found or, if it found
        nothing, those of `start`. The amount is None if no assignment under the conditions (or not `start`, if that is
        used) gives both sides of the comparison a value and satisfies the rule's other conjuncts.
    """
    model, linear = lowered.problem.model, shortage.least.linear
    session.add(_is_applicable(lowered, shortage), "amount")
    outcome = clock.ask(session, minimize=linear, hint=start)
    if outcome.status is Status.INFEASIBLE:
        return None, start
    values = outcome.values if outcome.found else start
    amount = amount_in(lowered, shortage, values, proved=outcome.status is Status.OPTIMAL)
    if amount is not None:
        least = model.constant(evaluate(linear, values))
        session.add(model.at_most_zero(model.minus(linear, least)), "amount")
    return amount, values


def _is_applicable(lowered: Lowered, shortage: Shortage) -> Bool:
    """Return the condition that both sides of a comparison have a value, and the rule's other conjuncts hold."""
    return lowered.problem.model.conj((shortage.least.defined, shortage.remainder))
