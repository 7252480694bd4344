"""ReAct: the model thinks, calls tools and sees their results until it answers (Yao et al., 2022)."""

from __future__ import annotations

from planspec.agents.loops import conversing, task_messages
from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import System
from planspec.agents.prompts import Prompts, system
from planspec.agents.prompts.system import system_text
from planspec.agents.view import TaskView


class ReAct:
    """The loop `react`.

    Args:
        prompts: templates of the messages to the model.
    """

    templates: tuple[str, ...] = (*system.TEMPLATES, *task_messages.TEMPLATES, *conversing.TEMPLATES)

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def answer(self, view: TaskView, talk: Talk) -> str:
        """Return the text of the model's last message."""
        tools = view.tools.tools()
        messages = [System(system_text(view, self._prompts)), *task_messages.messages_of(view, self._prompts)]
        indices = task_messages.record_messages(messages, talk.desk)
        return conversing.converse(talk, self._prompts, messages, indices, tools, schema=view.schema)
