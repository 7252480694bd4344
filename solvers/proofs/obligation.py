"""The formula of a claim: it has no model if and only if the claim is true.

Constraints are encoded as they are: what presolve finds is not used, so that no constraint stands in the formula but in its own
clauses, and presolve need not be trusted.
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
"""The origin of the clauses which say that the plan differs from the witness."""
BETTER = "a better plan"
"""The origin of the clauses which say that the plan is better than the witness."""


@dataclass(frozen=True, slots=True)
class NoOtherPlan:
    """The claim that a task has no plan, or none but one.

    Attributes:
        witness: the plan that is said to be the only one, as `unique` tells plans apart; None where there is said to be none.
        bounds: ids of the scope's bounds within which the claim is made, such as `scope:visits.end`; None for all of them.
    """

    witness: Plan | None
    bounds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NoBetterPlan:
    """The claim that no plan in scope is better than one which has this.

    Attributes:
        lost: the weight of the soft constraints that it does not satisfy.
        values: of each of the task's objectives, in order; None where it has no value, and so comes after any plan that has one.
    """

    lost: int
    values: tuple[Fraction | None, ...]

    @classmethod
    def of(cls, ground: Ground, plan: Plan) -> NoBetterPlan:
        """The claim that a plan is the best, with what the verifier says of it."""
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


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a plan's cell stands in the formula.

    Attributes:
        table: the plan's table.
        row: the row's place among those of the search.
        column: the cell's column; None for whether the row is there.
        number: its code in bits.
        meanings: the values that codes stand for; other codes stand for themselves, as minutes, days, metres and minor
            units of money do.
    """

    table: str
    row: int
    column: str | None
    number: BitNumber
    meanings: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Obligation:
    """A proof obligation: the formula that has to be refuted, and how to read it.

    Attributes:
        formula: its models are the plans that contradict the claim.
        lowered: the problem that was encoded.
        cells: of every row of the search.
        encoder: how the problem's variables stand in the formula.
    """

    formula: Formula
    lowered: Lowered = field(repr=False)
    cells: tuple[Cell, ...] = field(repr=False)
    encoder: ClauseEncoder = field(repr=False)
    claim: Claim = field(repr=False)


def obligation(ground: Ground, claim: Claim) -> Obligation | None:
    """The formula of a claim.

    Args:
        ground: the task.
        claim: about its plans.

    Returns:
        None where the claim is not about the search: the witness is not in it.

    Raises:
        DiagnosticError: the task has no encoding.
        LimitReachedError: the limit of the block around is.
    """
    lowered, refuted = _stated(ground, claim)
    if refuted is None:
        return None
    encoder = ClauseEncoder()
    for rooted in (*lowered.problem.hard, refuted):
        encoder.require(rooted.condition, rooted.origin)
    return Obligation(encoder.formula, lowered, tuple(_cells(lowered, encoder)), encoder, claim)


def _stated(ground: Ground, claim: Claim) -> tuple[Lowered, Rooted | None]:
    """The problem that a claim is about, and what it says that no plan is; None where that cannot be said."""
    match claim:
        case NoOtherPlan(witness=witness, bounds=bounds):
            lowered = lower(ground if bounds is None else widen_beyond(ground, bounds).ground, presolve=False)
            # a wider scope opens more fields; plans are told apart as before
            lowered = replace(lowered, problem=replace(lowered.problem, identity=identity(ground)))
            other = TRUE if witness is None else forbid_plan(lowered, witness)
            return lowered, None if other is None else Rooted(other, OTHER)
        case NoBetterPlan():
            lowered = lower(ground, presolve=False)
            return lowered, Rooted(better_than(lowered, claim.lost, claim.values), BETTER)
        case _:
            assert_never(claim)


def _cells(lowered: Lowered, encoder: ClauseEncoder) -> Iterator[Cell]:
    for table, rows in lowered.slots.by_table.items():
        for slot in rows:
            tick()
            if slot.present is not TRUE:
                yield Cell(table, slot.index, None, BitNumber(0, (encoder.literal(slot.present),)))
            for column in slot.table.columns.values():
                code = lowered.slots.codes[table, slot.index, column.name]
                meanings = _meanings(lowered, slot, column, code)
                yield Cell(table, slot.index, column.name, encoder.number(code), meanings)


def _meanings(lowered: Lowered, slot: RowVariables, column: Column, code: Linear) -> Mapping[int, str]:
    """The values that the codes of a field stand for, as far as they do not stand for themselves."""
    value: Value = slot.fields[column.name]
    table, task = slot.table.name, lowered.ground.task
    none = {lowered.coding.none(table, column.name): "none"} if column.optional else {}
    if isinstance(value, Tab):
        found = {codes[0]: each for codes, each in value.values.items()}
    elif lowered.coding.is_number(table, column.name):
        return none
    else:
        found = {code.constant: value}
    return none | {
        key: show_key(each, column.type, task.currency) for key, each in found.items() if each is not None
    }
