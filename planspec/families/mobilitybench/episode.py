"""Episodes of MobilityBench: the query and its context, the recorded results and the ground truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PlainSerializer

from planspec.families.mobilitybench.map.recipe import MapRecipe, StoredMap

VERSION: Literal["episode/1"] = "episode/1"


class ScenarioFamily(StrEnum):
    """The four families of scenarios in MobilityBench's paper."""

    BASIC_INFORMATION = "Basic Information Retrieval"
    ROUTE_INFORMATION = "Route-Dependent Information Retrieval"
    BASIC_PLANNING = "Basic Route Planning"
    CONSTRAINED_PLANNING = "Preference-Constrained Route Planning"


class Scenario(StrEnum):
    """The eleven scenarios, or kinds of queries, in MobilityBench's paper."""

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
        """Family to which the paper assigns the scenario."""
        return FAMILIES[self]


FAMILIES: Mapping[Scenario, ScenarioFamily] = {
    **dict.fromkeys(
        (Scenario.POI_SEARCH, Scenario.GEOLOCATION, Scenario.NEARBY_SEARCH, Scenario.WEATHER, Scenario.TRAFFIC),
        ScenarioFamily.BASIC_INFORMATION,
    ),
    **dict.fromkeys((Scenario.ROUTE_PROPERTY, Scenario.TIME), ScenarioFamily.ROUTE_INFORMATION),
    **dict.fromkeys((Scenario.POINT_TO_POINT, Scenario.MULTI_STOP), ScenarioFamily.BASIC_PLANNING),
    **dict.fromkeys((Scenario.OPTIONS, Scenario.CUSTOMIZED), ScenarioFamily.CONSTRAINED_PLANNING),
}
LABELS: Mapping[str, Scenario] = {
    **{scenario.value: scenario for scenario in Scenario},
    "POI Query": Scenario.POI_SEARCH,
    "Nearby Query": Scenario.NEARBY_SEARCH,
    "Route-Constrained Planning": Scenario.CUSTOMIZED,
}
"""Scenarios by their names in the public table and in the paper."""
TOOLS: Mapping[str, str] = {
    "query_poi": "poi_query",
    "search_around_poi": "nearby_poi_query",
    "reverse_geocoding": "reverse_geocoding",
    "weather_query": "weather_query",
    "traffic_status": "traffic_info_query",
    "traffic_status_road_api": "traffic_info_query",
    "driving_route": "driving_planning",
    "bus_route": "bus_planning",
    "bicycling_route": "bicycling_planning",
    "walking_route": "walking_planning",
}
"""Name of each tool in the paper, by its name in the public toolkit."""
ROUTE_TOOLS = ("driving_planning", "bus_planning", "bicycling_planning", "walking_planning")


def _identity(value: Any) -> Any:
    return value


_PLAIN = PlainSerializer(_identity, return_type=Any)
JsonData: TypeAlias = Annotated[JsonValue, _PLAIN]
"""Any JSON value. It is validated when an episode is parsed, not when it is written."""
JsonObject: TypeAlias = Annotated[dict[str, JsonValue], _PLAIN]


class EpisodeModel(BaseModel):
    """Base class of an episode's parts: immutable, and without undeclared fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EpisodeOrigin(EpisodeModel):
    """Origin of an episode in the public table.

    Attributes:
        row: number of the row in the table, from 1, without the header.
        sha256: hash of the row's cells. Equal rows of different tables have the same hash.
        scenario: the table's name of the scenario.
        family: the table's name of the family of scenarios. It may differ from the family in the paper.
    """

    row: int = Field(ge=1)
    sha256: str
    scenario: str
    family: str


class Context(EpisodeModel):
    """Situation of the user, which the agent gets together with the query.

    Attributes:
        location: `longitude,latitude` of the user in degrees, as in the table.
        city: city of the user.
        time: current time as in the table: HH:MM, possibly after a date.
        travel_tool: travel mode that the user prefers.
        extra: other facts, such as the day.
    """

    location: str | None = None
    city: str | None = None
    time: str | None = None
    travel_tool: str | None = None
    extra: JsonObject = Field(default_factory=dict)


class StandardCall(EpisodeModel):
    """A call of the reference program: the tool calls that a query requires.

    Attributes:
        tool: name of the tool in the paper or, if the paper lacks it, in the public table.
        name: name of the tool in the public table.
        arguments: arguments of the call by name.
    """

    tool: str
    name: str
    arguments: JsonObject = Field(default_factory=dict)


class RecordedResult(EpisodeModel):
    """Recorded result of a tool, or the reason why it is unknown.

    Attributes:
        call: position of the answered call in the reference program, from 0; None if the program lacks the call.
        tool: name of the tool in the paper.
        arguments: arguments in canonical form; None if they do not fit the tool's schema or the call is unknown.
        column: column of the public table that holds the result; None if there is none.
        result: result as returned; `{"error": ...}` if the tool returned an error.
        missing: why there is no result: `truncated`, `unreadable`, or `no column`.
    """

    call: int | None = None
    tool: str
    arguments: JsonObject | None = None
    column: str | None = None
    result: JsonData = None
    missing: Literal["truncated", "unreadable", "no column"] | None = None


class Episode(EpisodeModel):
    """One case of the benchmark.

    Attributes:
        episode: version of this format.
        id: id of the episode; `case_` and the number of the row if the public table has no ids.
        language: language of the query, if known.
        query: request of the user.
        constraints: requirements in the query, by slot as declared in `data/programs.yaml`, for example
            `{"destination": "Zoo"}`. Names are in the user's words, times are HH:MM, and slots that allow several
            values hold lists.
        program: reference program: the required tool calls, in order.
        steps: names of the program's atomic steps, as in `data/steps.yaml`.
        snapshot: recorded results: one for each call of the program, in order, then the results of other calls.
        recipe: data from which the map that answered the calls can be generated or loaded again, to answer other
            calls; None if there is no map.
        currency: ISO 4217 code of tolls and fares. Amounts are in its minor unit.
        given: ground truth: values of the givens (named inputs) of the constraint library `mobilitybench`, as JSON.
        truth: other columns of the public table that are not empty, by name.
        unread: columns of the public table with unreadable cells.
        source: row of the public table; None for a generated episode.
        checksum: SHA-256 of everything else, as canonical JSON.
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
    recipe: MapRecipe | StoredMap | None = None
    currency: str | None = None
    given: JsonObject = Field(default_factory=dict)
    truth: JsonObject = Field(default_factory=dict)
    unread: tuple[str, ...] = ()
    source: EpisodeOrigin | None = None
    checksum: str = ""

    def with_checksum(self) -> Episode:
        """Return the episode with its checksum."""
        return self.model_copy(update={"checksum": self.expected_checksum})

    @property
    def expected_checksum(self) -> str:
        """Checksum that the episode should have."""
        # checksums of episodes without a recipe must not change, since older files lack the field
        left_out = {"checksum"} if self.recipe is not None else {"checksum", "recipe"}
        return sha256(self.model_dump(mode="json", exclude=left_out))

    def line(self) -> str:
        """Return the episode as a line of JSON without default values."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps({"episode": self.episode, **data}, ensure_ascii=False, allow_nan=False)


def sha256(value: Any) -> str:
    """Return the SHA-256 of canonical JSON: sorted names, no blanks, UTF-8."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
