"""Records of a corpus: documents, which agents may read, and statements, which are hidden from agents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from planspec.files import replacing

DocumentKind: TypeAlias = Literal[
    "transport",
    "restaurant",
    "accommodation",
    "attraction",
    "misleading",
    "guide",
    "poi",
    "comment",
]
"""Kind of a document: its subject or form, or `misleading`."""

KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)

DOCUMENTS, HIDDEN = "documents.jsonl", "hidden.jsonl"
"""Files of a saved corpus: the documents, and their kinds and statements."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A page of the corpus.

    Attributes:
        id: number from 1; it does not reveal the kind.
        kind: kind, hidden from agents.
        city: city that the document is about, or where its trains or flights depart.
        title: title, on one line.
        text: paragraphs separated by line breaks.
        published: day of publication.
        origin: kind of source that agents see, such as `official site` or `forum`.
    """

    id: int
    kind: DocumentKind
    city: str
    title: str
    text: str
    published: date
    origin: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A document's statement about one fact, hidden from agents.

    Names of facts:

    - of attractions: `existence`, `ticket`, `opens`, `closes`, `closed_on`, `visit` and `address`;
    - of services (trains and flights): `number`, `date`, `origin`, `to`, `depart`, `arrive` and `price`;
    - of hotels: `existence`, `address`, `room:<kind>` (the price) and `breakfast:<kind>`;
    - of restaurants: `existence`, `price`, `cuisine`, `dishes`, `opens` and `closes`;
    - of other places: `existence`.

    Attributes:
        document: id of the document.
        subject: name of a place, or `<number> <YYYY-MM-DD>` of a service.
        city: city of the place, or where the service departs.
        field: name of the fact.
        value: value in canonical form: an integer without separators, a time HH:MM, a list separated by `|` (empty for
            no closing day), minutes `least-most`, `true`, `false`, or a text.
        true: whether the value agrees with the fact base.
    """

    document: int
    subject: str
    city: str
    field: str
    value: str
    true: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents sorted by id, and their statements sorted by document."""

    documents: tuple[CorpusDocument, ...]
    statements: tuple[Statement, ...]


def visible_row(document: CorpusDocument) -> dict[str, object]:
    """Return the row of a document in `documents.jsonl`, which agents may see."""
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "city": document.city,
        "published": document.published.isoformat(),
        "origin": document.origin,
    }


def save(corpus: Corpus, folder: Path) -> None:
    """Write `documents.jsonl`, and the kinds and statements to `hidden.jsonl`.

    Args:
        corpus: corpus to write. The same corpus gives the same bytes.
        folder: folder, created if absent. Existing files are replaced.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / DOCUMENTS, [visible_row(document) for document in corpus.documents])
    hidden: list[dict[str, object]] = [
        {"document": document.id, "kind": document.kind} for document in corpus.documents
    ]
    hidden += [
        {
            "document": statement.document,
            "subject": statement.subject,
            "city": statement.city,
            "field": statement.field,
            "value": statement.value,
            "true": statement.true,
        }
        for statement in corpus.statements
    ]
    _write(folder / HIDDEN, hidden)


def load(folder: Path) -> Corpus:
    """Read a corpus written by `save`.

    Raises:
        OSError: A file is absent or cannot be read.
        ValueError: A file was not written by `save`.
    """
    hidden = _read(folder / HIDDEN)
    kinds = {row["document"]: row["kind"] for row in hidden if "kind" in row}
    documents = []
    for row in load_visible(folder):
        kind = kinds.get(row["id"])
        if kind not in KINDS:
            raise ValueError(f"{folder / HIDDEN}: document {row['id']} has no kind")
        published = date.fromisoformat(row["published"])
        documents.append(
            CorpusDocument(
                row["id"],
                cast(DocumentKind, kind),
                row["city"],
                row["title"],
                row["text"],
                published,
                row["origin"],
            )
        )
    try:
        statements = tuple(Statement(**row) for row in hidden if "kind" not in row)
    except TypeError as error:
        raise ValueError(f"{folder / HIDDEN}: {error}") from error
    return Corpus(tuple(documents), statements)


def load_visible(folder: Path) -> list[dict[str, Any]]:
    """Read the rows of `documents.jsonl`, which is all that an agent's tools need.

    Raises:
        OSError: The file is absent or cannot be read.
        ValueError: The file was not written by `save`.
    """
    rows = _read(folder / DOCUMENTS)
    fields = {"id", "title", "text", "city", "published", "origin"}
    for number, row in enumerate(rows, 1):
        if set(row) != fields:
            raise ValueError(f"{folder / DOCUMENTS}:{number}: expected the fields {', '.join(sorted(fields))}")
    return rows


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with replacing(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _read(path: Path) -> list[dict[str, Any]]:
    rows = []
    # Only \n ends a line: `str.splitlines` would also split at other separators in texts.
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from error
            if not isinstance(row, dict):
                raise ValueError(f"{path}:{number}: expected an object")
            rows.append(row)
    return rows
