"""Readings: functions that compute one value of the ground truth, such as the trip's length, from tool results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from planspec.families.mobilitybench.amounts import duration_text, length_text, time_text
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import Context
from planspec.families.mobilitybench.program_state import (
    ProgramResult,
    ProgramState,
    UnansweredCallError,
)

HERE = "here"
LEVELS: Mapping[str, str] = {
    "free": "smooth",
    "slow": "slow",
    "congested": "congested",
    "blocked": "severe",
}
"""The constraint library's name for each level of traffic in tool results."""
LEAST_SPARE, MOST_SPARE = 600, 1800
"""Bounds, in seconds, on the spare time: how much earlier than necessary a traveller may leave."""
CERTAIN_MATCHES = ("exact", "alias", "category", "part")
"""Kinds of match that identify a place with certainty, best first. A match by similarity does not."""
PROPER_NAME_MATCHES = ("exact", "alias")
"""Kinds of match in which the keyword is the proper name of a place."""


@dataclass(frozen=True, slots=True)
class ProgramReading:
    """Function that computes a value from a program's results, and the slots that it uses.

    Attributes:
        read: function that returns the value, or None if there is none.
        uses: slots that the function uses. They count as used even if no tool call uses them.
    """

    read: Callable[[ProgramState], JsonValue]
    uses: frozenset[str] = frozenset()


# ------------------------------------------------------------------ places


def surest_matches(pois: Sequence[ProgramResult], name: str) -> list[ProgramResult]:
    """Return the places that match a name or a category by the best kind of match in `CERTAIN_MATCHES`.

    Raises:
        UnansweredCallError: no place matches by such a kind.
    """
    for kind in CERTAIN_MATCHES:
        matches = [poi for poi in pois if poi.get("match") == kind]
        if matches:
            return matches
    raise UnansweredCallError(f"no place is surely `{name}`")


def _matching_places(state: ProgramState) -> JsonValue:
    name = str(state.slots["place"])
    pois = surest_matches(state.last_result["pois"], name)
    district = state.slots.get("district")
    if district is not None:
        pois = [poi for poi in pois if folded(poi["district"]) == folded(str(district))]
        if not pois:
            raise UnansweredCallError(f"no `{name}` is known in {district}")
    return _distinct_names(pois)


def _asks_where(state: ProgramState) -> JsonValue:
    """Return True if the user asks where a certain place is: the slot holds its proper name. Otherwise return None."""
    return (
        surest_matches(state.last_result["pois"], str(state.slots["place"]))[0].get("match") in PROPER_NAME_MATCHES
        or None
    )


def _place_names(state: ProgramState) -> JsonValue:
    return [spot.name for spot in state.spots["place"]]


def _distinct_names(pois: Sequence[ProgramResult]) -> list[JsonValue]:
    return list(dict.fromkeys(poi["name"] for poi in pois))


def _places_nearby(state: ProgramState) -> list[ProgramResult]:
    """Return the places found nearby, without the place at the centre of the search."""
    centre = {spot.name for spot in state.spots["near"]}
    pois = [poi for poi in state.last_result["pois"] if poi["name"] not in centre]
    if not pois and "radius" not in state.slots:
        raise UnansweredCallError("nothing is near")
    return pois


def _near_places(state: ProgramState) -> JsonValue:
    return _distinct_names(_places_nearby(state))


def _number_of_places(state: ProgramState) -> JsonValue:
    limit = state.slots.get("limit", 1)
    assert isinstance(limit, int)
    return min(limit, len(_places_nearby(state)))


def _nearest_place(state: ProgramState) -> JsonValue:
    pois = _places_nearby(state)
    if state.slots.get("limit") != 1 or not pois:
        return None
    if len(pois) > 1 and pois[0]["distance"] == pois[1]["distance"]:
        raise UnansweredCallError("two places are equally near")
    name: JsonValue = pois[0]["name"]
    return name


def _address(state: ProgramState) -> JsonValue:
    """Return the full address and its shorter forms: without the province, and without province and city."""
    whole = text = str(state.last_result["address"])
    forms = [whole]
    for part in (str(state.last_result["province"]), str(state.last_result["city"])):
        for shorter in (text.removeprefix(part), text.removesuffix(part).rstrip(", ")):
            if shorter not in (text, ""):
                text = shorter
                forms.append(text)
                break
    return list(forms)


def _place_at_address(state: ProgramState) -> JsonValue:
    places = state.last_result["places"]
    if len(places) != 1:
        raise UnansweredCallError("the address can be of several places")
    return [places[0]["address"]]


def _street(state: ProgramState) -> JsonValue:
    return str(state.last_result["street"])


# ------------------------------------------------------------------ weather and traffic


def _weather_days(state: ProgramState) -> JsonValue:
    forecast_days = [day["day"] for result in state.results for day in result.get("weather", ())]
    requested = state.slots.get("days")
    if requested is None:
        return list(forecast_days[:1])
    assert isinstance(requested, list)
    unknown = [day for day in requested if day not in forecast_days]
    if unknown:
        raise UnansweredCallError(f"no weather is told of {unknown[0]}")
    return requested


def _traffic_level(state: ProgramState) -> JsonValue:
    level = str(state.last_result["level"])
    if level not in LEVELS:
        raise UnansweredCallError(f"`{level}` is no level of traffic")
    return LEVELS[level]


# ------------------------------------------------------------------ ways


def _planned_legs(state: ProgramState) -> list[ProgramResult]:
    if not state.routes:
        raise UnansweredCallError("no way was planned")
    return state.routes


def _sum_reading(key: str) -> Callable[[ProgramState], JsonValue]:
    def read(state: ProgramState) -> JsonValue:
        return sum(int(leg[key]) for leg in _planned_legs(state))

    return read


def _length_reading(key: str) -> Callable[[ProgramState], JsonValue]:
    def read(state: ProgramState) -> JsonValue:
        return length_text(sum(int(leg[key]) for leg in _planned_legs(state)))

    return read


def _duration(state: ProgramState) -> JsonValue:
    return duration_text(*(int(leg["duration"]) for leg in _planned_legs(state)))


def _number_of_legs(state: ProgramState) -> JsonValue:
    legs = len(_planned_legs(state))
    return legs if legs > 1 else None


def _spare_time(state: ProgramState) -> JsonValue:
    """Return by how much the user may leave earlier than necessary, as a literal such as `10min`.

    It is the trip's duration, but at least `LEAST_SPARE` and at most `MOST_SPARE` seconds.
    """
    return duration_text(max(LEAST_SPARE, min(MOST_SPARE, _trip_seconds(state))))


def _transfers(state: ProgramState) -> JsonValue:
    legs = _planned_legs(state)
    if len(legs) == 1:
        return int(legs[0]["transfers"])
    # a change between the last line of a leg and the first line of the next is also a transfer
    return max(0, sum(step["line"] is not None for leg in legs for step in leg["steps"]) - 1)


def _motorway_length(state: ProgramState) -> JsonValue:
    steps = [step for leg in _planned_legs(state) for step in leg["steps"]]
    return length_text(sum(int(step["distance"]) for step in steps if step["class"] == "motorway"))


def _cost(state: ProgramState) -> JsonValue:
    return sum(int(leg["fare"]) + int(leg["tolls"]) for leg in _planned_legs(state))


def clock_minutes(clock: str) -> int:
    """Convert HH:MM to minutes after midnight.

    Raises:
        UnansweredCallError: `clock` is not a time.
    """
    try:
        hours, _, rest = time_text(clock).partition(":")
    except ValueError as error:
        raise UnansweredCallError(str(error)) from None
    return int(hours) * 60 + int(rest)


def today_of(context: Context) -> str | None:
    """Return the day of the query as ISO 8601, from the context's time or its `day`; None if unknown."""
    parts = (context.time or "").split()
    if len(parts) > 1:
        return parts[0]
    day = context.extra.get("day")
    return day if isinstance(day, str) else None


def _clock_text(minute: int) -> str:
    if minute < 0:
        raise UnansweredCallError("that is the day before")
    if minute >= 24 * 60:
        raise UnansweredCallError("that is the day after")
    return f"{minute // 60:02}:{minute % 60:02}"


def _trip_seconds(state: ProgramState) -> int:
    return sum(int(leg["duration"]) for leg in _planned_legs(state))


def _departure_clock(state: ProgramState) -> JsonValue:
    legs = _planned_legs(state)
    if "arrive_by" in state.planner_slots:
        return _clock_text(clock_minutes(str(legs[0]["depart"])))
    # on foot and by bicycle, the duration does not depend on the time of day
    deadline = clock_minutes(str(state.slots["arrive_by"]))
    return _clock_text((deadline * 60 - _trip_seconds(state)) // 60)


def _arrival_minute(state: ProgramState) -> int:
    start = state.slots.get("depart_at")
    if start is None or "depart_at" in state.planner_slots:
        return clock_minutes(str(_planned_legs(state)[-1]["arrive"]))
    return clock_minutes(str(start)) + -(-_trip_seconds(state) // 60)


def _arrival_clock(state: ProgramState) -> JsonValue:
    return _clock_text(_arrival_minute(state))


def _is_on_time(state: ProgramState) -> JsonValue:
    deadline = clock_minutes(str(state.slots["arrive_by"]))
    return "possible" if _arrival_minute(state) <= deadline else "impossible"


def _main_road(state: ProgramState) -> JsonValue:
    farthest: dict[str, int] = {}
    for leg in _planned_legs(state):
        for step in leg["steps"]:
            if step["road"] is not None and step["mode"] == "drive":
                farthest[step["road"]] = farthest.get(step["road"], 0) + int(step["distance"])
    if not farthest:
        raise UnansweredCallError("the way is on no road that has a name")
    return max(farthest, key=lambda road: farthest[road])


# ------------------------------------------------------------------ names of roads and lines


def _tool_names(state: ProgramState, slot: str, evidence: str, prefix: str) -> list[JsonValue]:
    """Return the names that the tools use for the roads or lines in a slot.

    These names are in the evidence of a route, which lists roads and lines to avoid (`bans`) and to use (`demands`).
    Without evidence, the user's words are returned.

    Args:
        state: results of the program.
        slot: the slot.
        evidence: `bans` or `demands`.
        prefix: text before each name in the evidence, such as `road `.
    """
    if slot not in state.slots:
        return []
    names: dict[str, None] = {}
    for leg in _planned_legs(state):
        for entry in leg.get("evidence", {}).get(evidence, ()):
            if str(entry).startswith(prefix):
                names[str(entry)[len(prefix) :]] = None
    value = state.slots[slot]
    return list(names) or list(value if isinstance(value, list) else [value])


def _roads_to_avoid(state: ProgramState) -> JsonValue:
    return _tool_names(state, "avoid_roads", "bans", "road ")


def _lines_to_avoid(state: ProgramState) -> JsonValue:
    return _tool_names(state, "avoid_lines", "bans", "line ")


def _line_to_use(state: ProgramState) -> JsonValue:
    lines = _tool_names(state, "use_line", "demands", "ride ")
    if len(lines) > 1:
        raise UnansweredCallError(f"`{state.slots['use_line']}` can be one of several lines")
    return lines[0] if lines else None


# ------------------------------------------------------------------ context and table of readings


def _city(state: ProgramState) -> JsonValue:
    return state.slots.get("city") or state.context.city


def _only_preference(state: ProgramState) -> JsonValue:
    preferences = state.slots.get("preferences")
    assert preferences is None or (isinstance(preferences, list) and len(preferences) == 1)
    return None if preferences is None else preferences[0]


def _vehicles(state: ProgramState) -> JsonValue:
    return list(state.vehicles)


def _reading(read: Callable[[ProgramState], JsonValue], *uses: str) -> ProgramReading:
    return ProgramReading(read, frozenset(uses))


READINGS: Mapping[str, ProgramReading] = {
    "city": _reading(_city, "city"),
    "places": _reading(_matching_places, "place", "district"),
    "question where": _reading(_asks_where, "place"),
    "found place": _reading(_place_names),
    "near places": _reading(_near_places, "near"),
    "number": _reading(_number_of_places, "near", "limit"),
    "nearest": _reading(_nearest_place, "near", "limit"),
    "address": _reading(_address),
    "addressed place": _reading(_place_at_address),
    "street": _reading(_street),
    "main road": _reading(_main_road),
    "days": _reading(_weather_days, "days"),
    "level": _reading(_traffic_level),
    "time": _reading(_duration),
    "number of legs": _reading(_number_of_legs),
    "spare": _reading(_spare_time),
    "length": _reading(_length_reading("distance")),
    "walking": _reading(_length_reading("walking_distance")),
    "transfers": _reading(_transfers),
    "lights": _reading(_sum_reading("traffic_lights")),
    "tolls": _reading(_sum_reading("tolls")),
    "fare": _reading(_sum_reading("fare")),
    "cost": _reading(_cost),
    "motorways": _reading(_motorway_length),
    "departure": _reading(_departure_clock, "arrive_by"),
    "arrival": _reading(_arrival_clock, "depart_at"),
    "possibility": _reading(_is_on_time, "depart_at", "arrive_by"),
    "vehicles": _reading(_vehicles),
    "only preference": _reading(_only_preference, "preferences"),
    "roads to avoid": _reading(_roads_to_avoid),
    "lines to avoid": _reading(_lines_to_avoid),
    "line to use": _reading(_line_to_use),
}
"""Readings by name. Programs refer to them as `the NAME`."""
