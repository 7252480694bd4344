"""An episode of MobilityBench: the query and its place, the tools' results, and the truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PlainSerializer

from planspec.families.mobilitybench.map.recipe import KeptMap, MapRecipe

VERSION: Literal["episode/1"] = "episode/1"


class ScenarioFamily(StrEnum):
    """The paper's four families of scenarios."""

    BASIC_INFORMATION = "Basic Information Retrieval"
    ROUTE_INFORMATION = "Route-Dependent Information Retrieval"
    BASIC_PLANNING = "Basic Route Planning"
    CONSTRAINED_PLANNING = "Preference-Constrained Route Planning"


class Scenario(StrEnum):
    """The paper's eleven scenarios."""

    POI_SEARCH = "POI Search"
    GEOLOCATION = "Geolocation Query"
    NEARBY_SEARCH = "Nearby Search"
    WEATHER = "Weather Query"
    TRAFFIC = "Traffic Info Query"
    ROUTE_PROPERTY = "Route Property Query"
    TIME = "Arrival/Departure Time Query"
    POINT_TO_POINT = "Point-to-Point Planning"
    MULTI_STOP = "Multi-stop Planning"
    OPTIONS = "Option-Constrained Route Planning"
    CUSTOMIZED = "Customized Planning"

    @property
    def family(self) -> ScenarioFamily:
        """The family to which the paper counts the scenario."""
        return FAMILIES[self]


FAMILIES: Mapping[Scenario, ScenarioFamily] = {
    **dict.fromkeys(
        (Scenario.POI_SEARCH, Scenario.GEOLOCATION, Scenario.NEARBY_SEARCH, Scenario.WEATHER, Scenario.TRAFFIC),
        ScenarioFamily.BASIC_INFORMATION,
    ),
    **dict.fromkeys((Scenario.ROUTE_PROPERTY, Scenario.TIME), ScenarioFamily.ROUTE_INFORMATION),
    **dict.fromkeys((Scenario.POINT_TO_POINT, Scenario.MULTI_STOP), ScenarioFamily.BASIC_PLANNING),
    **dict.fromkeys((Scenario.OPTIONS, Scenario.CUSTOMIZED), ScenarioFamily.CONSTRAINED_PLANNING),
}  # fmt: skip
LABELS: Mapping[str, Scenario] = {
    **{scenario.value: scenario for scenario in Scenario},
    "POI Query": Scenario.POI_SEARCH,
    "Nearby Query": Scenario.NEARBY_SEARCH,
    "Route-Constrained Planning": Scenario.CUSTOMIZED,
}
"""The scenarios by what the public table and the paper call them."""
TOOLS: Mapping[str, str] = {
    "query_poi": "poi_query", "search_around_poi": "nearby_poi_query", "reverse_geocoding": "reverse_geocoding",
    "weather_query": "weather_query", "traffic_status": "traffic_info_query",
    "traffic_status_road_api": "traffic_info_query", "driving_route": "driving_planning",
    "bus_route": "bus_planning", "bicycling_route": "bicycling_planning", "walking_route": "walking_planning",
}  # fmt: skip
"""The paper's names of the tools by those of the public toolkit."""
ROUTE_TOOLS = ("driving_planning", "bus_planning", "bicycling_planning", "walking_planning")


def _as_it_is(value: Any) -> Any:
    return value


_PLAIN = PlainSerializer(_as_it_is, return_type=Any)
JsonData: TypeAlias = Annotated[JsonValue, _PLAIN]
"""Any JSON; what was checked when it came in is written without asking the type of each part again, which takes long."""
JsonObject: TypeAlias = Annotated[dict[str, JsonValue], _PLAIN]


class EpisodeModel(BaseModel):
    """A part of an episode: nothing in it that is not listed, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EpisodeOrigin(EpisodeModel):
    """The origin of an episode.

    Attributes:
        row: of the table, from 1; the header is none.
        sha256: of the row's cells: the same row in another table has the same.
        scenario: as the table calls it.
        family: likewise, which is not always the paper's.
    """

    row: int = Field(ge=1)
    sha256: str
    scenario: str
    family: str


class Context(EpisodeModel):
    """The user's situation, which the agent gets besides the query.

    Attributes:
        location: where the user is: longitude and latitude in degrees, as the table writes them.
        city: in which the user is.
        time: when it is, as the table writes it: a day and a time, or a time alone.
        travel_tool: the means of travel of the user's choice.
    """

    location: str | None = None
    city: str | None = None
    time: str | None = None
    travel_tool: str | None = None
    extra: JsonObject = Field(default_factory=dict)


class StandardCall(EpisodeModel):
    """A call of the standard tool program.

    Attributes:
        tool: the paper's name of the tool; the table's where the paper has none.
        name: the table's name.
    """

    tool: str
    name: str
    arguments: JsonObject = Field(default_factory=dict)


class RecordedResult(EpisodeModel):
    """A tool's recorded result, or the reason why it is not known.

    Attributes:
        call: the place in the program of the call that it answers; None of calls that the program does without.
        tool: the paper's name.
        arguments: as the tool's schema reads them, in their canonical form; None where they do not fit it, or no call
            is known.
        column: of the public table in which it stands.
        result: as the tool said it; `{"error": ...}` where that is what it said.
        missing: why there is no result: `truncated`, `unreadable`, or `no column`.
    """

    call: int | None = None
    tool: str
    arguments: JsonObject | None = None
    column: str | None = None
    result: JsonData = None
    missing: Literal["truncated", "unreadable", "no column"] | None = None


class Episode(EpisodeModel):
    """One case.

    Attributes:
        episode: the version of this format.
        id: the record's own, else `case_` and its row.
        language: of the query, where it is known.
        query: what the user says.
        constraints: what the query asks for, by slot (`data/programs.yaml` names them): names as the user says them,
            times HH:MM, lists where order or number is open.
        program: the standard tool program: the calls that are needed, in order.
        steps: its atomic steps, as `data/steps.yaml` names them.
        snapshot: what the tools said; each call of the program has one record, others follow.
        recipe: of the map that answered the calls, so that it grows again, or is found again, and answers others; None where
            there is no map.
        currency: of tolls and fares, which are in its minor units: ISO 4217.
        given: what is true, as the library `mobilitybench` takes it: its givens as JSON.
        truth: of the public table, the other columns that hold something, by their names.
        unread: the columns whose cells hold no readable value.
        source: the row of the public table; None where the episode is none of it.
        checksum: SHA-256 of all else, as canonical JSON.
    """

    episode: Literal["episode/1"] = VERSION
    id: str
    family: ScenarioFamily
    scenario: Scenario
    language: Literal["zh", "en", "de", "ja"] | None = None
    query: str
    context: Context
    constraints: JsonObject = Field(default_factory=dict)
    program: tuple[StandardCall, ...]
    steps: tuple[str, ...] = ()
    snapshot: tuple[RecordedResult, ...]
    recipe: MapRecipe | KeptMap | None = None
    currency: str | None = None
    given: JsonObject = Field(default_factory=dict)
    truth: JsonObject = Field(default_factory=dict)
    unread: tuple[str, ...] = ()
    source: EpisodeOrigin | None = None
    checksum: str = ""

    def sealed(self) -> Episode:
        """The episode with its checksum."""
        return self.model_copy(update={"checksum": self.computed})

    @property
    def computed(self) -> str:
        """The checksum that the line should have."""
        # what was written before there were recipes keeps its checksum
        left_out = {"checksum"} if self.recipe is not None else {"checksum", "recipe"}
        return sha256(self.model_dump(mode="json", exclude=left_out))

    def line(self) -> str:
        """The episode as a line of JSON; what is not said is not written."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps({"episode": self.episode, **data}, ensure_ascii=False, allow_nan=False)


def sha256(value: Any) -> str:
    """The SHA-256 of canonical JSON: names in order, no blanks, UTF-8."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
