"""Episodes -> reference answers, as an agent gives them: read from what the tools said, and not from what is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.api.oracles import Performance
from planspec.environments.opened import UnpreparedSettingError
from planspec.families.mobilitybench.amounts import minutes_of
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.environment.environment import episode_of
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Context, Episode, Scenario, StandardCall

FEW = 3
"""The number of places in an answer if the query gives none."""


class UnanswerableRequestError(ValueError):
    """The tools' results hold no answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, and what the tools told.

    Attributes:
        id: of the task.
        constraints: what the user said.
        program: the calls, in order.
        told: the tool of each call and its result.
    """

    id: str
    scenario: Scenario
    constraints: Mapping[str, Any]
    context: Context
    program: Sequence[StandardCall]
    told: Sequence[tuple[str, Any]]


def reference_answer(episode: Episode) -> dict[str, Any]:
    """The answer of an agent that makes no mistake: intent, constraints, steps and the answer itself.

    Args:
        episode: a generated one, whose tools told their results in our form.

    Raises:
        UnanswerableRequestError: the results of its program hold no answer.
    """
    known = {record.call: record for record in episode.snapshot}
    told = [
        (record.tool, record.result)
        for number in range(len(episode.program))
        if (record := known.get(number)) is not None
    ]
    asked = Asked(episode.id, episode.scenario, episode.constraints, episode.context, episode.program, told)
    return {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
        "answer": answer_of(asked),
    }


def answer_of(asked: Asked) -> dict[str, Any]:
    """The answer that the results of a program hold.

    Raises:
        UnanswerableRequestError: they hold none.
    """
    try:
        return _answer(asked)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise UnanswerableRequestError(f"{asked.id}: {type(error).__name__} {error}") from None


def performed(answer: Any, given: Performance) -> Any:
    """An answer with the intent, constraints and steps of its episode, whose standard program is called.

    Args:
        answer: `{"answer": {...}}`.
        given: what it is done with.
    """
    if not isinstance(answer, Mapping):
        return answer
    try:
        episode = episode_of(given.judge.task.id.partition("@")[0], given.name, given.folder)
    except UnpreparedSettingError:
        return answer
    for made in episode.program:
        given.call(made.tool, dict(made.arguments))
    told = {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
    }
    return told | dict(answer)


def _answer(asked: Asked) -> dict[str, Any]:
    match asked.scenario:
        case Scenario.POI_SEARCH:
            return _place(asked)
        case Scenario.GEOLOCATION:
            return _geolocation(asked)
        case Scenario.NEARBY_SEARCH:
            return _nearby(asked)
        case Scenario.WEATHER:
            return _weather(asked)
        case Scenario.TRAFFIC:
            return {"level": _last(asked, "traffic_info_query")["level"]}
        case Scenario.ROUTE_PROPERTY:
            return _property(asked)
        case Scenario.TIME:
            return _time(asked)
        case _:
            return _way(asked)


def _last(asked: Asked, tool: str) -> dict[str, Any]:
    found: dict[str, Any] = [result for name, result in asked.told if name == tool][-1]
    return found


# ------------------------------------------------------------------ the map


def _place(asked: Asked) -> dict[str, Any]:
    pois = _last(asked, "poi_query")["pois"]
    district = asked.constraints.get("district")
    if district is not None:
        pois = [poi for poi in pois if folded(poi["district"]) == folded(str(district))]
    best = pois[0]
    return {"place": {"name": best["name"], "location": best["location"], "address": best["address"]}}


def _geolocation(asked: Asked) -> dict[str, Any]:
    said = asked.constraints
    if "address" in said:
        place = _last(asked, "geocoding")["places"][0]
        return {"place": {"name": place["address"], "location": place["location"]}}
    if "place" in said:
        best = _last(asked, "poi_query")["pois"][0]
        return {"place": {"name": best["name"], "location": best["location"]}, "location": best["location"]}
    return {"address": _last(asked, "reverse_geocoding")["address"]}


def _nearby(asked: Asked) -> dict[str, Any]:
    limit = asked.constraints.get("limit")
    around = asked.constraints.get("near")
    pois = [poi for poi in _last(asked, "nearby_poi_query")["pois"] if poi["name"] != around]
    few = pois[: limit if isinstance(limit, int) else FEW]
    return {"places": [{"name": poi["name"], "location": poi["location"]} for poi in few]}


def _weather(asked: Asked) -> dict[str, Any]:
    days = asked.constraints.get("days", [asked.context.extra.get("day")])
    assert isinstance(days, list)
    told: dict[str, Any] = {}
    for tool, result in asked.told:
        if tool == "weather_query":
            told |= {day["day"]: day for day in result["weather"]}
    return {
        "weather": [
            {
                "day": day, "weather": told[day]["condition"], "temperature": told[day]["temperature"],
                "low": told[day]["low"], "high": told[day]["high"],
            }
            for day in map(str, days)
        ]
    }  # fmt: skip


# ------------------------------------------------------------------ ways


def _legs(asked: Asked) -> list[dict[str, Any]]:
    """The best route of each call, one after the other."""
    return [result["routes"][0] for tool, result in asked.told if tool in ROUTE_TOOLS]


def _transfers(legs: list[dict[str, Any]]) -> int:
    return max(0, sum(step["line"] is not None for leg in legs for step in leg["steps"]) - 1)


def _way(asked: Asked) -> dict[str, Any]:
    legs = _legs(asked)
    ids = [leg["id"] for leg in legs]
    # of each leg whole minutes, as they add up
    minutes = sum(minutes_of(leg["duration"]) for leg in legs)
    return {
        "route": ids if len(ids) > 1 else ids[0],
        "duration": f"{minutes} min",
        "distance": sum(leg["distance"] for leg in legs),
        "transfers": _transfers(legs),
    }


def _property(asked: Asked) -> dict[str, Any]:
    legs = _legs(asked)
    match asked.constraints["asked"]:
        case "time":
            return {"duration": sum(leg["duration"] for leg in legs)}
        case "length":
            return {"distance": sum(leg["distance"] for leg in legs)}
        case "transfers":
            return {"transfers": _transfers(legs)}
        case "lights":
            return {"traffic_lights": sum(leg["traffic_lights"] for leg in legs)}
        case "tolls" | "fare" as amount:
            return {amount: sum(leg[amount] for leg in legs)}
        case other:
            raise UnanswerableRequestError(f"{asked.id}: nothing is known of {other!r}")


def _time(asked: Asked) -> dict[str, Any]:
    said, leg = asked.constraints, _legs(asked)[-1]
    # ways on foot and by bicycle take the same time at any
    timed = any({"depart_at", "arrive_by"} & set(call.arguments) for call in asked.program)
    match said["asked"]:
        case "depart":
            if timed:
                return {"depart": leg["depart"]}
            return {"depart": _clock((_minute(said["arrive_by"]) * 60 - leg["duration"]) // 60)}
        case "arrive" | "possible" as wanted:
            later = _minute(said["depart_at"]) + minutes_of(leg["duration"])
            arrive = leg["arrive"] if timed else _clock(later)
            if wanted == "arrive":
                return {"arrive": arrive}
            return {"possible": _minute(arrive) <= _minute(said["arrive_by"]), "arrive": arrive}
        case other:
            raise UnanswerableRequestError(f"{asked.id}: {other!r} is no time")


def _minute(clock: Any) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
