"""Checks of single cells of VeriTrip answers, and of the documents that they cite."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planspec
from planspec.families.veritrip.facts_check.verdict import CheckedCell, FactCheck, facts_of
from planspec.verifiers.answers.tables import write_tables

LEGS, STAYS, DOINGS = "transportationTable", "accommodationTable", "itineraryTable"
LEG = {
    "transportationID": "G2075",
    "date": "2025-10-16",
    "departureStation": "Hangzhou South Railway Station",
    "arriveStation": "Shanghai Hongqiao Railway Station",
    "begin_time": "09:50",
    "end_time": "10:43",
    "price_per_person": 77,
}
STAY = {
    "city": "Shanghai",
    "name": "Captain Hostel",
    "check_in": "2025-10-16",
    "check_out": "2025-10-17",
    "price_per_night": 160,
    "room_type": "Single room",
    "room_number": 1,
    "breakfast_included": False,
}
DOING = {
    "Date": "2025-10-16",
    "active_item_number": 1,
    "active_type": "attraction",
    "start_time": "13:00",
    "end_time": "14:30",
    "name": "Jade Buddha Temple",
    "price_per_person": 20,
    "notes": "Statues [931].",
}
"""A visit.

The place is a temple that is open from 08:00 to 16:30 every day and costs 20. A visit takes 60 to 120 minutes.
"""


@cache
def judge() -> planspec.Judge:
    return planspec.Judge(planspec.load("veritrip-017"))


def check_facts(data: Any) -> FactCheck:
    """Return the check of the facts in an answer."""
    facts = facts_of(judge().answer(data, details="none"))
    assert facts is not None
    return facts


def cells_of(table: str, row: dict[str, Any], **changed: Any) -> dict[str, CheckedCell]:
    """Return the checked cells of an answer with a single row, by column."""
    empty: dict[str, Any] = {name: [] for name in (LEGS, STAYS, DOINGS)}
    return {cell.column: cell for cell in check_facts(empty | {table: [row | changed]}).cells}


def incorrect_statuses(cells: dict[str, CheckedCell]) -> dict[str, str]:
    """Return the status of each cell that is not correct, by column."""
    return {column: cell.status for column, cell in cells.items() if cell.status != "correct"}


# -- cells that are checked -------------------------------------------------------------------------------


def test_cells_are_in_the_order_of_the_answer() -> None:
    facts = check_facts({LEGS: [LEG, LEG], STAYS: [STAY], DOINGS: [DOING]})
    assert [(cell.table, cell.row, cell.column) for cell in facts.cells] == [
        *((LEGS, row, column) for row in (0, 1) for column in LEG),
        *((STAYS, 0, c) for c in ("city", "name", "price_per_night", "room_type", "breakfast_included")),
        *((DOINGS, 0, column) for column in ("name", "start_time", "end_time", "price_per_person")),
    ]
    assert facts.counts == {"correct": 23, "wrong": 0, "unsupported": 0, "unreadable": 0}
    assert facts.citations == {"supported": 4, "contradicted": 0, "silent": 0, "uncited": 0}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["meal", "inner_city_transportation", "inter_city_transportation", "rest", "", None])
def test_only_attractions_of_the_itinerary_have_cells(kind: Any) -> None:
    assert cells_of(DOINGS, DOING, active_type=kind) == {}


def test_an_answer_in_plan_tables_has_the_cells_of_an_equivalent_answer_without_citations() -> None:
    content = {LEGS: [LEG], STAYS: [STAY], DOINGS: [DOING | {"price_per_person": 25}]}
    plan = judge().read(content)
    assert plan is not None
    own, papers = check_facts(write_tables(judge().task, plan)), check_facts(content)
    assert [(cell.place, cell.status) for cell in own.cells] == [(cell.place, cell.status) for cell in papers.cells]
    assert own.counts["wrong"] == 1
    assert own.citations == {"supported": 0, "contradicted": 0, "silent": 0, "uncited": 4}
    assert not own.exact


TABLES: dict[str, Any] = {LEGS: [LEG], STAYS: [STAY], DOINGS: [DOING]}


@pytest.mark.parametrize(
    ("data", "exact"),
    [
        (TABLES, True),
        ({"Final Result": TABLES}, True),
        (json.dumps(TABLES), True),
        (f"  {json.dumps(TABLES)}\n", True),
        ({"task": "veritrip-017", "plan": json.dumps(TABLES)}, True),
        ({"task": "veritrip-017", "plan": TABLES}, True),
        ({name: [] for name in TABLES}, True),  # an empty plan in the right form
        (f"```json\n{json.dumps(TABLES)}\n```", False),
        (f"Here it is: {json.dumps(TABLES)}", False),
        ({"task": "veritrip-017", "plan": f"My plan:\n{json.dumps(TABLES)}"}, False),
        (TABLES | {"remarks": []}, False),
        ({"Final Result": TABLES, "remarks": "none"}, False),
        ({LEGS: [LEG], DOINGS: [DOING]}, False),
        (TABLES | {STAYS: None}, False),
    ],
    ids=[
        "bare",
        "wrapped",
        "text",
        "text with blanks",
        "envelope around text",
        "envelope",
        "empty tables",
        "fenced",
        "prose",
        "envelope around prose",
        "a fourth table",
        "beside the wrapper",
        "two tables",
        "no list",
    ],
)
def test_an_answer_is_exact_if_it_consists_only_of_json_with_the_three_tables(data: Any, exact: bool) -> None:
    assert check_facts(data).exact is exact


def test_answers_of_other_families_have_no_checked_cells() -> None:
    verdict = planspec.verify("berlin-001", {})
    assert facts_of(verdict) is None and verdict.checks == ()


# -- trains and flights ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "content", "correct"),
    [
        ("departureStation", "Hangzhou East Railway Station", "Hangzhou South Railway Station"),
        ("arriveStation", "Shanghai Railway Station", "Shanghai Hongqiao Railway Station"),
        ("begin_time", "09:49", "09:50"),
        ("end_time", "10:44", "10:43"),
        ("price_per_person", 76, "77.00 CNY"),
        ("price_per_person", "77.01", "77.00 CNY"),
    ],
)
def test_a_wrong_cell_of_a_known_train_has_the_correct_value(column: str, content: Any, correct: str) -> None:
    cells = cells_of(LEGS, LEG, **{column: content})
    assert incorrect_statuses(cells) == {column: "wrong"}
    assert cells[column].known == correct
    assert cells[column].said == str(content)


@pytest.mark.parametrize(
    "changed",
    [
        {"transportationID": "g 2075"},
        {"departureStation": "hangzhou south railway station"},
        {"begin_time": "9:50", "end_time": "10:43:00"},
        {"price_per_person": "¥77.00"},
    ],
)
def test_the_same_fact_may_be_written_in_several_ways(changed: dict[str, Any]) -> None:
    assert incorrect_statuses(cells_of(LEGS, LEG, **changed)) == {}


def test_a_train_on_another_day_has_a_wrong_number_or_date_and_unsupported_cells() -> None:
    cells = cells_of(LEGS, LEG, transportationID="G6158")
    assert incorrect_statuses(cells) == {
        c: "wrong" if c in ("transportationID", "date") else "unsupported" for c in LEG
    }
    assert cells["date"].known == "2025-10-17, 2025-10-18, 2025-10-19, ..."
    assert cells["transportationID"].known == "runs on 2025-10-17, 2025-10-18, 2025-10-19, ..."
    assert cells["end_time"].known is None


@pytest.mark.parametrize("number", ["G9999", "CA1", "G2075X"])
def test_cells_of_an_invented_train_are_unsupported(number: str) -> None:
    assert incorrect_statuses(cells_of(LEGS, LEG, transportationID=number)) == dict.fromkeys(LEG, "unsupported")


@pytest.mark.parametrize("column", list(LEG))
def test_a_cell_that_cannot_be_read_or_is_missing_is_unreadable(column: str) -> None:
    row = {name: content for name, content in LEG.items() if name != column}
    for cells in (
        cells_of(LEGS, LEG, **{column: "<...>"}),
        cells_of(LEGS, LEG, **{column: None}),
        cells_of(LEGS, row),
    ):
        assert cells[column].status == "unreadable"
        assert cells[column].message
        rest = "unsupported" if column in ("transportationID", "date") else "correct"
        assert {cell.status for name, cell in cells.items() if name != column} == {rest}


def test_an_ambiguous_station_is_not_correct() -> None:
    cells = cells_of(
        LEGS,
        LEG,
        transportationID="G7052",
        departureStation="Hangzhou Wast Railway Station",
        begin_time="13:34",
        end_time="14:23",
        price_per_person=95,
    )
    assert set(incorrect_statuses(cells)) == {"departureStation"}


# -- hotels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "content", "correct"),
    [
        ("price_per_night", 161, "160.00 CNY"),
        ("breakfast_included", True, "false"),
    ],
)
def test_a_wrong_cell_of_a_known_room_has_the_correct_value(column: str, content: Any, correct: str) -> None:
    cells = cells_of(STAYS, STAY, **{column: content})
    assert incorrect_statuses(cells) == {column: "wrong"}
    assert cells[column].known == correct


def test_a_missing_kind_of_room_is_reported_with_the_existing_kinds() -> None:
    cells = cells_of(STAYS, STAY, room_type="King suite")
    assert incorrect_statuses(cells) == {
        "room_type": "wrong",
        "price_per_night": "unsupported",
        "breakfast_included": "unsupported",
    }
    assert cells["room_type"].known == "Single room, Twin room, Family room"


def test_cells_of_an_invented_hotel_are_unsupported() -> None:
    columns = ("name", "price_per_night", "room_type", "breakfast_included")
    assert incorrect_statuses(cells_of(STAYS, STAY, name="Golden Phoenix Palace")) == dict.fromkeys(
        columns, "unsupported"
    )


@pytest.mark.parametrize("changed", [{"check_in": "2025-10-30"}, {"room_number": 99}, {"check_out": "<YYYY-MM-DD>"}])
def test_nights_and_numbers_of_rooms_are_not_facts(changed: dict[str, Any]) -> None:
    assert incorrect_statuses(cells_of(STAYS, STAY, **changed)) == {}


# -- attractions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("08:00", "09:00", {}),
        ("07:59", "09:00", {"start_time": "wrong"}),
        ("14:30", "16:30", {}),
        ("15:30", "16:31", {"end_time": "wrong"}),
        ("13:00", "13:59", {"end_time": "wrong"}),
        ("13:00", "15:00", {}),
        ("13:00", "15:01", {"end_time": "wrong"}),
        ("16:31", "17:31", {"start_time": "wrong", "end_time": "wrong"}),
        ("14:30", "13:00", {"end_time": "wrong"}),
        ("<HH:MM>", "14:30", {"start_time": "unreadable", "end_time": "unsupported"}),
        ("13:00", "<HH:MM>", {"end_time": "unreadable"}),
    ],
)
def test_a_visit_is_within_the_hours_and_as_long_as_is_recommended(
    start: str, end: str, expected: dict[str, str]
) -> None:
    assert incorrect_statuses(cells_of(DOINGS, DOING, start_time=start, end_time=end)) == expected


@pytest.mark.parametrize("end", ["24:00", "00:00"])
def test_a_place_that_closes_at_midnight_can_be_visited_until_then(end: str) -> None:
    assert (
        incorrect_statuses(
            cells_of(DOINGS, DOING, name="The Bund", price_per_person=0, start_time="22:30", end_time=end)
        )
        == {}
    )


def test_the_start_of_a_visit_on_a_closing_day_is_wrong() -> None:
    cells = cells_of(
        DOINGS,
        DOING,
        name="Yu Garden",
        price_per_person=40,
        Date="2025-10-20",
        start_time="10:00",
        end_time="11:30",
    )
    assert incorrect_statuses(cells) == {"start_time": "wrong"}
    assert cells["start_time"].known == "closed on Mondays"


def test_hours_without_a_date_are_unsupported() -> None:
    assert incorrect_statuses(cells_of(DOINGS, DOING, Date="soon")) == {"start_time": "unsupported"}


@pytest.mark.parametrize("name", ["The Bunker", "Garden of the Hidden Moon"])
def test_cells_of_an_unknown_attraction_are_unsupported(name: str) -> None:
    assert incorrect_statuses(cells_of(DOINGS, DOING, name=name)) == dict.fromkeys(
        ("name", "start_time", "end_time", "price_per_person"), "unsupported"
    )


def test_a_wrong_ticket_has_the_correct_price() -> None:
    cell = cells_of(DOINGS, DOING, price_per_person=0)["price_per_person"]
    assert (cell.status, cell.known, cell.citation) == ("wrong", "20.00 CNY", "contradicted")


# -- citations ---------------------------------------------------------------------------------------


def citations_of(notes: Any, **changed: Any) -> dict[str, str | None]:
    """Return how the documents cited in `notes` support name, price, start and end of a visit."""
    cells = cells_of(DOINGS, DOING, notes=notes, **changed)
    return {
        short: cells[column].citation
        for short, column in (
            ("name", "name"),
            ("price", "price_per_person"),
            ("start", "start_time"),
            ("end", "end_time"),
        )
    }


def same_citation_for_all(kind: str) -> dict[str, str]:
    """Return the same citation status for name, price, start and end."""
    return dict.fromkeys(("name", "price", "start", "end"), kind)


@pytest.mark.parametrize("notes", ["[931]", "See [931].", "[1,931]", "[1; 931]", "[1][2][931]", "a[931]b[931]"])
def test_a_document_with_all_facts_supports_all_cells(notes: str) -> None:
    assert citations_of(notes) == same_citation_for_all("supported")


@pytest.mark.parametrize(
    "notes",
    ["", None, "931 ", "(931)", "[doc 931]", "[]", "[931", "[12345678901]", ["[931]"], 931],
    ids=repr,
)
def test_notes_without_square_brackets_cite_nothing(notes: Any) -> None:
    assert citations_of(notes) == same_citation_for_all("uncited")


@pytest.mark.parametrize("notes", ["[1][2][3]", "[228]", "[999999999]", "[0]"])
def test_documents_on_other_places_neither_support_nor_contradict(notes: str) -> None:
    assert citations_of(notes) == same_citation_for_all("silent")


@pytest.mark.parametrize(
    ("notes", "supported"),
    [
        ("[10]", {"name", "price"}),  # document 10 states price and length, but no hours
        ("[468]", {"name", "start", "end"}),  # document 468 states hours and length, but no price
        ("[511]", {"name"}),  # document 511 states closing days
        ("[1486]", {"name", "start"}),  # hours
        ("[10][1486]", {"name", "price", "start", "end"}),
        ("[155]", {"name"}),  # length and closing days
    ],
)
def test_each_fact_on_which_a_cell_depends_must_be_stated(notes: str, supported: set[str]) -> None:
    assert {column for column, kind in citations_of(notes).items() if kind == "supported"} == supported
    assert {kind for column, kind in citations_of(notes).items() if column not in supported} <= {"silent"}


@pytest.mark.parametrize(
    ("changed", "contradicted"),
    [
        ({"price_per_person": 25}, {"price"}),
        ({"start_time": "07:30", "end_time": "09:00"}, {"start"}),
        ({"end_time": "13:30"}, {"end"}),
        ({"start_time": "15:30", "end_time": "17:00"}, {"end"}),
    ],
)
def test_a_document_with_a_different_value_contradicts_the_cell(
    changed: dict[str, Any], contradicted: set[str]
) -> None:
    assert citations_of("[931]", **changed) == same_citation_for_all("supported") | dict.fromkeys(
        contradicted, "contradicted"
    )


GARDEN = {
    "name": "Yu Garden",
    "Date": "2025-10-17",
    "start_time": "09:30",
    "end_time": "11:00",
    "price_per_person": 40,
}


def test_a_true_document_outweighs_an_outdated_one() -> None:
    """Document 1855, which is cited, states that the garden costs 20."""
    assert citations_of("[1855]", **GARDEN)["price"] == "contradicted"
    assert citations_of("[1855][228]", **GARDEN) == same_citation_for_all("supported")


def test_a_stated_closing_day_contradicts_the_start() -> None:
    assert citations_of("[228]", **GARDEN | {"Date": "2025-10-20"}) == same_citation_for_all("supported") | {
        "start": "contradicted"
    }
    assert (
        citations_of("[832]", **GARDEN | {"Date": "2025-10-20"})["start"] == "supported"
    )  # the document states only hours


def test_a_document_can_contradict_that_a_place_exists() -> None:
    bund = {"name": "The Bund", "price_per_person": 0}
    assert citations_of("[4]", **bund) == same_citation_for_all("silent") | {"name": "contradicted"}
    assert citations_of("[4][863]", **bund) == same_citation_for_all("supported")


@pytest.mark.parametrize(
    ("column", "short"),
    [("price_per_person", "price"), ("start_time", "start"), ("end_time", "end"), ("name", "name")],
)
def test_cited_documents_neither_support_nor_contradict_an_unreadable_cell(column: str, short: str) -> None:
    assert citations_of("[931]", **{column: "<...>"})[short] == "silent"
    assert citations_of("", **{column: "<...>"})[short] == "uncited"


def test_a_date_that_cannot_be_read_is_contradicted_by_no_document() -> None:
    """Document 931, which is cited, states that the temple is never closed."""
    assert citations_of("[931]", Date="<YYYY-MM-DD>")["start"] != "contradicted"


def test_cells_of_other_tables_need_no_citation() -> None:
    assert {cell.citation for row, table in ((LEG, LEGS), (STAY, STAYS)) for cell in cells_of(table, row).values()} == {
        None
    }


# -- cells and rules ---------------------------------------------------------------------------------

RULES = {LEGS: "transportation_facts", STAYS: "accommodation_facts", DOINGS: "attraction_facts"}
NUMBERS = ("G2075", "G6158", "G2275", "CA337", "G9999")
OTHER: dict[str, tuple[Any, ...]] = {
    "transportationID": NUMBERS,
    "date": ("2025-10-17", "2025-10-20"),
    "begin_time": ("11:22", "16:29", "24:00"),
    "departureStation": ("Hangzhou East Railway Station", "Hangzhou West Railway Station", "Boston"),
    "arriveStation": ("Shanghai Railway Station",),
    "price_per_person": (0, 40, 79, "77", "$77"),
    "city": ("Hangzhou", "Beijing", "Boston"),
    "name": ("Yu Garden", "The Bund", "Park Hotel", "Nowhere"),
    "price_per_night": (161, 520),
    "room_type": ("Twin room", "Double room", "Igloo"),
    "breakfast_included": (True,),
    "Date": ("2025-10-17", "2025-10-20"),
    "start_time": ("07:00", "08:00", "16:00"),
    "end_time": ("12:08", "16:00", "17:00"),
}
"""For each column, other values with which rows are changed."""


@st.composite
def altered_rows(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Draw a row, some of whose cells are changed, empty or missing. Return its table, and the row."""
    table, row = draw(st.sampled_from(((LEGS, LEG), (STAYS, STAY), (DOINGS, DOING))))
    columns = sorted(OTHER.keys() & row.keys())
    changed = draw(st.lists(st.sampled_from(columns), unique=True, max_size=4))
    changed_row = row | {column: draw(st.sampled_from((*OTHER[column], None, "<...>"))) for column in changed}
    left_out = draw(st.sampled_from((None, None, None, *columns)))
    return table, {column: content for column, content in changed_row.items() if column != left_out}


@given(altered_rows())
def test_the_rule_on_a_row_holds_if_and_only_if_all_its_cells_are_correct(
    table_row: tuple[str, dict[str, Any]],
) -> None:
    table, row = table_row
    verdict = judge().answer({name: [] for name in RULES} | {table: [row]})
    (rule,) = (finding for finding in verdict.findings if finding.constraint == RULES[table])
    facts = facts_of(verdict)
    assert facts is not None
    correct = all(cell.status == "correct" for cell in facts.cells)
    assert (rule.status == "satisfied") == correct
