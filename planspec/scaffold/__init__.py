"""Creation of new benchmarks: folders with a world, library, tasks, cases, suite, README and CI files."""

from planspec.deprecation import former_names
from planspec.scaffold.folder import UnsuitableFolderError, new_benchmark
from planspec.scaffold.shipped import UnsuitableStartError

__all__ = ["UnsuitableFolderError", "UnsuitableStartError", "new_benchmark"]

_FORMER_NAMES = {
    "UnfitFolder": "UnsuitableFolderError",
    "UnfitStart": "UnsuitableStartError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
