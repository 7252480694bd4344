"""The scorers: the verifier's verdict, with its findings and what was seen in the score's metadata, and the shares that hold."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    accuracy,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from planspec.agents.desk import KINDS
from planspec.environments import AgentTask
from planspec.inspecting.samples import opened_of
from planspec.inspecting.solving import ANSWERS, CALLS, FAILURE
from planspec.runs.perceived import facts_seen as facts_of
from planspec.runs.record import Turn
from planspec.traces.json_text import load, whole_characters
from planspec.traces.record import Call, ErrorKind, Result, Trace
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import given, hard_share, satisfied

VALUES = {"pass": CORRECT, "fail": INCORRECT, "undelivered": NOANSWER}
"""The score of each status of a verdict; an undelivered answer counts as not correct."""
SHOWN = 20
"""The most findings in an explanation."""


@metric
def facts_seen() -> Metric:
    """The mean share of the needed facts that were seen, over the samples of which it is known."""

    def measure(scores: list[SampleScore]) -> Value:
        return _mean_of_facts(scores, "seen")

    return measure


@metric
def facts_ignored() -> Metric:
    """The mean share of the seen facts that were ignored, over the samples of which it is known."""

    def measure(scores: list[SampleScore]) -> Value:
        return _mean_of_facts(scores, "ignored")

    return measure


def _mean_of_facts(scores: list[SampleScore], key: str) -> float:
    told = [(one.score.metadata or {}).get("facts") or {} for one in scores]
    known = [float(facts[key]) for facts in told if facts.get(key) is not None]
    return sum(known) / len(known) if known else math.nan


@metric
def violated_kinds() -> Metric:
    """By each kind of hard constraints the share of the samples that violate one of it."""

    def measure(scores: list[SampleScore]) -> Value:
        kinds = Counter(
            kind for one in scores for kind in kinds_of((one.score.metadata or {}).get("verdict") or {})
        )
        return {kind: count / len(scores) for kind, count in sorted(kinds.items())}

    return measure


def kinds_of(document: Mapping[str, Any]) -> set[str]:
    """The kinds of the hard constraints that a verdict's document finds violated; a constraint without a kind is its own."""
    broken = (f for f in document.get("findings", ()) if f["status"] == "violated" and f["level"] != "soft")
    return {f.get("kind") or f["constraint"].partition("[")[0] for f in broken}


@scorer(metrics=[accuracy(), stderr(), facts_seen(), facts_ignored(), violated_kinds()])
def verdict() -> Scorer:
    """Judges the last turn's answer; an answer that was given before the last turn is none."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 verdicts need no target
        judged = _judged(state)
        made = _score(judged.verdict, judged.said, judged.failure)
        assert made.metadata is not None
        made.metadata["facts"] = _facts(judged)
        return made

    return score


@scorer(metrics={"*": [mean(), stderr()]})
def shares() -> Scorer:
    """The shares of the hard and soft constraints that hold: 0 where nothing was delivered, 1 where there are none."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 verdicts need no target
        found = _judged(state).verdict
        return Score(
            value={"hard": float(hard_share(found)), "soft": float(given(found) * satisfied(found.soft))}
        )

    return score


@dataclass(frozen=True, slots=True)
class _Judged:
    """The verdict on a sample.

    Attributes:
        said: the answer; None where there is none.
        failure: the boundary at which there was none, and why.
        calls: tool calls by turn; None where another solver made them over several turns.
    """

    opened: AgentTask
    trace: Trace
    verdict: Verdict
    said: str | None
    failure: dict[str, str] | None
    answers: tuple[str, ...]
    calls: tuple[int, ...] | None


def _judged(state: TaskState) -> _Judged:
    opened = opened_of(state.metadata)
    answers: list[str] | None = state.store.get(ANSWERS)
    if answers is None:  # another solver's
        answers = [state.output.completion] if state.output.choices else []
    failure: dict[str, str] | None = state.store.get(FAILURE)
    if failure is None and len(answers) < len(opened.judges):
        failure = {
            "boundary": "limit",
            "message": f"of {len(opened.judges)} turns {len(answers)} were answered",
        }
    said = None if failure is not None else answers[-1]
    trace = Trace(
        task=str(state.sample_id), agent=str(state.model), calls=calls_of(state.messages), answer=said
    )
    if said is None:
        assert failure is not None
        found = opened.judge.undelivered(f"{failure['boundary']}: {failure['message']}")
    else:
        found = opened.verdict(said, trace, details="violated")
    calls = state.store.get(CALLS)
    if calls is None and len(opened.judges) == 1:
        calls = [len(trace.calls)]
    return _Judged(
        opened, trace, found, said, failure, tuple(answers), None if calls is None else tuple(calls)
    )


def _facts(judged: _Judged) -> dict[str, float | None] | None:
    """What was seen of the facts that were needed; None where that is not known."""
    if judged.said is None or judged.calls is None or len(judged.calls) != len(judged.answers):
        return None
    turns = [Turn(answer=said, calls=count) for said, count in zip(judged.answers, judged.calls, strict=True)]
    found = facts_of(judged.opened, turns, judged.verdict.status, judged.trace)
    if found is None:
        return None
    shares = {"seen": found.seen_share, "ignored": found.ignored_share}
    return {name: None if share is None else float(share) for name, share in shares.items()}


def _score(found: Verdict, said: str | None, failure: dict[str, str] | None) -> Score:
    document: dict[str, Any] = json.loads(json.dumps(asdict(found), ensure_ascii=False, default=str))
    broken = [f for f in found.findings if f.status == "violated" and f.level != "soft"]
    told = [f"{finding.constraint}: {finding.message}" for finding in broken[:SHOWN]]
    if len(broken) > SHOWN:
        told.append(f"and {len(broken) - SHOWN} more")
    if failure is None and found.status == "undelivered":
        failure = {"boundary": "decode", "message": found.findings[0].message}
    return Score(
        value=VALUES[found.status],
        answer=said,
        explanation="\n".join(told) or None,
        metadata={"verdict": document, "failure": failure},
    )


def calls_of(messages: Sequence[ChatMessage]) -> tuple[Call, ...]:
    """The calls of a conversation with what came of them."""
    results = {message.tool_call_id: message for message in messages if isinstance(message, ChatMessageTool)}
    return tuple(
        Call(
            id=call.id,
            name=call.function,
            arguments=whole_characters(call.arguments)[0],
            result=None if call.id not in results else _result(results[call.id]),
        )
        for message in messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or []
    )


def _result(message: ChatMessageTool) -> Result:
    text = message.text if message.error is None else message.error.message
    try:
        value, _ = whole_characters(load(text))
    except ValueError:
        return Result(text=whole_characters(text)[0], error=None if message.error is None else "invalid")
    return Result(value=value, error=None if message.error is None else _kind(value))


def _kind(value: Any) -> ErrorKind:
    error = value.get("error") if isinstance(value, dict) else None
    return KINDS.get(str(error.get("code")), "other") if isinstance(error, dict) else "invalid"
