"""The metrics of each family."""

from __future__ import annotations

from importlib import import_module

from planspec.errors import PlanspecError
from planspec.verifiers.metrics.generic import GenericMetrics, Metrics

_OWN = {
    "flextravel": "planspec.families.travelplanner.conversation_metrics:FlexTravelMetrics",
    "mobilitybench": "planspec.families.mobilitybench.verdict_metrics:MobilityBenchMetrics",
    "travelplanner": "planspec.families.travelplanner.verdict_metrics:TravelPlannerMetrics",
    "veritrip": "planspec.families.veritrip.verdict_metrics:VeriTripMetrics",
    "worldtravel": "planspec.families.worldtravel.verdict_metrics:WorldTravelMetrics",
}


class UnknownMetricSet(PlanspecError, LookupError):
    """No set of metrics has the name."""


def metric_set(name: str | None) -> type[Metrics]:
    """The metrics of a family, or those that a suite names as its `protocol`.

    Args:
        name: of the family or the protocol; None for the metrics that make sense of any tasks.

    Raises:
        UnknownMetricSet: there is none of that name.
    """
    if name is None or name == "generic":
        return GenericMetrics
    if name not in _OWN:
        raise UnknownMetricSet(
            f"no protocol is called `{name}`; there are generic, {', '.join(sorted(_OWN))}"
        )
    module, _, attribute = _OWN[name].partition(":")
    found: type[Metrics] = getattr(import_module(module), attribute)
    return found
