"""Calls of the public toolkit's tools as calls of ours.

What is wrong with a call stays wrong: an argument that neither tool has, or one of another type, is passed on, and our
schema refuses it. What ours has no word for is said and nothing is put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from planspec.families.mobilitybench.calls import TOOLS as OUR_TOOLS
from planspec.families.mobilitybench.calls import Count, NearbyPoiQuery
from planspec.families.mobilitybench.episode import TOOLS

Arguments: TypeAlias = dict[str, Any]  # what an agent sent: any JSON
TranslatedCall: TypeAlias = tuple[str, Arguments]
PUBLIC_RADIUS = 10_000
"""Metres around a place in which the toolkit searches when no radius is given."""


class PublicNearby(NearbyPoiQuery):
    """Places around a location, as far as the toolkit looks for them."""

    radius: Annotated[Count, Field(ge=1, le=50_000, description="metres")] = PUBLIC_RADIUS


PUBLIC_TOOLS = OUR_TOOLS | {"nearby_poi_query": (PublicNearby, OUR_TOOLS["nearby_poi_query"][1])}
"""Our tools with the toolkit's defaults: what its episodes recorded is what a call means that leaves them out."""
DRIVING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("0", "38", "速度优先", "速度最快", "最快", "fastest"), ("fastest",)),
    **dict.fromkeys(("1", "费用优先", "36", "少收费", "避免收费", "less_toll"), ("avoid_tolls",)),
    **dict.fromkeys(("34", "高速优先", "highway_priority"), ("prefer_highways",)),
    **dict.fromkeys(("35", "不走高速", "no_highway"), ("avoid_highways",)),
    **dict.fromkeys(("32", "高德推荐", "推荐", "default", "33", "躲避拥堵", "avoid_congestion"), ()),
    **dict.fromkeys(("距离优先", "距离最短"), ("shortest",)),
    "39": ("prefer_highways",), "40": ("avoid_highways",), "41": ("avoid_tolls",),
    "42": ("avoid_tolls", "avoid_highways"), "43": ("avoid_tolls", "avoid_highways"), "45": ("fastest",),
}  # fmt: skip
"""Our preferences by the codes of AMap's driving service and the toolkit's words. Ours minds traffic by default, so
that keeping clear of congestion needs no word."""
TRANSIT: Mapping[str, Arguments] = {
    "0": {}, "1": {"preference": "cheapest"}, "2": {"preference": "fewest_transfers"},
    "3": {"preference": "least_walking"}, "5": {"modes": ["bus", "tram", "ferry"]}, "8": {"preference": "fastest"},
}  # fmt: skip
"""Our arguments for the codes of the toolkit's bus tool."""
ALONE: Mapping[str, str] = {
    "2": "a balance of length and time",
    **dict.fromkeys(("37", "44", "大路优先", "main_road"), "main roads first"),
}
ALONE_TRANSIT: Mapping[str, str] = {"4": "comfort", "7": "the subway first"}
"""Wishes that the public tools know and ours do not."""


@dataclass(frozen=True, slots=True)
class Untranslated:
    """A call that ours has no words for.

    Attributes:
        reason: what it is that cannot be said.
        cause: the tool is not known, what was asked for is none of the public tool's choices, or ours has no such
            choice.
    """

    reason: str
    cause: Literal["tool", "choice", "counterpart"]


def translated(name: object, arguments: object) -> TranslatedCall | Untranslated:
    """The tool and the arguments by which ours is asked the same.

    Args:
        name: of the public tool.
        arguments: as they were sent; what is no object is passed on as `{"arguments": ...}`, which no schema takes.
    """
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        return Untranslated(f"the toolkit has no tool `{str(name)[:40]}`", "tool")
    if not isinstance(arguments, Mapping):
        return tool, {"arguments": arguments}
    # a blank is how the toolkit leaves an argument out
    said = {key: value for key, value in arguments.items() if value is not None}
    translate = _TRANSLATE.get(tool)
    made = said if translate is None else translate(said)
    return made if isinstance(made, Untranslated) else (tool, made)


def driving_preferences(said: object) -> tuple[str, ...] | Untranslated:
    """Our preferences for a driving strategy: a code or word of it, or a list of them; each once, in their order."""
    made: list[str] = []
    for one in said if isinstance(said, list | tuple) else [said]:
        word = _word(one)
        if word in ALONE:
            return Untranslated(f"ours has no way to ask for {ALONE[word]} (`{word}`)", "counterpart")
        if word not in DRIVING:
            return Untranslated(f"`{str(one)[:40]}` is no driving strategy", "choice")
        made += DRIVING[word]
    return tuple(dict.fromkeys(made))


def transit_choice(said: object) -> Arguments | Untranslated:
    """Our arguments for a strategy of the bus tool: one digit."""
    word = _word(said)
    if word in ALONE_TRANSIT:
        return Untranslated(f"ours has no way to ask for {ALONE_TRANSIT[word]} (`{word}`)", "counterpart")
    if word not in TRANSIT:
        return Untranslated(f"`{str(said)[:40]}` is no strategy of the bus tool", "choice")
    return TRANSIT[word]


def _word(said: object) -> str:
    """A code or word as text; nothing where it is neither."""
    return str(said).strip() if isinstance(said, str | int) and not isinstance(said, bool) else ""


def _search(said: Arguments) -> Arguments:
    return {key: value for key, value in said.items() if not (key == "city" and value == "")}


def _around(said: Arguments) -> Arguments:
    made = {key: value for key, value in said.items() if not (key == "keywords" and value == "")}
    return made | {"radius": said.get("radius", PUBLIC_RADIUS)}


def _drive(said: Arguments) -> Arguments | Untranslated:
    made = {key: value for key, value in said.items() if key != "strategy"}
    wanted = said.get("strategy")
    preferences = () if wanted is None or wanted == "" else driving_preferences(wanted)
    if isinstance(preferences, Untranslated):
        return preferences
    return made | ({"preferences": list(preferences)} if preferences else {})


def _bus(said: Arguments) -> Arguments | Untranslated:
    made = {key: value for key, value in said.items() if key != "strategy"}
    choice = transit_choice(said.get("strategy", "0"))
    return choice if isinstance(choice, Untranslated) else made | choice


def _weather(said: Arguments) -> Arguments:
    made = {key: value for key, value in said.items() if key != "need_forecast"}
    asked = said.get("need_forecast", False)
    words = {False: "current", True: "forecast"}
    return made | {"type": words[asked] if isinstance(asked, bool) else asked}


def _reverse(said: Arguments) -> Arguments:
    made = {key: value for key, value in said.items() if key not in ("longitude", "latitude")}
    ends = [said.get("longitude"), said.get("latitude")]
    if any(isinstance(end, bool) or not isinstance(end, str | int | float) for end in ends):
        return made  # without a location, which the schema misses
    return made | {"location": ",".join(str(end).strip() for end in ends)}


def _traffic(said: Arguments) -> Arguments:
    return {"road" if key == "name" else key: value for key, value in said.items()}


_TRANSLATE: Mapping[str, Callable[[Arguments], Arguments | Untranslated]] = {
    "poi_query": _search, "nearby_poi_query": _around, "driving_planning": _drive, "bus_planning": _bus,
    "weather_query": _weather, "reverse_geocoding": _reverse, "traffic_info_query": _traffic,
}  # fmt: skip
