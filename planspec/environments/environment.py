"""A task as an environment for programs that train or evaluate an agent: `reset`, `call`, `submit`."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, TypedDict

from planspec.agents.desk import Desk
from planspec.agents.tools import JsonResult
from planspec.agents.view import Limits, TaskView
from planspec.api.loading import TaskLike
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.rewards import Floor, dense_reward
from planspec.environments.shared import Origin, SharedTask, reopened, share, shared_tasks
from planspec.errors import PlanspecError
from planspec.traces.record import Call, Trace
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import given, hard_share, satisfied

Outcome = TypedDict(
    "Outcome",
    {
        "pass": int,
        "reward": float,
        "hard": float,
        "soft": float,
        "delivered": int,
        "violations": int,
        "calls": int,
        "done": bool,
        "metrics": dict[str, Any],
    },
)
"""What an answer earned.

`pass` is 1 if the answer passes, else 0; `reward` is dense, from 0 to 1, and 0 before the last turn; `hard` and `soft` are the
shares of the constraints that hold (0 where nothing was delivered; all of none is 1); `delivered` is 1 if there was a plan to
judge, else 0; `violations` counts the hard constraints and the faults of the answer's shape that are violated; `calls` counts the
tool calls so far; `done` says that this was the last turn; `metrics` are the family's own, of this answer alone.
"""


class EpisodeOverError(PlanspecError, RuntimeError):
    """A call or an answer after the last turn was answered; `reset` begins again."""


class Environment:
    """One episode with a task: its turns, its tools, and the verdict on each answer.

    A copy costs little and goes on by itself; it shares the task, which nothing changes. Environments of one task may run in as
    many threads as there are; one environment is one agent's, and its calls may come from several threads. A pickle holds where the
    task came from and what was done, and needs the same files where it is read.

    Attributes:
        seed: seed of the episode, for agents that draw.

    Args:
        shared: the task.
        seed: seed of the episode.
        calls: the most calls that have a result; None for as many as the setting allows.
        floor: the share of the hard constraints up to which a failing plan earns nothing; None for the measured one.
    """

    def __init__(
        self, shared: SharedTask, *, seed: int = 0, calls: int | None = None, floor: float | None = None
    ) -> None:
        if floor is not None and not 0 <= floor <= 1:
            raise ValueError("a floor is from 0 to 1")
        if calls is not None and calls < 0:
            raise ValueError("`calls` is at least 0")
        self._shared, self._opened = shared, shared.opened
        self._calls = calls
        self._floor = None if floor is None else Floor(Fraction(floor))
        self._lock = threading.RLock()
        self.seed = seed
        self._begin()

    def _begin(self) -> None:
        self._answers: list[str | None] = []
        self._verdict: Verdict | None = None
        # past the last call each is refused, and none is a failure: the desk has no limits of its own
        tools, allowed = self._opened.at_turn(0).tools, self._limits.tool_calls
        # and it measures nothing: an episode in which the same is done is the same
        self._desk = Desk(
            tools, Limits(seconds=math.inf, steps=None), self.seed, allowed=allowed, timed=False
        )

    @property
    def _limits(self) -> Limits:
        allowed = self._opened.calls if self._calls is None else self._calls
        return Limits(seconds=math.inf, steps=None, tool_calls=allowed)

    def __repr__(self) -> str:
        turns, at = self.turns, "done" if self.done else f"turn {self.turn + 1}"
        of = f" of {turns}" if turns > 1 and not self.done else ""
        return f"<Environment {self.task}, {self.setting}: {at}{of}, {len(self._desk.calls)} calls>"

    # ------------------------------------------------------------------ the task

    @property
    def task(self) -> str:
        """The id of the task."""
        return self._opened.judge.task.id.partition("@")[0]

    @property
    def setting(self) -> str:
        """The name of the setting."""
        return self._opened.setting

    @property
    def source(self) -> str | None:
        """By what `environment` finds the task again, in another process too: its file, with its turn if one was named.

        None for a task that was made of a text of its own.
        """
        origin = self._shared.origin
        return None if origin is None or origin.text is not None else origin.name

    @property
    def turns(self) -> int:
        """The number of turns; 1 for a task without."""
        return len(self._opened.judges)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema of answers, where there is one."""
        return self._opened.schema

    @property
    def floor(self) -> float | None:
        """The share of the hard constraints up to which a failing plan earns nothing; None where it is not known.

        It is measured when it is first needed.
        """
        floor = self._floor_of()
        return None if floor is None else float(floor.share)

    # ------------------------------------------------------------------ the episode

    def reset(self, seed: int | None = None) -> TaskView:
        """Begin again, at the first turn.

        Args:
            seed: seed of the new episode; the last one's if None.

        Returns:
            What an agent sees at the first turn.
        """
        with self._lock:
            self.seed = self.seed if seed is None else seed
            self._begin()
            return self.observation

    @property
    def observation(self) -> TaskView:
        """What an agent sees at the current turn; after the last one, what it saw there."""
        turn = min(self.turn, self.turns - 1)
        return self._opened.view(turn, self._answers[:turn], self._limits, self.seed)

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages that begin the current turn, as chat services take them: `role` and `content`.

        Those of the first turn are the brief, as `system`, and what the setting shows and the user asks, as `user`; a later turn
        has the user's alone. Pictures are in `observation.images`.
        """
        return self._opened.messages(min(self.turn, self.turns - 1))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the current turn: `name`, `description` and `parameters`, the JSON schema of the arguments."""
        return [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in self._desk.tools
        ]

    @property
    def turn(self) -> int:
        """The current turn, from 0; the number of turns after the last."""
        return len(self._answers)

    @property
    def done(self) -> bool:
        """The last turn is answered."""
        return self.turn >= self.turns

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls so far, with their results."""
        return tuple(self._desk.calls)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the last answer, with what is violated and why; None before the first."""
        return self._verdict

    def call(self, tool: str, arguments: object) -> JsonResult:
        """Call a tool of the current turn.

        Args:
            tool: its name.
            arguments: a JSON object, or the text of one, as models give it; anything else is a wrong call.

        Returns:
            The result, or `{"error": {"code": ..., "message": ...}}`: a wrong call raises nothing.

        Raises:
            EpisodeOverError: the last turn is answered.
        """
        self._go_on("call a tool")
        return self._desk.call(tool, dict(arguments) if isinstance(arguments, Mapping) else arguments)

    def submit(self, answer: Any) -> Outcome:
        """Answer the current turn.

        Args:
            answer: text as a model gives it, or JSON; None for no answer.

        Returns:
            What the answer earned; `verdict` says why.

        Raises:
            EpisodeOverError: the last turn is answered.
            TypeError: the answer is neither text nor JSON.
        """
        said = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        with self._lock:
            self._go_on("answer")
            judge = self._opened.judges[self.turn]
            trace = self._desk.trace(self.task, "environment", said, None)
            if self.turn + 1 < self.turns:
                verdict = judge.answer(self._opened.standing(said, trace), details="violated")
            else:
                verdict = self._opened.verdict(said, trace, details="violated")
            self._answers.append(None if answer is None else said)
            self._verdict = verdict
            if not self.done:
                self._desk.tools = self._opened.at_turn(self.turn).tools
            reward = self._reward(verdict) if self.done else 0
        measured = judge.family.metrics.load().over([judge.scored(verdict)])
        return {
            "pass": int(verdict.status == "pass"),
            "reward": float(reward),
            "hard": float(hard_share(verdict)),
            "soft": float(given(verdict) * satisfied(verdict.soft)),
            "delivered": int(given(verdict)),
            "violations": _violations(verdict),
            "calls": len(trace.calls),
            "done": self.done,
            "metrics": measured.model_dump(mode="json", exclude={"n", "delivered"}),
        }

    def trace(self) -> Trace:
        """The record of the episode so far: calls, and the last answer."""
        return self._desk.trace(self.task, "environment", self._answers[-1] if self._answers else None, None)

    def _go_on(self, what: str) -> None:
        if self.done:
            raise EpisodeOverError(f"the episode with `{self.task}` is over; `reset` it to {what} again")

    def _floor_of(self) -> Floor | None:
        return self._shared.floor if self._floor is None else self._floor

    def _reward(self, verdict: Verdict) -> Fraction:
        """The reward of the last answer; the floor is measured only where it counts."""
        tools = any(len(self._opened.at_turn(turn).tools) for turn in range(self.turns))
        blind = tools and not self._desk.calls
        counts = verdict.status == "fail" or (verdict.status == "pass" and blind)
        return dense_reward(verdict, self._floor_of() if counts else None, blind=blind)

    # ------------------------------------------------------------------ copies

    def copy(self) -> Environment:
        """An environment in the same state, which goes on by itself."""
        with self._lock:
            made = Environment.__new__(Environment)
            made.__dict__ |= self.__dict__
            made._lock = threading.RLock()
            made._answers = list(self._answers)
            made._desk = self._desk.copy()
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Environment:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._shared.origin is None:
            raise TypeError(
                f"the environment of `{self.task}` cannot be pickled: its task was not read from one text"
            )
        with self._lock:
            kept = (tuple(self._answers), self.calls, self._verdict)
        return _restored, (self._shared.origin, self.seed, self._calls, self._floor, kept)


def _restored(
    origin: Origin, seed: int, calls: int | None, floor: Floor | None,
    kept: tuple[tuple[str | None, ...], tuple[Call, ...], Verdict | None],
) -> Environment:  # fmt: skip
    made = Environment(reopened(origin), seed=seed, calls=calls)
    answers, done, made._verdict = kept
    made._floor = floor
    made._answers += answers
    made._desk.calls += done
    if not made.done:
        made._desk.tools = made._opened.at_turn(made.turn).tools
    return made


def _violations(verdict: Verdict) -> int:
    if not given(verdict):
        return verdict.hard.total
    return sum(finding.status == "violated" and finding.level != "soft" for finding in verdict.findings)


def environment(
    task: TaskLike,
    setting: str | None = None,
    seed: int = 0,
    *,
    calls: int | None = None,
    floor: float | None = None,
) -> Environment:
    """The environment of a task.

    Args:
        task: its path or id, or the task itself; `trip@2` is the conversation up to its second turn.
        setting: in which agents meet it; the first that its suite is prepared for if None.
        seed: seed of the first episode, for agents that draw.
        calls: the most tool calls that have a result; None for as many as the setting allows.
        floor: the share of the hard constraints up to which a failing plan earns nothing; None to measure it on the right answers
            to the tasks beside this one.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: it has errors.
        TypeError: it is no task.
        ValueError: `calls` is negative, or `floor` not from 0 to 1.
    """
    return Environment(share(task, setting, None, Workspace()), seed=seed, calls=calls, floor=floor)


def environments_of(
    suite: str | PathLike[str],
    setting: str | None = None,
    seed: int = 0,
    *,
    calls: int | None = None,
    floor: float | None = None,
) -> Iterator[Environment]:
    """The environments of a suite's tasks, in order, each opened as it is asked for; what tasks share is read once.

    Args:
        suite: file, folder or id.
        setting: see `environment`, as for the others.
        seed: seed of each first episode.
        calls: of each episode.
        floor: of each task.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        TypeError: it is neither a path nor an id.
    """
    for shared in shared_tasks(suite, setting):
        yield Environment(shared, seed=seed, calls=calls, floor=floor)
