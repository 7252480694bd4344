"""A task as an environment for training and evaluation: `reset`, `call`, `submit`."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, TypedDict

from planspec.agents.desk import Desk
from planspec.agents.tools import JsonResult, tool_definition
from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.loading import TaskLike
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.floors import warn_without_floor
from planspec.environments.shared import Origin, SharedTask, reopen, share, shared_tasks
from planspec.errors import PlanspecError
from planspec.traces.json_text import text_of
from planspec.traces.record import Call, Trace
from planspec.verifiers.meaning.rewards import Floor, dense_reward
from planspec.verifiers.meaning.shares import count_violations, hard_share, is_delivered, soft_share
from planspec.verifiers.meaning.verdict import Verdict

Outcome = TypedDict(
    "Outcome",
    {
        "pass": int,
        "reward": float,
        "hard": float,
        "soft": float | None,
        "delivered": int,
        "violations": int,
        "calls": int,
        "done": bool,
        "metrics": dict[str, Any],
    },
)
"""Result of an answer, as a dict.

`pass` is 1 if the answer passes, else 0. `reward` is a dense reward from 0 to 1, and 0 before the last turn. `hard` and
`soft` are the shares of satisfied hard and soft constraints, 0 without a plan. If the task has no hard constraints,
`hard` is 1; without soft constraints, `soft` is None. `delivered` is 1 if there was a plan to judge, else 0.
`violations` counts violated hard constraints and faults in the answer's shape. `calls` counts the tool calls so far.
`done` is true after the last turn. `metrics` are the family's metrics of this answer alone.
"""


class EpisodeOverError(PlanspecError, RuntimeError):
    """A call or an answer came after the last turn; `reset` begins a new episode."""


WITHHELD_METRICS = {"n", "delivered", "optimal_rate", "mean_gap", "refusal_recall", "false_refusals"}
"""Metrics left out of outcomes. They count tasks, or reveal the best plan or whether a plan exists."""


class Environment:
    """One episode of an agent with a task: turns, tools, and a verdict on each answer.

    Copies are cheap and independent; they share only the immutable task. Environments of the same task may run in any
    number of threads. An environment serves one agent, whose calls may come from several threads. A pickle contains the
    episode so far and the task's file name, but not its text. Unpickling needs the same files.

    Attributes:
        seed: seed of the episode, for random agents.

    Args:
        shared: the task in a setting.
        seed: seed of the episode, for random agents.
        calls: limit on calls that return a result; None for the setting's own limit.
        floor: share of satisfied hard constraints, from 0 to 1, up to which a failing plan earns nothing;
            None to measure it.
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
        # the desk has no limits, since it would end the episode: a call beyond the limit is refused here
        tools, allowed = self._opened.at_turn(0).tools, self._limits.tool_calls
        # without times in the record, equal episodes compare equal
        self._desk = Desk(tools, Limits(seconds=math.inf, steps=None), self.seed, allowed=allowed, timed=False)

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
        """Id of the task."""
        return self._opened.judge.task.id.partition("@")[0]

    @property
    def setting(self) -> str:
        """Name of the setting."""
        return self._opened.setting

    @property
    def source(self) -> str | None:
        """Name with which `environment` opens the task again in any process: its file, and its turn if one was named.

        None for a task loaded from a string.
        """
        origin = self._shared.origin
        return None if origin is None or origin.text is not None else origin.name

    @property
    def turns(self) -> int:
        """Number of turns; 1 for a task without turns."""
        return len(self._opened.judges)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """JSON schema of answers; None if there is none."""
        return self._opened.schema

    @property
    def floor(self) -> float | None:
        """Share of satisfied hard constraints, from 0 to 1, up to which a failing plan earns nothing; None if unknown.

        Measured on first use (`planspec.environments.floors`).
        """
        floor = self._current_floor()
        return None if floor is None else float(floor.share)

    # ------------------------------------------------------------------ the episode

    def reset(self, seed: int | None = None) -> TaskView:
        """Begin a new episode, at the first turn.

        Args:
            seed: seed of the new episode; None to keep the current one.

        Returns:
            The agent's view at the first turn.
        """
        with self._lock:
            self.seed = self.seed if seed is None else seed
            self._begin()
            return self.observation

    @property
    def observation(self) -> TaskView:
        """The agent's view at the current turn; after the end of the episode, its view at the last turn."""
        turn = min(self.turn, self.turns - 1)
        return self._opened.view(turn, self._answers[:turn], self._limits, self.seed)

    @property
    def messages(self) -> list[dict[str, str]]:
        """Messages that begin the current turn in the format of chat services: `role` and `content`.

        The first turn has a message `system` with the agent's role, limits and brief, and a message `user` with the
        materials and the query. A later turn has only `user`. Pictures are in `observation.images`.
        """
        return self._opened.messages(min(self.turn, self.turns - 1), self._limits)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Tools of the current turn: `name`, `description` and `parameters`, the arguments' JSON schema."""
        return [tool_definition(tool) for tool in self._desk.tools]

    @property
    def turn(self) -> int:
        """Index of the current turn, counted from 0. After the last answer it is the number of turns."""
        return len(self._answers)

    @property
    def done(self) -> bool:
        """Whether the last turn has been answered."""
        return self.turn >= self.turns

    @property
    def calls(self) -> tuple[Call, ...]:
        """Calls so far, with their results."""
        return tuple(self._desk.calls)

    @property
    def verdict(self) -> Verdict | None:
        """Verdict on the last answer, with violations and their reasons; None before the first answer."""
        return self._verdict

    def call(self, tool: str, arguments: object) -> JsonResult:
        """Call a tool of the current turn.

        Args:
            tool: name of the tool.
            arguments: a JSON object, or its text as written by a model. Anything else results in an error.

        Returns:
            The result; or, for an invalid call, `{"error": {"code": ..., "message": ...}}`. An invalid call does
            not raise an exception.

        Raises:
            EpisodeOverError: the episode is over.
        """
        self._require_open("call a tool")
        return self._desk.call(tool, dict(arguments) if isinstance(arguments, Mapping) else arguments)

    def submit(self, answer: Any) -> Outcome:
        """Answer the current turn.

        Args:
            answer: text from a model, or JSON; None for no answer.

        Returns:
            The result of the answer; `verdict` explains it.

        Raises:
            EpisodeOverError: the episode is over.
            TypeError: the answer is neither a string nor JSON.
        """
        text = text_of(answer)
        with self._lock:
            self._require_open("answer")
            judge = self._opened.judges[self.turn]
            trace = self._desk.trace(self.task, "environment", text, None)
            if self.turn + 1 < self.turns:
                verdict = judge.answer(self._opened.resolve_references(text, trace), details="violated")
            else:
                verdict = self._opened.verdict(text, trace, details="violated")
            self._answers.append(None if answer is None else text)
            self._verdict = verdict
            if not self.done:
                self._desk.tools = self._opened.at_turn(self.turn).tools
            reward = self._reward(judge, verdict) if self.done else 0
        soft = soft_share(verdict)
        measured = judge.family.metrics.load().over([judge.scored(verdict)])
        return {
            "pass": int(verdict.status == "pass"),
            "reward": float(reward),
            "hard": float(hard_share(verdict)),
            "soft": None if soft is None else float(soft),
            "delivered": int(is_delivered(verdict)),
            "violations": count_violations(verdict),
            "calls": len(trace.calls),
            "done": self.done,
            "metrics": measured.model_dump(mode="json", exclude=WITHHELD_METRICS),
        }

    def trace(self) -> Trace:
        """Return the record of the episode so far: its calls and the last answer."""
        return self._desk.trace(self.task, "environment", self._answers[-1] if self._answers else None, None)

    def _require_open(self, action: str) -> None:
        if self.done:
            raise EpisodeOverError(f"the episode with `{self.task}` is over; `reset` it to {action} again")

    def _current_floor(self) -> Floor | None:
        return self._shared.floor if self._floor is None else self._floor

    def _reward(self, judge: Judge, verdict: Verdict) -> Fraction:
        """Return the reward of the last answer. The floor is measured only if the reward depends on it."""
        tools = any(len(self._opened.at_turn(turn).tools) for turn in range(self.turns))
        blind = tools and not self._desk.calls
        counts = verdict.status == "fail" or (verdict.status == "pass" and blind)
        return dense_reward(judge.beside_best(verdict), self._current_floor() if counts else None, blind=blind)

    # ------------------------------------------------------------------ copies

    def copy(self) -> Environment:
        """Return an independent environment in the same state."""
        with self._lock:
            clone = Environment.__new__(Environment)
            clone.__dict__ |= self.__dict__
            clone._lock = threading.RLock()
            clone._answers = list(self._answers)
            clone._desk = self._desk.copy()
        return clone

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Environment:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._shared.origin is None:
            raise TypeError(f"the environment of `{self.task}` cannot be pickled: its task was not read from one text")
        with self._lock:
            state = (tuple(self._answers), self.calls, self._verdict)
        return _restore, (self._shared.origin, self.seed, self._calls, self._floor, state)


def _restore(
    origin: Origin,
    seed: int,
    calls: int | None,
    floor: Floor | None,
    state: tuple[tuple[str | None, ...], tuple[Call, ...], Verdict | None],
) -> Environment:
    restored = Environment(reopen(origin), seed=seed, calls=calls)
    answers, done, restored._verdict = state
    restored._floor = floor
    restored._answers += answers
    restored._desk.calls += done
    if not restored.done:
        restored._desk.tools = restored._opened.at_turn(restored.turn).tools
    return restored


def environment(
    task: TaskLike,
    setting: str | None = None,
    seed: int = 0,
    *,
    calls: int | None = None,
    floor: float | None = None,
) -> Environment:
    """Open a task as an environment.

    Args:
        task: path or id of the task, or the task itself; `trip@2` is the conversation up to its second turn.
        setting: name of a setting; None for the first whose files the task's suite has.
        seed: seed of the first episode, for random agents.
        calls: limit on tool calls with a result; None for the setting's own limit.
        floor: share of satisfied hard constraints, from 0 to 1, up to which a failing plan earns nothing. None to
            measure it with certified answers to other tasks in the same folder. Without such certificates failing plans
            earn nothing, which is logged once for each folder.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: the task has errors.
        TypeError: `task` is neither a task, a path nor an id.
        ValueError: `calls` is negative, or `floor` not from 0 to 1.
    """
    return _open(share(task, setting, None, Workspace()), seed, calls, floor)


def environments_of(
    suite: str | PathLike[str],
    setting: str | None = None,
    seed: int = 0,
    *,
    calls: int | None = None,
    floor: float | None = None,
) -> Iterator[Environment]:
    """Yield the environments of a suite's tasks in order.

    Each task is opened on demand. Files that several tasks use are read once.

    Args:
        suite: file, folder or id of the suite.
        setting: name of a setting; see `environment`.
        seed: seed of the first episode of each environment.
        calls: limit on calls in each episode; see `environment`.
        floor: floor of each task; see `environment`.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        TypeError: `suite` is neither a path nor an id.
    """
    for shared in shared_tasks(suite, setting):
        yield _open(shared, seed, calls, floor)


def _open(shared: SharedTask, seed: int, calls: int | None, floor: float | None) -> Environment:
    if floor is None:
        warn_without_floor(shared.file, shared.opened.judge.task.id)
    return Environment(shared, seed=seed, calls=calls, floor=floor)
