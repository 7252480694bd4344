"""Application of a function to many pieces of work, in one process, in several, or on a Ray cluster.

See `map_parallel`. If worker processes die, only a piece of work that kills them repeatedly fails.
"""

from planspec.deprecation import former_names
from planspec.parallel.engine import Jobs, PerWorker, PieceDeadline, map_parallel, map_workers, naming
from planspec.parallel.pool import DeadlineExceededError, RayCluster

__all__ = [
    "DeadlineExceededError",
    "Jobs",
    "PerWorker",
    "PieceDeadline",
    "RayCluster",
    "map_parallel",
    "map_workers",
    "naming",
]

_FORMER_NAMES = {
    "Deadline": "PieceDeadline",
    "OverDeadline": "DeadlineExceededError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
