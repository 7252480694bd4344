"""Scores of runs: metrics with intervals, paired comparisons, failures by kind, planning horizon, and cost.

Names are imported on first use, so that scoring answers does not load the modules on runs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planspec.scores.comparing import compare
    from planspec.scores.estimates import Estimate
    from planspec.scores.record import Comparison, RunScores
    from planspec.scores.scoring import run_metrics, run_scores

__all__ = ["Comparison", "Estimate", "RunScores", "compare", "run_metrics", "run_scores"]

_MODULES = {"Estimate": "estimates", "compare": "comparing", "run_metrics": "scoring", "run_scores": "scoring"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'record')}"), name)
    globals()[name] = value
    return value
