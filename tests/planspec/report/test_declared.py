"""A metric is declared in one place: intervals, comparisons and pages read it there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Self

import pytest
from pydantic import Field

from planspec.families import registry
from planspec.families.family import Lazy
from planspec.measures.intervals import wilson
from planspec.report import ReportOptions, gather, render
from planspec.scores import compare, run_scores
from planspec.verifiers.metrics import Scored
from planspec.verifiers.metrics.generic import Metrics, given
from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields, Rate, Share, declared
from tests.planspec.scores.small import RIGHT, ran, write

WRONG = {"n": 1, "at": "09:30"}


class Answered(MetricFields):
    answered: Annotated[Exact | None, Metric("rate", "higher", main=True)]


class Strolls(Metrics):
    """Metrics that nothing but this test knows."""

    answered: Annotated[Exact | None, Metric("rate", "higher", main=True)]
    broken: Annotated[Exact | None, Metric("share", "lower", lambda scored: scored.verdict.hard.total)]
    steps: Annotated[Exact | None, Metric("quantity", "lower")]
    parts: dict[str, Answered]

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        verdicts = [scored.verdict for scored in run]
        there = Fraction(sum(map(given, verdicts)), len(verdicts)) if verdicts else None
        total = sum(verdict.hard.total for verdict in verdicts)
        broken = sum(verdict.hard.total - verdict.hard.satisfied for verdict in verdicts)
        return cls(
            n=len(verdicts), delivered=sum(map(given, verdicts)), answered=there,
            broken=Fraction(broken, total) if total else None, steps=Fraction(1, 2),
            parts={"all": Answered(answered=there)},
        )  # fmt: skip


def test_a_metric_says_what_it_is_where_it_is_defined_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "GENERIC", replace(registry.GENERIC, metrics=Lazy(f"{__name__}:Strolls")))
    suite = write(tmp_path / "suite")
    folders = [
        ran(suite, tmp_path / name, {"a": [RIGHT], "b": [answer]}, agent=name)
        for name, answer in (("empty", WRONG), ("random", RIGHT))
    ]
    first, second = (run_scores(folder, resamples=200) for folder in folders)
    # a and b are answered and c is not; b breaks two of three, c all of four
    assert {name: (one.value, one.better, one.method) for name, one in first.metrics.items()} == {
        "answered": (pytest.approx(2 / 3), "higher", "wilson"),
        "broken": (pytest.approx(6 / 10), "lower", "bootstrap"),
        "steps": (0.5, "lower", None),
    }
    assert (first.metrics["answered"].low, first.metrics["answered"].high) == wilson(2, 3)
    assert [(one.metric, one.better) for one in compare(first, second, resamples=200).differences] == [
        ("pass_rate", "higher"), ("answered", "higher"), ("broken", "lower"), ("steps", "lower"),
    ]  # fmt: skip
    page = gather(list(zip(folders, (first, second), strict=True)), ReportOptions(seconds=None))
    assert page.chapters[0].main == "answered"
    html = render(page)
    rows = {
        name: html.partition(f'<th scope="row">{name} ')[2].partition("</tr>")[0]
        for name in Strolls.model_fields
    }
    assert "(higher is better)" in rows["answered"] and "67\u00a0%" in rows["answered"]
    assert "(lower is better)" in rows["broken"] and "60\u00a0%" in rows["broken"]
    assert "(lower is better)" in rows["steps"] and "%" not in rows["steps"] and "0.5" in rows["steps"]


def test_a_number_that_does_not_say_what_it_is_is_refused() -> None:
    with pytest.raises(TypeError, match=r"`Undeclared.steps` is a number and does not declare its `Metric`"):

        class Undeclared(MetricFields):
            steps: Exact | None

    with pytest.raises(TypeError, match="more than one main metric"):

        class TwoMain(Answered):
            passed: Annotated[Exact | None, Metric("rate", "higher", main=True)]


def test_the_description_of_a_metric_stays_in_its_schema_and_its_declaration_does_not() -> None:
    class Walks(MetricFields):
        walked: Rate = Field(description="on foot")
        seen: Share = None

    assert declared(Walks)["walked"] == Metric("rate", "higher")
    assert Walks.model_json_schema(mode="serialization")["properties"]["walked"] == {
        "anyOf": [{"type": "number"}, {"type": "null"}], "description": "on foot", "title": "Walked",
    }  # fmt: skip
