"""Objectives of tasks and libraries, and `max_gap`: the maximum gap between a passing plan and the best plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Seq
from fractions import Fraction

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.type_rules import type_with_article, with_definite_type, without_factor
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import OPTIMAL, MaxGap, Objective, Task
from planspec.dsl.model.types import ORDERED, ScalarType, Special
from planspec.dsl.model.values import InvalidValueError, parse_value
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import texts
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
    """Return the maximum gaps of passing plans, one for each objective that has one.

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
"""Pattern of the words by which a query asks for the best plan, such as `cheapest`."""
PERCENT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?%")


def _max_gap(word: Word, objective: Objective, currency: str | None, report: Report) -> MaxGap | None:
    """Return the maximum gap for an objective; None if a mistake was reported."""
    percent = PERCENT.fullmatch(word.text.strip())
    if percent is not None:
        return MaxGap(Fraction(percent[1]) / 100, True, word.text)
    type_ = without_factor(objective.expression.type)
    moment = type_ in (ScalarType.TIME, ScalarType.MOMENT)
    of = ScalarType.DURATION if moment else ScalarType.INT if type_ is ScalarType.DATE else type_
    if of is Special.UNIT_ZERO:
        of = ScalarType.INT
    if of not in ORDERED:
        return None  # the mistake is in the objective, and reported there
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
    """Check a task with `max_gap`: warn if its query does not ask for the best plan; report a constraint named `optimal`.

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
            document.sections["max_gap"].span if "max_gap" in document.sections else task.place,
            "`max_gap` is a condition of passing",
            help="say in the query what should be least or most",
        )
