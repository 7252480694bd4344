"""Corpus of an imported suite, read from a folder of documents and pictures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from planspec.dsl.resources.reading import read_bytes
from planspec.families.veritrip.corpus.closing import read_provenance
from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.corpus.records import DOCUMENTS, Statement
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.own_corpus.documents import STATEMENTS, OwnDocument, read_documents
from planspec.families.veritrip.own_corpus.mistakes import Mistakes
from planspec.families.veritrip.own_corpus.pictures import OwnPicture, read_anchors, read_pictures
from planspec.families.veritrip.own_corpus.statements import read_statements
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.saving import save_base
from planspec.files import replace_bytes, replace_text

OWN_MARK = "corpus.json"
"""File whose presence marks an imported suite as having a corpus."""
MOST_PICTURE_BYTES = 32 * 2**20
_CORPUS_FOLDERS = ("corpus", "anchors", "facts")


@dataclass(frozen=True, slots=True)
class OwnCorpus:
    """A user's corpus after it has been checked.

    Attributes:
        documents: documents, sorted by path.
        statements: statements of the documents on attractions; None if there is no file of statements.
        pictures: pictures of places.
        anchors: files of the pictures shown by queries.
    """

    documents: Sequence[OwnDocument]
    statements: Sequence[Statement] | None
    pictures: Sequence[OwnPicture]
    anchors: Sequence[Path]


def read_own_corpus(folder: Path, queries: Iterable[Query], truths: Mapping[Fact, Collection[str]]) -> OwnCorpus:
    """Read a folder of documents and pictures.

    Args:
        folder: folder with documents (Markdown, text, HTML, JSON lines). It may also have `pictures.csv`,
            `hidden.jsonl` with statements, and `anchors/` with the pictures shown by queries.
        queries: queries of the suite.
        truths: true values of the fact base.

    Raises:
        InvalidCorpusError: There are mistakes. The message lists them with their files and lines.
        OSError: A file cannot be read.
    """
    mistakes = Mistakes(folder)
    documents = read_documents(folder, mistakes)
    statements_file = folder / STATEMENTS
    statements = (
        read_statements(statements_file, {one.id for one in documents}, truths, mistakes)
        if statements_file.is_file()
        else None
    )
    pictures = read_pictures(folder, mistakes)
    corpus = OwnCorpus(documents, statements, pictures, read_anchors(folder, queries, mistakes))
    _check_pictures(corpus, mistakes)
    mistakes.raise_if_any()
    return corpus


def _check_pictures(corpus: OwnCorpus, mistakes: Mistakes) -> None:
    """Check that each picture can be decoded."""
    if not corpus.pictures:
        return
    from planspec.families.veritrip.pictures.decoding import decode_picture
    from planspec.families.veritrip.pictures.extra import require_images

    require_images()
    for file in (*(one.file for one in corpus.pictures), *corpus.anchors):
        try:
            decode_picture(read_bytes(file, MOST_PICTURE_BYTES))
        except ValueError as error:
            mistakes.add(file, None, f"the picture cannot be read: {error}")


def write_own_corpus(corpus: OwnCorpus, base: FactBase, queries: Sequence[Query], out: Path, *, clean: bool) -> None:
    """Write a corpus into a suite's folder, replacing an earlier one.

    Args:
        corpus: corpus to write.
        base: fact base for the restaurant tools.
        queries: queries of the suite.
        out: folder of the suite.
        clean: whether no document contradicts the facts.

    Raises:
        OSError: A file cannot be written.
    """
    remove_own_corpus(out)
    texts = out / "corpus"
    texts.mkdir(parents=True)
    rows = sorted(corpus.documents, key=lambda one: one.id)
    _write_json_lines(texts / DOCUMENTS, (one.row() for one in rows))
    if corpus.statements is not None:
        _write_json_lines(texts / STATEMENTS, (_statement_row(one) for one in corpus.statements))
    if corpus.pictures:
        _write_pictures(corpus.pictures, texts)
    anchors = out / "anchors"
    anchors.mkdir()
    for file in corpus.anchors:
        shutil.copyfile(file, anchors / file.name)
    save_base(replace(base, services=()), out / "facts")
    _write_json_lines(out / "queries.jsonl", (query.model_dump(mode="json") for query in queries))
    mark = {
        "family": "veritrip",
        "currency": base.currency,
        "documents": len(corpus.documents),
        "images": len(corpus.pictures),
        "clean": clean,
        "imprints": any(read_provenance(one.text) is not None for one in corpus.documents),
        "finished": True,
    }
    replace_text(out / OWN_MARK, json.dumps(mark, indent=2) + "\n")


def remove_own_corpus(out: Path) -> None:
    """Remove the corpus of an earlier import, if any."""
    if not (out / OWN_MARK).is_file():
        return
    for name in _CORPUS_FOLDERS:
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("queries.jsonl", OWN_MARK):
        (out / name).unlink(missing_ok=True)


def _write_pictures(pictures: Sequence[OwnPicture], folder: Path) -> None:
    """Write the pictures as JPEG files, their captions, and the index for image search."""
    from planspec.families.veritrip.pictures import PictureIndex, picture_features

    images = folder / "images"
    images.mkdir()
    read = [(one, read_bytes(one.file, MOST_PICTURE_BYTES)) for one in pictures]
    for one, data in read:
        replace_bytes(
            images / f"{one.id}.jpg",
            data if one.file.suffix.lower() in (".jpg", ".jpeg") else _convert_to_jpeg(data),
        )
    _write_json_lines(folder / "images.jsonl", ({"id": one.id, "caption": one.caption} for one in pictures))
    PictureIndex.write(folder / "pictures.sqlite", ((one.id, picture_features(data)) for one, data in read))


def _convert_to_jpeg(data: bytes) -> bytes:
    from planspec.families.veritrip.pictures.decoding import decode_picture

    buffer = BytesIO()
    decode_picture(data).convert("RGB").save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def _statement_row(statement: Statement) -> dict[str, object]:
    return {
        "document": statement.document,
        "subject": statement.subject,
        "city": statement.city,
        "field": statement.field,
        "value": statement.value,
        "true": statement.true,
    }


def _write_json_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    replace_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
