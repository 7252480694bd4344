"""The strict metrics of many runs: overall, by family and by scenario, with confidence intervals and failures.

Every episode of the suite is in every denominator: an episode without a trace has 0 in all metrics. A mean is over
fewer episodes only if the metric does not apply to some (see `tool_use` and `decomposition`), or if some runs report
no tokens. `n` is the number of episodes in a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.episode import Scenario, ScenarioFamily
from planspec.families.mobilitybench.metrics.record import METRICS, StrictMetrics
from planspec.scores.intervals import RESAMPLES, SEED, bootstrap, wilson

MOST_REASONS = 20
"""Maximum number of reasons listed for a metric, most common first."""
DECLARED: Mapping[str, str] = {"ID": "intent", "IE": "constraints"}
"""For each metric that needs a statement of the agent, the name of the statement. Without it the metric is 0."""
Values = tuple[Fraction | None, ...]
Json = dict[str, Any]  # JSON of any kind


@dataclass(slots=True)
class StrictReport:
    """Accumulator of the strict metrics of a suite's runs; the runs themselves are not stored.

    Attributes:
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """

    seed: int = SEED
    resamples: int = RESAMPLES
    _scenarios: list[Scenario] = field(default_factory=list)
    _traced: list[bool] = field(default_factory=list)
    _undeclared_by_run: list[tuple[str, ...]] = field(default_factory=list)  # missing declarations of each run
    _values: list[Values] = field(default_factory=list)
    _shared_values: dict[Fraction | None, Fraction | None] = field(default_factory=dict)  # equal values are stored once
    _verdicts: Counter[str] = field(default_factory=Counter)
    _undeclared: Counter[str] = field(default_factory=Counter)
    _reasons: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in METRICS})
    _sources: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in METRICS})

    def add(self, run: StrictMetrics) -> None:
        """Count an episode, with or without a run."""
        self._scenarios.append(run.scenario)
        self._traced.append(run.traced)
        self._undeclared_by_run.append(run.undeclared)
        values = (run.metrics[name].value for name in METRICS)
        self._values.append(tuple(self._shared_values.setdefault(value, value) for value in values))
        self._verdicts[run.verdict] += 1
        self._undeclared.update(run.undeclared)
        for name, judged in run.metrics.items():
            self._reasons[name].update(judged.reasons)
            if judged.source is not None:
                self._sources[name][judged.source] += 1

    def as_json(self) -> Json:
        """Return the report as JSON."""
        all_runs = range(len(self._values))
        families: dict[ScenarioFamily, list[int]] = {}
        scenarios: dict[Scenario, list[int]] = {}
        for index, scenario in enumerate(self._scenarios):
            scenarios.setdefault(scenario, []).append(index)
            families.setdefault(scenario.family, []).append(index)
        return {
            **self._group_json(all_runs),
            "families": {f.value: self._group_json(families[f]) for f in ScenarioFamily if f in families},
            "scenarios": {s.value: self._group_json(scenarios[s]) for s in Scenario if s in scenarios},
            "verdicts": dict(sorted(self._verdicts.items())),
            "undeclared": dict(sorted(self._undeclared.items())),
            "sources": {name: dict(sorted(counts.items())) for name, counts in self._sources.items() if counts},
            "failures": {
                name: dict(counts.most_common(MOST_REASONS)) for name, counts in self._reasons.items() if counts
            },
            "intervals": {
                "level": 0.95,
                "rates": "Wilson",
                "means": "bootstrap",
                "seed": self.seed,
                "resamples": self.resamples,
            },
        }

    def _group_json(self, indices: Sequence[int]) -> Json:
        columns = {name: [self._values[index][at] for index in indices] for at, name in enumerate(METRICS)}
        means = [name for name, metric in METRICS.items() if metric.kind != "rate"]
        drawn = bootstrap(
            [[(value or Fraction(0), int(value is not None)) for value in columns[name]] for name in means],
            self.seed,
            self.resamples,
        )
        intervals = dict(zip(means, drawn, strict=True))
        return {
            "n": len(indices),
            "traced": sum(self._traced[index] for index in indices),
            "metrics": {
                name: _metric_summary(name, columns[name], intervals) | self._declared_json(name, indices)
                for name in METRICS
            },
        }

    def _declared_json(self, name: str, indices: Sequence[int]) -> Json:
        """Return how many runs lack the declaration that a metric needs, and the mean of the metric over the others.

        `indices` are the positions of the counted runs in the order in which they were added. The result is empty
        for a metric that is not computed on a declaration.
        """
        declaration = DECLARED.get(name)
        if declaration is None:
            return {}
        at = list(METRICS).index(name)
        traced = [index for index in indices if self._traced[index]]
        declared = [self._values[index][at] for index in traced if declaration not in self._undeclared_by_run[index]]
        values = [value for value in declared if value is not None]
        mean = float(sum(values, Fraction(0)) / len(values)) if values else None
        return {"undeclared": len(traced) - len(declared), "mean_declared": mean}


def _metric_summary(
    name: str, column: Iterable[Fraction | None], intervals: Mapping[str, tuple[float, float] | None]
) -> Json:
    values = [value for value in column if value is not None]
    bounds = intervals[name] if name in intervals else wilson(sum(value == 1 for value in values), len(values))
    mean = sum(values, Fraction(0)) / len(values) if values else None
    return {
        "mean": None if mean is None else float(mean),
        "n": len(values),
        "interval": None if bounds is None else list(bounds),
    }
