"""WorldTravel's settings tell everything that plans are judged by, and nothing of how they are judged."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, UnknownSetting, open_task
from planspec.environments.opened import settings_of
from planspec.families.worldtravel.verdict_metrics import in_time
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.worldtravel.traveller import BERLIN_001, Traveller
from tests.planspec.environments.views import attempted, bare, instances, told, view_of

pytestmark = pytest.mark.slow


WORKSPACE = Workspace()
"""The tasks' library and world are checked once."""
TASKS = [f"berlin-{number:03}" for number in range(1, 13)]
RECORDED = Path(__file__).parent / "recorded_calls.jsonl"
THE_EIGHT = [
    "get_attraction_list", "get_guide_details", "get_attraction_ticket_availability", "get_restaurant_list",
    "get_restaurant_guide_detail", "get_restaurant_reservation_availability", "get_hotel_list", "get_route_info",
]  # fmt: skip


@cache
def opened(setting: str = "text", task: str = "berlin-001") -> AgentTask:
    return open_task(task, setting, workspace=WORKSPACE)


def ask(tool: str, task: str = "berlin-001", **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = opened("text", task).tools.call(tool, arguments)
    return found


def rows(table: str, task: str = "berlin-001") -> list[Any]:
    return list(opened("text", task).judge.task.facts[table].rows)


def day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()


def page(place: Any, on: int) -> dict[str, Any]:
    if place.kind == "restaurant":
        return ask("get_restaurant_reservation_availability", restaurant=place.name, date=day(on))
    return ask("get_attraction_ticket_availability", attraction=place.name, date=day(on))


def guide(place: Any) -> dict[str, Any]:
    if place.kind == "restaurant":
        return ask("get_restaurant_guide_detail", restaurant=place.name)
    return ask("get_guide_details", attraction=place.name)


def prices(place: Any) -> dict[str, Any]:
    return guide(place) if place.kind == "restaurant" else page(place, rows("Slot")[0].day)


def test_the_settings_are_text_feasibility_and_gold() -> None:
    assert list(settings_of(opened().judge.task)) == ["text", "feasibility", "gold"]
    assert open_task("berlin-001").setting == "text"
    with pytest.raises(UnknownSetting, match="text, feasibility, gold"):
        open_task("berlin-001", "images")


@pytest.mark.parametrize("setting", ["text", "feasibility"])
def test_the_eight_interfaces_are_there_under_their_names(setting: str) -> None:
    assert [tool.name for tool in opened(setting).tools.tools()] == THE_EIGHT


def test_gold_has_no_tools_and_gives_the_parameters_of_the_days_of_the_trip() -> None:
    view = view_of(opened("gold", "berlin-003"))
    assert view.tools.tools() == []
    city = json.loads(view.materials["The city"])
    assert list(view.materials) == ["The city"]
    assert {name for place in city["places"] for name in place["days"]} == {"2026-07-03", "2026-07-04"}


# ------------------------------------------------------------------ what can be learnt


def test_every_start_is_told_with_what_is_left_and_sold_out_ones_as_such() -> None:
    told_of = {}
    for place, on in {(row.place, row.day) for row in rows("Slot")}:
        for start in page(place, on)["starts"]:
            told_of[place, on, start["time"]] = start["places_left"], start["status"]
    wanted = {
        (row.place, row.day, show(row.at, ScalarType.TIME, None)): (
            row.left,
            "available" if row.left else "sold out",
        )
        for row in rows("Slot")
    }
    assert told_of == wanted
    assert sum(status == "sold out" for _, status in wanted.values()) > 100


def test_opening_hours_are_told_with_the_gap_at_midday_and_closed_days() -> None:
    hours: dict[tuple[Any, int], list[str]] = {}
    for row in rows("Window"):
        shown = "-".join(show(getattr(row, end), ScalarType.TIME, None) for end in ("open", "close"))
        hours.setdefault((row.place, row.day), []).append(shown)
    days = {row.day for row in rows("Window")}
    gaps = closed = 0
    for place in rows("Place"):
        told_of = guide(place)["opening_hours"]
        for on in days:
            wanted = sorted(hours.get((place, on), []))
            assert sorted(told_of[day(on)]) == sorted(page(place, on)["opening_hours"]) == wanted
            gaps += len(wanted) > 1
            closed += not wanted
    assert gaps and closed


def test_lengths_of_visits_leads_and_sessions_are_told() -> None:
    for row in rows("Dwell"):
        assert guide(row.place)["length_of_visit"][row.style][row.profile] == {
            "least_min": row.least,
            "most_min": row.most,
        }
    leads = {row.place: row.lead for row in rows("Buffer")}
    for place in rows("Place"):
        assert guide(place)["be_there_before_the_start_min"] == leads.get(place, 0)
        assert guide(place)["several_sessions_allowed"] is place.composite


def test_every_price_is_told() -> None:
    for row in rows("Fare"):
        assert prices(row.place)["tickets"][row.ticket] == write_cost(row.price, "EUR")
    for row in rows("Pass"):
        family = {"price": write_cost(row.price, "EUR"), "adults": row.adults, "children": row.children}
        assert prices(row.place)["family_pass"] == family
    for row in rows("Menu"):
        assert prices(row.place)["menu_per_person"][row.course] == write_cost(row.price, "EUR")
    for row in rows("Covers"):
        found = [b for b in prices(row.place)["package_tickets"] if b["name"] == row.bundle.name]
        assert found[0]["price_per_person"] == write_cost(row.bundle.price, "EUR")
        assert row.place.name in found[0]["covers"]


def test_every_hotel_is_told_with_what_travellers_choose_by() -> None:
    told_of = {hotel["name"]: hotel for hotel in ask("get_hotel_list", city="Berlin")["hotels"]}
    for row in rows("Hotel"):
        hotel = told_of.pop(row.name)
        assert (hotel["area"], hotel["stars"], hotel["breakfast"]) == (row.area, row.stars, row.breakfast)
        assert hotel["price_per_room_and_night"] == write_cost(row.rate, "EUR")
    assert told_of == {}


def test_every_way_is_told_and_what_the_map_does_not_know_is_null() -> None:
    called = {spot: (spot.place or spot.hotel).name for spot in rows("Spot")}
    unknown = 0
    for (origin, its_name), (to, other_name) in permutations(called.items(), 2):
        found = ask("get_route_info", origin=its_name, destination=other_name)
        for name, a, b in (("ways", origin, to), ("ways_back", to, origin)):
            wanted = {
                row.mode: (row.time, None if row.cost is None else write_cost(row.cost, "EUR"))
                for row in rows("Leg") if row.origin is a and row.to is b
            }  # fmt: skip
            assert {way["mode"]: (way["minutes"], way["cost"]) for way in found[name]} == wanted
            unknown += sum(None in figures for figures in wanted.values())
    assert unknown


def test_lists_name_every_place_once() -> None:
    listed = [
        entry["name"]
        for kind in ("attraction", "restaurant")
        for entry in ask(f"get_{kind}_list", city="Berlin")[f"{kind}s"]
    ]
    assert sorted(listed) == sorted(row.name for row in rows("Place"))


@pytest.mark.parametrize("setting", ["text", "gold"])
def test_a_traveller_who_knows_the_view_alone_finds_a_plan_that_passes_in_everything(setting: str) -> None:
    made = attempted(opened(setting), Traveller(BERLIN_001))
    assert made.failure is None
    assert made.verdict["status"] == "pass", made.verdict["findings"]
    assert made.verdict["soft"]["satisfied"] == made.verdict["soft"]["total"]
    if setting == "text":
        assert {call.name for call in made.trace.calls} <= set(THE_EIGHT)


@pytest.mark.parametrize("line", RECORDED.read_text("utf-8").splitlines())
def test_tools_answer_what_was_recorded_of_them(line: str) -> None:
    call = json.loads(line)
    answered = ask(call["tool"], "berlin-003", **call["arguments"])
    assert json.dumps(answered) == json.dumps(call["result"])


# ------------------------------------------------------------------ what is not told


@pytest.mark.parametrize("setting", ["text", "feasibility", "gold"])
@pytest.mark.parametrize("task", TASKS)
def test_a_view_is_the_same_without_rules_scope_reference_and_the_reading_of_the_request(
    setting: str, task: str
) -> None:
    own = opened(setting, task)
    assert told(view_of(own)) == told(view_of(bare(own, {"trip"}, {"Wish"})))
    assert not [name for name in instances(own) if "[" in name and name in told(view_of(own))]


def test_tools_answer_the_same_without_rules_scope_reference_and_the_reading_of_the_request() -> None:
    own = opened()
    stripped = bare(own, {"trip"}, {"Wish"})
    calls: list[tuple[str, dict[str, str]]] = [(f"get_{kind}_list", {"city": "Berlin"}) for kind in ("attraction", "restaurant", "hotel")]  # fmt: skip
    for place in rows("Place"):
        of = {place.kind: place.name}
        names = ("get_guide_details", "get_attraction_ticket_availability") if place.kind == "attraction" else ("get_restaurant_guide_detail", "get_restaurant_reservation_availability")  # fmt: skip
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
        ("get_restaurant_reservation_availability", {"restaurant": "Rutz", "date": "1 July"}, "invalid-arguments", "a date such as 2026-07-01"),
        ("get_restaurant_reservation_availability", {"restaurant": "Rutz", "date": "2026-02-30"}, "invalid-arguments", "no such date"),
        ("get_restaurant_reservation_availability", {"restaurant": "Rutz", "date": 20260701}, "invalid-arguments", "date"),
        ("get_route_info", {"origin": "Rutz", "destination": "Rutz"}, "invalid-arguments", "no way is needed"),
        ("get_route_info", {"origin": "Rutz", "destination": "the moon"}, "not-found", "no place or hotel"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_told_what_is_wrong(
    tool: str, arguments: dict[str, Any], code: str | None, message: str
) -> None:
    error = opened().tools.call(tool, arguments).get("error", {})
    assert error.get("code") == code
    assert message in error.get("message", "")


def test_a_day_without_starts_has_none() -> None:
    on_sunday = ask("get_restaurant_reservation_availability", restaurant="Rutz", date="2026-07-05")
    assert (on_sunday["starts"], on_sunday["opening_hours"]) == ([], [])
    zoo = ask("get_attraction_ticket_availability", attraction="Zoo Berlin", date="2026-07-05")
    assert zoo["booking"] == "not taken" and "starts" not in zoo


# ------------------------------------------------------------------ feasibility


def verdict(**changes: tuple[str, str]) -> Verdict:
    """On the reference of berlin-001, with other texts in it."""
    judge = opened("feasibility").judge
    text = json.dumps(judge.task.reference)
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new, 1)
    return judge.answer(text, details="violated")


def test_a_plan_holds_in_time_whatever_it_says_of_costs() -> None:
    assert in_time(verdict())
    dear = verdict(hotel=('"cost": 93', '"cost": 930'))
    assert dear.status == "fail" and in_time(dear)
    unread = verdict(hotel=('"cost": 93', '"cost": "unknown"'))
    assert unread.status == "fail" and in_time(unread)


def test_a_plan_that_breaks_a_time_does_not_hold_in_time() -> None:
    assert not in_time(verdict(start=("16:30-18:00", "16:00-17:30")))
    assert not in_time(verdict(name=('"Neues Museum"', '"Old Museum"')))
    assert not in_time(opened("feasibility").judge.undelivered("nothing"))


def test_the_brief_of_feasibility_asks_for_no_costs() -> None:
    brief = view_of(opened("feasibility")).brief
    assert "Write 0 for every cost" in brief
    assert "family pass" not in brief and "family pass" in view_of(opened()).brief
