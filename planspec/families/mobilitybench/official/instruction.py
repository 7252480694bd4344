"""ID and IE as MobilityBench's public toolkit computes them. They judge how the planner understands the request."""

from __future__ import annotations

from planspec.families.mobilitybench.official.similarity import SimilarityMeasure, similarity
from planspec.families.mobilitybench.official.truth import SCENARIOS, UNKNOWN_INTENT, Truth, scenario_of
from planspec.traces.record import Stage

MIN_SIMILARITY = 0.7
"""Minimum similarity at which an intent counts as detected."""


def intent_detection(truth: Truth, planner: Stage, measure: SimilarityMeasure) -> float:
    """Compute ID: 1.0 if the planner's intent is similar to the scenario's intent, otherwise 0.0.

    An intent of one character may suffice, since texts count as similar if one contains the other.
    """
    return float(similarity(planner.intent or "", intent_of(truth.scenario), measure, folded=True) >= MIN_SIMILARITY)


def intent_of(scenario: str) -> str:
    """Return the toolkit's words for the intent of a scenario.

    For an unknown scenario, return the intent of the first known scenario whose name contains, or is contained in, the
    given name.
    """
    if scenario in SCENARIOS:
        return SCENARIOS[scenario].intent
    for name, entry in SCENARIOS.items():
        if scenario and (name in scenario or scenario in name):
            return entry.intent
    return UNKNOWN_INTENT


def information_extraction(truth: Truth, planner: Stage) -> float:
    """Compute IE: 1.0 if the planner's text contains the true values of all slots, otherwise 0.0."""
    scenario = scenario_of(truth)
    steps = "; ".join(step for group in planner.steps for step in group)
    text = f"{planner.thinking or ''} {steps}"
    values = [truth[slot] for slot in (scenario.slots if scenario else ())]
    return float(all(str(value) in text for value in values if value))
