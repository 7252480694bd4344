"""The monitor's replies to an action: acceptance, or a refusal with a code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from planspec.verifiers.meaning.verdict import RowRef

BAD_ACTION = "BAD_ACTION"
"""Code: the action cannot be read. A cell has a wrong type or is missing, or a column is unknown."""
UNKNOWN_NAME = "UNKNOWN_NAME"
"""Code: the action names something that is not in the task's tables."""
DUPLICATE_KEY = "DUPLICATE_KEY"
"""Code: a row with the same key is committed with other values."""
NO_CHECKPOINT = "NO_CHECKPOINT"
"""Code: there is no checkpoint for a rollback."""
LOCK_TIMEOUT = "LOCK_TIMEOUT"
"""Code: the lock was not available in time. The plan is unchanged."""
DEAD_END = "DEAD_END"
"""Code: it is proved that after the action no plan in the task's scope satisfies the rules."""
BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
"""Code: a sum of money exceeds its bound."""
DUPLICATE_VENUE = "DUPLICATE_VENUE"
"""Code: something that may be chosen once is chosen twice."""
MODE_CONFLICT = "MODE_CONFLICT"
"""Code: modes of transport are incompatible."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The action violates no guard. `commit` has carried it out.

    Attributes:
        proved: with `look_ahead`, whether a completion of the plan was found and verified; None without `look_ahead`.
        note: reason why no completion was found, although there may be one; otherwise empty.
    """

    proved: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The action was refused. The plan is unchanged.

    Attributes:
        code: one of the codes in this module or, for a rule without a code, its id in capitals.
        constraint: id of the constraint instance that the action would violate permanently; None if the refusal has
            another reason.
        message: explanation for the agent that chooses the next action.
        margin: margin of the violated rule, a negative number; None if the rule has none.
        rows: rows of the plan that cause the violation.
        unit: unit of the margin.
    """

    code: str
    constraint: str | None
    message: str
    margin: int | str | None = None
    rows: tuple[RowRef, ...] = ()
    unit: str | None = None


Reply: TypeAlias = Accepted | Refusal

OK = Accepted()
"""Acceptance by a monitor without `look_ahead`."""


def reply_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as JSON."""
    status = "accepted" if isinstance(reply, Accepted) else "refused"
    return {"status": status, **asdict(reply)}


def reply_of(data: Mapping[str, Any]) -> Reply:
    """Parse a reply from its JSON."""
    fields = {name: value for name, value in data.items() if name != "status"}
    if data["status"] == "accepted":
        return Accepted(**fields)
    return Refusal(**{**fields, "rows": tuple(RowRef(**row) for row in fields["rows"])})
