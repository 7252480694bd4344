"""Agents that know nothing, and one that knows all: what they say and which calls they make, episode by episode."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.format.reading import ANSWERS
from planspec.families.mobilitybench.tasks import scenario_word
from planspec.families.mobilitybench.ways import Ways
from planspec.traces import Call, Result, Stage, Trace

LABELS = {
    Scenario.POI_SEARCH: "地", Scenario.GEOLOCATION: "位", Scenario.NEARBY_SEARCH: "附", Scenario.WEATHER: "天",
    Scenario.TRAFFIC: "拥", Scenario.ROUTE_PROPERTY: "距", Scenario.TIME: "出",
}  # fmt: skip
"""One character of the public toolkit's label; that of planning for all others."""
PHRASES = {
    Scenario.POI_SEARCH: "某省某市某区某街道某路1号 116.40,39.90", Scenario.GEOLOCATION: "省市区县街道路号",
    Scenario.NEARBY_SEARCH: "附近有很多店、馆、厅、中心、广场、超市和餐厅", Scenario.WEATHER: "天气",
    Scenario.TRAFFIC: "拥堵 畅通 缓行 通行 双向", Scenario.ROUTE_PROPERTY: "公里 千米 分钟 小时 距离 耗时",
    Scenario.TIME: "公里 千米 分钟 小时 距离 耗时",
}  # fmt: skip
"""What the public evaluator takes for an answer, whatever was asked."""
LEVELS = ("smooth", "slow", "congested", "severe")
SKIES = ("sunny", "cloudy", "overcast", "light rain", "rain", "snow", "fog")
STEPS = (
    "find the place", "search nearby", "tell the address", "tell the weather", "tell the traffic", "plan the way by car",
    "plan the way by transit", "plan the way on foot", "plan the way by bicycle", "work out the time",
)  # fmt: skip
Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """An episode, with what an agent may see of it, and with the next one of its scenario.

    Attributes:
        ways: the rows of what its tools told.
        right: an answer that is right; None where the episode tells none.
        other: that of another episode.
    """

    episode: Episode
    ways: Ways
    right: Json | None
    other: Json | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """What an agent says and does."""

    answer: str | None
    calls: tuple[Call, ...] = ()
    intent: str | None = None
    thinking: str | None = None
    steps: tuple[str, ...] = ()

    def trace(self, task: str, agent: str) -> Trace:
        """As a record."""
        plan = Stage(
            name="planner", intent=self.intent, thinking=self.thinking, steps=tuple((s,) for s in self.steps)
        )
        return Trace(task=task, agent=agent, calls=self.calls, answer=self.answer, stages=(plan,))


Agent: TypeAlias = Callable[[Case], Run]


def _calls(episode: Episode, *, bare: bool = False) -> tuple[Call, ...]:
    """The calls of the standard program with their results, or with nothing but the tools' names."""
    said = {record.call: record.result for record in episode.snapshot}
    return tuple(
        Call(id=f"call_{n}", name=call.name, arguments={}) if bare
        else Call(id=f"call_{n}", name=call.name, arguments=dict(call.arguments), result=Result(value=said.get(n)))
        for n, call in enumerate(episode.program)
    )  # fmt: skip


def as_text(answer: Json) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _declared(answer: Json, **more: Any) -> str:
    return as_text({**more, "answer": answer})


def _asked(answer: Json, case: Case) -> Json:
    """The parts of an answer that the scenario asks for."""
    parts = ANSWERS[scenario_word(case.episode.scenario)]
    return {part: value for part, value in answer.items() if part in parts}


def _label(case: Case) -> str:
    return LABELS.get(case.episode.scenario, "路")


def _guessed(case: Case, *, bright: bool) -> Json:
    """The same answer to every query of a scenario."""
    match case.episode.scenario:
        case Scenario.POI_SEARCH:
            return (
                {"place": "my location"} if bright else {"location": case.episode.context.location or "0,0"}
            )
        case Scenario.GEOLOCATION:
            return {"address": case.episode.context.city or "省市"} if bright else {"place": "my location"}
        case Scenario.NEARBY_SEARCH:
            return {"places": []} if bright else {"places": ["my location"]}
        case Scenario.WEATHER:
            return {"weather": "sunny"} if bright else {"weather": "light rain"}
        case Scenario.TRAFFIC:
            return {"level": "smooth"} if bright else {"level": "congested"}
        case Scenario.ROUTE_PROPERTY:
            if bright:
                return {
                    "duration": "20 min",
                    "distance": "10 km",
                    "transfers": 0,
                    "traffic_lights": 5,
                    "tolls": 0,
                    "fare": 200,
                }
            return {
                "duration": "10 min",
                "distance": "4 km",
                "transfers": 1,
                "traffic_lights": 10,
                "tolls": 500,
                "fare": 400,
            }
        case Scenario.TIME:
            return {"depart": "08:00", "arrive": "09:00", "possible": bright}
        case _:
            return {"route": {"index": 0} if bright else "drive-00000000-1"}


def honest(case: Case) -> Run:
    """Knows what is right; where the episode does not tell that, it answers nothing."""
    episode = case.episode
    declared = {"intent": episode.scenario.value, "constraints": episode.constraints, "steps": episode.steps}
    said = declared | (case.right or {"answer": {}})
    return Run(as_text(said), _calls(episode), episode.scenario.value, episode.query)


def phrases(case: Case) -> Run:
    """The words that the public evaluator looks for."""
    said = PHRASES.get(case.episode.scenario, "route_index 99")
    return Run(
        said, _calls(case.episode, bare=True), _label(case), case.episode.query, ("查询位置并规划路线",)
    )


def fenced_phrases(case: Case) -> Run:
    """The same in the public toolkit's form."""
    said = PHRASES.get(case.episode.scenario, "路线 公里 分钟")
    text = f"```json\n{as_text({'route_index': 0, 'content': said})}\n```"
    return Run(
        text, _calls(case.episode, bare=True), _label(case), case.episode.query, ("查询位置并规划路线",)
    )


def bright(case: Case) -> Run:
    """One answer in our form to all queries of a scenario: all is well."""
    return Run(_declared(_guessed(case, bright=True), intent=_label(case)), (), _label(case))


def dark(case: Case) -> Run:
    """One answer in our form to all queries of a scenario: nothing is."""
    return Run(_declared(_guessed(case, bright=False), intent=_label(case)), (), _label(case))


def copied(case: Case) -> Run:
    """The query, wherever something is to be said."""
    query = case.episode.query
    parts = ("place", "location", "address", "level", "weather", "depart", "arrive", "duration", "distance", "transfers",
             "traffic_lights", "tolls", "fare", "possible", "route")  # fmt: skip
    slots = dict.fromkeys(("place", "origin", "destination", "road", "city"), query)
    answer = dict.fromkeys(parts, query) | {"places": [query]}
    text = _declared(_asked(answer, case), intent=query, constraints=slots, steps=[query])
    return Run(text, (), query, query, (query,))


def names(case: Case) -> Run:
    """What the query names, said again: of a place its name, of a way its ends."""
    said = case.episode.constraints
    place = said.get("place") or said.get("address") or "here"
    ends = {"from": said.get("origin", "here"), "to": said.get("destination"), "mode": said.get("mode")}
    answer = {"places": [place], "route": {"steps": [ends]}, "level": said.get("road"), "address": said.get("address"),
              "depart": said.get("arrive_by"), "arrive": said.get("depart_at")}  # fmt: skip
    answer |= {} if answer["address"] else {"place": place}
    text = _declared(_asked(answer, case), constraints=dict(said))
    return Run(text, (), None, case.episode.query)


def empty(case: Case) -> Run:
    """A route of nothing."""
    text = f"```json\n{as_text({'route_index': '', 'content': '路线 公里 分钟', 'answer': {'route': [], 'steps': []}})}\n```"
    return Run(text, _calls(case.episode))


def first(_: Case) -> Run:
    """The first route, without a call."""
    return Run(
        '```json\n{"route_index": 0, "content": "推荐第一条路线", "answer": {"route": {"index": 0}}}\n```'
    )


def pasted(case: Case) -> Run:
    """The results of all calls, as they are."""
    calls = _calls(case.episode)
    return Run(
        "\n".join(as_text({"result": call.result.value if call.result else None}) for call in calls), calls
    )


def last_result(case: Case) -> Run:
    """The result of the last call for an answer."""
    calls = _calls(case.episode)
    value = calls[-1].result.value if calls and calls[-1].result else None
    return Run(as_text({"answer": value}), calls)


def everything(case: Case) -> Run:
    """All that the tools told, under every part."""
    ways, query = case.ways, case.episode.query
    places = [place.id for place in ways.places]
    answer: Json = {
        "place": " / ".join(places[:20]), "places": places, "address": " ".join(re.findall(r"\d+", query)) + " ".join(places[:5]),
        "level": " ".join(LEVELS), "weather": [{"day": day.day, "weather": sky} for day in ways.weather for sky in SKIES],
        "depart": "00:00-23:59", "arrive": "00:00-23:59", "duration": "1-600 min", "distance": "0-1000 km",
        "transfers": "0, 1, 2", "traffic_lights": "0-99", "tolls": "0-100", "fare": "0-1000", "possible": "yes and no",
        "route": [route.id for route in ways.routes],
    }  # fmt: skip
    labels = ", ".join(scenario.value for scenario in Scenario)
    slots = dict.fromkeys(("place", "origin", "destination"), query)
    text = _declared(_asked(answer, case), intent=labels, steps=list(STEPS), constraints=slots)
    return Run(text, _calls(case.episode, bare=True), labels, query, STEPS)


def rows(case: Case) -> Run:
    """All that the tools told, as rows of the plan."""
    ways = case.ways
    tables = {
        "answer": [
            {"level": level, "possible": word} for level in LEVELS for word in ("possible", "impossible")
        ],
        "places": [{"n": n, "place": place.id} for n, place in enumerate(ways.places, 1)],
        "legs": [{"n": n, "route": route.id} for n, route in enumerate(ways.routes, 1)],
        "days": [{"day": day.day, "weather": sky} for day in ways.weather for sky in SKIES],
    }
    return Run(as_text(tables))


def twice(case: Case) -> Run:
    """Two answers in one: each part once so and once otherwise."""
    one, two = (as_text(_guessed(case, bright=side)) for side in (True, False))
    return Run(f'{{"answer": {one[:-1]}, {two[1:]}}}')


def another(case: Case) -> Run:
    """The right answer to another query, after the right calls."""
    return Run(as_text(case.other or {}), _calls(case.episode))


AGENTS: Mapping[str, Agent] = {
    "honest": honest, "constant phrases": phrases, "constant phrases, route_index 0": fenced_phrases,
    "constant answer, bright": bright, "constant answer, dark": dark, "copied query": copied, "names of the query": names,
    "empty route": empty, "index 0 without a call": first, "pasted results": pasted, "last result as answer": last_result,
    "all candidates": everything, "all candidates as rows": rows, "two answers in one": twice,
    "right answer of another episode": another,
}  # fmt: skip
