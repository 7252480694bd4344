"""TS (tool selection) and SC (schema compliance) as MobilityBench's public toolkit computes them.

They depend only on the names of the called tools and of the arguments.
"""

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
"""Names of the required arguments and of all arguments of each tool."""


def tool_selection(truth: Truth, calls: Sequence[Call]) -> tuple[float, float]:
    """Compute TS_P, the share of required tools that are called, and TS_R, 1 minus the share of redundant calls.

    Args:
        truth: ground truth with at least one tool.
        calls: calls of the run, in order.
    """
    required, called = Counter(truth.tools), Counter(call.name or "" for call in calls)
    coverage = len(required.keys() & called.keys()) / len(required)
    count = len(calls)
    redundancy = (count - sum(min(n, required[name]) for name, n in called.items())) / count if count else 0
    return round(coverage, 4), 1 - round(redundancy, 4)


def schema_compliance(truth: Truth, calls: Sequence[Call]) -> float:
    """Compute SC, the mean score of the run's calls. Per tool, only the first n calls count.

    n is the number of calls of the tool in the reference program. The score of a call is the share of mandatory
    arguments that it gives, or 0 if it has an unknown argument.
    """
    uncalled = Counter(truth.tools)
    scores = []
    for call in calls:
        name = call.name or ""
        if not uncalled[name]:
            continue
        uncalled[name] -= 1
        if name in SCHEMAS:
            scores.append(_score_arguments(*SCHEMAS[name], set(call.arguments or ())))
    return round(sum(scores) / len(scores), 4) if scores else 0.0


def _score_arguments(required: frozenset[str], allowed: frozenset[str], names: set[str]) -> float:
    return len(required & names) / len(required) * (1.0 if names <= allowed else 0.0)
