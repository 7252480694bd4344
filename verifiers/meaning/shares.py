"""Shares of satisfied constraints and numbers of violated constraints in a verdict."""

from __future__ import annotations

from fractions import Fraction

from planspec.verifiers.meaning.verdict import Tally, Verdict


def is_delivered(verdict: Verdict) -> bool:
    """Return whether a verdict judges an answer.

    Otherwise, its status is `undelivered`: the answer was missing or could not be read.
    """
    return verdict.status != "undelivered"


def satisfied_share(tally: Tally) -> Fraction:
    """Return the share of satisfied instances in a tally; 1 if the tally is empty."""
    return Fraction(tally.satisfied, tally.total) if tally.total else Fraction(1)


def hard_share(verdict: Verdict) -> Fraction:
    """Return the share of satisfied instances of hard constraints; 0 for a missing or unreadable answer."""
    return satisfied_share(verdict.hard) if is_delivered(verdict) else Fraction(0)


def soft_share(verdict: Verdict) -> Fraction | None:
    """Return the share of satisfied instances of soft constraints; 0 for a missing or unreadable answer.

    Return None if the task has no applicable soft constraints.
    """
    return is_delivered(verdict) * satisfied_share(verdict.soft) if verdict.soft.total else None


def count_violations(verdict: Verdict) -> int:
    """Count violated instances of hard constraints, and shape faults such as missing rows.

    For a missing or unreadable answer, count all applicable instances of hard constraints.
    """
    if not is_delivered(verdict):
        return verdict.hard.total
    return sum(finding.status == "violated" and finding.level != "soft" for finding in verdict.findings)
