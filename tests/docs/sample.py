"""Examples of the language reference, evaluated over the sample task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent

from planspec.dsl.diagnostics import DiagnosticError
from planspec.dsl.documents import task_from_text
from planspec.dsl.show import show
from planspec.dsl.task import Task
from planspec.verifiers.ground import ground
from planspec.verifiers.plan import plan_format
from tests.docs.pages import Block
from tests.paths import ROOT

SAMPLE = (ROOT / "docs" / "sample.task.yaml").read_text(encoding="utf-8")
SECTION = re.compile(r"^(\w+):(.*)\n((?:[ #].*\n|\n)*)", re.MULTILINE)
GROWING = ("types", "tables", "given", "define", "constraints")
"""Sections to which a fragment adds; any other it replaces."""
CODE = re.compile(r"PS\d{3}")


@dataclass(frozen=True, slots=True)
class Example:
    """An expression and what it is said to give: a value, or the code of a diagnostic."""

    expression: str
    told: str


def examples(block: Block) -> Iterator[Example]:
    """The expressions of a `planspec` block, each closed by a line `=> value`."""
    expression: list[str] = []
    for line in block.text.split("\n"):
        if line.startswith("=> "):
            yield Example("\n".join(expression).strip(), line.removeprefix("=> "))
            expression = []
        else:
            expression.append(line)
    if "\n".join(expression).strip():
        raise ValueError(f"no line `=> ...` follows {expression}")


def result(expression: str) -> str:
    """The value of an expression over the sample's reference plan, or the codes of what is wrong with it."""
    try:
        task = task_from_text(merged(f"define:\n  wanted: >-\n{indent(expression, '    ')}\n"))
    except DiagnosticError as error:
        return ", ".join(sorted({d.code for d in error.diagnostics if d.severity.value == "error"}))
    plan, wrong = plan_format(task.family).decode(task, task.reference)
    if wrong:
        raise ValueError(f"the sample's reference cannot be read: {wrong}")
    body = task.definitions["wanted"].body
    return show(ground(task).interpreter.on(plan).value(body, {}), body.type, task.currency)


def merged(fragment: str) -> str:
    """The sample task with the sections of a fragment."""
    text = SAMPLE
    for name, head, body in SECTION.findall(fragment.rstrip("\n") + "\n"):
        old = next((match for match in SECTION.finditer(text) if match[1] == name), None)
        if old is None:
            text = f"{text.rstrip()}\n{name}:{head}\n{body}"
        elif name in GROWING:
            text = f"{text[: old.end()].rstrip()}\n{body.rstrip()}\n{text[old.end() :]}"
        else:
            text = f"{text[: old.start()]}{name}:{head}\n{body.rstrip()}\n{text[old.end() :]}"
    return text


def codes_of(fragment: str) -> set[str]:
    """The codes of everything that is wrong with a task or a fragment of one, warnings among them."""
    text = fragment if fragment.startswith("planspec:") else merged(fragment)
    try:
        task: Task = task_from_text(text)
        return {d.code for d in ground(task).diagnostics}
    except DiagnosticError as error:
        return {d.code for d in error.diagnostics}
