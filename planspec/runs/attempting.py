"""An attempt of an agent at a task, from its first turn to the verdict."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from planspec.agents import optional
from planspec.agents.agent import Agent
from planspec.agents.desk import MAX_MESSAGE_CHARS, Desk
from planspec.agents.failures import AttemptFailedError, Boundary
from planspec.agents.optional import agent_info
from planspec.agents.view import Limits
from planspec.environments import AgentTask
from planspec.environments.hosting import SITE, HostedSite, answer_at_site
from planspec.runs.perceived import MOST_SECONDS, compare_declared_facts, needed_facts
from planspec.runs.pictures import store_pictures
from planspec.runs.record import Attempt, Failure, Turn
from planspec.runs.tracebacks import innermost_line, traceback_text
from planspec.traces.json_text import text_of
from planspec.traces.record import Trace

if TYPE_CHECKING:
    from planspec.agents.models.reply_cache import ReplyCache

SHOWN = 80
"""Number of characters of an unreadable answer that the message of a failure quotes."""
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_ABOUT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


@dataclass(frozen=True, slots=True)
class AttemptSpec:
    """A request for one attempt.

    Attributes:
        task: id under which the attempt is recorded.
        repeat: number of the repeat, counted from 0.
        seed: seed for random agents.
        retry: number of earlier attempts that failed at the provider.
    """

    task: str
    repeat: int
    seed: int
    retry: int = 0


def attempt(
    spec: AttemptSpec,
    agent: Agent,
    name: str,
    opened: AgentTask,
    limits: Limits,
    now: Callable[[], float] = time.monotonic,
    replies: ReplyCache | None = None,
    folder: Path | None = None,
) -> Attempt:
    """Run an agent turn by turn, and judge its last answer.

    Every exception of the agent becomes a failure of the attempt, except an interruption, which is raised.

    Args:
        spec: task id, repeat, seed and retry of the attempt.
        agent: agent to run.
        name: name of the agent.
        opened: the task in its setting (what agents see and do).
        limits: limits of the attempt.
        now: clock that returns seconds.
        replies: cache of the replies of services; None for no cache.
        folder: folder of the run, in which pictures shown by tools are stored; None to store none.
    """
    started, start_time = datetime.now(UTC), now()
    desk = Desk(opened.tools, limits, spec.seed, now, opened.calls, replies)
    info = agent_info(agent)
    turns: list[Turn] = []
    answers: list[str | None] = []
    failure: Failure | None = None
    if info.gets_task:
        optional.privilege(agent, opened)
    with _open_site(opened) as site:
        for turn in range(len(opened.judges)):
            before = len(desk.calls)
            outcome = _answer_turn(agent, opened, turn, answers, limits, spec.seed, desk, site)
            turns.append(outcome.model_copy(update={"calls": len(desk.calls) - before}))
            answers.append(_answer_text(outcome.answer))
            if outcome.failure is not None:
                failure = outcome.failure
                break
        close_agent(agent)
    if folder is not None:
        store_pictures(folder, desk.images.values())
    trace = _attempt_trace(desk, spec, name, answers, failure)
    verdict, failure = _judge_answers(opened, answers, failure, trace)
    seconds = round(now() - start_time, 3)
    facts = read = None
    if not info.privileged:
        facts = needed_facts(opened, turns, verdict["status"], trace, seconds=_seconds_for_facts(desk.left))
        read = compare_declared_facts(opened, turns, verdict["status"], trace, facts)
    return Attempt(
        task=spec.task,
        repeat=spec.repeat,
        seed=spec.seed,
        retry=spec.retry,
        turns=tuple(turns),
        failure=failure,
        verdict=verdict,
        trace=trace,
        started=started.isoformat(timespec="milliseconds"),
        seconds=seconds,
        privileged=info.privileged,
        uncontained=info.uncontained is not None,
        refereed=info.referees and not info.privileged,
        about=describe_agent(agent),
        facts=facts,
        read=read,
    )


def _seconds_for_facts(left: float) -> float:
    """Return the CPU seconds for finding the needed facts.

    `left` is the attempt's remaining time, negative after an overrun. The search ends before the worker is killed.
    """
    return min(MOST_SECONDS, max(0.0, MOST_SECONDS + left))


def describe_agent(agent: Agent) -> dict[str, JsonValue]:
    """Return an agent's description of itself, or an entry `error` if it is invalid."""
    try:
        return _ABOUT.validate_python(optional.about(agent))
    except Exception as error:  # noqa: BLE001 an agent's program can fail in any way
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def close_agent(agent: Agent) -> None:
    """Close the resources that an agent keeps open during an attempt, if it has any."""
    with suppress(Exception):
        optional.close(agent)


def _answer_turn(
    agent: Agent,
    opened: AgentTask,
    turn: int,
    answers: list[str | None],
    limits: Limits,
    seed: int,
    desk: Desk,
    site: HostedSite | None,
) -> Turn:
    try:
        view = opened.view(turn, answers, opened.view_limits(limits), seed)
        if site is not None:
            view = replace(view, given={**view.given, SITE: site.url})
        desk.tools = view.tools
        answer = _JSON.validate_python(agent.answer(view, desk), strict=False)
        if site is not None:
            answer = _JSON.validate_python(answer_at_site(opened.judges[turn], answer, site))
        return Turn(answer=answer)
    except AttemptFailedError as error:
        return _failed_turn(error.boundary, error.message, error.__cause__)
    except ValidationError:
        return _failed_turn("adapter", "what the agent returned is neither text nor JSON")
    except (Exception, RecursionError) as error:  # noqa: BLE001 an agent's program may fail at anything
        return _failed_turn("adapter", f"{type(error).__name__}: {error}"[:MAX_MESSAGE_CHARS], error)
    finally:
        if site is not None:
            _record_site(desk, site)


def _open_site(opened: AgentTask) -> AbstractContextManager[HostedSite | None]:
    """Open the website for an attempt, if the setting has one."""
    return nullcontext() if opened.hosted is None else opened.hosted()


def _record_site(desk: Desk, site: HostedSite) -> None:
    """Record the pages that an agent viewed and its actions on the website."""
    for name, arguments in site.looks():
        desk.record_call(name, arguments, {})
    desk.note(SITE, site.state())


def _failed_turn(boundary: Boundary, message: str, error: BaseException | None = None) -> Turn:
    """Return a failed turn. If the agent's program or a tool raised an error, add its line and traceback."""
    if error is None:
        return Turn(failure=Failure(boundary=boundary, message=message))
    place, text = innermost_line(error), traceback_text(error)
    return Turn(failure=Failure(boundary=boundary, message=message, place=place, traceback=text))


def _answer_text(answer: JsonValue) -> str | None:
    return None if answer is None else text_of(answer)


def _attempt_trace(
    desk: Desk, spec: AttemptSpec, name: str, answers: list[str | None], failure: Failure | None
) -> Trace:
    if failure is None:
        return desk.trace(spec.task, name, answers[-1], None)
    return desk.trace(spec.task, name, None, f"{failure.boundary}: {failure.message}")


def judge_again(attempt: Attempt, opened: AgentTask) -> tuple[dict[str, Any], Failure | None]:
    """Judge an attempt's answers by the current version of its task. Return the verdict, and the failure or None.

    Args:
        attempt: the attempt. If it failed before it was judged, the failure remains.
        opened: the task in the setting of the attempt.
    """
    answers = [_answer_text(turn.answer) for turn in attempt.turns]
    failure = attempt.turns[-1].failure if attempt.turns else attempt.failure
    if failure is None and len(answers) != len(opened.judges):
        failure = Failure(
            boundary="decode",
            message=f"{len(answers)} turns were answered, and the task has {len(opened.judges)} now",
        )
    return _judge_answers(opened, answers, failure, attempt.trace)


def _judge_answers(
    opened: AgentTask, answers: list[str | None], failure: Failure | None, trace: Trace
) -> tuple[dict[str, Any], Failure | None]:
    """Return the verdict as JSON, and the failure of the attempt or None. An unreadable answer is a failure."""
    verdict = _verdict_document(opened, answers, failure, trace)
    if failure is None and verdict["status"] == "undelivered":
        why = verdict["findings"][0]["message"]
        failure = Failure(boundary="decode", message=f"{why}{_unreadable_note(answers[-1], trace)}")
    return verdict, failure


def _unreadable_note(answer: str | None, trace: Trace) -> str:
    """Describe an unreadable answer: its beginning, and whether it was cut off."""
    begins = " ".join((answer or "")[: 4 * SHOWN].split())[:SHOWN]
    note = f"; it begins `{begins}`" if begins else ""
    last = trace.generations[-1] if trace.generations else None
    if last is not None and last.stopped == "length":
        after = "" if last.output is None else f" after {last.output} tokens"
        note += f"; the model's reply was cut off{after} (`max_tokens`, or the model's context)"
    return note


def _verdict_document(
    opened: AgentTask, answers: list[str | None], failure: Failure | None, trace: Trace
) -> dict[str, Any]:
    """Return the verdict document for the last turn's answer. A failed or incomplete attempt counts as undelivered."""
    if failure is not None:
        verdict = opened.judge.undelivered(f"{failure.boundary}: {failure.message}")
    else:
        verdict = opened.verdict(answers[-1] or "", trace, details="violated")
    verdict = opened.judge.beside_best(verdict)
    document: dict[str, Any] = json.loads(json.dumps(asdict(verdict), ensure_ascii=False, default=str))
    return document


def lost_attempt(
    spec: AttemptSpec, name: str, opened: AgentTask, boundary: Boundary, message: str, seconds: float
) -> Attempt:
    """Return the record of an attempt whose process ended without a result."""
    failure = Failure(boundary=boundary, message=message)
    trace = _attempt_trace(Desk(opened.tools, Limits()), spec, name, [], failure)
    return Attempt(
        task=spec.task,
        repeat=spec.repeat,
        seed=spec.seed,
        retry=spec.retry,
        turns=(Turn(failure=failure),),
        failure=failure,
        verdict=_verdict_document(opened, [], failure, trace),
        trace=trace,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        seconds=round(seconds, 3),
        lost=True,
    )
