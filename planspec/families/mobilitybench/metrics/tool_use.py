"""TS, SC and PF (parameter filling): selection of tools, validity of calls, and values of arguments.

Let T be the set of tools in the episode's reference program, T' the set of tools that the run calls, and C the run's
calls. Then

    TS_coverage = |T & T'| / |T|
    TS_spared   = 1 - redundancy = 1 - |T' - T| / |T'|
    TS_calls    = 1 - (calls beyond those of the program, tool by tool) / |C|
    SC          = calls that the tool's schema accepts / |C|
    PF          = (arguments of the program's calls that the run's calls share)
                  / (arguments of the program's calls)

If the run calls no tool, all metrics are 0. A schema accepts a call if all mandatory arguments are given, none is
unknown, and all values have the right type, format and range. PF counts the mandatory arguments of the program's calls
and the optional arguments that differ from their default. Values are compared in the canonical form of
`calls.canonical_arguments`. For each tool, calls of the program and of the run are paired so that the number of equal
arguments is maximal. The metrics do not apply to an episode with an empty program, and PF does not apply to a program
without readable arguments.

Sources: section 3.2.3 of the paper, equations (4) and (5). The paper names parameter filling and gives no formula.
`TS_calls` counts calls, like the public toolkit's redundancy; the paper counts tools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from planspec.families.mobilitybench.metrics.calling import RunCall
from planspec.families.mobilitybench.metrics.matching import best_pairs
from planspec.families.mobilitybench.metrics.record import JudgedMetric

NO_CALL = "no call"
NAMELESS = "a tool without a name"


def tool_selection(
    required: Sequence[RunCall], calls: Sequence[RunCall]
) -> tuple[JudgedMetric, JudgedMetric, JudgedMetric]:
    """Compute TS_coverage, TS_spared and TS_calls, in this order.

    Args:
        required: the program's calls.
        calls: the run's calls.
    """
    if not required:
        return JudgedMetric(None), JudgedMetric(None), JudgedMetric(None)
    if not calls:
        return (JudgedMetric.zero(NO_CALL),) * 3
    needed, called = Counter(map(_tool_name, required)), Counter(map(_tool_name, calls))
    basis = {"tools": list(called)}
    lacking = [tool for tool in needed if tool not in called]
    unneeded = [tool for tool in called if tool not in needed]
    beyond = called - needed
    return (
        JudgedMetric(
            Fraction(len(needed) - len(lacking), len(needed)), basis, reasons=_prefix_each("missing", lacking)
        ),
        JudgedMetric(
            Fraction(len(called) - len(unneeded), len(called)),
            basis,
            reasons=_prefix_each("unneeded", unneeded),
        ),
        JudgedMetric(
            Fraction(len(calls) - beyond.total(), len(calls)),
            {"calls": dict(called)},
            reasons=_prefix_each("beyond the program", beyond),
        ),
    )


def schema_compliance(required: Sequence[RunCall], calls: Sequence[RunCall]) -> JudgedMetric:
    """Compute SC (schema compliance): the share of the run's calls that violate no tool's schema."""
    if not required:
        return JudgedMetric(None)
    if not calls:
        return JudgedMetric.zero(NO_CALL)
    invalid = [call for call in calls if call.faults]
    return JudgedMetric(
        Fraction(len(calls) - len(invalid), len(calls)),
        {"calls": len(calls), "right": len(calls) - len(invalid)},
        reasons=tuple(
            f"{call.tool or 'unknown tool'}: {fault}" if call.tool else "unknown tool"
            for call in invalid
            for fault in call.faults
        ),
    )


def parameter_filling(required: Sequence[RunCall], calls: Sequence[RunCall]) -> JudgedMetric:
    """Compute PF: the share of the arguments in the reference program's calls that the run passes with equal values."""
    arguments = sum(len(call.values) for call in required)
    if not arguments:
        return JudgedMetric(None)
    if not calls:
        return JudgedMetric.zero(NO_CALL)
    agreed = 0
    reasons: list[str] = []
    for tool in dict.fromkeys(call.tool for call in required):
        ours = [call for call in required if call.tool == tool and call.values]
        theirs = [call for call in calls if call.tool == tool]
        worth = [[_count_equal_arguments(call, other) for other in theirs] for call in ours]
        for row, column in enumerate(best_pairs(worth)):
            agreed += worth[row][column] if column >= 0 else 0
            other = theirs[column] if column >= 0 else None
            reasons += _argument_faults(ours[row], other)
    return JudgedMetric(
        Fraction(agreed, arguments),
        {"arguments": arguments, "agreeing": agreed},
        reasons=tuple(dict.fromkeys(reasons)),
    )


def _count_equal_arguments(call: RunCall, other: RunCall) -> int:
    return sum(name in other.values and other.values[name] == value for name, value in call.values.items())


def _argument_faults(call: RunCall, other: RunCall | None) -> list[str]:
    """Return the faults of the arguments of a run's call, compared with a call of the reference program.

    Args:
        call: the call of the program.
        other: the paired call of the run; None if there is none.
    """
    if other is None:
        return [f"{call.tool}: not called"]
    return [
        f"{call.tool}: {'other' if name in other.values else 'missing'} {name}"
        for name, value in call.values.items()
        if name not in other.values or other.values[name] != value
    ]


def _tool_name(call: RunCall) -> str:
    return call.tool or call.name[:60] or NAMELESS


def _prefix_each(what: str, names: Sequence[str] | Counter[str]) -> tuple[str, ...]:
    return tuple(f"{what} {name}" for name in names)
