"""The metrics of a run's family: over all attempts, in each repeat, by group, and what each task brings to them.

A protocol says what its metrics are. What an attempt brings to a metric is what the protocol says of this attempt alone,
weighed: a mean over tasks counts each once, a rate over constraints as often as there are constraints. That the weighted
mean of these is the metric of the whole run is checked each time; a metric of which that is not so has no interval.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import mean, stdev
from typing import Literal, TypeAlias

from pydantic import BaseModel, JsonValue

from planspec.measures.intervals import Column, Interval, Pair, bootstrap, ratio, wilson
from planspec.scores.attempts import Attempted, Row
from planspec.scores.record import Better, Estimate, Group
from planspec.verifiers.metrics.generic import given
from planspec.verifiers.metrics.registry import protocol
from planspec.verifiers.metrics.scored import Scored

Weight: TypeAlias = Callable[[Scored], int]
Place: TypeAlias = tuple[str, str] | None
"""A group by what is grouped and its label; None is the whole run."""

RATES = frozenset(
    {
        "pass_rate", "feasibility_rate", "temporal_rate", "delivery_rate", "final_pass_rate", "commonsense_macro", "hard_macro",
        "pr_macro", "pfr", "ID", "IE", "DR", "FPR",
    }
)  # fmt: skip
"""Metrics of which an attempt has 1 or 0."""
LOWER = frozenset({"constraint_violation", "am", "am_metres", "tool_calls", "IT", "OT"})
"""Metrics of which less is better."""
NUMBERS = frozenset({"am", "am_metres", "tool_calls", "IT", "OT"})
"""Metrics that are no shares."""
Kind: TypeAlias = Literal["rate", "share", "number"]


def _asked(kind: str) -> Weight:
    return lambda scored: scored.asked.get(kind, 0)


def _applicable(kind: str) -> Weight:
    """The number of constraints of a kind that apply, according to an answer's findings."""
    return lambda scored: (
        sum(
            f.kind == kind and f.level != "shape" and f.status != "not-applicable"
            for f in scored.verdict.findings
        )
        * given(scored.verdict)
    )


def _cells(scored: Scored) -> int:
    return len(scored.verdict.facts.cells) if scored.verdict.facts is not None else 0


def _citable(scored: Scored) -> int:
    return sum(scored.verdict.facts.citations.values()) if scored.verdict.facts is not None else 0


_TRAVELPLANNER: Mapping[str, Weight] = {
    "commonsense_micro": _asked("commonsense"), "hard_micro": _asked("request"),
}  # fmt: skip
WEIGHTS: Mapping[str, Mapping[str, Weight]] = {
    "travelplanner": _TRAVELPLANNER,
    "flextravel": _TRAVELPLANNER,
    "veritrip": {
        "factual_reliability": _cells, "citation_support": _citable, "pr_micro": _applicable("constraint"),
        "pr_micro_all": _asked("constraint"), "pfr_micro": _applicable("preference"),
    },
}  # fmt: skip
"""The weight of an attempt in metrics that count it more than once; by protocol and metric."""


@dataclass(slots=True)
class Measured:
    """One metric, of the whole run or of a group.

    Attributes:
        value: over all attempts.
        repeats: of each repeat alone.
        column: what each task brings, over its repeats.
        n: attempts that have a part in it.
        sound: the column makes the value.
    """

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


@dataclass(slots=True)
class Family:
    """The metrics of a run.

    Attributes:
        document: as the family writes them.
        whole: by name.
        groups: by what is grouped, by label, by name.
        members: which tasks, by their places, are in a group.
    """

    document: dict[str, JsonValue]
    whole: dict[str, Measured] = field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, Measured]]] = field(default_factory=dict)
    members: dict[str, dict[str, list[int]]] = field(default_factory=dict)

    def spreads(self) -> dict[str, Spread]:
        """The spread of each metric of the whole run over its repeats."""
        return {name: Spread.of(measured.repeats) for name, measured in self.whole.items()}

    def estimates(self, repeats: int, seed: int, resamples: int) -> dict[str, Estimate]:
        """The metrics of the whole run with their intervals."""
        return estimates(self.whole, repeats, seed, resamples)

    def grouped(self, repeats: int, seed: int, resamples: int) -> dict[str, dict[str, Group]]:
        """The same of groups."""
        made: dict[str, dict[str, Group]] = {}
        for by, labels in self.groups.items():
            for label, metrics in labels.items():
                tasks = self.members[by][label]
                inside = {
                    name: Measured(m.value, m.repeats, [m.column[place] for place in tasks], m.n, m.sound)
                    for name, m in metrics.items()
                }
                made.setdefault(by, {})[label] = Group(
                    n=len(tasks) * repeats,
                    tasks=len(tasks),
                    metrics=estimates(inside, repeats, seed, resamples),
                )
        return made


def of_protocol(name: str | None, rows: Sequence[Row]) -> Family:
    """The metrics of a protocol over a run.

    Args:
        name: of the protocol.
        rows: for each task its attempts.

    Raises:
        UnknownProtocol: there is none of that name.
    """
    make = protocol(name)
    repeats = len(rows[0]) if rows else 1
    whole = make([scored for row in rows for scored in row])
    alone = [dict(_numbers(make([row[repeat] for row in rows]))) for repeat in range(repeats)]
    single = [[dict(_numbers(make([scored]))) for scored in row] for row in rows]
    found = Family(json.loads(whole.model_dump_json()))
    weights = WEIGHTS.get(name or "", {})
    places = [{place for one in row for place, _ in one} for row in single]
    for (place, metric), value in _numbers(whole):
        weight = weights.get(metric, _once)
        column, n = [], 0
        for row, numbers in zip(rows, single, strict=True):
            part, total = Fraction(0), 0
            for scored, one in zip(row, numbers, strict=True):
                said = one.get((place, metric))
                if said is not None:
                    times = weight(scored)
                    part, total, n = part + said * times, total + times, n + 1
            column.append((part, total))
        made = Measured(
            value, tuple(one.get((place, metric)) for one in alone), column, n,
            sound=ratio(column) == value,
        )  # fmt: skip
        _keep(found, place, metric, made, places)
    return found


def _once(_: Scored) -> int:
    return 1


def _keep(found: Family, place: Place, metric: str, made: Measured, places: Sequence[set[Place]]) -> None:
    if place is None:
        found.whole[metric] = made
        return
    by, label = place
    found.groups.setdefault(by, {}).setdefault(label, {})[metric] = made
    inside = found.members.setdefault(by, {})
    if label not in inside:
        inside[label] = [task for task, there in enumerate(places) if place in there]


def _numbers(metrics: BaseModel) -> Iterator[tuple[tuple[Place, str], Fraction | None]]:
    """The shares and means of a document, with their places; its counts are none."""
    for name, value in metrics:
        match value:
            case Fraction() | None:
                yield (None, name), value
            case BaseModel():
                yield from (((None, f"{name}.{part}"), n) for (_, part), n in _numbers(value))
            case dict():
                for label, group in value.items():
                    if isinstance(group, BaseModel):
                        yield from ((((name, label), part), n) for (_, part), n in _numbers(group))
            case _:
                pass


def estimates(
    measured: Mapping[str, Measured], repeats: int, seed: int, resamples: int
) -> dict[str, Estimate]:
    """Metrics with their intervals.

    Args:
        measured: by name, all over the same tasks.
        repeats: attempts at each task.
        seed: of the bootstrap.
        resamples: of the bootstrap.
    """
    drawn = dict(
        zip(measured, bootstrap([m.column for m in measured.values()], seed, resamples), strict=True)
    )
    return {name: _estimate(name, m, drawn[name], repeats) for name, m in measured.items()}


def _estimate(name: str, measured: Measured, drawn: Interval | None, repeats: int) -> Estimate:
    told = Estimate(
        value=None if measured.value is None else float(measured.value), n=measured.n, better=better(name)
    )
    if measured.sound:
        told = with_interval(told, measured.column, drawn, kind=kind_of_metric(name), repeats=repeats)
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
        kind: of the number.
        repeats: attempts at each task; where there are several, those at one task hang together.
    """
    shares = [part / weight for part, weight in column if weight]
    alike = len(set(shares)) == 1
    bounds, method = (None if alike else drawn), "bootstrap"
    if set(shares) <= {0, 1} and ((kind == "rate" and repeats == 1) or (kind != "number" and alike)):
        bounds, method = wilson(int(sum(shares)), len(shares)), "wilson"
    if bounds is None:
        return told
    return told.model_copy(update={"low": bounds[0], "high": bounds[1], "method": method})


def kind_of_metric(metric: str) -> Kind:
    """The kind of a metric: attempts have it or not, have a share of it, or have a number of it."""
    name = metric.partition(".")[0]
    return "rate" if name in RATES else "number" if name in NUMBERS else "share"


def better(metric: str) -> Better:
    """The direction in which a metric gets better."""
    return "lower" if metric.partition(".")[0] in LOWER else "higher"


def family_of(run: Attempted, jobs: int = 1) -> Family:
    """The metrics of a run's family.

    Args:
        run: with all its attempts.
        jobs: processes to score traces with, in families whose metrics look at them.
    """
    from planspec.traces.scorers import kind_of

    if kind_of(run.known.protocol) == "traces":
        from planspec.scores.traces import of_traces

        return of_traces(run, jobs)
    return of_protocol(run.known.protocol, run.rows)
