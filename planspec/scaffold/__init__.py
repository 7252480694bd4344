"""New benchmarks: a folder with world, library, tasks, cases, suite, README and CI that pass at once."""

from planspec.scaffold.folder import UnsuitableFolderError, new_benchmark
from planspec.scaffold.shipped import UnsuitableStartError

__all__ = ["UnsuitableFolderError", "UnsuitableStartError", "new_benchmark"]
