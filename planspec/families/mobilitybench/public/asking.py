"""Calls of ours as calls of the public toolkit's tools: the other way round of `translation`.

What the toolkit cannot be asked is left out of the call and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.families.mobilitybench.episode import TOOLS, Context, StandardCall

NAMES: Mapping[str, str] = {ours: theirs for theirs, ours in TOOLS.items()}
"""The toolkit's names of the tools, as its table writes them."""
STRATEGIES: Mapping[str, str] = {
    "fastest": "速度最快", "avoid_tolls": "避免收费", "avoid_highways": "不走高速", "prefer_highways": "高速优先",
    "shortest": "距离最短",
}  # fmt: skip
"""The toolkit's words for our preferences of a way by car."""
CHOICES: Mapping[str, str] = {"cheapest": "1", "fewest_transfers": "2", "least_walking": "3", "fastest": "8"}
"""The codes of its bus tool for ours."""
WITHOUT_SUBWAY = frozenset(("bus", "tram", "ferry"))
MOST_STRATEGIES = 2
OUR_RADIUS = 1000
"""Metres around a place in which our tool searches when no radius is given."""


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A call of the toolkit.

    Attributes:
        name: of its tool; None where it has no such tool.
        arguments: in its words.
        unsaid: what of ours it cannot be asked, in a few words each.
    """

    name: str | None
    arguments: Mapping[str, Any]
    unsaid: tuple[str, ...]

    @property
    def strategies(self) -> list[str]:
        """Its preferences, as the column `strategy_list` has them."""
        said = self.arguments.get("strategy", [])
        return [said] if isinstance(said, str) else list(said)


def public_call(call: StandardCall, context: Context) -> PublicCall:
    """A call of a standard program in the toolkit's words.

    Args:
        call: of one of our tools.
        context: of the episode, whose city stands for a location where the toolkit takes cities alone.
    """
    name = NAMES.get(call.tool)
    if name is None:
        return PublicCall(None, {}, (f"the tool {call.tool}",))
    said: dict[str, Any] = dict(call.arguments)
    made: dict[str, Any] = {}

    def take(*names: str) -> None:
        made.update((one, said.pop(one)) for one in names if said.get(one) not in (None, [], ""))

    match call.tool:
        case "poi_query":
            take("keywords", "city")
        case "nearby_poi_query":
            take("location", "keywords")
            made["radius"] = said.pop("radius", OUR_RADIUS)
        case "reverse_geocoding":
            longitude, _, latitude = str(said.pop("location")).partition(",")
            made |= {"latitude": latitude.strip(), "longitude": longitude.strip()}
            take("radius")
        case "weather_query":
            made["city"] = said.pop("city", None) or context.city or ""
            made["need_forecast"] = said.pop("type", "current") == "forecast"
        case "traffic_info_query":
            made["name"] = said.pop("road")
            take("city")
        case "driving_planning":
            take("origin", "destination", "waypoints")
            words = [STRATEGIES[word] for word in said.get("preferences", ()) if word in STRATEGIES]
            said["preferences"] = _beyond(said.get("preferences", ()))
            if words:
                made["strategy"] = words[:MOST_STRATEGIES]
        case _:
            take("origin", "destination")
            if said.get("preference") in CHOICES:
                made["strategy"] = CHOICES[said.pop("preference")]
            elif frozenset(said.get("modes", ())) == WITHOUT_SUBWAY:
                made["strategy"] = "5"
                said.pop("modes")
    unsaid = tuple(f"{one} of {call.tool}" for one, value in said.items() if value not in (None, [], ()))
    return PublicCall(name, made, unsaid)


def _beyond(preferences: Sequence[str]) -> list[str]:
    """The preferences by car that the toolkit has no word for, or no room."""
    known = [word for word in preferences if word in STRATEGIES]
    return [word for word in preferences if word not in known[:MOST_STRATEGIES]]
