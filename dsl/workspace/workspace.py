"""Documents: opened once, found by path or id."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from collections.abc import Sequence as Sequence_
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import DOCUMENT_BYTES, TABLE_BYTES
from planspec.dsl.resources.reading import open_regular
from planspec.dsl.workspace.document import Document, document
from planspec.dsl.workspace.document_keys import KINDS
from planspec.dsl.workspace.table_cache import TableCache
from planspec.dsl.yaml.reader import Scalar, read_source, source_from_text
from planspec.errors import DiagnosticError

FOLDERS = ("libraries", "worlds", "tasks")
ID = re.compile(r"^id:[ \t]*(?P<quote>[\"']?)(?P<id>[^\s#\"']+)(?P=quote)", re.MULTILINE)
KIND = re.compile(r"^\s*(?:#[^\n]*\n|\s)*planspec:[ \t]*(?P<kind>\w+)/1")


@dataclass(slots=True, eq=False)
class Workspace:
    """Opens documents, each once, and finds them by id.

    Args:
        shipped: the folder of what ships with planspec.
        max_bytes: the greatest size of a document.

    Attributes:
        shelf: the tables that its worlds have brought so far.
    """

    shipped: Path = field(default_factory=lambda: Path(str(files("planspec.tasks"))))
    max_bytes: int = DOCUMENT_BYTES
    shelf: TableCache = field(default_factory=TableCache, repr=False)
    _documents: dict[str, tuple[Document | None, Report]] = field(default_factory=dict, repr=False)
    _indexes: dict[tuple[Path, bool], dict[tuple[str, str], list[Path]]] = field(
        default_factory=dict, repr=False
    )

    def open(self, path: Path, report: Report) -> Document | None:
        """The document of a file; every caller's report hears of its mistakes."""
        path = path.absolute()
        file = os.path.realpath(path)  # however it is named, a file is one document
        if file not in self._documents:
            own = Report()
            source = read_source(path, shown(path), report=own, max_bytes=self.max_bytes)
            opened = None
            with suppress(DiagnosticError):  # too many mistakes, which `own` has
                opened = document(source, path, own) if source is not None else None
            self._documents[file] = (opened, own)
        made, own = self._documents[file]
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
        return made

    def hold(self, path: Path, text: str) -> None:
        """Let a text stand for a file, whether the file is there or not."""
        own = Report()
        made = document(source_from_text(text, shown(path)), path.absolute(), own)
        self._documents[os.path.realpath(path)] = (made, own)

    def find(self, kind: str, id_: str, start: Path | None = None) -> list[Path]:
        """Files of that kind and id: all that the nearest place has.

        Args:
            kind: library, world, task or suite.
            id_: the document's id.
            start: the folder of the asking file, None to ask only what ships.
        """
        for place, deep in self._places(start):
            found = self._index(place, deep).get((kind, id_), [])
            if found:
                return found
        return []

    def below(self, kind: str, id_: str, folder: Path) -> list[Path]:
        """Files of that kind and id in a folder or under it."""
        return self._index(folder.absolute(), True).get((kind, id_), [])

    def ids(self, kind: str, start: Path | None = None) -> list[str]:
        """Every id of that kind in reach."""
        found = {i: None for p, deep in self._places(start) for (k, i) in self._index(p, deep) if k == kind}
        return list(found)

    def resolve(self, name: Scalar, kind: str, asking: Document, report: Report) -> Document | None:
        """The document that `name` (a relative path or an id) means in `asking`."""
        text, span = name.text, name.span
        folder = asking.path.parent if asking.path else None
        if text.endswith((".yaml", ".yml")) or "/" in text:
            path = (folder or Path()) / text
            if not is_file(path):
                report.error(
                    "PS012",
                    f"there is no file `{text[:80]}`",
                    span,
                    f"looked for beside {asking.source.name}",
                )
                return None
            found = [path]
        else:
            found = self.find(kind, text, folder)
        if not found:
            other = next((k for k in KINDS if self.find(k, text, folder)), None)
            if other:
                report.error(
                    "PS017", f"`{text}` is a {other}, not a {kind}", span, f"a {kind} is needed here"
                )
            else:
                report.error(
                    "PS012", f"there is no {kind} `{text}`", span, "neither beside the file, nor above it, nor among what ships",
                    help=did_you_mean(text, self.ids(kind, folder)),
                )  # fmt: skip
            return None
        if len(found) > 1:
            report.error(
                "PS013", f"several files are the {kind} `{text}`", span, several(found),
                help="name it by its path, or give one of them another id",
            )  # fmt: skip
            return None
        made = self.open(found[0], report)
        if made is not None and made.kind != kind:
            report.error(
                "PS017", f"`{text}` is a {made.kind}, not a {kind}", span, f"a {kind} is needed here",
                secondary=[Label(made.root.entries[0][1].span, "its kind")],
            )  # fmt: skip
            return None
        return made

    def _places(self, start: Path | None) -> Iterator[tuple[Path, bool]]:
        if start is not None:
            start = start.absolute()
            yield start, False
            for folder in (start, *start.parents):
                for name in FOLDERS:
                    if (folder / name).is_dir():
                        yield folder / name, True
                if any(folder.glob("*suite.yaml")) or (folder / ".git").exists():
                    break
        yield self.shipped, True

    def _index(self, place: Path, deep: bool) -> dict[tuple[str, str], list[Path]]:
        if (place, deep) not in self._indexes:
            index: dict[tuple[str, str], list[Path]] = {}
            try:
                paths = sorted(place.rglob("*.yaml") if deep else place.glob("*.yaml"))
            except OSError:
                paths = []  # a folder that cannot be read has no documents for us
            for path in paths:
                head = _head(path)
                kind, id_ = KIND.match(head), ID.search(head)
                if kind and id_:
                    index.setdefault((kind["kind"], id_["id"]), []).append(path)
            self._indexes[place, deep] = index
        return self._indexes[place, deep]


def _head(path: Path) -> str:
    """A file's first characters; empty if it cannot be read (opening it will say why)."""
    try:
        with open_regular(path, TABLE_BYTES) as file:
            return file.read(4096).decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    except OSError:
        return ""


def shown(path: Path) -> str:
    """The path as diagnostics print it: relative to where we are, if it (or what it links to) lies below."""
    here = Path.cwd()
    for form in (path.resolve(), path.absolute()):
        if form.is_relative_to(here):
            return form.relative_to(here).as_posix()
    return path.as_posix()


def several(paths: Sequence_[Path]) -> str:
    """The first three of some files, and how many others there are."""
    named = ", ".join(shown(path) for path in paths[:3])
    return named if len(paths) <= 3 else f"{named} and {len(paths) - 3} others"


def is_file(path: Path) -> bool:
    """The path names a file; no path that cannot be asked for does."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """The path names a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
