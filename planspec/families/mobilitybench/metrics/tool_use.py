"""TS, SC and parameter filling: which tools a run calls, whether it calls them rightly, and with which values.

With T the set of tools of the episode's program, T' the set of those that the run calls, and C the run's calls:

    TS_coverage = |T & T'| / |T|
    TS_spared   = 1 - redundancy = 1 - |T' - T| / |T'|
    TS_calls    = 1 - (calls beyond those of the program, tool by tool) / |C|
    SC          = calls that the tool's schema takes / |C|
    PF          = arguments of the program's calls that the run's calls have, too / arguments of the program's calls

Without a call all of them are 0. A tool that is none of the ten is not in T. A schema takes a call if all mandatory
arguments are there, none is unknown, and all values have the right type, format and range. The arguments of a call of the
program are its mandatory ones and those that are not at their default; values are compared in the canonical form of
`calls.canonical`, and calls of one tool are paired so that most arguments agree. An episode whose program is empty asks
nothing here, and one without readable arguments asks nothing of PF.

Sources: section 3.2.3 of the paper, equations (4) and (5); it names parameter filling and gives no formula. `TS_calls`
counts calls where the paper has sets of tools: what the public toolkit reports as redundancy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from planspec.families.mobilitybench.metrics.calling import RunCall
from planspec.families.mobilitybench.metrics.matching import best_pairs
from planspec.families.mobilitybench.metrics.record import Judged

NO_CALL = "no call"
NAMELESS = "a tool without a name"


def tool_selection(wanted: Sequence[RunCall], made: Sequence[RunCall]) -> tuple[Judged, Judged, Judged]:
    """TS_coverage, TS_spared and TS_calls.

    Args:
        wanted: the program's calls.
        made: the run's.
    """
    if not wanted:
        return Judged(None), Judged(None), Judged(None)
    if not made:
        return (Judged.zero(NO_CALL),) * 3
    needed, called = Counter(map(_name, wanted)), Counter(map(_name, made))
    said = {"tools": list(called)}
    lacking = [tool for tool in needed if tool not in called]
    more = [tool for tool in called if tool not in needed]
    beyond = called - needed
    return (
        Judged(Fraction(len(needed) - len(lacking), len(needed)), said, reasons=_each("missing", lacking)),
        Judged(Fraction(len(called) - len(more), len(called)), said, reasons=_each("unneeded", more)),
        Judged(
            Fraction(len(made) - beyond.total(), len(made)),
            {"calls": dict(called)},
            reasons=_each("beyond the program", beyond),
        ),
    )


def schema_compliance(wanted: Sequence[RunCall], made: Sequence[RunCall]) -> Judged:
    """SC, over all calls of the run."""
    if not wanted:
        return Judged(None)
    if not made:
        return Judged.zero(NO_CALL)
    wrong = [call for call in made if call.faults]
    return Judged(
        Fraction(len(made) - len(wrong), len(made)), {"calls": len(made), "right": len(made) - len(wrong)},
        reasons=tuple(f"{call.tool or 'unknown tool'}: {fault}" if call.tool else "unknown tool" for call in wrong for fault in call.faults),
    )  # fmt: skip


def parameter_filling(wanted: Sequence[RunCall], made: Sequence[RunCall]) -> Judged:
    """PF, over the program's calls."""
    asked = sum(len(call.values) for call in wanted)
    if not asked:
        return Judged(None)
    if not made:
        return Judged.zero(NO_CALL)
    agreed = 0
    reasons: list[str] = []
    for tool in dict.fromkeys(call.tool for call in wanted):
        ours = [call for call in wanted if call.tool == tool and call.values]
        theirs = [call for call in made if call.tool == tool]
        worth = [[_agreeing(call, other) for other in theirs] for call in ours]
        for row, column in enumerate(best_pairs(worth)):
            agreed += worth[row][column] if column >= 0 else 0
            other = theirs[column] if column >= 0 else None
            reasons += _parting(ours[row], other)
    return Judged(
        Fraction(agreed, asked),
        {"arguments": asked, "agreeing": agreed},
        reasons=tuple(dict.fromkeys(reasons)),
    )


def _agreeing(call: RunCall, other: RunCall) -> int:
    return sum(name in other.values and other.values[name] == value for name, value in call.values.items())


def _parting(call: RunCall, other: RunCall | None) -> list[str]:
    """The arguments that a call lacks, or that differ."""
    if other is None:
        return [f"{call.tool}: not called"]
    return [
        f"{call.tool}: {'other' if name in other.values else 'missing'} {name}"
        for name, value in call.values.items()
        if name not in other.values or other.values[name] != value
    ]


def _name(call: RunCall) -> str:
    return call.tool or call.name[:60] or NAMELESS


def _each(what: str, names: Sequence[str] | Counter[str]) -> tuple[str, ...]:
    return tuple(f"{what} {name}" for name in names)
