"""Values that replace those of a task's givens, in the task and in each of its turns."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import replace

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.yaml.reader import Mapping, Node, Sequence, compose
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import NotFoundError

NAME = "--given"
"""Name of the values' text in diagnostics."""


def with_given_values(document: Document, values: MappingOf[str, str], report: Report) -> Document:
    """Return a task's document with other values of its givens; they also replace those of its turns.

    Args:
        document: a task.
        values: the values as YAML, by the name of the given.
        report: receives the mistakes in the values.
    """
    text = "".join(f"{name}: {value}\n" for name, value in values.items())
    root = compose(source_from_text(text, NAME), report)
    if not isinstance(root, Mapping):
        return document
    sections, keys = dict(document.sections), dict(document.keys)
    sections["given"] = _united(sections.get("given"), values, root)
    keys.setdefault("given", root.entries[0][0])
    turns = sections.get("turns")
    if isinstance(turns, Sequence):
        sections["turns"] = replace(turns, items=tuple(_turn_without(turn, values) for turn in turns.items))
    return replace(document, sections=sections, keys=keys)


def _united(node: Node | None, values: MappingOf[str, str], root: Mapping) -> Mapping:
    own = node.entries if isinstance(node, Mapping) else ()
    return replace(root, entries=(*(entry for entry in own if entry[0].text not in values), *root.entries))


def _turn_without(turn: Node, values: MappingOf[str, str]) -> Node:
    """Return a turn without its values of some givens."""
    if not isinstance(turn, Mapping):
        return turn
    entries = [
        (key, _without(node, values) if key.text == "given" and isinstance(node, Mapping) else node)
        for key, node in turn.entries
    ]
    return replace(turn, entries=tuple(entries))


def _without(given: Mapping, values: MappingOf[str, str]) -> Mapping:
    return replace(given, entries=tuple(entry for entry in given.entries if entry[0].text not in values))


def check_names(task: Task, document: Document, values: MappingOf[str, str]) -> None:
    """Check that a task has the givens that got other values.

    Args:
        task: the task with the values.
        document: its document without them.
        values: the values by name.

    Raises:
        NotFoundError: the task has no such given.
    """
    own = document.sections.get("given")
    own_names = {key.text for key, _ in own.entries} if isinstance(own, Mapping) else set()
    for name in values:
        if name not in own_names and task.given_declarations[name].span.source.name == NAME:
            names = [*own_names, *(each for each in task.given_declarations if each not in values)]
            close = did_you_mean(name, names)
            raise NotFoundError(f"the task `{task.id}` has no given `{name}`" + (f"; {close}" if close else ""))
