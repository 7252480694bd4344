"""Facts that an attempt needed, whether its agent saw them, and facts that the agent declared to have read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from planspec.api.judging import Judge
from planspec.environments import AgentTask
from planspec.environments.reading import count_by
from planspec.runs.record import (
    FactsRead,
    NeededFact,
    NeededFacts,
    ReadCount,
    Turn,
    WrongFact,
)
from planspec.traces.json_text import text_of
from planspec.traces.record import Call, Trace

if TYPE_CHECKING:
    from planspec.dsl.model.environment import DeclaredSetting
    from planspec.verifiers.environment.perception import PerceivedFact, PerceivedTurn, PictureCues, ToolCall

MOST_WRONG = 200
"""Maximum number of wrongly declared facts in a record."""
MOST_SECONDS = 10.0
"""Time limit in CPU seconds. CPU time keeps results independent of other load. Remaining facts count as untried."""


def needed_facts(
    opened: AgentTask, turns: Sequence[Turn], status: str, trace: Trace, *, seconds: float = MOST_SECONDS
) -> NeededFacts | None:
    """Return the facts that an attempt needed, each with whether its agent saw it.

    Args:
        opened: the task in the setting of the attempt.
        turns: turns of the attempt.
        status: status of the verdict on the attempt.
        trace: trace of the attempt.
        seconds: limit in CPU seconds. Later facts are not tried.

    Returns:
        The facts, or None if they are unknown because

        - the setting is defined by the family's Python code,
        - the attempt ended before its last turn,
        - the record does not assign calls to turns, or
        - there is neither an answer nor a reference to examine.
    """
    setting, shown = (opened.declared, None) if opened.pictured is None else opened.pictured
    if setting is None or len(turns) != len(opened.judges):
        return None
    seen = _seen_turns(opened, setting, shown, turns, trace)
    if seen is None:
        return None
    from planspec.verifiers.environment.perception import perceive

    start = time.thread_time()
    judge, final = opened.judge, turns[-1].answer
    answer = None if final is None else judge.read(opened.resolve_references(text_of(final), trace))
    perceived = perceive(
        seen,
        answer,
        None if status == "pass" else judge.reference_plan(),
        out_of_time=lambda: time.thread_time() - start > seconds,
    )
    if perceived is None:
        return None
    currency = judge.task.currency
    return NeededFacts(facts=tuple(_needed_fact(fact, currency) for fact in perceived.facts), untried=perceived.untried)


def compare_declared_facts(
    opened: AgentTask,
    turns: Sequence[Turn],
    status: Literal["pass", "fail", "undelivered"],
    trace: Trace,
    seen: NeededFacts | None,
) -> FactsRead | None:
    """Compare the facts that an agent declared with the facts that it was shown.

    The answer is also judged as if the declared values were true.

    Args:
        opened: the task in the setting of the attempt.
        turns: turns of the attempt.
        status: status of the verdict on the attempt.
        trace: trace of the attempt.
        seen: result of `needed_facts`.

    Returns:
        Counts of declared facts, and the status of the answer with the declared values; None if the agent declared
        nothing, or if the family does not parse declarations in this setting.
    """
    reading = None if opened.reader is None else opened.reader(trace)
    if reading is None:
        return None
    needed = set() if seen is None else {fact.fact for fact in seen.facts}
    # a needed row makes its cells needed
    needed |= {fact.name for fact in reading.facts if fact.name.rpartition(".")[0] in needed}
    shares = count_by(reading.facts, lambda fact: (fact.page, fact.cue, fact.sort, fact.state, fact.name in needed))
    counts = tuple(
        ReadCount(
            page=page,
            cue=cue,
            fact=sort,
            state=state or None,
            needed=need,
            right=n.right,
            wrong=n.wrong,
            missing=n.missing,
        )
        for (page, cue, sort, state, need), n in shares.items()
    )
    wrong = [
        WrongFact(fact=fact.name, page=fact.page, cue=fact.cue, says=fact.says, declared=fact.declared)
        for fact in reading.facts
        if fact.outcome == "wrong"
    ]
    answer = turns[-1].answer if turns else None
    if reading.world is not None and answer is not None and status != "undelivered":
        judge = Judge(reading.world)
        status = judge.answer(opened.resolve_references(text_of(answer), trace), details="violated").status
    return FactsRead(
        counts=counts,
        wrong=tuple(wrong[:MOST_WRONG]),
        elsewhere=reading.elsewhere,
        unclear=reading.unclear,
        status=status,
    )


def _seen_turns(
    opened: AgentTask,
    setting: DeclaredSetting,
    pictures: PictureCues | None,
    turns: Sequence[Turn],
    trace: Trace,
) -> list[PerceivedTurn] | None:
    """Return the turns with their calls; None if the record does not assign calls to turns."""
    from planspec.verifiers.environment.perception import PerceivedTurn

    counts = [turn.calls for turn in turns]
    if None in counts:
        if len(turns) > 1:
            return None
        counts = [len(trace.calls)]
    seen: list[PerceivedTurn] = []
    begin = 0
    for judge, count in zip(opened.judges, counts, strict=True):
        end = begin + (count or 0)
        calls = tuple(_call_if_answered(index, trace.calls[index]) for index in range(begin, end))
        seen.append(PerceivedTurn(judge.task, setting, [call for call in calls if call is not None], pictures))
        begin = end
    return seen


def _call_if_answered(index: int, call: Call) -> ToolCall | None:
    """Return the call if a tool answered it, even with an error; None if no tool did."""
    from planspec.verifiers.environment.perception import ToolCall

    if call.name is None or call.arguments is None or call.result is None:
        return None
    if isinstance(call.result.value, dict) and _error_code(call.result.value) == "no-calls-left":
        return None
    return ToolCall(index, call.name, call.arguments)


def _error_code(result: dict[str, JsonValue]) -> JsonValue:
    error = result.get("error")
    return error.get("code") if isinstance(error, dict) else None


def _needed_fact(perceived: PerceivedFact, currency: str | None) -> NeededFact:
    sighting = perceived.sighting
    return NeededFact(
        fact=perceived.fact.place(currency),
        value=perceived.value,
        status=perceived.status,
        needed_by=perceived.needed_by,
        rules=perceived.rules,
        by=None if sighting is None else sighting.by,
        turn=0 if sighting is None else sighting.turn,
        name=None if sighting is None else sighting.name,
        call=None if sighting is None else sighting.place,
        cue=None if sighting is None else sighting.cue,
    )
