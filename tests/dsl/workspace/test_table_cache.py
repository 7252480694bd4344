"""Tables that tasks share are loaded once, and only where no task has a part in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace, shown

LIBRARY = """\
planspec: library/1
id: lib
types: {Mood: calm | wild}
tables:
  Place: {name: text, mood: Mood}
  Slot: {place: key Place, n: key int}
  Wish: {place: Place}
plan: {visits: {place: Place}}
"""
WORLD = """\
planspec: world/1
id: w
tables:
  Place: {csv: place.csv}
  Slot: {csv: slot.csv}
"""
TASK = """\
planspec: task/1
id: t
query: q
world: w
uses: [lib]
tables:
  Wish: [{place: a}]
"""


def load(folder: Path, workspace: Workspace, text: str, name: str) -> Task:
    """The task of a text beside the world."""
    (folder / "worlds").mkdir(exist_ok=True)
    (folder / "libraries").mkdir(exist_ok=True)
    (folder / "libraries" / "lib.yaml").write_text(LIBRARY)
    (folder / "worlds" / "w.yaml").write_text(WORLD)
    (folder / "worlds" / "place.csv").write_text("id,name,mood\na,Arch,calm\nb,Bridge,wild\n")
    (folder / "worlds" / "slot.csv").write_text("place,n\na,1\nb,2\n")
    path = folder / name
    path.write_text(text)
    return task_from_path(path, workspace)


def test_two_tasks_of_a_world_have_the_same_rows(tmp_path: Path) -> None:
    workspace = Workspace()
    first = load(tmp_path, workspace, TASK, "one.task.yaml")
    second = load(tmp_path, workspace, TASK.replace("place: a", "place: b"), "two.task.yaml")
    assert first.tables["Place"] is second.tables["Place"]
    assert first.tables["Slot"] is second.tables["Slot"]
    assert first.tables["Wish"] is not second.tables["Wish"]
    assert {s.name for s in first.sources} ^ {s.name for s in second.sources} == {
        shown(tmp_path / "one.task.yaml"),
        shown(tmp_path / "two.task.yaml"),
    }
    wish: Any = second.facts["Wish"].rows[0]
    assert wish.place is second.facts["Place"].by_key["b",]


def test_a_task_that_adds_rows_has_tables_of_its_own(tmp_path: Path) -> None:
    """Of the table that it adds to, and of all that refer to it."""
    workspace = Workspace()
    first = load(tmp_path, workspace, TASK, "one.task.yaml")
    more = TASK + "  Place: {rows: [{id: c, name: Castle, mood: calm}]}\n"
    second = load(tmp_path, workspace, more, "two.task.yaml")
    assert [row._key for row in first.facts["Place"].rows] == [("a",), ("b",)]
    assert [row._key for row in second.facts["Place"].rows] == [("a",), ("b",), ("c",)]
    slot: Any = second.facts["Slot"].rows[0]
    assert slot.place is second.facts["Place"].by_key["a",]
    assert first.tables["Slot"] is not second.tables["Slot"]


def test_another_workspace_loads_anew(tmp_path: Path) -> None:
    first = load(tmp_path, Workspace(), TASK, "one.task.yaml")
    second = load(tmp_path, Workspace(), TASK, "one.task.yaml")
    assert first.tables["Place"] is not second.tables["Place"]
