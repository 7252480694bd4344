"""A literal bound in a scope that excludes values of the tables gets a warning."""

from __future__ import annotations

import pytest

import planspec
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning import scope_cuts as module
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.scope_cuts import warn_of_scope_cuts
from tests.dsl.cases import short_form

TASK = """\
planspec: task/1
id: x
query: Where to?
tables:
  Place: {columns: {kind: text}, rows: [{id: museum, kind: art}, {id: park, kind: green}]}
  Slot: {columns: {place: key Place, at: key time, left: int}, rows: [{place: museum, at: 23:00, left: 2}, {place: park, at: 07:00, left: 3}]}
given: {trip: [museum], early: 08:00}
plan: {visits: {place: key Place, start: time, end: time = 09:00}}
scope:
  visits: SCOPE
constraints:
  c1:
    hard: all(Slot[v.place, v.start].left >= 2 for v in visits)
"""


def task(scope: str) -> Task:
    return task_from_text(TASK.replace("SCOPE", scope), "task.yaml")


def warnings_of(scope: str) -> str:
    """Return the warnings about a scope in short form."""
    return short_form(warn_of_scope_cuts(ground(task(scope))))


def test_a_bound_that_excludes_a_row_is_reported_with_the_missing_value() -> None:
    assert warnings_of("[{place: museum, start: 08:00..22:00}]") == (
        "warning[PS411] the scope cuts off rows of `Slot`\n"
        "  task.yaml:10:35 `08:00..22:00`: `Slot[museum, 23:00]` has 23:00\n"
        "  help: let `start` reach 23:00, or take the row away\n"
    )


def test_checking_a_task_includes_the_warning_on_a_cut_scope() -> None:
    assert [found.code for found in planspec.check(task("[{place: museum, start: 08:00..22:00}]"))] == ["PS411"]


@pytest.mark.parametrize("where", ["p in Place", 'p in Place if p.kind == "art"', "p in {Place.museum, Place.park}"])
def test_an_entry_for_several_rows_is_checked_row_by_row(where: str) -> None:
    warnings = warnings_of(f"\n    - for: {where}\n      place: p\n      start: 06:00..20:00")
    assert "`Slot[museum, 23:00]` has 23:00" in warnings
    assert warnings.count("PS411") == 1


@pytest.mark.parametrize(
    "scope",
    [
        "[{place: park, start: 06:00..20:00}]",  # the only slot of the park is at 07:00
        "[{place: museum, start: 08:00..23:00}]",
        "[{place: museum, start: early..22:00}]",  # a computed bound is assumed to be intended
        '\n    - for: p in Place if p.kind == "green"\n      place: p\n      start: 06:00..20:00',
        "[{place: museum, start: {10:00, 11:00}}]",
        "[{place: museum, start: 23:00, end: 08:00..22:00}]",  # the end is not looked up
    ],
)
def test_a_scope_that_excludes_nothing_gets_no_warning(scope: str) -> None:
    assert warnings_of(scope) == ""


def test_the_number_of_checked_combinations_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    scope = "[{for: p in Place, place: p, start: 08:00..22:00}]"
    assert "museum" in warnings_of(scope)
    monkeypatch.setattr(module, "MAX_PAIRS", 1)
    assert warnings_of(scope) == ""
