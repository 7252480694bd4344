"""Documents: opened once, found by path or id."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Sequence as Sequence_
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import translate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import DOCUMENT_BYTES, TABLE_BYTES
from planspec.dsl.resources.packages import folder_of
from planspec.dsl.resources.reading import open_regular, size
from planspec.dsl.workspace.document_keys import KINDS
from planspec.dsl.workspace.shards import (
    ENDINGS,
    Shard,
    entries_of,
    is_shard,
    read_shard,
    shard_of,
    task_place,
)
from planspec.dsl.yaml.source_files import read_source, source_from_text
from planspec.errors import DiagnosticError

if TYPE_CHECKING:
    from planspec.dsl.workspace.document import Document
    from planspec.dsl.yaml.reader import Scalar

FOLDERS = ("libraries", "worlds", "tasks")
ID = re.compile(r"^id:[ \t]*(?P<quote>[\"']?)(?P<id>[^\s#\"']+)(?P=quote)", re.MULTILINE)
KIND = re.compile(r"^\s*(?:#[^\n]*\n|\s)*planspec:[ \t]*(?P<kind>\w+)/1")
COPIES = "planspec-copies.json"
"""The file that marks a folder of copies, such as a run has of its tasks: they are no documents of the suite that it lies in."""
HEAD = 4096
"""The characters at a document's beginning in which its kind and its id are looked for."""
KEPT = 4
"""Shards, and tasks, that were opened last and are not read anew; all others are forgotten."""


@dataclass(slots=True, eq=False)
class Workspace:
    """Opens documents, each once, and finds them by id.

    Args:
        shipped: the folder of what ships with planspec.
        max_bytes: the greatest size of a document.
        keeps_rows: the rows of worlds stay as they were read, so that a task with a mistake, which is checked together with its
            world, takes no longer to check than to read.

    Attributes:
        checked: what was made of documents that others use, by those documents.
        answered: the files that were found for a kind and an id, asked for from a folder.
    """

    shipped: Path = field(default_factory=lambda: folder_of("planspec.tasks"))
    max_bytes: int = DOCUMENT_BYTES
    keeps_rows: bool = False
    checked: dict[Hashable, object] = field(default_factory=dict, repr=False)
    answered: dict[tuple[str, str, Path | None], list[Path]] = field(default_factory=dict, repr=False)
    _real: dict[Path, str] = field(default_factory=dict, repr=False)
    _documents: dict[str, tuple[Document | None, Report]] = field(default_factory=dict, repr=False)
    _indexes: dict[tuple[Path, bool], dict[tuple[str, str], list[Path]]] = field(
        default_factory=dict, repr=False
    )
    _reach: dict[Path | None, tuple[tuple[Path, bool], ...]] = field(default_factory=dict, repr=False)
    _shard_indexes: dict[tuple[Path, bool], dict[str, list[Path]]] = field(default_factory=dict, repr=False)
    _held: dict[str, Shard] = field(default_factory=dict, repr=False)
    _heads: dict[str, tuple[Path, tuple[str, str] | None]] = field(default_factory=dict, repr=False)
    _shards: dict[str, tuple[Shard | None, Report]] = field(default_factory=dict, repr=False)
    _tasks: dict[str, tuple[Document | None, Report]] = field(default_factory=dict, repr=False)

    def open(self, path: Path, report: Report) -> Document | None:
        """The document of a file, or of a task's path in a shard; every caller's report hears of its mistakes.

        Documents that others may use stay in the workspace. Of tasks, of which there may be any number, the last ones do.
        """
        path = path.absolute()
        file = self._real.get(path) or os.path.realpath(path)  # however it is named, a file is one document
        found = self._documents.get(file) or self._tasks.get(file)
        if found is None:
            inside = shard_of(path)
            own = Report()
            made = None
            with suppress(DiagnosticError):  # too many mistakes, which `own` has
                if inside is not None:
                    made = self._shard_task(*inside, own)
                elif is_shard(path):
                    self._refuse_shard(path, own)
                else:
                    source = read_source(path, shown(path), report=own, max_bytes=self.max_bytes)
                    made = self._keeping(_document(source, path, own)) if source is not None else None
            found = (made, own)
            is_task = inside is not None or (made is not None and made.kind == "task")
            (self._tasks if is_task else self._documents)[file] = found
            _forget(self._tasks)
            if not is_task:
                self._real[path] = file
        made, own = found
        _tell(own, report)
        return made

    def hold(self, path: Path, text: str) -> None:
        """Let a text stand for a file, whether the file is there or not."""
        file = os.path.realpath(path)
        self._forget_held(file)
        if is_shard(path):
            data = text.encode()
            self._held[file] = Shard(path.absolute(), data, entries_of(data))
            self._shard_indexes.clear()
            self.answered.clear()
            return
        own = Report()
        made = _document(source_from_text(text, shown(path)), path.absolute(), own)
        self._documents[file] = (self._keeping(made), own)
        self._set_head(file, path.absolute(), kind_and_id_of(source_from_text(text[:HEAD], "").text))

    def release(self, path: Path) -> None:
        """Let a file speak for itself again."""
        file = os.path.realpath(path)
        self._forget_held(file)
        if self._held.pop(file, None) is not None:
            self._shard_indexes.clear()
            self.answered.clear()
        elif (head := self._heads.pop(file, None)) is not None and head[1] != _named_on_disk(path):
            self._indexes.clear()
            self.answered.clear()

    def _keeping(self, made: Document | None) -> Document | None:
        if made is None or made.kind != "world" or not self.keeps_rows:
            return made
        return replace(made, rows={})

    def _is_held(self, path: Path) -> bool:
        try:
            return bool(self._heads) and os.path.realpath(path) in self._heads
        except ValueError:  # no path at all
            return False

    def _forget_held(self, file: str) -> None:
        """Forget a document and what was made of it and others."""
        gone, _ = self._documents.pop(file, (None, None))
        self._tasks.pop(file, None)
        if gone is not None:
            for key in [key for key in self.checked if isinstance(key, tuple) and gone in key]:
                del self.checked[key]

    def _set_head(self, file: str, path: Path, named: tuple[str, str] | None) -> None:
        """Know by which kind and id a held text is found."""
        before = self._heads.get(file)
        self._heads[file] = (path, named)
        if named != (_named_on_disk(path) if before is None else before[1]):
            self._indexes.clear()
            self.answered.clear()

    def names_in(self, shard: Path, report: Report) -> tuple[str, ...] | None:
        """The names of a shard's tasks in order, or None after a report of why it cannot be read."""
        found = self._shard(shard, report)
        return None if found is None else tuple(found.entries)

    def _shard(self, path: Path, report: Report) -> Shard | None:
        file = os.path.realpath(path)
        if file in self._held:
            return self._held[file]
        if file not in self._shards:
            own = Report()
            self._shards[file] = (read_shard(path.absolute(), shown(path), own), own)
            _forget(self._shards)
        made, own = self._shards[file]
        _tell(own, report)
        return made

    def _shard_task(self, path: Path, name: str, report: Report) -> Document | None:
        """A task of a shard, or None after a report."""
        shard = self._shard(path, report)
        source = shard.source(name, shown(path), report) if shard is not None else None
        if shard is None or source is None:
            return None
        if len(source.text) > self.max_bytes:
            span = Span(source, 0, 0)
            report.error(
                "PS005", "a task is too large", span, f"begins here: more than {size(self.max_bytes)}"
            )
            return None
        made = _document(source, task_place(path, name), report)
        if made is None or not made.id or made.id == name:
            return self._task_alone(made, report)
        at = made.sections["id"].span
        first = shard.source(made.id, shown(path), Report()) if made.id in shard.entries else None
        other = _document(first, None, Report()) if first is not None else None
        if other is not None and other.id == made.id:
            report.error(
                "PS602", f"two tasks of the shard are `{made.id}`", at, "again here",
                secondary=[Label(other.sections["id"].span, "first here")], help="give one of them another id",
            )  # fmt: skip
        else:
            report.error(
                "PS011", "a task of a shard is found by its line `id: ...`", at, "not on a line of its own",
                help=f"write `id: {made.id}` at the beginning of a line",
            )  # fmt: skip
        return None

    @staticmethod
    def _task_alone(made: Document | None, report: Report) -> Document | None:
        if made is None or made.kind == "task":
            return made
        span = made.root.entries[0][1].span
        report.error(
            "PS017", f"a shard holds tasks, not a {made.kind}", span, "its kind", help="make it a file"
        )
        return None

    def _refuse_shard(self, path: Path, report: Report) -> None:
        """Report that a shard stands where one document is asked for."""
        shard = self._shard(path, report)
        if shard is not None:
            first = f"{path.name}#{next(iter(shard.entries))}"
            report.error(
                "PS017", "a shard holds many tasks, and one document is needed here", Span(Source(shown(path), ""), 0, 0),
                "a shard", help=f"name one of its tasks, as in `{first}`",
            )  # fmt: skip

    def find(self, kind: str, id_: str, start: Path | None = None) -> list[Path]:
        """Files of that kind and id: all that the nearest place has.

        Args:
            kind: library, world, task or suite.
            id_: the document's id.
            start: the folder of the asking file, None to ask only what ships.
        """
        asked = (kind, id_, start)
        if asked not in self.answered:
            found = (self._found(kind, id_, place, deep) for place, deep in self._places(start))
            self.answered[asked] = next(filter(None, found), [])
        return self.answered[asked]

    def below(self, kind: str, id_: str, folder: Path) -> list[Path]:
        """Files of that kind and id in a folder or under it."""
        return self._found(kind, id_, folder.absolute(), True)

    def ids(self, kind: str, start: Path | None = None) -> list[str]:
        """Every id of that kind in reach."""
        places = self._places(start)
        found = {i: None for p, deep in places for (k, i) in self._index(p, deep) if k == kind}
        if kind == "task":
            found |= {i: None for p, deep in places for i in self._shard_index(p, deep)}
        return list(found)

    def resolve(self, name: Scalar, kind: str, asking: Document, report: Report) -> Document | None:
        """The document that `name` (a relative path or an id) means in `asking`."""
        text, span = name.text, name.span
        folder = asking.path.parent if asking.path else None
        if text.endswith((".yaml", ".yml")) or "/" in text:
            path = (folder or Path()) / text
            if not is_file(path) and not self._is_held(path):
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

    def _places(self, start: Path | None) -> tuple[tuple[Path, bool], ...]:
        """The folders in which a document that stands in `start` is looked for, and whether below them, too."""
        if start not in self._reach:
            self._reach[start] = tuple(self._reached(start))
        return self._reach[start]

    def _reached(self, start: Path | None) -> Iterator[tuple[Path, bool]]:
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

    def _found(self, kind: str, id_: str, place: Path, deep: bool) -> list[Path]:
        found = self._index(place, deep).get((kind, id_), [])
        if kind != "task":
            return found
        return [*found, *(task_place(shard, id_) for shard in self._shard_index(place, deep).get(id_, ()))]

    def _shard_index(self, place: Path, deep: bool) -> dict[str, list[Path]]:
        """The shards that have a task of an id, by the id; they are read only where a task is looked for."""
        if (place, deep) not in self._shard_indexes:
            index: dict[str, list[Path]] = {}
            for path in _files(place, [f"*{ending}" for ending in ENDINGS], deep):
                for name in self.names_in(path, Report()) or ():
                    index.setdefault(name, []).append(path)
            self._shard_indexes[place, deep] = index
        return self._shard_indexes[place, deep]

    def _index(self, place: Path, deep: bool) -> dict[tuple[str, str], list[Path]]:
        if (place, deep) not in self._indexes:
            index: dict[tuple[str, str], list[Path]] = {}
            files = _files(place, ["*.yaml"], deep)
            known = {os.path.realpath(path) for path in files} if self._heads else set()
            for file, (path, _) in self._heads.items():
                within = place in path.parents if deep else path.parent == place
                if file not in known and within:
                    files.append(path)  # it is held, and not there
            for path in files:
                if is_shard(path):
                    continue
                held = self._heads.get(os.path.realpath(path)) if self._heads else None
                named = kind_and_id(path) if held is None else held[1]
                if named is not None:
                    index.setdefault(named, []).append(path)
            self._indexes[place, deep] = index
        return self._indexes[place, deep]


def _document(source: Source, path: Path | None, report: Report) -> Document | None:
    # YAML is slow to load, and to find a file takes none.
    from planspec.dsl.workspace.document import document

    return document(source, path, report)


def _files(place: Path, patterns: Iterable[str], deep: bool) -> list[Path]:
    """The files of a folder, or also those below it, in order; a folder that cannot be read has none for us."""
    if deep:
        return files_below(place, patterns)
    try:
        return sorted(path for pattern in patterns for path in place.glob(pattern))
    except OSError:
        return []


def files_below(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """The files in a folder and below it whose names fit a pattern, in order.

    What lies in a folder that holds copies (`COPIES`) is left out, unless it is the folder itself.
    """
    fits = re.compile("|".join(translate(pattern) for pattern in patterns)).match
    found: list[Path] = []
    for here, inside, names in os.walk(folder):
        if COPIES in names and Path(here) != folder:
            inside.clear()
            continue
        found += (Path(here, name) for name in names if fits(name))
    return sorted(found)


def _tell(own: Report, report: Report) -> None:
    for diagnostic in own.diagnostics:
        report.add(diagnostic)


def _forget(kept: dict[str, Any]) -> None:
    """Drop all but the last entries."""
    while len(kept) > KEPT:
        del kept[next(iter(kept))]


def kind_and_id(path: Path) -> tuple[str, str] | None:
    """The kind and the id of a document as its first lines say them, without reading it as YAML; None where they do not."""
    return kind_and_id_of(_head(path))


def _named_on_disk(path: Path) -> tuple[str, str] | None:
    return kind_and_id(path) if is_file(path) else None


def kind_and_id_of(head: str) -> tuple[str, str] | None:
    """The kind and the id that a document's first lines say; None where they do not."""
    kind, id_ = KIND.match(head), ID.search(head)
    return (kind["kind"], id_["id"]) if kind and id_ else None


def _head(path: Path) -> str:
    """A file's first characters; empty if it cannot be read (opening it will say why)."""
    try:
        with open_regular(path, TABLE_BYTES) as file:
            return file.read(HEAD).decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
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
