"""Properties of trips and plans from which the tables are computed: days, cities and costs."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any, TypeGuard

from pydantic import JsonValue

from planspec.dsl.model.rows import Row
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.api.judging import Judge

MEALS_A_DAY = 3
CITIES_PER_EXPENSIVE = 4
"""Number of cities per expensive city: the most expensive quarter of the cities counts as expensive (`dear`)."""


class TripMeasures:
    """Measures of TravelPlanner's trips. They are empty for tasks without the givens of a trip."""

    def of_task(self, judge: Judge) -> dict[str, JsonValue]:
        """Return `days`, `cities` and `budget` (in cents, or null) of a trip."""
        givens = judge.task.givens
        trip = givens.get("trip")
        if not trip:
            return {}
        return {"days": len(trip), "cities": givens.get("cities", 1), "budget": givens.get("budget")}

    def of_answer(self, judge: Judge, answer: Any) -> dict[str, JsonValue]:
        """Return measures of a plan; empty for an answer without a plan.

        `costs` holds the cost of each day in cents, null if a price of the day is unknown. `visited` is the number of
        visited cities, and `dear` the number of visited cities in the most expensive quarter of all cities.
        """
        plan, trip = judge.read(answer), judge.task.givens.get("trip")
        if plan is None or not trip:
            return {}
        days: list[int] = sorted(trip)
        home = judge.task.givens.get("org")
        cities = {row.city for row in _rows(plan, "days") if _is_row(row.city) and row.city is not home}
        return {
            "costs": [_cost(judge, _on_day(plan, day)) for day in days],
            "visited": _definition_value(judge, plan, "visited"),
            "dear": len(cities & _dear_cities(judge)),
        }


MEASURES = TripMeasures()


def _rows(plan: Plan, table: str) -> tuple[Any, ...]:
    return plan.tables.get(table, ())


def _is_row(value: object) -> TypeGuard[Row]:
    return isinstance(value, Row)


def _on_day(plan: Plan, day: int) -> Plan:
    """Return a plan with only the rows of one day."""
    return Plan(
        {name: tuple(row for row in rows if getattr(row, "day", None) == day) for name, rows in plan.tables.items()}
    )


def _cost(judge: Judge, plan: Plan) -> int | None:
    cost = _definition_value(judge, plan, "spent") if _definition_value(judge, plan, "all_priced") else None
    return cost if isinstance(cost, int) else None


def _definition_value(judge: Judge, plan: Plan, name: str) -> Any:
    return judge.ground.interpreter.on(plan).defined(judge.task.definitions[name])


def _dear_cities(judge: Judge) -> set[Row]:
    """Return the most expensive quarter of the cities, ranked by the median price of a night plus three meals."""
    nights, meals = _prices(judge, "Hotel"), _prices(judge, "Restaurant")
    priced = {city: median(nights[city]) + MEALS_A_DAY * median(meals[city]) for city in nights if city in meals}
    ordered = sorted(priced, key=lambda city: (-priced[city], str(city._key)))
    return set(ordered[: len(ordered) // CITIES_PER_EXPENSIVE])


def _prices(judge: Judge, table: str) -> Mapping[Row, list[int]]:
    prices: dict[Row, list[int]] = {}
    for row in judge.task.facts[table].rows:
        city, price = getattr(row, "city"), getattr(row, "price")  # noqa: B009 columns of the library
        if _is_row(city) and price is not None:
            prices.setdefault(city, []).append(price)
    return prices
