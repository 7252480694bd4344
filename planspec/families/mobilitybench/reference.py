"""Episodes -> reference answers, as an agent gives them: read from what the tools said, and not from what is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.amounts import minutes_of
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, Scenario
from planspec.families.mobilitybench.suite import episode_named

FEW = 3
"""The number of places in an answer if the query gives none."""


class Unanswerable(ValueError):
    """The tools' results hold no answer."""


def reference_answer(episode: Episode) -> dict[str, Any]:
    """The answer of an agent that makes no mistake: intent, constraints, steps and the answer itself.

    Args:
        episode: a generated one, whose tools told their results in our form.

    Raises:
        Unanswerable: the results of its program hold no answer.
    """
    try:
        answer = _answer(episode)
    except (KeyError, IndexError, TypeError) as error:
        raise Unanswerable(f"{episode.id}: {type(error).__name__} {error}") from None
    return {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
        "answer": answer,
    }


def performed(folder: Path | None, task: str, answer: Any, call: Callable[[str, Any], object]) -> Any:
    """An answer with the intent, constraints and steps of its episode, whose standard program is called.

    Args:
        folder: of the suite.
        task: its id.
        answer: `{"answer": {...}}`.
        call: calls a tool.
    """
    episode = None if folder is None else episode_named(folder, task)
    if episode is None or not isinstance(answer, Mapping):
        return answer
    for made in episode.program:
        call(made.tool, dict(made.arguments))
    told = {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
    }
    return told | dict(answer)


def _answer(episode: Episode) -> dict[str, Any]:
    match episode.scenario:
        case Scenario.POI_SEARCH:
            return _place(episode)
        case Scenario.GEOLOCATION:
            return _geolocation(episode)
        case Scenario.NEARBY_SEARCH:
            return _nearby(episode)
        case Scenario.WEATHER:
            return _weather(episode)
        case Scenario.TRAFFIC:
            return {"level": _last(episode, "traffic_info_query")["level"]}
        case Scenario.ROUTE_PROPERTY:
            return _property(episode)
        case Scenario.TIME:
            return _time(episode)
        case _:
            return _way(episode)


def _program(episode: Episode) -> list[tuple[str, Any]]:
    """The tools that the program calls, in order, and what each said."""
    known = {record.call: record for record in episode.snapshot}
    return [(known[number].tool, known[number].result) for number in range(len(episode.program))]


def _last(episode: Episode, tool: str) -> dict[str, Any]:
    found: dict[str, Any] = [result for name, result in _program(episode) if name == tool][-1]
    return found


# ------------------------------------------------------------------ the map


def _place(episode: Episode) -> dict[str, Any]:
    pois = _last(episode, "poi_query")["pois"]
    district = episode.constraints.get("district")
    if district is not None:
        pois = [poi for poi in pois if folded(poi["district"]) == folded(str(district))]
    best = pois[0]
    return {"place": {"name": best["name"], "location": best["location"], "address": best["address"]}}


def _geolocation(episode: Episode) -> dict[str, Any]:
    said = episode.constraints
    if "address" in said:
        place = _last(episode, "geocoding")["places"][0]
        return {"place": {"name": place["address"], "location": place["location"]}}
    if "place" in said:
        best = _last(episode, "poi_query")["pois"][0]
        return {"place": {"name": best["name"], "location": best["location"]}, "location": best["location"]}
    return {"address": _last(episode, "reverse_geocoding")["address"]}


def _nearby(episode: Episode) -> dict[str, Any]:
    limit = episode.constraints.get("limit")
    around = episode.constraints.get("near")
    pois = [poi for poi in _last(episode, "nearby_poi_query")["pois"] if poi["name"] != around]
    few = pois[: limit if isinstance(limit, int) else FEW]
    return {"places": [{"name": poi["name"], "location": poi["location"]} for poi in few]}


def _weather(episode: Episode) -> dict[str, Any]:
    asked = episode.constraints.get("days", [episode.context.extra.get("day")])
    assert isinstance(asked, list)
    told: dict[str, Any] = {}
    for tool, result in _program(episode):
        if tool == "weather_query":
            told |= {day["day"]: day for day in result["weather"]}
    return {
        "weather": [
            {
                "day": day, "weather": told[day]["condition"], "temperature": told[day]["temperature"],
                "low": told[day]["low"], "high": told[day]["high"],
            }
            for day in map(str, asked)
        ]
    }  # fmt: skip


# ------------------------------------------------------------------ ways


def _legs(episode: Episode) -> list[dict[str, Any]]:
    """The best route of each call, one after the other."""
    return [result["routes"][0] for tool, result in _program(episode) if tool in ROUTE_TOOLS]


def _transfers(legs: list[dict[str, Any]]) -> int:
    return max(0, sum(step["line"] is not None for leg in legs for step in leg["steps"]) - 1)


def _way(episode: Episode) -> dict[str, Any]:
    legs = _legs(episode)
    ids = [leg["id"] for leg in legs]
    # of each leg whole minutes, as they add up
    minutes = sum(minutes_of(leg["duration"]) for leg in legs)
    return {
        "route": ids if len(ids) > 1 else ids[0],
        "duration": f"{minutes} min",
        "distance": sum(leg["distance"] for leg in legs),
        "transfers": _transfers(legs),
    }


def _property(episode: Episode) -> dict[str, Any]:
    legs = _legs(episode)
    asked = episode.constraints["asked"]
    match asked:
        case "time":
            return {"duration": sum(leg["duration"] for leg in legs)}
        case "length":
            return {"distance": sum(leg["distance"] for leg in legs)}
        case "transfers":
            return {"transfers": _transfers(legs)}
        case "lights":
            return {"traffic_lights": sum(leg["traffic_lights"] for leg in legs)}
        case "tolls" | "fare":
            return {asked: sum(leg[asked] for leg in legs)}
        case _:
            raise Unanswerable(f"{episode.id}: nothing is known of {asked!r}")


def _time(episode: Episode) -> dict[str, Any]:
    said, leg = episode.constraints, _legs(episode)[-1]
    # ways on foot and by bicycle take the same time at any
    timed = any({"depart_at", "arrive_by"} & set(call.arguments) for call in episode.program)
    match said["asked"]:
        case "depart":
            if timed:
                return {"depart": leg["depart"]}
            return {"depart": _clock((_minute(said["arrive_by"]) * 60 - leg["duration"]) // 60)}
        case "arrive" | "possible" as asked:
            later = _minute(said["depart_at"]) + minutes_of(leg["duration"])
            arrive = leg["arrive"] if timed else _clock(later)
            if asked == "arrive":
                return {"arrive": arrive}
            return {"possible": _minute(arrive) <= _minute(said["arrive_by"]), "arrive": arrive}
        case asked:
            raise Unanswerable(f"{episode.id}: {asked!r} is no time")


def _minute(clock: Any) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
