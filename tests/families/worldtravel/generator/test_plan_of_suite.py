"""Each task of a suite is assigned a focus (a kind of wish)."""

from __future__ import annotations

from pathlib import Path

from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.plan_of_suite import TaskRequirements, task_requirements
from tests.paths import ROOT

FLORENCE = ROOT / "tasks" / "cities" / "florence"
FURTHER = {9, 30}
"""Numbers of the tasks that Florence lists under `further` of the focus "two visits to one place"."""


def requirements(folder: Path, edit: tuple[str, str], copy: Path) -> list[TaskRequirements]:
    """Copy a city, replace a text in its scenarios, and return the requirements for its tasks."""
    copy.mkdir()
    for file in folder.iterdir():
        if file.suffix in (".csv", ".yaml"):
            text = file.read_text("utf-8")
            (copy / file.name).write_text(text.replace(*edit) if file.stem == "scenarios" else text, "utf-8")
    return list(task_requirements(CityFolder.read(copy), 30, 0, 120))


def test_tasks_listed_under_further_get_the_focus_and_all_others_are_unchanged(tmp_path: Path) -> None:
    shipped = requirements(FLORENCE, ("", ""), tmp_path / "with")
    without = requirements(FLORENCE, (", further: [9, 30]", ""), tmp_path / "without")
    for a, b in zip(shipped, without, strict=True):
        assert (a.trip, a.shape, a.cores) == (b.trip, b.shape, b.cores)
        assert ((a.focus is None) != (b.focus is None)) == (a.number in FURTHER), a.number
    assert all(task.focus and task.focus.columns == ["sessions"] for task in shipped if task.number in FURTHER)


def test_a_task_listed_under_further_keeps_the_focus_that_it_already_has(tmp_path: Path) -> None:
    other = '[9, 30]}\n  - {title: "photographs", columns: [photographs], share: 0.03, further: [2, 3]}'
    both = requirements(FLORENCE, ("[9, 30]}", other), tmp_path / "both")
    assert [task.focus.title for task in both[1:3] if task.focus] == ["a composite place in two visits", "photographs"]
