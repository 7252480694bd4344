"""Preparation of a task's cases for judging. Each becomes an answer, or plan tables if it edits another answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planspec.api.judging import Judge
from planspec.api.profiles import JudgedAnswer
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.cases import read_cases, rule_of
from planspec.dsl.model.case import Case, ChangedAnswer, GivenAnswer
from planspec.dsl.model.task import Task
from planspec.dsl.yaml.reader import Scalar
from planspec.verifiers.answers.changes import changed_tables
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.margin import parse_margin
from planspec.verifiers.meaning.plan_rows import Plan

UNITS = ("min", "m", "d", "1")
"""Units of margins other than money."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedCase:
    """A case with the answer to judge.

    Attributes:
        case: the case.
        answer: answer in the format of the task's family or, if `tables` is true, as plan tables.
    """

    case: Case
    answer: Any
    tables: bool = False

    def judge(self, judge: Judge) -> JudgedAnswer:
        """Judge the answer. Return the verdict and the plan."""
        if not self.tables:
            return judge.judge_with_plan(judge.reading(self.answer))
        plan, wrong = TABLES.decode(judge.task, self.answer)
        return JudgedAnswer(judge.plan(plan, [finding.as_finding() for finding in wrong]), plan)


def prepare_cases(judge: Judge, report: Report, task: Task | None = None) -> tuple[PreparedCase, ...]:
    """Prepare the cases of a task. Cases with errors are left out.

    Args:
        judge: judge of the task, in the profile `strict`.
        report: collects the errors of the cases.
        task: the same task with other cases; None for the cases of the judge's own task.
    """
    cases = []
    for case in read_cases(task or judge.task, report):
        before = len(report.diagnostics)
        _check_names(case, judge.ground, report)
        prepared = _prepare(case, judge, report)
        if prepared is not None and len(report.diagnostics) == before:
            cases.append(prepared)
    return tuple(cases)


def _prepare(case: Case, judge: Judge, report: Report) -> PreparedCase | None:
    answer = case.answer
    match answer:
        case None:
            return PreparedCase(case, judge.task.reference)
        case GivenAnswer(data):
            return PreparedCase(case, data, tables=judge.format is not TABLES and _is_tables(judge, data))
        case ChangedAnswer(base, change):
            plan = _decode_plan(judge, judge.task.reference if base is None else base.data)
            if plan is None:
                where = case.name.span if base is None else base.span
                report.error("PS604", "the answer that is changed is no plan", where, "nothing to change")
                return None
            return PreparedCase(case, changed_tables(judge.task, plan, change, report), tables=True)


def _is_tables(judge: Judge, data: Any) -> bool:
    """Return whether an answer consists of plan tables, not of the family's format."""
    return isinstance(data, Mapping) and data.keys() == {table.name for table in judge.task.plan_tables}


def _decode_plan(judge: Judge, data: Any) -> Plan | None:
    if _is_tables(judge, data):
        return TABLES.decode(judge.task, data)[0]
    read = judge.reading(data)
    return None if isinstance(read, Undelivered) else judge.read(read.plan)


# -- names and margins -------------------------------------------------------------------------------------


def _check_names(case: Case, ground: Ground, report: Report) -> None:
    """Report unknown constraints and malformed margins in a case."""
    applicable = {instance.id: instance.applicable for instance in ground.instances}
    for word in (*case.violates, *(case.soft or ())):
        _check_instance(word, applicable, report)
    for word, value in case.margins:
        named = [name for name, applies in applicable.items() if applies and word.text in (name, rule_of(name))]
        if not _check_instance(word, applicable, report):
            continue
        if len(named) > 1:
            report.error(
                "PS605",
                f"`{word.text}` has {len(named)} instances",
                word.span,
                "whose margin?",
                help=f"name one of them, such as `{named[0]}`",
            )
        if not _is_valid_margin(value.text, ground.task.currency):
            report.error(
                "PS607",
                f"`{value.text[:80]}` is no margin",
                value.span,
                "a number with its unit, such as -45min",
                help="`planspec verify` shows the margin of an instance in parentheses",
            )


def _check_instance(word: Scalar, applicable: Mapping[str, bool], report: Report) -> bool:
    """Return whether a word is the id of an applicable constraint instance, or of a constraint with one."""
    name = word.text
    applies = [is_applicable for instance, is_applicable in applicable.items() if name in (instance, rule_of(instance))]
    if any(applies):
        return True
    if applies:
        report.error("PS605", f"`{name}` does not apply to the task", word.span, "never violated")
    else:
        report.error(
            "PS605",
            f"the constraint `{rule_of(name)}` has no instance `{name}`",
            word.span,
            "unknown instance",
            help=did_you_mean(name, _instances(rule_of(name), applicable)),
        )
    return False


def _instances(rule: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if rule_of(name) == rule]


def _is_valid_margin(text: str, currency: str | None) -> bool:
    units = (*UNITS, *(() if currency is None else (currency,)))
    return any(parse_margin(text, unit) is not None for unit in units)
