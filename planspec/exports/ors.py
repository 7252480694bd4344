"""Export of a suite as a server of the Open Reward Standard: a folder that a container or plain Python serves.

A client lists the tasks, opens a session for a task, fetches its prompt and tools, and calls the tools. The model's
first message without a tool call is the answer: the client passes it to the terminal tool, which ends the episode. With
clients that do not support terminal tools, the model calls `submit`. Data that agents must not see stay in the server.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

from planspec.exports.bundle import (
    BUNDLE,
    CANARY,
    IMAGE,
    ExportResult,
    LocatedTask,
    UnsuitableExportError,
    atomic_folder,
    copy_bundle,
    is_replaced,
    located_tasks,
    pretty_json,
    require_image,
    right_answer,
    temporary_wheel,
    user_texts,
)

OPENREWARD = "openreward>=0.1.167,<0.2"
"""Requirement for the server's package. Earlier versions lack episodes that end by a message, and tools by task."""
PORT = 8080
SPLIT = "test"
RESERVED_NAMES = frozenset(
    {
        "call_terminal_tool",
        "get_messages",
        "get_prompt",
        "get_task",
        "get_task_range",
        "is_assistant_message_final",
        "last_message",
        "list_splits",
        "list_task_tools",
        "list_tasks",
        "list_tools",
        "name",
        "num_tasks",
        "score_group",
        "setup",
        "submit",
        "task_spec",
        "teardown",
        "terminal_tool",
        "toolsets",
    }
)
"""Names that tools must not have on a server of the Open Reward Standard."""

SERVER = '''\
"""Serves the tasks of a suite: `server.py [PORT [HOST]]`. Made by `planspec export ors`.

There is no login: everyone who reaches the address may open sessions. Without HOST only this machine reaches it.
"""

import json
import sys
from functools import lru_cache
from pathlib import Path

from openreward.environments import (
    Environment,
    ListToolsOutput,
    Message,
    Server,
    TextBlock,
    ToolOutput,
    ToolSpec,
    terminal,
    tool,
)
from pydantic import BaseModel

import planspec

HERE = Path(__file__).resolve().parent
TASKS = {{task["task"]: task for task in json.loads((HERE / "tasks.json").read_text("utf-8"))}}
SETTING = {setting!r}


class Arguments(BaseModel, extra="allow"):
    """Arguments of a tool; planspec checks them."""


class Answer(BaseModel):
    """The model's answer, as text."""

    answer: str


@lru_cache(maxsize=None)
def opened(task):
    """Return an episode with a task; each task is opened once."""
    place = TASKS[task]["place"]
    where = str(HERE / place) if place.startswith("{bundle}/") else place
    if planspec.load(where).hash != TASKS[task]["hash"]:
        raise RuntimeError(f"the task `{{task}}` is not the one that was exported")
    episode = planspec.environment(where, SETTING)
    while episode.turn < episode.turns - 1:
        episode.submit(None)
    return episode


class Planspec(Environment):
    """A task of planspec."""

    def __init__(self, task_spec={{}}, secrets={{}}):
        super().__init__(task_spec, secrets)
        self._task_record = TASKS[task_spec["task"]]
        self._episode = opened(self._task_record["task"]).copy()
        for each in self._episode.tools:
            setattr(self, each["name"], self._tool(each["name"]))

    @classmethod
    def list_splits(cls):
        return [{split!r}]

    @classmethod
    def list_tasks(cls, split):
        if split != {split!r}:
            raise ValueError(f"there is no split `{{split}}`")
        return [{{"task": task, **TASKS[task]["labels"]}} for task in TASKS]

    def get_prompt(self):
        return [TextBlock(text=text) for text in (self._task_record["system"], *self._task_record["user"])]

    def get_messages(self):
        user = [TextBlock(text=text) for text in self._task_record["user"]]
        return [Message(role="system", blocks=[TextBlock(text=self._task_record["system"])]), Message(role="user", blocks=user)]

    def list_task_tools(self):
        return ListToolsOutput(
            tools=[
                ToolSpec(name=each["name"], description=each["description"], input_schema=each["parameters"])
                for each in self._episode.tools
            ]
        )

    def _tool(self, name):
        async def call(arguments: Arguments) -> ToolOutput:
            result = self._episode.call(name, arguments.model_dump())
            return ToolOutput(blocks=[TextBlock(text=json.dumps(result, ensure_ascii=False))])

        return tool(call)

    @tool(exclusive=True)
    async def submit(self, answer: Answer) -> ToolOutput:
        """Submits the answer, which ends the episode, as a message without a call does."""
        return self._judge(answer.answer)

    @terminal
    @tool
    async def last_message(self, answer: Answer) -> ToolOutput:
        """Judges the message as the answer."""
        return self._judge(answer.answer)

    def _judge(self, answer):
        earned = self._episode.submit(answer)
        metadata = {{name: earned[name] for name in ("pass", "hard", "soft", "delivered", "violations", "calls")}}
        metadata["dense"] = earned["reward"]
        return ToolOutput(blocks=[], metadata=metadata, reward=earned["pass"], finished=True)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else {port}
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    Server([Planspec]).run(host=host, port=port)
'''
IMAGE_FILE = """\
FROM {image}
WORKDIR /srv
COPY . /srv
RUN pip install --no-cache-dir -r requirements.txt
EXPOSE {port}
CMD ["python", "server.py", "{port}", "0.0.0.0"]
"""


def export_ors(
    suite: str | os.PathLike[str],
    out: Path,
    *,
    setting: str | None = None,
    image: str = IMAGE,
    seconds: float = 60.0,
) -> ExportResult:
    """Write a suite, or a single task, as a server of the Open Reward Standard.

    Args:
        suite: file, folder or id.
        out: folder to create; an existing one must be empty.
        setting: setting in which agents solve the tasks; None for each task's first.
        image: image of the container, with Python 3.11 or later.
        seconds: time limit for finding the right answer of a task without a reference.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        UnsuitableExportError: the folder is not empty, tasks have different settings or folders, or a task
            has pictures, a tool with a reserved name, or files outside its suite's folder.
        LimitReachedError: no right answer of a task was found in time.
        OSError: a file cannot be written.
    """
    require_image(image)
    with atomic_folder(out) as part:
        tasks, answers, replaced = [], {}, []
        settings: dict[str, None] = {}
        roots: dict[Path, None] = {}
        for task in located_tasks(suite, setting, out):
            tasks.append(_task_record(task))
            answers[task.name] = right_answer(task.shared, seconds)
            replaced += [task.name] if is_replaced(task.shared, answers[task.name]) else []
            settings[task.shared.opened.setting] = None
            roots |= {} if task.root is None else {task.root: None}
        if len(settings) > 1:
            raise UnsuitableExportError(f"the tasks have different settings, {', '.join(settings)}; name one")
        if len(roots) > 1:
            raise UnsuitableExportError(f"the tasks are in different folders, {', '.join(map(str, roots))}")
        with temporary_wheel(part) as wheel:
            copy_bundle(wheel, next(iter(roots), None), part)
        texts = {
            "server.py": SERVER.format(setting=next(iter(settings), None), split=SPLIT, port=PORT, bundle=BUNDLE),
            "requirements.txt": f"# {CANARY}\n./{wheel.name}\n{OPENREWARD}\n",
            ".dockerignore": "answers.json\n",
            "Dockerfile": IMAGE_FILE.format(image=image, port=PORT),
            "tasks.json": pretty_json(tasks),
            "answers.json": pretty_json(answers),
        }
        for name, text in texts.items():
            (part / name).write_text(text, "utf-8")
    return ExportResult(out, tuple(record["task"] for record in tasks), tuple(replaced))


def _task_record(located: LocatedTask) -> dict[str, Any]:
    shared, name = located.shared, located.name
    opened, task = shared.opened, shared.opened.judge.task
    if wrong := [tool.name for tool in opened.tools if tool.name in RESERVED_NAMES or not tool.name.isidentifier()]:
        raise UnsuitableExportError(
            f"`{name}` has a tool `{wrong[0]}`, a name that a tool cannot have on a server of this standard"
        )
    return {
        "task": name,
        "place": located.location,
        "hash": task.hash,
        "planspec": version("planspec"),
        "canary": CANARY,
        "labels": {"family": task.family or "", "setting": opened.setting},
        "system": opened.system_text(),
        "user": user_texts(shared),
    }
