"""Phrases in the texts of the map, such as instructions and weather reports, from the table `phrases.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from planspec.families.mobilitybench.map.records import Language, Mode, TrafficLevel
from planspec.families.mobilitybench.yaml_text import parse_yaml


class Turns(BaseModel):
    """Phrases for the turn at the end of a step: straight ahead, right or left."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ahead: str
    right: str
    left: str


class Phrases(BaseModel):
    """Phrases of a language for instructions and reports, with placeholders in braces.

    Attributes:
        afoot: step on foot away from the streets.
        along: step along a road.
        verbs: two verbs for each mode: for the last step, and for a step before a turn.
        ways: the eight directions of travel, clockwise from north.
        turns: turns into the next step.
        ride: step on a transit line.
        sail: step on a ferry.
        fly: step on a flight.
        stops: words for one stop and for several.
        weather: weather of a day.
        winds: the eight directions from which winds blow, clockwise from north.
        skies: phrase for each condition of `days.SKIES`, such as "light rain".
        traffic: traffic on a road.
        accident: addition to `traffic` about an accident.
        periods: names of the periods of a day, in order.
        levels: phrase for each level of traffic.
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
    return TypeAdapter(dict[Language, Phrases]).validate_python(parse_yaml(text))


def phrases(language: Language) -> Phrases:
    """Return the phrases of a language."""
    return _all_phrases()[language]
