"""Tasks of each scenario in a town small enough to judge answers by hand, and helpers that judge answers."""

from __future__ import annotations

from functools import cache
from typing import Any

import planspec
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.families.mobilitybench.format.codec import FORMAT
from planspec.families.mobilitybench.format.reading import ANSWERS
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.meaning.plan_rows import Plan

TOWN = """
tables:
  Place:
    - {id: here, names: [my location], x: 13400000, y: 52500000}
    - {id: Central Station, names: [中央车站], x: 13410000, y: 52510000}
    - {id: Zoo, x: 13420000, y: 52520000}
    - {id: Millgate East, x: 13430000, y: 52520000}
    - {id: Millgate West, x: 13425000, y: 52520000}
    - {id: 春安咖啡, x: 13400500, y: 52500000}
    - {id: 春安咖啡 (2), names: [春安咖啡], x: 13403000, y: 52503000}
    - {id: Baker Coffee (Elm Street), x: 13402000, y: 52501000}
    - {id: "12 Elm Street, Millwood, London, England", x: 13409000, y: 52505000}
    - {id: Unplaced Inn}
  Road:
    - {id: First Street}
    - {id: Second Street}
    - {id: A2, motorway: true}
    - {id: A3, motorway: true}
    - {id: East Ring}
  Line:
    - {id: Metro Line 2, names: [Line 2, 地铁2号线]}
    - {id: Metro Line 3}
    - {id: Bus 10}
  Route:
    - {id: drive-aaaaaaaa-1, origin: Central Station, destination: Zoo, time: 20min, length: 4000m, lights: 3, depart: "08:00", arrive: "08:20"}
    - {id: drive-aaaaaaaa-2, origin: Central Station, destination: Zoo, time: 12min, length: 5000m, lights: 1, tolls: 250, depart: "08:00", arrive: "08:12"}
    - {id: transit-bbbbbbbb-1, origin: Central Station, destination: Zoo, time: 25min, length: 4500m, fare: 280, transfers: 1, depart: "08:05", arrive: "08:30", walking: 300m}
    - {id: transit-bbbbbbbb-2, origin: Central Station, destination: Zoo, time: 25min, length: 4500m, fare: 280, transfers: 1, depart: "08:15", arrive: "08:40", walking: 300m}
    - {id: walk-cccccccc-1, origin: Zoo, destination: Millgate East, time: 15min, length: 1100m, walking: 1100m}
    - {id: drive-dddddddd-1, origin: Zoo, destination: Millgate East, time: 3min, length: 900m}
  Piece:
    - {route: drive-aaaaaaaa-1, n: 1, vehicle: drive, road: First Street, time: 10min, length: 2000m}
    - {route: drive-aaaaaaaa-1, n: 2, vehicle: drive, road: First Street, time: 4min, length: 800m}
    - {route: drive-aaaaaaaa-1, n: 3, vehicle: drive, road: Second Street, time: 6min, length: 1200m}
    - {route: drive-aaaaaaaa-2, n: 1, vehicle: drive, road: A2, time: 12min, length: 5000m}
    - {route: transit-bbbbbbbb-1, n: 1, vehicle: walk, time: 2min, length: 300m}
    - {route: transit-bbbbbbbb-1, n: 2, vehicle: subway, line: Metro Line 2, time: 10min, length: 2000m}
    - {route: transit-bbbbbbbb-1, n: 3, vehicle: bus, line: Bus 10, time: 13min, length: 2200m}
    - {route: transit-bbbbbbbb-2, n: 1, vehicle: walk, time: 2min, length: 300m}
    - {route: transit-bbbbbbbb-2, n: 2, vehicle: subway, line: Metro Line 2, time: 10min, length: 2000m}
    - {route: transit-bbbbbbbb-2, n: 3, vehicle: bus, line: Bus 10, time: 13min, length: 2200m}
    - {route: walk-cccccccc-1, n: 1, vehicle: walk, road: East Ring, time: 15min, length: 1100m}
    - {route: drive-dddddddd-1, n: 1, vehicle: drive, road: East Ring, time: 3min, length: 900m}
  Halt:
    - {route: drive-aaaaaaaa-1, n: 1, place: Central Station}
    - {route: drive-aaaaaaaa-1, n: 2, place: Millgate West}
    - {route: drive-aaaaaaaa-1, n: 3, place: Zoo}
    - {route: transit-bbbbbbbb-1, n: 1, place: Central Station}
    - {route: transit-bbbbbbbb-1, n: 2, place: Millgate West}
    - {route: transit-bbbbbbbb-1, n: 3, place: Zoo}
  Weather:
    - {day: 2026-05-11, words: [light rain, slight rain, 小雨], temperature: 16, low: 9, high: 17}
    - {day: 2026-05-12, words: [sunny, clear, 晴], temperature: 21, low: 12, high: 24}
scope:
  answer: [{}]
  legs:
    - {for: n in 1..2, n: n, route: Route, optional: true}
"""
GIVEN = {
    "poi_search": "right_places: [Zoo]",
    "geolocation_query": 'right_address: ["12 Elm Street, Millwood, London, England", "湖北省武汉市新洲区阳逻街道金江路12号"]',
    "nearby_search": (
        'right_places: [春安咖啡, "春安咖啡 (2)", "Baker Coffee (Elm Street)"], at_least: 2, nearest: 春安咖啡'
    ),
    "weather_query": "weather_days: [2026-05-11, 2026-05-12]",
    "traffic_info_query": "right_level: congested",
    "route_property_query": "right_length: 4000m, right_lights: 3",
    "arrival_departure_time_query": "right_depart: 07:35, right_possible: possible",
    "point_to_point_planning": "origin: Central Station, destination: Zoo, vehicles: [drive], usual_time: 15min",
    "multi_stop_planning": "origin: Central Station, destination: Millgate East, via: [Millgate West, Zoo]",
    "option_constrained_route_planning": (
        "origin: Central Station, destination: Zoo, vehicles: [drive], no_tolls: true, best_time: 20min"
    ),
    "customized_planning": (
        "origin: Central Station, destination: Zoo, vehicles: [bus, subway], use_line: Metro Line 2, depart_at: 08:00"
    ),
}
"""Givens of each scenario's task."""

WHOLE: dict[str, Any] = {
    "intent": "Option-Constrained Route Planning",
    "constraints": {"origin": "Central Station", "via": ["Zoo"]},
    "steps": ["find the places", "plan the way"],
    "content": "Take the first.",
    "answer": {
        "place": {"name": "Zoo", "location": "13.420000,52.520000", "address": "1 Zoo Road"},
        "level": "拥堵",
        "weather": [{"day": "2026-05-11", "weather": "Light rain", "temperature": "16°C", "low": 9, "high": 17}],
        "places": ["Central Station", {"name": "Zoo", "location": [13.42, 52.52]}],
        "depart": "08:00",
        "arrive": "8:20 am",
        "duration": "20 min",
        "distance": "4 km",
        "transfers": 0,
        "traffic_lights": 3,
        "tolls": "0",
        "fare": "€2.80",
        "possible": True,
        "route": ["drive-aaaaaaaa-1", {"steps": [{"road": "East Ring", "mode": "walk", "distance": 1100}]}],
    },
}


@cache
def judge(scenario: str, days: str | None = None) -> planspec.Judge:
    """Return a judge of the task of a scenario. `days` replaces the days of a weather query."""
    given = f"given: {{scenario: {scenario}, {GIVEN[scenario] if days is None else f'weather_days: {days}'}}}"
    head = f"planspec: task/1\nid: {scenario.replace('_', '-')}\ntitle: A task\nuses: [mobilitybench]\nquery: How?\n"
    return planspec.Judge(task_from_text(head + given + TOWN))


def task(scenario: str = "poi_search") -> Task:
    return judge(scenario).task


def decode(data: Any, scenario: str | None = None) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    """Decode an answer to the task of a scenario, by default a scenario that requests the answer's parts.

    Returns:
        The plan, and the findings on the form of the answer.
    """
    return FORMAT.decode(task(scenario or scenario_of(data)), data)


def scenario_of(data: Any) -> str:
    """Return a scenario whose task requests the parts of an answer, for example a weather query for `days`."""
    parts = [data, data.get("answer")] if isinstance(data, dict) else []
    names = [str(name) for part in parts if isinstance(part, dict) for name in part]
    fields = {name.strip().casefold().replace(" ", "_") for name in names}
    return next((scenario for scenario, parts in ANSWERS.items() if fields & set(parts)), "poi_search")


def row(data: Any, scenario: str | None = None) -> Any:
    """Decode an answer, and return the only row of the plan's table `answer`."""
    return decode({"answer": data}, scenario)[0].tables["answer"][0]


def failing_findings(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str]]:
    """Return the kind and the path of each finding that makes an answer fail."""
    return [(f.kind, f.path) for f in findings if f.fails]


def non_failing_findings(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str]]:
    """Return the kind and the path of each finding that is only a note."""
    return [(f.kind, f.path) for f in findings if not f.fails]


def row_key(row: Row | None) -> Any:
    """Return the first part of a row's key, or None without a row."""
    return None if row is None else row._key[0]


def column_keys(plan: Plan, table: str, column: str) -> list[Any]:
    """Return the keys of the rows to which a column of a plan table refers."""
    return [row_key(getattr(r, column)) for r in plan.tables[table]]


def failures(scenario: str, data: Any) -> list[str]:
    """Judge an answer, and return the names of violated constraints and of unreadable parts.

    The list is `["undelivered"]` if the answer is undelivered.
    """
    verdict = judge(scenario).answer({"answer": data})
    if verdict.status == "undelivered":
        return ["undelivered"]
    names = dict.fromkeys(f.constraint.partition("[")[0] for f in verdict.findings if f.status == "violated")
    assert (verdict.status == "pass") == (not names)
    return list(names)
