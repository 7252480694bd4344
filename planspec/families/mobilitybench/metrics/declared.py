"""Declarations of a run: intent, constraints and steps, each with its source.

The answer's JSON comes first; a part that it lacks is taken from the planner, if the framework has one.
Nothing is read from free text: a sentence is not a declaration.
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
    """A declaration of a run.

    Attributes:
        value: JSON value; numbers of an answer may be Decimals.
        source: origin of the declaration.
    """

    value: Any
    source: Source


@dataclass(frozen=True, slots=True)
class Declared:
    """Declarations of a run; None for a missing one.

    Attributes:
        intent: a text, or a list of texts.
        constraints: an object of slots.
        steps: the list of steps, texts or not; None also for an empty list.
        answer: the parsed answer; None if the run has none.
    """

    intent: Declaration | None
    constraints: Declaration | None
    steps: Declaration | None
    answer: Answer | Undelivered | None


def declared(trace: Trace) -> Declared:
    """Read a run's declarations."""
    text = trace.answer
    answer = read_answer(text, fits=FORMAT.is_answer) if text and not text.isspace() else None
    fields = answer.plan if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else {}
    return Declared(
        _answered(fields.get("intent")) or _intent(trace),
        _answered(fields.get("constraints")) or _constraints(trace),
        _steps_of(fields.get("steps")) or _steps(trace),
        answer,
    )


def _answered(value: Any) -> Declaration | None:
    return None if value in (None, "", []) else Declaration(value, "answer")


def _intent(trace: Trace) -> Declaration | None:
    return next((Declaration(stage.intent, "planner") for stage in trace.stages if stage.intent), None)


def _constraints(trace: Trace) -> Declaration | None:
    values = (stage.extra.get("constraints") for stage in trace.stages)
    return next((Declaration(value, "planner") for value in values if value is not None), None)


def _steps(trace: Trace) -> Declaration | None:
    for stage in trace.stages:
        flat = [step for group in stage.steps for step in group]
        if flat:
            return Declaration(flat, "planner")
    return None


def _steps_of(value: Any) -> Declaration | None:
    """Flatten steps, which may be in groups as planners write them."""
    if not isinstance(value, list):
        return None
    flat = [step for group in value for step in (group if isinstance(group, list) else [group])]
    return Declaration(flat, "answer") if flat else None
