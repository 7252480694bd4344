"""The check of queries compares counts of rows, lists of names, weekdays of dates, and quoted durations and
members.
"""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.environment.query_text.findings import query_findings
from planspec.verifiers.environment.query_text.mentions import mentions

SHOP = """\
planspec: task/1
id: t
query: QUERY
types: {Machine: saw | lathe | drill}
tables:
  WorkOrder:
    columns: {id: key text}
    rows: [{id: axles}, {id: brackets}, {id: couplings}, {id: drums}, {id: flanges}]
environment: {shows: {WorkOrder: all}}
plan: {runs: {order: key WorkOrder, machine: key Machine, start: time}}
scope:
  runs:
    - {for: o in WorkOrder for m in Machine, order: o, machine: m, start: 09:00..18:00 step 1h}
constraints:
  all: {hard: count(r for r in runs) >= 1}
"""


def findings_for_shop(query: str) -> list[str]:
    """Return the messages of the findings on a query of the shop."""
    return messages(SHOP.replace("QUERY", query))


def messages(text: str) -> list[str]:
    """Return the messages of the findings on a task's query."""
    findings: tuple[Diagnostic, ...] = query_findings(task_from_text(text))
    return [finding.message for finding in findings]


def test_a_number_of_rows_that_the_table_does_not_have_is_reported() -> None:
    expected = "the query says `seven` beside the name of `WorkOrder`, which has 5"
    assert expected in findings_for_shop("The workshop has seven urgent orders today.")
    assert not any("beside" in message for message in findings_for_shop("The workshop has five urgent orders today."))


@pytest.mark.parametrize(
    "query",
    [
        "At most four orders are done at once.",
        "There are four orders a day.",
        "There are five orders, and four orders are urgent.",
        "The fourth order comes last.",
        "There are four chairs.",
        "There are 40 orders in the archive.",
    ],
)
def test_a_number_that_does_not_count_all_rows_of_a_table_is_not_reported(query: str) -> None:
    assert not any("beside the name" in message for message in findings_for_shop(query))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("A workshop has a saw, a mill and a drill.", "`lathe`, and all others of `Machine`"),
        ("There are a drill, a saw and a mill.", "`lathe`, and all others of `Machine`"),
        ("We make axles, brackets, bearings, drums and flanges.", "`couplings`, and all others of `WorkOrder`"),
    ],
)
def test_a_list_that_names_all_rows_but_one_and_something_else_is_reported(query: str, name: str) -> None:
    assert findings_for_shop(query) == [f"the query does not name {name} in one list"]


@pytest.mark.parametrize(
    "query",
    [
        "A workshop has a saw, a lathe and a drill.",
        "A workshop has a saw and a drill.",
        "The saw is old and was mended in spring, the drill is new, and nobody uses it.",
        "A workshop has a saw, a mill and a drill; the lathe is elsewhere.",
    ],
)
def test_complete_lists_and_names_outside_of_lists_are_not_reported(query: str) -> None:
    assert findings_for_shop(query) == []


DATES = """\
planspec: task/1
id: t
query: QUERY
given: {days: [2026-10-12, 2026-10-13, 2026-10-14, 2026-10-15, 2026-10-16]}
tells: {days: QUOTED}
plan: {calls: {day: key date}}
scope: {calls: [{for: d in days, day: d}]}
constraints:
  all: {hard: count(c for c in calls) >= 1}
"""


def findings_for_dates(quoted: str) -> list[str]:
    """Return the messages of the findings on a query with these dates."""
    return messages(DATES.replace("QUERY", f'"Work {quoted}."').replace("QUOTED", f'"{quoted}"'))


def test_a_range_of_dates_with_the_wrong_last_weekday_is_reported() -> None:
    assert findings_for_dates("from that of Monday, 12 October 2026, to that of Friday") == []
    assert findings_for_dates("from that of Monday, 12 October 2026, to that of Thursday") == [
        "the query says `Thursday`, and the date is a Friday"
    ]
    assert findings_for_dates("on Monday and on Tuesday, in the week of 12 October 2026") == []


def test_a_wrong_weekday_before_a_date_is_reported() -> None:
    assert "the query says `Tuesday`, and the date is a Monday" in findings_for_dates(
        "for a week from Tuesday, 12 October 2026"
    )
    assert "the query says `Tuesday`, and the date is a Monday" in findings_for_dates(
        "a week from Tuesday, October 12, 2026"
    )
    assert findings_for_dates("for five days from Monday, 12 October 2026") == []
    assert findings_for_dates("on Tuesday, after 12 October 2026") == []


STAY = """\
planspec: task/1
id: t
query: "QUERY"
types: {Extra: pool | rooftop | quiet | garden | bar}
tables:
  Wish:
    columns: {id: key text, wait: duration?, extras: set of Extra}
    rows: [{id: dome, wait: 15min, extras: [rooftop, quiet]}, {id: tower, extras: []}]
tells: {Wish: "WISHES", Wish.extras: "EXTRAS"}
plan: {stays: {wish: key Wish, at: time}}
scope: {stays: [{for: w in Wish, wish: w, at: 09:00..12:00 step 1h}]}
constraints:
  all: {hard: count(s for s in stays if s.wish.wait > 5min) >= 1}
"""


def findings_for_stay(
    wishes: str = "the dome for a quarter of an hour and the tower", extras: str = "calm, on the roof"
) -> list[str]:
    """Return the messages of the findings on a query about sights and a hotel."""
    text = STAY.replace("QUERY", f"We see {wishes}; the house is {extras}.")
    return messages(text.replace("WISHES", wishes).replace("EXTRAS", extras))


def test_a_duration_that_the_quotation_of_a_row_lacks_is_reported() -> None:
    assert findings_for_stay() == []
    assert findings_for_stay("the dome and the tower") == ["the query does not state `Wish[dome].wait`, 15min"]


def test_a_member_is_reported_if_its_quotation_names_a_different_one_instead() -> None:
    assert findings_for_stay(extras="quiet, with a bar on the roof") == []
    assert findings_for_stay(extras="quiet, with a pool") == ["the query does not state `Wish[dome].extras`, rooftop"]


def test_noon_is_a_definite_time_only_as_a_latest_time() -> None:
    by, at = mentions("Back by noon."), mentions("Each day has a slot at noon.")
    assert [each.is_definite for each in (*by, *at)] == [True, False]
