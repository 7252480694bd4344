"""Translation of calls of our tools to calls of the public toolkit's tools. The module `translation` is the inverse.

Parts of a call that the toolkit's tools cannot express are left out and listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.families.mobilitybench.episode import TOOLS, Context, StandardCall

NAMES: Mapping[str, str] = {ours: theirs for theirs, ours in TOOLS.items()}
"""The toolkit's name of each of our tools, as it occurs in the public table."""
STRATEGIES: Mapping[str, str] = {
    "fastest": "速度最快",
    "avoid_tolls": "避免收费",
    "avoid_highways": "不走高速",
    "prefer_highways": "高速优先",
    "shortest": "距离最短",
}
"""The toolkit's word for each of our driving preferences."""
CHOICES: Mapping[str, str] = {"cheapest": "1", "fewest_transfers": "2", "least_walking": "3", "fastest": "8"}
"""Code of the toolkit's bus tool for each of our preferences."""
WITHOUT_SUBWAY = frozenset(("bus", "tram", "ferry"))
MOST_STRATEGIES = 2
OUR_RADIUS_M = 1000
"""Default radius of our search around a place, in metres."""


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A call of the toolkit.

    Attributes:
        name: the toolkit's name of the tool; None if it has no equivalent tool.
        arguments: arguments in the toolkit's form.
        inexpressible: parts of our call that the toolkit cannot express, each in a few words.
    """

    name: str | None
    arguments: Mapping[str, Any]
    inexpressible: tuple[str, ...]

    @property
    def strategies(self) -> list[str]:
        """Strategies in the arguments of the call, as the column `strategy_list` holds them."""
        strategy = self.arguments.get("strategy", [])
        return [strategy] if isinstance(strategy, str) else list(strategy)


def public_call(call: StandardCall, context: Context) -> PublicCall:
    """Translate a call of one of our tools to a call of the toolkit.

    Args:
        call: call of one of our tools.
        context: context of the episode. Its city replaces a location where the toolkit accepts only cities.
    """
    name = NAMES.get(call.tool)
    if name is None:
        return PublicCall(None, {}, (f"the tool {call.tool}",))
    remaining: dict[str, Any] = dict(call.arguments)
    arguments: dict[str, Any] = {}

    def move_arguments(*names: str) -> None:
        arguments.update((one, remaining.pop(one)) for one in names if remaining.get(one) not in (None, [], ""))

    match call.tool:
        case "poi_query":
            move_arguments("keywords", "city")
        case "nearby_poi_query":
            move_arguments("location", "keywords")
            arguments["radius"] = remaining.pop("radius", OUR_RADIUS_M)
        case "reverse_geocoding":
            longitude, _, latitude = str(remaining.pop("location")).partition(",")
            arguments |= {"latitude": latitude.strip(), "longitude": longitude.strip()}
            move_arguments("radius")
        case "weather_query":
            arguments["city"] = remaining.pop("city", None) or context.city or ""
            arguments["need_forecast"] = remaining.pop("type", "current") == "forecast"
        case "traffic_info_query":
            arguments["name"] = remaining.pop("road")
            move_arguments("city")
        case "driving_planning":
            move_arguments("origin", "destination", "waypoints")
            words = [STRATEGIES[word] for word in remaining.get("preferences", ()) if word in STRATEGIES]
            remaining["preferences"] = _inexpressible_preferences(remaining.get("preferences", ()))
            if words:
                arguments["strategy"] = words[:MOST_STRATEGIES]
        case _:
            move_arguments("origin", "destination")
            if remaining.get("preference") in CHOICES:
                arguments["strategy"] = CHOICES[remaining.pop("preference")]
            elif frozenset(remaining.get("modes", ())) == WITHOUT_SUBWAY:
                arguments["strategy"] = "5"
                remaining.pop("modes")
    inexpressible = tuple(f"{one} of {call.tool}" for one, value in remaining.items() if value not in (None, [], ()))
    return PublicCall(name, arguments, inexpressible)


def _inexpressible_preferences(preferences: Sequence[str]) -> list[str]:
    """Return the driving preferences for which the toolkit has no word, or that exceed its limit `MOST_STRATEGIES`."""
    expressible = [word for word in preferences if word in STRATEGIES]
    return [word for word in preferences if word not in expressible[:MOST_STRATEGIES]]
