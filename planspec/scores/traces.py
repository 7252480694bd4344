"""The metrics of families that look at whole traces, over the tasks and repeats of a run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import JsonValue

from planspec.api.catalog import Catalog, suite_folder
from planspec.measures.intervals import RESAMPLES, SEED, Pair, ratio
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores.attempts import Attempted
from planspec.scores.metrics import FamilyMetrics, MetricValues
from planspec.scores.record import Estimate
from planspec.traces.files import line_of
from planspec.traces.metrics import TraceMetrics, TraceRequest, TraceScores
from planspec.verifiers.metrics.metric import Metric
from planspec.verifiers.official.protocol import STRICT

GROUPS = {"family": "families", "scenario": "scenarios"}
"""The names of the groups for each label that trace metrics give an attempt."""
Row = tuple[Mapping[str, Any], ...]  # documents of any kind


def of_traces(run: Attempted, metrics: TraceMetrics, jobs: int = 1) -> FamilyMetrics:
    """The metrics of a run whose family has metrics that look at traces.

    Args:
        run: with all its attempts.
        metrics: metrics of its family.
        jobs: number of processes.

    Raises:
        UnsuitableRunError: the suite's files are not what they should be.
        NotFoundError: the suite is not there any more.
    """
    copy = SuiteCopy.of(run.folder.path) if run.suite == run.run.suite_path else None
    folder = suite_folder(Catalog().suite_path(run.suite)) if copy is None else copy.folder
    scored = [_scored(metrics, run, repeat, folder, jobs) for repeat in range(run.run.repeats)]
    by_task = [{str(one["task"]): one for one in scores.traces} for scores in scored]
    rows: list[Row] = [tuple(one[task] for one in by_task) for task in run.run.tasks]
    found = FamilyMetrics({}, whole=_measured(rows, range(len(rows)), metrics.declared))
    for key, by in GROUPS.items():
        for place, row in enumerate(rows):
            if row[0].get(key) is not None:
                found.members.setdefault(by, {}).setdefault(str(row[0][key]), []).append(place)
        told = scored[0].metrics.get(by)
        order = list(told) if isinstance(told, dict) else []
        of_family = sorted(found.members.pop(by, {}).items(), key=lambda one: _place(order, one[0]))
        for label, places in of_family:
            found.members.setdefault(by, {})[label] = places
            found.groups.setdefault(by, {})[label] = _measured(rows, places, metrics.declared)
    whole = len(scored) == 1 and len(by_task[0]) == len(rows)
    found.document.update(scored[0].metrics if whole else _document(found, rows))
    return found


def _place(order: list[str], label: str) -> int:
    """The place of a group in the family's own order; others come last, as they were found."""
    return order.index(label) if label in order else len(order)


def _scored(metrics: TraceMetrics, run: Attempted, repeat: int, folder: Path, jobs: int) -> TraceScores:
    """The metrics of one repeat, over every task of the suite, also those not in the run."""
    with TemporaryDirectory() as place:
        file = Path(place) / "traces.jsonl"
        with file.open("x", encoding="utf-8") as opened:
            for task in run.run.tasks:
                if (task, repeat) in run.attempts:
                    opened.write(line_of(run.attempts[task, repeat].trace) + "\n")
        request = TraceRequest(suite=run.run.suite, folder=folder, traces=file, profile=STRICT, jobs=jobs)
        return metrics.over(request)


def _measured(
    rows: list[Row], places: range | list[int], metrics: Mapping[str, Metric]
) -> dict[str, MetricValues]:
    """The metrics over some of the tasks; the columns are over all."""
    inside = set(places)
    made: dict[str, MetricValues] = {}
    for name, metric in metrics.items() if rows else ():
        values = [[_value(one, name) for one in row] if at in inside else [] for at, row in enumerate(rows)]
        column = [_pair(row) for row in values]
        repeats = tuple(
            ratio([_pair([row[repeat]]) for row in values if row]) for repeat in range(len(rows[0]))
        )
        made[name] = MetricValues(metric, ratio(column), repeats, column, sum(weight for _, weight in column))
    return made


def _value(one: Mapping[str, Any], name: str) -> Fraction | None:
    value = one["metrics"][name]["value"]
    return None if value is None else Fraction(value)


def _pair(values: list[Fraction | None]) -> Pair:
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)), len(known)


def _document(found: FamilyMetrics, rows: list[Row]) -> dict[str, JsonValue]:
    """The document that the family writes of a whole suite, from the tasks and repeats of a run."""
    repeats = len(rows[0]) if rows else 1

    def told(estimates: Mapping[str, Estimate]) -> dict[str, JsonValue]:
        return {
            name: {
                "mean": one.value,
                "n": one.n,
                "interval": None if one.low is None else [one.low, one.high],
            }
            for name, one in estimates.items()
        }

    made: dict[str, JsonValue] = {
        "n": len(rows) * repeats,
        "traced": sum(bool(one["traced"]) for row in rows for one in row),
        "metrics": told(found.estimates(repeats, SEED, RESAMPLES)),
    }
    for by, groups in found.grouped(repeats, SEED, RESAMPLES).items():
        made[by] = {label: {"n": group.n, "metrics": told(group.metrics)} for label, group in groups.items()}
    return made
