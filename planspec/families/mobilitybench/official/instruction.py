"""ID and IE of MobilityBench's public toolkit: the plan's statements about the request."""

from __future__ import annotations

from planspec.families.mobilitybench.official.similarity import SimilarityMeasure, similarity
from planspec.families.mobilitybench.official.truth import SCENARIOS, UNKNOWN_INTENT, Truth, scenario_of
from planspec.traces.record import Stage

LIKE = 0.7
"""Least similarity of a detected intent."""


def intent_detection(truth: Truth, planner: Stage, measure: SimilarityMeasure) -> float:
    """Return 1.0 if the intent is similar to the words for the scenario, otherwise 0.0.

    One character may suffice.
    """
    return float(similarity(planner.intent or "", intent_of(truth.scenario), measure, folded=True) >= LIKE)


def intent_of(scenario: str) -> str:
    """Return the words for a scenario.

    An unknown scenario has the words of one whose name contains it, or vice versa.
    """
    if scenario in SCENARIOS:
        return SCENARIOS[scenario].intent
    for name, entry in SCENARIOS.items():
        if scenario and (name in scenario or scenario in name):
            return entry.intent
    return UNKNOWN_INTENT


def information_extraction(truth: Truth, planner: Stage) -> float:
    """Return 1.0 if the plan contains the texts of all slots of the ground truth, also if there are none."""
    scenario = scenario_of(truth)
    steps = "; ".join(step for group in planner.steps for step in group)
    text = f"{planner.thinking or ''} {steps}"
    values = [truth[slot] for slot in (scenario.slots if scenario else ())]
    return float(all(str(value) in text for value in values if value))
