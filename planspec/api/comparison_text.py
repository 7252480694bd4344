"""Text of comparisons of two versions of a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planspec.api.claim_outputs import opinions_in_words
from planspec.verifiers.meaning.verdict import violation_lines

if TYPE_CHECKING:  # `comparison` imports this module
    from planspec.api.comparison import How, Pairing, SuiteComparison, TaskComparison
    from planspec.text import LineFormatter

SAME: Mapping[bool | None, str] = {True: "same", False: "different", None: "unknown"}
COLORS: Mapping[bool | None, str] = {True: "green", False: "red", None: "yellow"}
HOW: Mapping[How, str] = {
    "text": "read from the same texts",
    "meaning": "the same hard constraints over the same facts, within the scope and beyond",
    "form": "their plans have different tables",
}
"""Texts for ways of deciding a comparison; ways with details are missing."""
ORDINAL: Mapping[str, str] = {"first": "the first", "second": "the second"}


def comparison_lines(comparison: TaskComparison, paper: LineFormatter) -> Iterator[str]:
    """Yield the lines that `planspec compare` prints for one task."""
    status = paper.style(SAME[comparison.same], fg=COLORS[comparison.same])
    yield f"{comparison.task}: {status}, {_outcome_text(comparison)}"
    yield from (f"  {reason}" for reason in comparison.reasons)
    if comparison.disagreement:
        yield f"  {opinions_in_words(comparison.disagreement)}"
    if comparison.accepted_by is not None:
        yield from violation_lines(comparison.refused, paper)


def _outcome_text(comparison: TaskComparison) -> str:
    if comparison.how in HOW:
        return HOW[comparison.how]
    scope = "their scope" if comparison.scope == "both" else "the scope of either"
    who = ", ".join(f"{name} {claim.status} {claim.seconds:.2f} s" for name, claim in comparison.backends.items())
    if comparison.accepted_by is not None:
        what = "a reference" if comparison.how == "reference" else "a plan"
        found = "" if comparison.how == "reference" else f", found within {scope} ({who})"
        others = "second" if comparison.accepted_by == "first" else "first"
        return f"{ORDINAL[comparison.accepted_by]} accepts {what} that {ORDINAL[others]} refuses{found}"
    if comparison.how == "solvers":
        return f"no plan within {scope} tells them apart ({who})"
    return f"not decided within {scope} ({who})" if comparison.backends else "not decided"


def only_lines(comparison: SuiteComparison | Pairing) -> Iterator[str]:
    """Yield a line for each task that only one version has."""
    yield from (f"{task}: in the first alone" for task in comparison.only_first)
    yield from (f"{task}: in the second alone" for task in comparison.only_second)


def summary(comparison: SuiteComparison) -> str:
    """Return a summary such as `11 same, 1 different`."""
    counts = Counter(SAME[task.same] for task in comparison.tasks)
    counts["in one alone"] = len(comparison.only_first) + len(comparison.only_second)
    order = ("same", "different", "unknown", "in one alone")
    return ", ".join(f"{counts[word]} {word}" for word in order if counts[word]) or "no tasks"
