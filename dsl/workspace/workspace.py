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

from planspec.dsl.check.names import did_you_mean, suggestion
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DOCUMENT_BYTES, TABLE_BYTES
from planspec.dsl.resources.reading import open_regular
from planspec.dsl.workspace.table_cache import Shelf
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, compose, read_source, source_from_text

KINDS = ("library", "world", "task", "suite")
FOLDERS = ("libraries", "worlds", "tasks")
ID = re.compile(r"^id:[ \t]*(?P<quote>[\"']?)(?P<id>[^\s#\"']+)(?P=quote)", re.MULTILINE)
KIND = re.compile(r"^\s*(?:#[^\n]*\n|\s)*planspec:[ \t]*(?P<kind>\w+)/1")
NAME = re.compile(r"\w[\w.@-]*")

LIBRARY = (
    "types",
    "tables",
    "given",
    "plan",
    "define",
    "scope",
    "constraints",
    "kinds",
    "measures",
    "family",
    "removable",
)
TASK = (
    "world",
    "query",
    "without",
    "unique",
    "minimize",
    "maximize",
    "reference",
    "closed",
    "turns",
)
KEYS = {
    "library": ("planspec", "id", "title", "uses", "meta", *LIBRARY),
    "world": ("planspec", "id", "title", "uses", "meta", "currency", "tables", "types"),
    "task": ("planspec", "id", "title", "uses", "meta", "currency", *TASK, *LIBRARY),
    "suite": ("planspec", "id", "title", "family", "tasks", "protocol", "meta"),
}
"""The keys of each kind of document."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A file's first two keys and its sections.

    Attributes:
        path: None for text that came from no file.
        revoked: ids of constraints of others that do not count here; each may be declared anew.
    """

    kind: str
    id: str
    source: Source
    root: Mapping
    path: Path | None
    sections: dict[str, Node]
    keys: dict[str, Scalar]
    revoked: tuple[Scalar, ...] = ()

    def key_span(self, name: str) -> Span:
        """Where a section's key stands, or the document's first line."""
        return self.keys[name].span if name in self.keys else self.root.entries[0][0].span


def document(source: Source, path: Path | None, report: Report) -> Document | None:
    """The document of a source, or None after a report."""
    root = compose(source, report)
    if root is None:
        return None
    start = Span(source, 0, min(len(source.line_text(1)), len(source.text)))
    if not isinstance(root, Mapping) or not root.entries or root.entries[0][0].text != "planspec":
        span = root.entries[0][0].span if isinstance(root, Mapping) and root.entries else start
        report.error(
            "PS008", "the first key of a document is `planspec:`", span, "not `planspec:`",
            help="begin with `planspec: task/1` (or library/1, world/1, suite/1)",
        )  # fmt: skip
        return None
    version = root.entries[0][1]
    text = version.text if isinstance(version, Scalar) else ""
    kind, _, number = text.partition("/")
    if kind not in KINDS or number != "1":
        help_text = (
            did_you_mean(text, [f"{k}/1" for k in KINDS]) or "kinds are library/1, world/1, task/1, suite/1"
        )
        report.error(
            "PS008", f"`{text}` is no kind of document", version.span, "unknown kind", help=help_text
        )
        return None
    entries = known_entries(root, KEYS[kind], f"a {kind}", report)
    sections = {name: value for name, (_, value) in entries.items()}
    keys = {name: key for name, (key, _) in entries.items()}
    return Document(kind, _id(kind, root, sections, report), source, root, path, sections, keys)


def _id(kind: str, root: Mapping, sections: dict[str, Node], report: Report) -> str:
    """The document's id; empty after a report."""
    name = sections.get("id")
    if name is None:
        report.error("PS010", f"the {kind} has no `id`", root.entries[0][0].span, "an `id:` belongs here")
    elif not isinstance(name, Scalar) or not NAME.fullmatch(name.text):
        report.error("PS011", "an id is a word", name.span, "letters, digits, `-`, `_`, `.`")
    else:
        return name.text
    return ""


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
    shelf: Shelf = field(default_factory=Shelf, repr=False)
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


def known_keys(node: Mapping, keys: Sequence_[str], what: str, report: Report) -> dict[str, Node]:
    """A mapping's values by key, as `known_entries` has them."""
    return {name: value for name, (_, value) in known_entries(node, keys, what, report).items()}


def known_entries(
    node: Mapping, keys: Sequence_[str], what: str, report: Report
) -> dict[str, tuple[Scalar, Node]]:
    """A mapping's keys, as they stand, and values by key; keys that it does not know are reported.

    A key that is surely a misspelt one counts as that one, so that what it holds is not missed twice.
    """
    made = {key.text: (key, value) for key, value in node.entries}
    for key, value in node.entries:
        if key.text not in keys:
            near = suggestion(key.text, keys)
            report.error(
                "PS009", f"{what} has no key `{key.text}`", key.span, "unknown key",
                help=f"did you mean `{near}`?" if near else f"it may have {', '.join(keys)}",
            )  # fmt: skip
            if near is not None:
                made.setdefault(near, (key, value))
    return made


def word_of(node: Node | None, what: str, report: Report) -> str | None:
    """The text of a node that has to be one word or text; None if it is absent or, after a report, not one."""
    if node is None:
        return None
    if not isinstance(node, Scalar):
        report.error("PS011", f"{what} is a text", node.span, "a collection")
        return None
    return node.text


def flag_of(node: Node | None, what: str, report: Report) -> bool:
    """True where the node says so; false where there is none."""
    text = node.text if isinstance(node, Scalar) else "" if node else "false"
    if node is not None and text not in ("true", "false"):
        report.error("PS016", f"{what} is true or false", node.span, "neither")
    return text == "true"


def texts(node: Node | None, what: str, report: Report) -> list[Scalar]:
    """The items of a list of words (a single word is a list of one)."""
    if node is None:
        return []
    if isinstance(node, Scalar):
        return [node] if node.text else []
    if isinstance(node, Mapping) and not node.entries:
        return []
    items = node.items if isinstance(node, Sequence) else ()
    if isinstance(node, Mapping):
        report.error("PS011", f"{what} is a list", node.span, "a mapping", help="write `[a, b]`")
    made = []
    for item in items:
        if isinstance(item, Scalar):
            made.append(item)
        else:
            report.error("PS011", f"{what} is a list of words", item.span, "not a word")
    return made
