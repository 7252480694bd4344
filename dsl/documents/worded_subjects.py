"""Subjects of wordings: the libraries or the task whose names and constraints a wording puts into words."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field, replace

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.checking import check_leniently, check_whole
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import texts
from planspec.dsl.workspace.imports import resolve_imports
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Scalar, Sequence


@dataclass(frozen=True, slots=True)
class WordedSubject:
    """The declarations of the libraries or the task that a wording puts into words.

    Attributes:
        names: the names of the libraries or of the task.
        rules: constraints by id.
        objectives: names of objectives. An objective without a name is represented by `minimize` or `maximize`.
        is_whole: whether all of these documents could be read. If not, unknown names are not reported.
        ids: ids of the libraries, or of the task.
        documents: these documents and all that they use.
    """

    names: Names
    rules: MappingOf[str, t.Constraint] = field(default_factory=dict)
    objectives: tuple[str, ...] = ()
    is_whole: bool = True
    ids: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()

    @classmethod
    def of_task(cls, task: Task, names: Names) -> WordedSubject:
        """Return the declarations of a task, for the check of its wordings."""
        objectives = dict.fromkeys(name for each in task.objectives for name in (each.name, each.word))
        return cls(names, {rule.id: rule for rule in task.constraints}, tuple(objectives))


def worded_subject(document: Document, workspace: Workspace, report: Report) -> WordedSubject | None:
    """Return the declarations of a wording's libraries or task; None if one of these documents is missing."""
    named = [(word, "library") for word in texts(document.sections.get("uses"), "`uses`", report)]
    task = document.sections.get("task")
    if isinstance(task, Scalar):
        named.append((task, "task"))
    if not named:
        label = "name what it words"
        report.error("PS010", "the wording has neither `uses` nor `task`", document.key_span("id"), label)
        return None
    if isinstance(task, Scalar) and len(named) > 1:
        report.error("PS011", "a wording is for libraries or for one task", task.span, "beside `uses`")
    resolved = [(kind, workspace.resolve(word, kind, document, report)) for word, kind in named]
    others = [(kind, other) for kind, other in resolved if other is not None]
    return None if len(others) < len(named) else _subject(others, workspace)


def _subject(others: list[tuple[str, Document]], workspace: Workspace) -> WordedSubject:
    """Return the declarations of libraries or a task. Mistakes in these documents are not reported."""
    kind, first = others[0]
    if kind == "task":
        studied = check_leniently(first, workspace, Checker)
        if studied.task is None:
            subject = WordedSubject(studied.names, is_whole=False)
        else:
            subject = WordedSubject.of_task(studied.task, studied.names)
        return replace(subject, ids=(first.id,), documents=studied.documents)
    documents: dict[int, Document] = {}
    names, rules, objectives, is_whole = Names(), dict[str, t.Constraint](), dict[str, None](), True
    for _, library in others:
        own = Report()
        elaborator = check_whole(library, workspace, own)
        names = _joined(names, elaborator.names)
        rules |= {rule.id: rule for rule in elaborator.constraints}
        objectives |= dict.fromkeys(_objective_names(library))
        is_whole = is_whole and not own.failed
        documents |= {id(each): each for each in resolve_imports(library, workspace, own).documents}
    ids = tuple(library.id for _, library in others)
    return WordedSubject(names, rules, tuple(objectives), is_whole, ids, tuple(documents.values()))


def _joined(one: Names, other: Names) -> Names:
    """Return the names of two libraries as one namespace."""
    result = one.extended()
    for attribute in ("enums", "tables", "facts", "givens", "definitions", "places"):
        getattr(result, attribute).update(getattr(other, attribute))
    result.unsure = one.unsure or other.unsure
    result.broken |= one.broken | other.broken
    result.identified |= other.identified
    return result


def _objective_names(document: Document) -> Iterator[str]:
    for word in ("minimize", "maximize"):
        node = document.sections.get(word)
        for item in node.items if isinstance(node, Sequence) else () if node is None else (node,):
            yield word
            yield from (key.text for key, _ in item.entries) if isinstance(item, Mapping) else ()
