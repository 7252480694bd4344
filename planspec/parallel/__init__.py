"""Application of a function to many pieces of work, in one process, in several, or on a Ray cluster.

See `map_parallel`. If processes or actors die, only a piece that repeatedly kills them fails.
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
"""Names of the previous release; using one warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
