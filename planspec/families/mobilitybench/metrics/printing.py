"""Scores of traces for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planspec.families.mobilitybench.metrics.record import METRICS, TOKENS
from planspec.text_table import GAP, align
from planspec.traces.metrics import TraceScores
from planspec.verifiers.official.protocol import OFFICIAL

MOST = 5
"""The most reasons or causes of a metric that are shown."""
MOST_QUESTIONS = 20
"""The most traces of other questions that are shown."""
WIDTH = 39
"""The least width of a column of groups."""
NUMBERS = (11, 9)
"""The least widths of a column of metrics and of their numbers."""


def metric_lines(metrics: Mapping[str, Any], profile: str) -> Iterator[str]:
    """The metrics under a profile, overall and by group."""
    return _official(metrics) if profile == OFFICIAL else _strict(metrics)


def lines_of(scores: TraceScores) -> Sequence[str]:
    """The metrics, what failed, and where the profiles part."""
    made = list(metric_lines(scores.metrics, scores.profile))
    if scores.differences is not None:
        made += _differences(scores.differences)
    made += [f"not read: {one}" for one in scores.unread]
    if scores.other_questions:
        made.append(f"traces that ask another question than their task: {len(scores.other_questions)}")
        made += [f"  {one}" for one in scores.other_questions[:MOST_QUESTIONS]]
        if len(scores.other_questions) > MOST_QUESTIONS:
            made.append(f"  {len(scores.other_questions) - MOST_QUESTIONS} more")
    return made


def _strict(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace"
    rows = []
    for name in METRICS:
        one = metrics["metrics"][name]
        low, high = (_shown(name, bound) for bound in one["interval"] or (None, None))
        interval = [f"[{low}, {high}]"] if one["interval"] else []
        over = [] if one["n"] == metrics["n"] else [f"over {one['n']}"]
        rows.append((name, _shown(name, one["mean"]), GAP.join(interval + over + _silent(name, one))))
    yield from align(rows, least=NUMBERS, right={1})
    shown = [name for name in METRICS if name not in TOKENS]
    for title in ("families", "scenarios"):
        groups = [(title, "n", *shown)]
        for group, found in metrics[title].items():
            means = (_shown(name, found["metrics"][name]["mean"]) for name in shown)
            groups.append((f"  {group}", str(found["n"]), *means))
        columns = range(1, len(shown) + 2)
        yield from align(groups, least=(WIDTH, *(6 for _ in columns)), right=columns)
    if metrics.get("verdicts"):
        yield "verdicts: " + ", ".join(f"{count} {status}" for status, count in metrics["verdicts"].items())
    if metrics.get("undeclared"):
        yield "undeclared: " + ", ".join(f"{count} {name}" for name, count in metrics["undeclared"].items())
    for name, reasons in metrics.get("failures", {}).items():
        yield f"  {name:<12} {_counted(reasons)}"


def _silent(name: str, one: Mapping[str, Any]) -> list[str]:
    """Of how many runs nothing is known, and the mean over the others."""
    if not one.get("undeclared"):
        return []
    others = "" if one["mean_declared"] is None else f", {_shown(name, one['mean_declared'])} of the others"
    return [f"{one['undeclared']} undeclared{others}"]


def _official(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield f"{metrics['n']} episodes, {metrics['traced']} with a trace; similarity {metrics['similarity']}"
    overall = metrics["overall"]
    means = [(name, _shown(name, mean)) for name, mean in overall["means"].items()]
    yield from align(means, least=NUMBERS, right={1})
    yield "rows: " + ", ".join(f"{name} {rows} of {metrics['n']}" for name, rows in overall["rows"].items())
    families = []
    for name, total in metrics["families"].items():
        told = ", ".join(f"{number} {_shown(number, mean)}" for number, mean in total["means"].items())
        families.append((f"  {name}", str(total["runs"]), told))
    yield from align(families, least=(WIDTH + 2, 6), right={1})
    for name, reasons in metrics["dropped"].items():
        yield f"  dropped from {name}: {_counted(reasons)}"


def _differences(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"strict and official, over {found['runs']} episodes:"
    for metric, one in found["metrics"].items():
        causes = f"  {_counted(one['causes'])}" if one["causes"] else ""
        yield f"  {metric:<12} part in {one['part']}{causes}"
    yield f"  unexplained  {found['unexplained']}"


def _counted(reasons: Mapping[str, int]) -> str:
    told = [f"{reason} ({count})" for reason, count in list(reasons.items())[:MOST]]
    return "; ".join(told) + (f"; {len(reasons) - MOST} more" if len(reasons) > MOST else "")


def _shown(name: str, value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if name in TOKENS else f"{value:.4f}"
