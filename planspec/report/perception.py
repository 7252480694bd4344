"""Facts that an attempt needed, and facts that its agent declared, prepared for a page."""

from __future__ import annotations

from typing import assert_never

from planspec.report.record import ShownFact, ShownMisread, ShownPerception, ShownReading
from planspec.report.texts import line
from planspec.runs.record import FactsRead, NeededFact, NeededFacts

MOST_FACTS = 300
"""Maximum number of facts shown for one attempt."""
ORDER = ("ignored", "never-seen", "seen")
"""Statuses in the order in which the page shows them."""
MOST_RULES = 3
"""Maximum number of rules named for one fact."""


def shown_perception(seen: NeededFacts, *, turns: int = 1) -> ShownPerception:
    """Return the needed facts that an agent saw or missed, prepared for a page. Ignored and missed ones come first.

    Args:
        seen: recorded facts.
        turns: number of turns of the attempt. With several turns, the name of a text includes its turn.
    """
    ordered = sorted(seen.facts, key=lambda fact: ORDER.index(fact.status))
    return ShownPerception(
        facts=tuple(_shown_fact(fact, turns) for fact in ordered[:MOST_FACTS]),
        left_out=max(0, len(ordered) - MOST_FACTS),
        untried=seen.untried,
    )


def shown_reading(read: FactsRead) -> ShownReading:
    """Return a comparison of the facts that an agent declared with those it was shown, shortened for a page."""
    right, wrong, missing = (
        sum(getattr(count, name) for count in read.counts) for name in ("right", "wrong", "missing")
    )
    shown = tuple(
        ShownMisread(
            fact=line(one.fact),
            says=line(one.says, 80),
            declared=line(one.declared, 80),
            how=line(f"{one.page.replace('_', ' ')}, {one.cue}"),
        )
        for one in read.wrong
    )
    return ShownReading(
        counts=(right, wrong, missing),
        wrong=shown,
        left_out=max(0, wrong - len(shown)),
        elsewhere=read.elsewhere,
        unclear=read.unclear,
        status=read.status,
    )


def _shown_fact(fact: NeededFact, turns: int) -> ShownFact:
    more = len(fact.rules) - MOST_RULES
    rules = ", ".join(fact.rules[:MOST_RULES]) + (f" and {more} more" if more > 0 else "")
    return ShownFact(
        fact=line(fact.fact),
        value=line(fact.value, 80),
        status=fact.status,
        how=line(_source_text(fact, turns)),
        rules=line(rules),
        reference=fact.needed_by == "reference",
    )


def _source_text(fact: NeededFact, turns: int) -> str:
    """Return the name of the text that revealed a fact, such as `call 3, hotel`, with calls counted from 1."""
    if fact.by is None:
        return ""
    match fact.by:
        case "query":
            text = "the query"
        case "show":
            text = f"shown: {fact.name}"
        case "tool":
            text = f"the description of {fact.name}"
        case "call":
            text = f"call {(fact.call or 0) + 1}, {fact.name}" + (f", {fact.cue}" if fact.cue else "")
        case other:
            assert_never(other)
    return text if turns == 1 else f"{text}, turn {fact.turn + 1}"
