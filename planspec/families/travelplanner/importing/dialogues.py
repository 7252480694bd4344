"""Records of FlexTravelBench's published dialogues.

In a published record, fields that the first turn leaves out are null. The field `new_constraints` holds what later
turns add.
"""

from __future__ import annotations

from typing import Any

WISHES = {
    "cuisine": "cuisine",
    "room type": "room-type",
    "house rule": "room-rule",
    "budget": "budget",
    "people_number": "people",
}
"""Names of the wishes that later turns add, by the field of the published record."""
GLOBAL = ("budget", "people_number")
"""Wishes with fields at the top level of a record. The fields of other wishes are in its `local_constraint`."""
MOST_LATER = 2
"""Maximum number of turns of a dialogue after the first."""


def complete_query(record: dict[str, Any], constraints: dict[str, Any], added: Any) -> dict[str, Any]:
    """Return the complete query at the end of a dialogue.

    Args:
        record: published record.
        constraints: local constraints of the record.
        added: additions of the later turns: a list of dicts with one field each.

    Returns:
        The record with all additions. `later_wishes` lists the added wishes in the order of the turns.

    Raises:
        ValueError: an addition is invalid, or the field was already given in an earlier turn.
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
    return query | {"local_constraint": local, "later_wishes": later}
