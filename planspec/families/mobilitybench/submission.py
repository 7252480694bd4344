"""What MobilityBench's public toolkit evaluates: the records of `raw_results.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from planspec.api.judging import Judge
from planspec.api.submission import Submission
from planspec.families.mobilitybench.traces_reading import PLANNER, REPORTER
from planspec.traces.record import Call, Trace


class MobilityBenchSubmission:
    """One record for each case, with its plan, its calls and its answer; calls have the names with which they were made."""

    lines = False

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:
        """The record of a case, whose id is the task's."""
        case = judge.task.id
        if trace is None:
            return {"case_id": case, "error": "it was not attempted"}
        said = answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return {
            "case_id": case, "model_name": trace.agent, "planner_output": _planner(trace), "worker_output": _workers(trace),
            "reporter_output": said or "", "token_usage": _tokens(trace),
            "execution_time": None if trace.elapsed_ms is None else trace.elapsed_ms / 1000, "error": trace.error,
        }  # fmt: skip


def _planner(trace: Trace) -> dict[str, Any]:
    stage = trace.stage(PLANNER)
    if stage is None:
        return {}
    place = trace.stages.index(stage)
    return _asked(trace, place) | {
        "steps": [list(group) for group in stage.steps], "thinking": stage.thinking or "", "intent": stage.intent or "",
    }  # fmt: skip


def _workers(trace: Trace) -> list[dict[str, Any]]:
    """A worker for each stage that is neither planner nor reporter, and one for calls of no stage."""
    made = [
        _worker(trace, place, stage.id or f"{stage.name}_{place}", stage.text or "")
        for place, stage in enumerate(trace.stages)
        if stage.name not in (PLANNER, REPORTER) or any(call.stage == place for call in trace.calls)
    ]
    alone = any(call.stage is None for call in trace.calls)
    return [*made, *([_worker(trace, None, "calls", "")] if alone else [])]


def _worker(trace: Trace, place: int | None, name: str, text: str) -> dict[str, Any]:
    calls = [(at, call) for at, call in enumerate(trace.calls) if call.stage == place]
    return {
        "task_id": name, **(_asked(trace, place) if place is not None else {"system": "", "human": ""}), "tools": [],
        "tool_calls": [{"id": _id(at), "name": call.name, "args": _arguments(call)} for at, call in calls],
        "tool_results": {_id(at): _result(call) for at, call in calls if call.result is not None},
        "ai_response": text,
    }  # fmt: skip


def _id(place: int) -> str:
    """An id for each call: those that agents give may come twice."""
    return f"call_{place}"


def _arguments(call: Call) -> Any:
    return call.written if call.arguments is None else call.arguments


def _result(call: Call) -> Any:
    assert call.result is not None, "only answered calls have one"
    return call.result.value if call.result.text is None else call.result.text


def _asked(trace: Trace, place: int) -> dict[str, Any]:
    """What a stage was told."""
    said = [message for message in trace.messages if message.stage == place]
    return {
        key: "\n\n".join(message.text or "" for message in said if message.role == role)
        for key, role in (("system", "system"), ("human", "user"))
    }


def _tokens(trace: Trace) -> dict[str, Any]:
    """Counts by stage; those of a run without stages are the worker's."""
    found: dict[str, Any] = {}
    for each in trace.tokens:
        counts = {"prompt_tokens": each.input, "completion_tokens": each.output, "total_tokens": each.total}
        found[each.stage or "worker"] = {name: count for name, count in counts.items() if count is not None}
    return found


SUBMISSION: Submission = MobilityBenchSubmission()
