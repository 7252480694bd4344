"""The amount by which a rule has to give for the others to hold: the cost of a way out, in the rule's own unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

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


@dataclass(frozen=True, slots=True)
class Amount:
    """The amount by which a comparison is missed, or a field lies outside of its range on the scope's grid.

    Attributes:
        by: the least amount, in `unit` as margins have it.
        proved: no less would do.
        stated: the known side of the comparison as the task has it, of type `type`; None where both sides depend on
            the plan, or it differs from row to row.
        needed: what would have to stand there.
    """

    by: int | Fraction
    unit: str
    proved: bool
    stated: int | Fraction | None = None
    needed: int | Fraction | None = None
    type: Type | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """The number that a violated comparison is missed by, to be minimised.

    Attributes:
        least: what it is missed by, and one less where the comparison of whole numbers is strict.
        kept: what else the rule says, which holds all the same.
        stated: the side that does not depend on the plan, of type `type`.
        upper: that side is the greater one.
    """

    least: Num
    strict: bool
    unit: str
    stated: int | Fraction | None
    upper: bool
    type: Type
    kept: Bool = TRUE


def shortage_of(lowered: Lowered, instance: Instance) -> Shortage | None:
    """The shortage of an instance; None if it is no comparison by order, or has no encoding.

    It is one that may stand behind `all`, in the body of a definition, and beside other conditions (`and`) if it is the
    only one among them.
    """
    lowering = Lowering(lowered.ground, lowered.problem.model, lowered.slots, lowered.coding)
    body, env = instance.constraint.body, dict(instance.env)
    clauses: tuple[t.Clause, ...] = ()
    kept: list[Bool] = []
    try:
        while True:
            match body:
                case t.Apply(definition=definition, args=args) if not clauses:
                    env = {p: lowering.value(a, env) for p, a in zip(definition.params, args, strict=True)}
                    body = definition.body
                case t.Aggregate(function="all") if not clauses:
                    clauses, body = body.clauses, body.body
                case t.Logic(op="and", operands=parts) if not clauses:
                    if sum(map(_is_order, parts)) != 1:
                        return None
                    kept += [lowering.condition(part, env) for part in parts if not _is_order(part)]
                    (body,) = filter(_is_order, parts)
                case t.Compare(operands=(a, b), ops=("<" | "<=" | ">" | ">=" as op,)):
                    sides = (a, b) if op[0] == "<" else (b, a)
                    short = _shortage(lowering, clauses, env, sides, op)
                    return short and replace(short, kept=lowered.problem.model.conj(kept))
                case _:
                    return None
    except (NotSupportedError, BoundError):
        return None


def _is_order(expr: t.Expr) -> bool:
    """It compares two numbers by order."""
    return isinstance(expr, t.Compare) and len(expr.ops) == 1 and expr.ops[0] in ("<", "<=", ">", ">=")


def shortage_of_bound(lowered: Lowered, bound: ColumnBound) -> Shortage | None:
    """The shortage of a bound: the most by which a field of any row lies outside its range; None if it has no range."""
    model, slots = lowered.problem.model, lowered.slots.by_table[bound.table]
    of = slots[0].table.columns[bound.column].type
    unit = unit_of(of, lowered.ground.task.currency)
    if unit is None or any(domain.interval is None for domain in bound.rows.values()):
        return None
    algebra = Algebra(model)
    missed: list[tuple[Bool, Linear]] = [(TRUE, model.constant(0))]
    for place, domain in bound.rows.items():
        number = algebra.num(slots[place].fields[bound.column])
        there = model.conj((slots[place].present, number.defined))
        assert domain.interval is not None
        low, high, _ = domain.interval
        missed.append((there, model.minus(number.linear, model.constant(high))))
        missed.append((there, model.minus(model.constant(low), number.linear)))
    return Shortage(Num(model.extreme(missed, greatest=True)), False, unit, None, False, of)


def _shortage(
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
    stated: dict[t.Expr, int | Fraction] = {}
    for side in sides:
        if side.stage is Stage.STATIC and not targets & set(free_variables(side)):
            value = lowering.value(side, env)
            if isinstance(value, int | Fraction):
                stated[side] = value
    only = next(iter(stated)) if len(stated) == 1 else None
    strict = op in ("<", ">") and least.scale == 1
    return Shortage(least, strict, unit, stated.get(only) if only else None, only is greater, lesser.type)


def amount_in(
    lowered: Lowered, short: Shortage, values: Mapping[int, int], *, proved: bool = False
) -> Amount | None:
    """The amount in an assignment; None where it has none, or the rest of the rule does not hold in it.

    Args:
        lowered: where the shortage stands.
        short: the shortage.
        values: the assignment.
        proved: there is none with less.
    """
    if not evaluate(_there(lowered, short), values):
        return None
    by: int | Fraction = Fraction(evaluate(short.least.linear, values), short.least.scale) + short.strict
    by = by.numerator if by.denominator == 1 else by
    if short.stated is None:
        return Amount(by, short.unit, proved)
    needed = short.stated + by if short.upper else short.stated - by
    return Amount(by, short.unit, proved, short.stated, needed, short.type)


def amount_of(
    lowered: Lowered, short: Shortage, session: Session, clock: TimeBudget, start: Mapping[int, int]
) -> tuple[Amount | None, Mapping[int, int]]:
    """The least amount, with what already holds in the session, and an assignment of it; None and `start` if none is known.

    The session is changed: from then on the amount is not more than that.

    Args:
        lowered: where the shortage stands.
        short: the shortage.
        session: with all that holds.
        clock: the limit.
        start: an assignment with which the search starts. Its amount is the answer where time runs out.
    """
    model, linear = lowered.problem.model, short.least.linear
    session.add(_there(lowered, short), "amount")
    outcome = clock.ask(session, minimize=linear, hint=start)
    if outcome.status is Status.INFEASIBLE:
        return None, start
    values = outcome.values if outcome.found else start
    amount = amount_in(lowered, short, values, proved=outcome.status is Status.OPTIMAL)
    if amount is not None:
        least = model.constant(evaluate(linear, values))
        session.add(model.at_most_zero(model.minus(linear, least)), "amount")
    return amount, values


def _there(lowered: Lowered, short: Shortage) -> Bool:
    """The comparison has both sides, and what stands beside it holds."""
    return lowered.problem.model.conj((short.least.defined, short.kept))
