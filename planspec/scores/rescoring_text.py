"""A run judged again, for people: what moved and why, then the metrics that are others now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.text_table import align

if TYPE_CHECKING:  # a rescoring prints itself with these lines
    from planspec.scores.rescoring import MovedConstraint, MovedVerdict, Rescoring

MOST_CONSTRAINTS = 5
"""The most constraints that are told of one attempt."""
MOST_TASKS = 20
"""The most tasks that are named because one side alone has them."""


def rescoring_lines(made: Rescoring) -> Iterator[str]:
    """What `planspec rescore` prints."""
    for moved in made.moved:
        yield from _verdict(moved)
    yield from _named("no longer in the suite", made.gone)
    yield from _named("not attempted by the run", made.added)
    if made.before is None:
        yield "the metrics before are not known: the suite by which the run was judged is not there any more"
    else:
        yield from metric_changes(made.before, made.metrics)
    flips = [f"{n} {before} -> {after}" for (before, after), n in sorted(made.flips.items())]
    told = f"{len(made.moved)} of {made.attempts} attempts moved"
    yield ": ".join((told, ", ".join(flips))) if flips else told


def _named(what: str, tasks: Sequence[str]) -> Iterator[str]:
    if tasks:
        more = ", ..." if len(tasks) > MOST_TASKS else ""
        yield f"{what}: {', '.join(tasks[:MOST_TASKS])}{more}"


def _verdict(moved: MovedVerdict) -> Iterator[str]:
    repeat = f" repeat {moved.repeat}" if moved.repeat else ""
    status = moved.after if moved.before == moved.after else f"{moved.before} -> {moved.after}"
    yield f"{moved.task}{repeat}: {status}"
    shown = moved.because[:MOST_CONSTRAINTS]
    width = max((len(each.constraint) for each in shown), default=0)
    yield from (
        f"  {_mark(each)} {each.level:<5} {each.constraint:<{width}}  {_said(each)}" for each in shown
    )
    if len(moved.because) > len(shown):
        yield f"  ... and {len(moved.because) - len(shown)} more"


def _mark(moved: MovedConstraint) -> str:
    return "x" if moved.after == "violated" else "+"


def _said(moved: MovedConstraint) -> str:
    if moved.after == "violated":
        before = "" if moved.before is not None else " (was not there)"
        return f"{moved.message}{before}"
    now = (
        "is gone"
        if moved.after is None
        else "does not apply now"
        if moved.after == "not-applicable"
        else "holds now"
    )
    return f"{now}; was: {moved.message}"


def metric_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A line for each metric that has another value now."""
    old, new = dict(_numbers(before)), dict(_numbers(now))
    rows = [
        (name, _shown(old.get(name)), _shown(new.get(name)))
        for name in dict.fromkeys((*new, *old))
        if old.get(name) != new.get(name)
    ]
    if rows:
        yield from align([("metric", "before", "now"), *rows], least=(23,), right=range(1, 3))


def _numbers(document: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers of a document, each with the names that lead to it."""
    for name, value in document.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, Mapping):
            yield from _numbers(value, here)
        elif not isinstance(value, str | list):
            yield here, value


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
