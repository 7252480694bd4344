"""Evaluation of the language reference's examples over the sample task."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Report
from planspec.dsl.documents.documents import check_document, task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import show
from planspec.dsl.structure.document import document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text
from planspec.family.registry import family_of
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.meaning.ground import ground
from tests.docs.pages import Block
from tests.paths import ROOT

SAMPLE = (ROOT / "docs" / "sample.task.yaml").read_text(encoding="utf-8")
SECTION = re.compile(r"^(\w+):(.*)\n((?:[ #].*\n|\n)*)", re.MULTILINE)
EXTENDED_SECTIONS = ("types", "tables", "given", "define", "constraints")
"""Sections to which a fragment of the language reference adds entries. Other sections of a fragment replace the
sample's.
"""
CODE = re.compile(r"PS\d{3}")


@dataclass(frozen=True, slots=True)
class Example:
    """An expression on the page.

    Attributes:
        expression: the expression.
        expected: its value or diagnostic codes on the page.
        line: number of the line with the value in the page, from 1.
    """

    expression: str
    expected: str
    line: int


def examples(block: Block) -> Iterator[Example]:
    """Yield the expressions of a `planspec` block. Each ends with a line `=> value`."""
    expression: list[str] = []
    for number, line in enumerate(block.text.split("\n"), block.start + 1):
        if line.startswith("=> "):
            yield Example("\n".join(expression).strip(), line.removeprefix("=> "), number)
            expression = []
        else:
            expression.append(line)
    if "\n".join(expression).strip():
        raise ValueError(f"no line `=> ...` follows {expression}")


def value_or_codes(expression: str) -> str:
    """Return the value of an expression over the sample's reference plan, or the codes of its diagnostics."""
    try:
        task = task_from_text(merge_with_sample(f"define:\n  wanted: >-\n{indent(expression, '    ')}\n"))
    except DiagnosticError as error:
        return ", ".join(sorted({d.code for d in error.diagnostics if d.severity.value == "error"}))
    plan, faults = family_of(task.family).format.load().decode(task, task.reference)
    if faults:
        raise ValueError(f"the sample's reference cannot be read: {faults}")
    body = task.definitions["wanted"].body
    return show(ground(task).interpreter.on(plan).value(body, {}), body.type, task.currency)


def tool_result(fragment: str, call: str) -> str:
    """Return the result of a call such as `find {"city": "Rome"}` of a tool that a fragment declares."""
    name, _, arguments = call.partition(" ")
    views = TaskViews(task_from_text(merge_with_sample(fragment)))
    (setting, *_) = views.settings().values()
    tool = next(tool for tool in views.tools(setting) if tool.name == name)
    return json.dumps(tool.run(json.loads(arguments)), ensure_ascii=False)


def shows_of(fragment: str) -> str:
    """Return the texts that the section `shows` of a fragment produces, each after a line `=> ` with its title."""
    views = TaskViews(task_from_text(merge_with_sample(fragment)))
    (setting, *_) = views.settings().values()
    return "\n".join(f"=> {title}\n{text}" for title, text in views.shows(setting).items())


def merge_with_sample(fragment: str) -> str:
    """Return the text of the sample task with the sections of a fragment added or replaced."""
    text = SAMPLE
    for name, head, body in SECTION.findall(fragment.rstrip("\n") + "\n"):
        old = next((match for match in SECTION.finditer(text) if match[1] == name), None)
        if old is None:
            text = f"{text.rstrip()}\n{name}:{head}\n{body}"
        elif name in EXTENDED_SECTIONS:
            text = f"{text[: old.end()].rstrip()}\n{body.rstrip()}\n{text[old.end() :]}"
        else:
            text = f"{text[: old.start()]}{name}:{head}\n{body.rstrip()}\n{text[old.end() :]}"
    return text


def codes_of(fragment: str) -> set[str]:
    """Return the codes of all diagnostics of a task or a fragment, including warnings."""
    text = fragment if fragment.startswith("planspec:") else merge_with_sample(fragment)
    report = Report()
    workspace = Workspace()
    parsed = document(source_from_text(text, "page.task.yaml"), None, report)
    checked = check_document(parsed, workspace, report) if parsed is not None else None
    grounded: tuple[Diagnostic, ...] = ()
    if isinstance(checked, Task):
        try:
            grounded = ground(checked).diagnostics
        except DiagnosticError as error:
            grounded = error.diagnostics
    return {d.code for d in (*report.diagnostics, *grounded)}
