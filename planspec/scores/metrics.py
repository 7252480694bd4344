"""A family's metrics for a run: over all attempts, in each repeat and by group, with each task's contribution.

Metrics are computed over the whole run, and over each attempt by itself. The value for an attempt is its contribution
to the metric. The metric declares the weight of the contribution: 1 for a mean over tasks, the number of constraints
for a rate over constraints. If the weighted mean of the contributions differs from the metric of the whole run, the
metric has no interval.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import mean, stdev
from typing import Protocol, TypeAlias

from pydantic import BaseModel, JsonValue

from planspec.family.registry import family_of
from planspec.scores.attempts import Row
from planspec.scores.estimates import Estimate, add_interval
from planspec.scores.intervals import Interval, Pair, bootstrap, ratio
from planspec.scores.record import MetricGroup, TallyRow, TallyTable
from planspec.traces.metrics import trace_metrics
from planspec.verifiers.metrics.metric import (
    Metric,
    MetricFields,
    Tallies,
    declared_metrics,
    declared_tallies,
)
from planspec.verifiers.metrics.perception import PerceptionMetrics, ReadingMetrics
from planspec.verifiers.metrics.scored import Scored

GroupKey: TypeAlias = tuple[str, str] | None
"""Key of a group of tasks: the grouping and the label in it; None for the whole run."""
MetricKey: TypeAlias = tuple[GroupKey, str]
Counts: TypeAlias = Mapping[str, Mapping[str, int]]
"""A table of counts: for each row, the number of items (`n`) and the number of items with each status."""


class MetricSet(Protocol):
    """A set of metrics that can be computed over any number of scored attempts."""

    def over(self, run: Sequence[Scored], /) -> MetricFields:
        """Return the metrics of a run."""


@dataclass(slots=True)
class MetricValues:
    """The values of a metric over the whole run or over a group of tasks.

    Attributes:
        metric: declaration of the metric.
        value: value over all attempts; None if no attempt contributes.
        repeats: value of each repeat; None if no attempt of the repeat contributes.
        column: contribution of each task, summed over its repeats.
        n: number of contributing attempts.
        sound: whether the weighted mean of the contributions equals the value. Otherwise there is no interval.
    """

    metric: Metric
    value: Fraction | None
    repeats: tuple[Fraction | None, ...]
    column: list[Pair]
    n: int
    sound: bool = True


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of a metric over repeats.

    Attributes:
        mean: mean of the defined values; None if all are undefined.
        deviation: sample standard deviation (divisor n - 1); None for fewer than two values.
    """

    mean: float | None
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[Fraction | None]) -> Spread:
        """Return the spread of the values of several repeats."""
        present = [value for value in values if value is not None]
        return cls(
            float(mean(present)) if present else None,
            float(stdev(present)) if len(present) > 1 else None,
        )


@dataclass(frozen=True, slots=True)
class TallyValues:
    """A table of counts for a whole run.

    Attributes:
        declaration: the table's title, counted items and right status, as declared by the family.
        whole: counts over all attempts.
        tasks: counts of each task, summed over its repeats.
        attempts: number of contributing attempts by row.
    """

    declaration: Tallies
    whole: Counts
    tasks: Sequence[Counts]
    attempts: Mapping[str, int]

    def table(self, repeats: int, seed: int, resamples: int) -> TallyTable:
        """Return the table for score documents.

        Each row has its counts, and the share of items that are not right, with its interval.
        """
        columns = {row: [self._pair(task.get(row, {})) for task in self.tasks] for row in self.whole}
        drawn = dict(zip(columns, bootstrap(list(columns.values()), seed, resamples), strict=True))
        rows = {}
        for row, column in columns.items():
            value = ratio(column)
            estimate = Estimate(
                value=None if value is None else float(value), n=self.attempts.get(row, 0), better="lower"
            )
            rows[row] = TallyRow(
                n=self.whole[row]["n"],
                counts={status: count for status, count in self.whole[row].items() if status != "n"},
                share=add_interval(estimate, column, drawn[row], kind="share", repeats=repeats),
            )
        return TallyTable(
            title=self.declaration.title,
            things=self.declaration.things,
            right=self.declaration.right,
            rows=rows,
        )

    def _pair(self, counts: Mapping[str, int]) -> Pair:
        n = counts.get("n", 0)
        return Fraction(n - counts.get(self.declaration.right, 0)), n


@dataclass(slots=True)
class FamilyMetrics:
    """All metrics of a run, including those of groups of tasks.

    Attributes:
        as_json: the family's metrics as JSON.
        whole: metrics of the whole run by name.
        groups: metrics of groups, keyed by grouping, then label, then name.
        members: indices of the tasks in each group, keyed by grouping, then label.
        tallies: tables of counts by name.
    """

    as_json: dict[str, JsonValue]
    whole: dict[str, MetricValues] = field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, MetricValues]]] = field(default_factory=dict)
    members: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    tallies: dict[str, TallyValues] = field(default_factory=dict)

    def add(self, others: FamilyMetrics) -> None:
        """Add metrics over the whole run, such as those common to all families."""
        self.as_json |= others.as_json
        self.whole |= others.whole

    def spreads(self) -> dict[str, Spread]:
        """Return the spread of each metric of the whole run over its repeats."""
        return {name: Spread.of(measured.repeats) for name, measured in self.whole.items()}

    def estimates(self, repeats: int, seed: int, resamples: int) -> dict[str, Estimate]:
        """Return the metrics of the whole run with their intervals."""
        return estimates(self.whole, repeats, seed, resamples)

    def tables(self, repeats: int, seed: int, resamples: int) -> dict[str, TallyTable]:
        """Return the tables of counts by name; see `TallyValues.table`."""
        return {name: tally.table(repeats, seed, resamples) for name, tally in self.tallies.items()}

    def grouped(self, repeats: int, seed: int, resamples: int) -> dict[str, dict[str, MetricGroup]]:
        """Return the metrics of groups with their intervals."""
        grouped: dict[str, dict[str, MetricGroup]] = {}
        for by, labels in self.groups.items():
            for label, metrics in labels.items():
                tasks = self.members[by][label]
                inside = {name: replace(m, column=[m.column[index] for index in tasks]) for name, m in metrics.items()}
                grouped.setdefault(by, {})[label] = MetricGroup(
                    n=len(tasks) * repeats,
                    tasks=len(tasks),
                    metrics=estimates(inside, repeats, seed, resamples),
                )
        return grouped


def verdict_metrics(name: str | None, rows: Sequence[Row]) -> FamilyMetrics:
    """Compute the metrics of a family over the verdicts of a run.

    Args:
        name: name of the family; None for tasks without one.
        rows: attempts of each task.

    Raises:
        UnknownFamilyError: no family has the name.
    """
    return _compute_metrics(family_of(name).metrics.load(), rows)


def perception_metrics(rows: Sequence[Row]) -> FamilyMetrics | None:
    """Compute the metrics of perception, common to all families: shares of the needed facts that agents saw.

    Return None if no attempt has a record of needed facts.

    Args:
        rows: attempts of each task.
    """
    is_known = any(scored.facts_seen is not None for row in rows for scored in row)
    return _compute_metrics(PerceptionMetrics, rows) if is_known else None


def reading_metrics(rows: Sequence[Row]) -> FamilyMetrics | None:
    """Compute metrics of the facts that agents declared; return None if no agent declared any.

    Args:
        rows: attempts of each task.
    """
    has_declarations = any(scored.right_as_read is not None for row in rows for scored in row)
    return _compute_metrics(ReadingMetrics, rows) if has_declarations else None


def _compute_metrics(metrics: MetricSet, rows: Sequence[Row]) -> FamilyMetrics:
    repeats = len(rows[0]) if rows else 1
    whole = metrics.over([scored for row in rows for scored in row])
    alone = [_metric_values(metrics.over([row[repeat] for row in rows])) for repeat in range(repeats)]
    each = [[metrics.over([scored]) for scored in row] for row in rows]
    single = [[_metric_values(attempt) for attempt in row] for row in each]
    family = FamilyMetrics(json.loads(whole.model_dump_json()), tallies=_tally_values(whole, each))
    groups_by_task = [{group for values in row for group, _ in values} for row in single]
    for (group, name_), metric, value in _declared_values(whole):
        column, n = [], 0
        for row, values in zip(rows, single, strict=True):
            part, total = Fraction(0), 0
            for scored, own in zip(row, values, strict=True):
                contribution = own.get((group, name_))
                if contribution is not None:
                    weight = metric.weight(scored)
                    part, total, n = part + contribution * weight, total + weight, n + 1
            column.append((part, total))
        measured = MetricValues(
            metric,
            value,
            tuple(repeat.get((group, name_)) for repeat in alone),
            column,
            n,
            sound=ratio(column) == value,
        )
        _add_metric(family, group, name_, measured, groups_by_task)
    return family


def _tally_values(whole: MetricFields, each: Sequence[Sequence[MetricFields]]) -> dict[str, TallyValues]:
    """Return the tables of counts of a run, leaving out empty ones.

    Args:
        whole: metrics of the run.
        each: metrics of each attempt, as a list for each task.
    """
    tables = {}
    for name, declaration in declared_tallies(type(whole)).items():
        counts: Counts = getattr(whole, name)
        parts: list[list[Counts]] = [[getattr(attempt, name) for attempt in row] for row in each]
        attempts = Counter(
            row for task in parts for attempt in task for row, numbers in attempt.items() if numbers["n"]
        )
        if counts:
            tables[name] = TallyValues(declaration, counts, [_sum_counts(task) for task in parts], attempts)
    return tables


def _sum_counts(tables: Iterable[Counts]) -> Counts:
    total: dict[str, Counter[str]] = {}
    for table in tables:
        for row, counts in table.items():
            total.setdefault(row, Counter()).update(counts)
    return total


def _add_metric(
    family: FamilyMetrics,
    group: GroupKey,
    metric: str,
    measured: MetricValues,
    groups_by_task: Sequence[set[GroupKey]],
) -> None:
    if group is None:
        family.whole[metric] = measured
        return
    by, label = group
    family.groups.setdefault(by, {}).setdefault(label, {})[metric] = measured
    inside = family.members.setdefault(by, {})
    if label not in inside:
        inside[label] = [task for task, groups in enumerate(groups_by_task) if group in groups]


def _metric_values(metrics: MetricFields) -> dict[MetricKey, Fraction | None]:
    """Return the values of all metrics in a metrics document, including the metrics of groups."""
    return {name: value for name, _, value in _declared_values(metrics)}


def _declared_values(metrics: MetricFields) -> Iterator[tuple[MetricKey, Metric, Fraction | None]]:
    declarations = declared_metrics(type(metrics))
    for name, value in metrics:
        match value:
            case Fraction() | None if name in declarations:
                yield (None, name), declarations[name], value
            case BaseModel() if name in declarations:
                for part, bound in value:
                    yield (None, f"{name}.{part}"), declarations[name], bound
            case dict():
                for label, group in value.items():
                    if isinstance(group, MetricFields):
                        for (_, part), metric, number in _declared_values(group):
                            yield ((name, label), part), metric, number
            case _:
                pass


def estimates(measured: Mapping[str, MetricValues], repeats: int, seed: int, resamples: int) -> dict[str, Estimate]:
    """Return metrics with their intervals.

    Args:
        measured: metrics by name, all over the same tasks.
        repeats: number of attempts at each task.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    intervals = dict(zip(measured, bootstrap([m.column for m in measured.values()], seed, resamples), strict=True))
    return {name: _estimate(m, intervals[name], repeats) for name, m in measured.items()}


def _estimate(measured: MetricValues, bootstrap_interval: Interval | None, repeats: int) -> Estimate:
    estimate = Estimate(
        value=None if measured.value is None else float(measured.value),
        n=measured.n,
        better=measured.metric.better,
    )
    if measured.sound:
        estimate = add_interval(
            estimate, measured.column, bootstrap_interval, kind=measured.metric.kind, repeats=repeats
        )
    if repeats == 1:
        return estimate
    spread = Spread.of(measured.repeats)
    return estimate.model_copy(
        update={
            "repeats": tuple(None if value is None else float(value) for value in measured.repeats),
            "mean": spread.mean,
            "deviation": spread.deviation,
        }
    )


def metrics_of_family(family: str | None) -> Mapping[str, Metric]:
    """Return the metrics of a family and the metrics common to all families, by name.

    Raises:
        UnknownFamilyError: no family has the name.
    """
    traced = trace_metrics(family)
    own = declared_metrics(family_of(family).metrics.load()) if traced is None else traced.declared
    return {**own, **declared_metrics(PerceptionMetrics), **declared_metrics(ReadingMetrics)}
