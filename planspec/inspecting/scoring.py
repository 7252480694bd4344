"""Two Inspect scorers: the verdict with findings and facts seen, and the shares of satisfied constraints."""

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
from planspec.inspecting.samples import open_sample
from planspec.inspecting.solving import ANSWERS, CALLS, FAILURE
from planspec.runs.perceived import needed_facts as facts_of
from planspec.runs.record import Turn
from planspec.traces.json_text import load, replace_surrogates
from planspec.traces.record import Call, ErrorKind, Result, Trace
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import hard_share, optimality, passing_gap, soft_share

VALUES = {"pass": CORRECT, "fail": INCORRECT, "undelivered": NOANSWER}
"""Inspect score by status of a verdict. An undelivered answer counts as incorrect."""
MAX_FINDINGS = 20
"""Maximum number of findings in an explanation."""


@metric
def facts_seen() -> Metric:
    """Return a metric: mean share of needed facts that were seen, over samples in which it is known."""

    def measure(scores: list[SampleScore]) -> Value:
        return _mean_of_facts(scores, "seen")

    return measure


@metric
def facts_ignored() -> Metric:
    """Return a metric: mean share of seen facts that were ignored, over samples in which it is known."""

    def measure(scores: list[SampleScore]) -> Value:
        return _mean_of_facts(scores, "ignored")

    return measure


def _mean_of_facts(scores: list[SampleScore], key: str) -> float:
    facts_by_sample = [(one.score.metadata or {}).get("facts") or {} for one in scores]
    recorded = [float(facts[key]) for facts in facts_by_sample if facts.get(key) is not None]
    return sum(recorded) / len(recorded) if recorded else math.nan


@metric
def violated_kinds() -> Metric:
    """Return a metric: share of samples that violate a constraint of a kind, for each kind of hard constraint."""

    def measure(scores: list[SampleScore]) -> Value:
        kinds = Counter(kind for one in scores for kind in kinds_of((one.score.metadata or {}).get("verdict") or {}))
        return {kind: count / len(scores) for kind, count in sorted(kinds.items())}

    return measure


def kinds_of(document: Mapping[str, Any]) -> set[str]:
    """Return the kinds of the hard constraints that a verdict finds violated; for one without a kind, its id."""
    violated = (f for f in document.get("findings", ()) if f["status"] == "violated" and f["level"] != "soft")
    return {f.get("kind") or f["constraint"].partition("[")[0] for f in violated}


@scorer(metrics=[accuracy(), stderr(), facts_seen(), facts_ignored(), violated_kinds()])
def verdict() -> Scorer:
    """Return a scorer of the last turn's answer. Earlier answers do not count."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 verdicts need no target
        judged = _judge(state)
        result = _verdict_score(judged.verdict, judged.answer, judged.failure)
        assert result.metadata is not None
        result.metadata["facts"] = _fact_shares(judged)
        return result

    return score


@scorer(metrics={"*": [mean(), stderr()]})
def shares() -> Scorer:
    """Return a scorer of the shares of satisfied constraints, and of the distance from the best plan.

    `hard` and `soft` are 0 without an answer. `optimal` is 1 if the answer passes and no known plan is better, else 0.
    `gap` is the difference between a passing answer's objective and the proved best value, as a share of the best
    value. Values that do not exist, such as `soft` of a task without soft constraints, are NaN, which Inspect counts as
    unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 verdicts need no target
        verdict = _judge(state).verdict
        values = {
            "hard": hard_share(verdict),
            "soft": soft_share(verdict),
            "optimal": optimality(verdict),
            "gap": passing_gap(verdict),
        }
        return Score(value={name: math.nan if value is None else float(value) for name, value in values.items()})

    return score


@dataclass(frozen=True, slots=True)
class _JudgedSample:
    """The verdict on a sample.

    Attributes:
        answer: the last answer, or None.
        failure: boundary and message if there is no answer.
        answers: the answer to each turn.
        calls: number of tool calls in each turn; None if unknown, for example if another project's solver took several
            turns.
    """

    opened: AgentTask
    trace: Trace
    verdict: Verdict
    answer: str | None
    failure: dict[str, str] | None
    answers: tuple[str, ...]
    calls: tuple[int, ...] | None


def _judge(state: TaskState) -> _JudgedSample:
    opened = open_sample(state.metadata)
    answers: list[str] | None = state.store.get(ANSWERS)
    if answers is None:  # an Inspect solver of another project made this sample
        answers = [state.output.completion] if state.output.choices else []
    failure: dict[str, str] | None = state.store.get(FAILURE)
    if failure is None and len(answers) < len(opened.judges):
        failure = {
            "boundary": "limit",
            "message": f"only {len(answers)} of {len(opened.judges)} turns were answered",
        }
    answer = None if failure is not None else answers[-1]
    trace = Trace(task=str(state.sample_id), agent=str(state.model), calls=calls_of(state.messages), answer=answer)
    if answer is None:
        assert failure is not None
        verdict = opened.judge.undelivered(f"{failure['boundary']}: {failure['message']}")
    else:
        verdict = opened.verdict(answer, trace, details="violated")
    verdict = opened.judge.beside_best(verdict)
    calls = state.store.get(CALLS)
    if calls is None and len(opened.judges) == 1:
        calls = [len(trace.calls)]
    return _JudgedSample(
        opened, trace, verdict, answer, failure, tuple(answers), None if calls is None else tuple(calls)
    )


def _fact_shares(judged: _JudgedSample) -> dict[str, float | None] | None:
    """Return the shares of needed facts that were seen, and of seen facts that were ignored; None if unknown."""
    if judged.answer is None or judged.calls is None or len(judged.calls) != len(judged.answers):
        return None
    turns = [Turn(answer=answer, calls=count) for answer, count in zip(judged.answers, judged.calls, strict=True)]
    facts = facts_of(judged.opened, turns, judged.verdict.status, judged.trace)
    if facts is None:
        return None
    shares = {"seen": facts.seen_share, "ignored": facts.ignored_share}
    return {name: None if share is None else float(share) for name, share in shares.items()}


def _verdict_score(verdict: Verdict, answer: str | None, failure: dict[str, str] | None) -> Score:
    document: dict[str, Any] = json.loads(json.dumps(asdict(verdict), ensure_ascii=False, default=str))
    violated = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
    lines = [f"{finding.constraint}: {finding.message}" for finding in violated[:MAX_FINDINGS]]
    if len(violated) > MAX_FINDINGS:
        lines.append(f"and {len(violated) - MAX_FINDINGS} more")
    if failure is None and verdict.status == "undelivered":
        failure = {"boundary": "decode", "message": verdict.findings[0].message}
    return Score(
        value=VALUES[verdict.status],
        answer=answer,
        explanation="\n".join(lines) or None,
        metadata={"verdict": document, "failure": failure},
    )


def calls_of(messages: Sequence[ChatMessage]) -> tuple[Call, ...]:
    """Return the tool calls in a conversation, with their results."""
    results = {message.tool_call_id: message for message in messages if isinstance(message, ChatMessageTool)}
    return tuple(
        Call(
            id=call.id,
            name=call.function,
            arguments=replace_surrogates(call.arguments)[0],
            result=None if call.id not in results else _result(results[call.id]),
        )
        for message in messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or []
    )


def _result(message: ChatMessageTool) -> Result:
    text = message.text if message.error is None else message.error.message
    try:
        value, _ = replace_surrogates(load(text))
    except ValueError:
        return Result(text=replace_surrogates(text)[0], error=None if message.error is None else "invalid")
    return Result(value=value, error=None if message.error is None else _error_kind(value))


def _error_kind(value: Any) -> ErrorKind:
    error = value.get("error") if isinstance(value, dict) else None
    return KINDS.get(str(error.get("code")), "other") if isinstance(error, dict) else "invalid"
