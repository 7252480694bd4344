"""Cell-wise facts: what an answer says of the world, beside what the fact base has."""

from planspec.verifiers.facts.cells import CellStatus, CheckedCell, Citation, FactCheck
from planspec.verifiers.facts.registry import FactChecker, fact_checker

__all__ = ["CellStatus", "CheckedCell", "Citation", "FactCheck", "FactChecker", "fact_checker"]
