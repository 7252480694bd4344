"""The understanding that a run declares: intent, constraints and steps, each with its source.

The answer's JSON comes first; what it does not say is read of the planner, where the framework has one. Nothing is read
out of free text: what stands in a sentence is not declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from planspec.families.mobilitybench.format.codec import FORMAT
from planspec.traces.record import Trace
from planspec.verifiers.answers.envelope import Answer, Undelivered, read_answer

Source: TypeAlias = Literal["answer", "planner", "calls"]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One thing that a run declares.

    Attributes:
        value: as JSON; numbers of an answer may be Decimals.
        source: where it is said.
    """

    value: Any
    source: Source


@dataclass(frozen=True, slots=True)
class Declared:
    """A run's declarations; None for what it does not declare.

    Attributes:
        intent: a text, or a list of texts.
        constraints: an object of slots.
        steps: texts, and what else stands in the list; None also of an empty one.
        answer: the answer as it was read; None where the run has none.
    """

    intent: Declaration | None
    constraints: Declaration | None
    steps: Declaration | None
    answer: Answer | Undelivered | None


def declared(trace: Trace) -> Declared:
    """Read a run's declarations."""
    said = trace.answer
    answer = read_answer(said, fits=FORMAT.is_answer) if said and not said.isspace() else None
    told = answer.plan if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else {}
    return Declared(
        _answered(told.get("intent")) or _intent(trace),
        _answered(told.get("constraints")) or _constraints(trace),
        _steps_of(told.get("steps")) or _steps(trace),
        answer,
    )


def _answered(value: Any) -> Declaration | None:
    return None if value in (None, "", []) else Declaration(value, "answer")


def _intent(trace: Trace) -> Declaration | None:
    return next((Declaration(stage.intent, "planner") for stage in trace.stages if stage.intent), None)


def _constraints(trace: Trace) -> Declaration | None:
    found = (stage.extra.get("constraints") for stage in trace.stages)
    return next((Declaration(value, "planner") for value in found if value is not None), None)


def _steps(trace: Trace) -> Declaration | None:
    for stage in trace.stages:
        flat = [step for group in stage.steps for step in group]
        if flat:
            return Declaration(flat, "planner")
    return None


def _steps_of(value: Any) -> Declaration | None:
    """Steps may stand in groups, as planners write them."""
    if not isinstance(value, list):
        return None
    flat = [step for group in value for step in (group if isinstance(group, list) else [group])]
    return Declaration(flat, "answer") if flat else None
