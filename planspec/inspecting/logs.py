"""Logs of Inspect as runs of planspec: what a sample answered, with its messages and calls, judged as its task is now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask
from planspec.errors import PlanspecError
from planspec.inspecting.events import SampleEvents, events_of
from planspec.inspecting.samples import PLANSPEC, opened_of
from planspec.inspecting.scoring import calls_of
from planspec.inspecting.solving import ANSWERS, CALLS, FAILURE
from planspec.runs import RunFolder
from planspec.runs.attempting import judge_again
from planspec.runs.perceived import facts_seen
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.runs.running import package_versions, read_tasks
from planspec.traces.json_text import whole_characters
from planspec.traces.metrics import trace_metrics
from planspec.traces.record import Message, Tokens, Trace


class InvalidLogError(PlanspecError, ValueError):
    """A file that is no log of Inspect, or one of other tasks than planspec's; the text says which."""


def run_of_log(log: Path, out: Path) -> RunFolder:
    """Write a log as a run, whose suite must be where it was.

    Args:
        log: `.eval` or `.json`.
        out: the new folder.

    Raises:
        InvalidLogError: it is no log of tasks of planspec.
        InvalidRunError: there is something in the folder.
        NotFoundError: the suite is not there.
        DiagnosticError: a task has errors.
    """
    read = _read(log)
    samples = _samples(read, log)
    told = samples[0].metadata[PLANSPEC]
    workspace = Workspace()
    catalog = Catalog(workspace)
    suite = catalog.suite(told["suite"])
    there = dict(catalog.ids(suite.tasks))
    named = {str(sample.id) for sample in samples}
    paths = {task: path for task, path in there.items() if task in named}
    if gone := named - set(paths):
        raise InvalidLogError(f"`{log}`: the suite `{told['suite']}` has no task `{min(gone)}`")
    ids, digest = read_tasks(paths.values(), workspace)
    folder = RunFolder(out)
    folder.create(
        Run(
            suite=suite.id, suite_path=str(catalog.suite_path(told["suite"])), suite_sha256=digest, family=suite.family,
            agent=f"inspect:{read.eval.model}", setting=told["setting"], limits=RunLimits(seconds=1e9),
            repeats=max(sample.epoch for sample in samples), tasks=ids, versions=package_versions(),
            about={"inspect": {"run_id": read.eval.run_id, "solver": read.eval.solver}}, started=read.eval.created, chained=True,
        )
    )  # fmt: skip
    with folder.writing() as file:
        for sample in samples:
            file.add(_attempt(sample, read.eval.model))
    return folder


def log_lines(log: Path) -> Iterator[dict[str, Any]]:
    """The answers of a log as lines to be scored: as traces where the family's metrics look at them, else with the task alone.

    Of several samples of a task each line has its place among them, `sample`.

    Raises:
        InvalidLogError: it is no log of tasks of planspec.
    """
    read = _read(log)
    samples = _samples(read, log)
    several = any(sample.epoch > 1 for sample in samples)
    for sample in samples:
        trace = _trace(sample, read.eval.model, _answers(sample))
        if trace_metrics(sample.metadata["family"]) is not None:
            yield trace.model_dump(mode="json")
        else:
            place = {"sample": sample.epoch - 1} if several else {}
            yield {"task": trace.task, "plan": trace.answer, **place}


def _read(log: Path) -> EvalLog:
    try:
        return read_eval_log(str(log))
    except Exception as error:  # noqa: BLE001 zip, JSON and Inspect's own
        raise InvalidLogError(
            f"`{log}` is no log of Inspect: {type(error).__name__}: {error}"[:500]
        ) from None


def _samples(read: EvalLog, log: Path) -> list[EvalSample]:
    samples = read.samples or []
    if not samples:
        raise InvalidLogError(f"`{log}` has no samples")
    if any(PLANSPEC not in sample.metadata for sample in samples):
        raise InvalidLogError(f"`{log}` is of `{read.eval.task}`, which is no task of planspec")
    if len({(str(s.metadata[PLANSPEC]["suite"]), s.metadata[PLANSPEC]["setting"]) for s in samples}) > 1:
        raise InvalidLogError(f"`{log}` has samples of several suites or settings")
    return samples


def _answers(sample: EvalSample) -> list[str]:
    """What was answered turn by turn."""
    answers: list[str] | None = sample.store.get(ANSWERS)
    if answers is None:  # another solver's
        answers = [sample.output.completion] if sample.output.choices else []
    return [whole_characters(said)[0] for said in answers]


def _attempt(sample: EvalSample, model: str) -> Attempt:
    opened = opened_of(sample.metadata)
    answers = _answers(sample)
    trace = _trace(sample, model, answers)
    failure = _failure(sample, answers, opened)
    counts: Sequence[int | None] = sample.store.get(CALLS) or []
    if not counts and len(opened.judges) == 1:
        counts = [len(trace.calls)]
    counts = [*counts, *[None] * (len(answers) - len(counts))][: len(answers)]
    turns = [Turn(answer=said, calls=count) for said, count in zip(answers, counts, strict=True)]
    if failure is not None:
        turns.append(Turn(failure=failure))
    made = Attempt(
        task=str(sample.id), repeat=sample.epoch - 1, seed=0, turns=tuple(turns), failure=failure, verdict={"status": "undelivered"},
        trace=trace, started=sample.started_at or "", seconds=sample.total_time or 0.0,
    )  # fmt: skip
    verdict, failure = judge_again(made, opened)
    facts = facts_seen(opened, made.turns, verdict["status"], trace) if failure is None else None
    return made.model_copy(update={"verdict": verdict, "failure": failure, "facts": facts})


def _failure(sample: EvalSample, answers: Sequence[str], opened: AgentTask) -> Failure | None:
    said: dict[str, Any] | None = sample.store.get(FAILURE)
    if said is not None:
        return Failure.model_validate(said)
    if sample.error is not None:
        return Failure(boundary="adapter", message=sample.error.message[:2000])
    if len(answers) < len(opened.judges):
        return Failure(
            boundary="limit", message=f"of {len(opened.judges)} turns {len(answers)} were answered"
        )
    return None


def _trace(sample: EvalSample, model: str, answers: Sequence[str]) -> Trace:
    events = events_of(sample)
    calls = tuple(
        call.model_copy(update={"time": events.called.get(call.id or "")})
        for call in calls_of(sample.messages)
    )
    place = {call.id: number for number, call in enumerate(calls)}
    return Trace(
        task=str(sample.id), agent=model, messages=tuple(_messages(sample, place, events)), calls=calls, answer=answers[-1] if answers else None,
        generations=tuple(events.generations), tools=tuple(events.tools),
        tokens=tuple(
            Tokens(input=usage.input_tokens, cached=usage.input_tokens_cache_read, output=usage.output_tokens)
            for usage in sample.model_usage.values()
        ),
        started=sample.started_at, elapsed_ms=None if sample.total_time is None else round(sample.total_time * 1000),
        error=None if sample.error is None else sample.error.message, ended=sample.error is None,
    )  # fmt: skip


def _messages(sample: EvalSample, place: dict[str | None, int], events: SampleEvents) -> Iterator[Message]:
    for said in sample.messages:
        asked = said.tool_calls if isinstance(said, ChatMessageAssistant) else None
        answers = place.get(said.tool_call_id) if isinstance(said, ChatMessageTool) else None
        failed = said.error.message if isinstance(said, ChatMessageTool) and said.error is not None else None
        yield Message(
            role=said.role, text=whole_characters(failed or said.text)[0], answers=answers,
            calls=tuple(place[call.id] for call in asked or [] if call.id in place),
            generation=events.made.get(said.id or ""),
        )  # fmt: skip
