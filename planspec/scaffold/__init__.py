"""New benchmarks: a folder with world, library, tasks, cases, suite, README and CI that pass at once."""

from planspec.scaffold.folder import UnfitFolder, new_benchmark
from planspec.scaffold.shipped import UnfitStart

__all__ = ["UnfitFolder", "UnfitStart", "new_benchmark"]
