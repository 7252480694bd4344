"""A recorded result is found by the recorded arguments, and by calls that state a default value explicitly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import BusPlanning, canonical_arguments, drop_fastest
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.snapshot import text_of
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from tests.families.mobilitybench.public.small_table import NEAR, OPTION, WAY, WEATHER, write
from tests.paths import ROOT

SHIPPED = ROOT / "tasks" / "mobilitybench"


def answer_of(episode: Episode, tool: str, arguments: Any) -> Any:
    """Return the reply to a call of an episode's recorded tools."""
    return sandbox_of(episode).call(tool, arguments)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> list[Episode]:
    """Return episodes imported from a table in the public form."""
    folder = tmp_path_factory.mktemp("public")
    import_mobilitybench(write(folder / "t.csv", WAY, OPTION, NEAR, WEATHER), folder / "suite")
    return list(read_episodes(folder / "suite"))


def replayed_calls(episode: Episode) -> int:
    """Check that each recorded call of an episode gives its recorded result, and return the number of calls."""
    tools, count = sandbox_of(episode), 0
    for record in episode.snapshot:
        if record.arguments is None or record.missing is not None:
            continue
        answer = tools.call(record.tool, dict(record.arguments))
        assert answer.get("match", {"kind": "exact"}) == {"kind": "exact"}, (episode.id, record.arguments)
        assert json.loads(text_of(answer.get("result", answer))) == json.loads(text_of(record.result))
        count += 1
    return count


def test_every_recorded_call_is_replayed_by_its_own_arguments(imported: list[Episode]) -> None:
    assert sum(map(replayed_calls, read_episodes(SHIPPED))) > 500
    assert sum(map(replayed_calls, imported)) > 5


def test_the_default_route_by_car_is_the_fastest() -> None:
    ways = [
        (episode, call)
        for episode in read_episodes(SHIPPED)
        for call in episode.program
        if call.tool == "driving_planning"
    ]
    assert len(ways) > 10
    for episode, call in ways:
        given: dict[str, Any] = dict(call.arguments)
        more: dict[str, Any] = {**given, "preferences": [*given.get("preferences", []), "fastest"]}
        if "shortest" not in more["preferences"]:
            assert answer_of(episode, call.tool, more) == answer_of(episode, call.tool, given)


def test_the_current_time_may_be_omitted() -> None:
    tried = 0
    for episode in read_episodes(SHIPPED):
        for call in episode.program:
            given: dict[str, Any] = dict(call.arguments)
            if call.tool != "traffic_info_query" or "at" in given:
                continue
            assert answer_of(episode, call.tool, {**given, "at": episode.context.time}) == answer_of(
                episode, call.tool, given
            )
            tried += 1
    assert tried > 2


def test_a_list_of_all_modes_equals_no_restriction() -> None:
    bare = BusPlanning(origin="1,1", destination="2,2")
    every = bare.model_copy(update={"modes": ("tram", "bus", "subway", "flight", "ferry", "train")})
    some = bare.model_copy(update={"modes": ("tram", "bus")})
    assert canonical_arguments(every) == canonical_arguments(bare)
    assert canonical_arguments(some) == (
        *canonical_arguments(bare)[:1],
        ("modes", ("bus", "tram")),
        *canonical_arguments(bare)[1:],
    )


def test_only_default_preferences_are_dropped() -> None:
    assert drop_fastest((("preferences", ("avoid_tolls", "fastest")),)) == (("preferences", ("avoid_tolls",)),)
    assert drop_fastest((("preferences", ("fastest",)), ("waypoints", ()))) == (("waypoints", ()),)


def test_the_default_radius_is_the_toolkits(imported: list[Episode]) -> None:
    """The toolkit's default radius is 10 km, which applies to its episodes. planspec's is 1 km."""
    (episode,) = [one for one in imported if one.query == NEAR["query"]]
    around = {"location": "120.200000,30.200000", "keywords": "药店"}
    answer = answer_of(episode, "nearby_poi_query", around)
    assert answer["match"] == {"kind": "exact"}
    assert answer == answer_of(episode, "nearby_poi_query", {**around, "radius": 10_000})
    assert answer_of(episode, "nearby_poi_query", {**around, "radius": 1000})["error"]["code"] == "not-found"
    (tool,) = [tool for tool in sandbox_of(episode).tools() if tool.name == "nearby_poi_query"]
    assert tool.parameters["properties"]["radius"]["default"] == 10_000
