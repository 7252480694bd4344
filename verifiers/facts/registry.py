"""The families whose answers are checked against facts cell by cell."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # verdicts have fact checks, and findings stand in verdicts
    from collections.abc import Callable

    from planspec.dsl.model.task import Task
    from planspec.verifiers.answers.format import ShapeFinding
    from planspec.verifiers.facts.cells import FactCheck
    from planspec.verifiers.meaning.plan_rows import Plan

FactChecker: TypeAlias = "Callable[[Task, Any], tuple[Plan, tuple[ShapeFinding, ...], FactCheck]]"
"""From an answer's JSON, without its envelope, to what its plan format decodes, and to its cells: it is read once."""

_OWN = {"veritrip": "planspec.families.veritrip.facts_check.cells:decode_and_check"}


def fact_checker(family: str | None) -> FactChecker | None:
    """The checker of a family; None where nothing is checked."""
    if family not in _OWN:
        return None
    module, _, attribute = _OWN[family].partition(":")
    found: FactChecker = getattr(import_module(module), attribute)
    return found
