"""Loops by name."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from planspec.agents.loops.plan_execute import PlanExecute
from planspec.agents.loops.react import ReAct
from planspec.agents.models.asking import Talk
from planspec.agents.prompts import Prompts
from planspec.agents.view import TaskView

LoopName: TypeAlias = Literal["react", "plan"]


class Loop(Protocol):
    """Works on a task with a model.

    Attributes:
        templates: the prompts that it uses.
    """

    templates: tuple[str, ...]

    def answer(self, view: TaskView, talk: Talk) -> str:
        """The text of the answer.

        Raises:
            AttemptFailedError: there is none.
        """


def loop(name: LoopName, prompts: Prompts) -> Loop:
    """The loop of a name."""
    match name:
        case "react":
            return ReAct(prompts)
        case "plan":
            return PlanExecute(prompts)
