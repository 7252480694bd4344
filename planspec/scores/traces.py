"""Metrics of whole traces, over the tasks and repeats of a run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import JsonValue

from planspec.api.catalog import Catalog, suite_folder
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores.attempts import AttemptedRun
from planspec.scores.estimates import Estimate
from planspec.scores.intervals import RESAMPLES, SEED, Pair, ratio
from planspec.scores.metrics import FamilyMetrics, MetricValues
from planspec.traces.files import line_of
from planspec.traces.metrics import TraceMetrics, TraceRequest, TraceScores
from planspec.verifiers.metrics.metric import Metric
from planspec.verifiers.official.protocol import STRICT

GROUPS = {"family": "families", "scenario": "scenarios"}
"""Name of the grouping, by the label that trace metrics assign to attempts."""
Row = tuple[Mapping[str, Any], ...]  # metrics documents, whose content depends on the family


def metrics_of_traces(run: AttemptedRun, metrics: TraceMetrics, jobs: int = 1) -> FamilyMetrics:
    """Return the metrics of a run in a family whose metrics are computed from traces.

    Args:
        run: run with all its attempts.
        metrics: metrics of its family.
        jobs: number of processes.

    Raises:
        UnsuitableRunError: the suite's files are not suitable.
        NotFoundError: the suite no longer exists.
    """
    copy = SuiteCopy.of(run.folder.path) if run.suite == run.run.suite_path else None
    folder = suite_folder(Catalog().suite_path(run.suite)) if copy is None else copy.folder
    scored = [_score_repeat(metrics, run, repeat, folder, jobs) for repeat in range(run.run.repeats)]
    by_task = [{str(trace["task"]): trace for trace in scores.traces} for scores in scored]
    rows: list[Row] = [tuple(repeat[task] for repeat in by_task) for task in run.run.tasks]
    family = FamilyMetrics({}, whole=_metric_values(rows, range(len(rows)), metrics.declared))
    for key, by in GROUPS.items():
        for index, row in enumerate(rows):
            if row[0].get(key) is not None:
                family.members.setdefault(by, {}).setdefault(str(row[0][key]), []).append(index)
        groups = scored[0].metrics.get(by)
        order = list(groups) if isinstance(groups, dict) else []
        members = sorted(family.members.pop(by, {}).items(), key=lambda item: _group_index(order, item[0]))
        for label, indices in members:
            family.members.setdefault(by, {})[label] = indices
            family.groups.setdefault(by, {})[label] = _metric_values(rows, indices, metrics.declared)
    whole = len(scored) == 1 and len(by_task[0]) == len(rows)
    family.as_json.update(scored[0].metrics if whole else _metrics_document(family, rows))
    return family


def _group_index(order: list[str], label: str) -> int:
    """Return the index of a group in the family's order; unknown groups come last."""
    return order.index(label) if label in order else len(order)


def _score_repeat(metrics: TraceMetrics, run: AttemptedRun, repeat: int, folder: Path, jobs: int) -> TraceScores:
    """Score one repeat over all tasks of the suite, including tasks that are not in the run."""
    with TemporaryDirectory() as place:
        file = Path(place) / "traces.jsonl"
        with file.open("x", encoding="utf-8") as opened:
            for task in run.run.tasks:
                if (task, repeat) in run.attempts:
                    opened.write(line_of(run.attempts[task, repeat].trace) + "\n")
        request = TraceRequest(suite=run.run.suite, folder=folder, traces=file, profile=STRICT, jobs=jobs)
        return metrics.over(request)


def _metric_values(
    rows: list[Row], indices: range | list[int], metrics: Mapping[str, Metric]
) -> dict[str, MetricValues]:
    """Return the metrics over the tasks with the given indices.

    Columns have an entry for every task. Entries of other tasks are empty.
    """
    inside = set(indices)
    measured: dict[str, MetricValues] = {}
    for name, metric in metrics.items() if rows else ():
        values = [
            [_metric_value(attempt, name) for attempt in row] if at in inside else [] for at, row in enumerate(rows)
        ]
        column = [_sum_and_count(row) for row in values]
        repeats = tuple(
            ratio([_sum_and_count([row[repeat]]) for row in values if row]) for repeat in range(len(rows[0]))
        )
        measured[name] = MetricValues(metric, ratio(column), repeats, column, sum(weight for _, weight in column))
    return measured


def _metric_value(attempt: Mapping[str, Any], name: str) -> Fraction | None:
    value = attempt["metrics"][name]["value"]
    return None if value is None else Fraction(value)


def _sum_and_count(values: list[Fraction | None]) -> Pair:
    present = [value for value in values if value is not None]
    return sum(present, Fraction(0)), len(present)


def _metrics_document(family: FamilyMetrics, rows: list[Row]) -> dict[str, JsonValue]:
    """Return the metrics of a run as the document that the family defines for a whole suite."""
    repeats = len(rows[0]) if rows else 1

    def entries(estimates: Mapping[str, Estimate]) -> dict[str, JsonValue]:
        return {
            name: {
                "mean": estimate.value,
                "n": estimate.n,
                "interval": None if estimate.low is None else [estimate.low, estimate.high],
            }
            for name, estimate in estimates.items()
        }

    document: dict[str, JsonValue] = {
        "n": len(rows) * repeats,
        "traced": sum(bool(attempt["traced"]) for row in rows for attempt in row),
        "metrics": entries(family.estimates(repeats, SEED, RESAMPLES)),
    }
    for by, groups in family.grouped(repeats, SEED, RESAMPLES).items():
        document[by] = {label: {"n": group.n, "metrics": entries(group.metrics)} for label, group in groups.items()}
    return document
