"""A suite as a folder of Harbor tasks, a format that many harnesses read.

Each task is a folder of its own: `task.toml`, `instruction.md`, `environment/` with the server of the tools,
`tests/` with the verifier, and `solution/` with a right answer. What is hidden from agents is in the
containers of the tools and the verifier, never in the agent's.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from planspec.environments.shared import SharedTask
from planspec.exports.bundle import (
    CANARY,
    IMAGE,
    ExportResult,
    LocatedTask,
    atomic_folder,
    copy_bundle,
    located_tasks,
    pretty_json,
    require_image,
    right_answer,
    temporary_wheel,
    user_texts,
)
from planspec.files import id_as_file_name

ANSWER = "/logs/artifacts/answer.json"
"""File that an agent writes its answer to."""
PORT = 8000
"""Port of the tools' server, in the network of its task."""
SCHEMA = "1.4"
"""Version of `task.toml`."""

TEST = """\
#!/bin/sh
# Judges the answer with the planspec of the wheel in this folder. Without a container: set PLANSPEC_ANSWER, PLANSPEC_LOGS and
# PLANSPEC_PYTHON, a Python that has planspec's dependencies.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
answer=${{PLANSPEC_ANSWER:-{answer}}}
logs=${{PLANSPEC_LOGS:-/logs/verifier}}
python=${{PLANSPEC_PYTHON:-python3}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
case $answer in /*) ;; *) answer=$(pwd)/$answer ;; esac
"$python" -m zipfile -e "$here"/{wheel} "$work"
cd "$here"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work" "$python" -P verify.py "$answer" "$logs/reward.json"
"""
VERIFY = """\
\"\"\"Judges an answer: `verify.py ANSWER REWARD`.\"\"\"

import json
import sys
from pathlib import Path

import planspec

answer, reward = map(Path, sys.argv[1:])
episode = planspec.environment({task!r}, {setting!r})
if planspec.load({task!r}).hash != {hash!r}:
    sys.exit("the task is not the one that was exported")
while episode.turn < episode.turns - 1:
    episode.submit(None)
earned = episode.submit(answer.read_bytes().decode("utf-8", "replace") if answer.is_file() else None)
rewards = {{"reward": earned["pass"]}}
rewards |= {{name: earned[name] for name in ("hard", "soft", "delivered", "violations") if earned[name] is not None}}
reward.write_text(json.dumps(rewards) + "\\n", "utf-8")
print(episode.verdict)
"""
SOLVE = """\
#!/bin/sh
set -eu
answer=${{PLANSPEC_ANSWER:-{answer}}}
mkdir -p "$(dirname "$answer")"
cp "$(dirname "$0")/answer.json" "$answer"
"""
TESTS_IMAGE = """\
FROM {image}
COPY . /tests
RUN pip install --no-cache-dir /tests/{wheel}
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
    depends_on: [tools]
  tools:
    build: ./tools
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
        setting: setting in which agents meet the tasks; the first if None.
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
    names = []
    with atomic_folder(out) as part, temporary_wheel(part) as wheel:
        for task in located_tasks(suite, setting, out):
            _write_task(task, part / id_as_file_name(task.name), wheel, image, seconds)
            names.append(task.name)
    return ExportResult(out, tuple(names))


def _write_task(located: LocatedTask, folder: Path, wheel: Path, image: str, seconds: float) -> None:
    """Fill the folder of a task.

    Args:
        located: the task.
        folder: folder to fill.
        wheel: wheel of planspec.
        image: image of the agent's container.
        seconds: time limit for finding the right answer.
    """
    shared, location = located.shared, located.location
    opened, task = shared.opened, shared.opened.judge.task
    answer = right_answer(shared, seconds)
    names = {
        "image": image,
        "wheel": wheel.name,
        "task": location,
        "setting": opened.setting,
        "answer": ANSWER,
    }
    everywhere = "0.0.0.0"  # noqa: S104 only the network of the task reaches it
    serve = [
        "planspec",
        "serve-tools",
        location,
        "--setting",
        opened.setting,
        "--transport",
        "http",
        "--host",
        everywhere,
        "--port",
        str(PORT),
        "--name",
        f"tools:{PORT}",
    ]
    tests = folder / "tests"
    copy_bundle(wheel, located.root, tests)
    _write_script(tests / "test.sh", TEST.format(**names))
    (tests / "verify.py").write_text(VERIFY.format(**names, hash=task.hash), "utf-8")
    (tests / "Dockerfile").write_text(TESTS_IMAGE.format(**names), "utf-8")
    environment = folder / "environment"
    environment.mkdir()
    if len(opened.tools):
        copy_bundle(wheel, located.root, environment / "tools")
        (environment / "tools" / "Dockerfile").write_text(TOOLS_IMAGE.format(**names, serve=json.dumps(serve)), "utf-8")
        (environment / "docker-compose.yaml").write_text(COMPOSE, "utf-8")
    (folder / "solution").mkdir()
    (folder / "solution" / "answer.json").write_text(pretty_json(answer), "utf-8")
    _write_script(folder / "solution" / "solve.sh", SOLVE.format(**names))
    (folder / "instruction.md").write_text(_instruction(shared), "utf-8")
    (folder / "task.toml").write_text(_config(shared, located.name, image), "utf-8")


def _write_script(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def _instruction(shared: SharedTask) -> str:
    system = shared.opened.system_text(answer_file=ANSWER)
    return "\n\n".join([f"<!-- {CANARY} -->", system, *user_texts(shared)]) + "\n"


def _config(shared: SharedTask, name: str, image: str) -> str:
    opened, task = shared.opened, shared.opened.judge.task
    metadata: Mapping[str, Any] = {
        "id": name,
        "family": task.family or "",
        "setting": opened.setting,
        "turns": len(opened.judges),
        "hash": task.hash,
        "planspec": version("planspec"),
    }
    lines = [
        f"# {CANARY}",
        f'schema_version = "{SCHEMA}"',
        "",
        "[task]",
        f"name = {_toml('planspec/' + _slug(name))}",
        f"description = {_toml(task.title or name)}",
        "",
        "[metadata]",
        *(f"{key} = {_toml(value)}" for key, value in metadata.items()),
        "",
        "[agent]",
        "timeout_sec = 1800.0",
        "",
        "[environment]",
        f"docker_image = {_toml(image)}",
        "",
    ]
    if len(opened.tools):
        lines += [
            "[[environment.mcp_servers]]",
            'name = "tools"',
            'transport = "streamable-http"',
            f'url = "http://tools:{PORT}/mcp"',
            "",
        ]
    lines += ["[verifier]", "timeout_sec = 300.0", 'environment_mode = "separate"', ""]
    return "\n".join(lines)


def _toml(value: str | int) -> str:
    """Return a value as TOML, whose quoted strings differ from those of JSON in one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _slug(name: str) -> str:
    """Return a name that Harbor takes: the id, or what is left of it with a part of its hash, since ids differ."""
    slug = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-."))
    return slug if slug == name else f"{slug or 'task'}-{sha256(name.encode()).hexdigest()[:8]}"
