"""The public sample, with 58 of the 115 episodes, is imported and judged."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from planspec.agents.tools import read_arguments
from planspec.dsl.documents.documents import task_from_path
from planspec.families.mobilitybench.calls import TOOLS, route_id
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.public.result_translation import public_routes
from planspec.families.mobilitybench.public.table import OFFICIAL, TableReport, read_official
from planspec.families.mobilitybench.row_collector import rows_of_episode
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from tests.families.mobilitybench.public.judging import faults, ways
from tests.paths import SHARED

TABLE = SHARED / "data" / "mobilitybench" / "sample_dev.csv"
pytestmark = pytest.mark.skipif(not TABLE.is_file(), reason="the public sample of MobilityBench is not here")
CUT = (5, 18, 19, 25, 30, 49, 51, 53)
"""Rows whose cell `route_ans` is truncated."""
OPEN = (40, 55, 56, 57)
"""Rows without a ground truth, because the weather is blank or the time is ambiguous."""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TableReport, dict[int, Episode]]:
    """Return the suite, the report, and the episodes by row."""
    out = tmp_path_factory.mktemp("public") / "suite"
    _, report = import_mobilitybench(TABLE, out)
    return out, report, {int(one.id.removeprefix("case_")): one for one in read_episodes(out)}


Suite = tuple[Path, TableReport, dict[int, Episode]]


def record_of(episode: Episode, column: str) -> RecordedResult:
    """Return the recorded result that was read from a column."""
    (record,) = (one for one in episode.snapshot if one.column == column)
    return record


def whole(value: Any) -> int:
    """Return a decimal number in text, such as `12.0`, as an integer."""
    return int(Decimal(value))


@pytest.mark.slow
def test_the_import_of_the_public_sample_reports_each_missing_cell(imported: Suite) -> None:
    out, report, episodes = imported
    assert (report.episodes.read, report.episodes.stored, report.left_out) == (58, 58, [])
    assert (report.absent, report.unknown) == ((), ())
    assert all(table.adds_up for table in report.tables)
    assert [(one.row, one.column) for one in report.cells if one.is_missing] == [(row, "route_ans") for row in CUT]
    noted = Counter({one.table: one.noted.total() for one in report.tables})
    assert +noted == {"poi_result": 13, "near_poi_ans": 5, "weather": 5, "route_ans": 4}
    assert sorted(episodes) == list(range(1, 59))
    records = [record for episode in episodes.values() for record in episode.snapshot]
    assert all(record.call is not None for record in records)
    assert Counter(record.missing for record in records) == {
        None: len(records) - 13,
        "truncated": 8,
        "no column": 5,
    }
    assert [truth.case for truth in read_official(out / OFFICIAL)] == [one.id for one in episodes.values()]


@pytest.mark.slow
def test_every_call_is_valid_by_planspecs_schemas_and_is_replayed(imported: Suite) -> None:
    _, report, episodes = imported
    assert not [one for one in report.cells if one.column == "tool_list"]
    for episode in episodes.values():
        tools = sandbox_of(episode)
        for record in episode.snapshot:
            assert record.arguments is not None
            read_arguments(TOOLS[record.tool][0], record.arguments)
            answer = tools.call(record.tool, record.arguments)
            if record.missing is None:
                assert answer == {"match": {"kind": "exact"}, "result": record.result}
            else:
                assert answer["error"]["code"] == "not-found"


@pytest.mark.slow
def test_every_query_has_slots_and_needed_steps(imported: Suite) -> None:
    _, _, episodes = imported
    assert {one.language for one in episodes.values()} == {"zh"}
    without = {one.scenario for one in episodes.values() if not one.constraints}
    assert without == {Scenario.WEATHER}  # its city and day come from the context
    assert all(one.steps for one in episodes.values())


@pytest.mark.slow
def test_missing_ground_truth_is_reported(imported: Suite) -> None:
    _, report, _ = imported
    assert [one.row for one in report.unjudged] == sorted((*CUT, *OPEN))


@pytest.mark.thorough
@pytest.mark.slow
def test_every_task_loads(imported: Suite) -> None:
    out, _, episodes = imported
    for episode in episodes.values():
        assert task_from_path(out / "tasks" / f"{episode.id}.yaml").id == episode.id


@pytest.mark.slow
def test_every_recorded_route_has_rows_whose_sums_agree_with_its_totals(imported: Suite) -> None:
    _, _, episodes = imported
    counted: Counter[str] = Counter()
    for episode in episodes.values():
        rows = {row.id: row for row in rows_of_episode(episode).routes}
        pieces = rows_of_episode(episode).pieces
        for record in episode.snapshot:
            if record.tool not in ROUTE_TOOLS or record.missing is not None:
                continue
            result: Any = record.result
            if record.tool == "bus_planning":
                totals_of_routes = [
                    (one["distance"], one["duration"], 0, whole(Decimal(one["cost"]) * 100), 0)
                    for one in result["data"]["route"]["transits"]
                ]
            elif record.tool == "bicycling_planning":
                totals_of_routes = [(21_300, 6540, 0, 0, 0), (22_000, 6720, 0, 0, 0), (22_400, 6960, 0, 0, 0)]
            else:
                totals_of_routes = [
                    (
                        one["distance"],
                        one["cost"]["duration"],
                        whole(one["cost"].get("tolls", 0)) * 100,
                        0,
                        whole(one["cost"].get("traffic_lights", 0)),
                    )
                    for one in result["route"]["paths"]
                ]
            routes = public_routes(record)
            assert len(routes) == len(totals_of_routes)
            for number, (route, (metres, seconds, tolls, fare, lights)) in enumerate(
                zip(routes, totals_of_routes, strict=True), 1
            ):
                assert route is not None and record.arguments is not None
                assert (route["distance"], route["duration"]) == (whole(metres), whole(seconds))
                assert (route["tolls"], route["fare"], route["traffic_lights"]) == (tolls, fare, lights)
                # the service rounds each step and, on foot, also the total
                for name, total in (("distance", metres), ("duration", seconds)):
                    assert abs(sum(step[name] for step in route["steps"]) - whole(total)) <= 1
                assert sum(step["tolls"] for step in route["steps"]) == tolls
                assert sum(step["traffic_lights"] for step in route["steps"]) == lights
                row = rows[route_id(record.tool, record.arguments, number)]
                assert (row.length_m, row.time_min) == (whole(metres), -(-whole(seconds) // 60))
                assert abs(sum(one.length_m for one in pieces if one.route == row.id) - row.length_m) <= 1
                counted[route["mode"]] += 1
    assert counted == {"drive": 44, "walk": 3, "cycle": 3, "transit": 5}


def test_motorways_are_recognised_exactly_in_routes_that_use_them(imported: Suite) -> None:
    _, _, episodes = imported
    for row, motorways in ((1, False), (2, True), (3, False), (4, False)):
        roads = rows_of_episode(episodes[row]).roads
        assert any(road.motorway for road in roads) is motorways


# ------------------------------------------------------------------ answers


def right_and_wrong_answers(episode: Episode) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return answers that are right according to the table, and wrong answers."""
    empty: dict[str, Any] = {}
    match episode.scenario:
        case Scenario.POI_SEARCH:
            result: Any = record_of(episode, "poi_result").result
            name = result["data"]["name"]
            return [{"answer": {"place": name, "where": name}}], [empty, {"answer": {"place": "here"}}]
        case Scenario.GEOLOCATION:
            address = str(episode.truth["formatted_address"])
            return [{"answer": {"address": address}}], [empty, {"answer": {"address": address[:6]}}]
        case Scenario.NEARBY_SEARCH:
            result = record_of(episode, "near_poi_ans").result
            centre: Any = record_of(episode, "poi_result").result
            names = [poi["name"] for poi in result["data"]["pois"]]
            right = [{"places": [{"n": n, "place": name} for n, name in enumerate(names, 1)]}]
            return right, [empty, {"places": [{"n": 1, "place": centre["data"]["name"]}]}]
        case Scenario.WEATHER:
            text = str(episode.truth["weather_description"])
            word, day = text.partition("天气")[2].partition("，")[0], text.partition("更新时间：")[2][:10]
            degrees = whole(text.partition("气温")[2].partition("℃")[0])
            weather = {"day": day, "weather": word, "temperature": degrees}
            return [{"days": [weather]}], [
                empty,
                {"days": [weather | {"weather": "台风"}]},
                {"days": [weather | {"temperature": 40}]},
            ]
        case Scenario.TRAFFIC:
            return [{"answer": {"level": "smooth"}}], [empty, {"answer": {"level": "congested"}}]
        case Scenario.ROUTE_PROPERTY:
            result = record_of(episode, "route_ans").result
            metres = whole(result["route"]["paths"][0]["distance"])
            return [{"answer": {"length": f"{metres}m"}}], [empty, {"answer": {"length": f"{metres * 2}m"}}]
        case Scenario.TIME:
            minutes = int(str(episode.truth["duration"]).removesuffix("分钟"))
            by = {54: 18 * 60, 58: 9 * 60}[int(episode.id.removeprefix("case_"))]
            leave, late = (f"{minute // 60:02}:{minute % 60:02}" for minute in (by - minutes, by - minutes + 1))
            return [{"answer": {"depart": leave}}], [empty, {"answer": {"depart": late}}]
        case _:
            return _right_and_wrong_routes(episode)


def _right_and_wrong_routes(episode: Episode) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return answers with the routes that are right, and wrong answers.

    The right route is the one at the table's index. Without an index, any recorded route is right.
    """
    record = record_of(episode, "route_ans")
    assert record.arguments is not None
    ids = [route_id(record.tool, record.arguments, number + 1) for number in range(len(public_routes(record)))]
    index = episode.truth.get("matched_transit_index")
    right = [ids[index]] if isinstance(index, int) else ids
    wrong: list[dict[str, Any]] = [{}, {"legs": ways(right[0]), "answer": {"length": "1m"}}]
    if len(ids) > 1 and isinstance(index, int):
        wrong += [{"legs": ways(one)} for one in ids if one not in right]
    return [{"legs": ways(one)} for one in right], wrong


@pytest.mark.thorough
@pytest.mark.slow
def test_right_answers_pass_and_wrong_ones_fail_in_every_scenario(imported: Suite) -> None:
    out, _, episodes = imported
    judged: Counter[Scenario] = Counter()
    for row, episode in episodes.items():
        if row in (*CUT, *OPEN):
            assert faults(out, episode.id) == []
            continue
        right, wrong = right_and_wrong_answers(episode)
        for answer in right:
            assert faults(out, episode.id, **answer) == [], (episode.id, answer)
        for answer in wrong:
            assert faults(out, episode.id, **answer) != [], (episode.id, answer)
        judged[episode.scenario] += 1
    assert set(judged) == set(Scenario)
