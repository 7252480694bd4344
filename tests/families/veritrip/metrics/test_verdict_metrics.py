"""VeriTrip's metrics follow the paper's formulas, with values computed by hand for a run of five answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.veritrip.facts_check.verdict import (
    CellStatus,
    CheckedCell,
    Citation,
    FactCheck,
    FactVerdict,
)
from planspec.families.veritrip.verdict_metrics import Interval, VeriTripMetrics, margin
from planspec.family.registry import family_of
from planspec.verifiers.meaning.verdict import Finding, FindingLevel, FindingStatus, Tally
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.scored import ClosedWay, Detour, LabelValue

F = Fraction
NAMES: dict[str, CellStatus] = {"c": "correct", "w": "wrong", "n": "unsupported", "u": "unreadable"}
CITED: dict[str, Citation] = {"s": "supported", "x": "contradicted", "i": "silent", "0": "uncited"}


def cells(words: str, *, exact: bool = False) -> FactCheck:
    """Build a fact check from codes:

    `cs` is a correct cell with a supporting citation, `w-` a wrong cell without one.
    """
    return FactCheck(
        cells=tuple(
            CheckedCell(table="t", row=n, column="c", status=NAMES[word[0]], said="", citation=CITED.get(word[1]))
            for n, word in enumerate(words.split())
        ),
        exact=exact,
    )


def delivered_answer(
    rules: str,
    wishes: str,
    facts: str,
    *,
    requested: int = 4,
    status: Literal["pass", "fail"] = "fail",
    false_facts: int = 0,
    detour: Detour | None = None,
    tool_calls: int | None = None,
    **labels: LabelValue,
) -> Scored:
    """Build a verdict from characters, one for each rule and preference.

    `+` is satisfied, `-` violated, and `o` not applicable.
    """
    marks: dict[str, FindingStatus] = {"+": "satisfied", "-": "violated", "o": "not-applicable"}
    parts: tuple[tuple[str, FindingLevel, str], ...] = (
        ("constraint", "hard", rules),
        ("preference", "soft", wishes),
        ("fact", "hard", "-" * false_facts),
    )
    findings = [
        Finding(constraint=f"{kind}{n}", level=level, kind=kind, status=marks[mark], message="")
        for kind, level, letters in parts
        for n, mark in enumerate(letters)
    ]
    findings.append(Finding(constraint="cell", level="shape", kind="constraint", status="violated", message=""))
    verdict = FactVerdict(
        task="t",
        profile="strict",
        status=status,
        metrics={},
        in_scope=True,
        hard=Tally(satisfied=0, total=0),
        soft=Tally(satisfied=0, total=0),
        findings=tuple(findings),
        facts=cells(facts),
    )
    return Scored(
        verdict=verdict,
        hard_counts={"constraint": requested, "fact": 3},
        labels=labels,
        detour=detour,
        tool_calls=tool_calls,
    )


def undelivered_answer(requested: int = 4, tool_calls: int | None = None, **labels: LabelValue) -> Scored:
    """Build the verdict on an answer that was not delivered."""
    finding = Finding(constraint="answer", level="shape", kind="undelivered", status="violated", message="")
    verdict = FactVerdict(
        task="t",
        profile="strict",
        status="undelivered",
        metrics={},
        in_scope=False,
        hard=Tally(satisfied=0, total=4),
        soft=Tally(satisfied=0, total=0),
        findings=(finding,),
    )
    return Scored(
        verdict=verdict,
        hard_counts={"constraint": requested, "fact": 3},
        labels=labels,
        tool_calls=tool_calls,
    )


def make_detour(
    places: int, length: int | None, min_length: int | None = None, max_length: int | None = None
) -> Detour:
    """Build the detour of a plan from its length and bounds of the shortest length, in metres on the map.

    All lengths on the globe are half as long.
    """
    min_length = length if min_length is None else min_length
    max_length = min_length if max_length is None else max_length
    plane = ClosedWay(length, min_length, max_length)
    globe = ClosedWay(*(None if part is None else part // 2 for part in (length, min_length, max_length)))
    return Detour(places, plane, globe)


PERFECT = delivered_answer(
    "++++", "++", "cs cs c- c-", status="pass", detour=make_detour(4, 80_000), tool_calls=12, difficulty="Simple"
)
SLOW = delivered_answer(
    "+++-", "+-", "cs wx c-", detour=make_detour(5, 150_000, 100_000), tool_calls=20, difficulty="Simple"
)
UNPROVED = delivered_answer(
    "++o",
    "",
    "w0 n0 u- ci",
    requested=2,
    false_facts=2,
    detour=make_detour(2, 60_000, 30_000, 50_000),
    difficulty="Complex",
)
MUTE = undelivered_answer(requested=4, tool_calls=0, difficulty="Complex")
LOST = delivered_answer("----", "--", "", detour=None, difficulty="Medium")
RUN = [PERFECT, SLOW, UNPROVED, MUTE, LOST]
M = VeriTripMetrics.over(iter(RUN))


def test_the_delivery_rate_is_the_share_of_delivered_answers() -> None:
    assert (M.n, M.delivered, M.delivery_rate) == (5, 4, F(4, 5))


def replace_facts(scored: Scored, facts: FactCheck) -> Scored:
    """Return a scored verdict with another fact check."""
    return replace(scored, verdict=FactVerdict.of(scored.verdict, facts))


def test_the_paper_s_delivery_rate_counts_any_json_with_exactly_the_expected_tables() -> None:
    """The paper counts an answer of three empty tables as delivered, although such an answer plans nothing."""
    exact = replace_facts(PERFECT, cells("cs", exact=True))
    empty = replace_facts(MUTE, cells("", exact=True))
    metrics = VeriTripMetrics.over([exact, empty, SLOW, MUTE])
    assert (metrics.delivery_rate, metrics.delivery_rate_strict) == (F(2, 4), F(2, 4))
    assert VeriTripMetrics.over([SLOW, MUTE]).delivery_rate_strict == 0


def test_cells_are_counted_by_column_in_the_order_of_the_answer() -> None:
    def cell(table: str, column: str, status: CellStatus) -> CheckedCell:
        return CheckedCell(table=table, row=0, column=column, status=status, said="")

    facts = FactCheck(
        cells=(
            cell("itineraryTable", "name", "correct"),
            cell("transportationTable", "date", "wrong"),
            cell("transportationTable", "date", "correct"),
            cell("transportationTable", "transportationID", "unsupported"),
        )
    )
    metrics = VeriTripMetrics.over([replace_facts(PERFECT, facts)])
    assert list(metrics.columns) == [
        "transportationTable.transportationID",
        "transportationTable.date",
        "itineraryTable.name",
    ]
    assert metrics.columns["transportationTable.date"] == {
        "n": 2,
        "correct": 1,
        "wrong": 1,
        "unsupported": 0,
        "unreadable": 0,
    }


def test_factual_reliability_counts_all_delivered_cells() -> None:
    """The answers have 4 correct cells of 4, 2 of 3, 1 of 4, and 0 of 0."""
    assert M.factual_reliability == F(4 + 2 + 1, 4 + 3 + 4)
    assert M.cells == {"correct": 7, "wrong": 2, "unsupported": 1, "unreadable": 1}


def test_an_undelivered_answer_has_no_correct_cells() -> None:
    assert M.fr_all == (1 + F(2, 3) + F(1, 4) + 0 + 0) / 5


def test_citation_support_is_a_share_of_cells_that_need_a_citation() -> None:
    assert M.citation_support == F(3, 2 + 2 + 3)
    assert M.citations == {"supported": 3, "contradicted": 1, "silent": 1, "uncited": 2}


def test_pass_rates_count_only_planning_constraints() -> None:
    """Constraints that do not apply, facts, and findings on the answer's shape are not counted as planning
    constraints.
    """
    assert M.pr_micro == F(4 + 3 + 2 + 0, 4 + 4 + 2 + 4)
    assert M.pr_micro_all == F(4 + 3 + 2 + 0, 4 + 4 + 2 + 4 + 4)
    assert M.pr_macro == F(2, 5)  # two answers of five: the perfect one, and the one with wrong facts


def test_preferences_are_averaged_over_answers() -> None:
    """Any delivered answer fulfils the preferences of a task without preferences."""
    assert M.pfr == F(2, 5)
    assert M.pfr_micro == F(2 + 1 + 0 + 0, 2 + 2 + 0 + 2)


def test_the_metric_am_is_an_interval_if_the_shortest_path_is_not_proved() -> None:
    """The margins per place are 0, 10 km, and 5 to 15 km on the map, and half of that on the globe."""
    assert M.am == Interval(least=F(0 + 10_000 + 5_000, 3 * 10_000), most=F(0 + 10_000 + 15_000, 3 * 10_000))
    assert M.am_metres == Interval(least=F(0 + 5_000 + 2_500, 3), most=F(0 + 5_000 + 7_500, 3))


def test_the_metric_am_with_hotels_includes_the_path_to_the_hotels() -> None:
    lodged = replace(make_detour(2, 60_000, 20_000), lodged=make_detour(4, 100_000, 20_000))
    metrics = VeriTripMetrics.over(
        [
            delivered_answer("+", "", "", detour=lodged),
            delivered_answer("+", "", "", detour=make_detour(2, 30_000, 10_000)),
        ]
    )
    assert metrics.am == Interval(least=F(20_000 + 10_000, 2 * 10_000), most=F(20_000 + 10_000, 2 * 10_000))
    assert metrics.am_hotels == Interval(least=F(20_000 + 10_000, 2 * 10_000), most=F(20_000 + 10_000, 2 * 10_000))
    far = replace(make_detour(2, 60_000, 20_000), lodged=make_detour(4, 180_000, 20_000))
    assert VeriTripMetrics.over([delivered_answer("+", "", "", detour=far)]).am_hotels == Interval(
        least=F(4), most=F(4)
    )


def test_the_mean_of_tool_calls_leaves_out_records_without_a_count() -> None:
    assert M.tool_calls == F(12 + 20 + 0, 3)


def test_only_feasible_plans_with_true_facts_pass() -> None:
    assert M.pass_rate == F(1, 5)


def test_violated_rules_are_counted_by_name_most_frequent_first() -> None:
    assert M.failures == {
        "constraint3": 2,
        "preference1": 2,
        "fact0": 1,
        "fact1": 1,
        "constraint0": 1,
        "constraint1": 1,
        "constraint2": 1,
        "preference0": 1,
    }
    assert list(M.failures)[:2] == ["constraint3", "preference1"]


def test_the_metrics_of_each_difficulty_are_those_of_a_run_with_only_its_tasks() -> None:
    assert list(M.difficulties) == ["Simple", "Medium", "Complex"]
    for name, part in (("Simple", [PERFECT, SLOW]), ("Medium", [LOST]), ("Complex", [UNPROVED, MUTE])):
        alone = VeriTripMetrics.over(part).model_dump()
        group = M.difficulties[name].model_dump()
        assert group == {key: alone[key] for key in group}
    assert M.difficulties["Complex"].pr_micro == 1
    assert M.difficulties["Complex"].pr_micro_all == F(2, 6)
    assert M.difficulties["Medium"].am is None


def test_tasks_without_a_difficulty_are_a_group_and_unknown_difficulties_come_last() -> None:
    metrics = VeriTripMetrics.over(
        [
            undelivered_answer(),
            undelivered_answer(difficulty="Tough"),
            undelivered_answer(difficulty="Complex"),
            undelivered_answer(difficulty="Simple"),
        ]
    )
    assert list(metrics.difficulties) == ["Simple", "Complex", "Tough", "unknown"]


def test_an_empty_run_has_no_rates() -> None:
    metrics = VeriTripMetrics.over([])
    assert (metrics.n, metrics.delivered, metrics.failures, metrics.difficulties) == (0, 0, {}, {})
    rates = metrics.model_dump(exclude={"n", "delivered", "failures", "difficulties", "cells", "columns", "citations"})
    assert set(rates.values()) == {None}


def test_a_run_without_delivered_answers_has_no_rates_over_them() -> None:
    metrics = VeriTripMetrics.over([MUTE, MUTE])
    for name in (
        "delivery_rate",
        "delivery_rate_strict",
        "pr_macro",
        "pfr",
        "pr_micro_all",
        "fr_all",
        "pass_rate",
    ):
        assert getattr(metrics, name) == 0, name
    for name in (
        "factual_reliability",
        "pr_micro",
        "pfr_micro",
        "citation_support",
        "am",
        "am_hotels",
        "am_metres",
    ):
        assert getattr(metrics, name) is None, name


@pytest.mark.parametrize(
    ("length", "places", "bounds"),
    [
        (ClosedWay(10, 10, 10), 1, (F(0), F(0))),
        (ClosedWay(10, 4, 7), 3, (F(1), F(2))),
        # a path that is provably shortest has no margin, even if the known tour is longer
        (ClosedWay(10, 8, 12), 2, (F(0), F(1))),
        (ClosedWay(7, 8, 9), 2, (F(0), F(0))),
        (ClosedWay(None, None, None), 2, None),
        (ClosedWay(10, None, 10), 2, None),
    ],
    ids=str,
)
def test_the_margin_of_one_plan_lies_between_its_bounds(
    length: ClosedWay, places: int, bounds: tuple[Fraction, Fraction] | None
) -> None:
    assert margin(length, places) == bounds


def test_only_the_papers_metric_am_ignores_paths_beyond_the_map() -> None:
    beyond = Detour(2, ClosedWay(None, None, None), ClosedWay(50, 30, 30))
    metrics = VeriTripMetrics.over(
        [
            delivered_answer("+", "", "", detour=beyond),
            delivered_answer("+", "", "", detour=make_detour(2, 40_000, 20_000)),
        ]
    )
    assert metrics.am == Interval(least=F(1), most=F(1))
    assert metrics.am_metres == Interval(least=F(10 + 5_000, 2), most=F(10 + 5_000, 2))


def test_the_path_of_an_undelivered_answer_is_ignored() -> None:
    assert VeriTripMetrics.over([replace(MUTE, detour=make_detour(2, 10))]).am is None


@given(st.lists(st.sampled_from(RUN), min_size=1, max_size=8))
def test_an_undelivered_answer_never_raises_a_rate_over_all_tasks(run: Sequence[Scored]) -> None:
    before, after = VeriTripMetrics.over(run), VeriTripMetrics.over([*run, MUTE])
    for name in ("delivery_rate", "fr_all", "pr_micro_all", "pr_macro", "pfr", "pass_rate"):
        assert getattr(after, name) <= getattr(before, name)
    for name in (
        "factual_reliability",
        "pr_micro",
        "pfr_micro",
        "citation_support",
        "am",
        "am_hotels",
        "am_metres",
    ):
        assert getattr(after, name) == getattr(before, name)


@given(st.permutations(RUN))
def test_the_metrics_do_not_depend_on_the_order_of_a_run(run: Sequence[Scored]) -> None:
    metrics, first = VeriTripMetrics.over(run).model_dump(), M.model_dump()
    assert metrics == first


def test_the_metrics_are_found_by_family_and_written_as_json() -> None:
    metrics: Any = family_of("veritrip").metrics.load().over(RUN)
    assert metrics == M
    data = json.loads(metrics.model_dump_json())
    assert data["delivery_rate"] == 0.8
    assert data["am"] == {"least": 0.5, "most": pytest.approx(25 / 30)}
    assert set(data) == set(VeriTripMetrics.model_fields)
