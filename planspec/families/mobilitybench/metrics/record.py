"""Record of the strict metrics of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.episode import Scenario, ScenarioFamily
from planspec.verifiers.metrics.metric import PASS_RATE, Metric

_RATE, _SHARE, _TOKENS = Metric("rate", "higher"), Metric("share", "higher"), Metric("quantity", "lower")
METRICS: Mapping[str, Metric] = {
    "ID": _RATE,
    "IE": _RATE,
    "DEC_P": _SHARE,
    "DEC_R": _SHARE,
    "TS_coverage": _SHARE,
    "TS_spared": _SHARE,
    "TS_calls": _SHARE,
    "SC": _SHARE,
    "PF": _SHARE,
    "DR": _RATE,
    "FPR": PASS_RATE,
    "IT": _TOKENS,
    "OT": _TOKENS,
}
"""All metrics, in the paper's order."""
TOKENS = tuple(name for name, metric in METRICS.items() if metric is _TOKENS)
"""Metrics that count tokens, which not every run reports."""
NO_TRACE = "no trace"


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """Value of a metric on a run, with its reasons.

    Attributes:
        value: from 0 to 1, or a number of tokens; None if the metric does not apply or tokens are not
            reported.
        basis: data of the run that was judged, as JSON.
        source: part of the run from which `basis` was read; None if only one part can hold it.
        reasons: reasons why the value is not 1, as short phrases that can be counted.
    """

    value: Fraction | None
    basis: Any = None  # JSON of any kind
    source: str | None = None
    reasons: tuple[str, ...] = ()

    @classmethod
    def zero(cls, reason: str) -> JudgedMetric:
        """Return a value of 0 with a reason, for a run that lacks the data on which the metric is computed."""
        return cls(Fraction(0), reasons=(reason,))

    @classmethod
    def of(
        cls, *, right: bool, basis: Any = None, source: str | None = None, reasons: tuple[str, ...] = ()
    ) -> JudgedMetric:
        """Return the value 1 if `right`, otherwise 0 with the reasons."""
        return cls(Fraction(right), basis, source, () if right else reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictMetrics:
    """All strict metrics of an episode, with or without a run.

    Attributes:
        task: id of the episode.
        agent: name of the agent in the trace.
        family: family of the scenario.
        scenario: scenario of the episode.
        traced: whether there is a trace.
        verdict: `pass`, `fail` or `undelivered`.
        metrics: all metrics, by their names in `METRICS`.
        undeclared: those of `intent`, `constraints`, `steps` and `tokens` that the run does not report.
        findings: id of the violated constraint and message, for each violation in the answer.
    """

    task: str
    agent: str | None
    family: ScenarioFamily
    scenario: Scenario
    traced: bool
    verdict: str
    metrics: Mapping[str, JudgedMetric]
    undeclared: tuple[str, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the JSON record."""
        return {
            "task": self.task,
            "agent": self.agent,
            "family": self.family.value,
            "scenario": self.scenario.value,
            "traced": self.traced,
            "verdict": self.verdict,
            "undeclared": list(self.undeclared),
            "findings": [{"constraint": name, "message": message} for name, message in self.findings],
            "metrics": {name: _metric_json(judged) for name, judged in self.metrics.items()},
        }


def _metric_json(judged: JudgedMetric) -> dict[str, Any]:
    value = judged.value
    record: dict[str, Any] = {
        "value": None if value is None else int(value) if value.denominator == 1 else float(value)
    }
    if judged.source is not None:
        record["source"] = judged.source
    if judged.basis is not None:
        record["said"] = judged.basis
    if judged.reasons:
        record["reasons"] = list(judged.reasons)
    return record
