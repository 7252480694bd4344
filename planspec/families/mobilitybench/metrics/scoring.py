"""All strict metrics of one run; DR, FPR and tokens are here, the others in modules of their own.

    DR  = 1 if the run ended without error, its answer can be read and answers, and no tool call stayed failed
    FPR = 1 if DR is 1 and the answer satisfies every constraint of the episode's task; the run's verdict is then `pass`
    IT, OT: the sums of the input and of the output tokens over the run's parts; not known where nothing is said of them

A call stayed failed if its result is an error and no later call of the same tool (of any, where there is no such tool)
succeeded. Where nothing is known by which an answer could be judged, FPR is not known. A call without a recorded
result is not held to have failed. FPR is the library's verdict; where the suite was scored without one it is not known.

Sources: sections 3.2.4 and 3.2.5 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.episode_map import answers
from planspec.families.mobilitybench.metrics.calling import RunCall, made_of, wanted_of
from planspec.families.mobilitybench.metrics.declared import Declaration, Declared, declared
from planspec.families.mobilitybench.metrics.decomposition import decomposition
from planspec.families.mobilitybench.metrics.extraction import differing
from planspec.families.mobilitybench.metrics.intent import intent_of
from planspec.families.mobilitybench.metrics.record import METRICS, NO_TRACE, TOKENS, Judged, Strict
from planspec.families.mobilitybench.metrics.tool_use import (
    parameter_filling,
    schema_compliance,
    tool_selection,
)
from planspec.traces.record import Call, Result, Trace
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.meaning.verdict import Finding, Verdict

UNDECLARED = "undeclared"
NO_TOOL = "unknown tool"
MOST_SAID = 400
"""The most characters of a text that are shown."""


def score_trace(
    episode: Episode, trace: Trace | None, verdict: Verdict | None, suite: Path | None = None
) -> Strict:
    """The strict metrics of a run.

    Args:
        episode: what was asked.
        trace: the run; None where there is none, which earns nothing.
        verdict: on its answer; None where there is no answer that could be read, or no judge.
        suite: the folder of the episode's suite.
    """
    if trace is None:
        return _without(episode)
    said = declared(trace)
    wanted, made = wanted_of(episode), calls_of(episode, trace)
    precision, recall = decomposition(episode.steps, said.steps, made)
    coverage, spared, calls = tool_selection(wanted, made)
    reasons = tuple(_failing(episode, suite, trace, made))
    delivered = _delivery(trace, reasons, said, verdict)
    tokens = _tokens(trace)
    return Strict(
        task=episode.id, agent=trace.agent, family=episode.family, scenario=episode.scenario, traced=True,
        verdict="undelivered" if verdict is None else verdict.status,
        metrics={
            "ID": _intent(episode, said.intent), "IE": _extraction(episode, said.constraints),
            "DEC_P": precision, "DEC_R": recall, "TS_coverage": coverage, "TS_spared": spared, "TS_calls": calls,
            "SC": schema_compliance(wanted, made), "PF": parameter_filling(wanted, made),
            "DR": delivered, "FPR": _final_pass(delivered, verdict) if _can_be_judged(episode) else Judged(None), **tokens,
        },
        undeclared=_undeclared(said, tokens),
        findings=() if verdict is None else tuple(
            (finding.constraint, finding.message) for finding in verdict.findings
            if finding.status == "violated" and finding.level != "soft"
        ),
    )  # fmt: skip


def _without(episode: Episode) -> Strict:
    """An episode that no run tells of."""
    nothing = Judged.zero(NO_TRACE)
    metrics = {name: Judged(None) if name in TOKENS else nothing for name in METRICS}
    return Strict(
        task=episode.id, agent=None, family=episode.family, scenario=episode.scenario, traced=False,
        verdict="undelivered", metrics=metrics,
    )  # fmt: skip


def _undeclared(said: Declared, tokens: Mapping[str, Judged]) -> tuple[str, ...]:
    there = {
        "intent": said.intent, "constraints": said.constraints, "steps": said.steps,
        "tokens": next((judged for judged in tokens.values() if judged.value is not None), None),
    }  # fmt: skip
    return tuple(name for name, value in there.items() if value is None)


def _intent(episode: Episode, said: Declaration | None) -> Judged:
    if said is None:
        return Judged.zero(UNDECLARED)
    texts = said.value if isinstance(said.value, list) else [said.value]
    if len(texts) != 1 or not isinstance(texts[0], str):
        return Judged.of(
            right=False,
            said=_json(said.value),
            source=said.source,
            reasons=("several labels" if len(texts) > 1 else "no text",),
        )
    found = intent_of(texts[0])
    right = found.scenario is episode.scenario
    reason = str(found.unclear or "another scenario")
    told = {
        "text": texts[0][:MOST_SAID], "nearest": found.label, "similarity": round(float(found.similarity), 4)
    }  # fmt: skip
    return Judged.of(right=right, said=told, source=said.source, reasons=(reason,))


def _extraction(episode: Episode, said: Declaration | None) -> Judged:
    if said is None:
        return Judged.zero(UNDECLARED)
    wrong = differing(episode, said.value)
    return Judged.of(right=not wrong, said=_json(said.value), source=said.source, reasons=wrong)


def _delivery(trace: Trace, failing: Sequence[str], said: Declared, verdict: Verdict | None) -> Judged:
    reasons = list(_ending(trace))
    if said.answer is None:
        reasons.append("no answer")
    elif isinstance(said.answer, Undelivered):
        reasons.append("answer cannot be read")
    elif verdict is not None and verdict.status == "undelivered":
        reasons.append("answer answers nothing")
    reasons += failing
    return Judged.of(right=not reasons, said=_why(said, verdict), reasons=tuple(reasons))


def _why(said: Declared, verdict: Verdict | None) -> str | None:
    """Why the answer is none."""
    if isinstance(said.answer, Undelivered):
        return said.answer.reason
    if verdict is not None and verdict.status == "undelivered" and verdict.findings:
        return verdict.findings[0].message
    return None


def calls_of(episode: Episode, trace: Trace) -> list[RunCall]:
    """A run's calls, each read by its tool's schema."""
    return [made_of(call, public=episode.source is not None) for call in trace.calls]


def _ending(trace: Trace) -> Iterator[str]:
    """Why a run that ended so delivers nothing."""
    if trace.error is not None:
        yield "run ended with an error"
    elif not trace.ended:
        yield "run breaks off" if trace.answer is None else "run did not end"


def _failing(episode: Episode, suite: Path | None, trace: Trace, made: Sequence[RunCall]) -> Iterator[str]:
    """Why a run with these calls delivers nothing; a call that only the recording lacks, and the map answers, is no reason."""
    excused = partial(answers, episode, suite)
    return (f"{tool} stayed failed" for tool in stayed_failed(trace.calls, made, excused))


def final(verdict: Verdict, episode: Episode, trace: Trace, suite: Path | None = None) -> Verdict:
    """The verdict on a run: that on its answer, which fails where the run delivers nothing.

    So an attempt passes exactly where its final pass rate is 1.

    Args:
        verdict: on the answer.
        episode: what was asked.
        trace: the run.
        suite: the folder of the episode's suite.
    """
    reasons = [*_ending(trace), *_failing(episode, suite, trace, calls_of(episode, trace))]
    if not reasons or verdict.status == "undelivered":
        return verdict
    finding = Finding(
        constraint="run", level="shape", kind="undelivered-run", status="violated", message="; ".join(reasons)
    )
    return replace(verdict, status="fail", findings=(finding, *verdict.findings))


def stayed_failed(
    calls: Sequence[Call], made: Sequence[RunCall], excused: Callable[[Call], bool] = lambda _: False
) -> tuple[str, ...]:
    """The tools whose last results are errors.

    Args:
        calls: of the run, in order.
        made: the same calls, read.
        excused: says of a failed call whether it is left out.
    """
    failed: dict[str, None] = {}
    for call, one in zip(calls, made, strict=True):
        tool = one.tool or NO_TOOL
        if call.result is None:
            continue
        if has_failed(call.result):
            if not excused(call):
                failed[tool] = None
        elif one.tool is not None:
            failed.pop(tool, None)
            failed.pop(NO_TOOL, None)
    return tuple(failed)


def has_failed(result: Result) -> bool:
    """A result is an error: it is marked so, is an object with an `error`, or a text that begins with the word."""
    if not result.ok:
        return True
    if isinstance(result.value, Mapping):
        return bool(result.value.get("error"))
    text = result.text if result.text is not None else result.value
    return isinstance(text, str) and text.lstrip()[:5].casefold() == "error"


def _can_be_judged(episode: Episode) -> bool:
    """Something is known of what is right: of a row of the public table whose cells are cut off nothing may be."""
    return bool(episode.given) or episode.source is None


def _final_pass(delivered: Judged, verdict: Verdict | None) -> Judged:
    if delivered.value != 1:
        return Judged.zero("not delivered")
    if verdict is None:
        return Judged(None)
    broken = (
        finding.constraint.partition("[")[0] if finding.level == "hard" else "unreadable or unknown values"
        for finding in verdict.findings
        if finding.status == "violated" and finding.level != "soft"
    )
    return Judged.of(right=verdict.status == "pass", reasons=tuple(dict.fromkeys(broken)))


def _tokens(trace: Trace) -> dict[str, Judged]:
    whole = trace.tokens_of(None)
    parts = [whole] if whole is not None else list(trace.tokens)
    made = {}
    for name, counts in (("IT", [part.input for part in parts]), ("OT", [part.output for part in parts])):
        known = [count for count in counts if count is not None]
        made[name] = Judged(Fraction(sum(known)) if known else None)
    return made


def _json(value: Any) -> Any:
    """A part of an answer as JSON that can be written; long texts are cut."""
    match value:
        case str():
            return value[:MOST_SAID]
        case Decimal():
            return int(value) if abs(value) < 10**15 and value == int(value) else str(value)[:MOST_SAID]
        case Mapping():
            return {str(name)[:MOST_SAID]: _json(part) for name, part in list(value.items())[:50]}
        case list() | tuple():
            return [_json(part) for part in value[:50]]
        case _:
            return value
