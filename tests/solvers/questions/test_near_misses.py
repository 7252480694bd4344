"""A near miss is a plan that violates one constraint by the smallest possible amount, and satisfies all others."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import planspec
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.near_misses import NearMiss, NearMissSearch

TASK = """\
planspec: task/1
id: pair
query: Two numbers.
plan: {{pair: {{one: true, a: int, b: int}}}}
scope: {{pair: {{a: 0..9, b: 0..9 step 3}}}}
constraints:
  sum: {{hard: pair.a + pair.b >= 6}}
  own:
    hard: {rule}
reference: {{pair: {{a: 3, b: 6}}}}
"""
MEETINGS = """\
planspec: task/1
id: room
query: Two meetings of an hour in one room, from nine to twelve.
types: {Meeting: first | second}
plan: {meetings: {meeting: key Meeting, start: time, end: time}}
scope:
  meetings: [{for: m in Meeting, meeting: m, start: 9:00..11:00 step 15min, end: 10:00..12:00 step 15min}]
constraints:
  hour: {hard: all(m.end - m.start == 1h for m in meetings)}
  open: {hard: all(m.start >= 9:00 and m.end <= 12:00 for m in meetings)}
  room:
    hard: no_overlap(m for m in meetings, from=m.start, to=m.end)
reference: {meetings: [{meeting: first, start: 9:00, end: 10:00}, {meeting: second, start: 11:00, end: 12:00}]}
"""


def search(
    text: str, constraint: str, seconds: float = 20.0, part: int | None = None
) -> tuple[planspec.Judge, NearMiss]:
    """Search for a near miss of a constraint or, given an index, of one of its parts. Return the judge and the result."""
    judge = planspec.Judge(planspec.loads(text))
    rule = next(each for each in judge.task.constraints if each.id == constraint)
    search = NearMissSearch(judge.ground, rule, judge.reference_plan())
    return judge, search.ask(rule if part is None else search.parts[part], TimeBudget(Limits(seconds=seconds)))


def margins(judge: planspec.Judge, miss: NearMiss) -> dict[str, int | str | None]:
    """Return the margin of each constraint that the plan violates."""
    assert miss.plan is not None
    findings = judge.plan(miss.plan).findings
    return {finding.constraint: finding.margin for finding in findings if finding.status == "violated"}


@pytest.mark.parametrize(
    "rule",
    [
        "pair.a <= 5",
        "pair.b < 8",
        "pair.a + 3 == pair.b",
        "pair.a == 3 and pair.b <= 6",
        "pair.a >= 8 or pair.b >= 5",
        "pair.a in 2..4",
        "not (pair.a > 7)",
        "pair.a > 4 implies pair.b < 3",
        "3 * pair.a <= 2 * pair.b",
    ],
)
def test_the_amount_of_a_near_miss_is_the_minimum_over_all_plans(rule: str) -> None:
    judge, miss = search(TASK.format(rule=rule), "own")
    violations = [judge.answer({"pair": {"a": a, "b": b}}) for a, b in product(range(19), repeat=2)]
    least = max(
        finding.margin
        for verdict in violations
        for finding in verdict.findings
        if finding.constraint == "own"
        and finding.status == "violated"
        and verdict.hard.satisfied == 1
        and isinstance(finding.margin, int)
    )
    assert miss.status == "found"
    assert margins(judge, miss) == {"own": least}
    assert miss.amount == -least
    assert miss.is_least


def test_the_near_miss_of_a_no_overlap_rule_overlaps_by_one_minute_off_the_scopes_grid() -> None:
    judge, miss = search(MEETINGS, "room")
    assert margins(judge, miss) == {"room": -1}
    assert (miss.scope, miss.amount, miss.is_least) == ("beyond", Fraction(1), True)


def test_a_near_miss_may_be_outside_the_scope_if_no_plan_within_violates_the_constraint() -> None:
    judge, miss = search(MEETINGS, "open")
    assert margins(judge, miss) == {"open": -1}
    assert miss.scope == "beyond"


def test_near_misses_violate_the_requested_part_of_a_constraint() -> None:
    for part, (column, time) in enumerate((("start", "08:59"), ("end", "12:01"))):
        judge, miss = search(MEETINGS, "open", part=part)
        assert margins(judge, miss) == {"open": -1}
        assert miss.plan is not None
        assert any(row[column] == time for row in judge.encode(miss.plan)["meetings"])


@pytest.mark.parametrize(
    ("rule", "count"),
    [("pair.a <= 5", 1), ("1 <= pair.a <= 5", 2), ("pair.a in 1..5", 2), ("pair.a == 3 and pair.b in 3..6", 3)],
)
def test_conjunctions_chains_and_ranges_are_divided_into_parts_with_near_misses(rule: str, count: int) -> None:
    judge = planspec.Judge(planspec.loads(TASK.format(rule=rule)))
    assert len(NearMissSearch(judge.ground, judge.task.constraints[1], None).parts) == count


def test_a_near_miss_of_a_constraint_without_an_amount_is_close_to_the_reference() -> None:
    judge, miss = search(
        TASK.format(rule="any(x == pair.a and pair.b is not none or pair.a is none for x in 3..4)"), "own"
    )
    assert miss.status == "found"
    assert list(margins(judge, miss)) == ["own"]
    assert miss.plan is not None
    (row,) = miss.plan.tables["pair"]
    assert getattr(row, "b") == 6  # noqa: B009 - mypy knows no columns


def test_a_constraint_that_follows_from_the_others_has_no_near_miss() -> None:
    _, miss = search(TASK.format(rule="pair.a + pair.b >= 5"), "own")
    assert (miss.status, miss.plan, miss.by[0]) == ("none", None, "cpsat")


def test_a_search_that_reaches_its_limit_is_undecided() -> None:
    _, miss = search(MEETINGS, "room", seconds=0.0)
    assert (miss.status, miss.plan, miss.reason) == ("unknown", None, "time ran out")
