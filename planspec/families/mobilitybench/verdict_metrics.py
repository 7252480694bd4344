"""The metrics of MobilityBench that need only verdicts: DR and FPR, overall, by family and by scenario.

The other metrics need traces. One condition of DR, that the run ended without error, also needs the trace; it is not
checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Self

from pydantic import Field

from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import Metrics, is_delivered, mean
from planspec.verifiers.metrics.metric import MetricFields, PassRate, Rate
from planspec.verifiers.metrics.scored import Scored, verdicts_of

UNKNOWN = "unknown"
"""Name of the group of tasks that lack the label."""


class MobilityBenchRates(MetricFields):
    """Rates over a set of tasks; null if the set is empty."""

    delivery_rate: Rate = Field(description="DR: share of the tasks with a valid answer")
    final_pass_rate: PassRate = Field(description="FPR: share of the tasks whose verdict is pass")


class MobilityBenchGroup(MobilityBenchRates):
    """Rates of a group of tasks."""

    n: int = Field(description="tasks of the group, with and without an answer")


class MobilityBenchMetrics(MobilityBenchRates, Metrics):
    """Rates of all tasks and of groups of tasks."""

    families: dict[str, MobilityBenchGroup] = Field(description="by family; `unknown` without one")
    scenarios: dict[str, MobilityBenchGroup] = Field(description="by scenario; `unknown` without one")

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics.

        Args:
            run: a verdict for each task, including those without an answer.
        """
        run = tuple(run)
        verdicts = verdicts_of(run)
        return cls(
            n=len(run),
            delivered=sum(map(is_delivered, verdicts)),
            **dict(_rates(verdicts)),
            families=_group_rates(run, "family"),
            scenarios=_group_rates(run, "scenario"),
        )


def _group_rates(run: Sequence[Scored], label: str) -> dict[str, MobilityBenchGroup]:
    groups: dict[str, list[Verdict]] = {}
    for scored in run:
        groups.setdefault(str(scored.labels.get(label, UNKNOWN)), []).append(scored.verdict)
    return {name: MobilityBenchGroup(n=len(group), **dict(_rates(group))) for name, group in sorted(groups.items())}


def _rates(verdicts: Sequence[Verdict]) -> MobilityBenchRates:
    return MobilityBenchRates(
        delivery_rate=mean([Fraction(is_delivered(verdict)) for verdict in verdicts]),
        final_pass_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
    )
