"""TS and SC of MobilityBench's public toolkit: which tools are called, and whether the names of the arguments fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from planspec.families.mobilitybench.official.truth import Truth
from planspec.traces.record import Call

SCHEMAS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    name: (frozenset(required.split()), frozenset((required + " " + more).split()))
    for name, required, more in (
        ("query_poi", "keywords", "city"),
        ("driving_route", "origin destination", "waypoints strategy"),
        ("walking_route", "origin destination", ""),
        ("bicycling_route", "origin destination", ""),
        ("bus_route", "origin destination", "strategy"),
        ("weather_query", "city", "need_forecast"),
        ("reverse_geocoding", "longitude latitude", "radius"),
        ("search_around_poi", "location keywords", "radius"),
        ("traffic_status", "name city", ""),
    )
}
"""The arguments that each tool must have, and those that it may have."""


def tool_selection(truth: Truth, calls: Sequence[Call]) -> tuple[float, float]:
    """TS_P, the share of the standard program's tools that are called; TS_R, one minus the share of calls too many.

    Args:
        truth: with at least one tool.
        calls: in order.
    """
    wanted, made = Counter(truth.tools), Counter(call.name or "" for call in calls)
    coverage = len(wanted.keys() & made.keys()) / len(wanted)
    count = len(calls)
    redundancy = (count - sum(min(n, wanted[name]) for name, n in made.items())) / count if count else 0
    return round(coverage, 4), 1 - round(redundancy, 4)


def schema_compliance(truth: Truth, calls: Sequence[Call]) -> float:
    """SC: the mean over the calls that the standard program makes, too; other calls are not looked at.

    A call earns the share of its mandatory arguments that it names, and nothing if it names one that the tool has not.
    """
    left = Counter(truth.tools)
    earned = []
    for call in calls:
        name = call.name or ""
        if not left[name]:
            continue
        left[name] -= 1
        if name in SCHEMAS:
            earned.append(_earned(*SCHEMAS[name], set(call.arguments or ())))
    return round(sum(earned) / len(earned), 4) if earned else 0.0


def _earned(required: frozenset[str], allowed: frozenset[str], said: set[str]) -> float:
    return len(required & said) / len(required) * (1.0 if said <= allowed else 0.0)
