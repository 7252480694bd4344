"""ReAct: the model thinks, calls tools and sees their results until it answers (Yao et al., 2022)."""

from __future__ import annotations

from planspec.agents.loops import conversing, task_messages
from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import System
from planspec.agents.prompts import Prompts
from planspec.agents.view import TaskView


class ReAct:
    """The loop `react`.

    Args:
        prompts: templates of the messages to the model.
    """

    templates: tuple[str, ...] = ("system.j2", *task_messages.TEMPLATES, *conversing.TEMPLATES)

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def answer(self, view: TaskView, talk: Talk) -> str:
        """Return the text of the model's last message."""
        tools = view.tools.tools()
        system = self._prompts.render(
            "system.j2",
            tools=tools,
            calls=view.limits.tool_calls,
            steps=view.limits.steps,
            brief=view.brief,
            schema=task_messages.schema_text(view),
        )
        messages = [System(system), *task_messages.messages_of(view, self._prompts)]
        indices = task_messages.record_messages(messages, talk.desk)
        return conversing.converse(talk, self._prompts, messages, indices, tools, schema=view.schema)
