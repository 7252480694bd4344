"""Suites and runs as rows of flat tables: tasks, attempts, findings, calls, messages and generations.

Values without a fixed structure, such as schemas, labels and arguments, are JSON text. A column thus has the same type
in every file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from planspec.agents.tools import tool_definition
from planspec.api.labels import labels_of
from planspec.environments import AgentTask
from planspec.environments.shared import shared_tasks
from planspec.runs.folder import RunFolder
from planspec.runs.record import Attempt
from planspec.traces.chat import chat_of, message_of, places_of, tools_of
from planspec.traces.json_text import text_of
from planspec.traces.record import Timing


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as agents see it, without anything that reveals the answer.

    Attributes:
        task: id of the task.
        setting: setting in which agents solve it.
        messages: first messages, with `role` and `content`.
        later: the user's messages that begin the later turns.
        tools: JSON text of a list of the last turn's tools: `name`, `description`, `parameters`.
        answer_schema: JSON text of the answers' JSON Schema, or None.
        calls: maximum number of tool calls that return a result; None for no limit.
        labels: JSON text of an object with labels for grouping results.
        hash: SHA-256 of all texts from which the task was read.
    """

    task: str
    family: str | None
    setting: str
    turns: int
    messages: list[dict[str, str]]
    later: list[dict[str, str]]
    tools: str
    answer_schema: str | None
    calls: int | None
    labels: str
    hash: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt of a run.

    Attributes:
        passed: whether the status is `pass`.
        hard_satisfied: number of satisfied hard constraints, out of `hard_total`.
        soft_satisfied: number of satisfied soft constraints, out of `soft_total`.
        boundary: part of the system at which the attempt failed, such as `provider`; None if it did not fail.
        failure: message of the failure.
        answer: answer to the last turn, as text or JSON; None if there is none.
        calls: number of tool calls.
        usd: cost of the requests to models, in US dollars; None if unknown.
        input_tokens: number of input tokens, including `cached_tokens` from the service's cache; None if not reported.
        objective: value of the first objective, in `unit`; None if the task or the answer has none.
        best: value of the best known plan; None if unknown.
        gap: difference by which the value is worse than `best`; None if they were not compared.
    """

    task: str
    repeat: int
    seed: int
    status: str
    passed: bool
    hard_satisfied: int
    hard_total: int
    soft_satisfied: int
    soft_total: int
    boundary: str | None
    failure: str | None
    answer: str | None
    calls: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    usd: float | None
    seconds: float
    started: str
    privileged: bool
    objective: float | None
    best: float | None
    gap: float | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding of an attempt's verdict: an instance of a constraint, or a fault of the answer's shape.

    Attributes:
        constraint: id of the constraint instance, such as `slot[pergamon]`.
        rule: id of the constraint, such as `slot`.
        margin: distance from the constraint's bound, as exact decimal text; None if it was not computed.
    """

    task: str
    repeat: int
    constraint: str
    rule: str
    level: str
    kind: str | None
    status: str
    message: str
    margin: str | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class CallRow:
    """A tool call of an attempt.

    Attributes:
        place: index among the attempt's calls, counted from 0.
        arguments: JSON text; None if the arguments were not a JSON object.
        result: JSON text, or other text; None if the call has no result.
        error: kind of the error; None if there is no error or it is unknown.
        start_s: time of the call in seconds from the beginning of the attempt; None if not measured.
        seconds: duration of the call; None if not measured.
    """

    task: str
    repeat: int
    place: int
    name: str | None
    arguments: str | None
    result: str | None
    error: str | None
    start_s: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message of an attempt's trace.

    Attributes:
        place: index among the attempt's messages, counted from 0.
        role: `system`, `user`, `assistant`, `tool`, or another role that the agent uses.
        text: text of the message.
        calls: JSON text of its calls, in the form of OpenAI's `tool_calls`; None if there are none.
        answers: index of the call whose result the message contains; None for other messages.
        stage: part of the agent that sends or receives the message.
        generation: index of the generation that produced the message; None if no model wrote it.
    """

    task: str
    repeat: int
    place: int
    role: str
    text: str | None
    calls: str | None
    answers: int | None
    stage: str | None
    generation: int | None


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """A generation of an attempt: the input of a model and its reply.

    A generation is one step of a policy and can be a training example. Each row has the complete input and does not
    depend on other rows. A conversation with n replies has n rows.

    Attributes:
        place: index among the attempt's generations, counted from 0, in the order of the replies.
        role: part of the agent with its own policy; None if the agent has a single policy.
        stage: part of the agent that made the request.
        stage_place: index of that part in the trace's stages. Several stages can have the same name.
        model: name of the requested model.
        messages: JSON text of the conversation that the model got, in OpenAI's format. It does not contain the
            reply; the conversation in the next row does.
        reply: JSON text of the model's message in the trace, in the same form; None if the trace has none.
        written: original text of the reply, if a call or an answer was parsed from it.
        tools: JSON text of the available tools, in the same form.
        prompt_ids: ids of the input tokens; None if the service does not report them.
        ids: ids of the output tokens; None if the service does not report them.
        logprobs: natural logarithms of the output tokens' probabilities; None if the service does not report
            them.
        hit: whether the reply came from planspec's cache of replies.
        start_s: time of the request in seconds from the beginning of the attempt; None if not measured.
        seconds: duration of the request; None if not measured.
        status: status of the attempt's verdict: `pass`, `fail` or `undelivered`.
    """

    task: str
    repeat: int
    place: int
    role: str | None
    stage: str | None
    stage_place: int | None
    model: str | None
    messages: str
    reply: str | None
    written: str | None
    thinking: str | None
    tools: str
    stopped: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    prompt_ids: list[int] | None
    ids: list[int] | None
    logprobs: list[float] | None
    hit: bool
    start_s: float | None
    seconds: float | None
    status: str
    passed: bool


Row: TypeAlias = TaskRow | AttemptRow | FindingRow | CallRow | MessageRow | GenerationRow
RunRow: TypeAlias = AttemptRow | FindingRow | CallRow | MessageRow | GenerationRow


def task_rows(suite: str | PathLike[str], setting: str | None = None) -> Iterator[TaskRow]:
    """Yield a row for each task of a suite, in order.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
    """
    for shared in shared_tasks(suite, setting):
        yield task_row(shared.opened)


def task_row(opened: AgentTask) -> TaskRow:
    """Convert a task to a row."""
    task, turns = opened.judge.task, len(opened.judges)
    tools = [tool_definition(tool) for tool in opened.tools]
    return TaskRow(
        task=task.id.partition("@")[0],
        family=task.family,
        setting=opened.setting,
        turns=turns,
        messages=opened.messages(0),
        later=[message for turn in range(1, turns) for message in opened.messages(turn)],
        tools=_json(tools),
        answer_schema=None if opened.schema is None else _json(opened.schema),
        calls=opened.calls,
        labels=_json(labels_of(task)),
        hash=task.hash,
    )


def attempt_rows(attempt: Attempt) -> Iterator[AttemptRow]:
    """Yield the single row of an attempt."""
    hard, soft = attempt.verdict["hard"], attempt.verdict["soft"]
    tokens = attempt.trace.tokens
    last = attempt.turns[-1].answer if attempt.turns else None
    yield AttemptRow(
        task=attempt.task,
        repeat=attempt.repeat,
        seed=attempt.seed,
        status=attempt.status,
        passed=attempt.status == "pass",
        hard_satisfied=hard["satisfied"],
        hard_total=hard["total"],
        soft_satisfied=soft["satisfied"],
        soft_total=soft["total"],
        boundary=None if attempt.failure is None else attempt.failure.boundary,
        failure=None if attempt.failure is None else attempt.failure.message,
        answer=None if last is None else text_of(last),
        calls=len(attempt.trace.calls),
        input_tokens=_sum_of_known(each.input for each in tokens),
        cached_tokens=_sum_of_known(each.cached for each in tokens),
        output_tokens=_sum_of_known(each.output for each in tokens),
        usd=attempt.usd,
        seconds=attempt.seconds,
        started=attempt.started,
        privileged=attempt.privileged,
        **_first_objective(attempt.verdict.get("objectives") or ()),
    )


def _first_objective(objectives: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns for the first objective in a verdict's JSON; all are None if there is no objective."""
    first = objectives[0] if objectives else {}
    numbers = {"objective": first.get("value"), "best": first.get("best"), "gap": first.get("gap")}
    floats = {name: None if number is None else float(Fraction(number)) for name, number in numbers.items()}
    return {**floats, "unit": first.get("unit")}


def finding_rows(attempt: Attempt) -> Iterator[FindingRow]:
    """Yield a row for each finding of an attempt."""
    for finding in attempt.verdict["findings"]:
        margin = finding.get("margin")
        yield FindingRow(
            task=attempt.task,
            repeat=attempt.repeat,
            constraint=finding["constraint"],
            rule=finding["constraint"].partition("[")[0],
            level=finding["level"],
            kind=finding.get("kind"),
            status=finding["status"],
            message=finding["message"],
            margin=None if margin is None else str(margin),
            unit=finding.get("unit"),
        )


def call_rows(attempt: Attempt) -> Iterator[CallRow]:
    """Yield a row for each tool call of an attempt."""
    for place, call in enumerate(attempt.trace.calls):
        result = call.result
        yield CallRow(
            task=attempt.task,
            repeat=attempt.repeat,
            place=place,
            name=call.name,
            arguments=None if call.arguments is None else _json(call.arguments),
            result=None if result is None else result.text if result.text is not None else _json(result.value),
            error=None if result is None else result.error,
            **_timing_cells(call.time),
        )


def message_rows(attempt: Attempt) -> Iterator[MessageRow]:
    """Yield a row for each message of an attempt."""
    trace = attempt.trace
    for place, message in enumerate(trace.messages):
        calls = message_of(trace, message).get("tool_calls")
        yield MessageRow(
            task=attempt.task,
            repeat=attempt.repeat,
            place=place,
            role=message.role,
            text=message.text,
            calls=None if calls is None else _json(calls),
            answers=message.answers,
            stage=_stage_name(attempt, message.stage),
            generation=message.generation,
        )


def generation_rows(attempt: Attempt) -> Iterator[GenerationRow]:
    """Yield a row for each generation of an attempt."""
    trace = attempt.trace
    replies = {one.generation: one for one in trace.messages if one.generation is not None}
    for place, one in enumerate(trace.generations):
        reply, prompt = replies.get(place), trace.prompt_ids(place)
        yield GenerationRow(
            task=attempt.task,
            repeat=attempt.repeat,
            place=place,
            role=one.role,
            stage=_stage_name(attempt, one.stage),
            stage_place=one.stage,
            model=one.model,
            messages=_json(chat_of(trace, places_of(one.context))),
            reply=None if reply is None else _json(message_of(trace, reply)),
            written=one.written,
            thinking=one.thinking,
            tools=_json(tools_of(trace, one.tools)),
            stopped=one.stopped,
            input_tokens=one.input,
            cached_tokens=one.cached,
            output_tokens=one.output,
            prompt_ids=None if prompt is None else list(prompt),
            ids=None if one.ids is None else list(one.ids),
            logprobs=None if one.logprobs is None else list(one.logprobs),
            hit=one.hit,
            **_timing_cells(one.time),
            status=attempt.status,
            passed=attempt.status == "pass",
        )


def _timing_cells(timing: Timing | None) -> dict[str, float | None]:
    if timing is None:
        return {"start_s": None, "seconds": None}
    return {"start_s": timing.start_s, "seconds": timing.seconds}


def _stage_name(attempt: Attempt, place: int | None) -> str | None:
    stages = attempt.trace.stages
    return None if place is None or place >= len(stages) else stages[place].name


@dataclass(frozen=True, slots=True)
class RunTable:
    """A table of a run.

    Attributes:
        row: type of the rows.
        rows: function that yields the rows of an attempt.
    """

    row: type[RunRow]
    rows: Callable[[Attempt], Iterator[RunRow]]


RUN_TABLES: Mapping[str, RunTable] = {
    "attempts": RunTable(AttemptRow, attempt_rows),
    "findings": RunTable(FindingRow, finding_rows),
    "calls": RunTable(CallRow, call_rows),
    "messages": RunTable(MessageRow, message_rows),
    "generations": RunTable(GenerationRow, generation_rows),
}
"""Tables of a run by name, such as `attempts`."""


def run_rows(run: str | PathLike[str], table: str) -> Iterator[Row]:
    """Yield the rows of one of a run's tables, in the order in which its attempts ended.

    Args:
        run: folder of the run.
        table: a name in `RUN_TABLES`.

    Raises:
        InvalidRunError: the folder is not a run, or its records were changed.
    """
    for attempt in RunFolder(Path(run)).attempts():
        yield from RUN_TABLES[table].rows(attempt)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sum_of_known(numbers: Iterator[int | None]) -> int | None:
    recorded = [number for number in numbers if number is not None]
    return sum(recorded) if recorded else None
