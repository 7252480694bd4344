"""The values of a task's objectives in a verdict, and their distance from the best plan that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.dsl.model.task import Task, objective_key
from planspec.dsl.model.value_text import exact_text, show
from planspec.verifiers.meaning.margin import unit_of

Amount: TypeAlias = int | str
"""A number in JSON: whole, or else exact decimal text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveValue:
    """The value of an objective on a plan, and what is known of the best plan.

    All amounts are in `unit`. `best`, `bound` and `gap` concern the plans that are best by the soft constraints
    and by all objectives before this one.
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
            "description": "by how much the value is worse than `best`, for both goals; below 0 if it is better than the "
            "best within the scope; null if there is no value or no `best`, or what counts before differs"
        },
    )
    by: tuple[str, ...] = field(default=(), metadata={"description": "back ends that prove `best`; empty if none does"})
    scope: Literal["within", "beyond"] | None = field(
        default=None, metadata={"description": "whether `best` is among all plans, or those within the scope"}
    )
    text: str = field(default="", metadata={"description": "all of this as text"})

    @property
    def detail(self) -> str:
        """All that is said of the objective but its name."""
        return self.text.removeprefix(f"{self.name} ")

    @property
    def ties(self) -> bool:
        """Whether the plan is as good as the best known one: equal in value, or both without one."""
        return self.scope is not None and (self.gap == 0 or (self.value is None and self.best is None))

    @property
    def relative_gap(self) -> Fraction | None:
        """The gap as a share of the best value's size; None without a gap, and where the best is 0 and it is not."""
        if self.gap is None or self.best is None:
            return None
        best, gap = abs(Fraction(self.best)), Fraction(self.gap)
        if best:
            return gap / best
        return None if gap else Fraction(0)


def amount(value: Fraction | int) -> Amount:
    """Return a number as it stands in JSON."""
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact_text(exact)


def objective_values(task: Task, measures: Mapping[str, Any] | None) -> tuple[ObjectiveValue, ...]:
    """Return the values of a task's objectives; they have none if there is no plan.

    Args:
        task: the task.
        measures: measured values of the plan, by key of `Task.measured`; None without a plan.
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
    """Return whether no known plan is better by the objectives of a passing verdict."""
    different = next((value for value in objectives if not value.ties), None)
    return different is None or (different.gap is not None and Fraction(different.gap) < 0)
