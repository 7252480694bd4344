"""Reading and writing of answers: extraction of JSON from text, and conversion between JSON and the rows of a plan."""

from planspec.errors import InexpressiblePlanError, UnsuitableTaskError
from planspec.verifiers.answers.format import TABLES, AnswerCheck, CheckedAnswer, PlanFormat

__all__ = [
    "TABLES",
    "AnswerCheck",
    "CheckedAnswer",
    "InexpressiblePlanError",
    "PlanFormat",
    "UnsuitableTaskError",
]
