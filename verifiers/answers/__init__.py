"""Plan formats: codecs between the benchmarks' answers and the rows of a plan."""

from planspec.verifiers.answers.format import Inexpressible, PlanFormat, UnfitTask, UnknownFormat, plan_format

__all__ = ["Inexpressible", "PlanFormat", "UnfitTask", "UnknownFormat", "plan_format"]
