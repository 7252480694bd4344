import pytest

from planspec.families.mobilitybench.official.evaluator import (
    CaseScores,
    equal_texts,
    score,
    shared_characters,
    tokens,
)
from planspec.families.mobilitybench.official.instruction import intent_of
from planspec.families.mobilitybench.official.similarity import similarity
from planspec.families.mobilitybench.official.totals import totals
from planspec.families.mobilitybench.official.truth import truths_of
from planspec.traces import Tokens, Trace
from tests.families.mobilitybench.official.case import case, run

ROUTE = "Point-to-Point Planning"


@pytest.mark.parametrize(
    ("intent", "detected"),
    [
        ("路线规划", 1),
        ("路", 1),
        ("我要路线规划吧", 1),
        ("规划路线", 1),
        ("规划路", 1),
        ("路线查询", 0),
        ("", 0),
    ],
)
def test_an_intent_is_detected_as_a_part_or_by_70_percent_of_its_characters(intent: str, detected: int) -> None:
    assert score(case(ROUTE), run(intent=intent)).rows["instruction"]["ID"] == detected


def test_a_measure_of_equality_finds_intents_only_as_substrings() -> None:
    trace = run(intent="规划路线")
    assert score(case(ROUTE), trace, shared_characters).rows["instruction"]["ID"] == 1
    assert score(case(ROUTE), trace, equal_texts).rows["instruction"]["ID"] == 0


def test_a_similarity_of_exactly_seven_tenths_is_enough() -> None:
    assert score(case(ROUTE), run(intent="x"), lambda a, b: 0.7).rows["instruction"]["ID"] == 1
    assert score(case(ROUTE), run(intent="x"), lambda a, b: 0.6999).rows["instruction"]["ID"] == 0


def test_the_similarity_may_ignore_case() -> None:
    assert similarity("AB", "ba", shared_characters) == 0
    assert similarity("AB", "ba", shared_characters, folded=True) == 1


def test_an_unknown_scenario_has_the_keywords_of_a_scenario_whose_name_it_contains() -> None:
    assert intent_of("Weather Query (tomorrow)") == "天气查询"
    assert intent_of("Geolocation") == "位置查询"
    assert intent_of("Chess") == "Unknown intent"
    assert intent_of("") == "Unknown intent"


def test_values_of_slots_are_searched_in_thoughts_and_planned_steps() -> None:
    truth = case(ROUTE, query_start_poi="北门", query_end_poi="南站", city="甲市")
    for thinking, steps, extracted in (
        ("北门 南站", (), 1),
        ("北门", (("去", "到南站"),), 1),
        ("北", (("门南站",),), 0),
        ("", (), 0),
    ):
        assert score(truth, run(thinking=thinking, steps=steps)).rows["instruction"]["IE"] == extracted


def test_slots_without_a_value_in_the_ground_truth_are_not_required() -> None:
    assert score(case(ROUTE, query_start_poi=""), run()).rows["instruction"]["IE"] == 1
    assert score(case("POI Query", query="南站"), run()).rows["instruction"]["IE"] == 1


@pytest.mark.parametrize(
    ("required", "called", "coverage", "spared"),
    [
        ("query_poi driving_route", "query_poi driving_route", 1.0, 1.0),
        ("query_poi driving_route", "driving_route", 0.5, 1.0),
        ("query_poi", "query_poi query_poi bus_route", 1.0, 0.33330000000000004),
        ("query_poi query_poi bus_route", "query_poi", 0.5, 1.0),
        ("query_poi", "Query_POI", 0.0, 0.0),
        ("query_poi", "query_poi a b c d", 1.0, 0.19999999999999996),
        ("traffic_status_road_api", "traffic_status", 1.0, 1.0),
        ("traffic_status_road_api", "traffic_status_road_api", 0.0, 0.0),
    ],
)
def test_called_and_required_tools_are_compared_by_name(
    required: str, called: str, coverage: float, spared: float
) -> None:
    calls: list[tuple[str, dict]] = [(name, {}) for name in called.split()]
    row = score(case(ROUTE, *required.split()), run("", *calls)).rows["tool"]
    assert (row["TS_P"], row["TS_R"]) == (coverage, spared)


@pytest.mark.parametrize(
    ("calls", "earned"),
    [
        ([("query_poi", {"keywords": "x", "city": "y"})], 1.0),
        ([("query_poi", {"keywords": "x", "town": "y"})], 0.0),
        ([("query_poi", {"city": "y"})], 0.0),
        ([("bus_route", {"origin": "200.0,95.0"})], 0.5),
        ([("bus_route", '{"origin": "1,2", "destination": "3,4"}')], 1.0),
        ([("bus_route", "")], 0.0),
        ([("query_poi", {"keywords": "x"}), ("query_poi", {})], 1.0),
        ([("query_poi", {"keywords": "x"}), ("walking_route", {}), ("bus_route", {})], 0.5),
        ([("walking_route", {"origin": "1,2", "destination": "3,4"})], 0.0),
    ],
)
def test_only_calls_of_the_reference_program_are_checked_by_schema(calls: list, earned: float) -> None:
    assert score(case(ROUTE, "query_poi", "bus_route"), run("", *calls)).rows["tool"]["SC"] == earned


def test_schema_compliance_is_rounded_to_four_digits() -> None:
    calls = [
        ("bus_route", {"origin": "a"}),
        ("query_poi", {"keywords": "x"}),
        ("weather_query", {"city": "y"}),
    ]
    row = score(case(ROUTE, "bus_route", "query_poi", "weather_query"), run("", *calls)).rows["tool"]
    assert row["SC"] == 0.8333


def test_rows_that_the_toolkit_drops_are_missing_with_a_reason() -> None:
    silent = run("", planner_output={}, error="Connection error.")
    scores = score(case(ROUTE, "query_poi"), silent)
    assert scores.rows == {"efficiency": {"IT": 0, "OT": 0}}
    assert set(scores.missing) == {"instruction", "tool", "answer"}
    assert not scores.failed
    assert "tool" in score(case(ROUTE), run("", ("query_poi", {}))).missing


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            (
                Tokens(stage="planner", input=5, output=1),
                Tokens(stage="worker", input=2),
                Tokens(stage="other", input=9),
            ),
            (7, 1),
        ),
        ((Tokens(stage="planner", total=15), Tokens(stage="reporter", total=8)), (16, 7)),
        ((Tokens(stage="planner", output=1, total=15),), (0, 1)),
        ((), (0, 0)),
    ],
)
def test_tokens_are_summed_over_the_stages(counts: tuple[Tokens, ...], expected: tuple[int, int]) -> None:
    assert tuple(tokens(Trace(task="t", tokens=counts)).values()) == expected


def test_a_mean_is_over_the_cases_that_have_a_row() -> None:
    def case_scores(family: str, value: float | None, *, failed: bool = False) -> CaseScores:
        rows: dict[str, dict[str, float]] = {"efficiency": {"IT": 3, "OT": 1}}
        if value is not None:
            rows["answer"] = {"DR": 1.0, "FPR": value}
        return CaseScores("c", "s", family, rows, failed=("answer",) if failed else ())

    summed = totals(
        [
            case_scores("a", 1.0),
            case_scores("a", 0.0),
            case_scores("b", 0.0),
            case_scores("b", None),
            case_scores("b", None, failed=True),
        ]
    )
    assert summed.overall.means == {"DR": 1.0, "FPR": 0.3333, "IT": 3.0, "OT": 1.0}
    assert summed.overall.coverage("answer") == (3, 5)
    assert summed.overall.failed["answer"] == 1
    assert summed.families["a"].means["FPR"] == 0.5
    assert summed.families["b"].rows["answer"] == 1
    assert "ID" not in summed.overall.means


def test_a_column_of_integers_and_blanks_is_read_as_floats() -> None:
    rows = [
        {"task_scenario": "x", "matched_transit_index": "1", "road": "312", "city": "7", "time": "nan"},
        {"task_scenario": "x", "matched_transit_index": "", "road": "G312", "city": "8", "time": "1e3"},
    ]
    first, second = truths_of(rows)
    assert (first["matched_transit_index"], second["matched_transit_index"]) == (1.0, "")
    assert isinstance(first["matched_transit_index"], float)
    assert (first["road"], first["city"], type(first["city"])) == ("312", 7, int)
    assert (first["time"], second["time"]) == ("", 1000.0)
    assert (first.case, second.case) == ("case_1", "case_2")


def test_cells_that_may_hold_json_are_read_as_the_toolkit_does() -> None:
    truth = case(
        "POI Query",
        ans_loc="108.9,34.2",
        near_poi_ans="{'a': <A.B: 0>}",
        query_poi="[1]",
        road="[1]",
        context="{}",
    )
    assert truth["ans_loc"] == (108.9, 34.2)
    assert truth["near_poi_ans"] == "{'a': <A.B: 0>}"
    assert (truth["query_poi"], truth["road"], truth["context"]) == ([1], "[1]", None)
