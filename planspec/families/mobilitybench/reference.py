"""Reference answers of episodes, derived from the tools' results, in the form of an agent's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.api.oracles import Performance
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.families.mobilitybench.amounts import minutes_of
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.environment.environment import episode_of
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Context, Episode, Scenario, StandardCall

DEFAULT_PLACES = 3
"""Number of places in an answer if the query does not specify it."""


class UnanswerableRequestError(ValueError):
    """Error if no answer can be derived from the tools' results."""


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A request together with the results of the tools.

    Attributes:
        id: id of the task.
        scenario: scenario of the request.
        constraints: values by slot, in the user's words.
        context: place and time of the user.
        program: calls of the reference program, in order.
        results: tool and result of each call.
    """

    id: str
    scenario: Scenario
    constraints: Mapping[str, Any]
    context: Context
    program: Sequence[StandardCall]
    results: Sequence[tuple[str, Any]]


def reference_answer(episode: Episode) -> dict[str, Any]:
    """Return the answer that a faultless agent would give, with intent, constraints and steps.

    Args:
        episode: a generated episode. Its results have the form of our tools.

    Raises:
        UnanswerableRequestError: the answer cannot be derived from the results of the program.
    """
    records = {record.call: record for record in episode.snapshot}
    results = [
        (record.tool, record.result)
        for number in range(len(episode.program))
        if (record := records.get(number)) is not None
    ]
    request = AnsweredRequest(
        episode.id, episode.scenario, episode.constraints, episode.context, episode.program, results
    )
    return {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
        "answer": answer_of(request),
    }


def answer_of(request: AnsweredRequest) -> dict[str, Any]:
    """Derive the answer to a request from the results of its program.

    Raises:
        UnanswerableRequestError: the answer cannot be derived.
    """
    try:
        return _scenario_answer(request)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise UnanswerableRequestError(f"{request.id}: {type(error).__name__} {error}") from None


def perform_standard_program(answer: Any, performance: Performance) -> Any:
    """Call the tools of the reference program, and add the episode's intent, constraints and steps to an answer.

    An answer of another type than an object, or without a known episode, is returned unchanged.

    Args:
        answer: `{"answer": {...}}`.
        performance: the task, its folder and its tools.
    """
    if not isinstance(answer, Mapping):
        return answer
    try:
        episode = episode_of(performance.judge.task.id.partition("@")[0], performance.name, performance.folder)
    except UnpreparedSettingError:
        return answer
    for call in episode.program:
        performance.call(call.tool, dict(call.arguments))
    reported = {
        "intent": episode.scenario.value,
        "constraints": dict(episode.constraints),
        "steps": list(episode.steps),
    }
    return reported | dict(answer)


def _scenario_answer(request: AnsweredRequest) -> dict[str, Any]:
    match request.scenario:
        case Scenario.POI_SEARCH:
            return _place_answer(request)
        case Scenario.GEOLOCATION:
            return _geolocation_answer(request)
        case Scenario.NEARBY_SEARCH:
            return _nearby_answer(request)
        case Scenario.WEATHER:
            return _weather_answer(request)
        case Scenario.TRAFFIC:
            return {"level": _last_result(request, "traffic_info_query")["level"]}
        case Scenario.ROUTE_PROPERTY:
            return _property_answer(request)
        case Scenario.TIME:
            return _time_answer(request)
        case _:
            return _route_answer(request)


def _last_result(request: AnsweredRequest, tool: str) -> dict[str, Any]:
    last: dict[str, Any] = [result for name, result in request.results if name == tool][-1]
    return last


# ------------------------------------------------------------------ the map


def _place_answer(request: AnsweredRequest) -> dict[str, Any]:
    pois = _last_result(request, "poi_query")["pois"]
    district = request.constraints.get("district")
    if district is not None:
        pois = [poi for poi in pois if folded(poi["district"]) == folded(str(district))]
    best = pois[0]
    return {"place": {"name": best["name"], "location": best["location"], "address": best["address"]}}


def _geolocation_answer(request: AnsweredRequest) -> dict[str, Any]:
    slots = request.constraints
    if "address" in slots:
        place = _last_result(request, "geocoding")["places"][0]
        return {"place": {"name": place["address"], "location": place["location"]}}
    if "place" in slots:
        best = _last_result(request, "poi_query")["pois"][0]
        return {"place": {"name": best["name"], "location": best["location"]}, "location": best["location"]}
    return {"address": _last_result(request, "reverse_geocoding")["address"]}


def _nearby_answer(request: AnsweredRequest) -> dict[str, Any]:
    limit = request.constraints.get("limit")
    around = request.constraints.get("near")
    pois = [poi for poi in _last_result(request, "nearby_poi_query")["pois"] if poi["name"] != around]
    few = pois[: limit if isinstance(limit, int) else DEFAULT_PLACES]
    return {"places": [{"name": poi["name"], "location": poi["location"]} for poi in few]}


def _weather_answer(request: AnsweredRequest) -> dict[str, Any]:
    days = request.constraints.get("days", [request.context.extra.get("day")])
    assert isinstance(days, list)
    by_day: dict[str, Any] = {}
    for tool, result in request.results:
        if tool == "weather_query":
            by_day |= {day["day"]: day for day in result["weather"]}
    return {
        "weather": [
            {
                "day": day,
                "weather": by_day[day]["condition"],
                "temperature": by_day[day]["temperature"],
                "low": by_day[day]["low"],
                "high": by_day[day]["high"],
            }
            for day in map(str, days)
        ]
    }


# ------------------------------------------------------------------ ways


def _best_routes(request: AnsweredRequest) -> list[dict[str, Any]]:
    """Return the best route of each planning call, in order."""
    return [result["routes"][0] for tool, result in request.results if tool in ROUTE_TOOLS]


def _count_transfers(legs: list[dict[str, Any]]) -> int:
    return max(0, sum(step["line"] is not None for leg in legs for step in leg["steps"]) - 1)


def _route_answer(request: AnsweredRequest) -> dict[str, Any]:
    legs = _best_routes(request)
    ids = [leg["id"] for leg in legs]
    # the constraint library rounds up each leg to minutes before it adds them
    minutes = sum(minutes_of(leg["duration"]) for leg in legs)
    return {
        "route": ids if len(ids) > 1 else ids[0],
        "duration": f"{minutes} min",
        "distance": sum(leg["distance"] for leg in legs),
        "transfers": _count_transfers(legs),
    }


def _property_answer(request: AnsweredRequest) -> dict[str, Any]:
    legs = _best_routes(request)
    match request.constraints["asked"]:
        case "time":
            return {"duration": sum(leg["duration"] for leg in legs)}
        case "length":
            return {"distance": sum(leg["distance"] for leg in legs)}
        case "transfers":
            return {"transfers": _count_transfers(legs)}
        case "lights":
            return {"traffic_lights": sum(leg["traffic_lights"] for leg in legs)}
        case "tolls" | "fare" as amount:
            return {amount: sum(leg[amount] for leg in legs)}
        case other:
            raise UnanswerableRequestError(f"{request.id}: nothing is known of {other!r}")


def _time_answer(request: AnsweredRequest) -> dict[str, Any]:
    slots, leg = request.constraints, _best_routes(request)[-1]
    # calls for walking and cycling have no times, since their durations do not depend on the time of day
    timed = any({"depart_at", "arrive_by"} & set(call.arguments) for call in request.program)
    match slots["asked"]:
        case "depart":
            if timed:
                return {"depart": leg["depart"]}
            return {"depart": _clock_text((_clock_minutes(slots["arrive_by"]) * 60 - leg["duration"]) // 60)}
        case "arrive" | "possible" as figure:
            later = _clock_minutes(slots["depart_at"]) + minutes_of(leg["duration"])
            arrive = leg["arrive"] if timed else _clock_text(later)
            if figure == "arrive":
                return {"arrive": arrive}
            return {
                "possible": _clock_minutes(arrive) <= _clock_minutes(slots["arrive_by"]),
                "arrive": arrive,
            }
        case other:
            raise UnanswerableRequestError(f"{request.id}: {other!r} is no time")


def _clock_minutes(clock: Any) -> int:
    hours, _, minutes = str(clock).partition(":")
    return int(hours) * 60 + int(minutes)


def _clock_text(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
