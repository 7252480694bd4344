"""The system prompt for a task. It is the same for planspec's own models, exports, servers and other harnesses."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from planspec.agents.prompts.rendering import Prompts

if TYPE_CHECKING:
    from planspec.agents.view import TaskView

TEMPLATES = ("system.j2",)
"""File names of the prompts that this module uses."""


def system_text(view: TaskView, prompts: Prompts | None = None, *, answer_file: str | None = None) -> str:
    """Return the system prompt for a task: role, limits, and form of the answer with its schema.

    Args:
        view: the task as the agent sees it.
        prompts: templates; None for planspec's own.
        answer_file: file that the agent writes the answer to; None for an agent that answers by a message.

    Raises:
        PromptTemplateError: the template fails.
    """
    return (prompts or _own_prompts()).render(
        "system.j2",
        role=view.role,
        tools=view.tools.tools(),
        calls=view.limits.tool_calls,
        steps=view.limits.steps,
        brief=view.brief,
        schema=schema_text(view),
        answer_file=answer_file,
    )


def schema_text(view: TaskView) -> str | None:
    """Return the schema of answers as text, or None if there is none."""
    return json.dumps(view.schema, ensure_ascii=False) if view.schema else None


@cache
def _own_prompts() -> Prompts:
    return Prompts()
