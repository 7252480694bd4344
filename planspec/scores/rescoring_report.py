"""Result of a rescoring, and its text: changed verdicts with reasons, then changed metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from planspec.text import align

MOST_CONSTRAINTS = 5
"""Maximum number of constraints shown for an attempt."""
MOST_TASKS = 20
"""Maximum number of tasks named as missing in the suite, and of tasks named as missing in the run."""


@dataclass(frozen=True, slots=True)
class MovedConstraint:
    """A constraint that is violated in only one of two verdicts on an answer.

    Attributes:
        constraint: id of the constraint instance; for faults of the plan's shape, the table or column.
        level: `hard`, `soft` or `shape`.
        before: former status: `satisfied`, `violated` or `not-applicable`; None if the constraint did not exist.
        after: current status; None if the constraint no longer exists.
        message: message of the violation.
    """

    constraint: str
    level: str
    before: str | None
    after: str | None
    message: str


@dataclass(frozen=True, slots=True)
class MovedVerdict:
    """An attempt whose verdict changed.

    Attributes:
        task: id of the task.
        repeat: repeat of the attempt, counted from 0.
        before: recorded status: `pass`, `fail` or `undelivered`.
        after: current status.
        because: changed constraints; hard constraints and the plan's shape come first.
    """

    task: str
    repeat: int
    before: str
    after: str
    because: tuple[MovedConstraint, ...]

    def __repr__(self) -> str:
        return f"<MovedVerdict of {self.task}: {self.before} -> {self.after}, {len(self.because)} constraints>"


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Result of rescoring a run.

    Attributes:
        run: folder of the run, which is unchanged.
        out: folder of the new run: the same attempts with new verdicts.
        suite: id of the suite by which it was rescored.
        attempts: number of rescored attempts.
        moved: attempts whose verdict changed, in the order of the run.
        metrics: the family's metrics after rescoring.
        before: the family's metrics before; None if they require the unchanged suite, which no longer exists.
        gone: tasks of the run that are no longer in the suite; their attempts are left out.
        added: tasks of the suite that the run did not attempt.
    """

    run: str
    out: str
    suite: str
    attempts: int
    moved: tuple[MovedVerdict, ...] = field(repr=False)
    metrics: Mapping[str, JsonValue] = field(repr=False)
    before: Mapping[str, JsonValue] | None = field(repr=False)
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Rescoring of {self.run}: {len(self.moved)} of {self.attempts} attempts moved>"

    def __str__(self) -> str:
        """Return the text that `planspec rescore` prints."""
        return "\n".join(rescoring_lines(self))

    @property
    def flips(self) -> Mapping[tuple[str, str], int]:
        """Number of attempts whose status changed, keyed by the statuses before and after."""
        pairs = ((moved.before, moved.after) for moved in self.moved)
        return Counter(pair for pair in pairs if pair[0] != pair[1])


def rescoring_lines(rescoring: Rescoring) -> Iterator[str]:
    """Yield the lines that `planspec rescore` prints."""
    for moved in rescoring.moved:
        yield from _verdict_lines(moved)
    yield from _labelled_lines("no longer in the suite", rescoring.gone)
    yield from _labelled_lines("not attempted by the run", rescoring.added)
    if rescoring.before is None:
        yield "the metrics before are unknown: the suite by which the run was judged no longer exists"
    else:
        yield from metric_changes(rescoring.before, rescoring.metrics)
    flips = [f"{n} {before} -> {after}" for (before, after), n in sorted(rescoring.flips.items())]
    summary = f"{len(rescoring.moved)} of {rescoring.attempts} attempts moved"
    yield ": ".join((summary, ", ".join(flips))) if flips else summary


def _labelled_lines(label: str, tasks: Sequence[str]) -> Iterator[str]:
    if tasks:
        more = ", ..." if len(tasks) > MOST_TASKS else ""
        yield f"{label}: {', '.join(tasks[:MOST_TASKS])}{more}"


def _verdict_lines(moved: MovedVerdict) -> Iterator[str]:
    repeat = f" repeat {moved.repeat}" if moved.repeat else ""
    status = moved.after if moved.before == moved.after else f"{moved.before} -> {moved.after}"
    yield f"{moved.task}{repeat}: {status}"
    shown = moved.because[:MOST_CONSTRAINTS]
    width = max((len(each.constraint) for each in shown), default=0)
    yield from (
        f"  {_change_mark(each)} {each.level:<5} {each.constraint:<{width}}  {_change_text(each)}" for each in shown
    )
    if len(moved.because) > len(shown):
        yield f"  ... and {len(moved.because) - len(shown)} more"


def _change_mark(moved: MovedConstraint) -> str:
    return "x" if moved.after == "violated" else "+"


def _change_text(moved: MovedConstraint) -> str:
    if moved.after == "violated":
        before = "" if moved.before is not None else " (was not there)"
        return f"{moved.message}{before}"
    now = "is gone" if moved.after is None else "does not apply now" if moved.after == "not-applicable" else "holds now"
    return f"{now}; was: {moved.message}"


def metric_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each metric whose value changed."""
    old, new = dict(_numbers_by_path(before)), dict(_numbers_by_path(now))
    rows = [
        (name, _value_text(old.get(name)), _value_text(new.get(name)))
        for name in dict.fromkeys((*new, *old))
        if old.get(name) != new.get(name)
    ]
    if rows:
        yield from align([("metric", "before", "now"), *rows], min_widths=(23,), right=range(1, 3))


def _numbers_by_path(document: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted path and the value of each number in a document."""
    for name, value in document.items():
        full = f"{path}.{name}" if path else name
        if isinstance(value, Mapping):
            yield from _numbers_by_path(value, full)
        elif not isinstance(value, str | list):
            yield full, value


def _value_text(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
