"""Translation of calls of the public toolkit's tools to calls of our tools.

A faulty call remains faulty: unknown arguments and arguments of the wrong type are passed on, and our schema refuses
them. If our tools cannot express a choice, the call is untranslatable; no other choice replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from planspec.families.mobilitybench.calls import TOOLS as OUR_TOOLS
from planspec.families.mobilitybench.calls import Count, NearbyPoiQuery
from planspec.families.mobilitybench.episode import TOOLS

Arguments: TypeAlias = dict[str, Any]  # any JSON, as sent by an agent
TranslatedCall: TypeAlias = tuple[str, Arguments]
PUBLIC_RADIUS = 10_000
"""The toolkit's default radius of a search, in metres."""


class PublicNearby(NearbyPoiQuery):
    """Arguments of the search around a location, with the toolkit's default radius."""

    radius: Annotated[Count, Field(ge=1, le=50_000, description="metres")] = PUBLIC_RADIUS


PUBLIC_TOOLS = OUR_TOOLS | {"nearby_poi_query": (PublicNearby, OUR_TOOLS["nearby_poi_query"][1])}
"""Our tools with the toolkit's default values, for episodes of the public table."""
DRIVING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("0", "38", "速度优先", "速度最快", "最快", "fastest"), ("fastest",)),
    **dict.fromkeys(("1", "费用优先", "36", "少收费", "避免收费", "less_toll"), ("avoid_tolls",)),
    **dict.fromkeys(("34", "高速优先", "highway_priority"), ("prefer_highways",)),
    **dict.fromkeys(("35", "不走高速", "no_highway"), ("avoid_highways",)),
    **dict.fromkeys(("32", "高德推荐", "推荐", "default", "33", "躲避拥堵", "avoid_congestion"), ()),
    **dict.fromkeys(("距离优先", "距离最短"), ("shortest",)),
    "39": ("prefer_highways",),
    "40": ("avoid_highways",),
    "41": ("avoid_tolls",),
    "42": ("avoid_tolls", "avoid_highways"),
    "43": ("avoid_tolls", "avoid_highways"),
    "45": ("fastest",),
}
"""Our driving preferences for each code of AMap's driving service and each word of the toolkit.

Our tool always considers traffic, so the strategy of avoiding congestion needs no preference.
"""
TRANSIT: Mapping[str, Arguments] = {
    "0": {},
    "1": {"preference": "cheapest"},
    "2": {"preference": "fewest_transfers"},
    "3": {"preference": "least_walking"},
    "5": {"modes": ["bus", "tram", "ferry"]},
    "8": {"preference": "fastest"},
}
"""Our arguments for each code of the toolkit's bus tool."""
PUBLIC_ONLY: Mapping[str, str] = {
    "2": "a balance of length and time",
    **dict.fromkeys(("37", "44", "大路优先", "main_road"), "main roads first"),
}
PUBLIC_ONLY_TRANSIT: Mapping[str, str] = {"4": "comfort", "7": "the subway first"}
"""Preferences of the public bus tool that our tools do not support, by code."""


@dataclass(frozen=True, slots=True)
class UntranslatableCall:
    """A call that our tools cannot express.

    Attributes:
        reason: the reason, for people.
        cause: `tool` if the tool is unknown, `choice` if the public tool has no such choice, or `counterpart`
            if our tool has no equivalent choice.
    """

    reason: str
    cause: Literal["tool", "choice", "counterpart"]


def translate_call(name: object, arguments: object) -> TranslatedCall | UntranslatableCall:
    """Translate a call to our equivalent tool and arguments.

    Args:
        name: the toolkit's name of the tool.
        arguments: arguments as sent by the agent. A value other than an object is passed on as
            `{"arguments": ...}`, which no schema accepts.
    """
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        return UntranslatableCall(f"the toolkit has no tool `{str(name)[:40]}`", "tool")
    if not isinstance(arguments, Mapping):
        return tool, {"arguments": arguments}
    # in the toolkit, null stands for an omitted argument
    given = {key: value for key, value in arguments.items() if value is not None}
    translate = _TRANSLATE.get(tool)
    translation = given if translate is None else translate(given)
    return translation if isinstance(translation, UntranslatableCall) else (tool, translation)


def driving_preferences(strategy: object) -> tuple[str, ...] | UntranslatableCall:
    """Translate a driving strategy, or a list of strategies, to our preferences, in order and without duplicates."""
    preferences: list[str] = []
    for item in strategy if isinstance(strategy, list | tuple) else [strategy]:
        word = _choice_text(item)
        if word in PUBLIC_ONLY:
            return UntranslatableCall(f"ours has no way to ask for {PUBLIC_ONLY[word]} (`{word}`)", "counterpart")
        if word not in DRIVING:
            return UntranslatableCall(f"`{str(item)[:40]}` is no driving strategy", "choice")
        preferences += DRIVING[word]
    return tuple(dict.fromkeys(preferences))


def transit_choice(strategy: object) -> Arguments | UntranslatableCall:
    """Translate a strategy of the toolkit's bus tool, such as `"1"`, to arguments of our tool."""
    word = _choice_text(strategy)
    if word in PUBLIC_ONLY_TRANSIT:
        return UntranslatableCall(f"ours has no way to ask for {PUBLIC_ONLY_TRANSIT[word]} (`{word}`)", "counterpart")
    if word not in TRANSIT:
        return UntranslatableCall(f"`{str(strategy)[:40]}` is no strategy of the bus tool", "choice")
    return TRANSIT[word]


def _choice_text(value: object) -> str:
    """Return a strategy's code or word as a string; an empty string for values of other types."""
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _poi_arguments(arguments: Arguments) -> Arguments:
    return {key: value for key, value in arguments.items() if not (key == "city" and value == "")}


def _nearby_arguments(arguments: Arguments) -> Arguments:
    our_arguments = {key: value for key, value in arguments.items() if not (key == "keywords" and value == "")}
    return our_arguments | {"radius": arguments.get("radius", PUBLIC_RADIUS)}


def _driving_arguments(arguments: Arguments) -> Arguments | UntranslatableCall:
    our_arguments = {key: value for key, value in arguments.items() if key != "strategy"}
    strategy = arguments.get("strategy")
    preferences = () if strategy is None or strategy == "" else driving_preferences(strategy)
    if isinstance(preferences, UntranslatableCall):
        return preferences
    return our_arguments | ({"preferences": list(preferences)} if preferences else {})


def _bus_arguments(arguments: Arguments) -> Arguments | UntranslatableCall:
    our_arguments = {key: value for key, value in arguments.items() if key != "strategy"}
    choice = transit_choice(arguments.get("strategy", "0"))
    return choice if isinstance(choice, UntranslatableCall) else our_arguments | choice


def _weather_arguments(arguments: Arguments) -> Arguments:
    our_arguments = {key: value for key, value in arguments.items() if key != "need_forecast"}
    need_forecast = arguments.get("need_forecast", False)
    words = {False: "current", True: "forecast"}
    return our_arguments | {"type": words[need_forecast] if isinstance(need_forecast, bool) else need_forecast}


def _address_arguments(arguments: Arguments) -> Arguments:
    our_arguments = {key: value for key, value in arguments.items() if key not in ("longitude", "latitude")}
    ends = [arguments.get("longitude"), arguments.get("latitude")]
    if any(isinstance(end, bool) or not isinstance(end, str | int | float) for end in ends):
        return our_arguments  # without a location, so that our schema reports it as missing
    return our_arguments | {"location": ",".join(str(end).strip() for end in ends)}


def _traffic_arguments(arguments: Arguments) -> Arguments:
    return {"road" if key == "name" else key: value for key, value in arguments.items()}


_TRANSLATE: Mapping[str, Callable[[Arguments], Arguments | UntranslatableCall]] = {
    "poi_query": _poi_arguments,
    "nearby_poi_query": _nearby_arguments,
    "driving_planning": _driving_arguments,
    "bus_planning": _bus_arguments,
    "weather_query": _weather_arguments,
    "reverse_geocoding": _address_arguments,
    "traffic_info_query": _traffic_arguments,
}
