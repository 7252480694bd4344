"""Reader of a user's documents in a folder: Markdown, text, HTML and JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field

from planspec.dsl.resources.limits import NUMBER, RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.families.veritrip.own_corpus.html_text import read_html
from planspec.families.veritrip.own_corpus.mistakes import Mistakes
from planspec.families.veritrip.query import Text
from planspec.suite_writing.folder import SkippedLine
from planspec.suite_writing.lines import numbered_lines

STATEMENTS, ANCHORS = "hidden.jsonl", "anchors"
"""File of statements, and folder of the pictures shown by queries. They hold no documents."""
_PICTURE_DATA = "images.jsonl"
"""File with the picture data of a generated corpus, which is not a document."""
_TEXT_SUFFIXES, _HTML_SUFFIXES, _JSONL_SUFFIXES = (".md", ".markdown", ".txt"), (".html", ".htm"), (".jsonl",)
_HEAD = re.compile(r"([A-Za-z_]+)\s*:\s*(.*?)\s*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ALIASES = {"date": "published", "origin": "source", "publisher": "source", "author": "source"}
"""For each other name of a metadata field, the name used in this module."""
_METADATA_NAMES = ("title", "url", "published", "source", "city", "id")
MOST_ID = NUMBER


def _require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


_NonEmptyText = Annotated[Text, AfterValidator(_require_text)]


class DocumentLine(BaseModel):
    """A document in the form of a line of a JSONL file."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)
    id: int | None = Field(default=None, ge=1, le=MOST_ID)
    title: _NonEmptyText
    text: _NonEmptyText
    url: Text | None = None
    published: date | None = Field(default=None, validation_alias=AliasChoices("published", "date"))
    source: Text | None = Field(default=None, validation_alias=AliasChoices("source", "origin", "publisher", "author"))
    city: Text | None = None


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """One of the user's documents.

    Attributes:
        id: number by which agents cite it.
        title: title, on one line.
        text: full text.
        published: ISO date; empty if unknown.
        origin: source and URL, as far as they are given; the file name if both are missing.
        city: city that the document is about; empty if unknown.
    """

    id: int
    title: str
    text: str
    published: str
    origin: str
    city: str

    def row(self) -> dict[str, object]:
        """Return the row for `documents.jsonl`."""
        return {
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "city": self.city,
            "published": self.published,
            "origin": self.origin,
        }


@dataclass(frozen=True, slots=True)
class _UnnumberedDocument:
    """A document without an id.

    Attributes:
        line: content.
        file: file of the document.
        line_number: line in the file.
    """

    line: DocumentLine
    file: Path
    line_number: int


def read_documents(folder: Path, mistakes: Mistakes) -> list[OwnDocument]:
    """Read the documents of a folder and its subfolders, sorted by path.

    Documents without an `id` get the smallest unused numbers, from 1.

    Args:
        folder: folder with Markdown, text, HTML and JSON lines. Other files and hidden files are ignored.
        mistakes: collects the mistakes.

    Raises:
        OSError: A file cannot be read.
    """
    read = [one for path in _document_files(folder) for one in _read_file(path, mistakes)]
    if not read and not mistakes.entries:
        kinds = ", ".join((*_TEXT_SUFFIXES, *_HTML_SUFFIXES, *_JSONL_SUFFIXES))
        mistakes.add(folder, None, f"it has no document: a file {kinds}")
    taken: dict[int, _UnnumberedDocument] = {}
    for one in read:
        if one.line.id is None:
            continue
        before = taken.setdefault(one.line.id, one)
        if before is not one:
            place = f"{before.file.relative_to(folder).as_posix()}:{before.line_number}"
            mistakes.add(one.file, one.line_number, f"the id {one.line.id} is already used by {place}")
    free = (number for number in range(1, len(read) + len(taken) + 1) if number not in taken)
    return [_numbered_document(one, next(free) if one.line.id is None else one.line.id, folder) for one in read]


def _document_files(folder: Path) -> list[Path]:
    def is_document(path: Path) -> bool:
        parts = path.relative_to(folder).parts
        return (
            not any(part.startswith(".") for part in parts)
            and parts not in {(STATEMENTS,), (_PICTURE_DATA,)}
            and parts[0] != ANCHORS
        )

    kinds = {*_TEXT_SUFFIXES, *_HTML_SUFFIXES, *_JSONL_SUFFIXES}
    return sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in kinds and path.is_file() and is_document(path)
    )


def _read_file(path: Path, mistakes: Mistakes) -> Iterator[_UnnumberedDocument]:
    kind = path.suffix.lower()
    if kind in _JSONL_SUFFIXES:
        for number, line in numbered_lines(path, DocumentLine, lambda _: None):
            if isinstance(line, SkippedLine):
                mistakes.add(path, number, line.reason)
            else:
                yield _UnnumberedDocument(line, path, number)
        return
    try:
        text = read_bytes(path, RECORDS_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        mistakes.add(path, None, f"it is not UTF-8 (byte {error.start})")
        return
    if kind in _HTML_SUFFIXES:
        page = read_html(text)
        metadata, body = page.metadata, page.text
    else:
        metadata, body = _split_head(text, path, mistakes)
    line_ = _document_line(path, metadata, body, mistakes)
    if line_ is not None:
        yield _UnnumberedDocument(line_, path, 1)


def _split_head(text: str, path: Path, mistakes: Mistakes) -> tuple[dict[str, tuple[int, str]], str]:
    """Split a text into metadata and body. Each metadata value is paired with its line number.

    Metadata are lines between two `---` at the start. If they lack a title, the first heading is the title.
    """
    metadata: dict[str, tuple[int, str]] = {}
    lines = text.split("\n")
    if lines[0].strip() == "---":
        end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
        if end is None:
            mistakes.add(path, 1, "the metadata that begin with `---` have no closing `---`")
            return metadata, text
        for number, line in enumerate(lines[1:end], 2):
            entry = _HEAD.fullmatch(line)
            if entry is not None:
                name = _ALIASES.get(entry[1].lower(), entry[1].lower())
                if name in _METADATA_NAMES:
                    metadata.setdefault(name, (number, entry[2].strip("\"'")))
        lines = lines[end + 1 :]
    body = "\n".join(lines).strip()
    first = body.split("\n", 1)[0]
    if first.startswith("# "):
        metadata.setdefault("title", (1, first[2:].strip()))
    return metadata, body


def _document_line(
    path: Path, metadata: dict[str, tuple[int, str]], body: str, mistakes: Mistakes
) -> DocumentLine | None:
    """Build a document from a file's metadata and body. Return None if they have mistakes, which are recorded."""
    before = len(mistakes.entries)
    values: dict[str, Any] = {name: value for name, (_, value) in metadata.items() if value}
    if not body:
        mistakes.add(path, None, "it has no text")
    if "published" in values:
        line, text = metadata["published"]
        day = text[:10]  # a time after the date is ignored
        try:
            values["published"] = date.fromisoformat(day if _DAY.fullmatch(day) else "")
        except ValueError:
            mistakes.add(path, line, f"`{text[:40]}` is not a date such as 2025-10-18")
    if "id" in values:
        line, text = metadata["id"]
        if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= MOST_ID):
            mistakes.add(path, line, f"the id `{text[:40]}` is not a whole number from 1")
        else:
            values["id"] = int(text)
    values.setdefault("title", path.stem)
    if len(mistakes.entries) > before:
        return None
    return DocumentLine.model_construct(
        None, text=body, **{"id": None, "url": None, "published": None, "source": None, "city": None} | values
    )


def _numbered_document(document: _UnnumberedDocument, number: int, folder: Path) -> OwnDocument:
    line = document.line
    origin = ", ".join(part for part in (line.source, line.url) if part) or document.file.relative_to(folder).as_posix()
    return OwnDocument(
        number,
        " ".join(line.title.split()),
        line.text,
        line.published.isoformat() if line.published else "",
        origin,
        line.city or "",
    )
