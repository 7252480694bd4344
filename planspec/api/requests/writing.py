"""The operation `request`, which generates a task's natural-language request from its specification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.requests.composing import Composer
from planspec.api.requests.formats import Formats
from planspec.dsl.check.checker import Checker
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.checking import check_leniently, check_task
from planspec.dsl.documents.worded_subjects import WordedSubject
from planspec.dsl.documents.wordings import read_wording, wording_id
from planspec.dsl.model.task import Task
from planspec.dsl.model.wording import PLURALS, Wording, base_language
from planspec.dsl.resources.paths import paths_text
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.shards import split_task_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Scalar
from planspec.errors import NotFoundError, UnsuitableTaskError
from planspec.files import replace_text
from planspec.suite_writing.writing import query_sections
from planspec.verifiers.meaning.ground import ground

ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A natural-language request generated from the specification of a task.

    Attributes:
        task: id of the task.
        language: language, such as `de`.
        query: text of the request.
        tells: for each given or table, by name, the words of the query that express it.
        wordings: ids of the wording documents whose templates were used.
    """

    task: str
    language: str
    query: str
    tells: Mapping[str, str]
    wordings: tuple[str, ...]

    def sections(self) -> str:
        """Return the text of the sections `query` and `tells` for the task's document."""
        return query_sections(self.query, self.tells)

    def __repr__(self) -> str:
        return f"<WrittenRequest of {self.task}: {self.language}>"

    def __str__(self) -> str:
        return self.sections()


def request(
    name: Task | str | PathLike[str],
    *,
    language: str = ENGLISH,
    seed: int = 0,
    workspace: Workspace | None = None,
) -> WrittenRequest:
    """Generate the request of a task in a language from the task's values and rules.

    The templates come from the wordings of the task and of its libraries: documents of the kind `wording` with an id
    such as `LIBRARY.LANGUAGE`. The task's own `query` and `tells` are not read.

    Args:
        name: file or id of a task, or a checked task that was loaded from a file.
        language: language, optionally with a region, such as `de` or `pt-BR`.
        seed: seed for the choice among alternative templates.
        workspace: workspace that opens documents.

    Raises:
        NotFoundError: there is no such task, no wording of it, or no such language.
        UnsuitableTaskError: the task has turns, or has no file.
        DiagnosticError: the task or a wording has errors, or no wording expresses a value or rule of the task.
        ModuleNotFoundError: Babel is not installed.
    """
    if base_language(language) not in PLURALS:
        raise NotFoundError(f"`{language}` is no language that can be worded; languages are {', '.join(PLURALS)}")
    catalog = Catalog(workspace)
    path = _file_of(name, catalog)
    report = Report()
    document = _without_request(catalog.workspace.open(path, report))
    report.stop_if_failed()
    assert document is not None
    if document.kind != "task":
        span = document.root.entries[0][1].span
        report.error("PS017", f"a task is needed here, not a {document.kind}", span, "its kind")
        report.stop_if_failed()
    if "turns" in document.sections:
        raise UnsuitableTaskError(f"`{document.id}` has turns: a request is written for tasks without turns")
    studied = check_leniently(document, catalog.workspace, Checker)
    if studied.task is None:
        check_task(document, catalog.workspace, report)
        report.stop_if_failed()
    assert studied.task is not None
    task = studied.task
    subjects = [document, *(each for each in reversed(studied.documents) if each.kind == "library")]
    subject = WordedSubject.of_task(task, studied.names)
    wordings = list(_wordings(subjects, language, catalog.workspace, subject, report))
    report.stop_if_failed()
    try:
        formats = Formats(language, task.currency)
    except LookupError:
        raise NotFoundError(f"Babel has no `{language}`; name the language without its region") from None
    written = Composer(ground(task, scope=False), wordings, formats, seed, report).write()
    report.stop_if_failed()
    return WrittenRequest(task.id, language, written.query, written.tells, tuple(wording.id for wording in wordings))


def write_request(path: Path, written: WrittenRequest) -> None:
    """Replace the sections `query` and `tells` of a task's file.

    Raises:
        UnsuitableTaskError: the task shares its file with others.
        OSError: the file cannot be written.
    """
    if split_task_path(path) is not None or path.suffix not in (".yaml", ".yml"):
        raise UnsuitableTaskError(f"`{path}` is not a task's own YAML file, so its query is not replaced")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    remaining = list(_without_sections(lines, ("query", "tells")))
    place = next((nr for nr, line in enumerate(lines) if line.startswith(("query:", "tells:"))), None)
    head = remaining if place is None else remaining[:place]
    tail = [] if place is None else remaining[place:]
    if head and not head[-1].endswith("\n"):
        head[-1] += "\n"
    replace_text(path, "".join([*head, written.sections(), *tail]))


def _without_sections(lines: Sequence[str], keys: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a document without the sections with the given keys."""
    dropping = False
    for line in lines:
        if line[:1] not in (" ", "\n", "\r", "#", "-"):
            dropping = line.startswith(tuple(f"{key}:" for key in keys))
        elif line[:1] == "#":
            dropping = False
        if not dropping:
            yield line


def _file_of(name: Task | str | PathLike[str], catalog: Catalog) -> Path:
    if not isinstance(name, Task):
        return catalog.named(fspath(name)).path
    if name.record is None and not name.file.is_file():
        raise UnsuitableTaskError(f"`{name.id}` has no file: a request is written for the task of a file")
    return name.file if name.record is None else Path(f"{name.file}#{name.id}")


def _without_request(document: Document | None) -> Document | None:
    """Return a task's document with `-` as its query, and without `tells`."""
    if document is None or document.kind != "task":
        return document
    at = document.root.entries[0][0].span
    place = Span(at.source, at.start, at.start)
    sections = {key: node for key, node in document.sections.items() if key != "tells"}
    return replace(document, sections={**sections, "query": Scalar(place, "-", "plain", place)})


def _wordings(
    subjects: Sequence[Document], language: str, workspace: Workspace, subject: WordedSubject, report: Report
) -> Iterator[Wording]:
    """Yield the wordings of a task, then those of its libraries.

    Raises:
        NotFoundError: there is none.
    """
    found = False
    folder = None if subjects[0].path is None else subjects[0].path.parent
    for each in subjects:
        paths = _wording_files(each.id, language, workspace, folder)
        if len(paths) > 1:
            first = Label(each.sections["id"].span, paths_text(paths))
            report.error("PS013", f"several files are the wording `{each.id}.{language}`", first.span, first.text)
            continue
        document = workspace.open(paths[0], report) if paths else None
        if document is not None:
            found = True
            wording = read_wording(document, subject, report)
            if wording is not None:
                yield wording
    if not found and not report.failed:
        names = " or ".join(f"`{wording_id(each.id, language)}`" for each in subjects)
        raise NotFoundError(f"there is no wording {names}{_other_languages(subjects, workspace, folder)}")


def _wording_files(name: str, language: str, workspace: Workspace, folder: Path | None) -> list[Path]:
    for each in dict.fromkeys((language, base_language(language))):
        paths = workspace.find("wording", wording_id(name, each), folder)
        if paths:
            return paths
    return []


def _other_languages(subjects: Sequence[Document], workspace: Workspace, folder: Path | None) -> str:
    ids = workspace.ids("wording", folder)
    near = [name for name in ids if any(name.startswith(f"{each.id}.") for each in subjects)]
    return f"; there is {', '.join(f'`{name}`' for name in sorted(near))}" if near else ""
