"""Causes of differences between strict and public values of ID (intent detection) and IE (information extraction)."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.intent import labels
from planspec.families.mobilitybench.metrics.record import JudgedMetric
from planspec.families.mobilitybench.official.evaluator import Truth, scenario_of
from planspec.families.mobilitybench.official.instruction import intent_of
from planspec.traces.record import Trace
from planspec.verifiers.answers.names import folded_name


def intent_causes(trace: Trace, strict_metric: JudgedMetric, truth: Truth) -> Iterator[Cause]:
    """Yield the reasons why the two evaluations have different values of ID: only one accepts the intent."""
    planner = trace.stage("planner")
    declared_intent, label = (planner.intent if planner else None) or "", intent_of(truth.scenario)
    if strict_metric.source == "answer" and _judged_text(strict_metric) != declared_intent:
        yield Cause.ELSEWHERE
    elif strict_metric.value == 1:
        yield Cause.LABEL_UNKNOWN
    elif declared_intent == label or folded_name(declared_intent) in labels().shared:
        yield Cause.SHARED_LABEL
    elif declared_intent and declared_intent in label:
        yield Cause.FRAGMENT
    elif label in declared_intent:
        yield Cause.LABEL_INSIDE
    elif set(declared_intent.lower()) & set(label.lower()):
        yield Cause.SHARED_CHARACTERS


def _judged_text(strict_metric: JudgedMetric) -> object:
    return strict_metric.basis.get("text") if isinstance(strict_metric.basis, dict) else None


def extraction_causes(episode: Episode, trace: Trace, strict_metric: JudgedMetric, truth: Truth) -> Iterator[Cause]:
    """Yield the reasons why the two evaluations have different values of IE: only one accepts the constraints."""
    if strict_metric.value == 1:
        yield Cause.ELSEWHERE if strict_metric.source == "answer" else Cause.NOT_LITERAL
        return
    scenario = scenario_of(truth)
    slots = [slot for slot in (scenario.slots if scenario else ()) if truth[slot]]
    if strict_metric.source is not None:
        yield Cause.OTHER_CONSTRAINTS
    if not slots:
        yield Cause.NO_SLOTS
        return
    planner = trace.stage("planner")
    steps = "; ".join(step for group in planner.steps for step in group) if planner else ""
    text = f"{(planner.thinking if planner else None) or ''} {steps}"
    yield Cause.QUERY_ECHOED if episode.query and episode.query in text else Cause.FREE_TEXT
