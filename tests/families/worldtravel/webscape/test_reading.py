"""Agents may declare the facts that they have read. The declarations are compared with the pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from planspec.agents.baselines import encode_plan
from planspec.agents.desk import Desk
from planspec.agents.pictures import PicturedResult
from planspec.agents.tools import Toolset
from planspec.agents.view import Limits, TaskView
from planspec.api.judging import Judge
from planspec.api.oracles import best_plan
from planspec.environments import AgentTask, open_task
from planspec.environments.reading import AgentReading, ReadShare, count_by
from planspec.families.worldtravel.webscape.declaring import (
    AVAILABLE,
    SOLD_OUT,
    SORTS,
    normalize_name,
    possible_values,
    row_keys,
)
from planspec.families.worldtravel.webscape.facts import availability
from planspec.families.worldtravel.webscape.page_tools import PageTool
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.solvers.backends.outcome import Limits as SearchLimits
from planspec.traces.record import Call, Result, Trace

pytestmark = pytest.mark.slow

BOOKING = ("get_restaurant_reservation_availability", {"restaurant": "Borchardt", "date": "2026-07-01"})
HOTELS = ("get_hotel_list", {"city": "Berlin"})
TICKETS = ("get_attraction_ticket_availability", {"attraction": "Neues Museum", "date": "2026-07-01"})
WAYS = ("get_route_info", {"origin": "Borchardt", "destination": "Neues Museum"})
GUIDE = ("get_guide_details", {"attraction": "Neues Museum"})
MENU = ("get_restaurant_guide_detail", {"restaurant": "Borchardt"})


@pytest.fixture(scope="module")
def opened() -> Iterator[AgentTask]:
    """Yield a task opened in the setting `pages`. The test does not check that a browser is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planspec.families.worldtravel.settings.require_browser", lambda: "chromium")
        yield open_task("berlin-001", "pages")


def trace(note: Any, *calls: tuple[str, dict[str, str]], error: Any = None) -> Trace:
    """Return a trace with these calls, and with declared facts in its note."""
    result = tuple(
        Call(
            name=name,
            arguments=dict(arguments),
            result=Result(value=dict(PicturedResult({}, [])), error=error),
        )
        for name, arguments in calls
    )
    return Trace(task="berlin-001", calls=result, extra={} if note is None else {"read": note})


def read(opened: AgentTask, note: Any, *calls: tuple[str, dict[str, str]], error: Any = None) -> AgentReading:
    """Return the comparison of an agent's declared facts with the pages that it opened."""
    assert opened.reader is not None
    result = opened.reader(trace(note, *calls, error=error))
    assert result is not None
    return result


def tables_of(opened: AgentTask) -> Tables:
    """Return the tables of the task's world."""
    tool = next(iter(opened.tools))
    assert isinstance(tool, PageTool)
    return tool.renderer.tables


def correct_declarations(opened: AgentTask) -> list[dict[str, str]]:
    """Return correct declarations of all starts on the page."""
    tool = next(tool for tool in opened.tools if tool.name == BOOKING[0])
    assert isinstance(tool, PageTool)
    tables = tool.renderer.tables
    (spec,) = tool.pages(BOOKING[1])
    offer = tables.rows_where("offer", place=spec.subject)[0]
    return [
        {
            "place": "Borchardt",
            "date": row["day"],
            "ticket": offer["name"],
            "time": row["at"],
            "status": SOLD_OUT if availability(row) == "gone" else AVAILABLE,
        }
        for row in tables.rows_where("entry", offer=offer["id"])
        if row["day"] in spec.days
    ]


def test_each_correct_declaration_counts_once(opened: AgentTask) -> None:
    output = correct_declarations(opened)
    starts = [fact for fact in read(opened, output, BOOKING, BOOKING).facts if fact.sort == "start status"]
    assert {start.outcome for start in starts} == {"right"}
    assert len(starts) == len(output)
    assert {start.page for start in starts} == {"reservation"}


def test_a_model_may_declare_facts_beside_its_itinerary(opened: AgentTask) -> None:
    """Models cannot write notes, so they declare facts in the answer, where the verifier ignores them. A note takes
    precedence.
    """
    actual = [{"of": "hotel", "hotel": "Hotel Adlon Kempinski", "rate": 39.5}]
    answer = json.dumps({**opened.judge.task.reference, "read": actual}, default=float)
    assert opened.judge.answer(answer).status == "pass"
    assert opened.reader is not None
    silent = trace(None, HOTELS).model_copy(update={"answer": f"Here it is:\n```json\n{answer}\n```"})
    result = opened.reader(silent)
    assert result is not None and result.world is not None
    ((wrong),) = [fact for fact in result.facts if fact.outcome == "wrong"]
    assert (wrong.sort, wrong.declared) == ("hotel rate", "39.5")
    noted = opened.reader(trace([{**actual[0], "rate": 390}], HOTELS).model_copy(update={"answer": answer}))
    assert noted is not None and noted.world is None
    for other in ("no JSON", "[1]", "{}", None):
        assert opened.reader(trace(None, HOTELS).model_copy(update={"answer": other})) is None


def test_a_start_wrongly_declared_available_is_counted_by_its_cue(opened: AgentTask) -> None:
    output = correct_declarations(opened)
    gone = [one for one in output if one["status"] == SOLD_OUT]
    missed = gone[:: len(gone) // 5]
    for one in missed:
        one["status"] = AVAILABLE
    shares = count_by(read(opened, output, BOOKING).facts, lambda fact: (fact.cue, fact.state))
    wrong = {key: share for key, share in shares.items() if share.wrong}
    ((_, state),) = wrong
    assert state == SOLD_OUT
    (share,) = wrong.values()
    assert share.wrong == len(missed)
    assert share.wrong_share == pytest.approx(len(missed) / len(gone))
    assert share.missing == 0


def test_undeclared_facts_are_missing_and_nonsense_is_ignored(opened: AgentTask) -> None:
    assert opened.reader is not None
    note: Any
    for note in (None, []):
        assert opened.reader(trace(note, BOOKING)) is None
    start = {key: correct_declarations(opened)[0][key] for key in ("place", "date", "ticket", "time")}
    nonsense = [
        1,
        {"place": 3},
        {"of": "weather"},
        {"of": "hotel", "hotel": 4},
        {"of": ["hotel"]},
        start,
        {**start, "staus": SOLD_OUT},
    ]
    for note, unclear in (("all of it", 1), ({"a": 1}, 1), (nonsense, len(nonsense))):
        output = opened.reader(trace(note, BOOKING))
        assert output is not None and output.unclear == unclear
        assert {fact.outcome for fact in output.facts} == {"missing"}
    odd = [{**correct_declarations(opened)[0], "status": "maybe"}]
    result = count_by(read(opened, odd, BOOKING).facts, lambda fact: fact.sort)["start status"]
    assert (result.right, result.wrong) == (0, 1)
    assert result.missing > 10
    assert read(opened, odd, BOOKING).world is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("gone", "text"),
    [
        (True, "sold-out"),
        (True, "None left"),
        (True, "struck out"),
        (True, "fully booked"),
        (True, "unavailable"),
        (True, 0),
        (False, "free"),
        (False, "few left"),
        (False, "3 left"),
        (False, "10 left"),
        (True, "0 left"),
        (False, "Available"),
        (False, 7),
    ],
)
def test_availability_may_be_declared_in_many_ways(opened: AgentTask, *, gone: bool, text: str | int) -> None:
    """The number of free places may also be declared, under `left`."""
    one = next(one for one in correct_declarations(opened) if (one["status"] == SOLD_OUT) == gone)
    message = (
        {**one, "status": text}
        if isinstance(text, str)
        else {key: value for key, value in one.items() if key != "status"} | {"left": text}
    )
    other = next(one for one in correct_declarations(opened) if (one["status"] == SOLD_OUT) != gone)
    wrong = {**message, **{key: other[key] for key in ("time", "ticket", "date")}}
    for declared, right in ((message, 1), (wrong, 0)):
        share = count_by(read(opened, [declared], BOOKING).facts, lambda fact: fact.sort)["start status"]
        assert (share.right, share.wrong) == (right, 1 - right), declared


@pytest.mark.parametrize(
    "day",
    [
        "Wed 2026-07-01",
        "01.07.2026",
        "Wednesday 1 July 2026",
        "Wed 1 Jul 2026",
        "July 1, 2026",
        "Wed July 1, 2026",
        "Wed, 01.07.2026",
    ],
)
def test_rows_are_found_by_days_and_times_in_any_notation(opened: AgentTask, day: str) -> None:
    one = correct_declarations(opened)[0]
    assert one["date"] == "2026-07-01"
    hour, minute = map(int, one["time"].split(":"))
    half = f"{hour % 12 or 12}:{minute:02d} {'am' if hour < 12 else 'pm'}"
    for time in (f"{hour}:{minute:02d}", f"{hour:02d}.{minute:02d}", f"{hour}h{minute:02d}", half):
        result = read(opened, [{**one, "date": day, "time": time}], BOOKING)
        assert (result.elsewhere, result.unclear) == (0, 0), (day, time)


def test_facts_on_pages_that_were_not_shown_are_not_counted(opened: AgentTask) -> None:
    output = correct_declarations(opened)
    for reading in (
        read(opened, output),
        read(opened, output, BOOKING, error="other"),
        read(opened, output, HOTELS),
    ):
        assert not [fact for fact in reading.facts if fact.sort == "start status"]
        assert reading.elsewhere == len(output)


DECLARED_VALUES: list[tuple[tuple[str, dict[str, str]], dict[str, Any], str, bool]] = [
    (HOTELS, {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "rate": "€390"}, "hotel rate", True),
    (HOTELS, {"of": "hotel", "hotel": "hotel adlon kempinski", "rate": 390}, "hotel rate", True),
    (HOTELS, {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "rate": "39 EUR"}, "hotel rate", False),
    (HOTELS, {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "stars": 5}, "hotel stars", True),
    (HOTELS, {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "stars": "5 stars"}, "hotel stars", True),
    (
        TICKETS,
        {"of": "ticket", "place": "Neues Museum", "ticket": "Museum ticket", "booked": "Booking required"},
        "ticket booked",
        True,
    ),
    (
        TICKETS,
        {"of": "ticket", "place": "Neues Museum", "ticket": "Museum ticket", "booked": "No booking"},
        "ticket booked",
        False,
    ),
    (HOTELS, {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "features": ["no roof"]}, "hotel features", False),
    (MENU, {"of": "course", "place": "Borchardt", "course": "a la carte", "price": True}, "course price", False),
    (
        GUIDE,
        {"of": "length", "place": "Neues Museum", "style": "brief", "profile": "adults", "least": "1000 min"},
        "length least",
        False,
    ),
    (WAYS, {"of": "way", "from": "Borchardt", "to": "Neues Museum", "mode": "foot", "time": "some"}, "way time", False),
    (TICKETS, {"of": "hours", "place": "Neues Museum", "date": "2026-07-01", "open": "25h99"}, "hours open", False),
]


@pytest.mark.parametrize(("call", "value", "sort", "right"), DECLARED_VALUES)
def test_values_may_be_in_the_notation_of_a_page_or_of_the_world(
    opened: AgentTask, call: tuple[str, dict[str, str]], value: dict[str, Any], sort: str, *, right: bool
) -> None:
    share = count_by(read(opened, [value], call).facts, lambda fact: fact.sort)[sort]
    assert (share.right > 0, share.wrong > 0) == (right, not right)


def all_declarations(tables: Tables) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a declaration of each row's facts, in the world's notation, with the name of the sort (kind) of fact."""
    named = row_keys(tables)
    for sort in SORTS:
        for row in tables.rows(sort.table)[:400]:
            assert named[row][0] == sort.name
            keys = dict(zip(sort.keys, sort.row_texts(tables, row), strict=True))
            yield (
                {
                    "of": sort.name,
                    **keys,
                    **{word: _value(row, word, column) for word, column in sort.values.items() if row[column]},
                },
                sort.name,
            )


def _value(row: WorldRow, word: str, column: str) -> Any:
    """Return the value of a fact in the notation of the world."""
    if word == "status":
        return SOLD_OUT if availability(row) == "gone" else AVAILABLE
    return row[column].split("; ") if column in ("features", "subtitles") else row[column]


def test_all_facts_on_pages_can_be_declared(opened: AgentTask) -> None:
    """Declarations of all facts of the world are never wrong, and they include every fact on these pages."""
    actual = [one for one, _ in all_declarations(tables_of(opened))]
    actual += correct_declarations(opened)
    reading = read(opened, actual, HOTELS, WAYS, GUIDE, MENU, BOOKING)
    by = count_by(reading.facts, lambda fact: fact.sort)
    assert {sort: share.wrong for sort, share in by.items() if share.wrong} == {}
    assert {
        "hotel rate",
        "hotel features",
        "way time",
        "way cost",
        "length least",
        "course price",
        "start status",
    } <= set(by)
    missing = {fact.name for fact in reading.facts if fact.outcome == "missing"}
    assert {name.partition("[")[0] for name in missing} <= {
        "Entry",
        "Leg",
    }  # facts in rows beyond the first 400 of each table were not declared
    assert reading.world is None


def test_the_world_as_an_agent_read_it_has_the_wrongly_declared_values(opened: AgentTask) -> None:
    actual = [
        {"of": "hotel", "hotel": "Hotel Adlon Kempinski", "rate": "40 EUR", "features": "spa"},
        {"of": "way", "from": "Borchardt", "to": "Neues Museum", "mode": "foot", "time": 90},
        {
            **correct_declarations(opened)[0],
            "status": AVAILABLE if correct_declarations(opened)[0]["status"] == SOLD_OUT else SOLD_OUT,
        },
    ]
    world = read(opened, actual, HOTELS, WAYS, BOOKING).world
    assert world is not None

    def cells(task: Any, table: str, column: str) -> list[Any]:
        return [getattr(row, column) for row in task.facts[table].rows]

    def changed_values(table: str, column: str) -> list[Any]:
        both = zip(cells(opened.judge.task, table, column), cells(world, table, column), strict=True)
        return [(before, after) for before, after in both if before != after]

    assert changed_values("Hotel", "rate") == [(39_000, 4_000)]
    ((_, features),) = changed_values("Hotel", "features")
    assert features == ("spa",)
    ((_, minutes),) = changed_values("Leg", "time")
    assert minutes == 90
    ((before, after),) = changed_values("Entry", "left")
    assert (before == 0) != (after == 0)
    assert changed_values("Fare", "price") == []


class BlankPictureSource:
    """A replacement for `PictureSource` that returns blank pictures."""

    def pictures(self, pages: list[str]) -> list[bytes]:
        return [b"\x89PNG"] * len(pages)


@pytest.mark.thorough
def test_a_plan_that_fails_only_by_misreading_passes_in_the_world_as_the_agent_read_it(opened: AgentTask) -> None:
    """The agent takes an available start for sold out, and the sold-out starts for available."""
    tables = tables_of(opened)
    places = {row["id"]: row for row in tables.rows("place")}
    offers = {row["id"]: row for row in tables.rows("offer")}
    starts = {
        (item["destination"], item["time"].split("-")[0].zfill(5))
        for item in opened.judge.task.reference["itinerary"][0]["schedule"]
    }
    declared: list[dict[str, str]] = []
    for row in tables.rows("entry"):
        offer = offers[row["offer"]]
        place = places[offer["place"]]["name"]
        if row["day"] == "2026-07-01" and offer["booked"] == "true":
            taken = (place, row["at"]) in starts and not any(one["status"] == SOLD_OUT for one in declared)
            declared.append(
                {
                    "place": place,
                    "date": row["day"],
                    "ticket": offer["name"],
                    "time": row["at"],
                    "status": SOLD_OUT if taken else AVAILABLE,
                }
            )
    assert sum(one["status"] == SOLD_OUT for one in declared) == 1
    calls = [
        (TICKETS[0] if row["kind"] == "attraction" else BOOKING[0], {row["kind"]: row["name"], "date": "2026-07-01"})
        for row in places.values()
    ]
    world = read(opened, declared, *calls).world
    assert world is not None
    result = best_plan(Judge(world), name="berlin-001", limits=SearchLimits(seconds=60))
    assert result.plan is not None
    answers = {
        "bad eyes": encode_plan(Judge(world), result.plan),
        "good eyes": json.loads(json.dumps(opened.judge.task.reference, default=float)),
        "no plan": {},
    }

    class Reader:
        def __init__(self, answer: Any) -> None:
            self.given = answer

        def answer(self, _: TaskView, desk: Desk) -> Any:
            for name, arguments in calls:
                desk.call(name, arguments)
            desk.note("read", declared)
            return self.given

    blank: Any = BlankPictureSource()
    tools = [replace(tool, picture_source=blank) if isinstance(tool, PageTool) else tool for tool in opened.tools]
    seen = replace(opened, tools=Toolset(tools))
    output = {
        name: attempt(AttemptSpec("berlin-001", 0, 0), Reader(answer), "r", seen, Limits())
        for name, answer in answers.items()
    }
    outcomes = {name: (one.status, one.read.status) for name, one in output.items() if one.read is not None}
    assert outcomes == {
        "bad eyes": ("fail", "pass"),
        "good eyes": ("pass", "fail"),
        "no plan": ("undelivered", "undelivered"),
    }
    stored = output["bad eyes"].read
    assert stored is not None
    assert 0 < stored.wrong_share < 1  # type: ignore[operator]
    assert any(count.needed and count.wrong for count in stored.counts)
    assert {(one.says, one.declared) for one in stored.wrong} <= {
        (SOLD_OUT, AVAILABLE),
        (AVAILABLE, SOLD_OUT),
    }
    assert len(stored.wrong) <= 200


def test_names_are_compared_without_accents_and_values_by_meaning() -> None:
    assert normalize_name("À la Carte") == normalize_name("a_la_carte") == "a la carte"
    assert (
        possible_values("money", "12,50 €")
        == possible_values("money", 12.5)
        == possible_values("money", "12.50 EUR")
        == [1250]
    )
    assert (
        possible_values("length", "1h15")
        == possible_values("length", "75 minutes")
        == possible_values("length", 75)
        == [75]
    )
    assert possible_values("clock", "2:30 pm")[0] == possible_values("clock", "14h30")[0] == 14 * 60 + 30
    assert possible_values("money", None) == possible_values("count", [3]) == possible_values("length", "soon") == []
    assert ReadShare(0, 0, 4).wrong_share is None
