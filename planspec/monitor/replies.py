"""The monitor's replies to an action: that it may be done, or why not, with a code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from planspec.verifiers.meaning.verdict import RowRef

BAD_ACTION = "BAD_ACTION"
"""The action cannot be read: a cell of another type, an unknown column, a cell that may not be left out."""
UNKNOWN_NAME = "UNKNOWN_NAME"
"""It names something that the task's tables do not have."""
DUPLICATE_KEY = "DUPLICATE_KEY"
"""A row with this key is committed, and says something else."""
NO_CHECKPOINT = "NO_CHECKPOINT"
"""There is nothing to roll back to."""
LOCK_TIMEOUT = "LOCK_TIMEOUT"
"""Others held the lock for too long; nothing was done."""
DEAD_END = "DEAD_END"
"""With the action no plan in the task's scope satisfies the rules: proved."""
BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
"""A sum of money passes its bound."""
DUPLICATE_VENUE = "DUPLICATE_VENUE"
"""Something that may be chosen once is chosen twice."""
MODE_CONFLICT = "MODE_CONFLICT"
"""Means of transport that do not go together."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The action breaks nothing that is watched; of `commit`: it is done.

    Attributes:
        proved: with `look_ahead`, a plan that completes it was found and verified; False if that is not known;
            None if nobody asked.
        note: why it is not known.
    """

    proved: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The action is not done, and nothing has changed.

    Attributes:
        code: one of this module's, or of a rule without such a code its id in capitals.
        constraint: the instance of the rule that it would break for good; None if it is no rule.
        message: for whoever is to choose again.
        margin: by how much the rule fails, below 0; None where it has no measure.
        rows: of the plan, to blame.
        unit: of the margin, as in a finding of a verdict.
    """

    code: str
    constraint: str | None
    message: str
    margin: int | str | None = None
    rows: tuple[RowRef, ...] = ()
    unit: str | None = None


Reply: TypeAlias = Accepted | Refusal

OK = Accepted()
"""Accepted, and nobody asked for more."""


def reply_json(reply: Reply) -> dict[str, Any]:
    """A reply as JSON."""
    status = "accepted" if isinstance(reply, Accepted) else "refused"
    return {"status": status, **asdict(reply)}


def reply_of(data: Mapping[str, Any]) -> Reply:
    """The reply that its JSON says."""
    fields = {name: value for name, value in data.items() if name != "status"}
    if data["status"] == "accepted":
        return Accepted(**fields)
    return Refusal(**{**fields, "rows": tuple(RowRef(**row) for row in fields["rows"])})
