"""`planspec import veritrip`: a fact base as CSV or JSON lines, queries, and documents -> a folder that is a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from planspec.families.suite_writing.folder import ImportResult, LeftOut, SuiteFolder
from planspec.families.suite_writing.lines import read_lines, unfit_id
from planspec.families.veritrip.base import world_text, write_base
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

BASE = "veritrip.sqlite"


def suite_folder(out: Path) -> SuiteFolder:
    """The folder of an imported suite."""
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
    """Write the suite: `suite.yaml`, `world.yaml` with its SQLite base, and a task for each query; and the corpus beside it.

    Args:
        facts: a folder with a CSV or JSONL file for each table of the fact base.
        currency: of its prices, an ISO 4217 code.
        queries: files of JSON lines, in the paper's form.
        out: a folder; what an import wrote there before is replaced, once all was read.
        corpus: a folder of documents and pictures; None for a suite without.
        clean: no document of it contradicts the facts.

    Raises:
        InvalidFactBaseError: the folder holds no fact base.
        InvalidCorpusError: something is wrong with the documents or pictures.
        ModuleNotFoundError: there are pictures, and the extra `images` is not installed.
        OSError: a file cannot be read or written.
    """
    base, counts = read_base(facts, currency)
    folder = suite_folder(out)
    names = FactBaseNames.of(base)
    found, left_out = _queries(queries, names)
    own = None if corpus is None else read_own_corpus(corpus, found, truths_of(base))
    with folder.filling() as part:
        write_base(base, part, () if own is None else own.statements or ())
        world = world_text(f"{folder.id}-world", "VeriTrip's fact base", currency, BASE)
        tasks = {query.id: task_text(query, names, f"../{BASE}", "../world.yaml") for query in found}
        folder.finish(world, tasks)
    remove_own_corpus(out)
    if own is not None:
        write_own_corpus(own, base, found, out, clean=clean)
    return ImportResult(
        out,
        folder.id,
        tuple(counts),
        tuple(tasks),
        tuple(left_out),
        () if own is None else tuple(_notes(own)),
    )


def _notes(own: OwnCorpus) -> Iterator[str]:
    """What is to be said of a corpus."""
    yield f"{len(own.documents)} documents, {len(own.pictures)} pictures, {len(own.anchors)} pictures of queries"
    if own.statements is None:
        yield f"citations are not checked: there is no `{STATEMENTS}` that says what the documents state"
    else:
        yield f"citations are checked by {len(own.statements)} statements on attractions"


def _queries(paths: Sequence[Path], names: FactBaseNames) -> tuple[list[Query], list[LeftOut]]:
    """The queries that can be asked of the fact base, and the lines that are none."""
    found: dict[str, Query] = {}
    left_out: list[LeftOut] = []

    def fault(query: Query) -> str | None:
        again = f"there is a query `{query.id}` already" if query.id in found else None
        return unfit_id(query.id) or again or names.fault(query)

    for path in paths:
        for line in read_lines(path, Query, fault):
            if isinstance(line, Query):
                found[line.id] = line
            else:
                left_out.append(line)
    return list(found.values()), left_out
