"""Progress of a suite's generation, so that an interrupted run is continued and no work is done twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planspec.families.veritrip.proving import NearMiss
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.query_streams import ProvedStream
from planspec.files import replace_text

MARK = "generated.json"
"""File that marks a folder as generated and holds the arguments."""
PROVED = ".proved"
"""Folder of the proved streams of an unfinished suite."""


@dataclass(slots=True)
class SuiteProgress:
    """Folder of a suite that is being generated.

    Attributes:
        out: folder.
        others: names of the user's own files, which stay.
        arguments: arguments of the generator; files made for other arguments are replaced.
        documents: whether the facts and documents are already written.
        existing: results of an earlier run, for readers.
    """

    out: Path
    others: set[str]
    arguments: Mapping[str, Any]
    documents: bool = False
    existing: tuple[str, ...] = ()

    @classmethod
    def begin(cls, out: Path, arguments: Mapping[str, Any]) -> SuiteProgress:
        """Remove the results of earlier runs, except those of an interrupted run with the same arguments."""
        mark, present = out / MARK, files_of(out)
        before = _read(mark)
        if before.get("finished") is False and before.get("asked") == arguments:
            progress = cls(out, set(before.get("others", ())), arguments, bool(before.get("documents")))
            progress.existing = progress._existing_results()
            return progress
        # documents that were searched have an index, which is not listed in the mark
        indexes = {name for name in present if name.startswith("corpus/documents.sqlite")}
        if before.get("finished", True):
            ours = present & {*before.get("files", ()), *indexes}
        else:
            ours = present - set(before.get("others", ()))
        progress = cls(out, present - ours, arguments)
        progress._mark()
        for name in ours:
            (out / name).unlink()
        return progress

    def documents_done(self) -> None:
        """Record that the facts and documents are written."""
        self.documents = True
        self._mark()

    def proved(self, key: str) -> ProvedStream | None:
        """Return what an earlier run proved for a stream, or None."""
        path = self.out / PROVED / f"{key}.json"
        record = _read(path)
        if not record:
            return None
        return ProvedStream(
            tuple(Query.model_validate(query) for query in record["queries"]),
            tuple(
                NearMiss(Query.model_validate(miss["query"]), tuple(miss["mus"])) for miss in record["misses"]
            ),
            {self.out / name: text for name, text in record["texts"].items()},
        )

    def note(self, key: str, stream: ProvedStream) -> None:
        """Store what was proved for a stream."""
        folder = self.out / PROVED
        folder.mkdir(exist_ok=True)
        record = {
            "queries": [query.model_dump(mode="json") for query in stream.queries],
            "misses": [{"query": m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in stream.misses],
            "texts": {path.relative_to(self.out).as_posix(): text for path, text in stream.texts.items()},
        }
        replace_text(folder / f"{key}.json", json.dumps(record, ensure_ascii=False))

    def finish(self, record: Mapping[str, Any]) -> None:
        """Mark the folder as finished."""
        shutil.rmtree(self.out / PROVED, ignore_errors=True)
        files = sorted(files_of(self.out) - self.others)
        replace_text(
            self.out / MARK, json.dumps({**record, "finished": True, "files": files}, indent=2) + "\n"
        )

    def _existing_results(self) -> tuple[str, ...]:
        """Describe the existing results for readers."""
        streams = len(list((self.out / PROVED).glob("*.json")))
        pictures = len(list((self.out / "corpus" / "images").glob("*.jpg")))
        parts = (
            "facts and documents" if self.documents else "",
            f"{streams} groups of queries" if streams else "", f"{pictures} pictures" if pictures else "",
        )  # fmt: skip
        return tuple(part for part in parts if part)

    def _mark(self) -> None:
        record = {
            "finished": False, "asked": dict(self.arguments), "documents": self.documents, "others": sorted(self.others),
        }  # fmt: skip
        replace_text(self.out / MARK, json.dumps(record) + "\n")


def files_of(out: Path) -> set[str]:
    """Return the paths of the files of a folder, relative to it and without the mark."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != MARK)
    return {path.relative_to(out).as_posix() for path in paths}


def _read(path: Path) -> dict[str, Any]:
    """Return the object of a JSON file, empty if there is none."""
    try:
        record = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
