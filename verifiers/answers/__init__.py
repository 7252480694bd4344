"""Plan formats: codecs between the benchmarks' answers and the rows of a plan."""

from planspec.errors import Inexpressible, UnfitTask
from planspec.verifiers.answers.format import PlanFormat, UnknownFormat, plan_format

__all__ = ["Inexpressible", "PlanFormat", "UnfitTask", "UnknownFormat", "plan_format"]
