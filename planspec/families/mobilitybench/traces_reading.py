"""Reads `raw_results.json`, in which the public MobilityBench toolkit keeps its runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.traces.files import Unread, object_of, read_records
from planspec.traces.parts import (  # fmt: skip
    TraceDraft,
    call_of,
    cleaned,
    milliseconds,
    rest,
    result_of,
    text_or_none,
    tokens_from,
)
from planspec.traces.record import ErrorKind, Message, Result, Stage, Tokens, Trace

PARTS = ("planner_output", "worker_output", "reporter_output", "token_usage")
"""What the toolkit's records have, and no others."""
PLANNER, WORKER, REPORTER = "planner", "worker", "reporter"
FLAT = re.compile(
    r"(planner|worker|reporter)[_ ](prompt|input|completion|output|total)[_ ]tokens", re.IGNORECASE
)
INVALID = "输入参数错误"
MISSED = "未缓存"


def read_mobilitybench(path: Path) -> Iterator[Trace | Unread]:
    """The traces of a file of the public toolkit, and why other records are none.

    Args:
        path: `raw_results.json`, or its records as JSON lines.

    Raises:
        OSError: the file cannot be read.
    """
    return read_records(path, lambda record, _: trace_of_mobilitybench(record))


def trace_of_toolkit(record: Mapping[str, Any]) -> Trace | None:
    """The trace of a record that has the toolkit's form; None of others.

    Raises:
        ValueError: it has the form, and does not say its case.
    """
    told = ("case_id" in record and "messages" not in record) or any(part in record for part in PARTS)
    return trace_of_mobilitybench(record) if told else None


def trace_of_mobilitybench(record: Any) -> Trace:
    """One record of `raw_results.json` as a trace.

    Raises:
        ValueError: it is no JSON object, or has no `case_id`.
    """
    draft = TraceDraft()
    said = object_of(cleaned(record, draft.faults))
    task = said.get("case_id")
    if isinstance(task, bool) or not isinstance(task, str | int):
        raise ValueError("it has no `case_id`")
    extra = rest(said, ("case_id", "planner_output", "worker_output", "reporter_output", "token_usage"))
    extra.pop("model_name", None)
    agent = text_or_none(said, "model_name", extra)
    _planner(said.get("planner_output"), draft, extra)
    _workers(said.get("worker_output"), draft, extra)
    answer = _reporter(said.get("reporter_output"), draft)
    elapsed, exact = milliseconds(extra.get("execution_time"))
    if exact:
        extra.pop("execution_time", None)
    error = extra.pop("error", None)
    return Trace(
        task=str(task), agent=agent, messages=tuple(draft.messages), calls=tuple(draft.calls), answer=answer,
        stages=tuple(draft.stages), tokens=_tokens(said.get("token_usage"), draft, extra), elapsed_ms=elapsed,
        error=error if error is None or isinstance(error, str) else json.dumps(error, ensure_ascii=False),
        ended=not error and bool(answer), faults=tuple(draft.faults), extra=extra,
    )  # fmt: skip


def _planner(said: Any, draft: TraceDraft, extra: dict[str, Any]) -> None:
    if not said:
        if said not in (None, {}):
            extra["planner_output"] = said
        return
    if not isinstance(said, Mapping):
        draft.faults.append("`planner_output` is no object")
        draft.stages.append(Stage(name=PLANNER, extra={"planner_output": said}))
        return
    left = rest(said, ("system", "human", "steps", "thinking", "intent"))
    _asked(said, draft, left)
    draft.stages.append(
        Stage(
            name=PLANNER, intent=text_or_none(said, "intent", left), thinking=text_or_none(said, "thinking", left),
            steps=_steps(said.get("steps"), draft, left), extra=left,
        )
    )  # fmt: skip


def _steps(said: Any, draft: TraceDraft, extra: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Groups of steps; a step that stands alone is a group."""
    if said is None:
        return ()
    groups = (
        [[group] if isinstance(group, str) else group for group in said] if isinstance(said, list) else None
    )
    if groups is None or any(
        not isinstance(group, list) or any(not isinstance(step, str) for step in group) for group in groups
    ):
        draft.faults.append("`steps` is no list of lists of texts")
        extra["steps"] = said
        return ()
    return tuple(tuple(group) for group in groups)


def _workers(said: Any, draft: TraceDraft, extra: dict[str, Any]) -> None:
    if said is None:
        return
    if not isinstance(said, list):
        draft.faults.append("`worker_output` is no list")
        extra["worker_output"] = said
        return
    for place, worker in enumerate(said):
        if not isinstance(worker, Mapping):
            draft.faults.append(f"`worker_output[{place}]` is no object")
            draft.stages.append(Stage(name=WORKER, extra={"said": worker}))
        else:
            _worker(worker, place, draft)


def _worker(said: Mapping[str, Any], place: int, draft: TraceDraft) -> None:
    left = rest(said, ("task_id", "system", "human", "tool_calls", "tool_results", "ai_response"))
    stage = len(draft.stages)
    _asked(said, draft, left)
    first = len(draft.calls)
    calls = said.get("tool_calls") or []
    if not isinstance(calls, list):
        draft.faults.append(f"`worker_output[{place}].tool_calls` is no list")
        left["tool_calls"], calls = calls, []
    for call in calls:
        if isinstance(call, Mapping):
            made = call_of(
                call.get("name"), call.get("args"), id=call.get("id"), stage=stage,
                extra=rest(call, ("id", "name", "args")),
            )  # fmt: skip
        else:
            made = call_of(None, None, stage=stage, extra={"said": call})
        draft.calls.append(made)
    if len(draft.calls) > first:
        made_here = tuple(range(first, len(draft.calls)))
        draft.messages.append(Message(role="assistant", calls=made_here, stage=stage))
    _results(said.get("tool_results"), first, stage, left, draft)
    text = text_or_none(said, "ai_response", left)
    if text:
        draft.messages.append(Message(role="assistant", text=text, stage=stage))
    draft.stages.append(Stage(name=WORKER, id=text_or_none(said, "task_id", left), text=text, extra=left))


def _results(said: Any, first: int, stage: int, extra: dict[str, Any], draft: TraceDraft) -> None:
    """Results find their calls by the ids."""
    if not said:
        return
    if not isinstance(said, Mapping):
        draft.faults.append("`tool_results` is no object")
        extra["tool_results"] = said
        return
    lost = {}
    for asked, content in said.items():
        open_calls = [at for at in range(first, len(draft.calls)) if draft.calls[at].result is None]
        place = next((at for at in open_calls if draft.calls[at].id == asked), None)
        if place is None:
            lost[asked] = content
            continue
        draft.answer(place, _judged(result_of(content)))
        text = content if isinstance(content, str) else None
        draft.messages.append(
            Message(
                role="tool",
                text=text,
                parts=None if text is not None else content,
                answers=place,
                stage=stage,
            )
        )
    if lost:
        draft.faults.append(f"{len(lost)} of `tool_results` belong to no call")
        extra["tool_results"] = lost


def _judged(result: Result) -> Result:
    """The toolkit's tools say in an envelope that they failed."""
    said = result.value
    if not isinstance(said, Mapping) or not isinstance(said.get("error"), str) or not said["error"]:
        return result
    return result.model_copy(update={"error": _kind(str(said["error"]))})


def _kind(text: str) -> ErrorKind:
    if text.startswith(INVALID):
        return "invalid"
    return "miss" if MISSED in text else "other"


def _reporter(said: Any, draft: TraceDraft) -> str | None:
    if said is None:
        return None
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    if not isinstance(said, str):
        draft.faults.append("`reporter_output` is no text")
    if text:
        draft.messages.append(Message(role="assistant", text=text, stage=len(draft.stages)))
        draft.stages.append(Stage(name=REPORTER, text=text))
    return text


def _asked(said: Mapping[str, Any], draft: TraceDraft, extra: dict[str, Any]) -> None:
    """Read the input of a stage."""
    for name, role in (("system", "system"), ("human", "user")):
        text = text_or_none(said, name, extra)
        if text:
            draft.messages.append(Message(role=role, text=text, stage=len(draft.stages)))


def _tokens(said: Any, draft: TraceDraft, extra: dict[str, Any]) -> tuple[Tokens, ...]:
    """Counts by stage; flat names such as `Planner_prompt_tokens` are read, too."""
    if not said:
        return ()
    if not isinstance(said, Mapping):
        draft.faults.append("`token_usage` is no object")
        extra["token_usage"] = said
        return ()
    by_stage: dict[str, Any] = {}
    for name, value in said.items():
        flat = FLAT.fullmatch(name)
        if flat is None:
            by_stage[name] = value
        else:
            counts = by_stage.setdefault(flat[1].lower(), {})
            counts[f"{flat[2].lower()}_tokens"] = value
    return tuple(tokens_from(stage, counts, draft.faults) for stage, counts in by_stage.items())
