"""Sections that only tasks have: expectation, columns in which plans are compared, reference, free data."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.expectation import EXPECTATIONS, REFUSAL, Expectation, is_refusal
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import ANSWER_BYTES, DEPTH
from planspec.dsl.resources.paths import is_file, shown_path
from planspec.dsl.resources.reading import UnsuitableFileError, read_text
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import texts
from planspec.dsl.yaml.json_text import reason_to_refuse
from planspec.dsl.yaml.reader import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import Scalar as Word


def expectation(document: Document, report: Report) -> Expectation | None:
    """Return the expectation of a task or a suite; None if it declares none."""
    node = document.sections.get("expects")
    return None if node is None else expectation_in(node, document.key_span("expects"), report)


def expectation_in(node: Node, key: Span, report: Report) -> Expectation | None:
    """Return the expectation under a key `expects`; None if the value is not an expectation.

    Args:
        node: value of the key.
        key: span of the key.
        report: receives PS016.
    """
    for word in EXPECTATIONS:
        if isinstance(node, Word) and node.text == word:
            return word
    report.error(
        "PS016",
        "`expects` is `unique`, `feasible` or `infeasible`",
        node.span if node.span.text else key,
        "none of them",
        help=did_you_mean(node.text, EXPECTATIONS) if isinstance(node, Word) else None,
    )
    return None


def check_expectation(task: Task, document: Document, report: Report) -> None:
    """Report a reference that has a plan if the task is expected to have no plan.

    It is only a warning if the task is made from a record, because a proof can still show which of both is right.

    Args:
        task: a task without mistakes.
        document: its document.
        report: receives PS435.
    """
    if task.expects != "infeasible" or task.reference is None or is_refusal(task.reference):
        return
    if isinstance(task.reference, str):
        return  # an answer as text, which is parsed only when it is judged
    add = report.error if task.record is None else report.warning
    add(
        "PS435",
        "a task that is expected to have no plan has a plan as its reference",
        document.sections["reference"].span.first_line,
        "a plan",
        secondary=[Label(document.sections["expects"].span, "no plan is expected")],
        help="leave the reference out, or write `reference: {infeasible: [...]}` with the rules that cannot hold together",
    )


def plan_columns(document: Document, key: str, names: Names, report: Report) -> frozenset[tuple[str, str]] | None:
    """Return the plan columns under the key `unique` or `unique_best`; None if the key is missing."""
    node = document.sections.get(key)
    if node is None:
        return None
    columns = set()
    for word in texts(node, f"`{key}`", report):
        name, _, column = word.text.partition(".")
        table = names.tables.get(name)
        if table is not None and table.plan and column in table.columns:
            columns.add((name, column))
        elif not names.unsure and name not in names.broken:
            options = [f"{x.name}.{c}" for x in names.tables.values() if x.plan for c in x.columns]
            report.error(
                "PS204",
                f"the plan has no column `{word.text}`",
                word.span,
                "a column is written `table.column`",
                help=did_you_mean(word.text, options),
            )
    return frozenset(columns)


def check_best(task: Task, document: Document, report: Report) -> None:
    """Warn about a `unique_best` that adds nothing to `unique`.

    Args:
        task: a task without mistakes.
        document: its document.
        report: receives PS417.
    """
    if task.unique_best is None or task.objectives or not all(constraint.hard for constraint in task.constraints):
        return
    why = "the task has no soft constraint and no objective, so every plan that counts for `unique` counts here"
    span = document.key_span("unique_best")
    report.warning(
        "PS417", "`unique_best` says no more than `unique`", span, why, help="put the columns under `unique`"
    )


def free_data(document: Document, report: Report) -> dict[str, Any]:
    """Return the author's own data under `meta`, which the language does not interpret."""
    node = document.sections.get("meta")
    if isinstance(node, Mapping):
        return {key.text: plain_data(value) for key, value in node.entries}
    if node is not None and not (isinstance(node, Word) and not node.text):
        report.error("PS011", "`meta` must be a mapping", node.span, "not a mapping")
    return {}


def reference_answer(document: Document, sources: list[Source], report: Report) -> Any:
    """Return the answer under `reference` as plain JSON, or as text if it is a block.

    If it names a file, add the file to `sources`.
    """
    node = document.sections.get("reference")
    if node is None or (isinstance(node, Word) and node.text in ("", "none")):
        return None
    if not isinstance(node, Word):
        return answer_data(node)
    if node.style in ("literal", "folded"):
        return node.text
    path = (document.path.parent if document.path else Path()) / node.text
    if not is_file(path):
        report.error(
            "PS014",
            f"the file `{node.text[:80]}` is not there",
            node.span,
            "the reference answer",
            help="without this line `planspec solve TASK -o FILE` can write one",
        )
        return None
    try:
        text = read_text(path, ANSWER_BYTES)
        sources.append(Source(shown_path(path), text))
        answer = json.loads(text, parse_float=Decimal)
        reason = reason_to_refuse(answer, DEPTH)
        if reason is None:
            return answer
    except UnsuitableFileError as error:
        reason = error.strerror or "unfit"
    except (OSError, ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
    report.error("PS014", f"the file `{node.text[:80]}` is not JSON", node.span, reason)
    return None


def answer_data(node: Node) -> Any:
    """Return an answer in YAML as `plain_data` does, except for `{infeasible: true}`, in which `true` is a Boolean."""
    data = plain_data(node)
    return {REFUSAL: True} if data == {REFUSAL: "true"} else data


def plain_data(node: Node) -> Any:
    """Return YAML data as strings, lists and dicts; None for the words `none` and `null`, and for empty values."""
    if isinstance(node, Word):
        return None if node.style == "plain" and node.text in ("", "none", "null") else node.text
    if isinstance(node, Sequence):
        return [plain_data(item) for item in node.items]
    return {key.text: plain_data(value) for key, value in node.entries}
