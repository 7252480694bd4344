"""Scores of traces as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planspec.families.mobilitybench.metrics.record import METRICS, TOKENS
from planspec.text_table import GAP, align
from planspec.traces.metrics import TraceScores
from planspec.verifiers.official.protocol import OFFICIAL

MOST = 5
"""Most reasons or causes of a metric that are shown."""
MOST_QUESTIONS = 20
"""Most traces of other queries that are shown."""
WIDTH = 39
"""Least width of a column of groups."""
NUMBERS = (11, 9)
"""Least widths of a column of metrics and of their numbers."""


def metric_lines(metrics: Mapping[str, Any], profile: str) -> Iterator[str]:
    """Return the metrics of a profile, overall and by group."""
    return _official(metrics) if profile == OFFICIAL else _strict(metrics)


def lines_of(scores: TraceScores) -> Sequence[str]:
    """Return the metrics, the failures, and the differences of the profiles."""
    lines = list(metric_lines(scores.metrics, scores.profile))
    if scores.differences is not None:
        lines += _differences(scores.differences)
    lines += [f"not read: {item}" for item in scores.unread]
    if scores.other_questions:
        lines.append(f"traces that ask another question than their task: {len(scores.other_questions)}")
        lines += [f"  {item}" for item in scores.other_questions[:MOST_QUESTIONS]]
        if len(scores.other_questions) > MOST_QUESTIONS:
            lines.append(f"  {len(scores.other_questions) - MOST_QUESTIONS} more")
    return lines


def _strict(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace"
    rows = []
    for name in METRICS:
        entry = metrics["metrics"][name]
        low, high = (_shown(name, bound) for bound in entry["interval"] or (None, None))
        interval = [f"[{low}, {high}]"] if entry["interval"] else []
        over = [] if entry["n"] == metrics["n"] else [f"over {entry['n']}"]
        rows.append((name, _shown(name, entry["mean"]), GAP.join(interval + over + _silent(name, entry))))
    yield from align(rows, min_widths=NUMBERS, right={1})
    shown = [name for name in METRICS if name not in TOKENS]
    for title in ("families", "scenarios"):
        groups = [(title, "n", *shown)]
        for group, part in metrics[title].items():
            means = (_shown(name, part["metrics"][name]["mean"]) for name in shown)
            groups.append((f"  {group}", str(part["n"]), *means))
        columns = range(1, len(shown) + 2)
        yield from align(groups, min_widths=(WIDTH, *(6 for _ in columns)), right=columns)
    if metrics.get("verdicts"):
        yield "verdicts: " + ", ".join(f"{count} {status}" for status, count in metrics["verdicts"].items())
    if metrics.get("undeclared"):
        yield "undeclared: " + ", ".join(f"{count} {name}" for name, count in metrics["undeclared"].items())
    for name, reasons in metrics.get("failures", {}).items():
        yield f"  {name:<12} {_counted(reasons)}"


def _silent(name: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the number of runs without a declaration, and the mean over the others."""
    if not entry.get("undeclared"):
        return []
    others = (
        "" if entry["mean_declared"] is None else f", {_shown(name, entry['mean_declared'])} of the others"
    )
    return [f"{entry['undeclared']} undeclared{others}"]


def _official(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace; similarity {metrics['similarity']}"
    overall = metrics["overall"]
    means = [(name, _shown(name, mean)) for name, mean in overall["means"].items()]
    yield from align(means, min_widths=NUMBERS, right={1})
    yield "rows: " + ", ".join(f"{name} {rows} of {metrics['n']}" for name, rows in overall["rows"].items())
    families = []
    for name, total in metrics["families"].items():
        values = ", ".join(f"{number} {_shown(number, mean)}" for number, mean in total["means"].items())
        families.append((f"  {name}", str(total["runs"]), values))
    yield from align(families, min_widths=(WIDTH + 2, 6), right={1})
    for name, reasons in metrics["dropped"].items():
        yield f"  dropped from {name}: {_counted(reasons)}"


def _differences(differences: Mapping[str, Any]) -> Iterator[str]:
    yield f"strict and official, over {differences['runs']} episodes:"
    for metric, counts in differences["metrics"].items():
        causes = f"  {_counted(counts['causes'])}" if counts["causes"] else ""
        yield f"  {metric:<12} part in {counts['part']}{causes}"
    yield f"  unexplained  {differences['unexplained']}"


def _counted(reasons: Mapping[str, int]) -> str:
    shown = [f"{reason} ({count})" for reason, count in list(reasons.items())[:MOST]]
    return "; ".join(shown) + (f"; {len(reasons) - MOST} more" if len(reasons) > MOST else "")


def _shown(name: str, value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if name in TOKENS else f"{value:.4f}"
