"""Translation of a claim about a task's plans into a formula (CNF) that is unsatisfiable if the claim is true.

If the claim is false, the formula is satisfiable: its models are plans that contradict the claim.

Constraints are encoded without presolve, which therefore need not be trusted. Each clause then belongs to one
constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, assert_never

from planspec.dsl.model.types import Column
from planspec.dsl.model.value_text import show_key
from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.sat.encoder import ClauseEncoder
from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.backends.sat.numbers import BitNumber
from planspec.solvers.ir.nodes import TRUE, Linear
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.problem import Lowered, identity, lower
from planspec.solvers.lowering.symbolic import RowVariables, Tab, Value
from planspec.solvers.questions.exclusion import forbid_plan
from planspec.solvers.questions.improvement import better_than
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan

OTHER = "another plan"
"""Label (origin) of the clauses that require a plan other than the one that is claimed to be the only plan."""
BETTER = "a better plan"
"""Label (origin) of the clauses that require a plan better than the one that is claimed to be the best."""


@dataclass(frozen=True, slots=True)
class NoOtherPlan:
    """The claim that a task has no plan, or only one.

    Attributes:
        witness: the only plan; None for the claim that there is no plan. Plans that differ from it only in columns that
            the task does not compare do not count as others.
        bounds: ids of the bounds on values and rows of plans that the claim assumes, such as `scope:visits.end`; None
            for all bounds of the task's scope.
    """

    witness: Plan | None
    bounds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NoBetterPlan:
    """The claim that no plan in scope (with the rows and values that the task allows) is better than a given plan.

    Attributes:
        lost: total weight of the soft constraints that the given plan violates.
        values: the given plan's value of each objective of the task, in order. None stands for no value, which is worse
            than every value.
    """

    lost: int
    values: tuple[Fraction | None, ...]

    @classmethod
    def of(cls, ground: Ground, plan: Plan) -> NoBetterPlan:
        """Return the claim that a plan is the best. The verifier computes `lost` and `values` of the plan."""
        interpreter = ground.interpreter.on(plan)
        lost = sum(
            instance.weight
            for instance in ground.instances
            if instance.applicable
            and not instance.constraint.hard
            and not interpreter.holds(instance.constraint.body, instance.env)
        )
        values = (interpreter.value(objective.expression, {}) for objective in ground.task.objectives)
        return cls(lost, tuple(None if value is None else Fraction(value) for value in values))


Claim: TypeAlias = NoOtherPlan | NoBetterPlan
"""A claim about the plans of a task that can be proved by refuting a formula."""


@dataclass(frozen=True, slots=True)
class CellCode:
    """The encoding of one cell of a plan as bits of a formula.

    Attributes:
        table: name of the plan's table.
        row: index of the row among the possible rows of its table.
        column: name of the cell's column; None if the bits tell whether the row is present.
        encoding: bits of the cell's code, which is the integer that stands for the cell's value.
        meanings: texts of values, by code, such as `{0: 'walk', 1: 'taxi'}` for an enum. A code that is not
            listed is the value itself, in minutes, days, metres or minor units of money.
    """

    table: str
    row: int
    column: str | None
    encoding: BitNumber
    meanings: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Obligation:
    """A proof obligation: the formula that has to be refuted to prove a claim, and the meaning of its variables.

    Attributes:
        formula: the formula, whose models are the plans that contradict the claim.
        lowered: the task as a problem with integer variables, from which the formula was made.
        cells: encodings of the cells of all possible rows of a plan.
        encoder: encoding of the problem's variables in the formula.
        claim: the claim.
    """

    formula: Formula
    lowered: Lowered = field(repr=False)
    cells: tuple[CellCode, ...] = field(repr=False)
    encoder: ClauseEncoder = field(repr=False)
    claim: Claim = field(repr=False)


def obligation(ground: Ground, claim: Claim) -> Obligation | None:
    """Return the proof obligation of a claim: a formula that is unsatisfiable if and only if the claim holds.

    Args:
        ground: the task.
        claim: claim about its plans.

    Returns:
        The obligation; None if the claim's own plan is outside the scope (the rows and values that plans may have).

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached.
    """
    lowered, refuted = _counterexample(ground, claim)
    if refuted is None:
        return None
    encoder = ClauseEncoder()
    for rooted in (*lowered.problem.hard, refuted):
        encoder.require(rooted.condition, rooted.origin)
    return Obligation(encoder.formula, lowered, tuple(_cells(lowered, encoder)), encoder, claim)


def _counterexample(ground: Ground, claim: Claim) -> tuple[Lowered, Rooted | None]:
    """Return the task of a claim as a problem for solvers, and the condition that a plan contradicts the claim.

    The condition is None if the claim's own plan is not in scope.
    """
    match claim:
        case NoOtherPlan(witness=witness, bounds=bounds):
            lowered = lower(ground if bounds is None else widen_beyond(ground, bounds).ground, presolve=False)
            # in a wider scope, more columns can differ between plans, but plans are compared only in the columns that
            # distinguish them in the task's own scope
            lowered = replace(lowered, problem=replace(lowered.problem, identity=identity(ground)))
            other = TRUE if witness is None else forbid_plan(lowered, witness)
            return lowered, None if other is None else Rooted(other, OTHER)
        case NoBetterPlan():
            lowered = lower(ground, presolve=False)
            return lowered, Rooted(better_than(lowered, claim.lost, claim.values), BETTER)
        case _:
            assert_never(claim)


def _cells(lowered: Lowered, encoder: ClauseEncoder) -> Iterator[CellCode]:
    for table, rows in lowered.slots.by_table.items():
        for slot in rows:
            tick()
            if slot.present is not TRUE:
                yield CellCode(table, slot.index, None, BitNumber(0, (encoder.literal(slot.present),)))
            for column in slot.table.columns.values():
                code = lowered.slots.codes[table, slot.index, column.name]
                meanings = _meanings(lowered, slot, column, code)
                yield CellCode(table, slot.index, column.name, encoder.encode(code), meanings)


def _meanings(lowered: Lowered, slot: RowVariables, column: Column, code: Linear) -> Mapping[int, str]:
    """Return texts, such as `{0: 'walk', 1: 'taxi'}`, of the integers (codes) that stand for a field's values.

    Codes that are the values themselves are left out.
    """
    value: Value = slot.fields[column.name]
    table, task = slot.table.name, lowered.ground.task
    none = {lowered.coding.none(table, column.name): "none"} if column.optional else {}
    if isinstance(value, Tab):
        values = {codes[0]: each for codes, each in value.values.items()}
    elif lowered.coding.is_number(table, column.name):
        return none
    else:
        values = {code.constant: value}
    return none | {key: show_key(each, column.type, task.currency) for key, each in values.items() if each is not None}
