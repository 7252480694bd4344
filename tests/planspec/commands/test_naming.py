"""Every command means the same tasks by a suite's id, its path, a shard and a folder, and by a task's id and its path."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow

TASK = """planspec: task/1
id: NAME
query: A number.
given: {unused: 1}
plan: {draw: {one: true, n: int}}
scope: {draw: {n: 1..3}}
removable: [Row]
tables:
  Row:
    columns: {n: key int}
    rows: [{n: 1}, {n: 2}]
constraints:
  listed:
    hard: Row[draw.n] is not none
reference: {draw: {n: 1}}
cases:
  first:
    answer: {draw: {n: 1}}
    passes: true
"""
SUITE = "planspec: suite/1\nid: pair\ntasks: [TASKS]\n"
FORMS = (
    "pair",
    "tasks/pair.suite.yaml",
    "tasks",
    "shards/all.tasks.yaml",
    "shards/shard.suite.yaml",
    "shards",
)
"""The two tasks, by the id of their suite, its path, its folder, a shard, and the path and folder of a suite of that shard."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks in files with a suite, and the same in a shard with another suite."""
    (files := tmp_path / "tasks").mkdir()
    (shards := tmp_path / "shards").mkdir()
    for name in ("one", "two"):
        (files / f"{name}.task.yaml").write_text(TASK.replace("NAME", name))
    (files / "pair.suite.yaml").write_text(SUITE.replace("TASKS", "one.task.yaml, two.task.yaml"))
    whole = "---\n".join(TASK.replace("NAME", name) for name in ("one", "two"))
    (shards / "all.tasks.yaml").write_text(whole)
    (shards / "shard.suite.yaml").write_text(
        SUITE.replace("pair", "shard").replace("TASKS", "all.tasks.yaml")
    )
    answers = [json.dumps({"task": name, "plan": {"draw": {"n": 1}}}) + "\n" for name in ("one", "two")]
    (tmp_path / "answers.jsonl").write_text("".join(answers))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(document: Any) -> list[str]:
    return [each["task"] for each in document]


def warned(document: Any) -> list[str]:
    """Each task has one warning: its given is unused."""
    return [each["code"] for each in document]


VERBS: dict[str, tuple[tuple[str, ...], Callable[[Any], list[str]], list[str]]] = {
    "check": (("check", "NAME", "--format", "json"), warned, ["PS210", "PS210"]),
    "validate": (("validate", "NAME", "--format", "json"), listed, ["one", "two"]),
    "difficulty": (("difficulty", "NAME", "--format", "json"), listed, ["one", "two"]),
    "why": (("why", "NAME", "--format", "json"), listed, ["one", "two"]),
    "test": (("test", "NAME", "--format", "json"), lambda d: listed(d["cases"]), ["one", "two"]),
    "score": (
        ("score", "answers.jsonl", "--suite", "NAME", "--format", "json"),
        lambda d: listed(d["plans"]),
        ["one", "two"],
    ),
    "compare": (("compare", "NAME", "NAME", "--format", "json"), lambda d: listed(d["tasks"]), ["one", "two"]),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("verb", list(VERBS))
def test_every_name_of_a_suite_means_its_tasks(
    folder: Path, verb: str, absolute: bool, form: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    if absolute and form == "pair":
        pytest.skip("an id is no path")
    words, tasks, expected = VERBS[verb]
    name = str(folder / form) if absolute else form
    code, out, err = run(monkeypatch, capsys, *(name if word == "NAME" else word for word in words))
    assert code in (0, 1), err
    assert sorted(tasks(json.loads(out))) == expected


@pytest.mark.parametrize("form", FORMS)
def test_run_export_and_tighten_mean_the_same_tasks(
    folder: Path, form: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    code, _, err = run(monkeypatch, capsys, "run", form, "--agent", "random", "--out", "made")
    assert code == 0, err
    attempts = (folder / "made" / "attempts.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["task"] for line in attempts if '"task"' in line) == ["one", "two"]
    code, _, err = run(monkeypatch, capsys, "export", "rows", form, "--out", "rows.jsonl")
    assert code == 0, err
    rows = (folder / "rows.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["task"] for line in rows) == ["one", "two"]
    code, _, err = run(monkeypatch, capsys, "tighten", form, "-o", "tight", "--remove", "Row")
    assert code == 0, err
    assert sorted(path.name for path in (folder / "tight").glob("*.yaml")) == [
        "one.task.yaml",
        "two.task.yaml",
    ]


@pytest.mark.parametrize("name", ["one", "tasks/one.task.yaml", "shards/all.tasks.yaml#one"])
@pytest.mark.parametrize("verb", ["check", "validate", "difficulty", "why", "test", "solve"])
def test_every_name_of_a_task_means_it(
    folder: Path, verb: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    code, out, err = run(monkeypatch, capsys, verb, name, "--format", "json")
    assert code in (0, 1), err
    found = json.loads(out)
    if verb == "check":
        assert warned(found) == ["PS210"]
    else:
        found = found["cases"] if verb == "test" else found
        assert [each["task"] for each in (found if isinstance(found, list) else [found])] == ["one"]


def test_check_of_a_suite_finds_the_mistakes_of_its_tasks(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    task = folder / "tasks" / "two.task.yaml"
    task.write_text(task.read_text().replace("draw.n]", "draw.m]"))
    for name in ("pair", "tasks/pair.suite.yaml"):
        code, _, err = run(monkeypatch, capsys, "check", name)
        assert code == 2
        assert "PS204" in err
