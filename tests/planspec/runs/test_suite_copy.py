"""The files of a run's tasks are copied into its folder, in the same layout."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from planspec.agents import AgentSpec
from planspec.api.catalog import Catalog
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import COPIES, Workspace
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.suite_copy import SuiteCopy
from planspec.scores import run_metrics

WORLD = """\
planspec: world/1
id: numbers
tables:
  Number:
    columns: {n: key int, name: text}
    csv: names.csv
"""
TASK = """\
planspec: task/1
id: {id}
title: One number
query: Say a number that has a name.
world: {world}
plan: {{answer: {{one: true, n: int}}}}
constraints:
  named:
    hard: Number[answer.n].name == "three"
scope: {{answer: [{{n: 0..9}}]}}
"""


def copy_suite(suite: str, out: Path, *tasks: str) -> SuiteCopy:
    """Begin a run in a new folder, and return its copy of the suite."""
    begin(RunOptions(suite, AgentSpec.read("empty"), tasks=tasks), RunFolder(out))
    copy = SuiteCopy.of(out)
    assert copy is not None
    return copy


def task_hashes(copy: SuiteCopy) -> dict[str, str]:
    """Return the hash of each copied task by id."""
    workspace = Workspace(copy.shipped)
    return {name: load(path, workspace=workspace).hash for name, path in copy.tasks.items()}


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(("suite", "name"), [("worldtravel-berlin", "berlin-001"), ("travelplanner-small", "1")])
def test_the_copy_of_a_shipped_suite_is_complete(suite: str, name: str, tmp_path: Path) -> None:
    original = load(next(path for path in Catalog().suite(suite).tasks if path.stem.partition(".")[0] == name))
    copy = copy_suite(suite, tmp_path / "run", name)
    assert task_hashes(copy) == {name: original.hash}
    assert load(copy.tasks[name], workspace=Workspace(copy.shipped)).reference == original.reference
    for source in load(copy.tasks[name], workspace=Workspace(copy.shipped)).sources:
        assert Path(source.name).resolve().is_relative_to(copy.root)


@pytest.mark.slow
def test_references_between_files_of_several_folders_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "worlds").mkdir(parents=True)
    (home / "trips" / "tasks").mkdir(parents=True)
    (home / "worlds" / "numbers.world.yaml").write_text(WORLD)
    (home / "worlds" / "names.csv").write_text("n,name\n3,three\n")
    for name, world in (("a", "numbers"), ("b", "../../worlds/numbers.world.yaml")):
        text = TASK.format(id=name, world=world)
        (home / "trips" / "tasks" / f"{name}.task.yaml").write_text(text)
    monkeypatch.chdir(home)
    copy = copy_suite("trips", tmp_path / "run")
    expected = {name: load(f"trips/tasks/{name}.task.yaml").hash for name in "ab"}
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(home)
    assert task_hashes(copy) == expected
    files = [path.relative_to(copy.root).as_posix() for path in copy.root.rglob("*") if path.is_file()]
    assert sorted(files) == [
        "own/trips/tasks/a.task.yaml",
        "own/trips/tasks/b.task.yaml",
        "own/worlds/names.csv",
        "own/worlds/numbers.world.yaml",
        COPIES,
    ]
    assert [path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")] == []
    assert run_metrics(RunFolder(tmp_path / "run"))["n"] == 2


def test_copies_are_not_tasks_of_the_surrounding_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's folder is in the suite's folder. The copied tasks are not found in addition to the original ones,
    unless the run's folder is named.
    """
    (tmp_path / "tasks").mkdir()
    task = tmp_path / "tasks" / "a.task.yaml"
    task.write_text(TASK.format(id="a", world="numbers"))
    copies = tmp_path / "tasks" / "run" / "suite"
    copies.mkdir(parents=True)
    (copies / COPIES).write_text("{}")
    shutil.copy(task, copies)
    monkeypatch.chdir(tmp_path)
    assert list(Catalog().documents([tmp_path])) == [task]
    assert Workspace().find("task", "a", tmp_path) == [task]
    assert list(Catalog().documents([copies])) == [copies / task.name]


@pytest.mark.slow
def test_records_beside_a_suite_are_copied(tmp_path: Path) -> None:
    shipped = Workspace().shipped / "mobilitybench"
    suite = tmp_path / "suite"
    shutil.copytree(shipped, suite)
    folder = RunFolder(suite / "run")
    begin(RunOptions(str(suite), AgentSpec.read("empty"), limit=2), folder)
    before = run_metrics(folder)
    (folder.path / "known.json").unlink()
    folder.path.rename(tmp_path / "run")
    shutil.rmtree(suite)
    assert run_metrics(RunFolder(tmp_path / "run")) == before
    assert not list((tmp_path / "run" / "suite").rglob("run.json"))


def test_a_run_of_an_earlier_release_has_no_copy(tmp_path: Path) -> None:
    assert SuiteCopy.of(tmp_path) is None
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / COPIES).write_text(json.dumps({"tasks": os.sep}))
    assert SuiteCopy.of(tmp_path) is None
