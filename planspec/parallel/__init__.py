"""Engine that applies a function to many pieces of work, in one process, several, or on a Ray cluster.

`map_parallel` documents the contract. A process or actor that ends costs only the piece that ends it
repeatedly.
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
"""Former names, which still work and warn."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
