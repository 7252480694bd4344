"""Importers and generators as the command line calls them: their parameters are its options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from planspec.errors import PlanspecError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from planspec.families.suite_writing.folder import ImportResult


class UnsuitableSuiteError(PlanspecError, ValueError):
    """A suite cannot be made of what was given, or not in the folder that was named."""


@dataclass(frozen=True, slots=True)
class Option:
    """The option of a parameter: `out: Annotated[Path, Option("The suite's folder.", "DIR")]`.

    Attributes:
        help: of the option.
        metavar: the name of its value; by its type if None.
        least: of a number.
        exists: the value names a file or folder, or several, that must be there.
        bare: the value stands alone in the command, without the option's name.
    """

    help: str
    metavar: str | None = None
    least: int | None = None
    exists: Literal["file", "folder"] | None = None
    bare: bool = False


class GeneratedSuite(Protocol):
    """What a generator made."""

    def document(self) -> BaseModel:
        """The account of it as JSON; the family names its model in `schemas`."""

    def lines(self) -> Iterable[str]:
        """The account of it for people."""


class Told(Protocol):
    """Hears how far long work is."""

    def __call__(self, text: str, share: float | None = None, /) -> None:
        """What is done.

        Args:
            text: for people.
            share: of the whole, from 0 to 1; None where it is as it was.
        """


def untold(text: str, share: float | None = None, /) -> None:
    """Nobody wants to hear how far the work is."""


Importer: TypeAlias = "Callable[..., ImportResult]"
"""Makes a suite of a public data set. Each parameter is annotated with its `Option`; the docstring is the command's help."""
Generator: TypeAlias = Callable[..., GeneratedSuite]
"""Makes a suite with a seed; likewise, and a last parameter, a `Told`, hears how far it is."""
