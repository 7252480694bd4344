"""Records of the uses of `steps`, `first`, `last`, `no_overlap`, `peak` and `all_different` in a lowered task.

Routes and non-overlapping intervals are derived from these records, because no single condition implies them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from planspec.dsl.model import tree as t
from planspec.solvers.ir.nodes import Bool, Extreme, IntVar, Linear, conjuncts
from planspec.solvers.lowering.symbolic import Num, Tab, Value, is_concrete

Key = tuple[int, ...]
"""Ids of the values that a generator's variables have in a binding. Equal keys mean the same rows of the plan."""


def binding_key(clauses: Iterable[t.Clause], env: Mapping[t.Binding, Value]) -> Key:
    """Return the ids of the values that a binding gives to the variables of generator clauses, as in `for x in R`."""
    return tuple(id(env[target]) for clause in clauses for target in clause.targets)


@dataclass(frozen=True, slots=True)
class Element:
    """A possible element of `steps(...)`, `first(...)` or another function that orders rows of the plan.

    Attributes:
        key: ids of the values of the binding that yields the element.
        present: condition under which the element exists and its rank and group are defined.
        rank: value by which elements are ordered (`by=`).
        group: value that identifies the element's group (`per=`); None if all elements form one group.
    """

    key: Key
    present: Bool
    rank: Value
    group: Value = None


@dataclass(frozen=True, slots=True)
class Relation:
    """One use of `steps(...)`, which yields the pairs of neighbours among rows that are ordered by `by=`.

    Attributes:
        elements: the possible rows.
        steps: conditions that two elements form a step (are neighbours), by pairs of indices of elements.
    """

    elements: Sequence[Element]
    steps: Mapping[tuple[int, int], Bool]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One use of `first(...)` or `last(...)`, which chooses the row with the least or greatest rank (`by=`).

    Attributes:
        first: True for `first`, False for `last`.
        elements: the possible elements.
        chosen: for each element, the condition that it is the first (or last).
    """

    first: bool
    elements: Sequence[Element]
    chosen: Sequence[Bool]


@dataclass(frozen=True, slots=True)
class SuccessionRule:
    """One use of `no_overlap(...)` or `all(END(a) <= START(b) for a, b in steps(...))`, as a condition on pairs.

    Attributes:
        elements: the rows that must not overlap. The start of each row is its `rank`.
        intervals: for each element, a triple: the condition that its end is defined, its start, and its length.
        has_positive_lengths: whether each element ends after its start.
        condition: the condition that the rule holds.
    """

    elements: Sequence[Element]
    intervals: Sequence[tuple[Bool, Linear, Linear]]
    has_positive_lengths: bool
    condition: Bool


@dataclass(frozen=True, slots=True)
class PeakRule:
    """One use of `peak(...) <= CAPACITY`: the amounts of rows that run at the same time are limited.

    Attributes:
        elements: rows of the `peak`.
        intervals: for each row the condition that its ends are defined and in order, its start, and its length.
        demands: minimum amount of each row.
        capacity: largest value that the capacity can have.
        limits: for each moment at which the sum may be largest, the index of the row that starts or ends then, and the
            condition on the sum.
        is_exact: whether the amounts and the capacity are constant.
        condition: the condition that the peak is at most the capacity.
    """

    elements: Sequence[Element]
    intervals: Sequence[tuple[Bool, Linear, Linear]]
    demands: Sequence[int]
    capacity: int
    limits: Sequence[tuple[int, Bool]]
    is_exact: bool
    condition: Bool


@dataclass(frozen=True, slots=True)
class PeakValue:
    """One use of `peak(...)` as a number, namely the maximum total amount of rows that run at the same time.

    Attributes:
        elements: rows of the `peak`.
        intervals: for each row the condition that its ends are defined and in order, its start, and its length.
        demands: minimum amount of each row.
        is_constant: whether no amount depends on the plan.
        value: atom for the value of the peak.
    """

    elements: Sequence[Element]
    intervals: Sequence[tuple[Bool, Linear, Linear]]
    demands: Sequence[int]
    is_constant: bool
    value: Extreme


@dataclass(frozen=True, slots=True)
class DifferenceRule:
    """One use of `all_different(...)` over whole numbers that are always defined.

    Attributes:
        forms: the numbers as linear expressions.
        is_complete: whether `forms` has all numbers that must differ.
        condition: the condition that the rule holds.
    """

    forms: tuple[Linear, ...]
    is_complete: bool
    condition: Bool


@dataclass(slots=True)
class EncounteredRelations:
    """The uses of functions that relate several rows, in the part of the task that was lowered so far.

    Attributes:
        relations: uses of `steps`.
        rankings: uses of `first` and `last`.
        successions: uses of `no_overlap`, and rules that rows follow one another.
        peaks: comparisons of `peak` with a capacity.
        peak_values: uses of `peak` as a value.
        differences: uses of `all_different`.
    """

    relations: list[Relation] = field(default_factory=list)
    rankings: list[Ranking] = field(default_factory=list)
    successions: list[SuccessionRule] = field(default_factory=list)
    peaks: list[PeakRule] = field(default_factory=list)
    peak_values: list[PeakValue] = field(default_factory=list)
    differences: list[DifferenceRule] = field(default_factory=list)


Rule = TypeVar("Rule", bound=SuccessionRule | PeakRule | DifferenceRule)


def required(rules: Iterable[Rule], hard: Iterable[Bool]) -> list[Rule]:
    """Return the rules (uses of functions such as `no_overlap`) that the hard conditions require to hold.

    The condition of such a rule, or all conjuncts of it, are hard conditions or conjuncts of hard conditions.
    """
    roots = list(hard)
    parts = {id(part) for root in roots for part in (root, *conjuncts(root))}
    return [
        rule
        for rule in {id(rule.condition): rule for rule in rules}.values()
        if id(rule.condition) in parts or all(id(part) in parts for part in conjuncts(rule.condition))
    ]


MAX_GROUPS = 200
"""Maximum number of values of a variable that identifies a group (`per=`). If there are more, they are not listed."""

UNLISTED = object()
"""Marker for groups that cannot be listed, because the value of `per=` may have too many or unknown values."""


def possible_groups(group: Value) -> tuple[Any, ...]:
    """Return the values that an element's group (`per=`) may have; only `UNLISTED` if they cannot be listed."""
    match group:
        case Tab():
            return tuple(dict.fromkeys(group.values.values()))
        case Num(linear=Linear(terms=((IntVar() as var, factor),), constant=constant), scale=1) if (
            var.domain.size <= MAX_GROUPS
        ):
            return tuple(factor * value + constant for value in var.domain)
    return (group,) if is_concrete(group) else (UNLISTED,)


def are_same_values(one: Value, other: Value) -> bool:
    """Return whether two values are certainly equal: equal constants, or the same expression or table."""
    if one is other:
        return True
    if isinstance(one, Num) and isinstance(other, Num):
        return (one.linear, one.defined, one.scale) == (other.linear, other.defined, other.scale)
    return is_concrete(one) and is_concrete(other) and bool(one == other)
