"""Answers to small tasks in each city, with verdicts worked out by hand.

A reader derived them from the rules in English and the author's tables. A city's folder has `days.yaml`, with the days and the starts that are short of places, and tasks without
their first lines.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.worldtravel.generator.calendar import UNBOOKED, Calendar, draw_calendar, minutes
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.world import LIBRARY, world_files
from tests import lengths
from tests.paths import ROOT

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent
SHIPPED = ROOT / "tasks" / "cities"
DAYS = "days.yaml"
CITIES = sorted(path.name for path in FOLDER.iterdir() if (path / DAYS).is_file())
LEFT = 8
"""Default number of places left of a bookable start."""
LEAST = 20
"""Number of answers per city."""
OPENED = Workspace()
"""A workspace that checks the library once for all cities."""


def calendar(city: CityFolder) -> Calendar:
    """Return the days of `days.yaml`, without any random draw."""
    written = yaml.load((FOLDER / city.head.id / DAYS).read_text("utf-8"), Loader=yaml.BaseLoader)
    drawn = draw_calendar(city, date.fromisoformat(written["first"]), int(written["days"]), seed=0)
    full = tuple(e if e.left == UNBOOKED else replace(e, left=LEFT) for e in drawn.entries)
    few = {
        (offer, date.fromisoformat(day), minutes(at)): int(left)
        for offer, days in written["left"].items()
        for day, starts in days.items()
        for at, left in starts.items()
    }
    assert few.keys() <= {(e.offer, e.day, e.at) for e in full}
    return replace(drawn, entries=full).sold(few)


def write_tasks(name: str, folder: Path) -> list[Path]:
    """Write the documents of a city's tasks, with their world."""
    city = CityFolder.read(SHIPPED / name)
    for file, text in world_files(city, calendar(city), name).items():
        (folder / file).write_text(text, "utf-8")
    result = []
    for path in sorted((FOLDER / name).glob("*.yaml")):
        if path.name != DAYS:
            head = f"planspec: task/1\nid: {path.stem}\nworld: ./world.yaml\nuses: [{LIBRARY}]\n"
            result.append(folder / f"{path.stem}.task.yaml")
            result[-1].write_text(head + path.read_text("utf-8"), "utf-8")
    return result


@cache
def documents() -> tuple[Any, ...]:
    """Return the written content of each task, as data."""
    return tuple(
        yaml.safe_load(path.read_text("utf-8"))
        for city in CITIES
        for path in sorted((FOLDER / city).glob("*.yaml"))
        if path.name != DAYS
    )


def said_to_be_violated() -> set[str]:
    """Return the constraints that a case of some city violates."""
    return {
        instance.partition("[")[0]
        for document in documents()
        for case in document["cases"].values()
        for instance in (*case.get("violates", ()), *case["soft"])
    }


@pytest.mark.parametrize("city", lengths.try_few(CITIES, {"florence", "rome"}))
def test_verdicts_are_those_worked_out_by_hand(city: str, tmp_path: Path) -> None:
    """Each case violates the expected constraints.

    Each applicable constraint is violated in one case and kept in another. A constraint that applies in no task of this city is violated, and kept, in another city.
    """
    report = planspec.test(
        [planspec.load(path, workspace=OPENED) for path in write_tasks(city, tmp_path)], coverage=True
    )
    assert report.as_expected, str(report)
    assert len(report.cases) >= LEAST
    assert report.coverage is not None
    applying = [c for c in report.coverage if c.violated or c.satisfied]
    assert [c.constraint for c in applying if not (c.violated and c.satisfied)] == []
    assert {c.constraint for c in report.coverage} == said_to_be_violated()


def test_each_case_says_what_becomes_of_soft_constraints() -> None:
    """Wrong costs would otherwise go unnoticed."""
    for document in documents():
        assert [name for name, case in document["cases"].items() if "soft" not in case] == []
