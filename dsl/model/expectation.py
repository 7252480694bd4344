"""The author's expectation of a task: exactly one plan, at least one plan, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

Expectation: TypeAlias = Literal["unique", "feasible", "infeasible"]
"""`unique`: exactly one plan; `feasible`: at least one; `infeasible`: none."""
EXPECTATIONS: tuple[Expectation, ...] = get_args(Expectation)
REFUSAL = "infeasible"
"""Key of an answer that there is no plan, with conflicting constraints: `{infeasible: [budget, nights]}`."""


def is_refusal(answer: object) -> bool:
    """Return whether an answer says that there is no plan."""
    return isinstance(answer, Mapping) and answer.keys() == {REFUSAL}
