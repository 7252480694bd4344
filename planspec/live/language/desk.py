"""The documents that an author has open: their texts as typed, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os.path import realpath
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from planspec.api.checking import DocumentCheck
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.shards import entries_of, is_shard, task_place
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import PlanspecError
from planspec.live.language.analysis import Analysis
from planspec.live.language.mentions import mentions
from planspec.live.language.shapes import Position
from planspec.live.language.symbols import Symbol

OURS = re.compile(r"\ufeff?(?:\s*#[^\n]*\n|\s)*planspec\s*:")
"""The beginning of a document of ours; other YAML files are none of our business."""
NAMED = re.compile(r".*\.(?:task|library|world|suite|tasks)\.yaml(?:\.gz)?")
"""The names of files that are ours, whatever stands in them."""
SHARD_TASKS = 200
"""The most tasks of an open shard that are checked."""


class DocumentNotOpenError(PlanspecError):
    """No document of that address is open."""


@dataclass(slots=True, eq=False)
class OpenDocument:
    """A document as it is typed.

    Attributes:
        uri: its address in the editor.
        path: its file, which need not be there.
        version: the editor's number of this text.
        source: the text.
        analysis: what is known of it; None where YAML cannot read it, and before anybody asked.
        sound: what was known of it when it was last read as YAML.
    """

    uri: str
    path: Path
    version: int | None
    source: Source
    analysis: Analysis | None = None
    sound: Analysis | None = None
    analysed: int = -1

    @property
    def is_ours(self) -> bool:
        """It is, or is to be, a document of planspec."""
        return NAMED.fullmatch(self.path.name) is not None or OURS.match(self.source.text) is not None


@dataclass(slots=True, eq=False)
class Desk:
    """Open documents over the files of a machine.

    Attributes:
        workspace: reads what the documents use, with the open ones as they are typed.
        folders: of the project; references are looked for in them.
        documents: by their address.
    """

    workspace: Workspace = field(default_factory=lambda: Workspace(keeps_rows=True))
    folders: list[Path] = field(default_factory=list)
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    _generation: int = 0
    _declared: dict[Document, dict[Symbol, Span]] = field(default_factory=dict)

    # -- opening and changing ---------------------------------------------------------------------

    def open(self, uri: str, text: str, version: int | None = None) -> OpenDocument:
        """A document is open from now on, with this text in place of its file's."""
        made = OpenDocument(uri, path_of(uri), version, source_from_text(text, ""))
        before = self.documents.get(uri)
        if before is not None:
            made.sound = before.sound
        self.documents[uri] = made
        self._hold(made)
        return made

    def change(self, uri: str, text: str, version: int | None = None) -> OpenDocument:
        """An open document has another text."""
        self.document(uri)
        return self.open(uri, text, version)

    def close(self, uri: str) -> None:
        """A document is open no longer: its file speaks for itself."""
        gone = self.documents.pop(uri, None)
        if gone is not None:
            self.workspace.release(gone.path)
            self._changed()

    def reread(self) -> None:
        """Files have changed on the disk: read them anew."""
        self.workspace = Workspace(self.workspace.shipped, self.workspace.max_bytes, keeps_rows=True)
        self._declared.clear()
        self._changed()
        for document in self.documents.values():
            self._hold(document)

    def document(self, uri: str) -> OpenDocument:
        """An open document.

        Raises:
            DocumentNotOpenError: there is none of this address.
        """
        found = self.documents.get(uri)
        if found is None:
            raise DocumentNotOpenError(f"no document `{uri}` is open")
        return found

    def uri(self, name: str) -> str:
        """The address of a file, by its path or by the name that diagnostics give it; that of the editor where it is open."""
        path = Path.cwd() / name
        real = realpath(path)
        for document in self.documents.values():
            if document.path == path or realpath(document.path) == real:
                return document.uri
        return f"file://{quote(str(path))}"

    # -- questions --------------------------------------------------------------------------------

    def check(self, document: OpenDocument) -> tuple[Diagnostic, ...]:
        """What `planspec check` says of a document's file."""
        if not document.is_ours:
            return ()
        report = Report()
        for path in self._parts(document):
            for diagnostic in DocumentCheck(self.workspace, None)(path).diagnostics:
                report.add(diagnostic)
        return report.ordered()

    def check_file(self, path: Path) -> tuple[Diagnostic, ...]:
        """What `planspec check` says of a file that need not be open."""
        return DocumentCheck(self.workspace, None)(path).diagnostics

    def analysis(self, document: OpenDocument, position: Position | None = None) -> Analysis | None:
        """What is known of a document; None where YAML cannot read it.

        Args:
            document: it.
            position: a place in it. A shard has many documents, and only that of a place is looked at.
        """
        if is_shard(document.path):
            return None if position is None else self._part_at(document, position)
        if document.analysed != self._generation:
            document.analysed = self._generation
            document.analysis = self._analysis(document.path) if document.is_ours else None
            document.sound = document.analysis or document.sound
        return document.analysis

    def analysis_of(self, path: Path) -> Analysis | None:
        """What is known of the document of a file, open or not."""
        real = realpath(path)
        for document in self.documents.values():
            if realpath(document.path) == real:
                return self.analysis(document)
        return self._analysis(path)

    def declaration(self, symbol: Symbol, analysis: Analysis) -> Span | None:
        """Where a symbol that a document mentions is declared: in it, or in what it uses."""
        for document in reversed(analysis.documents):
            known = (
                analysis.declarations
                if document.source is analysis.source
                else self._declarations(document, analysis.names)
            )
            if symbol in known:
                return known[symbol]
        if symbol.kind == "document" and analysis.document.path is not None:
            return self._document_named(symbol, analysis.document)
        return None

    def _document_named(self, symbol: Symbol, asking: Document) -> Span | None:
        folder = asking.path.parent if asking.path is not None else None
        if symbol.name.endswith((".yaml", ".yml")) or "/" in symbol.name:
            found = [(folder or Path()) / symbol.name]
        else:
            found = self.workspace.find(symbol.owner, symbol.name, folder)
        made = self.workspace.open(found[0], Report()) if found else None
        if made is None:
            return None
        id_ = made.sections.get("id")
        return made.root.span.first_line if id_ is None else id_.span

    def _declarations(self, document: Document, names: Names) -> dict[Symbol, Span]:
        """Where a document that others use declares its symbols."""
        found = self._declared.get(document)
        if found is None:
            found = self._declared[document] = {}
            for occurrence in mentions(document, names):
                if occurrence.declares:
                    found.setdefault(occurrence.symbol, occurrence.span)
        return found

    def _analysis(self, path: Path) -> Analysis | None:
        if is_shard(path):
            return None
        found = self.workspace.open(path, Report())
        return None if found is None else Analysis(found, self.workspace)

    def _part_at(self, document: OpenDocument, position: Position) -> Analysis | None:
        """What is known of the task of a shard in which a place is."""
        entries = entries_of(document.source.text.encode()).items()
        names = [name for name, entry in entries if entry.line <= position["line"] + 1]
        found = self.workspace.open(task_place(document.path, names[-1]), Report()) if names else None
        return None if found is None else Analysis(found, self.workspace)

    def _parts(self, document: OpenDocument) -> Iterator[Path]:
        """The paths of a document's parts: of a shard its first tasks, each alone."""
        if not is_shard(document.path):
            yield document.path
            return
        names = self.workspace.names_in(document.path, Report()) or ()
        for name in names[:SHARD_TASKS]:
            yield task_place(document.path, name)

    def _hold(self, document: OpenDocument) -> None:
        """Let a document's text stand for its file; what is none of ours is left alone."""
        if document.is_ours:
            self.workspace.hold(document.path, document.source.text)
        else:
            self.workspace.release(document.path)
        self._changed()

    def _changed(self) -> None:
        self._generation += 1
        if len(self._declared) > len(self.documents) + 50:
            self._declared.clear()


def path_of(uri: str) -> Path:
    """The file of an address; of one that is no file's, such as `untitled:Untitled-1`, a name in the current folder."""
    parts = urlsplit(uri)
    path = Path(unquote(parts.path))
    if parts.scheme == "file":
        return path
    name = path.name or "document"
    return Path.cwd() / (name if name.endswith((".yaml", ".yml", ".yaml.gz")) else f"{name}.yaml")
