"""Lines of text that show the scores of traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planspec.families.mobilitybench.metrics.record import METRICS, TOKENS
from planspec.text import GAP, align
from planspec.traces.metrics import TraceScores
from planspec.verifiers.official.protocol import OFFICIAL

MOST = 5
"""Maximum number of reasons or causes shown for a metric."""
MOST_QUESTIONS = 20
"""Maximum number of traces listed because their query differs from the task's query."""
WIDTH = 39
"""Minimum width of the column with the names of groups."""
NUMBERS = (11, 9)
"""Minimum widths of the columns with the names and the values of metrics."""


def metric_lines(metrics: Mapping[str, Any], profile: str) -> Iterator[str]:
    """Return the metrics of a profile as lines of text, overall and by group."""
    return _official_lines(metrics) if profile == OFFICIAL else _strict_lines(metrics)


def lines_of(scores: TraceScores) -> Sequence[str]:
    """Return lines with the metrics, the failures, and the differences between the profiles."""
    lines = list(metric_lines(scores.metrics, scores.profile))
    if scores.differences is not None:
        lines += _difference_lines(scores.differences)
    lines += [f"not read: {item}" for item in scores.unread]
    if scores.other_questions:
        lines.append(f"traces that ask another question than their task: {len(scores.other_questions)}")
        lines += [f"  {item}" for item in scores.other_questions[:MOST_QUESTIONS]]
        if len(scores.other_questions) > MOST_QUESTIONS:
            lines.append(f"  {len(scores.other_questions) - MOST_QUESTIONS} more")
    return lines


def _strict_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace"
    rows = []
    for name in METRICS:
        entry = metrics["metrics"][name]
        low, high = (_value_text(name, bound) for bound in entry["interval"] or (None, None))
        interval = [f"[{low}, {high}]"] if entry["interval"] else []
        over = [] if entry["n"] == metrics["n"] else [f"over {entry['n']}"]
        rows.append(
            (
                name,
                _value_text(name, entry["mean"]),
                GAP.join(interval + over + _undeclared_texts(name, entry)),
            )
        )
    yield from align(rows, min_widths=NUMBERS, right={1})
    shown = [name for name in METRICS if name not in TOKENS]
    for title in ("families", "scenarios"):
        groups = [(title, "n", *shown)]
        for group, part in metrics[title].items():
            means = (_value_text(name, part["metrics"][name]["mean"]) for name in shown)
            groups.append((f"  {group}", str(part["n"]), *means))
        columns = range(1, len(shown) + 2)
        yield from align(groups, min_widths=(WIDTH, *(6 for _ in columns)), right=columns)
    if metrics.get("verdicts"):
        yield "verdicts: " + ", ".join(f"{count} {status}" for status, count in metrics["verdicts"].items())
    if metrics.get("undeclared"):
        yield "undeclared: " + ", ".join(f"{count} {name}" for name, count in metrics["undeclared"].items())
    for name, reasons in metrics.get("failures", {}).items():
        yield f"  {name:<12} {_counts_text(reasons)}"


def _undeclared_texts(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Return a list of one text: the number of runs without a declaration, and the mean over the other runs.

    The list is empty if every run has the declaration.

    Args:
        name: name of the metric.
        entry: entry of the metric in a JSON report.
    """
    if not entry.get("undeclared"):
        return []
    others = "" if entry["mean_declared"] is None else f", {_value_text(name, entry['mean_declared'])} of the others"
    return [f"{entry['undeclared']} undeclared{others}"]


def _official_lines(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace; similarity {metrics['similarity']}"
    overall = metrics["overall"]
    means = [(name, _value_text(name, mean)) for name, mean in overall["means"].items()]
    yield from align(means, min_widths=NUMBERS, right={1})
    yield "rows: " + ", ".join(f"{name} {rows} of {metrics['n']}" for name, rows in overall["rows"].items())
    families = []
    for name, total in metrics["families"].items():
        values = ", ".join(f"{number} {_value_text(number, mean)}" for number, mean in total["means"].items())
        families.append((f"  {name}", str(total["runs"]), values))
    yield from align(families, min_widths=(WIDTH + 2, 6), right={1})
    for name, reasons in metrics["dropped"].items():
        yield f"  dropped from {name}: {_counts_text(reasons)}"


def _difference_lines(differences: Mapping[str, Any]) -> Iterator[str]:
    yield f"strict and official, over {differences['runs']} episodes:"
    for metric, counts in differences["metrics"].items():
        causes = f"  {_counts_text(counts['causes'])}" if counts["causes"] else ""
        yield f"  {metric:<12} differ in {counts['part']}{causes}"
    yield f"  unexplained  {differences['unexplained']}"


def _counts_text(reasons: Mapping[str, int]) -> str:
    shown = [f"{reason} ({count})" for reason, count in list(reasons.items())[:MOST]]
    return "; ".join(shown) + (f"; {len(reasons) - MOST} more" if len(reasons) > MOST else "")


def _value_text(name: str, value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if name in TOKENS else f"{value:.4f}"
