"""Workspaces: documents opened once and found by path or id."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import translate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import DOCUMENT_BYTES, TABLE_BYTES
from planspec.dsl.resources.packages import folder_of
from planspec.dsl.resources.paths import is_file, paths_text, shown_path
from planspec.dsl.resources.reading import open_regular, size_text
from planspec.dsl.structure.document_keys import KINDS
from planspec.dsl.workspace.shards import (
    BASE,
    ENDINGS,
    JSON_ENDINGS,
    Shard,
    documents_by_name,
    is_shard,
    read_shard,
    split_task_path,
    task_path,
)
from planspec.dsl.yaml.source_files import read_source, source_from_text

if TYPE_CHECKING:
    from planspec.dsl.structure.document import Document
    from planspec.dsl.workspace.json_shards import JsonShard
    from planspec.dsl.workspace.task_tables import SuiteTables
    from planspec.dsl.yaml.reader import Scalar

FOLDERS = ("libraries", "worlds", "tasks")
ID = re.compile(r"^id:[ \t]*(?P<mark>[\"'])?(?P<id>(?(mark)[^\"'\n]+|[^\s#\"']+))(?(mark)(?P=mark))", re.MULTILINE)
KIND = re.compile(r"^\s*(?:#[^\n]*\n|\s)*planspec:[ \t]*(?P<kind>\w+)/1")
COPIES = "planspec-copies.json"
"""The file that marks a folder of copied tasks, such as those of a run. Suites above the folder ignore its tasks."""
HEAD_CHARACTERS = 4096
"""The number of leading characters of a document in which its kind and id are searched."""
MAX_CACHED_FILES = 4
"""The maximum number of cached shards, and also of cached tasks. The oldest are dropped."""


@dataclass(slots=True, eq=False)
class Workspace:
    """Opens documents, each once, and finds them by id.

    Args:
        shipped: folder of the documents that ship with planspec.
        max_bytes: maximum size of a document.
        keeps_rows: whether to cache the rows of worlds. This saves time if several tasks have mistakes, since each such
            task is checked together with its world, which reads the world's rows again.

    Attributes:
        checked: cached check results of shared documents, keyed by tuples that contain the shared documents.
        matches: cache of files by kind, id and the folder where the search starts.
    """

    shipped: Path = field(default_factory=lambda: folder_of("planspec.tasks"))
    max_bytes: int = DOCUMENT_BYTES
    keeps_rows: bool = False
    checked: dict[Hashable, object] = field(default_factory=dict, repr=False)
    matches: dict[tuple[str, str, Path | None], list[Path]] = field(default_factory=dict, repr=False)
    _real: dict[Path, str] = field(default_factory=dict, repr=False)
    _documents: dict[str, tuple[Document | None, Report]] = field(default_factory=dict, repr=False)
    _indexes: dict[tuple[Path, bool], dict[tuple[str, str], list[Path]]] = field(default_factory=dict, repr=False)
    _reach: dict[Path | None, tuple[tuple[Path, bool], ...]] = field(default_factory=dict, repr=False)
    _shard_indexes: dict[tuple[Path, bool], dict[str, list[Path]]] = field(default_factory=dict, repr=False)
    _held: dict[str, Shard] = field(default_factory=dict, repr=False)
    _heads: dict[str, tuple[Path, tuple[str, str] | None]] = field(default_factory=dict, repr=False)
    _tables: dict[str, tuple[SuiteTables | None, Report]] = field(default_factory=dict, repr=False)
    _shards: dict[str, tuple[Shard | JsonShard | None, Report]] = field(default_factory=dict, repr=False)
    _tasks: dict[str, tuple[Document | None, Report]] = field(default_factory=dict, repr=False)

    def open(self, path: Path, report: Report) -> Document | None:
        """Return the document of a file or of a task in a shard; report its mistakes to every caller.

        Libraries and worlds stay in the workspace. Only the last few tasks do, because there may be many.
        """
        path = path.absolute()
        inside = split_task_path(path)
        file = self._real.get(path) or self._real_path(path, inside)
        cached = self._documents.get(file) or self._tasks.get(file)
        if cached is None:
            own = Report()
            document = None
            with suppress(DiagnosticError):  # too many mistakes, recorded in `own`
                if inside is not None and is_shard(inside[0]):
                    document = self._shard_task(*inside, own)
                elif inside is not None:
                    document = self._table_task(*inside, own)
                elif is_shard(path):
                    self._refuse_shard(path, own)
                elif path.name.endswith(BASE):
                    label = (
                        "it has what the tasks of a suite's table share: name the suite, with `#` and the id of a task"
                    )
                    nowhere = Span(Source(shown_path(path), ""), 0, 0)
                    own.error("PS017", f"`{shown_path(path)}` is the base of tasks, and no task", nowhere, label)
                else:
                    source = read_source(path, shown_path(path), report=own, max_bytes=self.max_bytes)
                    document = self._with_row_cache(_document(source, path, own)) if source is not None else None
            cached = (document, own)
            is_task = inside is not None or (document is not None and document.kind == "task")
            (self._tasks if is_task else self._documents)[file] = cached
            _trim_cache(self._tasks)
            if not is_task:
                self._real[path] = file
        document, own = cached
        _forward_reports(own, report)
        return document

    def _real_path(self, path: Path, inside: tuple[Path, str] | None) -> str:
        """Return the path with links resolved, since a file is one document under all its names.

        Args:
            path: absolute path.
            inside: file and name of the task if the path is of a task in a shard or suite; otherwise None.
        """
        if inside is None:
            return os.path.realpath(path)
        file, name = inside
        return f"{self._real.get(file) or os.path.realpath(file)}#{name}"

    def hold(self, path: Path, text: str) -> None:
        """Use `text` as the content of a file, such as an editor's unsaved text. The file need not exist."""
        file = os.path.realpath(path)
        self._drop_held(file)
        if is_shard(path):
            data = text.encode()
            self._held[file] = Shard(path.absolute(), data, documents_by_name(data))
            self._shard_indexes.clear()
            self.matches.clear()
            return
        own = Report()
        document = _document(source_from_text(text, shown_path(path)), path.absolute(), own)
        self._documents[file] = (self._with_row_cache(document), own)
        self._set_head(file, path.absolute(), kind_and_id_of(source_from_text(text[:HEAD_CHARACTERS], "").text))

    def release(self, path: Path) -> None:
        """Undo `hold`: use the file's own content again."""
        file = os.path.realpath(path)
        self._drop_held(file)
        if self._held.pop(file, None) is not None:
            self._shard_indexes.clear()
            self.matches.clear()
        elif (head := self._heads.pop(file, None)) is not None and head[1] != _kind_and_id_on_disk(path):
            self._indexes.clear()
            self.matches.clear()

    def _with_row_cache(self, document: Document | None) -> Document | None:
        if document is None or document.kind != "world" or not self.keeps_rows:
            return document
        return replace(document, rows={})

    def _is_held(self, path: Path) -> bool:
        try:
            return bool(self._heads) and os.path.realpath(path) in self._heads
        except ValueError:  # not a valid path
            return False

    def _drop_held(self, file: str) -> None:
        """Forget the document that was parsed from a text set by `hold`, and all cached results about it."""
        document, _ = self._documents.pop(file, (None, None))
        self._tasks.pop(file, None)
        self._tables.pop(file, None)
        if document is not None:
            for key in [key for key in self.checked if isinstance(key, tuple) and document in key]:
                del self.checked[key]

    def _set_head(self, file: str, path: Path, head: tuple[str, str] | None) -> None:
        """Record the kind and id under which a text from `hold` can be found."""
        before = self._heads.get(file)
        self._heads[file] = (path, head)
        if head != (_kind_and_id_on_disk(path) if before is None else before[1]):
            self._indexes.clear()
            self.matches.clear()

    def id_of(self, path: Path) -> str | None:
        """Return the id in the first lines of a document; None if it has none or is not a regular file."""
        head = self._heads.get(os.path.realpath(path)) if self._heads else None
        found = head[1] if head is not None else kind_and_id(path) if is_file(path) else None
        return None if found is None else found[1]

    def names_in(self, shard: Path, report: Report) -> tuple[str, ...] | None:
        """Return the names of the tasks of a shard, or of a suite's tables, in order; None if reading failed."""
        if not is_shard(shard):
            tables = self.tables_in(shard, report)
            return None if tables is None else tuple(tables.places)
        shard_ = self._shard(shard, report)
        return None if shard_ is None else tuple(shard_.entries)

    def has_task(self, file: Path, name: str) -> bool | None:
        """Return whether a shard or a suite's tables contain a task of this name; None if the file is unreadable."""
        if is_shard(file):
            shard = self._shard(file, Report())
            return None if shard is None else name in shard.entries
        tables = self.tables_in(file, Report())
        return None if tables is None else name in tables.places

    def tables_in(self, suite: Path, report: Report) -> SuiteTables | None:
        """Return the tables of tasks of a suite's file; None if it cannot be read.

        Args:
            suite: file of the suite.
            report: receives the mistakes of the tables and of their records.
        """
        file = self._real.get(suite) or os.path.realpath(suite)
        if file not in self._tables:
            own = Report()
            with suppress(DiagnosticError):
                document = self.open(suite, Report())
                if document is not None and document.kind == "suite":
                    # Imported here because few suites have tables.
                    from planspec.dsl.workspace.task_tables import read_tables

                    self._tables[file] = (read_tables(document, own), own)
            if file not in self._tables:
                self._tables[file] = (None, own)
            _trim_cache(self._tables)
        tables, own = self._tables[file]
        _forward_reports(own, report)
        return tables

    def _table_task(self, suite: Path, name: str, report: Report) -> Document | None:
        """Return a task of a suite's tables, or None if a mistake was reported."""
        tables = self.tables_in(suite, Report())
        if tables is None:
            shown = shown_path(suite)
            report.error("PS012", f"`{shown}` is no suite with a task `{name}`", Span(Source(shown, ""), 0, 0), "none")
        return None if tables is None else tables.task(name, report)

    def _shard(self, path: Path, report: Report) -> Shard | JsonShard | None:
        file = os.path.realpath(path)
        if file in self._held:
            return self._held[file]
        if file not in self._shards:
            own = Report()
            self._shards[file] = (_read_shard(path.absolute(), own), own)
            _trim_cache(self._shards)
        shard, own = self._shards[file]
        _forward_reports(own, report)
        return shard

    def _shard_task(self, path: Path, name: str, report: Report) -> Document | None:
        """Return a task of a shard, or None if a mistake was reported."""
        shard = self._shard(path, report)
        if shard is not None and not isinstance(shard, Shard):
            return self._task_alone(shard.task(name, report), report)
        source = shard.source(name, shown_path(path), report) if shard is not None else None
        if shard is None or source is None:
            return None
        if len(source.text) > self.max_bytes:
            span = Span(source, 0, 0)
            report.error("PS005", "a task is too large", span, f"begins here: more than {size_text(self.max_bytes)}")
            return None
        document = _document(source, task_path(path, name), report)
        if document is None or not document.id or document.id == name:
            return self._task_alone(document, report)
        at = document.sections["id"].span
        first = shard.source(document.id, shown_path(path), Report()) if document.id in shard.entries else None
        other = _document(first, None, Report()) if first is not None else None
        if other is not None and other.id == document.id:
            report.error(
                "PS602",
                f"two tasks of the shard are `{document.id}`",
                at,
                "again here",
                secondary=[Label(other.sections["id"].span, "first here")],
                help="give one of them another id",
            )
        else:
            report.error(
                "PS011",
                "a task of a shard is found by its line `id: ...`",
                at,
                "not on a line of its own",
                help=f"write `id: {document.id}` at the beginning of a line",
            )
        return None

    @staticmethod
    def _task_alone(document: Document | None, report: Report) -> Document | None:
        if document is None or document.kind == "task":
            return document
        span = document.root.entries[0][1].span
        report.error("PS017", f"a shard holds tasks, not a {document.kind}", span, "its kind", help="make it a file")
        return None

    def _refuse_shard(self, path: Path, report: Report) -> None:
        """Report a shard where one document is required."""
        shard = self._shard(path, report)
        if shard is not None:
            first = f"{path.name}#{next(iter(shard.entries))}"
            report.error(
                "PS017",
                "a shard holds many tasks, and one document is needed here",
                Span(Source(shown_path(path), ""), 0, 0),
                "a shard",
                help=f"name one of its tasks, as in `{first}`",
            )

    def find(self, kind: str, id_: str, start: Path | None = None) -> list[Path]:
        """Return the files of documents with a kind and an id, from the nearest folder that has any.

        Args:
            kind: library, world, task or suite.
            id_: the document's id.
            start: folder where the search starts; None for shipped documents only.
        """
        query = (kind, id_, start)
        if query not in self.matches:
            matches = (self._matches(kind, id_, folder, recursive) for folder, recursive in self._places(start))
            self.matches[query] = next(filter(None, matches), [])
        return self.matches[query]

    def below(self, kind: str, id_: str, folder: Path) -> list[Path]:
        """Return the files of documents with a kind and an id in a folder and its subfolders."""
        return self._matches(kind, id_, folder.absolute(), True)

    def ids(self, kind: str, start: Path | None = None) -> list[str]:
        """Return the ids of all documents of a kind that can be found from a folder."""
        places = self._places(start)
        reachable = {i: None for p, recursive in places for (k, i) in self._index(p, recursive) if k == kind}
        if kind == "task":
            reachable |= {i: None for p, recursive in places for i in self._shard_index(p, recursive)}
        return list(reachable)

    def resolve(self, name: Scalar, kind: str, referrer: Document, report: Report) -> Document | None:
        """Return the document to which `name` (a relative path or an id) refers in `referrer`."""
        text, span = name.text, name.span
        folder = referrer.path.parent if referrer.path else None
        if text.endswith((".yaml", ".yml")) or "/" in text:
            path = (folder or Path()) / text
            if not is_file(path) and not self._is_held(path):
                report.error(
                    "PS012",
                    f"there is no file `{text[:80]}`",
                    span,
                    f"looked for beside {referrer.source.name}",
                )
                return None
            paths = [path]
        else:
            paths = self.find(kind, text, folder)
        if not paths:
            other = next((k for k in KINDS if self.find(k, text, folder)), None)
            if other:
                report.error("PS017", f"`{text}` is a {other}, not a {kind}", span, f"a {kind} is needed here")
            else:
                report.error(
                    "PS012",
                    f"there is no {kind} `{text}`",
                    span,
                    "not beside the file, not above it, and not shipped",
                    help=did_you_mean(text, self.ids(kind, folder)),
                )
            return None
        if len(paths) > 1:
            report.error(
                "PS013",
                f"several files are the {kind} `{text}`",
                span,
                paths_text(paths),
                help="name it by its path, or give one of them another id",
            )
            return None
        document = self.open(paths[0], report)
        if document is not None and document.kind != kind:
            report.error(
                "PS017",
                f"`{text}` is a {document.kind}, not a {kind}",
                span,
                f"a {kind} is needed here",
                secondary=[Label(document.root.entries[0][1].span, "its kind")],
            )
            return None
        return document

    def _places(self, start: Path | None) -> tuple[tuple[Path, bool], ...]:
        """Return the folders in which a search from `start` looks, paired with whether it includes their subfolders."""
        if start not in self._reach:
            self._reach[start] = tuple(self._search_folders(start))
        return self._reach[start]

    def _search_folders(self, start: Path | None) -> Iterator[tuple[Path, bool]]:
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

    def _matches(self, kind: str, id_: str, folder: Path, recursive: bool) -> list[Path]:
        paths = self._index(folder, recursive).get((kind, id_), [])
        if kind != "task":
            return paths
        paths = [*paths, *(task_path(shard, id_) for shard in self._shard_index(folder, recursive).get(id_, ()))]
        return paths or [task_path(suite, id_) for suite in self._suites_with(id_, folder, recursive)]

    def _suites_with(self, id_: str, folder: Path, recursive: bool) -> Iterator[Path]:
        """Yield the suites in a folder that make a task with this id from a record.

        Suites that ship with planspec have no tables of tasks, so they are not searched.
        """
        if folder == self.shipped:
            return
        for (kind, _), paths in self._index(folder, recursive).items():
            for path in paths if kind == "suite" else ():
                tables = self.tables_in(path, Report())
                if tables is not None and id_ in tables.places:
                    yield path

    def _shard_index(self, folder: Path, recursive: bool) -> dict[str, list[Path]]:
        """Return the shards by the ids of their tasks. Shards are read only when a task is searched."""
        if (folder, recursive) not in self._shard_indexes:
            index: dict[str, list[Path]] = {}
            for path in _files(folder, [f"*{ending}" for ending in ENDINGS], recursive):
                for name in self.names_in(path, Report()) or ():
                    index.setdefault(name, []).append(path)
            self._shard_indexes[folder, recursive] = index
        return self._shard_indexes[folder, recursive]

    def _index(self, folder: Path, recursive: bool) -> dict[tuple[str, str], list[Path]]:
        if (folder, recursive) not in self._indexes:
            index: dict[tuple[str, str], list[Path]] = {}
            files = _files(folder, ["*.yaml"], recursive)
            existing = {os.path.realpath(path) for path in files} if self._heads else set()
            for file, (path, _) in self._heads.items():
                within = folder in path.parents if recursive else path.parent == folder
                if file not in existing and within:
                    files.append(path)  # a text from `hold` for a file that does not exist
            for path in files:
                if is_shard(path):
                    continue
                held = self._heads.get(os.path.realpath(path)) if self._heads else None
                named = kind_and_id(path) if held is None else held[1]
                if named is not None:
                    index.setdefault(named, []).append(path)
            self._indexes[folder, recursive] = index
        return self._indexes[folder, recursive]


def _read_shard(path: Path, report: Report) -> Shard | JsonShard | None:
    if not path.name.endswith(JSON_ENDINGS):
        return read_shard(path, shown_path(path), report)
    from planspec.dsl.workspace.json_shards import read_json_shard  # loads YAML

    return read_json_shard(path, shown_path(path), report)


def _document(source: Source, path: Path | None, report: Report) -> Document | None:
    # YAML is slow to import, and not needed to find a file.
    from planspec.dsl.structure.document import document

    return document(source, path, report)


def _files(folder: Path, patterns: Iterable[str], recursive: bool) -> list[Path]:
    """Return the files of a folder, if `recursive` with its subfolders, in order; empty if it cannot be read."""
    if recursive:
        return files_below(folder, patterns)
    try:
        return sorted(path for pattern in patterns for path in folder.glob(pattern))
    except OSError:
        return []


def files_below(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files in a folder and its subfolders whose names match a pattern, in order.

    The contents of folders of copies (see `COPIES`) are left out, unless `folder` itself is one.
    """
    fits = re.compile("|".join(translate(pattern) for pattern in patterns)).match
    paths: list[Path] = []
    for current, subfolders, names in os.walk(folder):
        if COPIES in names and Path(current) != folder:
            subfolders.clear()
            continue
        paths += (Path(current, name) for name in names if fits(name))
    return sorted(paths)


def _forward_reports(own: Report, report: Report) -> None:
    for diagnostic in own.diagnostics:
        report.add(diagnostic)


def _trim_cache(cache: dict[str, Any]) -> None:
    """Remove the oldest entries beyond the maximum number of cached files."""
    while len(cache) > MAX_CACHED_FILES:
        del cache[next(iter(cache))]


def kind_and_id(path: Path) -> tuple[str, str] | None:
    """Return the kind and id in a file's first lines without parsing YAML; None if they lack one."""
    return kind_and_id_of(_first_characters(path))


def _kind_and_id_on_disk(path: Path) -> tuple[str, str] | None:
    return kind_and_id(path) if is_file(path) else None


def kind_and_id_of(head: str) -> tuple[str, str] | None:
    """Return the kind and id in a document's first characters; None if they lack one."""
    kind, id_ = KIND.match(head), ID.search(head)
    return (kind["kind"], id_["id"]) if kind and id_ else None


def _first_characters(path: Path) -> str:
    """Return a file's first characters; empty if it cannot be read, which is reported when it is opened."""
    try:
        with open_regular(path, TABLE_BYTES) as file:
            return file.read(HEAD_CHARACTERS).decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    except OSError:
        return ""
