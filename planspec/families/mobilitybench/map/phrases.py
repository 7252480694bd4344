"""Phrases of the map's tools in the language of the city, from the table `phrases.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from planspec.families.mobilitybench.map.records import Language, Mode, TrafficLevel
from planspec.families.mobilitybench.yaml_text import parsed


class Turns(BaseModel):
    """Continuations of a step into the next one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ahead: str
    right: str
    left: str


class Phrases(BaseModel):
    """Phrases of a language, with placeholders in braces.

    Attributes:
        afoot: a walk off the streets.
        along: a step along a road.
        verbs: verbs of a mode, for a last step and for one before a turn.
        ways: points of the compass, clockwise from the north.
        turns: turns into the next step.
        ride: a step on a line.
        sail: a step on a ferry.
        fly: a step on a flight.
        stops: one stop, and several.
        weather: weather of a day.
        winds: directions from which winds blow, as `ways`.
        skies: skies by the map's own words.
        traffic: traffic on a road.
        accident: an accident on the road.
        periods: periods of a day, in order.
        levels: levels of traffic.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    afoot: str
    along: str
    verbs: dict[Mode, tuple[str, str]]
    ways: tuple[str, str, str, str, str, str, str, str]
    turns: Turns
    ride: str
    sail: str
    fly: str
    stops: tuple[str, str]
    weather: str
    winds: tuple[str, str, str, str, str, str, str, str]
    skies: dict[str, str]
    traffic: str
    accident: str
    periods: tuple[str, ...]
    levels: dict[TrafficLevel, str]


@cache
def _all_phrases() -> dict[Language, Phrases]:
    text = files("planspec.families.mobilitybench.map").joinpath("phrases.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[Language, Phrases]).validate_python(parsed(text))


def phrases(language: Language) -> Phrases:
    """Return the phrases of a language."""
    return _all_phrases()[language]
