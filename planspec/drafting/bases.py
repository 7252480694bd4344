"""The part of a draft that the model does not write: id, query, libraries, and fixed sections."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from planspec.drafting.extraction import TRUSTED, Sections, mapping_of, scalar_fields, section_texts
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.nodes import Mapping as YamlMapping
from planspec.dsl.yaml.nodes import Node, Scalar
from planspec.dsl.yaml.nodes import Sequence as YamlSequence
from planspec.dsl.yaml.reader import compose
from planspec.dsl.yaml.writing import yaml_text
from planspec.errors import UnsuitableTaskError

Part: TypeAlias = Literal["values", "rules", "task"]
"""Content that a model writes: values of a library's givens (parameters), rules over fixed tables, or the whole task."""

RULES = ("given", "tells", "define", "constraints", "minimize", "maximize", "unique", "expects")
VOCABULARY = ("currency", "types", "tables", "plan", "scope", "closed", "kinds")
ALLOWED: Mapping[Part, tuple[str, ...]] = {
    "values": ("title", "given", "tells"),
    "rules": ("title", *RULES),
    "task": ("title", *VOCABULARY, *RULES),
}
"""Names of the sections that a model may write, by part."""
ORDER = (
    *(
        "title",
        "uses",
        "world",
        "query",
        "meta",
        "currency",
        "types",
        "tables",
        "given",
        "tells",
        "environment",
        "plan",
    ),
    *("define", "scope", "closed", "kinds", "without", "constraints", "minimize", "maximize", "max_gap", "unique"),
    *("unique_best", "expects", "cases"),
)
"""Order of the sections in a draft."""
DROPPED = (
    "planspec",
    "id",
    "query",
    "title",
    "meta",
    "given",
    "tells",
    "reference",
    "cases",
    "expects",
    "unique",
    "unique_best",
    "max_gap",
)
"""Sections that a draft does not copy when it takes over the tables of an existing task."""
MOST_PATH = 1_000
"""Maximum length of a file name, in characters."""
NO_FILES = frozenset({"query", "title", "given", "tells", "constraints", "define", "scope", "plan", "types", "rows"})
"""Keys whose values never name a file."""
MARK = "meta: {draft: true}  # until a person has read it\n"


@dataclass(frozen=True, slots=True)
class Base:
    """The fixed part of drafts of one request.

    Attributes:
        id: id of the drafted task.
        query: the request.
        path: assumed path of the draft, from which libraries are looked up.
        part: what the model writes.
        sections: fixed sections.
        may_scope: whether the model also writes a scope, because neither the library nor the tables have one.
        givens: names and types of the givens that fixed sections may use, such as `budget: money`; may be empty.
        originals: text of the fixed sections in their original documents, for prompts. Paths in them do not depend on
            the draft's folder.
    """

    id: str
    query: str
    path: Path
    part: Part
    sections: Sections
    may_scope: bool = False
    givens: str = ""
    originals: Sections = field(default_factory=dict)

    @property
    def quoted(self) -> dict[str, str]:
        """The fixed sections as prompts show them, by name."""
        return {name: self.originals.get(name, text) for name, text in self.sections.items()}

    @property
    def allowed(self) -> tuple[str, ...]:
        """Names of the sections that a model may write."""
        names = (*ALLOWED[self.part], *(("scope", "closed") if self.may_scope else ()))
        return tuple(dict.fromkeys(name for name in names if name not in self.sections))

    def text(self, written: Sections, *, mark: bool = True) -> str:
        """Return the text of a draft.

        Args:
            written: the sections that the model wrote.
            mark: whether the draft is marked as one.
        """
        own = {"query": query_section(self.query), **({"meta": MARK} if mark else {})}
        sections = {**self.sections, **written, **own}
        rank = {name: position for position, name in enumerate(ORDER)}
        ordered = sorted(sections, key=lambda name: rank.get(name, len(rank)))
        return "".join(("planspec: task/1\n", f"id: {self.id}\n", *(sections[name] for name in ordered)))

    def over(self, written: Sections) -> Base:
        """Return the base of a draft that has only rules. Tables and plan in `written` become fixed sections."""
        fixed = {name: text for name, text in written.items() if name in VOCABULARY and name != "scope"}
        return replace(self, part="rules", sections={**self.sections, **fixed}, may_scope=True)


def query_section(query: str) -> str:
    """Return the `query` section for a request, quoted so that YAML reads it unchanged."""
    lines = query.split("\n")
    plain = all(line == line.rstrip() and line.isprintable() for line in lines)
    if plain and query.strip() and not query[0].isspace() and lines[-1] and (len(lines) > 1 or len(query) > 60):
        return "query: |-\n" + "".join(f"  {line}\n" if line else "\n" for line in lines)
    return f"query: {json.dumps(query, ensure_ascii=not plain)}\n"


def base_over_library(
    id: str, query: str, path: Path, *, library: str | None, world: str | None, like: Task | None
) -> Base:
    """Return the base of a draft: over a library, over the tables of another task, or of a complete new task.

    Args:
        id: id of the draft.
        query: the request.
        path: assumed path of the draft.
        library: id or path of the library, or None.
        world: id or path of the world, or None.
        like: task with tables, scope and libraries to take over, or None.

    Raises:
        UnsuitableTaskError: the task has turns.
    """
    folder = path.absolute().parent
    fixed = {} if like is None else dict(_taken_over(like, folder))
    originals = {} if like is None else dict(_taken_over(like, like.file.absolute().parent))
    named = {}
    if library is not None:
        named["uses"] = f"uses: [{json.dumps(_reference_from(library, folder))}]\n"
    if world is not None:
        named["world"] = f"world: {json.dumps(_reference_from(world, folder))}\n"
    fixed |= named
    if like is not None:
        return Base(id, query, path, _part_of(like), fixed, givens=givens_text(like), originals={**originals, **named})
    return Base(id, query, path, "values" if library is not None else "task", fixed)


def _reference_from(name: str, folder: Path) -> str:
    """Return a document's name for use in a draft: an id unchanged, a path made relative to the draft's folder."""
    if not name.endswith((".yaml", ".yml")) or not Path(name).is_file():
        return name
    return Path(os.path.relpath(name, folder)).as_posix()


def base_of_task(task: Task) -> Base:
    """Return the base of a draft that formalises the query of an existing task a second time.

    Raises:
        UnsuitableTaskError: the task has turns, or no query.
    """
    if not task.query.strip():
        raise UnsuitableTaskError(f"`{task.id}` has no query to compare with its rules")
    part = _part_of(task)
    fixed = dict(_taken_over(task, task.file.absolute().parent))
    if part == "rules" and "define" not in fixed:
        written = _own_sections(task)
        if "define" in written and _mentions(fixed.values(), written["define"]):
            fixed["define"] = written["define"]
    path = task.file.with_name(f"{re.sub(r'[^A-Za-z0-9-]+', '-', task.id)}.again.task.yaml")
    return Base(task.id, task.query, path, part, fixed, givens=givens_text(task))


def paraphrased_document(task: Task, id: str, query: str, tells: Mapping[str, str], folder: Path) -> str:
    """Return the document of a task with another id, query and quotations.

    Args:
        task: the task.
        id: the new id.
        query: the new query.
        tells: quotations from the new query, by given. They replace quotations from the old query; entries marked as
            trusted remain.
        folder: folder of the document, to which its paths are relative.
    """
    own = _own_sections(task, folder)
    trusted = {}
    if "tells" in own:
        ((_, node),) = mapping_of(own["tells"]).entries
        trusted = {name: text for name, text in scalar_fields(node).items() if text == TRUSTED}
    quotations = {**tells, **trusted}
    lines = [f"  {name}: {json.dumps(text, ensure_ascii=False)}\n" for name, text in quotations.items()]
    new = {"query": query_section(query), "tells": "".join(("tells:\n", *lines)) if lines else ""}
    order = list(own) if "tells" in own else [*own, "tells"]
    written = [{**own, **new}[name] for name in order if name not in ("planspec", "id")]
    return "".join(("planspec: task/1\n", f"id: {json.dumps(id, ensure_ascii=False)}\n", *written))


def givens_text(task: Task) -> str:
    """Return the names and types of a task's givens, such as `budget: money?, late: bool`."""
    givens = task.given_declarations.values()
    return ", ".join(f"{each.name}: {each.type}{'?' if each.optional else ''}" for each in givens)


def _part_of(task: Task) -> Part:
    """Return which part of a task depends on the request: its rules if it defines any, otherwise its givens."""
    own = _own_sections(task)
    return "values" if "uses" in own and "constraints" not in own else "rules"


def _taken_over(task: Task, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each section that a second formalisation, written in `folder`, takes over from a task.

    Raises:
        UnsuitableTaskError: the task has turns.
    """
    own = _own_sections(task, folder)
    if "turns" in own:
        raise UnsuitableTaskError(f"`{task.id}` has turns; a draft is of one request")
    dropped = {*DROPPED, *(RULES if _part_of(task) == "rules" else ())}
    yield from ((name, text) for name, text in own.items() if name not in dropped)


def _own_sections(task: Task, folder: Path | None = None) -> dict[str, str]:
    """Return the sections of a task's document, by name.

    Args:
        task: the task.
        folder: folder to which paths in the sections are made relative; None to leave the paths unchanged.
    """
    root = compose(task.document, Report())
    assert isinstance(root, YamlMapping), "a checked task is a mapping"
    text = yaml_text(replace(root, flow=False)) if root.flow else root.span.source.text
    if folder is not None:
        text = _with_files(mapping_of(text), task.file.absolute().parent, folder)
    return dict(section_texts(mapping_of(text)))


def _with_files(root: YamlMapping, old: Path, new: Path) -> str:
    """Return the text of a document with relative paths of existing files rewritten for another folder."""
    text = root.span.source.text
    if old == new:
        return text
    imported = dict(_imported_by_id(root, old, new))
    for word in reversed(list(_words_below(root))):
        if len(word.text) < MOST_PATH and "\n" not in word.text:
            path = imported.get(word.span.start, old / word.text)
            if path.is_file():
                name = json.dumps(os.path.relpath(path, new), ensure_ascii=False)
                text = text[: word.span.start] + name + text[word.span.end :]
    return text


def _imported_by_id(root: YamlMapping, old: Path, new: Path) -> Iterator[tuple[int, Path]]:
    """Yield offset and file of each library or world that is imported by an id unknown in the new folder."""
    workspace = Workspace()
    for key, node in root.entries:
        kind = {"uses": "library", "world": "world"}.get(key.text)
        for word in _words_below(node) if kind is not None else ():
            paths = workspace.find(kind, word.text, old) if kind is not None and "/" not in word.text else []
            if len(paths) == 1 and workspace.find(kind or "", word.text, new) != paths:
                yield word.span.start, paths[0]


def _words_below(node: Node) -> Iterator[Scalar]:
    """Yield the scalars below a node that may name files, in order."""
    match node:
        case Scalar():
            yield node
        case YamlSequence():
            for item in node.items:
                yield from _words_below(item)
        case YamlMapping():
            for key, value in node.entries:
                if key.text not in NO_FILES:
                    yield from _words_below(value)


def _mentions(texts: Iterable[str], definitions: str) -> bool:
    """Return whether any of the texts contains a name from a section of definitions."""
    root = mapping_of(definitions)
    (section,) = (value for _, value in root.entries)
    names = (
        {key.text.partition("(")[0].strip() for key, _ in section.entries}
        if isinstance(section, YamlMapping)
        else set()
    )
    whole = "\n".join(texts)
    return any(name in whole for name in names)
