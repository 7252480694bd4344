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
"""Scenarios by their names in the public table and the paper."""
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
"""Any JSON value. It is validated only when it is read."""
JsonObject: TypeAlias = Annotated[dict[str, JsonValue], _PLAIN]


class EpisodeModel(BaseModel):
    """Base class of an episode's parts: immutable, and without undeclared fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EpisodeOrigin(EpisodeModel):
    """Origin of an episode in the public table.

    Attributes:
        row: row of the table, from 1; the header does not count.
        sha256: hash of the row's cells alone, so equal rows of two tables have the same hash.
        scenario: scenario as the table names it.
        family: family as the table names it, which may differ from the paper's.
    """

    row: int = Field(ge=1)
    sha256: str
    scenario: str
    family: str


class Context(EpisodeModel):
    """Situation of the user, which the agent gets together with the query.

    Attributes:
        location: longitude and latitude of the user in degrees, as the table writes them.
        city: city of the user.
        time: current time as the table writes it: a day and a time, or a time alone.
        travel_tool: travel mode that the user prefers.
        extra: other facts, such as the day.
    """

    location: str | None = None
    city: str | None = None
    time: str | None = None
    travel_tool: str | None = None
    extra: JsonObject = Field(default_factory=dict)


class StandardCall(EpisodeModel):
    """Call of the standard tool program.

    Attributes:
        tool: name of the tool in the paper or, if it has none there, in the public table.
        name: name of the tool in the public table.
    """

    tool: str
    name: str
    arguments: JsonObject = Field(default_factory=dict)


class RecordedResult(EpisodeModel):
    """Recorded result of a tool, or the reason why it is unknown.

    Attributes:
        call: position in the program of the call that it answers; None if the call is not in the program.
        tool: name of the tool in the paper.
        arguments: arguments in canonical form; None if they do not fit the tool's schema or no call is known.
        column: column of the public table that holds the result.
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
        constraints: requirements in the query, by the slots that `data/programs.yaml` declares. Names are in the
            user's words, times are HH:MM, and slots with any number of values hold lists.
        program: standard tool program: the required calls, in order.
        steps: atomic steps of the program, as `data/steps.yaml` names them.
        snapshot: recorded results: first one for each call of the program, then the results of other calls.
        recipe: recipe of the map that answered the calls. It serves to regrow or reload the map for other calls. None
            if there is no map.
        currency: ISO 4217 code of tolls and fares, which are in its minor unit.
        given: ground truth as the givens of the library `mobilitybench`, in JSON.
        truth: other columns of the public table that are not empty, by name.
        unread: columns whose cells hold no readable value.
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
        # episodes written before there were recipes keep their checksums
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
