"""Why the profiles part in TS and SC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics.calling import made_of
from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.record import Judged
from planspec.families.mobilitybench.official.evaluator import Truth
from planspec.families.mobilitybench.official.tools import SCHEMAS
from planspec.traces.record import Trace

ROUNDING = Fraction(1, 20_000)


def coverage(trace: Trace, ours: Judged) -> Iterator[Cause]:
    """The causes why only one profile finds tools called."""
    if ours.value is not None and _has_other_names(trace):
        yield Cause.OTHER_NAMES


def spared(trace: Trace, ours: Judged, by_calls: Judged, official: float) -> Iterator[Cause]:
    """The causes why only one profile finds calls needed."""
    if by_calls.value is not None and by_calls.value != ours.value:
        yield Cause.CALLS_COUNTED
    if by_calls.value is None or abs(by_calls.value - Fraction(official)) > ROUNDING:
        yield from coverage(trace, ours)


def _has_other_names(trace: Trace) -> bool:
    """A tool is called by the paper's name, or by one of the table's that the toolkit has no tool for."""
    return any(
        (call.name in TOOLS or call.name == "traffic_status_road_api") and call.name not in SCHEMAS
        for call in trace.calls
    )


def compliance(episode: Episode, trace: Trace, truth: Truth) -> Iterator[Cause]:
    """The causes why only one profile finds calls right, or looks at them."""
    left = Counter(truth.tools)
    looked_at: list[tuple[Fraction, bool]] = []
    unseen = False
    for call in trace.calls:
        name = call.name or ""
        if not left[name] or name not in SCHEMAS:
            left[name] -= bool(left[name])
            unseen = True
            continue
        left[name] -= 1
        required, allowed = SCHEMAS[name]
        said = set(call.arguments or ())
        earned = Fraction(len(required & said), len(required)) if said <= allowed else Fraction(0)
        right = not made_of(call, public=episode.source is not None).faults
        looked_at.append((earned, right))
        if call.arguments is None and required:
            continue
        if earned == 1 and not right:
            yield Cause.VALUES
        elif 0 < earned < 1:
            yield Cause.SHARE_OF_ARGUMENTS
        elif earned == 0 and right:
            yield Cause.OTHER_ARGUMENTS
    if unseen:
        yield Cause.OTHER_NAMES if not looked_at and _has_other_names(trace) else Cause.EXTRA_CALLS
