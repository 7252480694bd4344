"""The facts that an attempt needed and those that its agent declared, as a page tells of them."""

from __future__ import annotations

from typing import assert_never

from planspec.report.record import FactShown, MisreadShown, PerceptionShown, ReadingShown
from planspec.report.texts import line
from planspec.runs.record import FactSeen, FactsRead, FactsSeen

MOST_FACTS = 300
"""The most facts of one attempt that are shown."""
ORDER = ("ignored", "never-seen", "seen")
"""The order of statuses on the page: what one looks for first."""
MOST_RULES = 3
"""The most rules of one fact that are named."""


def perception_shown(found: FactsSeen, *, turns: int = 1) -> PerceptionShown:
    """What an agent saw, those facts first of which something is wrong.

    Args:
        found: of the record.
        turns: of the attempt; texts of several are told by their turn.
    """
    ordered = sorted(found.facts, key=lambda fact: ORDER.index(fact.status))
    return PerceptionShown(
        facts=tuple(_fact(fact, turns) for fact in ordered[:MOST_FACTS]),
        left_out=max(0, len(ordered) - MOST_FACTS),
        untried=found.untried,
    )


def reading_shown(found: FactsRead) -> ReadingShown:
    """What an agent declared to have read.

    Args:
        found: of the record.
    """
    right, wrong, missing = (
        sum(getattr(count, name) for count in found.counts) for name in ("right", "wrong", "missing")
    )
    shown = tuple(
        MisreadShown(fact=line(one.fact), says=line(one.says, 80), declared=line(one.declared, 80), how=line(f"{one.page.replace('_', ' ')}, {one.cue}"))
        for one in found.wrong
    )  # fmt: skip
    return ReadingShown(
        counts=(right, wrong, missing), wrong=shown, left_out=max(0, wrong - len(shown)), elsewhere=found.elsewhere, unclear=found.unclear, status=found.status,
    )  # fmt: skip


def _fact(fact: FactSeen, turns: int) -> FactShown:
    more = len(fact.rules) - MOST_RULES
    rules = ", ".join(fact.rules[:MOST_RULES]) + (f" and {more} more" if more > 0 else "")
    return FactShown(
        fact=line(fact.fact), value=line(fact.value, 80), status=fact.status, how=line(_how(fact, turns)), rules=line(rules),
        reference=fact.needed_by == "reference",
    )  # fmt: skip


def _how(fact: FactSeen, turns: int) -> str:
    """The text that told it, for people: calls are counted from 1."""
    if fact.by is None:
        return ""
    match fact.by:
        case "query":
            said = "the query"
        case "show":
            said = f"shown: {fact.name}"
        case "tool":
            said = f"the description of {fact.name}"
        case "call":
            said = f"call {(fact.call or 0) + 1}, {fact.name}" + (f", {fact.cue}" if fact.cue else "")
        case other:
            assert_never(other)
    return said if turns == 1 else f"{said}, turn {fact.turn + 1}"
