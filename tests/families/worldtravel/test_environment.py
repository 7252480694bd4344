"""WorldTravel's settings show all facts on which verdicts depend, and nothing about judging."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from datetime import date
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from planspec import Judge
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, UnknownSettingError, open_task
from planspec.environments.opened import settings_of
from planspec.families.worldtravel.verdict_metrics import keeps_all_times
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.worldtravel.trip_agent import BERLIN_001, TripAgent
from tests.lengths import try_few
from tests.paths import ROOT
from tests.planspec.environments.views import (
    instance_ids,
    open_without_secrets,
    record_of_attempt,
    view_of,
    view_text,
)

pytestmark = pytest.mark.slow


WORKSPACE = Workspace()
"""Workspace for all tests, so that the library and the worlds are checked only once."""
FIRST = {
    "berlin": "berlin-001",
    "vienna": "vienna-001",
    "rome": "rome-001",
    "barcelona": "barcelona-001",
    "florence": "florence-001",
}
"""The first task of each city."""
THE_EIGHT = [
    "get_attraction_list",
    "get_guide_details",
    "get_attraction_ticket_availability",
    "get_restaurant_list",
    "get_restaurant_guide_detail",
    "get_restaurant_reservation_availability",
    "get_hotel_list",
    "get_route_info",
]


@cache
def open_setting(setting: str = "text", task: str = "berlin-001") -> AgentTask:
    return open_task(task, setting, workspace=WORKSPACE)


def call_tool(tool: str, task: str = "berlin-001", **arguments: Any) -> dict[str, Any]:
    """Return the result of a tool of a task."""
    return cached_reply(tool, task, tuple(arguments.items()))


@cache
def cached_reply(tool: str, task: str, arguments: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    result: dict[str, Any] = open_setting("text", task).tools.call(tool, dict(arguments))
    return result


def rows(table: str, task: str = "berlin-001") -> list[Any]:
    """Return the rows of a table of a task's facts."""
    return list(open_setting("text", task).judge.task.facts[table].rows)


def iso_date(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()


def offers_page(place: Any, on: int, task: str) -> dict[str, Any]:
    """Return the result of the tool that shows the offers of a place on a day."""
    if place.kind == "restaurant":
        return call_tool("get_restaurant_reservation_availability", task, restaurant=place.name, date=iso_date(on))
    return call_tool("get_attraction_ticket_availability", task, attraction=place.name, date=iso_date(on))


def tickets(place: Any, on: int, task: str) -> list[dict[str, Any]]:
    """Return the tickets, or tables of a restaurant, that a tool offers on a day."""
    message = offers_page(place, on, task)
    result: list[dict[str, Any]] = message["tables" if place.kind == "restaurant" else "tickets"]
    return result


def guide(place: Any, task: str) -> dict[str, Any]:
    """Return the result of the tool that describes a place."""
    if place.kind == "restaurant":
        return call_tool("get_restaurant_guide_detail", task, restaurant=place.name)
    return call_tool("get_guide_details", task, attraction=place.name)


def open_days(task: str) -> list[int]:
    """Return the days for which the task has opening hours."""
    return sorted({row.day for row in rows("Window", task)})


def clock_text(at: int) -> str:
    """Return a time of day as tools write it."""
    return str(show(at, ScalarType.TIME, None))


def test_the_settings_are_text_feasibility_gold_and_those_with_pages_or_a_site() -> None:
    pages = ["pages", "pages-feasibility", "site", "site-feasibility", "site-visual-only"]
    names = ["text", "feasibility", "gold", *pages]
    assert list(settings_of(open_setting().judge.task)) == names
    assert open_task("berlin-001").setting == "text"
    with pytest.raises(UnknownSettingError, match="text, feasibility, gold"):
        open_task("berlin-001", "images")


@pytest.mark.parametrize("setting", ["text", "feasibility"])
def test_settings_have_the_eight_tools_of_the_paper(setting: str) -> None:
    assert [tool.name for tool in open_setting(setting).tools.tools()] == THE_EIGHT


def test_the_setting_gold_has_no_tools_and_shows_facts_of_the_trip_days_only() -> None:
    view = view_of(open_setting("gold", "berlin-012"))
    assert view.tools.tools() == []
    city = json.loads(view.materials["The city"])
    assert list(view.materials) == ["The city"]
    assert {name for place in city["places"] for name in place["days"]} == {"2026-07-14", "2026-07-15"}


# ------------------------------------------------------------------ facts that tools show


@pytest.mark.sampled(2)
@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_tools_show_every_start_with_its_places_left_or_as_sold_out(task: str) -> None:
    """Every fourth day is checked. Starts that need no booking are not shown if they are sold out."""
    expected: dict[tuple[str, str, int], list[Any]] = {}
    some = open_days(task)[::4]
    for row in rows("Entry", task):
        if row.day in some and (row.offer.booked or row.left > 0):
            left = (("available" if row.left > 0 else "sold out"), row.left) if row.offer.booked else ()
            expected.setdefault((row.offer.place.name, row.offer.name, row.day), []).append(
                (clock_text(row.at), row.language, *left)
            )
    shown: dict[Any, Any] = {}
    for place in rows("Place", task):
        for on in some:
            for ticket in tickets(place, on, task):
                for start in ticket.get("starts", ()):
                    left = (start["status"], start["places_left"]) if "status" in start else ()
                    key = place.name, ticket["name"], on
                    shown.setdefault(key, []).append((start["time"], start.get("language"), *left))
    assert {key: sorted(starts, key=str) for key, starts in shown.items()} == {
        key: sorted(starts, key=str) for key, starts in expected.items()
    }
    assert sum("sold out" in start for starts in expected.values() for start in starts) > 50


@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_tools_show_opening_hours_with_midday_gaps_and_closed_days(task: str) -> None:
    """The test covers places and their parts with separate hours. Guides show the hours of the trip's days."""
    trip = open_setting("text", task).judge.task.givens["trip"]
    closed = 0
    for place in rows("Place", task):
        shown = guide(place, task)
        for on in open_days(task)[::5]:
            expected = sorted(span_texts(w for w in rows("Window", task) if w.place is place and w.day == on))
            assert sorted(offers_page(place, on, task)["opening_hours"]) == expected
            closed += not expected
        for on in trip:
            expected = sorted(span_texts(w for w in rows("Window", task) if w.place is place and w.day == on))
            assert sorted(shown["opening_hours"][iso_date(on)]) == expected
        for part in shown.get("hours_of_parts", ()):
            for on in trip:
                expected = sorted(
                    span_texts(
                        w
                        for w in rows("PartWindow", task)
                        if w.part.place is place and w.part.name == part["part"] and w.day == on
                    )
                )
                assert sorted(part["opening_hours"][iso_date(on)]) == expected
    assert closed


def span_texts(windows: Iterable[Any]) -> list[str]:
    """Return opening hours as texts such as `09:00-17:00`."""
    return [f"{clock_text(row.open)}-{clock_text(row.close)}" for row in windows]


@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_guides_show_lengths_of_visits_parts_and_sessions(task: str) -> None:
    for row in rows("Dwell", task):
        assert guide(row.place, task)["length_of_visit"][row.style][row.profile] == {
            "least_min": row.least,
            "most_min": row.most,
        }
    for place in rows("Place", task):
        assert guide(place, task)["several_sessions_allowed"] is place.composite
    for row in rows("Part", task):
        (part,) = [part for part in guide(row.place, task)["parts"] if part["name"] == row.name]
        assert (part["steps_to_climb"], part.get("least_min"), part.get("most_min")) == (
            row.steps,
            row.least,
            row.most,
        )


@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_tools_show_every_price(task: str) -> None:
    """Prices are shown with their conditions, the contents of the ticket, and the time of arrival."""
    on = open_setting("text", task).judge.task.givens["trip"][0]
    playing = {row.offer for row in rows("Entry", task) if row.day == on}
    for row in rows("Offer", task):
        result = [t for t in tickets(row.place, on, task) if t["name"] == row.name]
        assert bool(result) == (row.show is None or row in playing)
        for ticket in result:
            fares = {
                (f.name, write_cost(f.price, "EUR"), f"{f.from_age} to {f.to_age}", f.eu, f.student)
                for f in rows("Fare", task)
                if f.offer is row
            }
            assert {
                (f["name"], f["price"], f["ages"], "eu_citizens_only" in f, "students_only" in f)
                for f in ticket.get("fares", ())
            } == fares
            assert ticket["be_there_before_the_start_min"] == row.ahead
            assert sorted(ticket.get("includes", ())) == sorted(
                i.part.name for i in rows("Includes", task) if i.offer is row
            )
    for row in (r for r in rows("FamilyTicket", task) if r.offer.show is None or r.offer in playing):
        (ticket,) = [t for t in tickets(row.offer.place, on, task) if t["name"] == row.offer.name]
        assert ticket["family_ticket"] == {
            "price": write_cost(row.price, "EUR"),
            "adults": row.adults,
            "children": row.children,
        }
    for row in rows("Menu", task):
        assert guide(row.place, task)["menu_per_person"][row.course] == write_cost(row.price, "EUR")
    for row in rows("Covers", task):
        (found_pass,) = [
            p for p in offers_page(row.place, on, task)["passes"] if p["name"] == getattr(row, "pass").name
        ]
        assert found_pass["price_per_person"] == write_cost(getattr(row, "pass").price, "EUR")
        assert {"place": row.place.name} | ({} if row.rank is None else {"order": row.rank}) in found_pass["covers"]
    for row in rows("Addon", task):
        extra = {"name": row.name, "price": write_cost(row.price, "EUR")}
        assert extra in offers_page(row.place, on, task)["extras_per_person"]


@pytest.mark.parametrize(("city", "task"), FIRST.items(), ids=FIRST)
def test_the_hotel_list_shows_area_stars_features_and_price(city: str, task: str) -> None:
    shown = {hotel["name"]: hotel for hotel in call_tool("get_hotel_list", task, city=city.capitalize())["hotels"]}
    for row in rows("Hotel", task):
        hotel = shown.pop(row.name)
        assert (hotel["area"], hotel["stars"], set(hotel["features"])) == (
            row.area,
            row.stars,
            set(row.features),
        )
        assert hotel["price_per_room_and_night"] == write_cost(row.rate, "EUR")
    assert shown == {}


@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_routes_show_every_connection(task: str) -> None:
    called = {spot: (spot.place or spot.hotel).name for spot in rows("Spot", task)}
    for (origin, its_name), (to, other_name) in [*permutations(called.items(), 2)][::7]:
        result = call_tool("get_route_info", task, origin=its_name, destination=other_name)
        for name, a, b in (("ways", origin, to), ("ways_back", to, origin)):
            expected = {
                row.mode: (row.time, None if row.cost is None else write_cost(row.cost, "EUR"))
                for row in rows("Leg", task)
                if row.origin is a and row.to is b
            }
            assert {way["mode"]: (way["minutes"], way["cost"]) for way in result[name]} == expected


@pytest.mark.parametrize(("city", "task"), FIRST.items(), ids=FIRST)
def test_lists_name_every_place_once(city: str, task: str) -> None:
    listed = [
        entry["name"]
        for kind in ("attraction", "restaurant")
        for entry in call_tool(f"get_{kind}_list", task, city=city.capitalize())[f"{kind}s"]
    ]
    assert sorted(listed) == sorted(row.name for row in rows("Place", task))


@pytest.mark.parametrize("setting", try_few(["text", "gold"], {"text"}))
def test_an_agent_that_reads_only_the_view_finds_a_passing_plan(setting: str) -> None:
    """In the setting `gold`, soft constraints need not hold, since the agent ignores costs."""
    result = record_of_attempt(open_setting(setting), TripAgent(BERLIN_001))
    assert result.failure is None
    assert result.verdict["status"] == "pass", result.verdict["findings"]
    if setting == "text":
        assert result.verdict["soft"]["satisfied"] == result.verdict["soft"]["total"]
        assert {call.name for call in result.trace.calls} <= set(THE_EIGHT)


# ------------------------------------------------------------------ facts that agents must not see

REQUEST_TABLES = {"Traveller", "Wish", "WishPart", "WishAddon", "Before"}
"""Tables that encode the request. Agents must not see them."""


@pytest.mark.parametrize("setting", ["text", "feasibility", "gold"])
@pytest.mark.parametrize("task", FIRST.values(), ids=FIRST)
def test_a_view_does_not_depend_on_rules_scope_reference_and_interpreted_request(setting: str, task: str) -> None:
    own = open_setting(setting, task)
    assert view_text(view_of(own)) == view_text(view_of(open_without_secrets(own, {"trip"}, REQUEST_TABLES)))
    assert not [name for name in instance_ids(own) if "[" in name and name in view_text(view_of(own))]


def test_tools_do_not_depend_on_rules_scope_reference_and_interpreted_request() -> None:
    own = open_setting()
    stripped = open_without_secrets(own, {"trip"}, REQUEST_TABLES)
    calls: list[tuple[str, dict[str, str]]] = [
        (f"get_{kind}_list", {"city": "Berlin"}) for kind in ("attraction", "restaurant", "hotel")
    ]
    for place in rows("Place"):
        of = {place.kind: place.name}
        names = (
            ("get_guide_details", "get_attraction_ticket_availability")
            if place.kind == "attraction"
            else ("get_restaurant_guide_detail", "get_restaurant_reservation_availability")
        )
        calls += [(names[0], of), (names[1], {**of, "date": "2026-07-01"})]
    for name, arguments in calls:
        assert own.tools.call(name, arguments) == stripped.tools.call(name, arguments)
        assert "error" not in own.tools.call(name, arguments)


# ------------------------------------------------------------------ wrong calls


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "message"),
    [
        ("get_hotel_list", {"city": "Paris"}, "not-found", "no city of this name"),
        ("get_hotel_list", {}, "invalid-arguments", "city"),
        ("get_hotel_list", {"city": "Berlin", "stars": 5}, "invalid-arguments", "stars"),
        ("get_guide_details", {"attraction": "Rutz"}, "not-found", "no attraction"),
        ("get_guide_details", {"attraction": "Neues Musem"}, None, ""),
        ("get_guide_details", {"attraction": "New Museum"}, "not-found", "no attraction of this name"),
        (
            "get_restaurant_reservation_availability",
            {"restaurant": "Rutz", "date": "1 July"},
            "invalid-arguments",
            "a date such as 2026-07-01",
        ),
        (
            "get_restaurant_reservation_availability",
            {"restaurant": "Rutz", "date": "2026-02-30"},
            "invalid-arguments",
            "no such date",
        ),
        (
            "get_restaurant_reservation_availability",
            {"restaurant": "Rutz", "date": 20260701},
            "invalid-arguments",
            "date",
        ),
        ("get_route_info", {"origin": "Rutz", "destination": "Rutz"}, "invalid-arguments", "no way is needed"),
        ("get_route_info", {"origin": "Rutz", "destination": "the moon"}, "not-found", "no place or hotel"),
    ],
)
def test_an_invalid_call_returns_an_error_that_names_the_mistake(
    tool: str, arguments: dict[str, Any], code: str | None, message: str
) -> None:
    error = open_setting().tools.call(tool, arguments).get("error", {})
    assert error.get("code") == code
    assert message in error.get("message", "")


def test_a_day_without_starts_has_an_empty_list_of_starts() -> None:
    on_sunday = call_tool("get_restaurant_reservation_availability", restaurant="Rutz", date="2026-07-05")
    assert (on_sunday["tables"][0]["starts"], on_sunday["opening_hours"]) == ([], [])
    zoo = call_tool("get_attraction_ticket_availability", attraction="Zoo Berlin", date="2026-07-05")
    assert zoo["tickets"][0]["booking"] == "not taken" and "status" not in zoo["tickets"][0]["starts"][0]


# ------------------------------------------------------------------ feasibility


def verdict(**changes: tuple[str, str]) -> Verdict:
    """Return the feasibility verdict on the reference of berlin-001 after replacements of texts in its JSON."""
    judge = open_setting("feasibility").judge
    text = json.dumps(judge.task.reference, default=float)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new, 1)
    return judge.answer(text, details="violated")


def test_costs_do_not_affect_feasibility() -> None:
    assert keeps_all_times(verdict())
    dear = verdict(hotel=('"cost": 780', '"cost": 7800'))
    assert dear.status == "pass" and dear.soft.satisfied < dear.soft.total and keeps_all_times(dear)
    unread = verdict(hotel=('"cost": 780', '"cost": "unknown"'))
    assert unread.status == "fail" and keeps_all_times(unread)


def test_a_plan_with_a_wrong_time_or_name_is_not_feasible() -> None:
    assert not keeps_all_times(verdict(start=("14:00-15:30", "14:30-16:00")))
    assert not keeps_all_times(verdict(name=('"Borchardt"', '"Burchardi"')))
    assert not keeps_all_times(open_setting("feasibility").judge.undelivered("nothing"))


def test_the_feasibility_brief_requires_no_costs() -> None:
    brief = view_of(open_setting("feasibility")).brief
    assert "always 0" in brief
    assert "family ticket" not in brief and "family ticket" in view_of(open_setting()).brief
    assert "No price matters" in brief


def test_the_setting_gold_shows_no_price() -> None:
    (shown,) = (str(text) for text in view_of(open_setting("gold")).materials.values())
    assert not [word for word in ("price", "fare", "cost", "EUR") if word in shown]
    assert "fares" in json.dumps(
        call_tool("get_attraction_ticket_availability", attraction="Zoo Berlin", date="2026-07-01")
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("city", "task"), FIRST.items(), ids=FIRST)
def test_no_hard_constraint_reads_a_price(city: str, task: str, tmp_path: Path) -> None:
    """In a world with other prices, the findings on hard constraints are the same, and those on soft ones are not."""
    suite = ROOT / "tasks" / f"worldtravel-{city}"
    shutil.copytree(suite / "world", tmp_path / "world")
    shutil.copytree(suite / "answers", tmp_path / "answers")
    shutil.copy(suite / f"{task}.task.yaml", tmp_path)
    for path in (tmp_path / "world").glob("*.csv"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"(\d+)\.(\d\d) EUR", lambda m: f"{7 + int(m[1]) % 31}.{m[2]} EUR", text), "utf-8")
    judge = Judge(tmp_path / f"{task}.task.yaml")
    verdict = judge.decoded(judge.task.reference)
    assert {f.status for f in verdict.findings if f.level == "hard"} == {"satisfied"}
    assert verdict.status == "pass" and verdict.soft.satisfied < verdict.soft.total
