"""Agents that do not solve the task, and an honest agent, with their answers and calls for each episode."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.format.reading import ANSWERS
from planspec.families.mobilitybench.row_collector import EpisodeRows
from planspec.families.mobilitybench.tasks import scenario_word
from planspec.traces import Call, Result, Stage, Trace

LABELS = {
    Scenario.POI_SEARCH: "地",
    Scenario.GEOLOCATION: "位",
    Scenario.NEARBY_SEARCH: "附",
    Scenario.WEATHER: "天",
    Scenario.TRAFFIC: "拥",
    Scenario.ROUTE_PROPERTY: "距",
    Scenario.TIME: "出",
}
"""For each scenario, one character of the public toolkit's label for its intent.

The toolkit accepts a part of a label. Other scenarios have the character of route planning.
"""
PHRASES = {
    Scenario.POI_SEARCH: "某省某市某区某街道某路1号 116.40,39.90",
    Scenario.GEOLOCATION: "省市区县街道路号",
    Scenario.NEARBY_SEARCH: "附近有很多店、馆、厅、中心、广场、超市和餐厅",
    Scenario.WEATHER: "天气",
    Scenario.TRAFFIC: "拥堵 畅通 缓行 通行 双向",
    Scenario.ROUTE_PROPERTY: "公里 千米 分钟 小时 距离 耗时",
    Scenario.TIME: "公里 千米 分钟 小时 距离 耗时",
}
"""For each scenario, a phrase that the public evaluator accepts as an answer to any query."""
LEVELS = ("smooth", "slow", "congested", "severe")
SKIES = ("sunny", "cloudy", "overcast", "light rain", "rain", "snow", "fog")
STEPS = (
    "find the place",
    "search nearby",
    "tell the address",
    "tell the weather",
    "tell the traffic",
    "plan the way by car",
    "plan the way by transit",
    "plan the way on foot",
    "plan the way by bicycle",
    "work out the time",
)
Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """An episode with a right answer.

    Attributes:
        ways: rows of the results of the episode's tools.
        right: a right answer, or None if the episode does not determine one.
        other: right answer of another episode of the same scenario.
    """

    episode: Episode
    ways: EpisodeRows
    right: Json | None
    other: Json | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Actions of an agent in an attempt, and its answer."""

    answer: str | None
    calls: tuple[Call, ...] = ()
    intent: str | None = None
    thinking: str | None = None
    steps: tuple[str, ...] = ()

    def trace(self, task: str, agent: str) -> Trace:
        """Return the run as a trace."""
        plan = Stage(name="planner", intent=self.intent, thinking=self.thinking, steps=tuple((s,) for s in self.steps))
        return Trace(task=task, agent=agent, calls=self.calls, answer=self.answer, stages=(plan,))


Agent: TypeAlias = Callable[[Case], Run]


def _calls(episode: Episode, *, bare: bool = False) -> tuple[Call, ...]:
    """Return the calls of the reference program with their results or, if `bare`, only the names of their tools."""
    results = {record.call: record.result for record in episode.snapshot}
    return tuple(
        Call(id=f"call_{n}", name=call.name, arguments={})
        if bare
        else Call(id=f"call_{n}", name=call.name, arguments=dict(call.arguments), result=Result(value=results.get(n)))
        for n, call in enumerate(episode.program)
    )


def as_text(answer: Json) -> str:
    """Return an answer as JSON text."""
    return json.dumps(answer, ensure_ascii=False)


def _answer_text(answer: Json, **more: Any) -> str:
    return as_text({**more, "answer": answer})


def _requested_parts(answer: Json, case: Case) -> Json:
    """Return the parts of an answer that the scenario asks for."""
    parts = ANSWERS[scenario_word(case.episode.scenario)]
    return {part: value for part, value in answer.items() if part in parts}


def _label(case: Case) -> str:
    """Return a text that the public toolkit's label for the intent of a case contains."""
    return LABELS.get(case.episode.scenario, "路")


def _constant_answer(case: Case, *, is_optimistic: bool) -> Json:
    """Return the constant answer to every query of a scenario: the optimistic or the pessimistic one."""
    match case.episode.scenario:
        case Scenario.POI_SEARCH:
            return {"place": "my location"} if is_optimistic else {"location": case.episode.context.location or "0,0"}
        case Scenario.GEOLOCATION:
            return {"address": case.episode.context.city or "省市"} if is_optimistic else {"place": "my location"}
        case Scenario.NEARBY_SEARCH:
            return {"places": []} if is_optimistic else {"places": ["my location"]}
        case Scenario.WEATHER:
            return {"weather": "sunny"} if is_optimistic else {"weather": "light rain"}
        case Scenario.TRAFFIC:
            return {"level": "smooth"} if is_optimistic else {"level": "congested"}
        case Scenario.ROUTE_PROPERTY:
            if is_optimistic:
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
            return {"depart": "08:00", "arrive": "09:00", "possible": is_optimistic}
        case _:
            return {"route": {"index": 0} if is_optimistic else "drive-00000000-1"}


def honest(case: Case) -> Run:
    """Give the right answer; give an empty one if the episode does not determine it."""
    episode = case.episode
    declared = {"intent": episode.scenario.value, "constraints": episode.constraints, "steps": episode.steps}
    content = declared | (case.right or {"answer": {}})
    return Run(as_text(content), _calls(episode), episode.scenario.value, episode.query)


def constant_phrases(case: Case) -> Run:
    """Give the phrases that the public evaluator looks for."""
    text = PHRASES.get(case.episode.scenario, "route_index 99")
    return Run(text, _calls(case.episode, bare=True), _label(case), case.episode.query, ("查询位置并规划路线",))


def fenced_phrases(case: Case) -> Run:
    """Give the phrases that the public evaluator looks for, in the public toolkit's JSON form."""
    content = PHRASES.get(case.episode.scenario, "路线 公里 分钟")
    text = f"```json\n{as_text({'route_index': 0, 'content': content})}\n```"
    return Run(text, _calls(case.episode, bare=True), _label(case), case.episode.query, ("查询位置并规划路线",))


def optimistic_answer(case: Case) -> Run:
    """Answer all queries of a scenario with the same optimistic values, in planspec's format."""
    return Run(_answer_text(_constant_answer(case, is_optimistic=True), intent=_label(case)), (), _label(case))


def pessimistic_answer(case: Case) -> Run:
    """Answer all queries of a scenario with the same pessimistic values, in planspec's format."""
    return Run(_answer_text(_constant_answer(case, is_optimistic=False), intent=_label(case)), (), _label(case))


def copied_query(case: Case) -> Run:
    """Answer with the query as the value of every part."""
    query = case.episode.query
    parts = (
        "place",
        "location",
        "address",
        "level",
        "weather",
        "depart",
        "arrive",
        "duration",
        "distance",
        "transfers",
        "traffic_lights",
        "tolls",
        "fare",
        "possible",
        "route",
    )
    slots = dict.fromkeys(("place", "origin", "destination", "road", "city"), query)
    answer = dict.fromkeys(parts, query) | {"places": [query]}
    text = _answer_text(_requested_parts(answer, case), intent=query, constraints=slots, steps=[query])
    return Run(text, (), query, query, (query,))


def named_places(case: Case) -> Run:
    """Answer with the place, or the ends of the route, named in the query."""
    slots = case.episode.constraints
    place = slots.get("place") or slots.get("address") or "here"
    ends = {"from": slots.get("origin", "here"), "to": slots.get("destination"), "mode": slots.get("mode")}
    answer = {
        "places": [place],
        "route": {"steps": [ends]},
        "level": slots.get("road"),
        "address": slots.get("address"),
        "depart": slots.get("arrive_by"),
        "arrive": slots.get("depart_at"),
    }
    answer |= {} if answer["address"] else {"place": place}
    text = _answer_text(_requested_parts(answer, case), constraints=dict(slots))
    return Run(text, (), None, case.episode.query)


def empty_route(case: Case) -> Run:
    """Give an empty route."""
    text = f"```json\n{as_text({'route_index': '', 'content': '路线 公里 分钟', 'answer': {'route': [], 'steps': []}})}\n```"
    return Run(text, _calls(case.episode))


def first_route(_: Case) -> Run:
    """Name the first route as the answer without having called a tool."""
    return Run('```json\n{"route_index": 0, "content": "推荐第一条路线", "answer": {"route": {"index": 0}}}\n```')


def pasted_results(case: Case) -> Run:
    """Answer with the results of all calls as JSON, one a line."""
    calls = _calls(case.episode)
    return Run("\n".join(as_text({"result": call.result.value if call.result else None}) for call in calls), calls)


def last_result(case: Case) -> Run:
    """Give the result of the last call as the answer."""
    calls = _calls(case.episode)
    value = calls[-1].result.value if calls and calls[-1].result else None
    return Run(as_text({"answer": value}), calls)


def all_results(case: Case) -> Run:
    """Give all results of the tools under every part of the answer."""
    ways, query = case.ways, case.episode.query
    places = [place.id for place in ways.places]
    answer: Json = {
        "place": " / ".join(places[:20]),
        "places": places,
        "address": " ".join(re.findall(r"\d+", query)) + " ".join(places[:5]),
        "level": " ".join(LEVELS),
        "weather": [{"day": day.day, "weather": sky} for day in ways.weather for sky in SKIES],
        "depart": "00:00-23:59",
        "arrive": "00:00-23:59",
        "duration": "1-600 min",
        "distance": "0-1000 km",
        "transfers": "0, 1, 2",
        "traffic_lights": "0-99",
        "tolls": "0-100",
        "fare": "0-1000",
        "possible": "yes and no",
        "route": [route.id for route in ways.routes],
    }
    labels = ", ".join(scenario.value for scenario in Scenario)
    slots = dict.fromkeys(("place", "origin", "destination"), query)
    text = _answer_text(_requested_parts(answer, case), intent=labels, steps=list(STEPS), constraints=slots)
    return Run(text, _calls(case.episode, bare=True), labels, query, STEPS)


def all_results_as_rows(case: Case) -> Run:
    """Give all results of the tools as rows of the plan."""
    ways = case.ways
    tables = {
        "answer": [{"level": level, "possible": word} for level in LEVELS for word in ("possible", "impossible")],
        "places": [{"n": n, "place": place.id} for n, place in enumerate(ways.places, 1)],
        "legs": [{"n": n, "route": route.id} for n, route in enumerate(ways.routes, 1)],
        "days": [{"day": day.day, "weather": sky} for day in ways.weather for sky in SKIES],
    }
    return Run(as_text(tables))


def two_answers(case: Case) -> Run:
    """Give each part of the answer twice in one object, with different values."""
    one, two = (as_text(_constant_answer(case, is_optimistic=side)) for side in (True, False))
    return Run(f'{{"answer": {one[:-1]}, {two[1:]}}}')


def answer_to_another_query(case: Case) -> Run:
    """Give the right answer to another query, after the right calls."""
    return Run(as_text(case.other or {}), _calls(case.episode))


AGENTS: Mapping[str, Agent] = {
    "honest": honest,
    "phrases that the public evaluator accepts": constant_phrases,
    "the same phrases, `route_index` 0": fenced_phrases,
    "constant answer, optimistic": optimistic_answer,
    "constant answer, pessimistic": pessimistic_answer,
    "copied query": copied_query,
    "names from the query": named_places,
    "empty route": empty_route,
    "the first route, without a call": first_route,
    "pasted results of all calls": pasted_results,
    "last result as answer": last_result,
    "all results in each part of the answer": all_results,
    "all results as rows": all_results_as_rows,
    "both constant answers in one": two_answers,
    "right answer to another episode": answer_to_another_query,
}
