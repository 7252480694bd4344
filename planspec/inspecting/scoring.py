"""The scorer: the verifier's verdict, with its findings in the score's metadata."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from planspec.agents.desk import KINDS
from planspec.environments import AgentTask
from planspec.inspecting.samples import opened_of
from planspec.inspecting.solving import ANSWERS, FAILURE
from planspec.traces.json_text import load, whole_characters
from planspec.traces.record import Call, ErrorKind, Result, Trace
from planspec.verifiers.meaning.verdict import Verdict

VALUES = {"pass": CORRECT, "fail": INCORRECT, "undelivered": NOANSWER}
"""The score of each status of a verdict; an undelivered answer counts as not correct."""
SHOWN = 20
"""The most findings in an explanation."""


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Judges the last turn's answer; an answer that was given before the last turn is none."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 verdicts need no target
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
        if failure is not None:
            found = opened.judge.undelivered(f"{failure['boundary']}: {failure['message']}")
            return _score(found, None, failure)
        return _score(_verdict(opened, answers[-1], state), answers[-1], None)

    return score


def _verdict(opened: AgentTask, said: str, state: TaskState) -> Verdict:
    trace = Trace(
        task=str(state.sample_id), agent=str(state.model), calls=_calls(state.messages), answer=said
    )
    return opened.verdict(said, trace, details="violated")


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


def _calls(messages: list[ChatMessage]) -> tuple[Call, ...]:
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
