"""Questions about London, and an agent that answers them by pattern matching, with no information except its view."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.format.cells import read_level
from tests.families.mobilitybench import london


@cache
def questions() -> dict[Scenario, str]:
    """Return the question of each scenario that `QuestionAgent` understands.

    The city is created on first use, since every xdist worker imports this module on collecting tests.
    """
    a, b, c = london.ends()
    return {
        Scenario.POI_SEARCH: f"Where is <{a.name}>?",
        Scenario.GEOLOCATION: f"Which address is at <{a.point}>?",
        Scenario.NEARBY_SEARCH: "What are the six nearest places within 2000 metres?",
        Scenario.WEATHER: "What will the weather be like today and tomorrow?",
        Scenario.TRAFFIC: f"How is the traffic on <{london.city().roads[0].name}>?",
        Scenario.ROUTE_PROPERTY: f"How long does it take by car from <{a.name}> to <{b.name}>?",
        Scenario.TIME: f"When do I leave by car from <{a.point}> to <{b.point}> to arrive by 09:00?",
        Scenario.POINT_TO_POINT: f"A way by car from <{a.name}> to <{b.name}>, please.",
        Scenario.MULTI_STOP: f"A way on foot from <{a.name}> to <{c.name}> to <{b.name}>, please.",
        Scenario.OPTIONS: f"The shortest way by car from <{a.name}> to <{b.name}>, please.",
        Scenario.CUSTOMIZED: f"A way by public transport at 08:00 from <{a.name}> to <{b.name}>, please.",
    }


def question_episode(scenario: Scenario) -> Episode:
    """Return the episode of a scenario with a question that `QuestionAgent` understands."""
    episode = london.EPISODES[scenario]()
    changes: dict[str, Any] = {"query": questions()[scenario]}
    if scenario is Scenario.TRAFFIC:
        result: Any = episode.snapshot[0].result
        changes["given"] = {"right_level": read_level(result["level"])}
    return episode.model_copy(update=changes).with_checksum()


class QuestionAgent:
    """An agent that looks up the named places, calls the tool for the question, and answers with its result."""

    def answer(self, view: TaskView, desk: Desk) -> dict[str, Any]:
        self.desk, query = desk, view.query
        named = re.findall(r"<(.*?)>", query)
        context = dict(line.split(": ", 1) for line in view.materials["Context"].splitlines())
        city, here = context["City"], context["The user is at (longitude,latitude)"]
        if query.startswith("Where is"):
            return {"answer": {"place": self.ask("poi_query", keywords=named[0], limit=1)["pois"][0]["name"]}}
        if query.startswith("Which address"):
            return {"answer": {"address": self.ask("reverse_geocoding", location=named[0])["address"]}}
        if "nearest" in query:
            pois = self.ask("nearby_poi_query", location=here, radius=2000)["pois"]
            return {"answer": {"places": [poi["name"] for poi in pois[:6]]}}
        if "weather" in query:
            days = self.ask("weather_query", city=city, type="forecast")["weather"][:2]
            return {"answer": {"weather": [{"day": day["day"], "weather": day["condition"]} for day in days]}}
        if "traffic" in query:
            return {"answer": {"level": self.ask("traffic_info_query", road=named[0], city=city)["level"]}}
        return {"answer": self.way(query, [self.point(name) for name in named])}

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and return its result, which must not be an error."""
        answer = self.desk.call(tool, arguments)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def point(self, name: str) -> str:
        """Return the location of a place, given by its name or by coordinates."""
        if name[0] in "-0123456789":
            return name
        location: str = self.ask("poi_query", keywords=name, limit=1)["pois"][0]["location"]
        return location

    def way(self, query: str, points: list[str]) -> dict[str, Any]:
        """Plan a route through some points, with the mode, preferences and times that the query states."""
        tool = "driving_planning" if "by car" in query else "walking_planning" if "on foot" in query else "bus_planning"
        wishes: dict[str, Any] = {}
        if "shortest" in query:
            wishes = {"preferences": ["shortest"]}
        if "arrive by 09:00" in query:
            wishes = {"arrive_by": "09:00"}
        if "at 08:00" in query:
            wishes = {"depart_at": "08:00"}
        legs, route = [], {}
        for origin, destination in pairwise(points):
            route = self.ask(tool, origin=origin, destination=destination, **wishes)["routes"][0]
            legs.append({"call": self.desk.calls[-1].id, "index": 0})
        if query.startswith("How long"):
            return {name: route[name] for name in ("duration", "distance", "traffic_lights", "tolls")}
        if query.startswith("When"):
            return {"depart": route["depart"], "possible": True}
        return {"route": legs}
