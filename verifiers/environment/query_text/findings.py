"""Warnings about a task's query: amounts and names that the task does not use, and values that the query lacks."""

from __future__ import annotations

from collections.abc import Collection

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.query_text.bounds import report_bounds
from planspec.verifiers.environment.query_text.days_of_week import report_days_of_week
from planspec.verifiers.environment.query_text.directions import report_exchanged_ends
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.foreign_names import report_foreign_names
from planspec.verifiers.environment.query_text.joined_values import report_joined_values
from planspec.verifiers.environment.query_text.likeness import report_other_rows
from planspec.verifiers.environment.query_text.listed_names import report_listed_names
from planspec.verifiers.environment.query_text.names_apart import report_names_apart
from planspec.verifiers.environment.query_text.names_in_queries import NamesInQueries
from planspec.verifiers.environment.query_text.orders import report_orders
from planspec.verifiers.environment.query_text.passages import passages, unused_mentions
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.removed_rows import report_removed_rows
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.retold_rows import report_retold_rows
from planspec.verifiers.environment.query_text.row_counts import report_row_counts
from planspec.verifiers.environment.query_text.unmentioned_rules import report_unmentioned_rules
from planspec.verifiers.environment.query_text.unset_givens import (
    report_empty_quotations,
    report_further_members,
    report_unset_members,
)
from planspec.verifiers.environment.query_text.unstated_values import UnstatedValues


def query_findings(task: Task, *, reported: Collection[HiddenName] = (), rules: bool = True) -> tuple[Diagnostic, ...]:
    """Return warnings about differences between a task's query and its data and constraints.

    No solver and no language model is used. In a conversation, the queries up to the task's turn are taken together.

    Args:
        task: a task without errors.
        reported: parameters, tables and columns that were already reported as unknown to agents. They are skipped.
        rules: whether to report also constraints that the queries do not mention.

    Returns:
        Warnings `PS441`, `PS442` and `PS443` in order of position. They are heuristic: the query may state a value in
        words that are not recognised. The author can then quote these words under `tells:`.
    """
    report = Report()
    places = DocumentPlaces(task)
    queries, values = Queries(task, places), RequestValues(task, places, reported)
    quotations = passages(task, queries, values)
    names = NamesInQueries(task, queries, values, quotations)
    unused = unused_mentions(queries, values, quotations, names.parts())
    for placed in unused:
        report.warning(
            "PS441",
            f"the query says `{queries.text(placed.part)}`, and nothing uses it",
            queries.span(placed.part),
            "no given, no row and no constraint",
            help="mend the query or the rules; if other words of the task mean it, quote it under `tells`",
        )
    report_bounds(queries, values, quotations, names.parts(), report)
    names.report(report)
    report_empty_quotations(task, queries, quotations, report)
    report_unset_members(task, queries, values, quotations, report)
    report_further_members(task, queries, quotations, report)
    report_foreign_names(task, queries, values, quotations, names, report)
    report_other_rows(task, queries, values, quotations, report)
    report_names_apart(task, queries, report)
    if rules:
        report_unmentioned_rules(task, queries, report)
    report_row_counts(task, queries, values, places, report)
    report_retold_rows(task, queries, values, quotations, report)
    report_joined_values(queries, values, quotations, task.currency, report)
    report_listed_names(task, queries, values, places, report)
    report_days_of_week(queries, quotations, report)
    report_exchanged_ends(queries, values, report)
    report_orders(task, queries, values, quotations, report)
    UnstatedValues(task, queries, values, quotations, unused, names).report(report)
    report_removed_rows(task, queries, places, report)
    return report.ordered()
