"""The records of a corpus: documents, which agents may read, and statements, which they may not."""

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
"""The kind of a document: its subject, or that it misleads."""

KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)

DOCUMENTS, HIDDEN = "documents.jsonl", "hidden.jsonl"
"""The two files of a saved corpus."""


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A page of the corpus.

    Attributes:
        id: 1 and up; it tells nothing of the kind.
        kind: hidden from agents.
        city: that it is about, or where its services depart.
        title: one line.
        text: paragraphs, parted by line breaks.
        published: the day.
        origin: the voice that an agent sees, as `official site` or `forum`.
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
    """A document's statement about one fact; hidden from agents.

    Attributes:
        document: its id.
        subject: the name of a place, or `<number> <YYYY-MM-DD>` of a service.
        city: of the place, or where the service departs.
        field: of an attraction `existence`, `ticket`, `opens`, `closes`, `closed_on`, `visit`, `address`; of a service
            `number`, `date`, `origin`, `to`, `depart`, `arrive`, `price`; of a hotel `existence`, `address`,
            `room:<kind>` (the price), `breakfast:<kind>`; of a restaurant `existence`, `price`, `cuisine`, `dishes`,
            `opens`, `closes`; of other places `existence`.
        value: in its canonical form: integers without separators, HH:MM, `|` between the items of a list, minutes as
            `least-most`, `true` or `false`. Empty where there is no item, as for a place that is never closed.
        true: it agrees with the fact base.
    """

    document: int
    subject: str
    city: str
    field: str
    value: str
    true: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in the order of their ids, and what they state, in the order of the documents."""

    documents: tuple[CorpusDocument, ...]
    statements: tuple[Statement, ...]


def visible(document: CorpusDocument) -> dict[str, object]:
    """The part of a document that agents may see, ready for JSON."""
    return {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "city": document.city,
        "published": document.published.isoformat(),
        "origin": document.origin,
    }


def save(corpus: Corpus, folder: Path) -> None:
    """Writes `documents.jsonl`, and apart from it `hidden.jsonl`: the kinds, then the statements.

    Args:
        corpus: the same corpus gives the same bytes.
        folder: made if it is absent; files of these names are replaced.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / DOCUMENTS, [visible(document) for document in corpus.documents])
    hidden: list[dict[str, object]] = [
        {"document": document.id, "kind": document.kind} for document in corpus.documents
    ]
    hidden += [
        {
            "document": said.document,
            "subject": said.subject,
            "city": said.city,
            "field": said.field,
            "value": said.value,
            "true": said.true,
        }
        for said in corpus.statements
    ]
    _write(folder / HIDDEN, hidden)


def load(folder: Path) -> Corpus:
    """Reads what `save` wrote.

    Raises:
        OSError: a file is absent or cannot be read.
        ValueError: a file is not what `save` writes.
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
    """The rows of `documents.jsonl`, which is all that an agent's tools need.

    Raises:
        OSError: the file is absent or cannot be read.
        ValueError: it is not what `save` writes.
    """
    rows = _read(folder / DOCUMENTS)
    fields = {"id", "title", "text", "city", "published", "origin"}
    for number, row in enumerate(rows, 1):
        if set(row) != fields:
            raise ValueError(
                f"{folder / DOCUMENTS}:{number}: expected the fields {', '.join(sorted(fields))}"
            )
    return rows


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with replacing(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _read(path: Path) -> list[dict[str, Any]]:
    rows = []
    # Lines end at \n alone: a text may hold other separators, which `str.splitlines` would break at.
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
