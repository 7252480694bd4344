"""Plans are shown as days with items, whatever tables they consist of."""

from collections.abc import Mapping
from typing import Any

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.report.itinerary import Itinerary
from planspec.report.places import shown_plan
from planspec.report.record import ShownPlan

TABLES = """\
planspec: task/1
id: trip
query: Go.
types: {Mode: foot | bus, Meal: lunch | dinner}
tables:
  Place: {columns: {name: text, x: int?, y: int?}, rows: [{id: a, name: Abbey, x: 13400000, y: 52500000}, {id: b, name: Bridge, x: 13410000, y: 52510000}]}
  Hotel: {columns: {name: text}, rows: [{id: h, name: Hotel H}]}
  Spot: {columns: {place: Place?, hotel: Hotel?}, rows: [{id: s1, place: a}, {id: s2, hotel: h}]}
  Flight: {columns: {depart: time, arrive: time}, rows: [{id: f1, depart: 10:00, arrive: 11:30}]}
  Route: {columns: {time: duration}, rows: [{id: r1, time: 25min}]}
  Piece: {columns: {route: key Route, n: key int, mode: Mode, time: duration}, rows: [{route: r1, n: 2, mode: bus, time: 20min}, {route: r1, n: 1, mode: foot, time: 5min}]}
  Halt: {columns: {route: key Route, n: key int, place: Place}, rows: [{route: r1, n: 1, place: a}, {route: r1, n: 2, place: b}]}
plan:
  visits: {place: key Place, day: key date, session: key int = 1, start: time, end: time}
  moves: {to: key Spot, origin: Spot, day: date, depart: time, mode: Mode}
  rides: {day: key date, flight: Flight?, hotel: Hotel?}
  meals: {day: key date, meal: key Meal, place: Place?}
  legs: {n: key int, route: Route}
  calls: {n: key int, at: moment}
  lodging: {one: true, hotel: Hotel}
"""


def plan_on_page(answer: Mapping[str, Any]) -> ShownPlan:
    """Return the plan in an answer as a page shows it."""
    task = task_from_text(TABLES, "trip.task.yaml", workspace=Workspace())
    judge = Judge(task)
    plan = judge.read(answer)
    assert plan is not None
    return shown_plan(Itinerary(task), plan, judge.ground)


def visit_row(place: str, day: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    """Return a row of the table of visits."""
    return {"place": place, "day": day, "start": start, "end": end, **more}


def test_days_are_in_order_and_rows_without_a_day_come_first() -> None:
    made = plan_on_page(
        {
            "visits": [
                visit_row("a", "2026-05-02", "09:00", "10:00"),
                visit_row("b", "2026-05-01", "09:00", "10:00"),
            ],
            "lodging": {"hotel": "h"},
        }
    )
    assert [day.name for day in made.days] == ["", "2026-05-01", "2026-05-02"]
    assert made.days[0].items[0].title == "Hotel H"
    assert made.days[0].items[0].key is None


def test_items_of_a_day_are_ordered_by_time_and_items_without_a_time_come_last() -> None:
    made = plan_on_page(
        {
            "visits": [
                visit_row("a", "2026-05-01", "12:00", "13:00"),
                visit_row("b", "2026-05-01", "09:00", "10:00"),
            ],
            "meals": [{"day": "2026-05-01", "meal": "lunch", "place": "a"}],
        }
    )
    items = made.days[0].items
    assert [(item.title, item.start, item.end) for item in items] == [
        ("Bridge", 540, 600),
        ("Abbey", 720, 780),
        ("Abbey", None, None),
    ]
    assert items[2].cells == (("meal", "lunch"),)


def test_a_row_with_an_origin_and_a_destination_is_shown_as_a_leg() -> None:
    move = {"to": "s1", "origin": "s2", "day": "2026-05-01", "depart": "08:00", "mode": "bus"}
    item = plan_on_page({"moves": [move]}).days[0].items[0]
    assert (item.kind, item.title, item.start, item.end) == ("way", "Hotel H \u2192 Abbey", 480, None)
    assert item.cells == (("mode", "bus"),)


def test_default_values_are_not_shown() -> None:
    visits = [
        visit_row("a", "2026-05-01", "09:00", "10:00"),
        visit_row("b", "2026-05-01", "11:00", "12:00", session=2),
    ]
    first, second = plan_on_page({"visits": visits}).days[0].items
    assert first.cells == ()
    assert second.cells == (("session", "2"),)


def test_a_row_without_content_is_left_out() -> None:
    assert plan_on_page({"meals": [{"day": "2026-05-01", "meal": "lunch", "place": None}]}).days == ()


def test_an_unknown_name_is_shown_as_the_answer_wrote_it() -> None:
    item = plan_on_page({"meals": [{"day": "2026-05-01", "meal": "lunch", "place": "Atlantis"}]}).days[0].items[0]
    assert "\u201cAtlantis\u201d (unknown)" in (item.title, *(name for _, name in item.cells))


def test_a_row_that_refers_to_a_flight_has_the_times_of_the_flight() -> None:
    item = plan_on_page({"rides": [{"day": "2026-05-01", "flight": "f1", "hotel": None}]}).days[0].items[0]
    assert (item.start, item.end) == (600, 690)


def test_a_moment_gives_a_row_its_day_and_time() -> None:
    made = plan_on_page({"calls": [{"n": 1, "at": "2026-05-01 17:30"}]})
    assert (made.days[0].name, made.days[0].items[0].start) == ("2026-05-01", 1050)


def test_the_segments_of_a_recorded_route_are_shown_in_order() -> None:
    item = plan_on_page({"legs": [{"n": 1, "route": "r1"}]}).days[0].items[0]
    assert (item.kind, item.title, item.cells) == ("way", "Abbey \u2192 Bridge", ())
    assert item.parts == ("foot, 5min", "bus, 20min", "Abbey \u00b7 Bridge")


def test_the_map_of_a_recorded_route_has_its_stops() -> None:
    made = plan_on_page({"legs": [{"n": 1, "route": "r1"}]})
    assert [(p.name, p.lat, p.lon) for p in made.way] == [("Abbey", 52.5, 13.4), ("Bridge", 52.51, 13.41)]


def test_a_plan_without_rows_has_no_days_and_no_places() -> None:
    assert plan_on_page({"visits": []}) == ShownPlan()
