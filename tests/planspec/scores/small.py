"""A suite of three small tasks, and runs on it that start no processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planspec.agents import AgentSpec, AttemptFailedError, Limits
from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.environments import open_task
from planspec.runs import Attempt, RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt

SUITE = """\
planspec: suite/1
id: small
title: Small
tasks: [a.task.yaml, b.task.yaml, c.task.yaml]
"""
TASK = """\
planspec: task/1
id: {id}
title: A time and a number
query: "When, and how many?"
kinds: [time, size]
meta: {{level: {level}}}
plan: {{answer: {{one: true, n: int, at: time}}}}
constraints:
  early: {{hard: answer.at <= 10:00, kind: time}}
  over: {{hard: answer.n > {least}, kind: size}}
  even: {{hard: answer.n % 2 == 0, kind: size}}
  great: {{soft: answer.n >= 8, kind: size}}
scope: {{answer: [{{n: 0..9, at: 09:00..20:00 step 15min}}]}}
"""
MORE = "  odd: {hard: answer.n % 4 == 2}\n"
"""A further hard constraint, without a kind."""
RIGHT: Mapping[str, Any] = {"n": 6, "at": "09:30"}


def write_suite(folder: Path) -> Path:
    """Write the suite: `a` and `b` have three hard constraints, `c` has four."""
    folder.mkdir(parents=True)
    (folder / "suite.yaml").write_text(SUITE)
    for name, least, level in (("a", 3, "easy"), ("b", 5, "easy"), ("c", 5, "hard")):
        text = TASK.format(id=name, least=least, level=level)
        if name == "c":
            text = text.replace("scope:", MORE + "scope:")
        (folder / f"{name}.task.yaml").write_text(text)
    return folder


class ScriptedAgent:
    """An agent that gives a fixed answer or raises a given failure.

    Args:
        answer: the answer, or the failure to raise.
        work: functions that the agent calls with the desk before it answers.
    """

    def __init__(self, answer: Any, work: Sequence[Any] = ()) -> None:
        self.given, self.work = answer, work

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for do in self.work:
            do(desk)
        if isinstance(self.given, AttemptFailedError):
            raise self.given
        return {"answer": self.given} if isinstance(self.given, Mapping) else self.given


def write_run(
    suite: Path, out: Path, answers: Mapping[str, Sequence[Any]], *, agent: str = "empty", **more: Any
) -> RunFolder:
    """Write a run.

    `answers` has an answer for each repeat of each task. A repeat has no record if its answer is None.
    """
    folder = RunFolder(out)
    repeats = max((len(given) for given in answers.values()), default=1)
    begin(RunOptions(str(suite), AgentSpec.read(agent), repeats=repeats, **more), folder)
    for task, given in answers.items():
        for repeat, one in enumerate(given):
            if one is not None:
                add_attempt(folder, make_attempt(suite, task, repeat, one, agent))
    return folder


def make_attempt(suite: Path, task: str, repeat: int, answer: Any, agent: str = "empty") -> Attempt:
    """Return an attempt at a task with an answer, which may also be a failure or an agent."""
    saying = answer if isinstance(answer, ScriptedAgent) else ScriptedAgent(answer)
    opened = open_task(suite / f"{task}.task.yaml", folder=suite)
    return attempt(AttemptSpec(task, repeat, repeat), saying, agent, opened, Limits())


def add_attempt(folder: RunFolder, attempt: Attempt) -> None:
    """Add the record of an attempt to a run."""
    with folder.writing() as file:
        file.add(attempt)
