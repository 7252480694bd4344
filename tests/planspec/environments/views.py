"""Helpers for tests of agents' views: the text of a view, and tasks without data that a view must not reveal."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.environments import AgentTask
from planspec.environments.opened import settings_of
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import Attempt

NO_LIMITS = Limits(seconds=300, tool_calls=None, steps=None)


def view_of(opened: AgentTask, turn: int = 0, answers: Collection[str | None] = ()) -> TaskView:
    """Return an agent's view of a task at a turn, after the given answers to earlier turns."""
    return opened.view(turn, list(answers), Limits(), 0)


def view_text(view: TaskView) -> str:
    """Return the whole view as one string, with tools as described to agents."""
    tools = [[tool.name, tool.description, tool.parameters] for tool in view.tools.tools()]
    parts: list[Any] = [
        view.task,
        view.family,
        view.setting,
        view.query,
        view.brief,
        view.turn,
        view.earlier,
        view.schema,
        view.materials,
        sorted(view.images),
        tools,
        view.given,
    ]
    return json.dumps(parts, ensure_ascii=False)


def open_without_secrets(
    opened: AgentTask, givens: Collection[str], removed_tables: Collection[str], meta: Collection[str] = ()
) -> AgentTask:
    """Open a task in the same setting after the removal of everything that the view must not reveal.

    Constraints, scope, reference, objectives, measures and title are removed.

    Args:
        opened: the task with all its data.
        givens: names of the givens that are not removed.
        removed_tables: names of the tables that are removed.
        meta: names of the labels that are not removed.
    """
    judges = []
    for judge in opened.judges:
        task = judge.task
        judges.append(
            Judge(
                replace(
                    task,
                    constraints=(),
                    scope=(),
                    reference=None,
                    unique=None,
                    objectives=(),
                    measures=(),
                    title="",
                    kinds=(),
                    givens={name: value for name, value in task.givens.items() if name in givens},
                    tables={name: table for name, table in task.tables.items() if name not in removed_tables},
                    meta={name: value for name, value in task.meta.items() if name in meta},
                )
            )
        )
    return settings_of(judges[-1].task)[opened.setting](opened.name, tuple(judges), opened.folder)


def instance_ids(opened: AgentTask) -> list[str]:
    """Return the ids of the instances of the task's constraints."""
    return [instance.id for instance in opened.judge.ground.instances]


def record_of_attempt(opened: AgentTask, agent: Any) -> Attempt:
    """Return the record of an agent's attempt."""
    return attempt(AttemptSpec(opened.judge.task.id, 0, 0), agent, "scripted", opened, NO_LIMITS)
