"""The model of a document: the kind, id and sections of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.origin import RecordOrigin
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document_keys import KINDS
from planspec.dsl.structure.sections import known_entries
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, compose

NAME = re.compile(r"\w[\w.@-]*")
TASK_ID = re.compile(r"\w(?:[\w.,:+() -]*[\w.,:+()-])?")
"""Pattern of the ids of tasks. In a document, an id that does not also match `NAME` must be in quotes."""


QUOTED = ("double", "single")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """The kind, id and sections of a file.

    Attributes:
        path: path of the file; `None` for text that is not from a file.
        revoked: ids of constraints of other documents that the turns of this document revoke. The document may
            declare a constraint with such an id again.
        shows: nodes under `shows` (data shown to agents) of the turns so far.
        tells: nodes under `tells` of the turns so far, each with the node of its query.
        rows: cache of the rows of files, by the node that names the file; `None` if rows are not cached.
        record: the record from which the document was made; `None` for the document of a file.
    """

    kind: str
    id: str
    source: Source
    root: Mapping
    path: Path | None
    sections: dict[str, Node]
    keys: dict[str, Scalar]
    revoked: tuple[Scalar, ...] = ()
    shows: tuple[Node, ...] = ()
    tells: tuple[tuple[Node, Node | None], ...] = ()
    rows: dict[Node, object] | None = field(default=None, repr=False)
    record: RecordOrigin | None = None

    def key_span(self, name: str) -> Span:
        """Return the span of a section's key, or of the document's first key if the section is missing."""
        return self.keys[name].span if name in self.keys else self.root.entries[0][0].span


def document(source: Source, path: Path | None, report: Report) -> Document | None:
    """Return the document in a source; None if a mistake was reported."""
    root = compose(source, report)
    return None if root is None else document_of(root, source, path, report)


def document_of(root: Node, source: Source, path: Path | None, report: Report) -> Document | None:
    """Return the document of a root node; None if a mistake was reported.

    Args:
        root: the root, of YAML or JSON.
        source: text of the document.
        path: path of the document, if it has one.
        report: receives the mistakes.
    """
    kind = kind_of(root, report)
    if kind is None:
        return None
    assert isinstance(root, Mapping)
    entries = known_entries(root, document_keys.DOCUMENT[kind], f"a {kind}", report)
    sections = {name: value for name, (_, value) in entries.items()}
    keys = {name: key for name, (key, _) in entries.items()}
    return Document(kind, _id(kind, root, sections, report), source, root, path, sections, keys)


def kind_of(root: Node, report: Report) -> str | None:
    """Return the kind in a document's first key; None if this is not a planspec document."""
    if not isinstance(root, Mapping) or not root.entries or root.entries[0][0].text != "planspec":
        source = root.span.source
        start = Span(source, 0, len(source.line_text(source.first_line)))
        span = root.entries[0][0].span if isinstance(root, Mapping) and root.entries else start
        report.error(
            "PS008",
            "the first key of a document is `planspec:`",
            span,
            "not `planspec:`",
            help="begin with `planspec: task/1` (or library/1, world/1, suite/1, wording/1)",
        )
        return None
    version = root.entries[0][1]
    text = version.text if isinstance(version, Scalar) else ""
    kind, _, number = text.partition("/")
    if kind in KINDS and number == "1":
        return kind
    help_text = (
        did_you_mean(text, [f"{k}/1" for k in KINDS]) or "kinds are library/1, world/1, task/1, suite/1, wording/1"
    )
    report.error("PS008", f"`{text}` is not a kind of document", version.span, "unknown kind", help=help_text)
    return None


def _id(kind: str, root: Mapping, sections: dict[str, Node], report: Report) -> str:
    """Return the document's id; empty if a mistake was reported."""
    name = sections.get("id")
    if name is None:
        report.error("PS010", f"the {kind} has no `id`", root.entries[0][0].span, "an `id:` belongs here")
    elif isinstance(name, Scalar) and kind == "task" and TASK_ID.fullmatch(name.text) and name.style in QUOTED:
        return name.text
    elif not isinstance(name, Scalar) or not NAME.fullmatch(name.text):
        in_quotes = isinstance(name, Scalar) and kind == "task" and TASK_ID.fullmatch(name.text)
        help_text = "put the id of a task into quotes if it has blanks or `,:+()`" if in_quotes else None
        report.error("PS011", "an id is a word", name.span, "letters, digits, `-`, `_`, `.`", help=help_text)
    else:
        return name.text
    return ""
