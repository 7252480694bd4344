"""The record of the strict metrics of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.episode import Scenario, ScenarioFamily
from planspec.verifiers.metrics.metric import PASS_RATE, Metric

_RATE, _SHARE, _TOKENS = Metric("rate", "higher"), Metric("share", "higher"), Metric("quantity", "lower")
METRICS: Mapping[str, Metric] = {
    "ID": _RATE, "IE": _RATE, "DEC_P": _SHARE, "DEC_R": _SHARE, "TS_coverage": _SHARE, "TS_spared": _SHARE,
    "TS_calls": _SHARE, "SC": _SHARE, "PF": _SHARE, "DR": _RATE, "FPR": PASS_RATE, "IT": _TOKENS, "OT": _TOKENS,
}  # fmt: skip
"""All of them, in the paper's order."""
TOKENS = tuple(name for name, metric in METRICS.items() if metric is _TOKENS)
"""Those that are not known of every run."""
NO_TRACE = "no trace"
LONGEST_REASON = 100


@dataclass(frozen=True, slots=True)
class Judged:
    """One metric of one run.

    Attributes:
        value: from 0 to 1, or a number of tokens; None where nothing is asked, or nothing is said of tokens.
        said: what was judged, as JSON.
        source: where the run says it; None where that is not in question.
        reasons: why it is not 1, in words that few runs have of their own.
    """

    value: Fraction | None
    said: Any = None  # JSON of any kind
    source: str | None = None
    reasons: tuple[str, ...] = ()

    @classmethod
    def zero(cls, reason: str) -> Judged:
        """Nothing is there."""
        return cls(Fraction(0), reasons=(reason,))

    @classmethod
    def of(
        cls, *, right: bool, said: Any = None, source: str | None = None, reasons: tuple[str, ...] = ()
    ) -> Judged:
        """It is right, or it is not."""
        return cls(Fraction(right), said, source, () if right else reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """All metrics of one run, or of an episode without one.

    Attributes:
        task: the episode's id.
        agent: as the trace calls it.
        traced: there is a trace.
        verdict: `pass`, `fail` or `undelivered`.
        metrics: by `METRICS`.
        undeclared: of `intent`, `constraints`, `steps` and `tokens`, what the run does not say.
        findings: what the library has against the answer: constraint and message.
    """

    task: str
    agent: str | None
    family: ScenarioFamily
    scenario: Scenario
    traced: bool
    verdict: str
    metrics: Mapping[str, Judged]
    undeclared: tuple[str, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "task": self.task, "agent": self.agent, "family": self.family.value, "scenario": self.scenario.value,
            "traced": self.traced, "verdict": self.verdict, "undeclared": list(self.undeclared),
            "findings": [{"constraint": name, "message": message} for name, message in self.findings],
            "metrics": {name: _document(judged) for name, judged in self.metrics.items()},
        }  # fmt: skip


def _document(judged: Judged) -> dict[str, Any]:
    value = judged.value
    made: dict[str, Any] = {
        "value": None if value is None else int(value) if value.denominator == 1 else float(value)
    }
    if judged.source is not None:
        made["source"] = judged.source
    if judged.said is not None:
        made["said"] = judged.said
    if judged.reasons:
        made["reasons"] = list(judged.reasons)
    return made
