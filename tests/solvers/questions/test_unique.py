"""What tells plans apart: the fields that `unique` lists, and the keys of their tables."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.lowering.problem import lower, same_plan
from planspec.solvers.questions.enumerate import Plans
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import ground

TASK = """planspec: task/1
id: t
query: q
types: {Inn: oak | elm}
plan:
  calls: {at: key int, who: int}
  nights: {inn: key Inn, rooms: int}
scope:
  calls: [{at: 1, who: 1..2}]
  nights: [{inn: Inn, rooms: 1..2}]
constraints:
  first: {hard: "all(c.who == 1 for c in calls)"}
UNIQUE
"""


@pytest.mark.parametrize(
    ("unique", "plans"),
    [
        ("", 4),  # every key and every open field of every table
        ("unique: [calls.who]", 1),  # where one sleeps is nobody's matter
        ("unique: [nights.rooms]", 4),  # the inn is the key
        ("unique: [nights.inn]", 2),
        ("unique: [calls.who, nights.inn]", 2),
    ],
)
def test_tables_of_which_nothing_is_listed_tell_no_plans_apart(unique: str, plans: int) -> None:
    made = ground(task_from_text(TASK.replace("UNIQUE", unique).replace('"', "")))
    found = list(Plans(lower(made)))
    assert len(found) == plans
    assert not any(same_plan(made, a, b) for i, a in enumerate(found) for b in found[:i])
    said = validate(made).unique
    assert {claim.status for claim in said.backends.values()} == {"unique" if plans == 1 else "multiple"}
