"""Causes of differences between strict and public values of TS (tool selection) and SC (schema compliance)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics.calling import read_call
from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.record import JudgedMetric
from planspec.families.mobilitybench.official.evaluator import Truth
from planspec.families.mobilitybench.official.tools import SCHEMAS
from planspec.traces.record import Trace

ROUNDING = Fraction(1, 20_000)
"""Maximum rounding error of the toolkit's values."""


def coverage_causes(trace: Trace, strict_metric: JudgedMetric) -> Iterator[Cause]:
    """Yield the reasons for two different values of TS_coverage: the evaluations count different tools as called."""
    if strict_metric.value is not None and _has_other_names(trace):
        yield Cause.OTHER_NAMES


def redundancy_causes(
    trace: Trace, strict_metric: JudgedMetric, by_calls: JudgedMetric, official: float
) -> Iterator[Cause]:
    """Yield the reasons why two evaluations have different values of TS_spared: they count different calls as needed.

    Args:
        trace: the run.
        strict_metric: the strict metric TS_spared.
        by_calls: the strict metric TS_calls.
        official: the toolkit's value.
    """
    if by_calls.value is not None and by_calls.value != strict_metric.value:
        yield Cause.CALLS_COUNTED
    if by_calls.value is None or abs(by_calls.value - Fraction(official)) > ROUNDING:
        yield from coverage_causes(trace, strict_metric)


def _has_other_names(trace: Trace) -> bool:
    """Return whether a tool is called by a name that the toolkit does not know.

    Examples are names in the paper, and names in the public table of tools that the toolkit lacks.
    """
    return any(
        (call.name in TOOLS or call.name == "traffic_status_road_api") and call.name not in SCHEMAS
        for call in trace.calls
    )


def compliance_causes(episode: Episode, trace: Trace, truth: Truth) -> Iterator[Cause]:
    """Yield the reasons why the two evaluations have different values of SC: only one checks or accepts a call."""
    uncalled = Counter(truth.tools)
    looked_at: list[tuple[Fraction, bool]] = []
    has_skipped = False
    for call in trace.calls:
        name = call.name or ""
        if not uncalled[name] or name not in SCHEMAS:
            uncalled[name] -= bool(uncalled[name])
            has_skipped = True
            continue
        uncalled[name] -= 1
        required, allowed = SCHEMAS[name]
        given = set(call.arguments or ())
        earned = Fraction(len(required & given), len(required)) if given <= allowed else Fraction(0)
        right = not read_call(call, public=episode.source is not None).faults
        looked_at.append((earned, right))
        if call.arguments is None and required:
            continue
        if earned == 1 and not right:
            yield Cause.VALUES
        elif 0 < earned < 1:
            yield Cause.SHARE_OF_ARGUMENTS
        elif earned == 0 and right:
            yield Cause.OTHER_ARGUMENTS
    if has_skipped:
        yield Cause.OTHER_NAMES if not looked_at and _has_other_names(trace) else Cause.EXTRA_CALLS
