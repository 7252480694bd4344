"""Import of a fact base, queries and documents into the folder of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from planspec.families.veritrip.base_database import world_text, write_base
from planspec.families.veritrip.corpus.trust import truths_of
from planspec.families.veritrip.own_corpus.documents import STATEMENTS
from planspec.families.veritrip.own_corpus.own_corpus import (
    OwnCorpus,
    read_own_corpus,
    remove_own_corpus,
    write_own_corpus,
)
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.reading import read_base
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.suite_writing.folder import ImportResult, SkippedLine, SuiteFolder
from planspec.suite_writing.lines import read_lines, why_unfit_id

BASE = "veritrip.sqlite"


def suite_folder(out: Path) -> SuiteFolder:
    """Return the folder of an imported suite."""
    return SuiteFolder(out, "veritrip", "VeriTrip", "veritrip", BASE)


def import_veritrip(
    facts: Path,
    currency: str,
    queries: Sequence[Path],
    out: Path,
    corpus: Path | None = None,
    *,
    clean: bool = False,
) -> ImportResult:
    """Write a suite: `suite.yaml`, a world (YAML) with its SQLite file, a task for each query, and the corpus.

    Args:
        facts: folder with a CSV or JSONL file for each table of the fact base.
        currency: currency of the prices, an ISO 4217 code.
        queries: files of JSON lines, in the paper's form.
        out: folder of the suite; an earlier import is replaced once everything is read.
        corpus: folder of documents and pictures; None for a suite without a corpus.
        clean: whether no document contradicts the facts.

    Raises:
        InvalidFactBaseError: The folder holds no fact base.
        InvalidCorpusError: The documents or pictures are invalid.
        ModuleNotFoundError: There are pictures, but the extra `images` is not installed.
        OSError: A file cannot be read or written.
    """
    base, counts = read_base(facts, currency)
    folder = suite_folder(out)
    names = FactBaseNames.of(base)
    accepted, left_out = _read_queries(queries, names)
    own = None if corpus is None else read_own_corpus(corpus, accepted, truths_of(base))
    with folder.database_file() as part:
        write_base(base, part, () if own is None else own.statements or ())
        world = world_text(f"{folder.id}-world", "VeriTrip's fact base", currency, BASE)
        tasks = {query.id: task_text(query, names, f"../{BASE}", "../world.yaml") for query in accepted}
        folder.finish(world, tasks)
    remove_own_corpus(out)
    if own is not None:
        write_own_corpus(own, base, accepted, out, clean=clean)
    return ImportResult(
        out,
        folder.id,
        tuple(counts),
        tuple(tasks),
        tuple(left_out),
        (*_notes_on_other_cities(accepted, names), *(() if own is None else _corpus_notes(own))),
    )


def _notes_on_other_cities(queries: Sequence[Query], names: FactBaseNames) -> Iterator[str]:
    """Yield a note on each query that shows a picture of a sight in another city."""
    for query in queries:
        for name in query.attractions:
            city = names.city_of_sight(query, name)
            if city != query.target_city:
                yield f"`{query.id}` shows `{name}` of {city} in a picture: no plan has all its preferences"


def _corpus_notes(corpus: OwnCorpus) -> Iterator[str]:
    """Yield sentences that describe the imported corpus."""
    yield f"{len(corpus.documents)} documents, {len(corpus.pictures)} pictures, {len(corpus.anchors)} pictures of queries"
    if corpus.statements is None:
        yield f"citations are not checked: there is no `{STATEMENTS}` with the documents' statements"
    else:
        yield f"citations are checked by {len(corpus.statements)} statements on attractions"


def _read_queries(paths: Sequence[Path], names: FactBaseNames) -> tuple[list[Query], list[SkippedLine]]:
    """Return the queries that fit the fact base, and the lines that were left out."""
    queries: dict[str, Query] = {}
    left_out: list[SkippedLine] = []

    def why_unusable(query: Query) -> str | None:
        duplicate = f"there is a query `{query.id}` already" if query.id in queries else None
        return why_unfit_id(query.id) or duplicate or names.why_unfit(query)

    for path in paths:
        for line in read_lines(path, Query, why_unusable):
            if isinstance(line, Query):
                queries[line.id] = line
            else:
                left_out.append(line)
    return list(queries.values()), left_out
