"""Suites and runs as rows of flat tables: tasks as prompts; attempts, findings, calls, messages and generations.

What has no fixed shape, as schemas, labels and arguments, is JSON text, so that a column has one type in every file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from planspec.environments import AgentTask
from planspec.environments.shared import shared_tasks
from planspec.runs.folder import RunFolder
from planspec.runs.record import Attempt
from planspec.traces.chat import chat_of, message_of, places_of, tools_of
from planspec.traces.record import Timing
from planspec.verifiers.metrics.scored import labels_of


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as an agent meets it; nothing of it tells the answer.

    Attributes:
        task: its id.
        setting: in which it is met.
        messages: that begin the first turn, with `role` and `content`.
        later: the messages that begin the turns after it.
        tools: JSON text: a list of `name`, `description`, `parameters`, of the last turn.
        answer_schema: JSON text of the answers' JSON Schema; None where there is none.
        calls: the most tool calls that have a result; None without limit.
        labels: JSON text of an object: by what results can be grouped.
        hash: SHA-256 of everything that the task was read from.
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
        passed: its status is `pass`.
        hard_satisfied: hard constraints that hold; the others of this kind likewise.
        boundary: at which it failed; None if it did not.
        failure: the message there.
        answer: to the last turn, JSON as text; None where there is none.
        calls: tool calls that were made.
        usd: what its requests to models cost; None where that is not known.
        input_tokens: None where they are not said; of them `cached_tokens` that the service had from before.
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


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding of an attempt's verdict: one instance of a constraint, or a fault of the answer's shape.

    Attributes:
        constraint: the instance's id, such as `slot[pergamon]`.
        rule: the constraint's, without what stands in brackets.
        margin: exact decimal text, where it was worked out.
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
        place: among the attempt's calls, from 0.
        arguments: JSON text; None where they were no JSON object.
        result: JSON text, or the text that it was; None where the call has none.
        error: its kind; None where no error is known.
        start_s: when it was made, in seconds from the beginning of the attempt; None where nobody measured it.
        seconds: that it took, likewise.
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
    """A message of an attempt's trace, whoever said it.

    Attributes:
        place: among the attempt's messages, from 0.
        role: `system`, `user`, `assistant`, `tool`, or what else the agent says.
        text: what it says.
        calls: JSON text of the calls that it makes, in the form of OpenAI's `tool_calls`; None where it makes none.
        answers: the place of the call whose result it brings.
        stage: the part of the agent that speaks or is spoken to.
        generation: the place of the generation that made it; None where no model did.
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
    """A generation of an attempt: what a model was given, and what it replied. It is a step of a policy, and one example to train on.

    What it was given stands in each row in full, so that a row needs no other; a conversation of n replies has n rows.

    Attributes:
        place: among the attempt's generations, from 0, in the order in which they were answered.
        role: the part of the agent that a policy of its own speaks for; None where there is one policy.
        stage: the part of the agent that asked.
        stage_place: its place in the trace's stages, which tells it from others of that name.
        model: as it was asked for.
        messages: JSON text: the chat that the model was given, in OpenAI's form. A reply that went on from it is in the next row.
        reply: JSON text: the model's message, in the same form, as it is in the trace; None where the trace has none.
        written: the reply's text as the model wrote it, where a call or an answer was read out of it.
        tools: JSON text: the tools that it could call, in the same form.
        prompt_ids: the ids of the tokens that it was given; None where the service does not tell them, as for the next two.
        ids: those of the tokens that it made.
        logprobs: the logarithms (base e) of their probabilities.
        hit: the reply was kept from before.
        start_s: when the model was asked, in seconds from the beginning of the attempt; None where nobody measured it.
        seconds: until it had replied, likewise.
        status: of the attempt; `passed` says whether it is `pass`.
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
    """The tasks of a suite in order.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
    """
    for shared in shared_tasks(suite, setting):
        yield _of_task(shared.opened)


def _of_task(opened: AgentTask) -> TaskRow:
    task, turns = opened.judge.task, len(opened.judges)
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in opened.tools
    ]
    return TaskRow(
        task=task.id.partition("@")[0], family=task.family, setting=opened.setting, turns=turns, messages=opened.messages(0),
        later=[message for turn in range(1, turns) for message in opened.messages(turn)], tools=_json(tools),
        answer_schema=None if opened.schema is None else _json(opened.schema), calls=opened.calls,
        labels=_json(labels_of(task)), hash=task.hash,
    )  # fmt: skip


def attempt_row(made: Attempt) -> Iterator[AttemptRow]:
    """The row of an attempt."""
    hard, soft = made.verdict["hard"], made.verdict["soft"]
    tokens = made.trace.tokens
    last = made.turns[-1].answer if made.turns else None
    yield AttemptRow(
        task=made.task, repeat=made.repeat, seed=made.seed, status=made.status, passed=made.status == "pass",
        hard_satisfied=hard["satisfied"], hard_total=hard["total"], soft_satisfied=soft["satisfied"], soft_total=soft["total"],
        boundary=None if made.failure is None else made.failure.boundary,
        failure=None if made.failure is None else made.failure.message,
        answer=last if last is None or isinstance(last, str) else _json(last), calls=len(made.trace.calls),
        input_tokens=_sum(each.input for each in tokens), cached_tokens=_sum(each.cached for each in tokens), output_tokens=_sum(each.output for each in tokens),
        usd=made.usd, seconds=made.seconds, started=made.started, privileged=made.privileged,
    )  # fmt: skip


def finding_rows(made: Attempt) -> Iterator[FindingRow]:
    """The findings of an attempt."""
    for found in made.verdict["findings"]:
        margin = found.get("margin")
        yield FindingRow(
            task=made.task, repeat=made.repeat, constraint=found["constraint"], rule=found["constraint"].partition("[")[0],
            level=found["level"], kind=found.get("kind"), status=found["status"], message=found["message"],
            margin=None if margin is None else str(margin), unit=found.get("unit"),
        )  # fmt: skip


def call_rows(made: Attempt) -> Iterator[CallRow]:
    """The calls of an attempt."""
    for place, call in enumerate(made.trace.calls):
        result = call.result
        yield CallRow(
            task=made.task, repeat=made.repeat, place=place, name=call.name,
            arguments=None if call.arguments is None else _json(call.arguments),
            result=None if result is None else result.text if result.text is not None else _json(result.value),
            error=None if result is None else result.error, **_times(call.time),
        )  # fmt: skip


def message_rows(made: Attempt) -> Iterator[MessageRow]:
    """The messages of an attempt."""
    trace = made.trace
    for place, message in enumerate(trace.messages):
        calls = message_of(trace, message).get("tool_calls")
        yield MessageRow(
            task=made.task, repeat=made.repeat, place=place, role=message.role, text=message.text,
            calls=None if calls is None else _json(calls), answers=message.answers, stage=_stage(made, message.stage),
            generation=message.generation,
        )  # fmt: skip


def generation_rows(made: Attempt) -> Iterator[GenerationRow]:
    """The generations of an attempt."""
    trace = made.trace
    replies = {one.generation: one for one in trace.messages if one.generation is not None}
    for place, one in enumerate(trace.generations):
        reply, prompt = replies.get(place), trace.prompt_ids(place)
        yield GenerationRow(
            task=made.task, repeat=made.repeat, place=place, role=one.role, stage=_stage(made, one.stage), stage_place=one.stage, model=one.model,
            messages=_json(chat_of(trace, places_of(one.context))),
            reply=None if reply is None else _json(message_of(trace, reply)), written=one.written, thinking=one.thinking,
            tools=_json(tools_of(trace, one.tools)), stopped=one.stopped, input_tokens=one.input, cached_tokens=one.cached,
            output_tokens=one.output, prompt_ids=None if prompt is None else list(prompt),
            ids=None if one.ids is None else list(one.ids), logprobs=None if one.logprobs is None else list(one.logprobs),
            hit=one.hit, **_times(one.time), status=made.status, passed=made.status == "pass",
        )  # fmt: skip


def _times(measured: Timing | None) -> dict[str, float | None]:
    if measured is None:
        return {"start_s": None, "seconds": None}
    return {"start_s": measured.start_s, "seconds": measured.seconds}


def _stage(made: Attempt, place: int | None) -> str | None:
    stages = made.trace.stages
    return None if place is None or place >= len(stages) else stages[place].name


@dataclass(frozen=True, slots=True)
class RunTable:
    """One of the tables of a run.

    Attributes:
        row: the type of its rows.
        rows: of an attempt.
    """

    row: type[RunRow]
    rows: Callable[[Attempt], Iterator[RunRow]]


RUN_TABLES: Mapping[str, RunTable] = {
    "attempts": RunTable(AttemptRow, attempt_row),
    "findings": RunTable(FindingRow, finding_rows),
    "calls": RunTable(CallRow, call_rows),
    "messages": RunTable(MessageRow, message_rows),
    "generations": RunTable(GenerationRow, generation_rows),
}
"""The tables of a run by name."""


def run_rows(run: str | PathLike[str], table: str) -> Iterator[Row]:
    """The rows of a run, in the order in which its attempts ended.

    Args:
        run: its folder.
        table: a name in `RUN_TABLES`.

    Raises:
        InvalidRunError: it is no run, or not as it was written.
    """
    for made in RunFolder(Path(run)).attempts():
        yield from RUN_TABLES[table].rows(made)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sum(numbers: Iterator[int | None]) -> int | None:
    said = [number for number in numbers if number is not None]
    return sum(said) if said else None
