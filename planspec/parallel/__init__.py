"""One engine for work that is the same for many things: here, in several processes, or on a Ray cluster.

`map_parallel` has the contract. A process or an actor that ends costs nothing but the piece that ends it each time.
"""

from planspec.parallel.engine import Deadline, Jobs, map_parallel, map_workers, naming
from planspec.parallel.pool import DeadlineExceededError, RayCluster

__all__ = ["Deadline", "DeadlineExceededError", "Jobs", "RayCluster", "map_parallel", "map_workers", "naming"]
