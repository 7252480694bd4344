"""Translation of calls of the public toolkit's tools to calls of ours.

A faulty call stays faulty: an argument that neither tool has, or of another type, is passed on, and our
schema refuses it. A choice for which our tools have no words is reported, and nothing takes its place.
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
"""The toolkit's default radius of a search, in metres."""


class PublicNearby(NearbyPoiQuery):
    """Places around a location, with the toolkit's default radius."""

    radius: Annotated[Count, Field(ge=1, le=50_000, description="metres")] = PUBLIC_RADIUS


PUBLIC_TOOLS = OUR_TOOLS | {"nearby_poi_query": (PublicNearby, OUR_TOOLS["nearby_poi_query"][1])}
"""Our tools with the toolkit's defaults, which hold for the records of public episodes."""
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
"""Our preferences by the codes of AMap's driving service and the toolkit's words.

Our tool minds traffic by default, so the avoidance of congestion needs no word.
"""
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
"""Wishes that the public tools support and ours do not."""


@dataclass(frozen=True, slots=True)
class Untranslated:
    """A call for which our tools have no words.

    Attributes:
        reason: the part that cannot be expressed.
        cause: the tool is unknown, the value is not a choice of the public tool, or our tool has no such
            choice.
    """

    reason: str
    cause: Literal["tool", "choice", "counterpart"]


def translated(name: object, arguments: object) -> TranslatedCall | Untranslated:
    """Translate a call to the equivalent tool and arguments of ours.

    Args:
        name: name of the public tool.
        arguments: arguments as sent; a value other than an object is passed on as `{"arguments": ...}`, which
            no schema accepts.
    """
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        return Untranslated(f"the toolkit has no tool `{str(name)[:40]}`", "tool")
    if not isinstance(arguments, Mapping):
        return tool, {"arguments": arguments}
    # the toolkit marks an omitted argument by null
    given = {key: value for key, value in arguments.items() if value is not None}
    translate = _TRANSLATE.get(tool)
    translation = given if translate is None else translate(given)
    return translation if isinstance(translation, Untranslated) else (tool, translation)


def driving_preferences(strategy: object) -> tuple[str, ...] | Untranslated:
    """Return our preferences for a driving strategy, or a list of strategies; each once, in order."""
    preferences: list[str] = []
    for item in strategy if isinstance(strategy, list | tuple) else [strategy]:
        word = _word(item)
        if word in ALONE:
            return Untranslated(f"ours has no way to ask for {ALONE[word]} (`{word}`)", "counterpart")
        if word not in DRIVING:
            return Untranslated(f"`{str(item)[:40]}` is no driving strategy", "choice")
        preferences += DRIVING[word]
    return tuple(dict.fromkeys(preferences))


def transit_choice(strategy: object) -> Arguments | Untranslated:
    """Return our arguments for a strategy of the bus tool, one digit."""
    word = _word(strategy)
    if word in ALONE_TRANSIT:
        return Untranslated(f"ours has no way to ask for {ALONE_TRANSIT[word]} (`{word}`)", "counterpart")
    if word not in TRANSIT:
        return Untranslated(f"`{str(strategy)[:40]}` is no strategy of the bus tool", "choice")
    return TRANSIT[word]


def _word(value: object) -> str:
    """Return a code or word as text; empty for other values."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _search(arguments: Arguments) -> Arguments:
    return {key: value for key, value in arguments.items() if not (key == "city" and value == "")}


def _around(arguments: Arguments) -> Arguments:
    translated = {key: value for key, value in arguments.items() if not (key == "keywords" and value == "")}
    return translated | {"radius": arguments.get("radius", PUBLIC_RADIUS)}


def _drive(arguments: Arguments) -> Arguments | Untranslated:
    translated = {key: value for key, value in arguments.items() if key != "strategy"}
    strategy = arguments.get("strategy")
    preferences = () if strategy is None or strategy == "" else driving_preferences(strategy)
    if isinstance(preferences, Untranslated):
        return preferences
    return translated | ({"preferences": list(preferences)} if preferences else {})


def _bus(arguments: Arguments) -> Arguments | Untranslated:
    translated = {key: value for key, value in arguments.items() if key != "strategy"}
    choice = transit_choice(arguments.get("strategy", "0"))
    return choice if isinstance(choice, Untranslated) else translated | choice


def _weather(arguments: Arguments) -> Arguments:
    translated = {key: value for key, value in arguments.items() if key != "need_forecast"}
    need_forecast = arguments.get("need_forecast", False)
    words = {False: "current", True: "forecast"}
    return translated | {"type": words[need_forecast] if isinstance(need_forecast, bool) else need_forecast}


def _reverse(arguments: Arguments) -> Arguments:
    translated = {key: value for key, value in arguments.items() if key not in ("longitude", "latitude")}
    ends = [arguments.get("longitude"), arguments.get("latitude")]
    if any(isinstance(end, bool) or not isinstance(end, str | int | float) for end in ends):
        return translated  # without a location, which the schema misses
    return translated | {"location": ",".join(str(end).strip() for end in ends)}


def _traffic(arguments: Arguments) -> Arguments:
    return {"road" if key == "name" else key: value for key, value in arguments.items()}


_TRANSLATE: Mapping[str, Callable[[Arguments], Arguments | Untranslated]] = {
    "poi_query": _search, "nearby_poi_query": _around, "driving_planning": _drive, "bus_planning": _bus,
    "weather_query": _weather, "reverse_geocoding": _reverse, "traffic_info_query": _traffic,
}  # fmt: skip
