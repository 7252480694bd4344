"""A lookup in a plan table uses an index of the fixed keys, and has the same result as a comparison with all rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.types import Table
from planspec.solvers.lowering.context import LoweringContext
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.enumerate import count
from planspec.verifiers.meaning.ground import ground

FIXED = """\
planspec: task/1
id: duties
query: Who works when?
types: {Who: anna | bert, Shift: off | early | late}
plan: {duties: {who: key Who, day: key int, shift: Shift}}
scope:
  duties:
    - for: w in Who for d in 1..3
      who: w
      day: d
      shift: Shift
constraints:
  rest:
    for: w in Who for d in 1..2
    hard: duties[w, d].shift != late or duties[w, d + 1].shift != early
  someone:
    for: d in 1..3
    hard: any(duties[w, d].shift != off for w in Who)
  missing:
    hard: duties[anna, 9] is none
"""
HALF_OPEN = """\
planspec: task/1
id: seats
query: Who sits where?
types: {Who: anna | bert | cleo}
plan: {seats: {row: key int, place: key int, who: Who}}
scope:
  seats:
    - for: r in 1..2
      row: r
      place: 1..2
      who: Who
    - row: 2
      place: 3
      who: Who
constraints:
  one:
    hard: seats[1, 1].who == anna
  two:
    hard: seats[2, 3].who != cleo
"""
OPTIONAL = """\
planspec: task/1
id: stops
query: Where to?
types: {Town: rome | oslo}
plan: {stops: {town: key Town, nights: int}}
scope:
  stops:
    - for: t in Town
      town: t
      nights: 1..3
      optional: true
    - town: rome
      nights: 4..5
      optional: true
constraints:
  long:
    hard: (stops[rome].nights ?? 0) + (stops[oslo].nights ?? 0) >= 4
"""


def all_slots(context: LoweringContext, table: Table, keys: Sequence[Any]) -> Sequence[Any]:
    """Return all rows of a table, instead of those that an index selects."""
    return context.slots.by_table[table.name]


@pytest.mark.slow
@pytest.mark.parametrize("text", [FIXED, HALF_OPEN, OPTIONAL], ids=["fixed", "half-open", "optional"])
def test_the_plans_and_conditions_are_the_same_with_and_without_the_index(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    grounded = ground(task_from_text(text))
    indexed = lower(grounded)
    with monkeypatch.context() as patch:
        patch.setattr(LoweringContext, "slots_with_key", all_slots)
        compared = lower(grounded)
    assert [str(rooted) for rooted in indexed.problem.hard] == [str(rooted) for rooted in compared.problem.hard]
    plans = count(indexed, most=10_000)
    assert plans == count(compared, most=10_000)
    assert plans.exact and plans.count > 1


def test_a_lookup_compares_only_rows_that_may_have_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    find = LoweringContext.slots_with_key

    def record(context: LoweringContext, table: Table, keys: Sequence[Any]) -> Sequence[Any]:
        slots = find(context, table, keys)
        sizes.append(len(slots))
        return slots

    monkeypatch.setattr(LoweringContext, "slots_with_key", record)
    lower(ground(task_from_text(FIXED)))
    assert set(sizes) == {0, 1}
    sizes.clear()
    lower(ground(task_from_text(HALF_OPEN)))
    assert set(sizes) == {1, 2}  # the places of the first rows are open, so a key fixes only the row
