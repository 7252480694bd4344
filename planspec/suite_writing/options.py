"""Declaration of importers and generators as commands. The parameters of a function become options of its command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from planspec.family.descriptor import Lazy, Part
from planspec.suite_writing.errors import UnsuitableSuiteError as UnsuitableSuiteError  # noqa: PLC0414 families import it from here

if TYPE_CHECKING:
    from pydantic import BaseModel

    from planspec.suite_writing.folder import ImportResult


@dataclass(frozen=True, slots=True)
class Option:
    """Command-line option for a parameter, as in `out: Annotated[Path, Option("The suite's folder.", "DIR")]`.

    Attributes:
        help: help text of the option.
        metavar: placeholder of the value; None to derive it from the type.
        least: smallest allowed number; None if there is no limit.
        exists: `file` or `folder` if the path must be an existing file or folder; None otherwise.
        bare: whether the parameter is a positional argument instead of an option.
    """

    help: str
    metavar: str | None = None
    least: int | None = None
    exists: Literal["file", "folder"] | None = None
    bare: bool = False


class GeneratedSuite(Protocol):
    """The result of a generator."""

    def document(self) -> BaseModel:
        """Return the summary for JSON output. The family lists the model under `schemas`."""

    def lines(self) -> Iterable[str]:
        """Yield the lines of the summary as text."""


class OnProgress(Protocol):
    """Callback that receives the progress of a long computation."""

    def __call__(self, text: str, share: float | None = None, /) -> None:
        """Report progress.

        Args:
            text: description of the current work.
            share: completed share of the work, from 0 to 1; None if it has not changed.
        """


def ignore_progress(text: str, share: float | None = None, /) -> None:
    """Do nothing. This is the default callback."""


Importer: TypeAlias = "Callable[..., ImportResult]"
"""Function that writes a suite from a public data set.

Each parameter is annotated with an `Option`. The docstring becomes the help text of the command.
"""
Generator: TypeAlias = Callable[..., GeneratedSuite]
"""Function that writes a suite from a seed.

Parameters are annotated as in an `Importer`. The last one is an `OnProgress` callback.
"""

IMPORTERS: Part[Mapping[str, Lazy[Importer]]] = Part("importers", {})
"""The family's importers, by the name of their command after `planspec import`."""
GENERATORS: Part[Mapping[str, Lazy[Generator]]] = Part("generators", {})
"""The family's generators, by the name of their command after `planspec generate`."""
