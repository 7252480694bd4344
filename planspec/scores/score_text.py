"""Text of scores: metrics, then failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.text import align
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.scores.estimates import Estimate

NO_LINE = "no answer for this task"
"""Message for a task without a line."""
MOST_MISSING = 20
"""Maximum number of tasks without an answer, or of faulty lines, that are listed by name."""


def metric_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Yield the metrics of a run as lines: single metrics first, then groups."""
    numbers = [(name, _value_text(value)) for name, value in metrics.items() if not _is_group(value)]
    yield from align(numbers, min_widths=(23,))
    yield from group_lines(metrics)


def reading_lines(by_reading: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the single metrics in several readings of a suite as a table with one column per reading."""
    rows = [("reading", *by_reading)]
    names = dict.fromkeys(name for metrics in by_reading.values() for name in metrics)
    for name in names:
        values = [metrics.get(name) for metrics in by_reading.values()]
        if not any(map(_is_group, values)):
            rows.append((name, *map(_value_text, values)))
    yield from align(rows, min_widths=(23,), right=range(1, len(by_reading) + 1))


def _is_group(value: Any) -> bool:
    return isinstance(value, Mapping) and not _is_interval(value)


def group_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Yield the groups of metrics, each as a table or as counts."""
    for name, value in metrics.items():
        if value and _is_group(value):
            yield from _group_lines(name, value)


def score_lines(metrics: Mapping[str, Any], verdicts: Sequence[Verdict], unread: Sequence[str] = ()) -> Iterator[str]:
    """Yield lines with the metrics, the numbers of answers by status, and the failures.

    Args:
        metrics: document of the family's metrics.
        verdicts: verdicts of the tasks.
        unread: messages about unreadable lines.
    """
    yield from metric_lines(metrics)
    yield from failure_lines(verdicts, unread)


def failure_lines(verdicts: Sequence[Verdict], unread: Sequence[str] = ()) -> Iterator[str]:
    """Yield lines with the numbers of answers by status, and the failures.

    Args:
        verdicts: verdicts of the tasks.
        unread: messages about unreadable lines.
    """
    counts = Counter(v.status for v in verdicts)
    yield ", ".join(f"{n} {status}" for status, n in sorted(counts.items()))
    missing = [v.task for v in verdicts if v.findings and v.findings[0].message == NO_LINE]
    for verdict in verdicts:
        broken = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
        if verdict.status == "undelivered" and verdict.task not in missing:
            yield f"  undelivered  {verdict.task}: {broken[0].message}"
        elif verdict.status == "fail":
            faults = [f.message for f in broken if f.level == "shape"]
            parts = [f.constraint for f in broken if f.level == "hard"]
            parts += [f"{len(faults)} of the answer's shape ({faults[0]})"] if faults else []
            yield f"  fail  {verdict.task}: {', '.join(parts)}"
    yield from fault_lines(unread, len(unread))
    if missing:
        shown = ", ".join(missing[:MOST_MISSING]) + (", ..." if len(missing) > MOST_MISSING else "")
        yield f"  no line for {len(missing)} of the tasks: {shown}"


def sample_lines(
    metrics: Mapping[str, Any], estimates: Mapping[str, Estimate], lists: Iterable[tuple[Sequence[str], int]]
) -> Iterator[str]:
    """Yield lines with metrics over many answers to each task, with intervals, and messages about faulty lines.

    Args:
        metrics: all metrics by name.
        estimates: metrics with intervals by name.
        lists: an entry for unreadable and one for unjudged lines, each with the first messages and the number of lines.
    """
    rows = []
    for name, value in metrics.items():
        estimate = estimates.get(name)
        has_interval = estimate is not None and estimate.low is not None
        interval = f"[{estimate.low:.4f}, {estimate.high:.4f}]" if has_interval and estimate else ""
        rows.append((name, _value_text(value), interval))
    yield from (line.rstrip() for line in align(rows, min_widths=(23,)))
    for first, count in lists:
        yield from fault_lines(first, count)


def fault_lines(first: Sequence[str], count: int) -> Iterator[str]:
    """Yield the first messages about faulty lines, and a line with the number of further ones.

    Args:
        first: first messages.
        count: number of all faulty lines.
    """
    yield from (f"  {reason}" for reason in first[:MOST_MISSING])
    rest = count - MOST_MISSING
    if rest > 0:
        yield f"  and {rest} more such lines"


def _group_lines(name: str, group: Mapping[str, Any]) -> Iterator[str]:
    """Yield a dict of counts with one count per line, or a dict of groups as a table with one row per group."""
    first = next(iter(group.values()))
    columns = sorted(first, key=lambda column: column != "n") if isinstance(first, Mapping) else []
    rows = [(name, *columns)]
    for part, value in group.items():
        cells = [_value_text(value[column]) for column in columns] if columns else [_value_text(value)]
        rows.append((f"  {part}", *cells))
    yield from align(rows, min_widths=(23,), right=range(1, len(columns) + 1))


def _is_interval(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"least", "most"}


def _value_text(value: Any) -> str:
    if isinstance(value, Mapping):
        least, most = _value_text(value["least"]), _value_text(value["most"])
        return least if least == most else f"{least}..{most}"
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
