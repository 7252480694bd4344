"""State of an editor: open documents with their current texts and cached analyses."""

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
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.shards import documents_by_name, is_shard, task_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text
from planspec.errors import PlanspecError
from planspec.live.language.analysis import Analysis
from planspec.live.language.mentions import mentions
from planspec.live.language.shapes import Position
from planspec.live.language.symbols import Symbol

PLANSPEC_START = re.compile(r"\ufeff?(?:\s*#[^\n]*\n|\s)*planspec\s*:")
"""Beginning of a planspec document. YAML files without it are ignored, except by file name."""
PLANSPEC_FILE_NAME = re.compile(r".*\.(?:task|library|world|suite|tasks|wording)\.yaml(?:\.gz)?")
"""File names of planspec documents, whatever their content."""
SHARD_TASKS = 200
"""Maximum number of tasks that are checked in an open shard (a file of many tasks)."""


class DocumentNotOpenError(PlanspecError):
    """No document with this URI is open."""


@dataclass(slots=True, eq=False)
class OpenDocument:
    """A document with the text that the editor currently shows.

    Attributes:
        uri: URI of the document in the editor.
        path: file of the document, which may not exist.
        version: version number of the text, as sent by the editor.
        source: the text.
        analysis: analysis of the text; None if it is not valid YAML or not analysed yet.
        last_valid_analysis: analysis of the latest text that was valid YAML, or None.
        analysed_generation: generation of the editor's state on which `analysis` is based. Each change of a text
            increments the generation.
    """

    uri: str
    path: Path
    version: int | None
    source: Source
    analysis: Analysis | None = None
    last_valid_analysis: Analysis | None = None
    analysed_generation: int = -1

    @property
    def is_planspec(self) -> bool:
        """Whether this is a planspec document, by its file name or its first line."""
        return (
            PLANSPEC_FILE_NAME.fullmatch(self.path.name) is not None
            or PLANSPEC_START.match(self.source.text) is not None
        )


@dataclass(slots=True, eq=False)
class EditorState:
    """Open documents, and the files that they use.

    Attributes:
        workspace: reads documents and files. For open documents it returns the text in the editor.
        folders: folders of the project, which are searched for references to symbols.
        documents: open documents by URI.
    """

    workspace: Workspace = field(default_factory=lambda: Workspace(keeps_rows=True))
    folders: list[Path] = field(default_factory=list)
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    _generation: int = 0
    _declaration_cache: dict[Document, dict[Symbol, Span]] = field(default_factory=dict)

    # -- opening and changing ---------------------------------------------------------------------

    def open(self, uri: str, text: str, version: int | None = None) -> OpenDocument:
        """Open a document, or replace the text of an open one. From now on its file is not read."""
        document = OpenDocument(uri, path_of(uri), version, source_from_text(text, ""))
        before = self.documents.get(uri)
        if before is not None:
            document.last_valid_analysis = before.last_valid_analysis
        self.documents[uri] = document
        self._replace_file_text(document)
        return document

    def change(self, uri: str, text: str, version: int | None = None) -> OpenDocument:
        """Replace the text of an open document."""
        self.document(uri)
        return self.open(uri, text, version)

    def close(self, uri: str) -> None:
        """Close a document. From now on its file is read."""
        closed = self.documents.pop(uri, None)
        if closed is not None:
            self.workspace.release(closed.path)
            self._invalidate()

    def reread(self) -> None:
        """Reread all files after changes on disk."""
        self.workspace = Workspace(self.workspace.shipped, self.workspace.max_bytes, keeps_rows=True)
        self._declaration_cache.clear()
        self._invalidate()
        for document in self.documents.values():
            self._replace_file_text(document)

    def document(self, uri: str) -> OpenDocument:
        """Return an open document.

        Raises:
            DocumentNotOpenError: no document with this URI is open.
        """
        document = self.documents.get(uri)
        if document is None:
            raise DocumentNotOpenError(f"no document `{uri}` is open")
        return document

    def uri(self, name: str) -> str:
        """Return the URI of a file, given its path or its name in diagnostics.

        For an open file, it is the URI that the editor uses.
        """
        path = Path.cwd() / name
        real = realpath(path)
        for document in self.documents.values():
            if document.path == path or realpath(document.path) == real:
                return document.uri
        return f"file://{quote(str(path))}"

    # -- requests ---------------------------------------------------------------------------------

    def check(self, document: OpenDocument) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that `planspec check` reports for a document's file.

        For a suite, the readings are checked, but not each task in each reading, which would take too long.
        """
        if not document.is_planspec:
            return ()
        report = Report()
        for path in self._document_paths(document):
            for diagnostic in DocumentCheck(self.workspace, None)(path).diagnostics:
                report.add(diagnostic)
        return report.ordered()

    def check_file(self, path: Path) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that `planspec check` reports for a file, whether it is open or not."""
        return DocumentCheck(self.workspace, None)(path).diagnostics

    def analysis(self, document: OpenDocument, position: Position | None = None) -> Analysis | None:
        """Return the analysis of a document; None if it is not valid YAML.

        Args:
            document: the document.
            position: for a shard (a file of many tasks), a position in the task to analyse; ignored for other
                documents.
        """
        if is_shard(document.path):
            return None if position is None else self._analyse_task_at(document, position)
        if document.analysed_generation != self._generation:
            document.analysed_generation = self._generation
            document.analysis = self._analyse(document.path) if document.is_planspec else None
            document.last_valid_analysis = document.analysis or document.last_valid_analysis
        return document.analysis

    def analysis_of(self, path: Path) -> Analysis | None:
        """Return the analysis of a file's document, whether it is open or not."""
        real = realpath(path)
        for document in self.documents.values():
            if realpath(document.path) == real:
                return self.analysis(document)
        return self._analyse(path)

    def declaration(self, symbol: Symbol, analysis: Analysis) -> Span | None:
        """Return the span of a symbol's declaration in an analysed document or its imports, or None."""
        for document in reversed(analysis.documents):
            declarations = (
                analysis.declarations
                if document.source is analysis.source
                else self._imported_declarations(document, analysis.names)
            )
            if symbol in declarations:
                return declarations[symbol]
        if symbol.kind == "document" and analysis.document.path is not None:
            return self._span_of_used_document(symbol, analysis.document)
        return None

    def _span_of_used_document(self, symbol: Symbol, importer: Document) -> Span | None:
        folder = importer.path.parent if importer.path is not None else None
        if symbol.name.endswith((".yaml", ".yml")) or "/" in symbol.name:
            paths = [(folder or Path()) / symbol.name]
        else:
            paths = self.workspace.find(symbol.owner, symbol.name, folder)
        document = self.workspace.open(paths[0], Report()) if paths else None
        if document is None:
            return None
        id_ = document.sections.get("id")
        return document.root.span.first_line if id_ is None else id_.span

    def _imported_declarations(self, document: Document, names: Names) -> dict[Symbol, Span]:
        """Return the span of each declaration in an imported document, by symbol."""
        declarations = self._declaration_cache.get(document)
        if declarations is None:
            declarations = self._declaration_cache[document] = {}
            for occurrence in mentions(document, names):
                if occurrence.declares:
                    declarations.setdefault(occurrence.symbol, occurrence.span)
        return declarations

    def _analyse(self, path: Path) -> Analysis | None:
        if is_shard(path):
            return None
        document = self.workspace.open(path, Report())
        return None if document is None else Analysis(document, self.workspace)

    def _analyse_task_at(self, document: OpenDocument, position: Position) -> Analysis | None:
        """Return the analysis of the task at a position in a shard."""
        entries = documents_by_name(document.source.text.encode()).items()
        names = [name for name, entry in entries if entry.line <= position["line"] + 1]
        part = self.workspace.open(task_path(document.path, names[-1]), Report()) if names else None
        return None if part is None else Analysis(part, self.workspace)

    def _document_paths(self, document: OpenDocument) -> Iterator[Path]:
        """Yield the path of a document or, for a shard, the paths of its first `SHARD_TASKS` tasks."""
        if not is_shard(document.path):
            yield document.path
            return
        names = self.workspace.names_in(document.path, Report()) or ()
        for name in names[:SHARD_TASKS]:
            yield task_path(document.path, name)

    def _replace_file_text(self, document: OpenDocument) -> None:
        """Make the workspace use the text in the editor instead of the file, if it is a planspec document."""
        if document.is_planspec:
            self.workspace.hold(document.path, document.source.text)
        else:
            self.workspace.release(document.path)
        self._invalidate()

    def _invalidate(self) -> None:
        self._generation += 1
        if len(self._declaration_cache) > len(self.documents) + 50:
            self._declaration_cache.clear()


def path_of(uri: str) -> Path:
    """Return the path that a URI refers to.

    For schemes other than `file`, as in `untitled:Untitled-1`, it is a path in the current folder.
    """
    parts = urlsplit(uri)
    path = Path(unquote(parts.path))
    if parts.scheme == "file":
        return path
    name = path.name or "document"
    return Path.cwd() / (name if name.endswith((".yaml", ".yml", ".yaml.gz")) else f"{name}.yaml")
