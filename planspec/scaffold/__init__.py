"""New benchmarks: folders with world, library, tasks, cases, suite, README and CI that pass at once."""

from planspec.scaffold.folder import UnsuitableFolderError, new_benchmark
from planspec.scaffold.shipped import UnsuitableStartError

__all__ = ["UnsuitableFolderError", "UnsuitableStartError", "new_benchmark"]

_FORMER_NAMES = {
    "UnfitFolder": "UnsuitableFolderError",
    "UnfitStart": "UnsuitableStartError",
}
"""Names of the previous release, which warn."""


def __getattr__(name: str) -> object:
    from planspec.deprecation import former_name

    return former_name(__name__, name, _FORMER_NAMES)
