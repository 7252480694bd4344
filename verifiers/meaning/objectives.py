"""The values of a task's objectives in a verdict, compared with the best known plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.model.task import Task, objective_key
from planspec.dsl.model.value_text import exact_text, show
from planspec.verifiers.meaning.margin import unit_of

Amount: TypeAlias = int | str
"""A number in JSON: a whole number, or a string with the exact decimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveValue:
    """The value of an objective on a plan, compared with the best known value.

    All amounts are in `unit`. `best`, `bound` and `gap` concern plans that are optimal in soft weight and in all
    earlier objectives.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}
    name: str
    goal: Literal["minimize", "maximize"]
    value: Amount | None = field(metadata={"description": "null if the plan has no value, or there is no plan"})
    unit: str | None = field(
        metadata={"description": "min, d, m, 1, or a part of the currency such as 1/100 EUR; null for a time of day"}
    )
    best: Amount | None = field(default=None, metadata={"description": "value of the best known plan"})
    bound: Amount | None = field(default=None, metadata={"description": "proved bound of the value of any plan"})
    gap: Amount | None = field(
        default=None,
        metadata={
            "description": "amount by which the value is worse than `best`, for both goals; negative if it is better "
            "than the best within the scope; null without a value or `best`, or if soft weight or an earlier objective "
            "differs"
        },
    )
    by: tuple[str, ...] = field(default=(), metadata={"description": "back ends that prove `best`; empty if none does"})
    scope: Literal["within", "beyond"] | None = field(
        default=None,
        metadata={"description": "whether `best` is the best of all plans (beyond), or of those in scope (within)"},
    )
    text: str = field(default="", metadata={"description": "name, value and comparison as text"})

    @property
    def detail(self) -> str:
        """The part of `text` after the objective's name."""
        return self.text.removeprefix(f"{self.name} ")

    @property
    def ties(self) -> bool:
        """Whether the plan is as good as the best known plan: both have the same value, or neither has a value."""
        return self.scope is not None and (self.gap == 0 or (self.value is None and self.best is None))

    @property
    def relative_gap(self) -> Fraction | None:
        """The gap as a share of the best value's size; None if there is no gap, or the share would be infinite."""
        if self.gap is None or self.best is None:
            return None
        best, gap = abs(Fraction(self.best)), Fraction(self.gap)
        if best:
            return gap / best
        return None if gap else Fraction(0)


def amount(value: Fraction | int) -> Amount:
    """Return a number as JSON: an int, or a string with the exact decimal if the number is not whole."""
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact_text(exact)


def objective_values(task: Task, measures: Mapping[str, Any] | None) -> tuple[ObjectiveValue, ...]:
    """Return a task's objectives with their values on a plan; without values if there is no plan.

    Args:
        task: the task.
        measures: measured values of the plan, by key of `Task.measured`; None if there is no plan.
    """
    return tuple(
        ObjectiveValue(
            name=objective.name,
            goal=objective.word,
            value=None if value is None else amount(value),
            unit=unit_of(objective.expression.type, task.currency),
            text=f"{objective.name} {'none' if value is None else show(value, objective.expression.type, task.currency)}",
        )
        for objective, value in zip(
            task.objectives,
            [None if measures is None else measures[objective_key(n)] for n in range(len(task.objectives))],
            strict=True,
        )
    )


def is_optimal(objectives: tuple[ObjectiveValue, ...]) -> bool:
    """Return whether a passing plan is at least as good as the best known plan in all objectives."""
    different = next((value for value in objectives if not value.ties), None)
    return different is None or (different.gap is not None and Fraction(different.gap) < 0)
