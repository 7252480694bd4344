"""Plan formats: codecs between a benchmark's answers and the rows of a plan."""

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
