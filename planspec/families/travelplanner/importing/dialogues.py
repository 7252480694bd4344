"""FlexTravelBench's published dialogues: records of what the first turn says and of what later turns add.

A published record has null for what its first turn leaves out, and `new_constraints` with what each later turn adds.
"""

from __future__ import annotations

from typing import Any

WISHES = {
    "cuisine": "cuisine", "room type": "room-type", "house rule": "room-rule", "budget": "budget",
    "people_number": "people",
}  # fmt: skip
"""The fields that a later turn may add, and the wishes that they are."""
GLOBAL = ("budget", "people_number")
"""Those that concern the whole trip, and are fields of the query itself."""
MOST_LATER = 2
"""The most later turns of a dialogue."""


def whole_query(record: dict[str, Any], constraints: dict[str, Any], added: Any) -> dict[str, Any]:
    """The query that a dialogue ends with.

    Args:
        record: the published record.
        constraints: its local constraints.
        added: what later turns add: a list with a mapping of one field for each.

    Returns:
        the record with what is added in its place, and the wishes by turns as `said_later`.

    Raises:
        ValueError: something is added that no dialogue adds, or that the first turn says already.
    """
    if not isinstance(added, list) or not 1 <= len(added) <= MOST_LATER:
        raise ValueError(f"new_constraints: neither one nor {MOST_LATER} later turns")
    made, local, later = dict(record), dict(constraints), list[str]()
    for turn in added:
        if not isinstance(turn, dict) or len(turn) != 1:
            raise ValueError("new_constraints: a later turn adds exactly one constraint")
        ((name, value),) = turn.items()
        if name not in WISHES or value in (None, "", "-", []):
            raise ValueError(f"new_constraints: `{name}` is not one of {', '.join(WISHES)}, or adds nothing")
        fields = made if name in GLOBAL else local
        if fields.get(name) not in (None, "", "-", []):
            raise ValueError(f"new_constraints: an earlier turn says `{name}` already")
        fields[name] = value
        later.append(WISHES[name])
    if len(added) > 1 and len({next(iter(turn)) in GLOBAL for turn in added}) == 1:
        raise ValueError("new_constraints: two turns add a local and a global constraint, in either order")
    return made | {"local_constraint": local, "said_later": later}
