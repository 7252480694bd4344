"""Export of a suite as a data set for a hub: rows of tasks, a card in Markdown, and Croissant metadata."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

from planspec.api import certificates
from planspec.api.catalog import Catalog
from planspec.dsl.model.proof_hash import proof_hash
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.shared import SharedTask, shared_tasks
from planspec.errors import PlanspecError
from planspec.exports.bundle import CANARY, ExportResult, atomic_folder
from planspec.exports.rows import TaskRow, task_row

ROWS = "tasks.jsonl"
CARD = "README.md"
CROISSANT = "croissant.json"
LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
"""Pattern of SPDX licence identifiers."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""Upper bounds and names of the hubs' size categories."""
CROISSANT_TYPES = {str: "sc:Text", str | None: "sc:Text", int: "sc:Integer", int | None: "sc:Integer"}
FIELD_TEXTS = {
    "task": "id of the task",
    "family": "kind of benchmark; null without one",
    "setting": "setting in which agents meet the task",
    "turns": "number of turns",
    "messages": "first messages, each with role and content",
    "later": "the user's messages at the beginning of later turns",
    "tools": "JSON text: the tools' names, descriptions and parameters",
    "answer_schema": "JSON text: the JSON Schema of answers; null without one",
    "calls": "largest number of tool calls; null for no limit",
    "labels": "JSON text: labels for grouping results",
    "hash": "SHA-256 of everything that the task was read from",
}


class UnknownLicenseError(PlanspecError, ValueError):
    """The string is not an identifier of a licence."""


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """Facts about a suite for its data set card.

    Attributes:
        id: id of the suite, or of the task.
        title: title of the suite.
        license: SPDX identifier of its licence; None if unknown.
        tasks: number of tasks.
        families: numbers of tasks by family; the key of tasks without a family is the empty string.
        settings: names of the settings.
        expected: numbers of tasks by what the author expects, such as `unique` (a single plan).
        proved: numbers of tasks by the claim that a valid certificate proves, such as `unique within the scope, by
            cpsat and smt`.
        references: number of tasks with an answer by the author.
        hash: SHA-256 over the hashes of the tasks.
    """

    id: str
    title: str
    license: str | None
    tasks: int
    families: Mapping[str, int]
    settings: tuple[str, ...]
    expected: Mapping[str, int]
    proved: Mapping[str, int]
    references: int
    hash: str


def export_dataset(
    suite: str | os.PathLike[str], out: Path, *, setting: str | None = None, license: str | None = None
) -> ExportResult:
    """Write a suite as a data set: `tasks.jsonl`, `README.md` with a hub's metadata, and `croissant.json`.

    Args:
        suite: file, folder or id.
        out: folder to create; an existing one must be empty.
        setting: setting in which agents solve the tasks; None for each task's first.
        license: SPDX identifier of the tasks' licence, such as `CC-BY-4.0`; None if unknown.

    Raises:
        UnknownLicenseError: `license` is not such an identifier.
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        UnsuitableExportError: the folder is not empty.
        OSError: a file cannot be written.
    """
    if license is not None and not LICENSE.fullmatch(license):
        raise UnknownLicenseError(
            f"`{license[:60]}` is no identifier of a licence, such as `Apache-2.0` or `CC-BY-4.0`"
        )
    names: list[str] = []
    count = _FactCount()
    with atomic_folder(out) as part:
        digest = sha256()
        with (part / ROWS).open("wb") as file:
            for shared in shared_tasks(suite, setting):
                row = task_row(shared.opened)
                line = json.dumps(asdict(row), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
                digest.update(line)
                file.write(line)
                names.append(row.task)
                count.add(shared, row)
        facts = count.facts(*_name_and_title(suite), license)
        (part / CARD).write_text(card_text(facts), "utf-8")
        croissant = json.dumps(croissant_of(facts, digest.hexdigest()), ensure_ascii=False, indent=1)
        (part / CROISSANT).write_text(croissant + "\n", "utf-8")
    return ExportResult(out, tuple(names))


class _FactCount:
    """Counts the facts of a suite, task by task."""

    def __init__(self) -> None:
        self._tasks = self._references = 0
        self._families: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        self._proved: Counter[str] = Counter()
        self._settings: dict[str, None] = {}
        self._digest = sha256()

    def add(self, shared: SharedTask, row: TaskRow) -> None:
        task = shared.opened.judge.task
        self._tasks += 1
        self._families[task.family or ""] += 1
        self._expected[task.expected] += 1
        self._references += task.reference is not None
        self._settings[row.setting] = None
        self._digest.update(f"{row.task} {row.hash}\n".encode())
        claim = _certified_claim(shared)
        if claim is not None:
            self._proved[claim] += 1

    def facts(self, id: str, title: str, license: str | None) -> SuiteFacts:
        return SuiteFacts(
            id,
            title,
            license,
            self._tasks,
            self._families,
            tuple(self._settings),
            self._expected,
            self._proved,
            self._references,
            self._digest.hexdigest(),
        )


def _certified_claim(shared: SharedTask) -> str | None:
    """Return the claim of a task's valid certificate, such as `unique within the scope, by cpsat and smt`."""
    task = shared.opened.judge.task
    try:
        certificate = certificates.read(certificates.certificate_path(shared.file, task.certificate_id))
    except (OSError, ValueError):
        return None
    return certificate.unique.in_words() if certificate.hash == proof_hash(task) else None


def _name_and_title(suite: str | os.PathLike[str]) -> tuple[str, str]:
    found = Catalog(Workspace()).suite(str(suite))
    return found.id, found.title or found.id


def card_text(facts: SuiteFacts) -> str:
    """Return the data set card of a suite in Markdown. It begins with metadata for hubs."""
    size = next((name for bound, name in SIZES if facts.tasks < bound), "n>1M")
    front = {
        "pretty_name": facts.title,
        **({} if facts.license is None else {"license": facts.license.lower()}),
        "task_categories": ["text-generation"],
        "tags": ["planning", "constraint-satisfaction", "planspec", *filter(None, facts.families)],
        "size_categories": [size],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": ROWS}]}],
    }
    lines = [
        "---",
        *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()),
        "---",
        "",
        f"# {facts.title}",
        "",
        f"<!-- {CANARY} -->",
        "",
        f"{facts.tasks} tasks of the suite `{facts.id}`, written by planspec {version('planspec')}. Each line of `{ROWS}` is a task as",
        "agents see it. No line has an answer.",
        "",
        f"- Settings: {', '.join(f'`{name}`' for name in facts.settings)}",
        f"- Expected by the authors: {_counts(facts.expected)}; {facts.references} tasks have a reference answer",
        f"- Proved by certificates: {_counts(facts.proved) if facts.proved else 'nothing'}; `planspec validate --check` checks them",
        f"- Licence: {facts.license or 'not stated'}",
        f"- SHA-256 over all tasks: `{facts.hash}`",
        "",
        "## Judging",
        "",
        "A verdict depends only on the task and the answer: use `planspec verify`, or the judge in a folder of `planspec export harbor`.",
        "The reward is 1 or 0. The dense reward is from 0 to 1; an answer without work on the task earns 0.",
        "",
        "## Contamination",
        "",
        "The line with `canary` in this card and in `croissant.json` lets training corpora leave these texts out. References and",
        "certificates are not in this data set.",
    ]
    return "\n".join(lines) + "\n"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def croissant_of(facts: SuiteFacts, rows_hash: str) -> dict[str, Any]:
    """Return the Croissant 1.0 metadata of a suite's rows.

    Args:
        facts: facts of the suite.
        rows_hash: SHA-256 of the file of rows.
    """
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": facts.id,
        "description": f"{facts.title}: {facts.tasks} planning tasks as agents meet them. {CANARY}.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **({} if facts.license is None else {"license": f"https://spdx.org/licenses/{facts.license}"}),
        "version": version("planspec"),
        "keywords": ["planning", *filter(None, facts.families)],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": ROWS,
                "name": ROWS,
                "contentUrl": ROWS,
                "encodingFormat": "application/jsonlines",
                "sha256": rows_hash,
            }
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "tasks", "name": "tasks", "field": [*_croissant_fields()]}],
    }


def _croissant_fields() -> Iterator[dict[str, Any]]:
    hints = get_type_hints(TaskRow)
    for each in fields(TaskRow):
        field = {
            "@type": "cr:Field",
            "@id": f"tasks/{each.name}",
            "name": each.name,
            "description": FIELD_TEXTS[each.name],
        }
        if hints[each.name] == list[dict[str, str]]:
            parts = [_message_part(each.name, part) for part in ("role", "content")]
            yield {**field, "repeated": True, "subField": parts}
        else:
            yield {**field, "dataType": CROISSANT_TYPES[hints[each.name]], "source": _source(each.name)}


def _message_part(column: str, part: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"tasks/{column}/{part}",
        "name": part,
        "dataType": "sc:Text",
        "source": {**_source(column), "transform": {"jsonPath": part}},
    }


def _source(column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": ROWS}, "extract": {"column": column}}


_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""JSON-LD context from the specification of Croissant 1.0."""
