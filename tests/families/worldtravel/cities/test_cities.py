"""Answers to small tasks in each city, with verdicts determined by hand.

The verdicts follow from the rules in English and the author's tables. The folder of a city has tasks without
their first lines, and `days.yaml` with the days and the starts that have few places left.
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
from planspec.families.worldtravel.generator.calendar import UNBOOKED, Calendar, draw_calendar, parse_clock
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
"""Default number of free places at a start that can be booked."""
MIN_ANSWERS = 20
"""Minimum number of answers for a city."""
WORKSPACE = Workspace()
"""Workspace for all cities, so that the library is checked only once."""


def calendar(city: CityFolder) -> Calendar:
    """Return the calendar described by a city's `days.yaml`. It has no random values."""
    content = yaml.load((FOLDER / city.head.id / DAYS).read_text("utf-8"), Loader=yaml.BaseLoader)
    drawn = draw_calendar(city, date.fromisoformat(content["first"]), int(content["days"]), seed=0)
    full = tuple(e if e.left == UNBOOKED else replace(e, left=LEFT) for e in drawn.entries)
    few = {
        (offer, date.fromisoformat(day), parse_clock(at)): int(left)
        for offer, days in content["left"].items()
        for day, starts in days.items()
        for at, left in starts.items()
    }
    assert few.keys() <= {(e.offer, e.day, e.at) for e in full}
    return replace(drawn, entries=full).with_places_left(few)


def write_tasks(name: str, folder: Path) -> list[Path]:
    """Write a city's tasks and their world to a folder, and return the paths of the tasks."""
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
    """Return the parsed YAML of each of the cities' files except the calendars."""
    return tuple(
        yaml.safe_load(path.read_text("utf-8"))
        for city in CITIES
        for path in sorted((FOLDER / city).glob("*.yaml"))
        if path.name != DAYS
    )


def violated_constraints() -> set[str]:
    """Return the ids of all constraints that some case violates."""
    return {
        instance.partition("[")[0]
        for document in documents()
        for case in document["cases"].values()
        for instance in (*case.get("violates", ()), *case["soft"])
    }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("city", lengths.try_few(CITIES, {"florence", "rome"}))
def test_verdicts_are_those_determined_by_hand(city: str, tmp_path: Path) -> None:
    """Each case violates the expected constraints.

    Each constraint that applies in a city is violated in one case and satisfied in another. Together, the
    cities cover all constraints.
    """
    report = planspec.test(
        [planspec.load(path, workspace=WORKSPACE) for path in write_tasks(city, tmp_path)], coverage=True
    )
    assert report.as_expected, str(report)
    assert len(report.cases) >= MIN_ANSWERS
    assert report.coverage is not None
    applying = [c for c in report.coverage if c.violated or c.satisfied]
    assert [c.constraint for c in applying if not (c.violated and c.satisfied)] == []
    assert {c.constraint for c in report.coverage} == violated_constraints()


def test_each_case_lists_its_violated_soft_constraints() -> None:
    """If a case listed none of them, it would not detect wrong costs."""
    for document in documents():
        assert [name for name, case in document["cases"].items() if "soft" not in case] == []
