"""Conversion of Inspect logs to runs: answers, messages and calls of samples, judged by the current tasks."""

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
from planspec.inspecting.samples import PLANSPEC, open_sample
from planspec.inspecting.scoring import calls_of
from planspec.inspecting.solving import ANSWERS, CALLS, FAILURE
from planspec.runs import RunFolder
from planspec.runs.attempting import judge_again
from planspec.runs.perceived import needed_facts
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.runs.running import package_versions, read_tasks
from planspec.traces.json_text import replace_surrogates
from planspec.traces.metrics import trace_metrics
from planspec.traces.record import Message, Tokens, Trace


class InvalidLogError(PlanspecError, ValueError):
    """The file is not a log of Inspect, or the log is not of planspec's tasks."""


def run_of_log(log: Path, out: Path) -> RunFolder:
    """Convert a log to a run. The suite of the log must still be in the same place.

    Args:
        log: log file of Inspect, `.eval` or `.json`.
        out: folder of the new run.

    Raises:
        InvalidLogError: the file is not a log of planspec's tasks.
        InvalidRunError: the folder is not empty.
        NotFoundError: the suite does not exist.
        DiagnosticError: a task has errors.
    """
    content = _read_log(log)
    samples = _samples(content, log)
    origin = samples[0].metadata[PLANSPEC]
    workspace = Workspace()
    catalog = Catalog(workspace)
    suite = catalog.suite(origin["suite"])
    by_id = dict(catalog.ids(suite.tasks))
    sampled = {str(sample.id) for sample in samples}
    paths = {task: path for task, path in by_id.items() if task in sampled}
    if missing := sampled - set(paths):
        raise InvalidLogError(f"`{log}`: the suite `{origin['suite']}` has no task `{min(missing)}`")
    ids, digest = read_tasks(paths.values(), workspace)
    folder = RunFolder(out)
    folder.create(
        Run(
            suite=suite.id,
            suite_path=str(catalog.suite_path(origin["suite"])),
            suite_sha256=digest,
            family=suite.family,
            agent=f"inspect:{content.eval.model}",
            setting=origin["setting"],
            limits=RunLimits(seconds=1e9),
            repeats=max(sample.epoch for sample in samples),
            tasks=ids,
            versions=package_versions(),
            about={"inspect": {"run_id": content.eval.run_id, "solver": content.eval.solver}},
            started=content.eval.created,
            chained=True,
        )
    )
    with folder.writing() as file:
        for sample in samples:
            file.add(_attempt(sample, content.eval.model))
    return folder


def log_lines(log: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers of a log as lines for `planspec score`.

    A line is a trace if the family's metrics need traces, otherwise a task id with an answer. If a task has several
    samples, each line has the sample's index under `sample`.

    Raises:
        InvalidLogError: the file is not a log of planspec's tasks.
    """
    content = _read_log(log)
    samples = _samples(content, log)
    several = any(sample.epoch > 1 for sample in samples)
    for sample in samples:
        trace = _trace(sample, content.eval.model, _answers(sample))
        if trace_metrics(sample.metadata["family"]) is not None:
            yield trace.model_dump(mode="json")
        else:
            sample_fields = {"sample": sample.epoch - 1} if several else {}
            yield {"task": trace.task, "plan": trace.answer, **sample_fields}


def _read_log(log: Path) -> EvalLog:
    try:
        return read_eval_log(str(log))
    except Exception as error:  # noqa: BLE001 errors of zip, JSON and Inspect
        raise InvalidLogError(f"`{log}` is not a log of Inspect: {type(error).__name__}: {error}"[:500]) from None


def _samples(content: EvalLog, log: Path) -> list[EvalSample]:
    samples = content.samples or []
    if not samples:
        raise InvalidLogError(f"`{log}` has no samples")
    if any(PLANSPEC not in sample.metadata for sample in samples):
        raise InvalidLogError(f"`{log}` is a log of `{content.eval.task}`, which is not a planspec task")
    if len({(str(s.metadata[PLANSPEC]["suite"]), s.metadata[PLANSPEC]["setting"]) for s in samples}) > 1:
        raise InvalidLogError(f"`{log}` has samples of several suites or settings")
    return samples


def _answers(sample: EvalSample) -> list[str]:
    """Return the answer to each turn of a sample."""
    answers: list[str] | None = sample.store.get(ANSWERS)
    if answers is None:  # an Inspect solver of another project made this sample
        answers = [sample.output.completion] if sample.output.choices else []
    return [replace_surrogates(answer)[0] for answer in answers]


def _attempt(sample: EvalSample, model: str) -> Attempt:
    opened = open_sample(sample.metadata)
    answers = _answers(sample)
    trace = _trace(sample, model, answers)
    failure = _failure(sample, answers, opened)
    counts: Sequence[int | None] = sample.store.get(CALLS) or []
    if not counts and len(opened.judges) == 1:
        counts = [len(trace.calls)]
    counts = [*counts, *[None] * (len(answers) - len(counts))][: len(answers)]
    turns = [Turn(answer=answer, calls=count) for answer, count in zip(answers, counts, strict=True)]
    if failure is not None:
        turns.append(Turn(failure=failure))
    attempt = Attempt(
        task=str(sample.id),
        repeat=sample.epoch - 1,
        seed=0,
        turns=tuple(turns),
        failure=failure,
        verdict={"status": "undelivered"},
        trace=trace,
        started=sample.started_at or "",
        seconds=sample.total_time or 0.0,
    )
    verdict, failure = judge_again(attempt, opened)
    facts = needed_facts(opened, attempt.turns, verdict["status"], trace) if failure is None else None
    return attempt.model_copy(update={"verdict": verdict, "failure": failure, "facts": facts})


def _failure(sample: EvalSample, answers: Sequence[str], opened: AgentTask) -> Failure | None:
    recorded: dict[str, Any] | None = sample.store.get(FAILURE)
    if recorded is not None:
        return Failure.model_validate(recorded)
    if sample.error is not None:
        return Failure(boundary="adapter", message=sample.error.message[:2000])
    if len(answers) < len(opened.judges):
        return Failure(boundary="limit", message=f"only {len(answers)} of {len(opened.judges)} turns were answered")
    return None


def _trace(sample: EvalSample, model: str, answers: Sequence[str]) -> Trace:
    events = events_of(sample)
    calls = tuple(
        call.model_copy(update={"time": events.call_timings.get(call.id or "")}) for call in calls_of(sample.messages)
    )
    call_indices = {call.id: index for index, call in enumerate(calls)}
    return Trace(
        task=str(sample.id),
        agent=model,
        messages=tuple(_messages(sample, call_indices, events)),
        calls=calls,
        answer=answers[-1] if answers else None,
        generations=tuple(events.generations),
        tools=tuple(events.tools),
        tokens=tuple(
            Tokens(input=usage.input_tokens, cached=usage.input_tokens_cache_read, output=usage.output_tokens)
            for usage in sample.model_usage.values()
        ),
        started=sample.started_at,
        elapsed_ms=None if sample.total_time is None else round(sample.total_time * 1000),
        error=None if sample.error is None else sample.error.message,
        ended=sample.error is None,
    )


def _messages(sample: EvalSample, call_indices: dict[str | None, int], events: SampleEvents) -> Iterator[Message]:
    for message in sample.messages:
        tool_calls = message.tool_calls if isinstance(message, ChatMessageAssistant) else None
        answers = call_indices.get(message.tool_call_id) if isinstance(message, ChatMessageTool) else None
        failed = message.error.message if isinstance(message, ChatMessageTool) and message.error is not None else None
        yield Message(
            role=message.role,
            text=replace_surrogates(failed or message.text)[0],
            answers=answers,
            calls=tuple(call_indices[call.id] for call in tool_calls or [] if call.id in call_indices),
            generation=events.generation_indices.get(message.id or ""),
        )
