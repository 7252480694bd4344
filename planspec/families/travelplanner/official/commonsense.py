"""The commonsense rules of TravelPlanner's public evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.reading import (
    FIELDS,
    MEALS,
    PADDING,
    Day,
    EvaluatorCrashError,
    EvaluatorQuery,
    Rule,
    RuleResult,
    cut_parenthesis,
    distance_km,
    flight_number,
    is_empty,
    matching_places,
    optional_text,
    required_text,
    ride_ends,
    travel_ends,
)


@dataclass(frozen=True, slots=True)
class CommonsenseRules:
    """The eight commonsense rules.

    Attributes:
        facts: the evaluator's tables.
    """

    facts: ReferenceTables

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules, by the evaluator's names."""
        return {
            "is_reasonable_visiting_city": self._visiting_city,
            "is_valid_restaurants": self._restaurants,
            "is_valid_attractions": self._attractions,
            "is_valid_accommodation": self._accommodation,
            "is_valid_transportation": self._transportation,
            "is_valid_information_in_current_city": self._current_city,
            "is_valid_information_in_sandbox": self._sandbox,
            "is_not_absent": self._completeness,
        }

    def _cities(self, days: Sequence[Day]) -> list[str]:
        cities: list[str] = []
        for day in days:
            where = required_text(day, "current_city")
            if "from" in where:
                a, b = travel_ends(where)
                cities += [cut_parenthesis(a), cut_parenthesis(b)]
            else:
                cities.append(cut_parenthesis(where))
        return cities

    def _visiting_city(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        cities: list[str] = []
        for i, day in enumerate(days):
            where = required_text(day, "current_city")
            if "from" in where:
                a, b = (cut_parenthesis(x) for x in travel_ends(where))
                if i == 0 and a != query.org:
                    return RuleResult(False, f"the first day begins in {a}, not in {query.org}")
                cities += [a, b]
            else:
                cities.append(cut_parenthesis(where))
        if not cities:
            raise EvaluatorCrashError("there is no day")
        if cities[0] != cities[-1]:
            return RuleResult(False, "the trip does not end where it began")
        if len(cities) < 3:
            return RuleResult(False, "there are fewer than three cities")
        seen: set[str] = set()
        at = 0
        for city, run in groupby(cities):
            length = len(list(run))
            interior = 0 < at < len(cities) - 1
            if city in seen and interior:
                return RuleResult(False, f"{city} is visited twice")
            if length == 1 and interior:
                return RuleResult(False, f"{city} is left without a stay")
            seen.add(city)
            at += length
        for i, city in enumerate(cities):
            if city not in self.facts.states:
                return RuleResult(False, f"{city} is not a city in the tables")
            inner = i not in (0, len(cities) - 1)
            if query.days > 3 and inner and self.facts.states[city] != query.dest:
                return RuleResult(False, f"{city} is not in {query.dest}")
        return RuleResult(True)

    def _restaurants(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        seen: set[str] = set()
        for i, day in enumerate(days, 1):
            for meal in MEALS:
                name = optional_text(day, meal)
                if not is_empty(name):
                    if name in seen:
                        return RuleResult(False, f"the {meal} of day {i} repeats a restaurant")
                    seen.add(name)
        return RuleResult(True)

    def _attractions(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        seen: set[str] = set()
        for i, day in enumerate(days, 1):
            for name in self._sights(day):
                if name in seen:
                    return RuleResult(False, f"an attraction of day {i} is repeated")
                seen.add(name)
        return RuleResult(True)

    def _sights(self, day: Day) -> list[str]:
        """Return the attractions of a day up to the last semicolon.

        The evaluator expects a semicolon after each attraction and therefore drops the text after the last semicolon.
        """
        names = optional_text(day, "attraction")
        return [] if is_empty(names) else names.split(";")[:-1]

    def _accommodation(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        if any("accommodation" not in day for day in days):
            return RuleResult(False, "a day has no accommodation field")
        if any(not isinstance(day["accommodation"], str) for day in days):
            raise EvaluatorCrashError("an accommodation is no text")
        for name, run in groupby(day["accommodation"] for day in days):
            nights = len(list(run))
            if name in ("", "-"):
                continue
            rows = matching_places(self.facts.accommodations, name)
            if len(rows) == 1 and nights < rows[0].minimum_nights:
                return RuleResult(False, f"{name} asks for {rows[0].minimum_nights:g} nights")
        return RuleResult(True)

    def _transportation(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        if not days:
            raise EvaluatorCrashError("there is no day")
        if is_empty(required_text(days[0], "transportation")):
            return RuleResult(False, "the first day has no transportation")
        modes = {_mode(optional_text(day, "transportation")) for day in days}
        if "self-driving" in modes and modes & {"flight", "taxi"}:
            return RuleResult(False, "self-driving goes with neither flights nor taxis")
        return RuleResult(True)

    def _current_city(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        for i, day in enumerate(days, 1):
            where = required_text(day, "current_city")
            cities: Sequence[str] = cut_parenthesis(where)  # a string, since the evaluator iterates over its letters
            if "from" in where:
                cities = [cut_parenthesis(x) for x in travel_ends(where)]
            ride = optional_text(day, "transportation")
            if not is_empty(ride) and any(city not in ride for city in cities):
                return RuleResult(False, f"the transportation of day {i} is elsewhere")
            for meal in MEALS:
                name = optional_text(day, meal)
                if not is_empty(name) and not any(city in name for city in cities):
                    return RuleResult(False, f"the {meal} of day {i} is elsewhere")
            if any(not any(city in name for city in cities) for name in self._sights(day)):
                return RuleResult(False, f"an attraction of day {i} is elsewhere")
            stay = optional_text(day, "accommodation")
            if not is_empty(stay):
                if not cities:
                    raise EvaluatorCrashError("the current city is empty")
                if cities[-1] not in stay:
                    return RuleResult(False, f"the accommodation of day {i} is elsewhere")
        return RuleResult(True)

    def _sandbox(self, _: EvaluatorQuery, days: list[Day]) -> RuleResult:
        facts = self.facts
        for i, day in enumerate(days, 1):
            ride = required_text(day, "transportation")
            if not is_empty(ride) and not self._ride_exists(day, ride):
                return RuleResult(False, f"the transportation of day {i} is not in the tables")
            for meal in MEALS:
                name = optional_text(day, meal)
                if not is_empty(name) and not matching_places(facts.restaurants, name):
                    return RuleResult(False, f"the {meal} of day {i} is not in the tables")
            if any(not matching_places(facts.attractions, name) for name in self._sights(day)):
                return RuleResult(False, f"an attraction of day {i} is not in the tables")
            stay = optional_text(day, "accommodation")
            if not is_empty(stay) and not matching_places(facts.accommodations, stay):
                return RuleResult(False, f"the accommodation of day {i} is not in the tables")
        return RuleResult(True)

    def _ride_exists(self, day: Day, ride: str) -> bool:
        lower = ride.lower()
        if not any(word in lower for word in ("flight number", "self-driving", "taxi")):
            return True
        a, b = ride_ends(day, ride)
        flies = "flight number" in lower
        if a is None or b is None:
            if flies:
                raise EvaluatorCrashError("neither the transportation nor the current city says from where to where")
            return False
        origin, target = cut_parenthesis(a), cut_parenthesis(b)
        if flies:
            number = flight_number(ride)
            flights = self.facts.flights.get(number, ())
            return any(f.origin == origin and f.destination == target for f in flights)
        return distance_km(self.facts.distances, origin, target) is not None

    def _completeness(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        filled = [day for day in days if day and required_text(day, "current_city") != PADDING]
        if len(filled) != query.days:
            return RuleResult(False, f"{len(filled)} days are filled in, not {query.days}")
        first = required_text(days[0], "current_city")
        cities = self._cities(days)
        if "from" in first and cities[0] != query.org:
            return RuleResult(False, f"the first day begins in {cities[0]}")
        if len(set(cities) - {query.org}) != query.visiting_city_number:
            return RuleResult(False, f"{len(set(cities) - {query.org})} cities are visited")
        for i, day in enumerate(days):
            if any(name not in day for name in FIELDS):
                return RuleResult(False, f"day {i + 1} lacks a field")
            where = required_text(day, "current_city")
            moves = "from " in where or "to " in where
            if moves and day["transportation"] in ("", "-"):
                return RuleResult(False, f"day {i + 1} has no transportation")
            if not moves and day["attraction"] in ("", "-"):
                return RuleResult(False, f"day {i + 1} has no attraction")
            if i < query.days - 1 and day["accommodation"] in ("", "-"):
                return RuleResult(False, f"day {i + 1} has no accommodation")
            if "from " not in where and any(day[meal] in ("", "-") for meal in MEALS):
                return RuleResult(False, f"day {i + 1} has no {next(m for m in MEALS if day[m] in ('', '-'))}")
        filled_cells = sum(bool(value) and value != "-" for day in days for value in day.values())
        if filled_cells / (query.days * 6) < 0.5:
            return RuleResult(False, "less than half of the plan is filled in")
        return RuleResult(True)


def _mode(ride: str) -> str | None:
    lower = "" if is_empty(ride) else ride.lower()
    return next((mode for mode in ("taxi", "self-driving", "flight") if mode in lower), None)
