"""ID and IE of MobilityBench's public toolkit: what the plan says of the request."""

from __future__ import annotations

from planspec.families.mobilitybench.official.similarity import SimilarityMeasure, similarity
from planspec.families.mobilitybench.official.truth import SCENARIOS, UNKNOWN_INTENT, Truth, scenario_of
from planspec.traces.record import Stage

LIKE = 0.7
"""An intent is detected from here on."""


def intent_detection(truth: Truth, planner: Stage, measure: SimilarityMeasure) -> float:
    """1.0 if the intent is like the words for the scenario, of which one character is enough; else 0.0."""
    return float(similarity(planner.intent or "", intent_of(truth.scenario), measure, folded=True) >= LIKE)


def intent_of(scenario: str) -> str:
    """The words for a scenario; those of one whose name holds the given one, or is held by it, if it is not known."""
    if scenario in SCENARIOS:
        return SCENARIOS[scenario].intent
    for name, known in SCENARIOS.items():
        if scenario and (name in scenario or scenario in name):
            return known.intent
    return UNKNOWN_INTENT


def information_extraction(truth: Truth, planner: Stage) -> float:
    """1.0 if what the plan says holds the texts of all slots that the truth has; without slots it is 1.0, too."""
    scenario = scenario_of(truth)
    steps = "; ".join(step for group in planner.steps for step in group)
    said = f"{planner.thinking or ''} {steps}"
    asked = [truth[slot] for slot in (scenario.slots if scenario else ())]
    return float(all(str(value) in said for value in asked if value))
