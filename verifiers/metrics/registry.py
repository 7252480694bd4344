"""Which metrics belong to which family."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TypeAlias

from planspec.errors import PlanspecError
from planspec.verifiers.metrics.generic import Metrics, generic
from planspec.verifiers.metrics.scored import Scored

Protocol: TypeAlias = Callable[[Iterable[Scored]], Metrics]
"""From a verdict for each task of a run, those without an answer among them, to the metrics of the run."""

_OWN = {
    "flextravel": "planspec.families.travelplanner.conversation_metrics:flextravel",
    "mobilitybench": "planspec.families.mobilitybench.verdict_metrics:mobilitybench",
    "travelplanner": "planspec.families.travelplanner.verdict_metrics:travelplanner",
    "veritrip": "planspec.families.veritrip.verdict_metrics:veritrip",
    "worldtravel": "planspec.families.worldtravel.verdict_metrics:worldtravel",
}


class UnknownProtocol(PlanspecError, LookupError):
    """No protocol has the name."""


def protocol(family: str | None) -> Protocol:
    """The protocol of a family.

    Args:
        family: its name; None for the metrics that make sense of any tasks.

    Raises:
        UnknownProtocol: there is none of that name.
    """
    if family is None or family == "generic":
        return generic
    if family not in _OWN:
        raise UnknownProtocol(
            f"no protocol is called `{family}`; there are generic, {', '.join(sorted(_OWN))}"
        )
    module, _, attribute = _OWN[family].partition(":")
    found: Protocol = getattr(import_module(module), attribute)
    return found
