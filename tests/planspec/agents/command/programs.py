"""Python programs as agents, and a task with one tool."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planspec.agents import Desk, Limits, TaskView
from planspec.agents.command import Command
from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset

HEAD = """\
import json, os, sys, time

def put(**line):
    print(json.dumps(line), flush=True)

def get():
    line = sys.stdin.readline()
    return json.loads(line) if line else None

def call(name, **arguments):
    put(type="call", id=1, name=name, arguments=arguments)
    return get()["result"]

def answer(value):
    put(type="answer", answer=value)

"""


class CityArguments(Arguments):
    city: str
    rooms: int = 1


def hotels(arguments: CityArguments) -> JsonResult:
    """Return the hotels of a city. Refuse Atlantis."""
    if arguments.city == "Atlantis":
        raise RefusedCallError("not-found", "there is no such city")
    return {"hotels": [f"{arguments.city} Inn"] * arguments.rooms, "line": "one\u2028line"}


TOOLS = Toolset([ModelTool("hotels", "The hotels of a city.", CityArguments, hotels)])

Write = Callable[..., Command]


def python_agent(folder: Path, body: str, **options: Any) -> Command:
    """Write a Python program, and return an agent that runs it.

    `body` follows helper functions of the protocol: `get` and `put` (one line of JSON), `call` (a tool) and `answer`.
    """
    file = folder / "agent.py"
    file.write_text(HEAD + body, "utf-8")
    return Command(f"'{sys.executable}' -S '{file}'", **options)


def make_view(turn: int = 0, **others: Any) -> TaskView:
    """Return a view of the task at a turn, with the earlier questions and answers."""
    earlier = tuple((f"question {number + 1}", f"answer {number + 1}") for number in range(turn))
    fields: dict[str, Any] = {"query": f"question {turn + 1}", "brief": "say it", "tools": TOOLS, **others}
    return TaskView(task="t", family=None, setting="text", turn=turn, earlier=earlier, **fields)


def make_desk(**limits: Any) -> Desk:
    """Return a desk (an agent's interface) with the tool and a time limit of 20 s."""
    return Desk(TOOLS, Limits(**{"seconds": 20.0, **limits}))
