"""Table of the WorldTravel paper's Appendix 14: numbers of tasks that satisfy and violate each kind of constraint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from planspec.scores.attempts import AttemptedRun
from planspec.scores.known import TaskFacts
from planspec.scores.record import RunTable, TableColumn
from planspec.verifiers.meaning.verdict import Verdict

CATEGORIES: Mapping[str, frozenset[str]] = {
    "dwell time": frozenset({"dwell"}),
    "timed-entry slot": frozenset({"timed-entry", "window"}),
    "early arrival": frozenset({"early-arrival", "inter-activity"}),
}
"""Kinds of constraints in each category of the paper. Booked starts and opening hours form one category."""
OTHER = "other"
"""Category of hard constraints that the paper does not count, such as the order of visits."""
COLUMNS = (
    TableColumn(name="category"),
    TableColumn(name="attempts", kind="count"),
    TableColumn(name="satisfied", kind="count"),
    TableColumn(name="share", kind="share"),
    TableColumn(name="failed", kind="count"),
    TableColumn(name="instances", kind="count"),
    TableColumn(name="violated", kind="share"),
)
NOTE = (
    "Attempts at tasks to which the category applies; satisfied: no instance of the category is violated. Slots and "
    "opening hours are one category, and rides count for early arrival. Undelivered answers satisfy nothing. The last "
    "two columns count instances."
)


def tables(run: AttemptedRun) -> tuple[RunTable, ...]:
    """Return one table: how often a run satisfies each category of hard constraints, as in the paper's Appendix 14."""
    tallies = {name: _Tally() for name in (*CATEGORIES, OTHER, "all")}
    for task, row in zip(run.run.tasks, run.rows, strict=True):
        applicable = _applicable(run.facts.tasks[task])
        for scored in row:
            violated = _violated(scored.verdict, applicable)
            for name, count in applicable.items():
                tallies[name].add(count, violated[name])
    rows = tuple(tally.row(name) for name, tally in tallies.items() if tally.attempts)
    title = "Tasks by category of hard constraints (Appendix 14)"
    return (RunTable(name="categories", title=title, columns=COLUMNS, rows=rows, note=NOTE),)


class _Tally:
    """Numbers of tasks that satisfy and violate one category of constraints."""

    def __init__(self) -> None:
        self.attempts = self.satisfied = self.instances = self.violated = 0

    def add(self, instances: int, violated: int) -> None:
        self.attempts += 1
        self.satisfied += not violated
        self.instances += instances
        self.violated += violated

    def row(self, name: str) -> tuple[str | int | float, ...]:
        failed = self.attempts - self.satisfied
        share, violated = self.satisfied / self.attempts, self.violated / self.instances
        return name, self.attempts, self.satisfied, share, failed, self.instances, violated


def _categories_of(kind: str | None) -> Iterator[str]:
    """Yield the names of the table rows in which a kind of hard constraints is counted."""
    yield next((name for name, kinds in CATEGORIES.items() if kind in kinds), OTHER)
    yield "all"


def _applicable(facts: TaskFacts) -> Counter[str]:
    """Return the number of hard constraint instances that apply to a task, by category."""
    counts: Counter[str] = Counter()
    for rule in facts.rules:
        if rule.hard and rule.n:
            for name in _categories_of(rule.kind):
                counts[name] += rule.n
    return counts


def _violated(verdict: Verdict, applicable: Mapping[str, int]) -> Mapping[str, int]:
    """Return the number of violated hard constraint instances by category.

    If no plan was delivered, all applicable instances are violated.
    """
    if verdict.status == "undelivered":
        return applicable
    counts: Counter[str] = Counter()
    for finding in verdict.findings:
        if finding.level == "hard" and finding.status == "violated":
            for name in _categories_of(finding.kind):
                counts[name] += 1
    return counts
