"""Causes of differences between strict and public values of DR (delivery rate) and FPR (final pass rate)."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.record import JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.official.evaluator import Truth, scenario_of
from planspec.families.mobilitybench.official.truth import AnswerKind

ROUTES = (AnswerKind.ROUTE, AnswerKind.LINE)


def delivery_causes(strict_metric: JudgedMetric, truth: Truth, official: float) -> Iterator[Cause]:
    """Yield the reasons why two evaluations have different values of DR: only one counts the answer as delivered."""
    if strict_metric.value == 1:
        yield Cause.NO_WORDS
        return
    kind = _answer_kind(truth)
    for reason in strict_metric.reasons:
        if reason.startswith("run "):
            yield Cause.RUN_ERROR
        elif reason.endswith("stayed failed"):
            yield Cause.FAILED_CALLS
        elif reason.startswith("answer ") and official:
            yield _cause_without_answer(kind)


def _cause_without_answer(kind: AnswerKind | None) -> Cause:
    """Return the reason why the toolkit accepts a text in which the strict profile finds no answer."""
    if kind in ROUTES:
        return Cause.INDEX_WITHOUT_ROUTE
    return Cause.WORDS_WITHOUT_FIGURES if kind is AnswerKind.PROPERTY else Cause.WORDS_WITHOUT_ANSWER


def final_pass_causes(strict: StrictMetrics, truth: Truth, official: float) -> Iterator[Cause]:
    """Yield the reasons why the two evaluations have different values of FPR: the answer passes only one of them."""
    strict_metric = strict.metrics["FPR"]
    kind = _answer_kind(truth)
    if strict_metric.value is None:
        yield Cause.UNJUDGED
        return
    if strict_metric.value == 1:
        yield Cause.HALF_A_POINT if official else Cause.OTHER_TRUTH
        return
    if official == 0.5:
        yield Cause.HALF_A_POINT
    if strict.metrics["DR"].value != 1:
        yield from delivery_causes(strict.metrics["DR"], truth, official)
    elif kind in ROUTES:
        yield Cause.CONSTRAINTS_UNCHECKED
    elif kind is AnswerKind.PROPERTY:
        yield Cause.WORDS_WITHOUT_FIGURES
    elif kind is AnswerKind.NEARBY and not truth["near_poi_ans"]:
        yield Cause.NO_TRUTH
    else:
        yield Cause.TEXT_IN_COMMON


def _answer_kind(truth: Truth) -> AnswerKind | None:
    scenario = scenario_of(truth)
    return scenario.kind if scenario else None
