"""Reader of `raw_results.json`, in which the public MobilityBench toolkit stores its runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from planspec.traces.files import object_of
from planspec.traces.parts import (
    TraceDraft,
    call_of,
    clean_record,
    milliseconds,
    other_fields,
    result_of,
    text_or_none,
    tokens_from,
)
from planspec.traces.record import ErrorKind, Message, Result, Stage, Tokens, Trace

PARTS = ("planner_output", "worker_output", "reporter_output", "token_usage")
"""Fields by which a record of the toolkit is recognised."""
PLANNER, WORKER, REPORTER = "planner", "worker", "reporter"
FLAT_TOKEN_NAME = re.compile(
    r"(planner|worker|reporter)[_ ](prompt|input|completion|output|total)[_ ]tokens", re.IGNORECASE
)
INVALID = "输入参数错误"
NOT_CACHED = "未缓存"


def trace_of_toolkit(record: Mapping[str, Any]) -> Trace | None:
    """Convert a record to a trace if it has the toolkit's form, otherwise return None.

    Raises:
        ValueError: the record has the toolkit's form but no `case_id`.
    """
    has_form = ("case_id" in record and "messages" not in record) or any(part in record for part in PARTS)
    return trace_of_mobilitybench(record) if has_form else None


def trace_of_mobilitybench(record: Any) -> Trace:
    """Convert a record of `raw_results.json` to a trace.

    Raises:
        ValueError: the record is not a JSON object, or has no `case_id`.
    """
    draft = TraceDraft()
    fields = object_of(clean_record(record, draft.faults))
    task = fields.get("case_id")
    if isinstance(task, bool) or not isinstance(task, str | int):
        raise ValueError("it has no `case_id`")
    extra = other_fields(fields, ("case_id", "planner_output", "worker_output", "reporter_output", "token_usage"))
    extra.pop("model_name", None)
    agent = text_or_none(fields, "model_name", extra)
    _read_planner(fields.get("planner_output"), draft, extra)
    _read_workers(fields.get("worker_output"), draft, extra)
    answer = _read_reporter(fields.get("reporter_output"), draft)
    elapsed, exact = milliseconds(extra.get("execution_time"))
    if exact:
        extra.pop("execution_time", None)
    error = extra.pop("error", None)
    return Trace(
        task=str(task),
        agent=agent,
        messages=tuple(draft.messages),
        calls=tuple(draft.calls),
        answer=answer,
        stages=tuple(draft.stages),
        tokens=_read_tokens(fields.get("token_usage"), draft, extra),
        elapsed_ms=elapsed,
        error=error if error is None or isinstance(error, str) else json.dumps(error, ensure_ascii=False),
        ended=not error and bool(answer),
        faults=tuple(draft.faults),
        extra=extra,
    )


def _read_planner(output: Any, draft: TraceDraft, extra: dict[str, Any]) -> None:
    if not output:
        if output not in (None, {}):
            extra["planner_output"] = output
        return
    if not isinstance(output, Mapping):
        draft.faults.append("`planner_output` is no object")
        draft.stages.append(Stage(name=PLANNER, extra={"planner_output": output}))
        return
    extra_fields = other_fields(output, ("system", "human", "steps", "thinking", "intent"))
    _read_prompts(output, draft, extra_fields)
    draft.stages.append(
        Stage(
            name=PLANNER,
            intent=text_or_none(output, "intent", extra_fields),
            thinking=text_or_none(output, "thinking", extra_fields),
            steps=_read_steps(output.get("steps"), draft, extra_fields),
            extra=extra_fields,
        )
    )


def _read_steps(value: Any, draft: TraceDraft, extra: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the planner's steps in groups. A step outside a group forms a group by itself.

    An unreadable value becomes a fault of `draft`, and is kept in `extra`.
    """
    if value is None:
        return ()
    groups = [[group] if isinstance(group, str) else group for group in value] if isinstance(value, list) else None
    if groups is None or any(
        not isinstance(group, list) or any(not isinstance(step, str) for step in group) for group in groups
    ):
        draft.faults.append("`steps` is no list of lists of texts")
        extra["steps"] = value
        return ()
    return tuple(tuple(group) for group in groups)


def _read_workers(outputs: Any, draft: TraceDraft, extra: dict[str, Any]) -> None:
    if outputs is None:
        return
    if not isinstance(outputs, list):
        draft.faults.append("`worker_output` is no list")
        extra["worker_output"] = outputs
        return
    for index, worker in enumerate(outputs):
        if not isinstance(worker, Mapping):
            draft.faults.append(f"`worker_output[{index}]` is no object")
            draft.stages.append(Stage(name=WORKER, extra={"said": worker}))
        else:
            _read_worker(worker, index, draft)


def _read_worker(output: Mapping[str, Any], index: int, draft: TraceDraft) -> None:
    extra_fields = other_fields(output, ("task_id", "system", "human", "tool_calls", "tool_results", "ai_response"))
    stage = len(draft.stages)
    _read_prompts(output, draft, extra_fields)
    first = len(draft.calls)
    calls = output.get("tool_calls") or []
    if not isinstance(calls, list):
        draft.faults.append(f"`worker_output[{index}].tool_calls` is no list")
        extra_fields["tool_calls"], calls = calls, []
    for call in calls:
        if isinstance(call, Mapping):
            trace_call = call_of(
                call.get("name"),
                call.get("args"),
                id=call.get("id"),
                stage=stage,
                extra=other_fields(call, ("id", "name", "args")),
            )
        else:
            trace_call = call_of(None, None, stage=stage, extra={"said": call})
        draft.calls.append(trace_call)
    if len(draft.calls) > first:
        call_numbers = tuple(range(first, len(draft.calls)))
        draft.messages.append(Message(role="assistant", calls=call_numbers, stage=stage))
    _assign_results(output.get("tool_results"), first, stage, extra_fields, draft)
    text = text_or_none(output, "ai_response", extra_fields)
    if text:
        draft.messages.append(Message(role="assistant", text=text, stage=stage))
    draft.stages.append(
        Stage(name=WORKER, id=text_or_none(output, "task_id", extra_fields), text=text, extra=extra_fields)
    )


def _assign_results(results: Any, first: int, stage: int, extra: dict[str, Any], draft: TraceDraft) -> None:
    """Assign results to calls by their ids.

    Args:
        results: object with the results by call id.
        first: index of the first call to which they may belong.
        stage: index of the stage of the calls.
        extra: receives results that belong to no call, and results in an unreadable form.
        draft: trace to extend.
    """
    if not results:
        return
    if not isinstance(results, Mapping):
        draft.faults.append("`tool_results` is no object")
        extra["tool_results"] = results
        return
    unmatched = {}
    for call_id, content in results.items():
        open_calls = [at for at in range(first, len(draft.calls)) if draft.calls[at].result is None]
        index = next((at for at in open_calls if draft.calls[at].id == call_id), None)
        if index is None:
            unmatched[call_id] = content
            continue
        draft.answer(index, _mark_failure(result_of(content)))
        text = content if isinstance(content, str) else None
        draft.messages.append(
            Message(
                role="tool",
                text=text,
                parts=None if text is not None else content,
                answers=index,
                stage=stage,
            )
        )
    if unmatched:
        draft.faults.append(f"{len(unmatched)} of `tool_results` belong to no call")
        extra["tool_results"] = unmatched


def _mark_failure(result: Result) -> Result:
    """Mark a result as an error if the toolkit's envelope reports a failure."""
    value = result.value
    if not isinstance(value, Mapping) or not isinstance(value.get("error"), str) or not value["error"]:
        return result
    return result.model_copy(update={"error": _error_kind(str(value["error"]))})


def _error_kind(text: str) -> ErrorKind:
    if text.startswith(INVALID):
        return "invalid"
    return "miss" if NOT_CACHED in text else "other"


def _read_reporter(output: Any, draft: TraceDraft) -> str | None:
    if output is None:
        return None
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    if not isinstance(output, str):
        draft.faults.append("`reporter_output` is no text")
    if text:
        draft.messages.append(Message(role="assistant", text=text, stage=len(draft.stages)))
        draft.stages.append(Stage(name=REPORTER, text=text))
    return text


def _read_prompts(output: Mapping[str, Any], draft: TraceDraft, extra: dict[str, Any]) -> None:
    """Add the prompts of a stage as messages to a trace. Unreadable prompts are kept in `extra`."""
    for name, role in (("system", "system"), ("human", "user")):
        text = text_or_none(output, name, extra)
        if text:
            draft.messages.append(Message(role=role, text=text, stage=len(draft.stages)))


def _read_tokens(usage: Any, draft: TraceDraft, extra: dict[str, Any]) -> tuple[Tokens, ...]:
    """Return the token counts by stage. Flat names such as `Planner_prompt_tokens` are also accepted.

    An unreadable value becomes a fault of `draft`, and is kept in `extra`.
    """
    if not usage:
        return ()
    if not isinstance(usage, Mapping):
        draft.faults.append("`token_usage` is no object")
        extra["token_usage"] = usage
        return ()
    by_stage: dict[str, Any] = {}
    for name, value in usage.items():
        flat = FLAT_TOKEN_NAME.fullmatch(name)
        if flat is None:
            by_stage[name] = value
        else:
            counts = by_stage.setdefault(flat[1].lower(), {})
            counts[f"{flat[2].lower()}_tokens"] = value
    return tuple(tokens_from(stage, counts, draft.faults) for stage, counts in by_stage.items())
