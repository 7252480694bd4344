"""The monitor's replies to an action: acceptance, or a refusal with a code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from planspec.verifiers.meaning.verdict import RowRef

BAD_ACTION = "BAD_ACTION"
"""The action cannot be read: a cell of a wrong type, an unknown column, a missing cell."""
UNKNOWN_NAME = "UNKNOWN_NAME"
"""The action names something that the task's tables do not have."""
DUPLICATE_KEY = "DUPLICATE_KEY"
"""A row with this key is committed with other values."""
NO_CHECKPOINT = "NO_CHECKPOINT"
"""There is no checkpoint to roll back to."""
LOCK_TIMEOUT = "LOCK_TIMEOUT"
"""Others held the lock for too long; the plan is unchanged."""
DEAD_END = "DEAD_END"
"""With the action, no plan in the task's scope satisfies the rules; this is proved."""
BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
"""A sum of money exceeds its bound."""
DUPLICATE_VENUE = "DUPLICATE_VENUE"
"""Something that may be chosen once is chosen twice."""
MODE_CONFLICT = "MODE_CONFLICT"
"""Incompatible modes of transport."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The action violates no guard; `commit` has carried it out.

    Attributes:
        proved: with `look_ahead`, True if a completion of the plan was found and verified, False if it is unknown
            whether there is one; None without `look_ahead`.
        note: reason why it is unknown whether there is a completion; otherwise empty.
    """

    proved: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The action was refused; nothing has changed.

    Attributes:
        code: a code of this module; for a rule without such a code, its id in capitals.
        constraint: the instance that the action would violate permanently; None if the refusal has another
            reason.
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
