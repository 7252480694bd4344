"""Records of FlexTravelBench's published dialogues.

A published record has null for the fields that its first turn leaves out, and `new_constraints` with the
additions of each later turn.
"""

from __future__ import annotations

from typing import Any

WISHES = {
    "cuisine": "cuisine", "room type": "room-type", "house rule": "room-rule", "budget": "budget",
    "people_number": "people",
}  # fmt: skip
"""Fields that a later turn may add, and their wishes."""
GLOBAL = ("budget", "people_number")
"""Fields of the query itself; they concern the whole trip."""
MOST_LATER = 2
"""Largest number of later turns of a dialogue."""


def whole_query(record: dict[str, Any], constraints: dict[str, Any], added: Any) -> dict[str, Any]:
    """Return the query at the end of a dialogue.

    Args:
        record: published record.
        constraints: local constraints of the record.
        added: additions of the later turns: a list with a mapping of one field each.

    Returns:
        The record with the additions, and the wishes by turn as `said_later`.

    Raises:
        ValueError: an addition is invalid, or the first turn gives the field already.
    """
    if not isinstance(added, list) or not 1 <= len(added) <= MOST_LATER:
        raise ValueError(f"new_constraints: neither one nor {MOST_LATER} later turns")
    query, local, later = dict(record), dict(constraints), list[str]()
    for turn in added:
        if not isinstance(turn, dict) or len(turn) != 1:
            raise ValueError("new_constraints: a later turn adds exactly one constraint")
        ((name, value),) = turn.items()
        if name not in WISHES or value in (None, "", "-", []):
            raise ValueError(f"new_constraints: `{name}` is not one of {', '.join(WISHES)}, or adds nothing")
        fields = query if name in GLOBAL else local
        if fields.get(name) not in (None, "", "-", []):
            raise ValueError(f"new_constraints: an earlier turn says `{name}` already")
        fields[name] = value
        later.append(WISHES[name])
    if len(added) > 1 and len({next(iter(turn)) in GLOBAL for turn in added}) == 1:
        raise ValueError("new_constraints: two turns add a local and a global constraint, in either order")
    return query | {"local_constraint": local, "said_later": later}
