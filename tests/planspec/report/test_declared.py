"""A metric is declared only by the class that defines it. Intervals, comparisons and pages read the declaration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Self

import pytest
from pydantic import Field

from planspec.family import registry
from planspec.family.descriptor import Lazy
from planspec.report import ReportOptions, gather, render
from planspec.report.rendering import breakable_name, format_faults
from planspec.scores import compare, run_scores
from planspec.scores.estimates import Estimate
from planspec.scores.intervals import wilson
from planspec.scores.record import TallyRow
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.generic import Metrics, is_delivered
from planspec.verifiers.metrics.metric import (
    Exact,
    Metric,
    MetricFields,
    Rate,
    Share,
    Tallies,
    declared_metrics,
)
from tests.planspec.scores.small import RIGHT, write_run, write_suite

WRONG = {"n": 1, "at": "09:30"}


class AnsweredRate(MetricFields):
    answered: Annotated[Exact | None, Metric("rate", "higher", main=True)]


class StrollMetrics(Metrics):
    """Metrics that no shipped family has."""

    answered: Annotated[Exact | None, Metric("rate", "higher", main=True)]
    broken: Annotated[Exact | None, Metric("share", "lower", lambda scored: scored.verdict.hard.total)]
    steps: Annotated[Exact | None, Metric("quantity", "lower")]
    parts: dict[str, AnsweredRate]

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics of a run."""
        verdicts = [scored.verdict for scored in run]
        rate = Fraction(sum(map(is_delivered, verdicts)), len(verdicts)) if verdicts else None
        total = sum(verdict.hard.total for verdict in verdicts)
        broken = sum(verdict.hard.total - verdict.hard.satisfied for verdict in verdicts)
        return cls(
            n=len(verdicts),
            delivered=sum(map(is_delivered, verdicts)),
            answered=rate,
            broken=Fraction(broken, total) if total else None,
            steps=Fraction(1, 2),
            parts={"all": AnsweredRate(answered=rate)},
        )


def test_a_metric_is_declared_only_where_it_is_defined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GENERIC", replace(registry.GENERIC, metrics=Lazy(f"{__name__}:StrollMetrics")))
    suite = write_suite(tmp_path / "suite")
    folders = [
        write_run(suite, tmp_path / name, {"a": [RIGHT], "b": [answer]}, agent=name)
        for name, answer in (("empty", WRONG), ("random", RIGHT))
    ]
    first, second = (run_scores(folder, resamples=200) for folder in folders)
    # c is not answered; b violates two of three rules, c all four
    assert {name: (one.value, one.better, one.method) for name, one in first.metrics.items()} == {
        "answered": (pytest.approx(2 / 3), "higher", "wilson"),
        "broken": (pytest.approx(6 / 10), "lower", "bootstrap"),
        "steps": (0.5, "lower", None),
    }
    assert (first.metrics["answered"].low, first.metrics["answered"].high) == wilson(2, 3)
    assert [(one.metric, one.better) for one in compare(first, second, resamples=200).differences] == [
        ("pass_rate", "higher"),
        ("answered", "higher"),
        ("broken", "lower"),
        ("steps", "lower"),
    ]
    page = gather(list(zip(folders, (first, second), strict=True)), ReportOptions(seconds=None))
    assert page.chapters[0].pass_rate_metric == "answered"
    html = render(page)
    rows = {
        name: html.partition(f'<th scope="row">{name} ')[2].partition("</tr>")[0] for name in StrollMetrics.model_fields
    }
    assert "(higher is better)" in rows["answered"] and "67\u00a0%" in rows["answered"]
    assert "(lower is better)" in rows["broken"] and "60\u00a0%" in rows["broken"]
    assert "(lower is better)" in rows["steps"] and "%" not in rows["steps"] and "0.5" in rows["steps"]


class TallyMetrics(Metrics):
    """Metrics with tables of counts."""

    rules: Annotated[dict[str, dict[str, int]], Tallies("Rules by level", "rules", "kept")]
    others: Annotated[dict[str, dict[str, int]], Tallies("Nothing", "things", "kept")]

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics of a run."""
        verdicts = [scored.verdict for scored in run]
        rules = {}
        for name in ("hard", "soft"):
            tallies = [getattr(verdict, name) for verdict in verdicts if is_delivered(verdict)]
            n, satisfied = sum(tally.total for tally in tallies), sum(tally.satisfied for tally in tallies)
            if n:
                rules[f"level.{name}"] = {"n": n, "kept": satisfied, "broken": n - satisfied, "lost": 0}
        return cls(n=len(verdicts), delivered=sum(map(is_delivered, verdicts)), rules=rules, others={})


def test_a_table_of_counts_has_a_section_with_the_interval_of_each_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both runs satisfy the hard rules of the task `a`. The first run violates two of three rules of `b`. No run
    has an answer to `c`.
    """
    monkeypatch.setattr(registry, "GENERIC", replace(registry.GENERIC, metrics=Lazy(f"{__name__}:TallyMetrics")))
    suite = write_suite(tmp_path / "suite")
    folders = [
        write_run(suite, tmp_path / name, {"a": [RIGHT], "b": [answer]}, agent=name)
        for name, answer in (("empty", WRONG), ("random", RIGHT))
    ]
    first, second = (run_scores(folder, resamples=200) for folder in folders)
    assert list(first.tallies) == ["rules"], "a table without rows is left out"
    hard = first.tallies["rules"].rows["level.hard"]
    assert (hard.n, hard.counts) == (6, {"kept": 4, "broken": 2, "lost": 0})
    assert hard.share.value == pytest.approx(1 / 3)
    assert (hard.share.n, hard.share.better, hard.share.method) == (2, "lower", "bootstrap")
    assert hard.share.low == 0 and hard.share.high == pytest.approx(2 / 3)
    assert second.tallies["rules"].rows["level.hard"].share.value == 0
    page = gather(list(zip(folders, (first, second), strict=True)), ReportOptions(seconds=None))
    section = render(page).partition('<section id="rules-1"')[2].partition("</section>")[0]
    assert '<h3 id="rules-1-h">Rules by level</h3>' in section
    assert '<th scope="rowgroup" colspan="3"><span>level</span></th>' in section
    row = section.partition('<th scope="row">hard</th>')[2].partition("</tr>")[0]
    assert row.count("<td") == 2
    assert "2 of 6 broken" in row and 'class="h2">33\u00a0%' in row and "0 of 6</span>" in row
    assert '<a href="#rules-1">Rules by level</a>' in render(page)


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"kept": 8}, "0 of 8"),
        ({"kept": 5, "broken": 3, "lost": 0}, "3 of 8 broken"),
        ({"kept": 5, "broken": 2, "lost": 1}, "3 of 8: 2 broken, 1 lost"),
    ],
)
def test_faults_are_summarized_in_a_few_words(counts: dict[str, int], text: str) -> None:
    assert format_faults(TallyRow(n=8, counts=counts, share=Estimate(value=None, n=1)), "kept") == text


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("price_per_person", "price_<wbr>per_<wbr>person"),
        ("departureStation", "departure<wbr>Station"),
        ("transportationID", "transportation<wbr>ID"),
        ("a<b", "a&lt;b"),
    ],
)
def test_names_of_columns_may_break_between_words(name: str, html: str) -> None:
    assert breakable_name(name) == html


def test_a_number_that_is_not_declared_as_a_metric_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"`Undeclared.steps` is a number and does not declare its `Metric`"):

        class Undeclared(MetricFields):
            steps: Exact | None

    with pytest.raises(TypeError, match="more than one main metric"):

        class TwoMain(AnsweredRate):
            passed: Annotated[Exact | None, Metric("rate", "higher", main=True)]


def test_the_description_of_a_metric_stays_in_its_schema_and_its_declaration_does_not() -> None:
    class Walks(MetricFields):
        walked: Rate = Field(description="on foot")
        seen: Share = None

    assert declared_metrics(Walks)["walked"] == Metric("rate", "higher")
    assert Walks.model_json_schema(mode="serialization")["properties"]["walked"] == {
        "anyOf": [{"type": "number"}, {"type": "null"}],
        "description": "on foot",
        "title": "Walked",
    }
