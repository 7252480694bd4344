"""Comparisons of two versions of a suite for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planspec.api.claim_outputs import opinions_in_words
from planspec.verifiers.meaning.verdict_text import violation_lines

if TYPE_CHECKING:  # a comparison prints itself with these lines
    from planspec.api.comparison import How, Pairing, SuiteComparison, TaskComparison
    from planspec.paper import Paper

SAME: Mapping[bool | None, str] = {True: "same", False: "different", None: "unknown"}
COLORS: Mapping[bool | None, str] = {True: "green", False: "red", None: "yellow"}
HOW: Mapping[How, str] = {
    "text": "read from the same texts",
    "meaning": "the same hard constraints over the same facts, within the scope and beyond",
    "form": "their plans have another form",
}
"""What decided a comparison, where that is one thing."""
ORDINAL: Mapping[str, str] = {"first": "the first", "second": "the second"}


def comparison_lines(made: TaskComparison, paper: Paper) -> Iterator[str]:
    """What `planspec compare` prints of one task."""
    status = paper.style(SAME[made.same], fg=COLORS[made.same])
    yield f"{made.task}: {status}, {_how(made)}"
    yield from (f"  {reason}" for reason in made.reasons)
    if made.disagreement:
        yield f"  {opinions_in_words(made.disagreement)}"
    if made.accepted_by is not None:
        yield from violation_lines(made.refused, paper)


def _how(made: TaskComparison) -> str:
    if made.how in HOW:
        return HOW[made.how]
    scope = "their scope" if made.scope == "both" else "the scope of either"
    who = ", ".join(f"{name} {claim.status} {claim.seconds:.2f} s" for name, claim in made.backends.items())
    if made.accepted_by is not None:
        what = "a reference" if made.how == "reference" else "a plan"
        found = "" if made.how == "reference" else f", found within {scope} ({who})"
        others = "second" if made.accepted_by == "first" else "first"
        return f"{ORDINAL[made.accepted_by]} accepts {what} that {ORDINAL[others]} refuses{found}"
    if made.how == "solvers":
        return f"no plan within {scope} tells them apart ({who})"
    return f"not decided within {scope} ({who})" if made.backends else "not decided"


def only_lines(made: SuiteComparison | Pairing) -> Iterator[str]:
    """A line for each task that one version alone has."""
    yield from (f"{task}: in the first alone" for task in made.only_first)
    yield from (f"{task}: in the second alone" for task in made.only_second)


def summary(made: SuiteComparison) -> str:
    """`11 same, 1 different`."""
    counts = Counter(SAME[task.same] for task in made.tasks)
    counts["in one alone"] = len(made.only_first) + len(made.only_second)
    order = ("same", "different", "unknown", "in one alone")
    return ", ".join(f"{counts[word]} {word}" for word in order if counts[word]) or "no tasks"
