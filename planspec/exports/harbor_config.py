"""Manifests of exported Harbor tasks: `task.toml` for each task, and `openenv.yaml` for the whole folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import metadata, version
from typing import Any

from planspec.api.labels import labels_of
from planspec.exports.bundle import CANARY, LocatedTask
from planspec.exports.judge_folder import CANARIES, JudgeFolder
from planspec.exports.judge_zip import contents_text

PORT = 8000
"""Port of the tool server in the network of its task."""
SCHEMA = "1.4"
"""Version of Harbor's format of `task.toml`."""
AGENT_S, CPUS, MEMORY_MB, DISK_MB = 1800, 1, 2048, 1024
OPENENV = """\
# {canary}
# For `openenv validate`. The paths are those of the first task; the folder of each task has the same files.
spec_version: 1
name: {name}
version: {version}
validation:
  reward: {{range: [0.0, 1.0], oracle_tolerance: 0.0, floor_margin: {margin}}}
  resources: {{cpu: {cpus}, memory_mb: {memory}, disk_mb: {disk}, episode_timeout_s: {seconds}}}
  network: {{mode: public}}
  capabilities:
    verifier: {{kind: script, entry: {entry}}}
    oracle: {{form: script, location: {oracle}}}
    canaries: {canaries}
    declared_task_count: {{test: {count}}}
  types: {{tags: [planning]}}
"""


def openenv_yaml(name: str, tasks: Sequence[str], *, margin: float) -> str:
    """Return `openenv.yaml` of a folder of tasks.

    Args:
        name: name of the folder.
        tasks: names of the tasks' folders.
        margin: minimum reward of a right answer minus the maximum reward of a canary (a cheating answer).
    """
    first = tasks[0]
    return OPENENV.format(
        canary=CANARY,
        name=json.dumps(name, ensure_ascii=False),
        version=version("planspec"),
        margin=margin,
        cpus=CPUS,
        memory=MEMORY_MB,
        disk=DISK_MB,
        seconds=AGENT_S,
        entry=json.dumps(f"{first}/tests/test.sh", ensure_ascii=False),
        oracle=json.dumps(f"{first}/solution/solve.sh", ensure_ascii=False),
        canaries=json.dumps(f"{first}/tests/{CANARIES}", ensure_ascii=False),
        count=len(tasks),
    )


def task_toml(located: LocatedTask, image: str, judge: JudgeFolder) -> str:
    """Return a task's `task.toml`.

    Args:
        located: the task.
        image: image of all containers.
        judge: judge of the task.
    """
    opened, task = located.shared.opened, located.shared.opened.judge.task
    floor = judge.record.floor
    about: Mapping[str, Any] = {
        "id": located.name,
        "family": task.family or "",
        "setting": opened.setting,
        "turns": len(opened.judges),
        "category": "planning",
        "tags": [f"{name}: {value}" for name, value in labels_of(task).items()],
        "canary": CANARY,
        **({"license": metadata("planspec")["License-Expression"]} if located.root is None else {}),
        "hash": task.hash,
        "judge": contents_text(),
        "judge_sha256": judge.digest,
        "reward_min": 0,
        "reward_max": 1,
        "reward_components": ", ".join(judge.components),
        "reward_floor": "unknown" if floor is None else str(floor.share),
    }
    lines = [
        f"# {CANARY}",
        f'schema_version = "{SCHEMA}"',
        "",
        "[task]",
        f"name = {_toml('planspec/' + _slug(located.name))}",
        f"description = {_toml(task.title or located.name)}",
        f"keywords = {_toml(['planning', *([task.family] if task.family else [])])}",
        "",
        "[metadata]",
        *(f"{key} = {_toml(value)}" for key, value in about.items()),
        "",
        "[agent]",
        f"timeout_sec = {AGENT_S}.0",
        "",
        "[environment]",
        f"docker_image = {_toml(image)}",
        f"cpus = {CPUS}",
        f"memory_mb = {MEMORY_MB}",
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


def _toml(value: str | int | Sequence[str]) -> str:
    """Return a value as TOML. TOML strings are written as JSON strings with U+007F escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _slug(name: str) -> str:
    """Return a task name that Harbor accepts. An id with other characters is cleaned and gets a part of its hash."""
    slug = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-."))
    return slug if slug == name else f"{slug or 'task'}-{sha256(name.encode()).hexdigest()[:8]}"
