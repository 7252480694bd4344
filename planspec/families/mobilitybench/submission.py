"""Writer of records for `raw_results.json`, which MobilityBench's public toolkit evaluates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from planspec.api.judging import Judge
from planspec.api.submission import Submission
from planspec.families.mobilitybench.traces_reading import PLANNER, REPORTER
from planspec.traces.record import Call, Trace


class MobilityBenchSubmission:
    """Submission with a record for each case: the run's plan, answer, and calls with the agent's names of tools."""

    lines = False  # the file is one JSON list, not JSON Lines

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:
        """Return the record of a case. The case has the id of the task."""
        case = judge.task.id
        if trace is None:
            return {"case_id": case, "error": "it was not attempted"}
        text = answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return {
            "case_id": case,
            "model_name": trace.agent,
            "planner_output": _planner_output(trace),
            "worker_output": _worker_outputs(trace),
            "reporter_output": text or "",
            "token_usage": _token_usage(trace),
            "execution_time": None if trace.elapsed_ms is None else trace.elapsed_ms / 1000,
            "error": trace.error,
        }


def _planner_output(trace: Trace) -> dict[str, Any]:
    stage = trace.stage(PLANNER)
    if stage is None:
        return {}
    place = trace.stages.index(stage)
    return _prompts(trace, place) | {
        "steps": [list(group) for group in stage.steps],
        "thinking": stage.thinking or "",
        "intent": stage.intent or "",
    }


def _worker_outputs(trace: Trace) -> list[dict[str, Any]]:
    """Return a worker's output for each stage except planner and reporter, and one more for calls without a stage."""
    workers = [
        _worker_output(trace, place, stage.id or f"{stage.name}_{place}", stage.text or "")
        for place, stage in enumerate(trace.stages)
        if stage.name not in (PLANNER, REPORTER) or any(call.stage == place for call in trace.calls)
    ]
    has_loose_calls = any(call.stage is None for call in trace.calls)
    return [*workers, *([_worker_output(trace, None, "calls", "")] if has_loose_calls else [])]


def _worker_output(trace: Trace, stage_index: int | None, name: str, text: str) -> dict[str, Any]:
    calls = [(at, call) for at, call in enumerate(trace.calls) if call.stage == stage_index]
    return {
        "task_id": name,
        **(_prompts(trace, stage_index) if stage_index is not None else {"system": "", "human": ""}),
        "tools": [],
        "tool_calls": [{"id": _call_id(at), "name": call.name, "args": _arguments_json(call)} for at, call in calls],
        "tool_results": {_call_id(at): _result_json(call) for at, call in calls if call.result is not None},
        "ai_response": text,
    }


def _call_id(index: int) -> str:
    """Return a unique id for a call, since agents may repeat ids."""
    return f"call_{index}"


def _arguments_json(call: Call) -> Any:
    return call.written if call.arguments is None else call.arguments


def _result_json(call: Call) -> Any:
    assert call.result is not None, "only answered calls have one"
    return call.result.value if call.result.text is None else call.result.text


def _prompts(trace: Trace, stage_index: int) -> dict[str, Any]:
    """Return the system messages and the user messages of a stage, each joined to one text: `system` and `human`."""
    messages = [message for message in trace.messages if message.stage == stage_index]
    return {
        key: "\n\n".join(message.text or "" for message in messages if message.role == role)
        for key, role in (("system", "system"), ("human", "user"))
    }


def _token_usage(trace: Trace) -> dict[str, Any]:
    """Return the numbers of tokens by stage. Tokens without a stage count as the worker's."""
    by_stage: dict[str, Any] = {}
    for each in trace.tokens:
        counts = {"prompt_tokens": each.input, "completion_tokens": each.output, "total_tokens": each.total}
        by_stage[each.stage or "worker"] = {name: count for name, count in counts.items() if count is not None}
    return by_stage


SUBMISSION: Submission = MobilityBenchSubmission()
