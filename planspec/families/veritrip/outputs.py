"""What `planspec generate veritrip` prints."""

from __future__ import annotations

from planspec.api.outputs import Output


class GenerateOutput(Output):
    """The result of a generator; `near_misses` are tasks without a plan."""

    family: str
    suite: str
    folder: str
    documents: int
    images: int
    tasks: list[str]
    near_misses: list[str]
