"""A task in words: what a view becomes in prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from planspec.agents.desk import Desk
from planspec.agents.models.chat import Assistant, Message, User
from planspec.agents.pictures import Image
from planspec.agents.prompts import Prompts
from planspec.agents.view import TaskView

TEMPLATES = ("task.j2",)
"""The prompts that are used here."""


def task(view: TaskView, prompts: Prompts) -> list[Message]:
    """The user's side so far: earlier turns with their answers, and what is asked now.

    What the setting gives, materials and pictures, stands with what was asked first.
    """
    given = json.dumps(view.given, ensure_ascii=False, indent=1, default=str) if view.given else None
    pictures = tuple(Image(title, data) for title, data in view.images.items())
    queries = [query for query, _ in view.earlier] + [view.query]
    first = prompts.render(
        "task.j2", query=queries[0], materials=list(view.materials.items()), given=given,
        pictures=[picture.title for picture in pictures],
    )  # fmt: skip
    made: list[Message] = [User(first, pictures)]
    for query, (_, answer) in zip(queries[1:], view.earlier, strict=True):
        if answer and answer.strip():
            made.append(Assistant(answer))
        made.append(User(query))
    return made


def told(view: TaskView, prompts: Prompts) -> tuple[str, tuple[Image, ...]]:
    """The user's side so far as one text, for those who see it from outside, and its pictures."""
    parts: list[str] = []
    images: tuple[Image, ...] = ()
    for message in task(view, prompts):
        match message:
            case User(text, more):
                parts.append(text)
                images += more
            case Assistant(str(text)):
                parts.append(f"(This was answered:)\n{text}")
            case _:
                pass
    return "\n\n".join(parts), images


def schema(view: TaskView) -> str | None:
    """The schema of answers as text."""
    return json.dumps(view.schema, ensure_ascii=False) if view.schema else None


def keep(messages: Sequence[Message], desk: Desk, *, stage: int | None = None) -> list[int]:
    """Record the first messages to the model; those that the desk has from an earlier turn stay where they are.

    Returns:
        Their places in the trace.
    """
    known: dict[tuple[str, str | None], int] = {}
    if stage is None:
        for place, kept in enumerate(desk.messages):
            if kept.stage is None and not kept.calls and kept.answers is None:
                known.setdefault((kept.role, kept.text), place)
    places = []
    for message in messages:
        said = type(message).__name__.lower(), getattr(message, "text", None)
        new = said not in known or message is messages[-1]
        places.append(desk.say(*said, stage=stage) if new else known[said])
    return places
