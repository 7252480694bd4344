"""Sections that only a task has: objectives, columns that distinguish plans, reference, free data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.check.type_rules import type_with_article, with_definite_type, without_factor
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.expectation import EXPECTATIONS, REFUSAL, Expectation, is_refusal
from planspec.dsl.model.task import OPTIMAL, MaxGap, Objective, Task
from planspec.dsl.model.types import ORDERED, ScalarType, Special
from planspec.dsl.model.values import InvalidValueError, parse_value
from planspec.dsl.resources.limits import ANSWER_BYTES, DEPTH
from planspec.dsl.resources.reading import UnsuitableFileError, read_text
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.sections import texts
from planspec.dsl.workspace.workspace import is_file, shown_path
from planspec.dsl.yaml.json_text import reason_to_refuse
from planspec.dsl.yaml.reader import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import Scalar as Word


def objectives(document: Document, checker: Checker) -> Iterator[Objective]:
    """Yield the objectives of a task or library in the order of its text."""
    named: dict[str, Span] = {}
    for key, node in document.root.entries:
        if key.text not in ("minimize", "maximize"):
            continue
        items = node.items if isinstance(node, Sequence) else (node,)
        if not items:
            checker.report.error("PS011", f"`{key.text}` is an expression or a list of them", node.span, "empty")
        for item in items:
            entries = item.entries if isinstance(item, Mapping) else ((None, item),)
            for word, value in entries:
                expression = _objective(value, checker)
                if expression is None:
                    continue
                objective = _named_objective(None if word is None else word.text, key.text == "maximize", expression)
                place = value.span if word is None else word.span
                first = named.setdefault(objective.name, place)
                if first is not place:
                    checker.report.error(
                        "PS202",
                        f"two objectives are called `{objective.name}`",
                        place,
                        "again here",
                        secondary=[Label(first, "first here")],
                        help="give one of them a name: `{makespan: ...}`",
                    )
                yield objective


def _named_objective(name: str | None, maximize: bool, expression: t.Expr) -> Objective:
    called = expression.definition if isinstance(expression, t.Apply) and not expression.args else None
    if called is None:
        own = t.Definition("objective", (), expression.span)
        object.__setattr__(own, "body", expression)
    else:
        own = called
    text = " ".join(expression.span.text.split())
    return Objective(maximize, expression, name or (text if called is None else called.name), own)


def _objective(node: Node, checker: Checker) -> t.Expr | None:
    tree = parse_node("expression", node, checker.report)
    if tree is None or not checker.is_shallow(tree):
        return None
    expr = with_definite_type(checker.expression(tree, {}))
    if expr.type is not Special.WRONG and without_factor(expr.type) not in ORDERED:
        checker.report.error("PS303", "an objective is a number", expr.span, type_with_article(expr.type))
    return expr


def max_gaps(node: Node | None, objectives: Seq[Objective], currency: str | None, report: Report) -> tuple[MaxGap, ...]:
    """Return the largest gaps of passing plans.

    Args:
        node: the content of `max_gap`; None without one.
        objectives: the task's objectives.
        currency: the currency of amounts of money.
        report: receives the mistakes.
    """
    if node is None:
        return ()
    words = texts(node, "`max_gap`", report)
    if not words:
        report.error("PS011", "`max_gap` is a gap or a list of them", node.span, "empty", help="write `max_gap: 0`")
    if len(words) > len(objectives):
        written, count = "1 gap" if len(words) == 1 else f"{len(words)} gaps", len(objectives) or "no"
        report.error(
            "PS437",
            f"`max_gap` has {written}, and the task {count} objective{'' if len(objectives) == 1 else 's'}",
            node.span,
            "a gap of which objective?",
            help="write `minimize:` or `maximize:`" if not objectives else None,
        )
        return ()
    gaps = (_max_gap(word, each, currency, report) for word, each in zip(words, objectives, strict=False))
    return tuple(gap for gap in gaps if gap is not None)


ASKS_FOR_BEST = re.compile(
    r"\b(?<!at )(\w{2,}est|least|most|less|fewe?r?|best|optim\w*|minim\w*|maxim\w*|as \w+ as|cheap\w*|low\w*|high\w*)\b|最|尽",
    re.IGNORECASE,
)
"""Words of a query that asks for the best plan."""
PERCENT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?%")


def _max_gap(word: Word, objective: Objective, currency: str | None, report: Report) -> MaxGap | None:
    """Return the largest gap of an objective; None after a report."""
    percent = PERCENT.fullmatch(word.text.strip())
    if percent is not None:
        return MaxGap(Fraction(percent[1]) / 100, True, word.text)
    type_ = without_factor(objective.expression.type)
    moment = type_ in (ScalarType.TIME, ScalarType.MOMENT)
    of = ScalarType.DURATION if moment else ScalarType.INT if type_ is ScalarType.DATE else type_
    if of is Special.UNIT_ZERO:
        of = ScalarType.INT
    if of not in ORDERED:
        return None  # the objective is reported
    try:
        amount = Fraction(parse_value(word.text, of, currency=currency))
    except InvalidValueError as error:
        why = str(error)
    else:
        if amount >= 0:
            return MaxGap(amount, False, word.text)
        why = "it is negative"
    report.error(
        "PS016", f"`{word.text[:80]}` is no gap of `{objective.name}`", word.span, why, help="or a share, such as `5 %`"
    )
    return None


def check_max_gap(task: Task, document: Document, report: Report) -> None:
    """Warn of a query that does not ask for the best plan, and report a constraint with the name of the gap's finding.

    Args:
        task: a task without mistakes.
        document: its document.
        report: receives PS202 and PS438.
    """
    if not task.max_gaps:
        return
    for constraint in task.constraints:
        if constraint.id == OPTIMAL:
            report.error(
                "PS202",
                f"with `max_gap` no constraint is called `{OPTIMAL}`",
                constraint.span.first_line,
                "the name of the gap's own finding",
                help="give it another id",
            )
    if task.expects != "infeasible" and not ASKS_FOR_BEST.search(" ".join(task.conversation)):
        report.warning(
            "PS438",
            "a plan passes only if it is among the best, and the query does not seem to ask for that",
            document.sections["max_gap"].span if "max_gap" in document.sections else task.span.first_line,
            "`max_gap` is a condition of passing",
            help="say in the query what should be least or most",
        )


def expectation(document: Document, report: Report) -> Expectation | None:
    """Return what a task or a suite expects of its plans; None if it does not say it."""
    node = document.sections.get("expects")
    if node is None:
        return None
    for word in EXPECTATIONS:
        if isinstance(node, Word) and node.text == word:
            return word
    report.error(
        "PS016",
        "`expects` is `unique`, `feasible` or `infeasible`",
        node.span if node.span.text else document.key_span("expects"),
        "none of them",
        help=did_you_mean(node.text, EXPECTATIONS) if isinstance(node, Word) else None,
    )
    return None


def check_expectation(task: Task, document: Document, report: Report) -> None:
    """Report a reference with a plan for a task that is expected to have none.

    Args:
        task: a task without mistakes.
        document: its document.
        report: receives PS435.
    """
    if task.expects != "infeasible" or task.reference is None or is_refusal(task.reference):
        return
    report.error(
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
    if task.unique_best is None:
        return
    if all(constraint.hard for constraint in task.constraints):
        why = "the task has no soft constraint, so every plan that counts for `unique` counts here"
        help_text = "put the columns under `unique`"
    elif task.unique is None:
        why, help_text = (
            "without `unique` every open field counts",
            "list under `unique` what hard constraints settle",
        )
    else:
        return
    span = document.key_span("unique_best")
    report.warning("PS417", "`unique_best` says no more than `unique`", span, why, help=help_text)


def free_data(document: Document, report: Report) -> dict[str, Any]:
    """Return the data under `meta`."""
    node = document.sections.get("meta")
    if isinstance(node, Mapping):
        return {key.text: plain_data(value) for key, value in node.entries}
    if node is not None and not (isinstance(node, Word) and not node.text):
        report.error("PS011", "`meta` must be a mapping", node.span, "not a mapping")
    return {}


def reference_answer(document: Document, sources: list[Source], report: Report) -> Any:
    """Return the answer under `reference` as plain JSON. If it names a file, add the file to `sources`."""
    node = document.sections.get("reference")
    if node is None or (isinstance(node, Word) and node.text in ("", "none")):
        return None
    if not isinstance(node, Word):
        return answer_data(node)
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
    """Return an answer in YAML as JSON: as `plain_data`, but `{infeasible: true}` has a Boolean."""
    data = plain_data(node)
    return {REFUSAL: True} if data == {REFUSAL: "true"} else data


def plain_data(node: Node) -> Any:
    """Return YAML data as texts, lists and dicts; None for the words `none` and `null`, and for blanks."""
    if isinstance(node, Word):
        return None if node.style == "plain" and node.text in ("", "none", "null") else node.text
    if isinstance(node, Sequence):
        return [plain_data(item) for item in node.items]
    return {key.text: plain_data(value) for key, value in node.entries}
