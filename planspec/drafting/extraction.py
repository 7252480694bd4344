"""Extraction of a document from a model's reply: exactly one YAML document, with allowed sections only."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from textwrap import dedent
from typing import TypeAlias

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.rendering import render_text
from planspec.dsl.structure.document_keys import FILE_SOURCES
from planspec.dsl.tables.file_formats import is_inline
from planspec.dsl.yaml.nodes import Mapping as YamlMapping
from planspec.dsl.yaml.nodes import Node, Scalar, Sequence
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.source_files import source_from_text

Sections: TypeAlias = Mapping[str, str]
"""Texts of a document's sections, including their keys, by name."""

FENCE = re.compile(r"^(?P<mark>`{3,}|~{3,})[^\n]*\n(?P<body>.*?)^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
SEPARATOR = re.compile(r"^(---|\.\.\.)(\s|$)", re.MULTILINE)
TRUSTED = "trusted"
"""Value under `tells` for a given that needs no quotation from the query."""
KIND, TASK_KIND = "planspec", "task/1"
"""Key and value of the first line of every task. Replies may include the line."""


class UnusableReplyError(Exception):
    """The reply has no usable document. The message is sent to the model and says why."""


def document_text(reply: str) -> str:
    """Return the text of the only document in a reply: its fenced block, or the whole reply.

    Raises:
        UnusableReplyError: there are several documents, or none.
    """
    blocks = [match["body"] for match in FENCE.finditer(reply)]
    if len(blocks) > 1:
        raise UnusableReplyError(f"your reply has {len(blocks)} fenced blocks; write one document in one block")
    text = blocks[0] if blocks else reply
    text = dedent(re.sub(r"\A\s*---[ \t]*\n", "", text))
    if SEPARATOR.search(text):
        raise UnusableReplyError("your reply has several YAML documents; write one, without `---`")
    if not text.strip():
        raise UnusableReplyError("your reply has no document")
    return text


def sections_of(reply: str, allowed: Collection[str]) -> dict[str, str]:
    """Return the sections in a reply, by name.

    Args:
        reply: the model's reply.
        allowed: names of the sections that the reply may have.

    Raises:
        UnusableReplyError: the reply is not a single document, has another section, or names a file.
    """
    text = document_text(reply)
    root = mapping_of(text)
    foreign = [key.text for key, node in root.entries if key.text not in allowed and not _is_kind(key, node)]
    if foreign:
        names = ", ".join(f"`{name}:`" for name in dict.fromkeys(foreign))
        verb = "is" if len(foreign) == 1 else "are"
        raise UnusableReplyError(f"{names} {verb} not yours to write; write only {', '.join(allowed)}")
    for key, node in root.entries:
        if key.text == "tables":
            _refuse_files(node)
    return {name: each for name, each in section_texts(root) if name != KIND}


def _is_kind(key: Scalar, node: Node) -> bool:
    """Return whether an entry is the line `planspec: task/1`, with which every task begins."""
    return key.text == KIND and isinstance(node, Scalar) and node.text == TASK_KIND


def mapping_of(text: str) -> YamlMapping:
    """Parse a YAML document whose root is a mapping.

    Raises:
        UnusableReplyError: the text is not valid YAML, or not a mapping; the message has the diagnostics.
    """
    report = Report()
    root = compose(source_from_text(text, "reply"), report)
    if report.failed or root is None:
        raise UnusableReplyError(f"your reply is not readable YAML:\n{render_text(report.ordered())}")
    if not isinstance(root, YamlMapping) or not root.entries:
        raise UnusableReplyError("your reply is not a YAML mapping of sections")
    return root


def section_texts(root: YamlMapping) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each section of a document.

    Sections in flow style are written on separate lines.
    """
    text = root.span.source.text
    starts = [key.span.start for key, _ in root.entries] + [len(text)]
    for position, (key, value) in enumerate(root.entries):
        if root.flow:
            yield key.text, f"{key.text}: {value.span.text.replace(chr(10), ' ')}\n"
        else:
            yield key.text, text[starts[position] : starts[position + 1]].rstrip() + "\n"


def _refuse_files(tables: Node) -> None:
    """Check that no table has its rows in a file, because a model's text must not read files.

    Raises:
        UnusableReplyError: a table names a file.
    """
    match tables:
        case YamlMapping():
            for key, value in tables.entries:
                if key.text in FILE_SOURCES and not is_inline(key.text, value):
                    raise UnusableReplyError(f"`{key.text}:` names a file; write the rows under `rows:`")
                _refuse_files(value)
        case Sequence():
            for item in tables.items:
                _refuse_files(item)
        case Scalar():
            pass


def scalar_fields(node: Node) -> dict[str, str]:
    """Return the scalar values of a mapping as text, by key; empty if the node is not a mapping."""
    if not isinstance(node, YamlMapping):
        return {}
    return {key.text: value.text for key, value in node.entries if isinstance(value, Scalar)}
