"""Readings from the results of a program's calls: places, figures and times, as the library takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from planspec.families.mobilitybench.amounts import duration_text, length_text, time_text
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import Context
from planspec.families.mobilitybench.program_found import ProgramFindings, ProgramResult, UnansweredCallError

HERE = "here"
LEVELS: Mapping[str, str] = {
    "free": "smooth",
    "slow": "slow",
    "congested": "congested",
    "blocked": "severe",
}
"""The library's levels of traffic by the tool's."""
LEAST_SPARE, MOST_SPARE = 600, 1800
"""Seconds by which one may be early on the shortest and on the longest way."""
SURE = ("exact", "alias", "category", "part")
"""The ways of finding a place that make sure it is the one that was meant; likeness is not among them."""
NAMED = ("exact", "alias")
"""The ways of finding a place by its own name."""


@dataclass(frozen=True, slots=True)
class ProgramReading:
    """Something that can be read.

    Attributes:
        read: how; None if there is nothing to be told.
        uses: the slots of which it makes use, so that no call has to.
    """

    read: Callable[[ProgramFindings], JsonValue]
    uses: frozenset[str] = frozenset()


# ------------------------------------------------------------------ places


def meant(pois: Sequence[ProgramResult], said: str) -> list[ProgramResult]:
    """The places that a name or a kind means: those that are found in the surest way.

    Raises:
        UnansweredCallError: there are none, or none that is sure.
    """
    for how in SURE:
        found = [poi for poi in pois if poi.get("match") == how]
        if found:
            return found
    raise UnansweredCallError(f"no place is surely `{said}`")


def _places(found: ProgramFindings) -> JsonValue:
    said = str(found.slots["place"])
    pois = meant(found.last["pois"], said)
    district = found.slots.get("district")
    if district is not None:
        pois = [poi for poi in pois if folded(poi["district"]) == folded(str(district))]
        if not pois:
            raise UnansweredCallError(f"no `{said}` is known in {district}")
    return _names(pois)


def _asked_where(found: ProgramFindings) -> JsonValue:
    """The user names the place, and no kind: so it is known, and asked is where it is."""
    return meant(found.last["pois"], str(found.slots["place"]))[0].get("match") in NAMED or None


def _found_place(found: ProgramFindings) -> JsonValue:
    return [spot.name for spot in found.spots["place"]]


def _names(pois: Sequence[ProgramResult]) -> list[JsonValue]:
    return list(dict.fromkeys(poi["name"] for poi in pois))


def _around(found: ProgramFindings) -> list[ProgramResult]:
    """The places that were found near, but for the one around which was searched."""
    centre = {spot.name for spot in found.spots["near"]}
    pois = [poi for poi in found.last["pois"] if poi["name"] not in centre]
    if not pois and "radius" not in found.slots:
        raise UnansweredCallError("nothing is near")
    return pois


def _near_places(found: ProgramFindings) -> JsonValue:
    return _names(_around(found))


def _number(found: ProgramFindings) -> JsonValue:
    limit = found.slots.get("limit", 1)
    assert isinstance(limit, int)
    return min(limit, len(_around(found)))


def _nearest(found: ProgramFindings) -> JsonValue:
    pois = _around(found)
    if found.slots.get("limit") != 1 or not pois:
        return None
    if len(pois) > 1 and pois[0]["distance"] == pois[1]["distance"]:
        raise UnansweredCallError("two places are equally near")
    name: JsonValue = pois[0]["name"]
    return name


def _address(found: ProgramFindings) -> JsonValue:
    """The address as it is written, and without what all of the city have."""
    whole = text = str(found.last["address"])
    made = [whole]
    for part in (str(found.last["province"]), str(found.last["city"])):
        for shorter in (text.removeprefix(part), text.removesuffix(part).rstrip(", ")):
            if shorter not in (text, ""):
                text = shorter
                made.append(text)
                break
    return list(made)


def _addressed(found: ProgramFindings) -> JsonValue:
    places = found.last["places"]
    if len(places) != 1:
        raise UnansweredCallError("the address can be of several places")
    return [places[0]["address"]]


def _street(found: ProgramFindings) -> JsonValue:
    return str(found.last["street"])


# ------------------------------------------------------------------ weather and traffic


def _days(found: ProgramFindings) -> JsonValue:
    told = [day["day"] for result in found.results for day in result.get("weather", ())]
    asked = found.slots.get("days")
    if asked is None:
        return list(told[:1])
    assert isinstance(asked, list)
    unknown = [day for day in asked if day not in told]
    if unknown:
        raise UnansweredCallError(f"no weather is told of {unknown[0]}")
    return asked


def _level(found: ProgramFindings) -> JsonValue:
    level = str(found.last["level"])
    if level not in LEVELS:
        raise UnansweredCallError(f"`{level}` is no level of traffic")
    return LEVELS[level]


# ------------------------------------------------------------------ ways


def _legs(found: ProgramFindings) -> list[ProgramResult]:
    if not found.routes:
        raise UnansweredCallError("no way was planned")
    return found.routes


def _sum(key: str) -> Callable[[ProgramFindings], JsonValue]:
    def read(found: ProgramFindings) -> JsonValue:
        return sum(int(leg[key]) for leg in _legs(found))

    return read


def _length_of(key: str) -> Callable[[ProgramFindings], JsonValue]:
    def read(found: ProgramFindings) -> JsonValue:
        return length_text(sum(int(leg[key]) for leg in _legs(found)))

    return read


def _time(found: ProgramFindings) -> JsonValue:
    return duration_text(*(int(leg["duration"]) for leg in _legs(found)))


def _number_of_legs(found: ProgramFindings) -> JsonValue:
    legs = len(_legs(found))
    return legs if legs > 1 else None


def _spare(found: ProgramFindings) -> JsonValue:
    """The minutes by which one may leave earlier than needed: as long as the way takes, within bounds."""
    return duration_text(max(LEAST_SPARE, min(MOST_SPARE, _seconds(found))))


def _transfers(found: ProgramFindings) -> JsonValue:
    legs = _legs(found)
    if len(legs) == 1:
        return int(legs[0]["transfers"])
    # one changes between the legs, too
    return max(0, sum(step["line"] is not None for leg in legs for step in leg["steps"]) - 1)


def _motorways(found: ProgramFindings) -> JsonValue:
    steps = [step for leg in _legs(found) for step in leg["steps"]]
    return length_text(sum(int(step["distance"]) for step in steps if step["class"] == "motorway"))


def _cost(found: ProgramFindings) -> JsonValue:
    return sum(int(leg["fare"]) + int(leg["tolls"]) for leg in _legs(found))


def minutes(clock: str) -> int:
    """Minutes after midnight of HH:MM.

    Raises:
        UnansweredCallError: it is none.
    """
    try:
        hours, _, rest = time_text(clock).partition(":")
    except ValueError as error:
        raise UnansweredCallError(str(error)) from None
    return int(hours) * 60 + int(rest)


def today_of(context: Context) -> str | None:
    """The day on which the user asks, as ISO 8601: that of the context's time, else its `day`."""
    said = (context.time or "").split()
    if len(said) > 1:
        return said[0]
    day = context.extra.get("day")
    return day if isinstance(day, str) else None


def _clock(minute: int) -> str:
    if minute < 0:
        raise UnansweredCallError("that is the day before")
    if minute >= 24 * 60:
        raise UnansweredCallError("that is the day after")
    return f"{minute // 60:02}:{minute % 60:02}"


def _seconds(found: ProgramFindings) -> int:
    return sum(int(leg["duration"]) for leg in _legs(found))


def _departure(found: ProgramFindings) -> JsonValue:
    legs = _legs(found)
    if "arrive_by" in found.takes:
        return _clock(minutes(str(legs[0]["depart"])))
    # the tool knows no times, and the way takes as long at any
    by = minutes(str(found.slots["arrive_by"]))
    return _clock((by * 60 - _seconds(found)) // 60)


def _arrival_minute(found: ProgramFindings) -> int:
    start = found.slots.get("depart_at")
    if start is None or "depart_at" in found.takes:
        return minutes(str(_legs(found)[-1]["arrive"]))
    return minutes(str(start)) + -(-_seconds(found) // 60)


def _arrival(found: ProgramFindings) -> JsonValue:
    return _clock(_arrival_minute(found))


def _possibility(found: ProgramFindings) -> JsonValue:
    by = minutes(str(found.slots["arrive_by"]))
    return "possible" if _arrival_minute(found) <= by else "impossible"


def _main_road(found: ProgramFindings) -> JsonValue:
    farthest: dict[str, int] = {}
    for leg in _legs(found):
        for step in leg["steps"]:
            if step["road"] is not None and step["mode"] == "drive":
                farthest[step["road"]] = farthest.get(step["road"], 0) + int(step["distance"])
    if not farthest:
        raise UnansweredCallError("the way is on no road that has a name")
    return max(farthest, key=lambda road: farthest[road])


# ------------------------------------------------------------------ names of roads and lines


def _called(found: ProgramFindings, slot: str, told: str, begin: str) -> list[JsonValue]:
    """Roads or lines as the tools call them.

    What was banned or demanded stands in the evidence of the best route; where there is none, names are as the user says.
    """
    if slot not in found.slots:
        return []
    told_names: dict[str, None] = {}
    for leg in _legs(found):
        for entry in leg.get("evidence", {}).get(told, ()):
            if str(entry).startswith(begin):
                told_names[str(entry)[len(begin) :]] = None
    said = found.slots[slot]
    return list(told_names) or list(said if isinstance(said, list) else [said])


def _roads_to_avoid(found: ProgramFindings) -> JsonValue:
    return _called(found, "avoid_roads", "bans", "road ")


def _lines_to_avoid(found: ProgramFindings) -> JsonValue:
    return _called(found, "avoid_lines", "bans", "line ")


def _line_to_use(found: ProgramFindings) -> JsonValue:
    lines = _called(found, "use_line", "demands", "ride ")
    if len(lines) > 1:
        raise UnansweredCallError(f"`{found.slots['use_line']}` can be one of several lines")
    return lines[0] if lines else None


# ------------------------------------------------------------------ what the context says, and the table


def _city(found: ProgramFindings) -> JsonValue:
    return found.slots.get("city") or found.context.city


def _only_preference(found: ProgramFindings) -> JsonValue:
    said = found.slots.get("preferences")
    assert said is None or (isinstance(said, list) and len(said) == 1)
    return None if said is None else said[0]


def _vehicles(found: ProgramFindings) -> JsonValue:
    return list(found.vehicles)


def _reading(read: Callable[[ProgramFindings], JsonValue], *uses: str) -> ProgramReading:
    return ProgramReading(read, frozenset(uses))


READINGS: Mapping[str, ProgramReading] = {
    "city": _reading(_city, "city"),
    "places": _reading(_places, "place", "district"),
    "question where": _reading(_asked_where, "place"),
    "found place": _reading(_found_place),
    "near places": _reading(_near_places, "near"),
    "number": _reading(_number, "near", "limit"),
    "nearest": _reading(_nearest, "near", "limit"),
    "address": _reading(_address),
    "addressed place": _reading(_addressed),
    "street": _reading(_street),
    "main road": _reading(_main_road),
    "days": _reading(_days, "days"),
    "level": _reading(_level),
    "time": _reading(_time),
    "number of legs": _reading(_number_of_legs),
    "spare": _reading(_spare),
    "length": _reading(_length_of("distance")),
    "walking": _reading(_length_of("walking_distance")),
    "transfers": _reading(_transfers),
    "lights": _reading(_sum("traffic_lights")),
    "tolls": _reading(_sum("tolls")),
    "fare": _reading(_sum("fare")),
    "cost": _reading(_cost),
    "motorways": _reading(_motorways),
    "departure": _reading(_departure, "arrive_by"),
    "arrival": _reading(_arrival, "depart_at"),
    "possibility": _reading(_possibility, "depart_at", "arrive_by"),
    "vehicles": _reading(_vehicles),
    "only preference": _reading(_only_preference, "preferences"),
    "roads to avoid": _reading(_roads_to_avoid),
    "lines to avoid": _reading(_lines_to_avoid),
    "line to use": _reading(_line_to_use),
}
"""The reading for each `the ...` of the programs."""
