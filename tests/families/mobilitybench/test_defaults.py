"""What is recorded is found by its own arguments, and by calls that say a default in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import BusPlanning, canonical, plain
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.snapshot import text_of
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from tests.families.mobilitybench.public.small_table import NEAR, OPTION, WAY, WEATHER, write
from tests.paths import ROOT

SHIPPED = ROOT / "tasks" / "mobilitybench"


def asked(episode: Episode, tool: str, arguments: Any) -> Any:
    return sandbox_of(episode).call(tool, arguments)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> list[Episode]:
    folder = tmp_path_factory.mktemp("public")
    import_mobilitybench(write(folder / "t.csv", WAY, OPTION, NEAR, WEATHER), folder / "suite")
    return list(read_episodes(folder / "suite"))


def found_again(episode: Episode) -> int:
    tools, found = sandbox_of(episode), 0
    for record in episode.snapshot:
        if record.arguments is None or record.missing is not None:
            continue
        told = tools.call(record.tool, dict(record.arguments))
        assert told.get("match", {"kind": "exact"}) == {"kind": "exact"}, (episode.id, record.arguments)
        assert json.loads(text_of(told.get("result", told))) == json.loads(text_of(record.result))
        found += 1
    return found


def test_every_recorded_call_is_found_by_its_own_arguments(imported: list[Episode]) -> None:
    assert sum(map(found_again, read_episodes(SHIPPED))) > 500
    assert sum(map(found_again, imported)) > 5


def test_a_way_by_car_is_the_fastest_unless_something_else_is_preferred() -> None:
    ways = [
        (episode, call)
        for episode in read_episodes(SHIPPED)
        for call in episode.program
        if call.tool == "driving_planning"
    ]
    assert len(ways) > 10
    for episode, call in ways:
        said: dict[str, Any] = dict(call.arguments)
        more: dict[str, Any] = {**said, "preferences": [*said.get("preferences", []), "fastest"]}
        if "shortest" not in more["preferences"]:
            assert asked(episode, call.tool, more) == asked(episode, call.tool, said)


def test_a_time_that_is_now_may_be_said_or_left_out() -> None:
    tried = 0
    for episode in read_episodes(SHIPPED):
        for call in episode.program:
            said: dict[str, Any] = dict(call.arguments)
            if call.tool != "traffic_info_query" or "at" in said:
                continue
            assert asked(episode, call.tool, {**said, "at": episode.context.time}) == asked(
                episode, call.tool, said
            )
            tried += 1
    assert tried > 2


def test_all_means_are_no_restriction() -> None:
    bare = BusPlanning(origin="1,1", destination="2,2")
    every = bare.model_copy(update={"modes": ("tram", "bus", "subway", "flight", "ferry", "train")})
    some = bare.model_copy(update={"modes": ("tram", "bus")})
    assert canonical(every) == canonical(bare)
    assert canonical(some) == (*canonical(bare)[:1], ("modes", ("bus", "tram")), *canonical(bare)[1:])


def test_a_preference_that_is_none_of_the_default_stays() -> None:
    assert plain((("preferences", ("avoid_tolls", "fastest")),)) == (("preferences", ("avoid_tolls",)),)
    assert plain((("preferences", ("fastest",)), ("waypoints", ()))) == (("waypoints", ()),)


def test_the_toolkits_radius_is_meant_where_none_is_said(imported: list[Episode]) -> None:
    """Its episodes recorded what lies within 10 km, which is its default; ours is 1 km."""
    (episode,) = [one for one in imported if one.query == NEAR["query"]]
    around = {"location": "120.200000,30.200000", "keywords": "药店"}
    told = asked(episode, "nearby_poi_query", around)
    assert told["match"] == {"kind": "exact"}
    assert told == asked(episode, "nearby_poi_query", {**around, "radius": 10_000})
    assert asked(episode, "nearby_poi_query", {**around, "radius": 1000})["error"]["code"] == "not-found"
    (tool,) = [tool for tool in sandbox_of(episode).tools() if tool.name == "nearby_poi_query"]
    assert tool.parameters["properties"]["radius"]["default"] == 10_000
