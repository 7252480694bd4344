"""Import of queries as conversations.

Each query gives all possible conversations. Each conversation ends with the whole query.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.conversation import follow
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.solvers.backends.outcome import Limits
from planspec.suite_writing.folder import ImportResult
from tests.families.travelplanner.importing.public_folder import constraints, import_queries, query
from tests.families.travelplanner.official.small_world import QUERIES, SMALL, task

GIVENS = ("org", "dest", "town", "trip", "cities", "party", "budget", "rule", "tastes", "room", "without")
HIDDEN = {
    "budget": "budget",
    "people": "party",
    "cuisine": "tastes",
    "room-type": "room",
    "room-rule": "rule",
}


@pytest.fixture(scope="module")
def imported_suite(tmp_path_factory: pytest.TempPathFactory) -> ImportResult:
    """Return the import of the small world's queries as conversations."""
    out = tmp_path_factory.mktemp("flex") / "small"
    return import_travelplanner(SMALL / "database", [SMALL / "queries.jsonl"], out, conversations=True)


def conversation_count(value: dict[str, Any]) -> int:
    """Return the number of conversations of a query, which is L + G + 2 L G for L local and G global wishes."""
    wishes = value["local_constraint"]
    local = sum(bool(wishes[name]) for name in ("house rule", "cuisine", "room type"))
    people = value["people_number"] > 1
    wide = people + (value["budget"] is not None and (local > 0 or people))
    return int(local + wide + 2 * local * wide)


def plain_value(value: Any) -> Any:
    """Return a given with rows replaced by their keys."""
    if isinstance(value, tuple | frozenset):
        return [plain_value(x) for x in value]
    return value._key[0] if hasattr(value, "_key") else value


def givens(result: Any) -> dict[str, Any]:
    """Return the givens of a task with rows replaced by their keys."""
    return {name: plain_value(result.givens[name]) for name in GIVENS}


@pytest.mark.slow
def test_all_conversations_of_each_query_are_imported(imported_suite: ImportResult) -> None:
    counts = dict.fromkeys(map(str, QUERIES), 0)
    for name in imported_suite.tasks:
        counts[name.partition("-")[0]] += 1
    assert counts == {str(idx): conversation_count(value) for idx, value in QUERIES.items()}
    assert {counts[idx] for idx in ("1", "13")} == {0}
    assert counts["11"] == 3 + 2 + 2 * 3 * 2


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("wishes", "people", "budget", "count"),
    [
        (constraints(), 1, 500, 0),
        (constraints(), 2, 500, 2),
        (constraints(), 2, None, 1),
        (constraints(), 1, None, 0),
        (constraints(cuisine=["French"]), 1, 500, 4),
        (constraints(cuisine=["French"]), 1, None, 1),
        (constraints(cuisine=["French"]), 3, None, 4),
        (constraints(transportation="no flight"), 1, 500, 0),
        (constraints(**{"room type": "private room", "house rule": "pets"}), 2, 9, 12),
    ],
)
def test_the_number_of_conversations_follows_from_the_wishes(
    tmp_path: Path, wishes: dict[str, Any], people: int, budget: int | None, count: int
) -> None:
    record = query(local_constraint=wishes, people_number=people, budget=budget)
    result = import_queries(tmp_path, record, conversations=True)
    assert len(result.tasks) == count == conversation_count(record)
    assert planspec.check([result.folder]) == ()


def test_ids_are_unique_and_the_suite_lists_them_all(imported_suite: ImportResult) -> None:
    assert len(set(imported_suite.tasks)) == len(imported_suite.tasks) == sum(map(conversation_count, QUERIES.values()))
    listed = (imported_suite.folder / "suite.yaml").read_text("utf-8")
    assert all(f"  - tasks/{name}.yaml\n" in listed for name in imported_suite.tasks)
    assert {path.stem for path in (imported_suite.folder / "tasks").iterdir()} == set(imported_suite.tasks)
    assert "protocol: flextravel\n" in listed


@pytest.mark.slow
def test_all_conversations_check_without_mistakes(imported_suite: ImportResult) -> None:
    assert planspec.check([imported_suite.folder]) == ()


@pytest.mark.slow
def test_later_turns_reveal_the_hidden_wishes_up_to_the_whole_query(
    imported_suite: ImportResult, workspace: Workspace
) -> None:
    for name in imported_suite.tasks:
        path = imported_suite.folder / "tasks" / f"{name}.yaml"
        last = planspec.load(path, workspace=workspace)
        whole = givens(task(int(name.partition("-")[0])))
        assert givens(last) == whole, name
        hidden = [HIDDEN[wish] for wish in last.meta["hidden"]]
        assert last.turns == len(hidden) + 1
        turns = [givens(planspec.load(f"{path}@{turn}", workspace=workspace)) for turn in range(1, last.turns + 1)]
        assert last.meta["scenario"].startswith("local" if hidden[0] not in ("budget", "party") else "global")
        for turn, value in enumerate(turns):
            for wish in GIVENS:
                later = wish in hidden[turn:]
                blank: Any = {"party": 1, "tastes": []}.get(wish)
                assert value[wish] == (blank if later else whole[wish]), (name, turn, wish)
        for before, after in pairwise(turns):
            assert before != after


@pytest.mark.slow
def test_earlier_turns_do_not_mention_hidden_wishes(imported_suite: ImportResult, workspace: Workspace) -> None:
    for name in imported_suite.tasks:
        path = imported_suite.folder / "tasks" / f"{name}.yaml"
        record = QUERIES[int(name.partition("-")[0])]
        first = planspec.load(f"{path}@1", workspace=workspace)
        hidden = planspec.load(path, workspace=workspace).meta["hidden"]
        words = first.query
        assert ("for one person" in words) == ("people" in hidden or record["people_number"] == 1), name
        assert (f"${record['budget']:,}" in words) == ("budget" not in hidden), name
        assert ("food" in words) == (bool(record["local_constraint"]["cuisine"]) and "cuisine" not in hidden)
        assert ("must be allowed" in words) == (
            bool(record["local_constraint"]["house rule"]) and "room-rule" not in hidden
        )


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "4-local-add-room-rule",
        "4-global-add-people",
        "5-global-local-people-room-type",
        "8-local-global-room-rule-budget",
    ],
)
def test_the_last_turn_of_a_solvable_query_has_a_plan_with_a_minimal_change(
    imported_suite: ImportResult, name: str
) -> None:
    outcomes = follow(imported_suite.folder / "tasks" / f"{name}.yaml", backends=("cpsat",), limits=Limits(seconds=60))
    last = outcomes[-1]
    assert last.plan is not None
    assert last.change is not None
    assert last.change.status in ("changed", "unchanged")
    assert last.change.proved_smallest
    assert (last.change.status == "changed") == bool(last.change.edits)
    assert last.judge.plan(last.plan).status == "pass"
    days = last.judge.encode(last.plan)
    whole = planspec.Judge(task(int(name.partition("-")[0])), "official")
    assert whole.answer({"plan": days}).status == "pass"


@pytest.mark.slow
def test_the_last_turn_of_an_unsolvable_query_has_no_plan(imported_suite: ImportResult) -> None:
    outcomes = follow(
        imported_suite.folder / "tasks" / "14-local-add-room-rule.yaml",
        backends=("cpsat",),
        limits=Limits(seconds=60),
    )
    assert outcomes[0].plan is not None
    assert (outcomes[1].validation.feasible.status, outcomes[1].plan) == ("infeasible", None)
    assert "valid_room_rule" in outcomes[1].conflict
