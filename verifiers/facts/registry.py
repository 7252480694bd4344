"""Which families have facts that are checked cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from planspec.dsl.task import Task
from planspec.verifiers.facts.cells import FactCheck

FactChecker: TypeAlias = Callable[[Task, Any], FactCheck]
"""From an answer's JSON, without its envelope, to its cells."""

_OWN = {"veritrip": "planspec.verifiers.facts.veritrip:check"}


def fact_checker(family: str | None) -> FactChecker | None:
    """The checker of a family; None where nothing is checked."""
    if family not in _OWN:
        return None
    module, _, attribute = _OWN[family].partition(":")
    found: FactChecker = getattr(import_module(module), attribute)
    return found
