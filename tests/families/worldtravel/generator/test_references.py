"""Times at which a visit may begin according to a traveller's wish. They show which waits could be avoided."""

from __future__ import annotations

from typing import Any

import pytest

from planspec import Judge
from planspec.families.worldtravel.generator import references
from planspec.verifiers.meaning.plan_rows import Plan
from tests.paths import ROOT

pytestmark = pytest.mark.slow


def permitted_starts(task: str, place: str) -> dict[str, Any]:
    """Return the judge of a task, the wish for a place, and the start times sold for the place on the day of the visit.

    Each start is a pair: the entry in the table, and whether the wish permits the visit to begin then.
    """
    judge = Judge(ROOT / "tasks" / f"worldtravel-{task.partition('-')[0]}" / f"{task}.task.yaml")
    plan = judge.reference_plan()
    assert isinstance(plan, Plan)
    evaluate, free = references.Evaluation(judge.task, plan), references._with_places_at_all_starts(judge.task)
    (wish,) = (w for w in judge.task.facts["Wish"].rows if w.place._key[0] == place)  # type: ignore[attr-defined]
    (visit,) = (v for v in plan.tables["visits"] if v.place is wish.place)  # type: ignore[attr-defined]
    entries: Any = [
        entry
        for entry in judge.task.facts["Entry"].rows
        if entry.day == visit.day and any(entry.offer is t for t in evaluate("tickets", wish))  # type: ignore[attr-defined]
    ]
    starts = [(entry, references._is_permitted(free, wish, visit, entry)) for entry in entries]
    return {"judge": judge, "wish": wish, "starts": starts}


def test_starts_of_tours_are_permitted_only_in_the_language_of_the_wish() -> None:
    found = permitted_starts("berlin-003", "reichstag")
    languages = {(entry.language, answer) for entry, answer in found["starts"]}
    assert languages == {("german", True), ("english", False)}
    assert any(entry.left == 0 and answer for entry, answer in found["starts"])


def test_starts_for_photographs_are_permitted_only_in_the_best_light() -> None:
    found = permitted_starts("berlin-004", "reichstag")
    light: Any = found["judge"].task.facts["Light"].by_key[(found["wish"].place,)]
    assert {answer for _, answer in found["starts"]} == {False, True}
    for entry, answer in found["starts"]:
        assert answer == (getattr(light, "from") <= entry.at <= light.until)
