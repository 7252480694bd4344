"""The check of queries reports bounds that no rule has, and amounts that do not belong to the row named beside them."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.environment.query_text.findings import query_findings

TASK = """\
planspec: task/1
id: t
query: "QUERY"
tables:
  Hall: {columns: {id: key text}, rows: [{id: aula}, {id: gym}, {id: lab}, {id: attic}, {id: yard}, {id: pool}]}
  Course:
    columns: {id: key text, hall: Hall, starts: time, on: date}
    rows:
      - {id: chess, hall: aula, starts: 08:00, on: 2026-11-30}
      - {id: drama, hall: gym, starts: 11:00, on: 2026-12-04}
      - {id: latin, hall: gym, starts: 14:00, on: 2026-12-04}
given: {rest: 2h, opens: 07:00, most: 5}
environment: {shows: {Course: all, Hall: all}HIDDEN}
plan: {visits: {course: key Course}}
scope: {visits: [{for: c in Course, course: c, optional: true}]}
constraints:
  some: {hard: count(v for v in visits) >= 1 and count(v for v in visits) <= most}
  open: {hard: all(v.course.starts >= opens + rest for v in visits)}
"""
BASE = "At most five courses after two hours of rest; the house opens at 7:00. "


def messages_about_bounds(query: str, hidden: str = "") -> list[str]:
    """Return the messages about bounds in a query that no rule of the task states."""
    text = TASK.replace("QUERY", BASE + query).replace("HIDDEN", hidden)
    return [finding.message for finding in query_findings(task_from_text(text)) if finding.code == "PS441"]


@pytest.mark.parametrize(
    ("query", "bound"),
    [
        ("Nobody takes more than six courses.", "six"),
        ("Use at least six rooms.", "six"),
        ("Nothing starts before eleven.", "eleven"),
        ("Not before the third lesson.", "third"),
        ("Man nimmt höchstens sechs Kurse.", "sechs"),
        ("最多6门课", "6"),
    ],
)
def test_a_bound_that_is_only_a_count_of_rows_or_an_amount_of_a_row_is_reported(query: str, bound: str) -> None:
    assert f"the query has the bound `{bound}`, and no given and no rule has it" in messages_about_bounds(query)


@pytest.mark.parametrize(
    "query",
    [
        "Nobody takes more than five courses.",
        "Nothing starts before seven.",
        "We rest for at least two.",
        "There are six halls.",
        "A line between six towns.",
        "Not before the first lesson.",
    ],
)
def test_a_bound_of_a_given_and_a_number_that_is_no_bound_are_not_reported(query: str) -> None:
    assert messages_about_bounds(query) == []


def test_a_hidden_given_accounts_for_one_bound_with_its_unit() -> None:
    hidden = ", hidden: [rest]"
    assert messages_about_bounds("It takes less than 40 minutes.", hidden) == []
    assert messages_about_bounds("Be there by 9:30 pm.", hidden) == []
    assert messages_about_bounds("It costs at most 50 EUR.", hidden) == [
        "the query has the bound `50 EUR`, and no given and no rule has it"
    ]
    both = messages_about_bounds("It takes less than 40 minutes, and be there by 9:30 pm.", hidden)
    assert len(both) == 2


@pytest.mark.parametrize(
    ("query", "messages"),
    [
        (
            "On Friday the aula is closed.",
            ["the query says `Friday` in a sentence on `aula`, and no row joins the two"],
        ),
        ("On Monday the aula is full, and the gym on Friday.", []),
        ("Drama starts at 11:00 in the gym.", []),
        ("The aula opens at 7:00.", []),
        ("Chess is at 14:00.", ["the query says `14:00` in a sentence on `chess`, and no row joins the two"]),
    ],
)
def test_an_amount_belongs_to_a_row_that_the_sentence_names(query: str, messages: list[str]) -> None:
    assert [each for each in messages_about_bounds(query) if "sentence on" in each] == messages
