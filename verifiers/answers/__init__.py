"""Plan formats: codecs between the benchmarks' answers and the rows of a plan."""

from planspec.errors import Inexpressible, UnfitTask
from planspec.verifiers.answers.format import TABLES, AnswerCheck, CheckedAnswer, PlanFormat

__all__ = ["TABLES", "AnswerCheck", "CheckedAnswer", "Inexpressible", "PlanFormat", "UnfitTask"]
