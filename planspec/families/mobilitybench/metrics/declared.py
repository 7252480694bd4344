"""Declarations of a run: the intent, constraints and steps that the agent reports, each with the place of the report.

Declarations are read from the answer's JSON. If the answer lacks a declaration, it is read from the planner's output,
if the agent has a planner. Free text is not read.
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
    """A value that a run declares: its intent, constraints or steps.

    Attributes:
        value: JSON value; numbers from an answer may be Decimals.
        source: part of the run that holds the declaration.
    """

    value: Any
    source: Source


@dataclass(frozen=True, slots=True)
class RunDeclarations:
    """All declarations of a run. Missing declarations are None.

    Attributes:
        intent: a string, or a list of strings.
        constraints: an object with a value for each slot.
        steps: a list of steps, which need not be strings. An empty list counts as missing.
        answer: the parsed answer; None if the run has none.
    """

    intent: Declaration | None
    constraints: Declaration | None
    steps: Declaration | None
    answer: Answer | Undelivered | None


def declarations_of(trace: Trace) -> RunDeclarations:
    """Read the declarations of a run: intent, constraints and steps."""
    text = trace.answer
    answer = read_answer(text, fits=FORMAT.is_answer) if text and not text.isspace() else None
    fields = answer.plan if isinstance(answer, Answer) and isinstance(answer.plan, Mapping) else {}
    return RunDeclarations(
        _from_answer(fields.get("intent")) or _planner_intent(trace),
        _from_answer(fields.get("constraints")) or _planner_constraints(trace),
        _answer_steps(fields.get("steps")) or _planner_steps(trace),
        answer,
    )


def _from_answer(value: Any) -> Declaration | None:
    return None if value in (None, "", []) else Declaration(value, "answer")


def _planner_intent(trace: Trace) -> Declaration | None:
    return next((Declaration(stage.intent, "planner") for stage in trace.stages if stage.intent), None)


def _planner_constraints(trace: Trace) -> Declaration | None:
    values = (stage.extra.get("constraints") for stage in trace.stages)
    return next((Declaration(value, "planner") for value in values if value is not None), None)


def _planner_steps(trace: Trace) -> Declaration | None:
    for stage in trace.stages:
        flat = [step for group in stage.steps for step in group]
        if flat:
            return Declaration(flat, "planner")
    return None


def _answer_steps(value: Any) -> Declaration | None:
    """Return the steps of an answer as one list. An answer may hold them as a list, or grouped as planners do."""
    if not isinstance(value, list):
        return None
    flat = [step for group in value for step in (group if isinstance(group, list) else [group])]
    return Declaration(flat, "answer") if flat else None
