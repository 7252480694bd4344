"""Importers and generators as commands: their parameters are the command's options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from planspec.errors import PlanspecError
from planspec.family.descriptor import Lazy, Part

if TYPE_CHECKING:
    from pydantic import BaseModel

    from planspec.suite_writing.folder import ImportResult


class UnsuitableSuiteError(PlanspecError, ValueError):
    """A suite cannot be made from the input, or not in the named folder."""


@dataclass(frozen=True, slots=True)
class Option:
    """The command-line option of a parameter: `out: Annotated[Path, Option("The suite's folder.", "DIR")]`.

    Attributes:
        help: help text of the option.
        metavar: placeholder of the value; derived from the type if None.
        least: smallest number allowed.
        exists: kind of the path, or paths, that must exist.
        bare: whether the value is positional, without the option's name.
    """

    help: str
    metavar: str | None = None
    least: int | None = None
    exists: Literal["file", "folder"] | None = None
    bare: bool = False


class GeneratedSuite(Protocol):
    """The result of a generator."""

    def document(self) -> BaseModel:
        """Return the summary as JSON; the family names its model in `schemas`."""

    def lines(self) -> Iterable[str]:
        """Yield the lines of the summary for people."""


class OnProgress(Protocol):
    """Callback for the progress of long work."""

    def __call__(self, text: str, share: float | None = None, /) -> None:
        """Report progress.

        Args:
            text: description for people.
            share: share of the whole, from 0 to 1; None if it is unchanged.
        """


def ignore_progress(text: str, share: float | None = None, /) -> None:
    """Ignore progress."""


Importer: TypeAlias = "Callable[..., ImportResult]"
"""Makes a suite from a public data set.

Each parameter is annotated with its `Option`; the docstring is the command's help.
"""
Generator: TypeAlias = Callable[..., GeneratedSuite]
"""Makes a suite from a seed, with options as an `Importer`. The last parameter is a callback `OnProgress`."""

IMPORTERS: Part[Mapping[str, Lazy[Importer]]] = Part("importers", {})
"""Makers of suites and maps from public data, by the name of their command after `planspec import`."""
GENERATORS: Part[Mapping[str, Lazy[Generator]]] = Part("generators", {})
"""Makers of suites from a seed, by the name of their command after `planspec generate`."""
