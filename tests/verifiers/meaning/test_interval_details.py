"""Findings of `no_overlap` and `peak` name the conflicting rows, the time, and the size of the violation."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from tests.verifiers.meaning.test_explain import finding_of_hard, only_finding
from tests.verifiers.small_tasks import visit

THREE = [
    visit("museum", "09:30", "11:00", cost=1250, mode="bus"),
    visit("park", "10:45", "12:00", cost=300, mode="bus"),
    visit("tower", "10:00", "10:15", cost=500, mode="foot"),
]
APART = "no_overlap(v for v in visits, from=v.start, to=v.end)"


def test_an_overlap_names_both_rows_and_its_margin_is_the_largest_overlap() -> None:
    finding = finding_of_hard(APART, visits=THREE)
    assert finding.message == (
        f"{APART} does not hold: visits[tower] starts at 10:00; visits[museum] lasts until 11:00"
    )
    assert (finding.margin, finding.unit) == (-60, "min")
    assert [row.key for row in finding.rows] == ["tower", "museum", "park"]


def test_a_missing_overlap_blames_all_rows() -> None:
    rows = [THREE[0], visit("tower", "11:00", "12:00")]
    finding = finding_of_hard(f"not {APART}", visits=rows)
    assert finding.message == f"not {APART} does not hold"
    assert (finding.margin, [row.key for row in finding.rows]) == (-1, ["museum", "tower"])
    assert finding_of_hard("peak(1 for v in visits, from=v.start, to=v.start) > 0", visits=rows).rows == ()


def test_only_rows_of_the_failing_group_are_blamed() -> None:
    finding = finding_of_hard(APART[:-1] + ", per=v.mode)", visits=THREE)
    assert (finding.margin, {row.key for row in finding.rows}) == (-15, {"museum", "park"})


@pytest.mark.parametrize(
    ("gap", "end", "margin"),
    [
        ("gap=30min", "; visits[tower] lasts until 10:15 and needs 30min after it", -15),
        ("gap=(30min if v.cost > 3 EUR else none)", None, None),
        ("gap=none", "; visits[tower] lasts until 10:15, and nothing may follow it", None),
    ],
)
def test_the_minimum_gap_between_intervals_is_in_the_message_and_the_margin(
    gap: str, end: str | None, margin: int | None
) -> None:
    rows = [THREE[2], visit("park", "10:30", "12:00", cost=300)]
    finding = finding_of_hard(f"{APART[:-1]}, {gap})", visits=rows)
    assert finding.margin == (-15 if end is None else margin)
    if end is not None:
        assert finding.message.endswith(f"visits[park] starts at 10:30{end}")


def test_the_margin_of_a_satisfied_no_overlap_is_the_minimum_time_between_rows() -> None:
    rows = [visit("museum", "09:00", "10:00"), visit("park", "10:20", "11:00"), visit("tower", "11:05", "12:00")]
    assert finding_of_hard(APART, visits=rows).margin == 5
    assert finding_of_hard(f"{APART[:-1]}, gap=2min)", visits=rows).margin == 3
    assert finding_of_hard(APART, visits=rows[:1]).margin is None


@pytest.mark.parametrize(
    ("end", "text", "none"),
    [
        (None, "visits[museum] has no end", "v.end"),
        ("09:00", "visits[museum] ends at 09:00, before it starts", None),
    ],
)
def test_a_row_that_is_not_an_interval_is_named(end: str | None, text: str, none: str | None) -> None:
    rows = [visit("museum", "09:30", end), THREE[1]]
    finding = finding_of_hard(APART, visits=rows)
    assert finding.message == f"{APART} does not hold: {text}"
    assert finding.none == none
    assert [row.key for row in finding.rows] == ["museum"]
    assert finding.margin is None
    peak = finding_of_hard("peak(1 for v in visits, from=v.start, to=v.end) <= 5", visits=rows)
    assert (peak.status, peak.none is not None) == ("violated", True)


def test_a_peak_names_its_first_time_and_the_rows_that_run_then() -> None:
    rule = "peak(v.cost for v in visits, from=v.start, to=v.end) <= 13 EUR"
    finding = finding_of_hard(rule, visits=THREE)
    assert finding.message == (
        f"{rule} does not hold: 17.50 EUR against 13.00 EUR at 10:00: visits[museum], visits[tower]"
    )
    assert (finding.margin, finding.unit) == (-450, "1/100 EUR")
    assert {row.key for row in finding.rows} == {"museum", "tower"}
    grouped = "peak(v.cost for v in visits, from=v.start, to=v.end, per=v.mode) <= 13 EUR"
    assert {row.key for row in finding_of_hard(grouped, visits=THREE).rows} == {"museum", "park"}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            f'hard: {APART}\nmessage: "{{later}} comes before {{earlier}} ends at {{earlier.end}}"',
            "tower comes before museum ends at 11:00",
        ),
        (
            'hard: 1 >= peak(1 for v in visits, from=v.start, to=v.end)\nmessage: "two at {at}"',
            "two at 10:00",
        ),
    ],
)
def test_messages_can_use_the_conflicting_rows_and_the_time(rule: str, message: str) -> None:
    assert only_finding(rule, visits=THREE).message.lower().replace("old ", "") == message


def test_margins_can_use_each_row_and_the_previous_one() -> None:
    rule = f"hard: {APART}\nmargin: later.cost - earlier.cost"
    assert only_finding(rule, visits=THREE).margin == 300 - 1250
    rule = "hard: peak(1 for v in visits, from=v.start, to=v.end) <= 1\nmargin: 08:00 - at"
    assert only_finding(rule, visits=THREE).margin == -120


@pytest.mark.parametrize("name", ["earlier", "later", "at"])
def test_messages_cannot_use_the_rows_of_an_inner_no_overlap(name: str) -> None:
    rule = f'hard: {APART} or visits[museum].start > 09:00\nmessage: "{{{name}}}"'
    with pytest.raises(DiagnosticError, match="PS201"):
        only_finding(rule, visits=THREE)
