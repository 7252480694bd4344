"""The metrics of a run's family: over all attempts, in each repeat, by group, and what each task brings to them.

A set of metrics is computed over the whole run and over each attempt alone. What an attempt brings to a metric is its own
value, weighed as the metric declares: a mean over tasks counts each once, a rate over constraints as often as there are
constraints. That the weighted mean of these is the metric of the whole run is checked each time; a metric for which it is
not has no interval.
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

from planspec.families.registry import family_of
from planspec.measures.intervals import Column, Interval, Pair, bootstrap, ratio, wilson
from planspec.scores.attempts import Row
from planspec.scores.record import Estimate, Group, Tallied, TallyTable
from planspec.traces.metrics import trace_metrics
from planspec.verifiers.metrics.metric import Kind, Metric, MetricFields, Tallies, declared, tallied
from planspec.verifiers.metrics.perception import PerceptionMetrics, ReadingMetrics
from planspec.verifiers.metrics.scored import Scored

GroupKey: TypeAlias = tuple[str, str] | None
"""A group by what is grouped and its label; None is the whole run."""
MetricKey: TypeAlias = tuple[GroupKey, str]
Counts: TypeAlias = Mapping[str, Mapping[str, int]]
"""A table of counts: by row, `n` and the number of each status."""


class MetricSet(Protocol):
    """Metrics that are worked out over scored attempts."""

    def over(self, run: Sequence[Scored], /) -> MetricFields:
        """The metrics of a run."""


@dataclass(slots=True)
class MetricValues:
    """One metric, of the whole run or of a group.

    Attributes:
        metric: its declaration.
        value: over all attempts.
        repeats: of each repeat alone.
        column: what each task brings, over its repeats.
        n: attempts that have a part in it.
        sound: the column makes the value.
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
        mean: of those that have a value.
        deviation: divided by one less than their number; None of fewer than two.
    """

    mean: float | None
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[Fraction | None]) -> Spread:
        """The spread of the repeats' values."""
        there = [value for value in values if value is not None]
        return cls(
            float(mean(there)) if there else None,
            float(stdev(there)) if len(there) > 1 else None,
        )


@dataclass(frozen=True, slots=True)
class TallyValues:
    """A table of counts of the whole run.

    Attributes:
        declaration: of the table.
        whole: the counts of each row, with `n` of all.
        tasks: the same of each task, over its repeats.
        attempts: of each row how many attempts have a part in it.
    """

    declaration: Tallies
    whole: Counts
    tasks: Sequence[Counts]
    attempts: Mapping[str, int]

    def table(self, repeats: int, seed: int, resamples: int) -> TallyTable:
        """The counts, with the share of each row that is not right, and its interval over tasks."""
        columns = {row: [self._pair(task.get(row, {})) for task in self.tasks] for row in self.whole}
        drawn = dict(zip(columns, bootstrap(list(columns.values()), seed, resamples), strict=True))
        rows = {}
        for row, column in columns.items():
            value = ratio(column)
            told = Estimate(
                value=None if value is None else float(value), n=self.attempts.get(row, 0), better="lower"
            )
            rows[row] = Tallied(
                n=self.whole[row]["n"],
                counts={status: count for status, count in self.whole[row].items() if status != "n"},
                share=with_interval(told, column, drawn[row], kind="share", repeats=repeats),
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
    """The metrics of a run.

    Attributes:
        document: as the family writes them.
        whole: by name.
        groups: by what is grouped, by label, by name.
        members: which tasks, by their places, are in a group.
        tallies: tables of counts by name.
    """

    document: dict[str, JsonValue]
    whole: dict[str, MetricValues] = field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, MetricValues]]] = field(default_factory=dict)
    members: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    tallies: dict[str, TallyValues] = field(default_factory=dict)

    def add(self, others: FamilyMetrics) -> None:
        """Add other metrics of the whole run."""
        self.document |= others.document
        self.whole |= others.whole

    def spreads(self) -> dict[str, Spread]:
        """The spread of each metric of the whole run over its repeats."""
        return {name: Spread.of(measured.repeats) for name, measured in self.whole.items()}

    def estimates(self, repeats: int, seed: int, resamples: int) -> dict[str, Estimate]:
        """The metrics of the whole run with their intervals."""
        return estimates(self.whole, repeats, seed, resamples)

    def tables(self, repeats: int, seed: int, resamples: int) -> dict[str, TallyTable]:
        """The tables of counts, each row with the share of what is not right and its interval."""
        return {name: tally.table(repeats, seed, resamples) for name, tally in self.tallies.items()}

    def grouped(self, repeats: int, seed: int, resamples: int) -> dict[str, dict[str, Group]]:
        """The same of groups."""
        made: dict[str, dict[str, Group]] = {}
        for by, labels in self.groups.items():
            for label, metrics in labels.items():
                tasks = self.members[by][label]
                inside = {
                    name: replace(m, column=[m.column[place] for place in tasks])
                    for name, m in metrics.items()
                }
                made.setdefault(by, {})[label] = Group(
                    n=len(tasks) * repeats,
                    tasks=len(tasks),
                    metrics=estimates(inside, repeats, seed, resamples),
                )
        return made


def of_verdicts(name: str | None, rows: Sequence[Row]) -> FamilyMetrics:
    """A set of metrics over the verdicts of a run.

    Args:
        name: name of the set.
        rows: for each task its attempts.

    Raises:
        UnknownFamilyError: there is none of that name.
    """
    return _over(family_of(name).metrics.load(), rows)


def of_perception(rows: Sequence[Row]) -> FamilyMetrics | None:
    """The metrics of what agents have seen, which are no family's own; None where nothing is known of any attempt.

    Args:
        rows: for each task its attempts.
    """
    known = any(scored.facts_seen is not None for row in rows for scored in row)
    return _over(PerceptionMetrics, rows) if known else None


def of_reading(rows: Sequence[Row]) -> FamilyMetrics | None:
    """The metrics of what agents declared to have read; None where none declared anything.

    Args:
        rows: for each task its attempts.
    """
    known = any(scored.right_as_read is not None for row in rows for scored in row)
    return _over(ReadingMetrics, rows) if known else None


def _over(metrics: MetricSet, rows: Sequence[Row]) -> FamilyMetrics:
    repeats = len(rows[0]) if rows else 1
    whole = metrics.over([scored for row in rows for scored in row])
    alone = [_values(metrics.over([row[repeat] for row in rows])) for repeat in range(repeats)]
    each = [[metrics.over([scored]) for scored in row] for row in rows]
    single = [[_values(one) for one in row] for row in each]
    found = FamilyMetrics(json.loads(whole.model_dump_json()), tallies=_tallies(whole, each))
    places = [{place for one in row for place, _ in one} for row in single]
    for (place, name_), metric, value in _measured(whole):
        column, n = [], 0
        for row, values in zip(rows, single, strict=True):
            part, total = Fraction(0), 0
            for scored, one in zip(row, values, strict=True):
                said = one.get((place, name_))
                if said is not None:
                    times = metric.weight(scored)
                    part, total, n = part + said * times, total + times, n + 1
            column.append((part, total))
        made = MetricValues(
            metric, value, tuple(one.get((place, name_)) for one in alone), column, n,
            sound=ratio(column) == value,
        )  # fmt: skip
        _keep(found, place, name_, made, places)
    return found


def _tallies(whole: MetricFields, each: Sequence[Sequence[MetricFields]]) -> dict[str, TallyValues]:
    """The tables of counts of a run that have any rows.

    Args:
        whole: the metrics of the run.
        each: those of each attempt, by task.
    """
    made = {}
    for name, declaration in tallied(type(whole)).items():
        counts: Counts = getattr(whole, name)
        parts: list[list[Counts]] = [[getattr(one, name) for one in row] for row in each]
        attempts = Counter(row for task in parts for one in task for row, found in one.items() if found["n"])
        if counts:
            made[name] = TallyValues(declaration, counts, [_sum(task) for task in parts], attempts)
    return made


def _sum(tables: Iterable[Counts]) -> Counts:
    total: dict[str, Counter[str]] = {}
    for table in tables:
        for row, counts in table.items():
            total.setdefault(row, Counter()).update(counts)
    return total


def _keep(
    found: FamilyMetrics, place: GroupKey, metric: str, made: MetricValues, places: Sequence[set[GroupKey]]
) -> None:
    if place is None:
        found.whole[metric] = made
        return
    by, label = place
    found.groups.setdefault(by, {}).setdefault(label, {})[metric] = made
    inside = found.members.setdefault(by, {})
    if label not in inside:
        inside[label] = [task for task, there in enumerate(places) if place in there]


def _values(metrics: MetricFields) -> dict[MetricKey, Fraction | None]:
    """The values of a document's metrics, and of its groups'."""
    return {name: value for name, _, value in _measured(metrics)}


def _measured(metrics: MetricFields) -> Iterator[tuple[MetricKey, Metric, Fraction | None]]:
    declarations = declared(type(metrics))
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
                        for (_, part), metric, number in _measured(group):
                            yield ((name, label), part), metric, number
            case _:
                pass


def estimates(
    measured: Mapping[str, MetricValues], repeats: int, seed: int, resamples: int
) -> dict[str, Estimate]:
    """Metrics with their intervals.

    Args:
        measured: by name, all over the same tasks.
        repeats: attempts at each task.
        seed: seed of the bootstrap.
        resamples: of the bootstrap.
    """
    drawn = dict(
        zip(measured, bootstrap([m.column for m in measured.values()], seed, resamples), strict=True)
    )
    return {name: _estimate(m, drawn[name], repeats) for name, m in measured.items()}


def _estimate(measured: MetricValues, drawn: Interval | None, repeats: int) -> Estimate:
    told = Estimate(
        value=None if measured.value is None else float(measured.value),
        n=measured.n,
        better=measured.metric.better,
    )
    if measured.sound:
        told = with_interval(told, measured.column, drawn, kind=measured.metric.kind, repeats=repeats)
    if repeats == 1:
        return told
    spread = Spread.of(measured.repeats)
    return told.model_copy(
        update={
            "repeats": tuple(None if value is None else float(value) for value in measured.repeats),
            "mean": spread.mean,
            "deviation": spread.deviation,
        }
    )


def with_interval(
    told: Estimate, column: Column, drawn: Interval | None, *, kind: Kind, repeats: int
) -> Estimate:
    """An estimate with Wilson's interval, or with the bootstrap's.

    Where all tasks have all of a share, or none of it, there is nothing to draw from, and the share has Wilson's interval
    of tasks that have it all: the mean of a share is at least as great as the rate at which tasks have all of it. Other
    numbers that are the same in all tasks have no interval.

    Args:
        told: without one.
        column: what each task brings.
        drawn: the bootstrap's interval.
        kind: kind of the number.
        repeats: attempts at each task; where there are several, those at one task hang together.
    """
    shares = [part / weight for part, weight in column if weight]
    alike = len(set(shares)) == 1
    bounds, method = (None if alike else drawn), "bootstrap"
    if set(shares) <= {0, 1} and ((kind == "rate" and repeats == 1) or (kind != "quantity" and alike)):
        bounds, method = wilson(int(sum(shares)), len(shares)), "wilson"
    if bounds is None:
        return told
    return told.model_copy(update={"low": bounds[0], "high": bounds[1], "method": method})


def declared_by(protocol: str | None) -> Mapping[str, Metric]:
    """The metrics of a family and those that all have, by name, with their declarations.

    Raises:
        UnknownFamilyError: there is none of that name.
    """
    of_traces = trace_metrics(protocol)
    own = declared(family_of(protocol).metrics.load()) if of_traces is None else of_traces.declared
    return {**own, **declared(PerceptionMetrics), **declared(ReadingMetrics)}
