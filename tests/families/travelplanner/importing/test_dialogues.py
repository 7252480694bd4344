"""Each published dialogue becomes one conversation, and the import counts unpublished facts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.suite_writing.folder import ImportResult
from tests.families.travelplanner.importing.public_folder import constraints, query
from tests.families.travelplanner.official.small_world import SMALL
from tests.paths import SHARED

REAL = SHARED / "data" / "flextravelbench"


def dialogue(*added: Any, local: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Return a record in the published form, with lists and mappings as Python literals."""
    result = query(4, local_constraint=str(constraints(**(local or {}))), **fields) | {"new_constraints": list(added)}
    return result | {"date": str(result["date"]), "reference_information": "[]"}


def import_dialogues(folder: Path, *records: Any, conversations: bool = True) -> ImportResult:
    """Write records to a file of dialogues, and import it."""
    path = folder / "val_dataset.json"
    path.write_text(json.dumps(records), "utf-8")
    return import_travelplanner(SMALL / "database", [path], folder / "talks", conversations=conversations)


@pytest.mark.sampled(2)
def test_a_dialogue_is_one_conversation_in_its_own_words(tmp_path: Path) -> None:
    result = import_dialogues(
        tmp_path,
        dialogue({"people_number": 2}, people_number=None, query="A trip to Brindle, please."),
        dialogue({"budget": 900}, budget=None),
        dialogue({"room type": "private room"}, {"budget": 900}, budget=None),
    )
    assert result.left_out == () and planspec.check([result.folder]) == ()
    assert result.tasks == ("4-published-people", "4-published-budget", "4-published-room-type-budget")
    path = result.folder / "tasks" / "4-published-people.yaml"
    first, last = planspec.load(f"{path}@1"), planspec.load(path)
    assert (first.query, first.givens["party"]) == ("A trip to Brindle, please.", 1)
    assert (last.query, last.givens["party"]) == ("The total number of people traveling is 2.", 2)
    assert last.meta["scenario"] == "global-add"
    three = planspec.load(result.folder / "tasks" / "4-published-room-type-budget.yaml")
    assert (three.turns, three.meta["scenario"]) == (3, "local-global")
    assert [note.split(":")[0] for note in result.notes] == ["3 dialogues", "1 dialogue"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (dialogue({"budget": 900}), "says `budget` already"),
        (dialogue(), "neither one nor 2"),
        (dialogue({"budget": 900, "people_number": 2}), "exactly one"),
        (dialogue({"pace": "slow"}), "`pace` is not one of"),
        (dialogue({"cuisine": None}), "adds nothing"),
        (dialogue({"cuisine": ["Klingon"]}), "`Klingon` is not one of"),
        (dialogue({"cuisine": ["French"]}, {"room type": "private room"}), "in either order"),
        (dialogue({"budget": 900}, budget=None, people_number=None), "people_number"),
    ],
)
def test_invalid_dialogues_are_skipped_with_their_reason(tmp_path: Path, record: dict[str, Any], reason: str) -> None:
    good = dialogue({"budget": 900}, budget=None)
    result = import_dialogues(tmp_path, good, record, good)
    assert result.tasks == ("4-published-budget",)
    assert [one.line for one in result.left_out] == [2, 3]
    assert reason in result.left_out[0].reason and "already" in result.left_out[1].reason


def test_a_dialogue_is_not_imported_as_a_query(tmp_path: Path) -> None:
    result = import_dialogues(tmp_path, query(), dialogue({"budget": 900}, budget=None), conversations=False)
    assert result.tasks == ("4",)
    assert "planspec import flextravel" in result.left_out[0].reason


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="the real dialogues are not there")
def test_every_real_dialogue_is_a_conversation(tmp_path: Path) -> None:
    files = sorted(REAL.glob("*.json"))
    result = import_travelplanner(
        SHARED / "data" / "travelplanner" / "db", files, tmp_path / "real", conversations=True
    )
    records = [record for path in files for record in json.loads(path.read_text("utf-8"))]
    assert result.left_out == () and len(result.tasks) == len(records)
    later = Counter(next(iter(turn)) for record in records for turn in record["new_constraints"])
    assert {int(note.split()[0]) for note in result.notes} == {len(records), later["people_number"]}
    assert planspec.check([result.folder]) == ()
