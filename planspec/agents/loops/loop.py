"""Table of the loops, by name."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from planspec.agents.loops.plan_execute import PlanExecute
from planspec.agents.loops.react import ReAct
from planspec.agents.models.asking import Talk
from planspec.agents.prompts import Prompts
from planspec.agents.view import TaskView

LoopName: TypeAlias = Literal["react", "plan"]


class Loop(Protocol):
    """A procedure in which a model works on a task.

    Attributes:
        templates: file names of the prompts that the loop uses.
    """

    templates: tuple[str, ...]

    def answer(self, view: TaskView, talk: Talk) -> str:
        """Return the text of the answer.

        Raises:
            AttemptFailedError: the attempt failed.
        """


def loop(name: LoopName, prompts: Prompts) -> Loop:
    """Return the loop with a name."""
    match name:
        case "react":
            return ReAct(prompts)
        case "plan":
            return PlanExecute(prompts)
