"""Stored progress of generating a suite, from which an interrupted run continues."""

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
"""File that marks a folder as generated and records the generator's arguments."""
PROVED = ".proved"
"""Folder with the results of finished streams (lists of queries proved feasible) of an unfinished suite."""


@dataclass(slots=True)
class SuiteProgress:
    """Progress of a suite that is being generated.

    Attributes:
        out: folder of the suite.
        foreign_files: paths of files that the generator did not write. They are never removed.
        arguments: arguments of the generator. Files generated with other arguments are replaced.
        has_documents: whether the facts and documents have been written.
        reused_results: descriptions of the results that are reused from an interrupted run.
    """

    out: Path
    foreign_files: set[str]
    arguments: Mapping[str, Any]
    has_documents: bool = False
    reused_results: tuple[str, ...] = ()

    @classmethod
    def begin(cls, out: Path, arguments: Mapping[str, Any]) -> SuiteProgress:
        """Continue an interrupted run with the same arguments.

        Otherwise remove the results of earlier runs.
        """
        mark, present = out / MARK, file_names(out)
        before = _read_object(mark)
        if before.get("finished") is False and before.get("asked") == arguments:
            progress = cls(out, set(before.get("others", ())), arguments, bool(before.get("documents")))
            progress.reused_results = progress._describe_existing_results()
            return progress
        # Searching the documents creates an index, which `generated.json` does not list.
        indexes = {name for name in present if name.startswith("corpus/documents.sqlite")}
        if before.get("finished", True):
            generated_files = present & {*before.get("files", ()), *indexes}
        else:
            generated_files = present - set(before.get("others", ()))
        progress = cls(out, present - generated_files, arguments)
        progress._write_mark()
        for name in generated_files:
            (out / name).unlink()
        return progress

    def record_documents(self) -> None:
        """Record that the facts and documents are written."""
        self.has_documents = True
        self._write_mark()

    def load_stream(self, key: str) -> ProvedStream | None:
        """Return the stored results of a stream of queries, or None if no earlier run has finished the stream."""
        path = self.out / PROVED / f"{key}.json"
        record = _read_object(path)
        if not record:
            return None
        return ProvedStream(
            tuple(Query.model_validate(query) for query in record["queries"]),
            tuple(NearMiss(Query.model_validate(miss["query"]), tuple(miss["mus"])) for miss in record["misses"]),
            {self.out / name: text for name, text in record["texts"].items()},
        )

    def save_stream(self, key: str, stream: ProvedStream) -> None:
        """Store the results of a finished stream of queries."""
        folder = self.out / PROVED
        folder.mkdir(exist_ok=True)
        record = {
            "queries": [query.model_dump(mode="json") for query in stream.queries],
            "misses": [{"query": m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in stream.misses],
            "texts": {path.relative_to(self.out).as_posix(): text for path, text in stream.texts.items()},
        }
        replace_text(folder / f"{key}.json", json.dumps(record, ensure_ascii=False))

    def finish(self, record: Mapping[str, Any]) -> None:
        """Mark the suite as finished by a file that records its arguments and files."""
        shutil.rmtree(self.out / PROVED, ignore_errors=True)
        files = sorted(file_names(self.out) - self.foreign_files)
        replace_text(self.out / MARK, json.dumps({**record, "finished": True, "files": files}, indent=2) + "\n")

    def _describe_existing_results(self) -> tuple[str, ...]:
        """Return phrases that describe the results of the interrupted run."""
        streams = len(list((self.out / PROVED).glob("*.json")))
        pictures = len(list((self.out / "corpus" / "images").glob("*.jpg")))
        parts = (
            "facts and documents" if self.has_documents else "",
            f"{streams} groups of queries" if streams else "",
            f"{pictures} pictures" if pictures else "",
        )
        return tuple(part for part in parts if part)

    def _write_mark(self) -> None:
        record = {
            "finished": False,
            "asked": dict(self.arguments),
            "documents": self.has_documents,
            "others": sorted(self.foreign_files),
        }
        replace_text(self.out / MARK, json.dumps(record) + "\n")


def file_names(out: Path) -> set[str]:
    """Return the relative paths of the files in a folder, except `generated.json`."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != MARK)
    return {path.relative_to(out).as_posix() for path in paths}


def _read_object(path: Path) -> dict[str, Any]:
    """Read the object in a JSON file. Return an empty dict if the file is missing or holds no object."""
    try:
        record = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
