"""The reproduced evaluator agrees with the public one on real plans, and has each quirk on invented plans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from planspec.families.travelplanner.official.evaluator import Evaluator, EvaluatorQuery, passes_gate
from tests.families.travelplanner.official.public_folder import query_of_record, read_facts
from tests.paths import SHARED

DATA = SHARED / "data" / "travelplanner"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the real tables and verdicts are not there")


def result_or_exception(rule: Any) -> Any:
    """Return whether a rule holds, or `EXCEPTION` if the evaluator crashes on it."""
    return "EXCEPTION" if rule.crashes else rule.holds


@cache
def real_evaluator() -> Evaluator:
    """Return the reproduced evaluator with the public tables."""
    return Evaluator(read_facts(DATA / "db"))


def records(name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a public file."""
    with (DATA / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", ["official_verdicts_dev.jsonl", "official_verdicts_mutants_dev.jsonl"])
def test_every_rule_of_every_recorded_plan_is_judged_as_the_public_evaluator_does(name: str) -> None:
    judged = 0
    for record in records(name):
        if not record["plan"] or record["commonsense"] is None:
            continue
        query, plan = query_of_record(record), record["plan"]
        commonsense = real_evaluator().commonsense(query, plan)
        for rule, (holds, reason) in record["commonsense"].items():
            if rule == "is_valid_information_in_sandbox" and record["flight_dependent"]:
                continue  # the public table of flights is incomplete
            assert result_or_exception(commonsense[rule]) == ("EXCEPTION" if reason == "EXCEPTION" else holds), (
                record,
                rule,
            )
            judged += 1
        hard = real_evaluator().hard(query, plan)
        for rule, (holds, reason) in (record["hard_ungated"] or {}).items():
            if rule == "valid_cost" and record["cost_flight_dependent"]:
                continue
            assert result_or_exception(hard[rule]) == ("EXCEPTION" if reason == "EXCEPTION" else holds), (
                record,
                rule,
            )
            judged += 1
        if record["total_cost"] is not None and not record["cost_flight_dependent"]:
            assert real_evaluator().total_cost(query, plan) == pytest.approx(record["total_cost"])
        if not record["flight_dependent"]:
            assert passes_gate(commonsense) == (record["hard"] is not None)
    assert judged > 4_000


# -- by hand -------------------------------------------------------------------------------------------

ACCOMMODATIONS = """,NAME,room type,price,minimum nights,review rate number,house_rules,maximum occupancy,city
0,Blue Room,Private room,50.0,2.0,4.0,No smoking & No pets,2,Bree
1,Big House,Entire home/apt,200.0,1.0,5.0,No parties,4,Bree
2,Silent House,Shared room,20.0,1.0,3.0,,1,Bree
"""
RESTAURANTS = """,Name,City,Cuisines,Average Cost,Aggregate Rating
0,Prancing Pony,Bree,"American, French",10,4.0
1,Old Oak,Bree,Indian,20,3.0
2,Green Dragon,Hobbiton,Mexican,5,4.5
"""
ATTRACTIONS = """Name,Latitude,Longitude,Address,Phone,Website,City
Market,1,2,a,b,c,Bree
Gate,1,2,a,b,c,Bree
"""
DISTANCES = """origin,destination,cost,duration,distance
Hobbiton,Bree,,2 hours,"1,040 km"
Bree,Hobbiton,,2 hours,100 km
Hobbiton,Minas,,1 day 2 hours,900 km
"""
FLIGHTS = """Flight Number,Price,DepTime,ArrTime,ActualElapsedTime,FlightDate,OriginCityName,DestCityName,Distance
F1,30,10:00,11:00,1 hours 0 minutes,2022-03-01,Hobbiton,Bree,100.0
"""


@pytest.fixture(scope="module")
def small_evaluator(tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """Return the reproduced evaluator with small invented tables."""
    folder = tmp_path_factory.mktemp("database")
    files = {
        "accommodations/clean_accommodations_2022.csv": ACCOMMODATIONS,
        "restaurants/clean_restaurant_2022.csv": RESTAURANTS,
        "attractions/attractions.csv": ATTRACTIONS,
        "googleDistanceMatrix/distance.csv": DISTANCES,
        "flights/clean_Flights_2022.csv": FLIGHTS,
        "background/citySet_with_states.txt": "Bree\tEriador\nHobbiton\tShire\nMinas\tGondor\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Evaluator(read_facts(folder))


def query(days: int = 3, people: int = 2, budget: float = 1000, **request: Any) -> EvaluatorQuery:
    """Return a query in the evaluator's form."""
    names = {"house_rule": "house rule", "room_type": "room type"}
    constraints = dict.fromkeys(("house rule", "cuisine", "room type", "transportation"))
    constraints.update({names.get(name, name): value for name, value in request.items()})
    return EvaluatorQuery("Hobbiton", "Bree", days, 1, people, budget, constraints)


def day(
    where: str,
    ride: str = "-",
    meals: tuple[str, str, str] = ("-", "-", "-"),
    sights: str = "-",
    stay: str = "-",
) -> dict[str, Any]:
    """Return a day of a plan in the public form."""
    return {
        "current_city": where,
        "transportation": ride,
        "breakfast": meals[0],
        "lunch": meals[1],
        "dinner": meals[2],
        "attraction": sights,
        "accommodation": stay,
    }


def trip() -> list[dict[str, Any]]:
    """Return a plan that satisfies every rule except completeness: day 2 has no dinner."""
    return [
        day(
            "from Hobbiton to Bree",
            "Flight Number: F1, from Hobbiton to Bree",
            ("-", "-", "Prancing Pony, Bree"),
            "Market, Bree;",
            "Blue Room, Bree",
        ),
        day("Bree", "-", ("Old Oak, Bree", "Green Dragon, Hobbiton", "-"), "Gate, Bree;", "Blue Room, Bree"),
        day("from Bree to Hobbiton", "Taxi, from Bree to Hobbiton"),
    ]


def test_a_plan_without_a_dinner_violates_only_completeness(small_evaluator: Evaluator) -> None:
    """On a day of stay, three meals are required."""
    result = small_evaluator.commonsense(query(), trip())
    assert {name for name, rule in result.items() if rule.holds is not True} == {"is_not_absent"}
    assert "no dinner" in result["is_not_absent"].reason
    plan = trip()
    plan[1]["dinner"] = "Prancing Pony , Bree"
    # the restaurant of day 1, but written with a blank
    assert {result_or_exception(rule) for rule in small_evaluator.commonsense(query(), plan).values()} == {True}


@pytest.mark.parametrize(
    ("change", "rule", "expected"),
    [
        # the evaluator iterates over the letters of a stay day's city: Hobbiton shares one with Bree
        ({(1, "lunch"): "Green Dragon, Hobbiton"}, "is_valid_information_in_current_city", True),
        ({(1, "transportation"): "x"}, "is_valid_information_in_current_city", False),
        # an attraction without a final semicolon is not read
        ({(1, "attraction"): "Market, Bree;Market, Bree"}, "is_valid_attractions", False),
        ({(0, "attraction"): "-", (1, "attraction"): "Market, Bree;Market, Bree"}, "is_valid_attractions", True),
        # minimum nights are checked only if exactly one listing matches; nights with equal texts form one stay
        ({(1, "accommodation"): "Big House, Bree"}, "is_valid_accommodation", False),
        ({(0, "accommodation"): ", Bree", (1, "accommodation"): "-"}, "is_valid_accommodation", True),
        # the evaluator ignores listings without house rules
        ({(1, "accommodation"): "Silent House, Bree"}, "is_valid_information_in_sandbox", False),
        # rides in unknown words are not looked up
        ({(2, "transportation"): "Dragon"}, "is_valid_information_in_sandbox", True),
        ({(2, "transportation"): "Taxi"}, "is_valid_information_in_sandbox", True),
        ({(0, "transportation"): "Flight Number: F2, from Hobbiton to Bree"}, "is_valid_information_in_sandbox", False),
        (
            {(0, "transportation"): "flight number F1, from Hobbiton to Bree"},
            "is_valid_information_in_sandbox",
            "EXCEPTION",
        ),
        ({(1, "lunch"): "Prancing Pony, Bree; Cost: 10"}, "is_valid_information_in_sandbox", False),
        ({(0, "transportation"): "Self-driving, from Hobbiton to Bree"}, "is_valid_transportation", False),
        ({(0, "transportation"): "-"}, "is_valid_transportation", False),
        ({(0, "current_city"): "from Bree to Hobbiton"}, "is_reasonable_visiting_city", False),
        ({(2, "current_city"): "Bree"}, "is_reasonable_visiting_city", False),
        ({(0, "current_city"): "from Hobbiton"}, "is_reasonable_visiting_city", "EXCEPTION"),
        ({(1, "breakfast"): 7}, "is_valid_restaurants", "EXCEPTION"),
    ],
)
def test_quirks_change_the_commonsense_results(
    small_evaluator: Evaluator, change: dict[tuple[int, str], Any], rule: str, expected: Any
) -> None:
    plan = trip()
    for (at, name), value in change.items():
        plan[at][name] = value
    assert result_or_exception(small_evaluator.commonsense(query(), plan)[rule]) == expected


@pytest.mark.parametrize(
    ("change", "constraints", "rule", "expected"),
    [
        ({}, {}, "valid_room_rule", None),
        ({}, {"house_rule": "pets"}, "valid_room_rule", False),
        ({}, {"house_rule": "parties"}, "valid_room_rule", True),
        ({}, {"room_type": "private room"}, "valid_room_type", True),
        ({}, {"room_type": "entire room"}, "valid_room_type", False),
        ({}, {"room_type": "not shared room"}, "valid_room_type", True),
        ({}, {"cuisine": ["Indian", "French"]}, "valid_cuisine", True),
        # a meal at home hides the later meals of its day
        (
            {(1, "breakfast"): "Green Dragon, Hobbiton", (1, "lunch"): "Old Oak, Bree"},
            {"cuisine": ["Indian"]},
            "valid_cuisine",
            False,
        ),
        ({}, {"transportation": "no flight"}, "valid_transportation", False),
        ({(0, "transportation"): "flight number"}, {"transportation": "no flight"}, "valid_transportation", True),
        ({}, {"budget": 330}, "valid_cost", True),
        ({}, {"budget": 329}, "valid_cost", False),
    ],
)
def test_hard_rules_check_the_constraints_of_the_query(
    small_evaluator: Evaluator,
    change: dict[tuple[int, str], Any],
    constraints: dict[str, Any],
    rule: str,
    expected: Any,
) -> None:
    """The trip costs 330 for two people: 60 for flights, 100 for a taxi, 70 for meals, and 100 for two nights."""
    plan = trip()
    for (at, name), value in change.items():
        plan[at][name] = value
    assert result_or_exception(small_evaluator.hard(query(**constraints), plan)[rule]) == expected


def test_total_cost_depends_on_the_quirks(small_evaluator: Evaluator) -> None:
    plan = trip()
    assert small_evaluator.total_cost(query(), plan) == 60 + 100 + 2 * (10 + 20 + 5) + 2 * 50
    assert small_evaluator.total_cost(query(people=5), plan) == 150 + 2 * 100 + 5 * 35 + 2 * 50 * 3
    plan[0]["transportation"] = "Self-driving, from Hobbiton to Bree"
    assert small_evaluator.total_cost(query(), plan) == 52 + 100 + 70 + 100
    plan[0]["transportation"] = "Self-driving, from Hobbiton to Minas"
    with pytest.raises(ValueError, match="no distance"):
        small_evaluator.total_cost(query(), plan)


def test_the_hard_rules_apply_only_to_complete_plans_in_the_tables(small_evaluator: Evaluator) -> None:
    plan = trip()
    assert not passes_gate(small_evaluator.commonsense(query(), plan))
    plan[1]["dinner"] = "Prancing Pony, Bree"
    assert passes_gate(small_evaluator.commonsense(query(), plan))


def test_only_the_requested_days_are_read(small_evaluator: Evaluator) -> None:
    plan = [*trip(), {"total": 5}]
    plan[1]["dinner"] = "Prancing Pony, Bree"
    assert small_evaluator.commonsense(query(), plan)["is_not_absent"].holds is True
