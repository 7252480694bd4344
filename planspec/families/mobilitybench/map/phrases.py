"""What the map's tools say in sentences, in the language of the city: the table `phrases.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, TypeAdapter

from planspec.families.mobilitybench.map.records import Language, Mode, TrafficLevel
from planspec.families.mobilitybench.yaml_text import parsed


class Turns(BaseModel):
    """How a step goes on into the next one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ahead: str
    right: str
    left: str


class Phrases(BaseModel):
    """The phrases of a language; names in braces stand for what differs.

    Attributes:
        afoot: a walk off the streets.
        along: a step along a road.
        verbs: of a means of travel, where a step ends with it, and where a turn follows.
        ways: the points of the compass, round from the north.
        turns: into the next step.
        ride: a step on a line.
        sail: a step on a ferry.
        fly: a step on a flight.
        stops: one of them, and several.
        weather: of a day.
        winds: where they come from, as `ways`.
        skies: by the map's own words for them.
        traffic: on a road.
        accident: that happened there.
        periods: of a day, in order.
        levels: of traffic.
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
def _all() -> dict[Language, Phrases]:
    text = files("planspec.families.mobilitybench.map").joinpath("phrases.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[Language, Phrases]).validate_python(parsed(text))


def phrases(language: Language) -> Phrases:
    """The phrases of a language."""
    return _all()[language]
