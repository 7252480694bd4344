"""Readings (interpretations) of suites in commands: the option `--reading`, and plans on which two readings differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.console import CommandLineError

if TYPE_CHECKING:
    from planspec.api.catalog import TaskReference

ReadingNames = Annotated[
    list[str] | None,
    typer.Option(
        "--reading",
        help="Name of a reading of the suite, or `all`, the default. May be repeated.",
        metavar="NAME",
        show_default=False,
    ),
]


def selected_tasks(
    tasks: Sequence[TaskReference], readings: Sequence[str] | None, given: Mapping[str, str]
) -> list[TaskReference]:
    """Return tasks restricted to the requested readings of their suites.

    Args:
        tasks: tasks with all readings of their suites.
        readings: names of readings; None for all.
        given: values of givens from the command line, by name.

    Raises:
        NotFoundError: a suite has no such reading.
        CommandLineError: a value in `given` would be replaced by a requested reading.
    """
    from planspec.api.readings import select_readings

    try:
        return select_readings(tasks, readings, given)
    except ValueError as error:
        raise CommandLineError(str(error)) from None


def readings_of_answers(suite: str, readings: Sequence[str] | None, given: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the readings by which answers to a suite are judged; empty for the tasks as written.

    Args:
        suite: path, folder or id of the suite.
        readings: names of readings; None for all.
        given: values of givens from the command line, by name.

    Raises:
        NotFoundError: there is no such suite or reading.
        UnsuitableAnswersError: the suite's answers are traces.
        CommandLineError: a value in `given` would be replaced by a requested reading.
    """
    from planspec.scores.reading_scores import requested_readings

    try:
        return requested_readings(suite, readings, given)
    except ValueError as error:
        raise CommandLineError(str(error)) from None
