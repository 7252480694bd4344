"""One attempt: an agent at one task, from its first turn to the verdict."""

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

from planspec.agents.agent import Agent, uncontained
from planspec.agents.desk import MAX_MESSAGE_CHARS, Desk
from planspec.agents.failures import AttemptFailedError, Boundary
from planspec.agents.view import Limits, least
from planspec.environments import AgentTask
from planspec.environments.hosting import SITE, HostedSite, delivered
from planspec.runs.perceived import MOST_SECONDS, facts_read, facts_seen
from planspec.runs.pictures import keep_pictures
from planspec.runs.record import Attempt, Failure, Turn
from planspec.runs.tracebacks import place_of, traceback_text
from planspec.traces.record import Trace

if TYPE_CHECKING:
    from planspec.agents.models.reply_cache import ReplyCache

SHOWN = 80
"""Characters that a failure quotes of an answer that cannot be read."""
_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_ABOUT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


@dataclass(frozen=True, slots=True)
class AttemptSpec:
    """The order for one attempt.

    Attributes:
        task: the id under which it is recorded.
        repeat: from 0.
        seed: for agents that draw.
        retry: how many attempts at it failed at the provider before.
    """

    task: str
    repeat: int
    seed: int
    retry: int = 0


def attempt(
    asked: AttemptSpec,
    agent: Agent,
    name: str,
    opened: AgentTask,
    limits: Limits,
    now: Callable[[], float] = time.monotonic,
    replies: ReplyCache | None = None,
    folder: Path | None = None,
) -> Attempt:
    """Ask an agent, turn by turn, and judge its last answer.

    Whatever the agent raises is a failure of the attempt; nothing but an interruption leaves this function.

    Args:
        asked: what is attempted.
        agent: who answers.
        name: of the agent.
        opened: the task under its setting.
        limits: of the attempt.
        now: a clock in seconds.
        replies: of services, that are asked for once; None to ask for each.
        folder: of the run, which keeps the pictures that tools showed; None to keep none.
    """
    started, begun = datetime.now(UTC), now()
    desk = Desk(opened.tools, limits, asked.seed, now, opened.calls, replies)
    privileged = bool(getattr(agent, "privileged", False))
    turns: list[Turn] = []
    answers: list[str | None] = []
    failure: Failure | None = None
    refereed = not privileged and bool(getattr(agent, "referees", False))
    if privileged or refereed:
        agent.privilege(opened)  # type: ignore[attr-defined]
    with _opened_site(opened) as site:
        for turn in range(len(opened.judges)):
            before = len(desk.calls)
            made = _turn(agent, opened, turn, answers, limits, asked.seed, desk, site)
            turns.append(made.model_copy(update={"calls": len(desk.calls) - before}))
            answers.append(_text(made.answer))
            if made.failure is not None:
                failure = made.failure
                break
        close(agent)
    if folder is not None:
        keep_pictures(folder, desk.images.values())
    trace = _trace(desk, asked, name, answers, failure)
    verdict, failure = _judged(opened, answers, failure, trace)
    seconds = round(now() - begun, 3)
    facts = read = None
    if not privileged:
        facts = facts_seen(opened, turns, verdict["status"], trace, seconds=_time_for_facts(desk.left))
        read = facts_read(opened, turns, verdict["status"], trace, facts)
    return Attempt(
        task=asked.task,
        repeat=asked.repeat,
        seed=asked.seed,
        retry=asked.retry,
        turns=tuple(turns),
        failure=failure,
        verdict=verdict,
        trace=trace,
        started=started.isoformat(timespec="milliseconds"),
        seconds=seconds,
        privileged=privileged,
        uncontained=uncontained(agent) is not None,
        refereed=refereed,
        about=about(agent),
        facts=facts,
        read=read,
    )


def _time_for_facts(left: float) -> float:
    """The seconds in which facts are tried: they end before an attempt that used all of its time, or more, is given up."""
    return min(MOST_SECONDS, max(0.0, MOST_SECONDS + left))


def about(agent: Agent) -> dict[str, JsonValue]:
    """An agent's record of itself; if it fails or is not JSON, the fault."""
    telling = getattr(agent, "about", None)
    if not callable(telling):
        return {}
    try:
        return _ABOUT.validate_python(dict(telling()))
    except Exception as error:  # noqa: BLE001 an agent's program may fail at anything
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def close(agent: Agent) -> None:
    """End what an agent keeps open for the turns of an attempt, if it does."""
    closing = getattr(agent, "close", None)
    if callable(closing):
        with suppress(Exception):
            closing()


def _turn(
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
        told = replace(limits, tool_calls=least(limits.tool_calls, opened.calls))
        view = opened.view(turn, answers, told, seed)
        if site is not None:
            view = replace(view, given={**view.given, SITE: site.url})
        desk.tools = view.tools
        said = _JSON.validate_python(agent.answer(view, desk), strict=False)
        if site is not None:
            said = _JSON.validate_python(delivered(opened.judges[turn], said, site))
        return Turn(answer=said)
    except AttemptFailedError as failed:
        return _failed(failed.boundary, failed.message, failed.__cause__)
    except ValidationError:
        return _failed("adapter", "what the agent returned is neither text nor JSON")
    except (Exception, RecursionError) as error:  # noqa: BLE001 an agent's program may fail at anything
        return _failed("adapter", f"{type(error).__name__}: {error}"[:MAX_MESSAGE_CHARS], error)
    finally:
        if site is not None:
            _keep_site(desk, site)


def _opened_site(opened: AgentTask) -> AbstractContextManager[HostedSite | None]:
    """The site of an attempt; none where its tasks are done without."""
    return nullcontext() if opened.hosted is None else opened.hosted()


def _keep_site(desk: Desk, site: HostedSite) -> None:
    """Keep what was looked at and done at a site."""
    for name, arguments in site.looks():
        desk.keep_call(name, arguments, {})
    desk.note(SITE, site.state())


def _failed(boundary: Boundary, message: str, error: BaseException | None = None) -> Turn:
    """The turn that failed, with where an error came from that the agent's program or a tool raised."""
    if error is None:
        return Turn(failure=Failure(boundary=boundary, message=message))
    where, told = place_of(error), traceback_text(error)
    return Turn(failure=Failure(boundary=boundary, message=message, place=where, traceback=told))


def _text(answer: JsonValue) -> str | None:
    if answer is None or isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False)


def _trace(
    desk: Desk, asked: AttemptSpec, name: str, answers: list[str | None], failure: Failure | None
) -> Trace:
    if failure is None:
        return desk.trace(asked.task, name, answers[-1], None)
    return desk.trace(asked.task, name, None, f"{failure.boundary}: {failure.message}")


def judged_again(made: Attempt, opened: AgentTask) -> tuple[dict[str, Any], Failure | None]:
    """The verdict on an attempt's answers by a task as it is now, and the attempt's failure.

    Args:
        made: the attempt; what it failed at before it was judged stays.
        opened: the task under the setting of the attempt.
    """
    answers = [_text(turn.answer) for turn in made.turns]
    failure = made.turns[-1].failure if made.turns else made.failure
    if failure is None and len(answers) != len(opened.judges):
        failure = Failure(
            boundary="decode",
            message=f"{len(answers)} turns were answered, and the task has {len(opened.judges)} now",
        )
    return _judged(opened, answers, failure, made.trace)


def _judged(
    opened: AgentTask, answers: list[str | None], failure: Failure | None, trace: Trace
) -> tuple[dict[str, Any], Failure | None]:
    """The verdict, and the failure: that there is no answer in what was said is one, too."""
    verdict = _verdict(opened, answers, failure, trace)
    if failure is None and verdict["status"] == "undelivered":
        why = verdict["findings"][0]["message"]
        failure = Failure(boundary="decode", message=f"{why}{_unread(answers[-1], trace)}")
    return verdict, failure


def _unread(answer: str | None, trace: Trace) -> str:
    """What tells people more of an answer that cannot be read: how it begins, and that it was cut off."""
    begins = " ".join((answer or "")[: 4 * SHOWN].split())[:SHOWN]
    told = f"; it begins `{begins}`" if begins else ""
    last = trace.generations[-1] if trace.generations else None
    if last is not None and last.stopped == "length":
        after = "" if last.output is None else f" after {last.output} tokens"
        told += f"; the model's reply was cut off{after} (`max_tokens`, or the model's context)"
    return told


def _verdict(
    opened: AgentTask, answers: list[str | None], failure: Failure | None, trace: Trace
) -> dict[str, Any]:
    """The verdict on the last turn's answer; an attempt that failed, or ended early, delivered none."""
    if failure is not None:
        verdict = opened.judge.undelivered(f"{failure.boundary}: {failure.message}")
    else:
        verdict = opened.verdict(answers[-1] or "", trace, details="violated")
    document: dict[str, Any] = json.loads(json.dumps(asdict(verdict), ensure_ascii=False, default=str))
    return document


def lost(
    asked: AttemptSpec, name: str, opened: AgentTask, boundary: Boundary, message: str, seconds: float
) -> Attempt:
    """The attempt of which nothing came back: its process was ended, or ended itself."""
    failure = Failure(boundary=boundary, message=message)
    trace = _trace(Desk(opened.tools, Limits()), asked, name, [], failure)
    return Attempt(
        task=asked.task, repeat=asked.repeat, seed=asked.seed, retry=asked.retry, turns=(Turn(failure=failure),), failure=failure,
        verdict=_verdict(opened, [], failure, trace), trace=trace,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"), seconds=round(seconds, 3), lost=True,
    )  # fmt: skip
