"""Export of a suite as a folder of Harbor tasks, a format that many harnesses read.

Each task has its own folder: `task.toml`, `instruction.md`, `environment/` with the server of the tools, `tests/` with
the verifier, and `solution/` with a right answer. Data that agents must not see are only in the containers of the tools
and of the verifier.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planspec.environments.floors import NEIGHBOURS
from planspec.environments.shared import SharedTask
from planspec.exports.bundle import (
    CANARY,
    IMAGE,
    ExportResult,
    LocatedTask,
    atomic_folder,
    copy_bundle,
    is_replaced,
    located_tasks,
    pretty_json,
    require_image,
    right_answer,
    shipped_suites,
    user_texts,
)
from planspec.exports.harbor_config import PORT, openenv_yaml, task_toml
from planspec.exports.judge_folder import write_judge
from planspec.exports.wheel import wheel_name, write_wheel
from planspec.files import id_as_file_name

ANSWER = "/logs/artifacts/answer.json"
"""File to which an agent writes its answer."""
OTHER_ANSWER = "/workdir/answer.txt"
"""File to which agents in TRL's `HarborBashEnv` always write. It is read if `ANSWER` is missing."""

TEST = """\
#!/bin/sh
# Judges the answer by the judge in this folder, with Python 3.11 or later and nothing else. Outside a container set
# PLANSPEC_ANSWER, PLANSPEC_LOGS and PLANSPEC_PYTHON.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
answer=${{PLANSPEC_ANSWER:-{answer}}}
[ -n "${{PLANSPEC_ANSWER:-}}" ] || [ -e "$answer" ] || answer={other} # where TRL has its agents write
logs=${{PLANSPEC_LOGS:-/logs/verifier}}
mkdir -p "$logs"
rm -f "$logs/reward.json" "$logs/reward.txt" # what an agent may have left is no reward
exec "${{PLANSPEC_PYTHON:-python3}}" -I -S -B "$here/verify.py" "$answer" "$logs/reward.json"
"""
SOLVE = """\
#!/bin/sh
set -eu
answer=${{PLANSPEC_ANSWER:-{answer}}}
mkdir -p "$(dirname "$answer")"
cp "$(dirname "$0")/answer.json" "$answer"
"""
TOOLS_IMAGE = """\
FROM {image}
WORKDIR /srv
COPY . /srv
RUN pip install --no-cache-dir "/srv/{wheel}[mcp]"
CMD {serve}
"""
COMPOSE = """\
services:
  main:
    image: {image}
    command: ["sh", "-c", "sleep infinity"]
    depends_on: [tools]
  tools:
    build:
      context: ${{CONTEXT_DIR:-.}}/tools
"""
AGENT_IMAGE = """\
# `task.toml` names this image, so that nothing has to be built. This file keeps the folder where empty ones are dropped.
FROM {image}
LABEL org.opencontainers.image.title="planspec" org.opencontainers.image.version="{version}"
"""


def export_harbor(
    suite: str | os.PathLike[str],
    out: Path,
    *,
    setting: str | None = None,
    image: str = IMAGE,
    seconds: float = 60.0,
) -> ExportResult:
    """Write a suite, or a single task, as Harbor tasks.

    Args:
        suite: file, folder or id.
        out: folder to create; an existing one must be empty.
        setting: setting in which agents solve the tasks; None for each task's first.
        image: image of all containers, with Python 3.11 or later.
        seconds: time limit for finding the right answer of a task without a reference.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        UnsuitableExportError: the folder is not empty, or a task has pictures or uses files outside its
            suite's folder.
        LimitReachedError: no right answer of a task was found in time.
        OSError: a file cannot be written.
    """
    require_image(image)
    with atomic_folder(out) as part, TemporaryDirectory(dir=part.parent) as scratch:
        writer = _Writer(part, Path(scratch), image, seconds)
        tasks = located_tasks(suite, setting, out)
        first = [*islice(tasks, NEIGHBOURS + 1)]
        answers = [right_answer(task.shared, seconds) for task in first]
        for place, task in enumerate(first):
            writer.write(task, answers[place], [*answers[:place], *answers[place + 1 :]])
        for task in tasks:
            writer.write(task, right_answer(task.shared, seconds), answers)
        writer.write_servers()
        if writer.names:
            writer.write_card(out.name)
        return ExportResult(out, tuple(writer.names), tuple(writer.replaced), max(writer.floors, default=None))


class _Writer:
    """Writer of the tasks' folders.

    Attributes:
        names: ids of the tasks written so far.
        replaced: ids of the tasks whose reference does not pass.
        floors: maximum dense reward of a worthless answer, for each task.

    Args:
        part: folder of all tasks.
        scratch: folder of the files that the tasks' folders share by hard links.
        image: image of all containers.
        seconds: time limit in seconds of each search.
    """

    def __init__(self, part: Path, scratch: Path, image: str, seconds: float) -> None:
        self._part, self._scratch = part, scratch
        self._image, self._seconds = image, seconds
        self._servers: list[tuple[Path, Path | None]] = []
        self._suites: frozenset[str] = frozenset()
        self._margin = 1.0
        self.names: list[str] = []
        self.replaced: list[str] = []
        self.floors: list[float] = []

    def write(self, located: LocatedTask, answer: Any, others: Sequence[Any]) -> None:
        """Fill the folder of a task.

        Args:
            located: the task.
            answer: a right answer to the task.
            others: right answers to other tasks of the suite.
        """
        folder, opened = self._part / id_as_file_name(located.name), located.shared.opened
        judge = write_judge(
            folder / "tests", located, answer=answer, others=others, seconds=self._seconds, store=self._scratch
        )
        _write_script(folder / "tests" / "test.sh", TEST.format(answer=ANSWER, other=OTHER_ANSWER))
        environment = folder / "environment"
        environment.mkdir()
        if len(opened.tools):
            tools = environment / "tools"
            tools.mkdir()
            serve = _serve_command(located.location, opened.setting)
            image = TOOLS_IMAGE.format(image=self._image, wheel=wheel_name(), serve=json.dumps(serve))
            (tools / "Dockerfile").write_text(image, "utf-8")
            (environment / "docker-compose.yaml").write_text(COMPOSE.format(image=self._image), "utf-8")
            self._servers.append((tools, located.root))
            self._suites |= shipped_suites(located.shared)
        else:
            image = AGENT_IMAGE.format(image=self._image, version=version("planspec"))
            (environment / "Dockerfile").write_text(image, "utf-8")
        (folder / "solution").mkdir()
        (folder / "solution" / "answer.json").write_text(pretty_json(answer), "utf-8")
        _write_script(folder / "solution" / "solve.sh", SOLVE.format(answer=ANSWER))
        (folder / "instruction.md").write_text(_instruction(located.shared), "utf-8")
        (folder / "task.toml").write_text(task_toml(located, self._image, judge), "utf-8")
        self.names.append(located.name)
        self.replaced += [located.name] if is_replaced(located.shared, answer) else []
        self.floors += [] if judge.record.floor is None else [float(judge.record.floor.share)]
        self._margin = min(self._margin, judge.margin)

    def write_card(self, name: str) -> None:
        """Write `openenv.yaml` for the whole folder, which OpenEnv's `validate` reads."""
        folders = [id_as_file_name(each) for each in self.names]
        text = openenv_yaml(name, folders, margin=self._margin)
        (self._part / "openenv.yaml").write_text(text, "utf-8")

    def write_servers(self) -> None:
        """Copy planspec and the suites' folders into the task folders that have a tool server."""
        if self._servers:
            wheel = write_wheel(self._scratch, self._suites)
            for folder, root in self._servers:
                copy_bundle(wheel, root, folder)


def _serve_command(location: str, setting: str) -> list[str]:
    everywhere = "0.0.0.0"  # noqa: S104 only the network of the task reaches it
    return [
        "planspec",
        "serve-tools",
        location,
        "--setting",
        setting,
        "--transport",
        "http",
        "--host",
        everywhere,
        "--port",
        str(PORT),
        "--name",
        f"tools:{PORT}",
    ]


def _write_script(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def _instruction(shared: SharedTask) -> str:
    system = shared.opened.system_text(answer_file=ANSWER)
    return "\n\n".join([f"<!-- {CANARY} -->", system, *user_texts(shared)]) + "\n"
