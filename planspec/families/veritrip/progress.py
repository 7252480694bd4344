"""How far the making of a suite's folder is: what was made before it was broken off is made but once."""

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
"""The file that marks a folder as generated, with its arguments."""
PROVED = ".proved"
"""The folder of what is proved, while the suite is not finished."""


@dataclass(slots=True)
class SuiteProgress:
    """The folder of a suite that is made.

    Attributes:
        out: the folder.
        others: the names of what others put there, which stays.
        asked: for what; what was made for something else is replaced.
        documents: the facts and documents were made before.
        kept: for people, what was there.
    """

    out: Path
    others: set[str]
    asked: Mapping[str, Any]
    documents: bool = False
    kept: tuple[str, ...] = ()

    @classmethod
    def begin(cls, out: Path, asked: Mapping[str, Any]) -> SuiteProgress:
        """Take away what was generated before for other arguments, broken off or not; keep what was broken off for these."""
        mark, there = out / MARK, files_of(out)
        before = _read(mark)
        if before.get("finished") is False and before.get("asked") == asked:
            made = cls(out, set(before.get("others", ())), asked, bool(before.get("documents")))
            made.kept = made._there()
            return made
        # of documents that were searched there is an index, which nobody listed
        indexes = {name for name in there if name.startswith("corpus/documents.sqlite")}
        if before.get("finished", True):
            ours = there & {*before.get("files", ()), *indexes}
        else:
            ours = there - set(before.get("others", ()))
        made = cls(out, there - ours, asked)
        made._mark()
        for name in ours:
            (out / name).unlink()
        return made

    def documents_done(self) -> None:
        """Note that the facts and documents are written."""
        self.documents = True
        self._mark()

    def proved(self, key: str) -> ProvedStream | None:
        """What was proved of a stream before."""
        path = self.out / PROVED / f"{key}.json"
        said = _read(path)
        if not said:
            return None
        return ProvedStream(
            tuple(Query.model_validate(query) for query in said["queries"]),
            tuple(
                NearMiss(Query.model_validate(miss["query"]), tuple(miss["mus"])) for miss in said["misses"]
            ),
            {self.out / name: text for name, text in said["texts"].items()},
        )

    def note(self, key: str, stream: ProvedStream) -> None:
        """Keep what was proved of a stream."""
        folder = self.out / PROVED
        folder.mkdir(exist_ok=True)
        said = {
            "queries": [query.model_dump(mode="json") for query in stream.queries],
            "misses": [{"query": m.query.model_dump(mode="json"), "mus": list(m.mus)} for m in stream.misses],
            "texts": {path.relative_to(self.out).as_posix(): text for path, text in stream.texts.items()},
        }
        replace_text(folder / f"{key}.json", json.dumps(said, ensure_ascii=False))

    def finish(self, said: Mapping[str, Any]) -> None:
        """Mark the folder as finished."""
        shutil.rmtree(self.out / PROVED, ignore_errors=True)
        files = sorted(files_of(self.out) - self.others)
        replace_text(self.out / MARK, json.dumps({**said, "finished": True, "files": files}, indent=2) + "\n")

    def _there(self) -> tuple[str, ...]:
        """What there is, for people."""
        streams = len(list((self.out / PROVED).glob("*.json")))
        pictures = len(list((self.out / "corpus" / "images").glob("*.jpg")))
        parts = (
            "facts and documents" if self.documents else "",
            f"{streams} groups of queries" if streams else "", f"{pictures} pictures" if pictures else "",
        )  # fmt: skip
        return tuple(part for part in parts if part)

    def _mark(self) -> None:
        said = {
            "finished": False, "asked": dict(self.asked), "documents": self.documents, "others": sorted(self.others),
        }  # fmt: skip
        replace_text(self.out / MARK, json.dumps(said) + "\n")


def files_of(out: Path) -> set[str]:
    """The files of a folder but the mark, as the folder names them."""
    paths = (path for path in out.rglob("*") if path.is_file() and path.name != MARK)
    return {path.relative_to(out).as_posix() for path in paths}


def _read(path: Path) -> dict[str, Any]:
    """The object of a JSON file; nothing where there is none."""
    try:
        said = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
