"""The readings of a suite: interpretations of its tasks, with a name, values of givens and an expectation."""

from __future__ import annotations

import json
import re

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.task_sections import expectation_in
from planspec.dsl.model.reading import ALL_READINGS, Reading
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import known_entries
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

NAME = re.compile(r"[A-Za-z0-9_-]+")
SPECIAL_IN_FLOW = re.compile(r"[,\[\]{}#]|:\s|:$")
"""Pattern of characters that end a plain scalar inside brackets, or change its kind."""


def suite_readings(document: Document, report: Report) -> dict[str, Reading]:
    """Return the readings of a suite (interpretations of its tasks) by name.

    Args:
        document: a suite.
        report: receives the mistakes; readings with mistakes are left out.
    """
    node = document.sections.get("readings")
    if node is None or (isinstance(node, Scalar) and not node.text):
        return {}
    if not isinstance(node, Mapping):
        report.error("PS011", "`readings` must be a mapping", node.span, "not a mapping")
        return {}
    readings = (_reading(key, entry, report) for key, entry in node.entries)
    return {reading.name: reading for reading in readings if reading is not None}


def _reading(key: Scalar, entry: Node, report: Report) -> Reading | None:
    name = key.text
    own = Report()
    if not NAME.fullmatch(name) or name == ALL_READINGS:
        why = "this word stands for every reading" if name == ALL_READINGS else "letters, digits, `-`, `_`"
        own.error("PS011", f"a reading cannot have the name `{name}`", key.span, why)
    given: dict[str, str] = {}
    expects = None
    if isinstance(entry, Mapping):
        parts = known_entries(entry, document_keys.READING, f"the reading `{name}`", own)
        if "givens" in parts:
            given = _given_texts(parts["givens"][1], own)
        if "expects" in parts:
            word, value = parts["expects"]
            expects = expectation_in(value, word.span, own)
        if not parts:
            own.error("PS010", f"the reading `{name}` is empty", key.span, "it needs `givens`, `expects`, or both")
    else:
        own.error("PS011", "a reading must be a mapping", entry.span if entry.span.text else key.span, "not a mapping")
    for diagnostic in own.diagnostics:
        report.add(diagnostic)
    return None if own.failed else Reading(name, given, expects)


def _given_texts(node: Node, report: Report) -> dict[str, str]:
    if not isinstance(node, Mapping):
        report.error("PS011", "`givens` must be a mapping", node.span, "not a mapping")
        return {}
    for key, _ in node.entries:
        if not key.text.isidentifier():
            report.error("PS011", f"`{key.text}` is not the name of a given", key.span, "not a name")
    return {key.text: yaml_text(value) for key, value in node.entries}


def yaml_text(node: Node, *, flow: bool = False) -> str:
    """Return a value as YAML on one line.

    Args:
        node: the value.
        flow: whether the result will be inside brackets.
    """
    if isinstance(node, Sequence):
        return f"[{', '.join(yaml_text(item, flow=True) for item in node.items)}]"
    if isinstance(node, Mapping):
        return f"{{{', '.join(_entry_text(key, value) for key, value in node.entries)}}}"
    plain = node.style == "plain" and "\n" not in node.text
    return node.text if plain and not (flow and SPECIAL_IN_FLOW.search(node.text)) else json.dumps(node.text)


def _entry_text(key: Scalar, value: Node) -> str:
    word, text = yaml_text(key, flow=True), yaml_text(value, flow=True)
    return f"{word}: {text}" if text else word
