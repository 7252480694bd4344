"""Text of a rescoring: changed verdicts with reasons, then changed metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.text import align

if TYPE_CHECKING:  # `rescoring` imports this module
    from planspec.scores.rescoring import MovedConstraint, MovedVerdict, Rescoring

MOST_CONSTRAINTS = 5
"""Maximum number of constraints shown for an attempt."""
MOST_TASKS = 20
"""Maximum number of named tasks that only the run has, and of those that only the suite has."""


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
