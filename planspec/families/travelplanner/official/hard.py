"""The hard rules of TravelPlanner's public evaluator, and its computation of a plan's cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from planspec.families.travelplanner.official.facts import Accommodation, ReferenceTables
from planspec.families.travelplanner.official.reading import (
    MEALS,
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
    required_text,
    ride_ends,
    split_name_and_city,
)

ROOMS = {
    "shared room": "Shared room",
    "private room": "Private room",
    "entire room": "Entire home/apt",
}
HOUSE_RULES = {
    "smoking": "No smoking",
    "parties": "No parties",
    "children under 10": "No children under 10",
    "visitors": "No visitors",
    "pets": "No pets",
}


@dataclass(frozen=True, slots=True)
class HardRules:
    """The five hard rules.

    Attributes:
        facts: the evaluator's tables.
    """

    facts: ReferenceTables

    @property
    def rules(self) -> dict[str, Rule]:
        """The rules, by the evaluator's names."""
        return {
            "valid_cuisine": self._cuisine,
            "valid_room_rule": self._room_rule,
            "valid_transportation": self._excluded_modes,
            "valid_room_type": self._room_type,
            "valid_cost": self._cost,
        }

    def total_cost(self, query: EvaluatorQuery, days: list[Day]) -> float:
        """Return the plan's cost, in dollars."""
        total = 0.0
        for day in days:
            ride = required_text(day, "transportation")
            if not is_empty(ride):
                total += self._fare(query, day, ride)
            for meal in MEALS:
                name = required_text(day, meal)
                if not is_empty(name):
                    rows_ = matching_places(self.facts.restaurants, name)
                    total += rows_[0].cost * query.people if rows_ else 0
            stay = required_text(day, "accommodation")
            if not is_empty(stay):
                rows = matching_places(self.facts.accommodations, stay)
                if rows:
                    total += rows[0].price * ceil(query.people / rows[0].maximum_occupancy)
        return total

    def _fare(self, query: EvaluatorQuery, day: Day, ride: str) -> float:
        a, b = ride_ends(day, ride)
        if a is None or b is None:
            return 0
        lower = ride.lower()
        if "flight number" in lower:
            flights = self.facts.flights.get(flight_number(ride), ())
            return flights[0].price * query.people if flights else 0
        for word, share, seats in (("self-driving", 0.05, 5), ("taxi", 1.0, 4)):
            if word in lower:
                way = distance_km(self.facts.distances, cut_parenthesis(a), cut_parenthesis(b))
                if way is None:
                    raise EvaluatorCrashError("the way has no distance")
                return int(way * share) * ceil(query.people / seats)
        return 0

    def _cost(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        total = self.total_cost(query, days)
        return RuleResult(total <= query.budget, f"it costs {total:g} of {query.budget:g}")

    def _stays(self, days: list[Day]) -> Iterator[Accommodation]:
        """Yield the first matching row for each accommodation that the days name."""
        for day in days:
            name = required_text(day, "accommodation")
            if not is_empty(name):
                yield from matching_places(self.facts.accommodations, name)[:1]

    def _room_rule(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        rule = query.constraints["house rule"]
        if rule is None:
            return RuleResult(None)
        refused = next((s for s in self._stays(days) if HOUSE_RULES.get(rule, "\n") in s.house_rules), None)
        return RuleResult(refused is None, "" if refused is None else f"{refused.name} says {HOUSE_RULES[rule]}")

    def _room_type(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        room = query.constraints["room type"]
        if room is None:
            return RuleResult(None)
        for stay in self._stays(days):
            if (
                stay.room_type == "Shared room"
                if room == "not shared room"
                else stay.room_type != ROOMS.get(room, stay.room_type)
            ):
                return RuleResult(False, f"{stay.name} is a {stay.room_type}")
        return RuleResult(True)

    def _excluded_modes(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        excluded = query.constraints["transportation"]
        if excluded is None:
            return RuleResult(None)
        rides = [required_text(day, "transportation") for day in days]
        # our tasks can exclude several modes; the evaluator's own queries exclude one
        for unwanted in [excluded] if isinstance(excluded, str) else excluded:
            word = {"no flight": "Flight", "no self-driving": "Self-driving"}.get(unwanted)
            if word is not None and any(word in ride for ride in rides):
                return RuleResult(False, f"{word} is used")
        return RuleResult(True)

    def _cuisine(self, query: EvaluatorQuery, days: list[Day]) -> RuleResult:
        cuisines = query.constraints["cuisine"]
        if not cuisines:
            return RuleResult(None)
        served: Counter[str] = Counter()
        for day in days:
            for meal in MEALS:
                name = required_text(day, meal)
                if is_empty(name):
                    continue
                if split_name_and_city(name)[1] == query.org:
                    break  # the evaluator skips the remaining meals of the day
                for row in matching_places(self.facts.restaurants, name)[:1]:
                    served.update(cuisine for cuisine in cuisines if cuisine in row.cuisines)
        missing = [cuisine for cuisine in cuisines if not served[cuisine]]
        return RuleResult(not missing, f"{', '.join(missing)} is not served" if missing else "")
