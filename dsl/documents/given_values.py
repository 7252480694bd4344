"""Replacement of the values of a task's givens (parameters), in the task and in each of its turns."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import replace

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.expectation import is_refusal
from planspec.dsl.model.reading import Reading
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.yaml.reader import Mapping, Node, Sequence, compose
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import NotFoundError


class UnknownGivenError(NotFoundError):
    """The task has no given with this name.

    Args:
        message: message for users.
        names: the unknown names.
    """

    def __init__(self, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.names = names


NAME = "--given"
"""Name of the source in diagnostics about values that the option `--given` sets."""


def with_given_values(document: Document, values: MappingOf[str, str], report: Report, name: str = NAME) -> Document:
    """Return a task's document in which the givens of the task and of its turns have other values.

    Args:
        document: a task.
        values: the values as YAML, by the name of the given.
        report: receives the mistakes in the values.
        name: name that diagnostics give to the text of the values.
    """
    text = "".join(f"{given}: {value}\n" for given, value in values.items())
    root = compose(source_from_text(text, name), report)
    if not isinstance(root, Mapping):
        return document
    sections, keys = dict(document.sections), dict(document.keys)
    sections["given"] = _with_own_entries(sections.get("given"), values, root)
    keys.setdefault("given", root.entries[0][0])
    turns = sections.get("turns")
    if isinstance(turns, Sequence):
        sections["turns"] = replace(turns, items=tuple(_turn_without(turn, values) for turn in turns.items))
    return replace(document, sections=sections, keys=keys)


def _with_own_entries(node: Node | None, values: MappingOf[str, str], root: Mapping) -> Mapping:
    own = node.entries if isinstance(node, Mapping) else ()
    return replace(root, entries=(*(entry for entry in own if entry[0].text not in values), *root.entries))


def _turn_without(turn: Node, values: MappingOf[str, str]) -> Node:
    """Return a turn's node without the givens that `values` replaces."""
    if not isinstance(turn, Mapping):
        return turn
    entries = [
        (key, _without_values(node, values) if key.text == "given" and isinstance(node, Mapping) else node)
        for key, node in turn.entries
    ]
    return replace(turn, entries=tuple(entries))


def _without_values(given: Mapping, values: MappingOf[str, str]) -> Mapping:
    return replace(given, entries=tuple(entry for entry in given.entries if entry[0].text not in values))


def check_names(task: Task, document: Document, values: MappingOf[str, str], source: str = NAME) -> None:
    """Check that a task has the givens whose values are replaced.

    Args:
        task: the task with the new values.
        document: the task's document before the replacement.
        values: the values by name.
        source: name that diagnostics give to the text of the values.

    Raises:
        UnknownGivenError: the task has no such given.
    """
    own = document.sections.get("given")
    own_names = {key.text for key, _ in own.entries} if isinstance(own, Mapping) else set()
    unknown = tuple(
        name for name in values if name not in own_names and task.given_declarations[name].span.source.name == source
    )
    if unknown:
        names = sorted({*own_names, *(each for each in task.given_declarations if each not in values)})
        listed = f"it has {', '.join(f'`{each}`' for each in names)}" if names else "it has none"
        hint = did_you_mean(unknown[0], names) or listed
        raise UnknownGivenError(f"the task `{task.id}` has no given `{unknown[0]}`; {hint}", unknown)


def with_reading(task: Task, document: Document, reading: Reading) -> Task:
    """Return a task with the name and the expectation of one of the suite's readings (interpretations).

    The reference answer is removed if it contains a plan and the reading expects that there is none.

    Args:
        task: the task with the values of the reading.
        document: the task's document without these values.
        reading: the reading.

    Raises:
        UnknownGivenError: the task has no given that the reading names.
    """
    check_names(task, document, reading.given, reading_source(reading))
    is_plan = task.reference is not None and not is_refusal(task.reference)
    reference = None if reading.expects == "infeasible" and is_plan else task.reference
    return replace(task, reading=reading.name, expects=reading.expects or task.expects, reference=reference)


def reading_source(reading: Reading) -> str:
    """Return the name that diagnostics give to the text of a reading's values."""
    return f"the reading `{reading.name}`"
