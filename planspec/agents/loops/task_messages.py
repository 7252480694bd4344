"""User messages that present a task to a model, written from an agent's view of the task."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planspec.agents.desk import Desk
from planspec.agents.models.chat import Assistant, Message, User
from planspec.agents.pictures import Image
from planspec.agents.prompts import Prompts
from planspec.agents.view import TaskView

TEMPLATES = ("task.j2",)
"""File names of the prompts that this module uses."""


def messages_of(view: TaskView, prompts: Prompts) -> list[Message]:
    """Return the conversation so far: earlier queries with their answers, and the current query.

    The first query comes with the setting's materials and pictures.
    """
    given = json.dumps(view.given, ensure_ascii=False, indent=1, default=str) if view.given else None
    pictures = tuple(Image(title, data) for title, data in view.images.items())
    queries = [query for query, _ in view.earlier] + [view.query]
    first = prompts.render(
        "task.j2",
        query=queries[0],
        materials=list(view.materials.items()),
        given=given,
        pictures=[picture.title for picture in pictures],
    )
    messages: list[Message] = [User(first, pictures)]
    for query, (_, answer) in zip(queries[1:], view.earlier, strict=True):
        if answer and answer.strip():
            messages.append(Assistant(answer))
        messages.append(User(query))
    return messages


def conversation_text(view: TaskView, prompts: Prompts) -> tuple[str, tuple[Image, ...]]:
    """Return the conversation so far as one text, and its pictures.

    It is meant for a part of an agent that was not in the conversation.
    """
    parts: list[str] = []
    images: tuple[Image, ...] = ()
    for message in messages_of(view, prompts):
        match message:
            case User(text, more):
                parts.append(text)
                images += more
            case Assistant(str(text)):
                parts.append(f"(This was answered:)\n{text}")
            case _:
                pass
    return "\n\n".join(parts), images


def record_messages(messages: Sequence[Message], desk: Desk, *, stage: int | None = None) -> list[int]:
    """Record the messages that begin a conversation. Messages recorded at an earlier turn are skipped.

    Returns:
        The index of each message in the trace.
    """
    recorded: dict[tuple[str, str | None], int] = {}
    if stage is None:
        for index, earlier in enumerate(desk.messages):
            if earlier.stage is None and not earlier.calls and earlier.answers is None:
                recorded.setdefault((earlier.role, earlier.text), index)
    indices = []
    for message in messages:
        key = type(message).__name__.lower(), getattr(message, "text", None)
        is_new = key not in recorded or message is messages[-1]
        indices.append(desk.record_message(*key, stage=stage) if is_new else recorded[key])
    return indices
