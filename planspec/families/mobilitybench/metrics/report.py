"""The strict metrics of many runs: overall, by family and by scenario, with intervals and with what went wrong.

Every episode of the suite is in every denominator: one without a trace has 0 in all metrics. Only where an episode asks
nothing of a metric (`tool_use`, `decomposition` say where), and for tokens that nobody counted, a mean goes over fewer; its
`n` says over how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.episode import Scenario, ScenarioFamily
from planspec.families.mobilitybench.metrics.record import METRICS, Strict
from planspec.measures.intervals import RESAMPLES, SEED, bootstrap, wilson

MOST_REASONS = 20
"""The most reasons of a metric that are listed, the most common first."""
DECLARED: Mapping[str, str] = {"ID": "intent", "IE": "constraints"}
"""What a run has to declare to have a part in a metric; without it the metric is 0."""
Values = tuple[Fraction | None, ...]
Json = dict[str, Any]  # JSON of any kind


@dataclass(slots=True)
class StrictReport:
    """The sums over the runs of a suite, so that the runs themselves need not be kept.

    Attributes:
        seed: of the bootstrap.
        resamples: of the bootstrap.
    """

    seed: int = SEED
    resamples: int = RESAMPLES
    _scenarios: list[Scenario] = field(default_factory=list)
    _traced: list[bool] = field(default_factory=list)
    _silent: list[tuple[str, ...]] = field(default_factory=list)  # what each run does not declare
    _values: list[Values] = field(default_factory=list)
    _alike: dict[Fraction | None, Fraction | None] = field(default_factory=dict)  # equal values are kept once
    _verdicts: Counter[str] = field(default_factory=Counter)
    _undeclared: Counter[str] = field(default_factory=Counter)
    _reasons: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in METRICS})
    _sources: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in METRICS})

    def add(self, run: Strict) -> None:
        """Count a run, or an episode without one."""
        self._scenarios.append(run.scenario)
        self._traced.append(run.traced)
        self._silent.append(run.undeclared)
        values = (run.metrics[name].value for name in METRICS)
        self._values.append(tuple(self._alike.setdefault(value, value) for value in values))
        self._verdicts[run.verdict] += 1
        self._undeclared.update(run.undeclared)
        for name, judged in run.metrics.items():
            self._reasons[name].update(judged.reasons)
            if judged.source is not None:
                self._sources[name][judged.source] += 1

    def document(self) -> Json:
        """The report as JSON."""
        every = range(len(self._values))
        families: dict[ScenarioFamily, list[int]] = {}
        scenarios: dict[Scenario, list[int]] = {}
        for place, scenario in enumerate(self._scenarios):
            scenarios.setdefault(scenario, []).append(place)
            families.setdefault(scenario.family, []).append(place)
        return {
            **self._group(every),
            "families": {f.value: self._group(families[f]) for f in ScenarioFamily if f in families},
            "scenarios": {s.value: self._group(scenarios[s]) for s in Scenario if s in scenarios},
            "verdicts": dict(sorted(self._verdicts.items())),
            "undeclared": dict(sorted(self._undeclared.items())),
            "sources": {name: dict(sorted(found.items())) for name, found in self._sources.items() if found},
            "failures": {
                name: dict(found.most_common(MOST_REASONS)) for name, found in self._reasons.items() if found
            },
            "intervals": {"level": 0.95, "rates": "Wilson", "means": "bootstrap", "seed": self.seed, "resamples": self.resamples},
        }  # fmt: skip

    def _group(self, places: Sequence[int]) -> Json:
        columns = {name: [self._values[place][at] for place in places] for at, name in enumerate(METRICS)}
        means = [name for name, metric in METRICS.items() if metric.kind != "rate"]
        drawn = bootstrap(
            [[(value or Fraction(0), int(value is not None)) for value in columns[name]] for name in means],
            self.seed, self.resamples,
        )  # fmt: skip
        intervals = dict(zip(means, drawn, strict=True))
        return {
            "n": len(places),
            "traced": sum(self._traced[place] for place in places),
            "metrics": {
                name: _told(name, columns[name], intervals) | self._of_declared(name, places)
                for name in METRICS
            },
        }

    def _of_declared(self, name: str, places: Sequence[int]) -> Json:
        """For a metric of declarations: the runs that declare nothing, and the mean over the others."""
        wanted = DECLARED.get(name)
        if wanted is None:
            return {}
        at = list(METRICS).index(name)
        traced = [place for place in places if self._traced[place]]
        spoken = [self._values[place][at] for place in traced if wanted not in self._silent[place]]
        known = [value for value in spoken if value is not None]
        mean = float(sum(known, Fraction(0)) / len(known)) if known else None
        return {"undeclared": len(traced) - len(spoken), "mean_declared": mean}


def _told(
    name: str, column: Iterable[Fraction | None], intervals: Mapping[str, tuple[float, float] | None]
) -> Json:
    known = [value for value in column if value is not None]
    bounds = intervals[name] if name in intervals else wilson(sum(value == 1 for value in known), len(known))
    mean = sum(known, Fraction(0)) / len(known) if known else None
    return {
        "mean": None if mean is None else float(mean),
        "n": len(known),
        "interval": None if bounds is None else list(bounds),
    }
