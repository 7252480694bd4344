"""Units of types that are represented by integers."""

from __future__ import annotations

import re

MINUTES_A_DAY = 1440
DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)min)?")


def duration_minutes(text: str) -> int:
    """Return the number of minutes in a duration such as `1d2h30min` or `30min`."""
    match = DURATION.fullmatch(text)
    assert match is not None
    days, hours, minutes = (int(part or 0) for part in match.groups())
    return days * MINUTES_A_DAY + hours * 60 + minutes
