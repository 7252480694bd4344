"""Scores for people: metrics, then what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from planspec.scores.record import Estimate
from planspec.text_table import align
from planspec.verifiers.meaning.verdict import Verdict

NO_LINE = "no answer for this task"
"""The message for a task without a line."""
MOST_MISSING = 20
"""The most tasks without a line that are named."""


def metric_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """The metrics of a run: single ones first, then groups."""
    numbers = [
        (name, _shown(value))
        for name, value in metrics.items()
        if not isinstance(value, Mapping) or _is_interval(value)
    ]
    yield from align(numbers, least=(23,))
    for name, value in metrics.items():
        if isinstance(value, Mapping) and value and not _is_interval(value):
            yield from _group(name, value)


def score_lines(
    metrics: Mapping[str, Any], verdicts: Sequence[Verdict], unread: Sequence[str] = ()
) -> Iterator[str]:
    """Metrics, how many answers have which status, then what failed.

    Args:
        metrics: the family's document.
        verdicts: verdicts of each task.
        unread: lines that are no answers, and why.
    """
    yield from metric_lines(metrics)
    counts = Counter(v.status for v in verdicts)
    yield ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
    missing = [v.task for v in verdicts if v.findings and v.findings[0].message == NO_LINE]
    for verdict in verdicts:
        broken = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
        if verdict.status == "undelivered" and verdict.task not in missing:
            yield f"  undelivered  {verdict.task}: {broken[0].message}"
        elif verdict.status == "fail":
            faults = [f.message for f in broken if f.level == "shape"]
            told = [f.constraint for f in broken if f.level == "hard"]
            told += [f"{len(faults)} of the answer's shape ({faults[0]})"] if faults else []
            yield f"  fail  {verdict.task}: {', '.join(told)}"
    yield from named_lines(unread, len(unread))
    if missing:
        shown = ", ".join(missing[:MOST_MISSING]) + (", ..." if len(missing) > MOST_MISSING else "")
        yield f"  no line for {len(missing)} of the tasks: {shown}"


def sample_lines(
    metrics: Mapping[str, Any], estimates: Mapping[str, Estimate], lists: Iterable[tuple[Sequence[str], int]]
) -> Iterator[str]:
    """The metrics of many answers to each task, with their intervals, then lines of which something is wrong.

    Args:
        metrics: all by name.
        estimates: those that have intervals.
        lists: of lines that are no answers, and of others that cannot be judged: why, the first of them, and how many.
    """
    rows = []
    for name, value in metrics.items():
        told = estimates.get(name)
        known = told is not None and told.low is not None
        rows.append((name, _shown(value), f"[{told.low:.4f}, {told.high:.4f}]" if known and told else ""))
    yield from (line.rstrip() for line in align(rows, least=(23,)))
    for first, count in lists:
        yield from named_lines(first, count)


def named_lines(first: Sequence[str], count: int) -> Iterator[str]:
    """Lines that are no answers, or cannot be judged; of many the first.

    Args:
        first: what is wrong with each, of as many as are known.
        count: how many they are.
    """
    yield from (f"  {reason}" for reason in first[:MOST_MISSING])
    rest = count - MOST_MISSING
    if rest > 0:
        yield f"  and {rest} more such lines"


def _group(name: str, group: Mapping[str, Any]) -> Iterator[str]:
    """Counts on a line each; groups of metrics as a table with a row for each."""
    first = next(iter(group.values()))
    columns = sorted(first, key=lambda column: column != "n") if isinstance(first, Mapping) else []
    rows = [(name, *columns)]
    for part, value in group.items():
        cells = [_shown(value[column]) for column in columns] if columns else [_shown(value)]
        rows.append((f"  {part}", *cells))
    yield from align(rows, least=(23,), right=range(1, len(columns) + 1))


def _is_interval(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"least", "most"}


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        least, most = _shown(value["least"]), _shown(value["most"])
        return least if least == most else f"{least}..{most}"
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
