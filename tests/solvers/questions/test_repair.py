"""A repair of rows without a usable key needs the smallest possible number of edits, which is proved."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.repair import repair
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.ground import ground
from tests.back_ends import SOLVERS

BAG = """planspec: task/1
id: bag
query: Three rows without a key.
plan: {picks: {a: int, b: int, c: int}}
scope:
  picks:
    - {a: 1, b: 1, c: 1}
    - {a: 1, b: 1, c: 2}
    - {a: 2, b: 1, c: 1}
constraints:
  some:
    hard: >-
      count(p for p in picks if p.a == 1 and p.b == 1 and p.c == 1) == 1
      and count(p for p in picks if p.a == 1 and p.b == 1 and p.c == 2) == 1
      and count(p for p in picks if p.a == 2 and p.b == 1 and p.c == 1) == 1 and count(p for p in picks) == 3
"""
KEYED = """planspec: task/1
id: keyed
query: One call each.
types: {P: anna | bert}
plan: {calls: {who: key P, n: int}}
scope: {calls: [{for: p in P, who: p, n: 1..3}]}
constraints:
  one:
    hard: calls[anna].n == 1 and calls[bert].n == 2
closed: true
"""


@pytest.mark.parametrize("backend", SOLVERS)
@pytest.mark.parametrize(
    "rows",
    [
        [(1, 1, 3), (1, 1, 1), (2, 2, 1)],
        [(1, 1, 1), (1, 1, 1), (1, 1, 1)],
        [(2, 1, 2), (1, 2, 2), (2, 2, 1)],
    ],
)
def test_rows_without_a_key_are_matched_so_that_the_number_of_changed_fields_is_minimal(
    backend: str, rows: list[Any]
) -> None:
    task = ground(task_from_text(BAG))
    answer, _ = read_tables(task.task, {"picks": [dict(zip("abc", row, strict=True)) for row in rows]})
    result = repair(task, answer, backend=backend)
    required = [(1, 1, 1), (1, 1, 2), (2, 1, 1)]
    fewest = min(
        sum(x != y for a, b in zip(order, required, strict=True) for x, y in zip(a, b, strict=True))
        for order in permutations(rows)
    )
    assert result.status is Status.OPTIMAL
    assert result.distance is not None
    assert (result.distance["rows"], result.distance["fields"]) == (0, fewest)
    assert len(result.edits) == fewest


@pytest.mark.parametrize(
    ("rows", "edits"),
    [
        # the second of two rows with one key is right, so the first is removed
        ([("anna", 3), ("anna", 1), ("bert", 2)], {("calls[anna]", "removed")}),
        # one of the two rows becomes the missing call
        ([("anna", 1), ("anna", 2)], {("calls[anna].who", "anna -> bert")}),
        ([("anna", 1), ("bart", 2)], {("calls[bert].who", "none -> bert")}),
    ],
)
def test_a_duplicate_or_unreadable_key_is_repaired(rows: list[Any], edits: set[Any]) -> None:
    task = ground(task_from_text(KEYED))
    answer, _ = read_tables(task.task, {"calls": [{"who": who, "n": n} for who, n in rows]})
    result = repair(task, answer)
    assert {(d.place, d.said) for d in result.edits} == edits
    assert result.distance is not None
    assert len(result.edits) == result.distance["rows"] + result.distance["fields"]


@pytest.mark.parametrize("number", [-(2**53), 2**53, 10**30])
def test_a_number_too_large_for_a_distance_leaves_the_repair_undecided(number: int) -> None:
    task = ground(
        task_from_text(
            "planspec: task/1\nid: pick\nquery: A number.\nplan: {pick: {one: true, n: int, m: int}}\n"
            "scope: {pick: {n: 1..3, m: 1..3}}\nconstraints:\n  sum: {hard: pick.n + pick.m == 4}\n"
        )
    )
    answer, _ = read_tables(task.task, {"pick": {"n": number, "m": 1}})
    result = repair(task, answer)
    assert result.status is Status.OPTIMAL or (result.status, result.reason) == (Status.UNKNOWN, "magnitude")
