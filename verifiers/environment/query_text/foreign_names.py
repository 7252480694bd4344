"""Warnings about names of several words, such as `Tea House`, that occur in a query but nowhere in the task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, ScalarType
from planspec.verifiers.environment.query_text.names import folded, occurs, value_names
from planspec.verifiers.environment.query_text.names_in_queries import NamesInQueries
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.value_readings import item_type

NAME = re.compile(
    r"(?<![.?!:;] )(?<!^)\b[A-ZÄÖÜÉ][\w'’-]+(?: (?:[A-ZÄÖÜÉ&][\w'’-]*|of|the|de|la|with))* [A-ZÄÖÜÉ][\w'’-]+"
)
"""Pattern of two or more capitalised words, not at the beginning of a sentence."""
GERMAN = re.compile(r"\b(?:der|die|das|und|ist|ich|wir|nicht|mit|zum|vom)\b")
"""Pattern of words by which a German text is recognised. German texts are skipped, since German
capitalises every noun.
"""
SENTENCE = re.compile(r"[^.?!\n]*")
"""Pattern of the first sentence of a query."""


def report_foreign_names(
    task: Task,
    queries: Queries,
    values: RequestValues,
    quotations: Sequence[Passage],
    names: NamesInQueries,
    report: Report,
) -> None:
    """Warn of names in the queries that occur nowhere else in the task.

    Only tasks with parameters that are texts or refer to rows are checked, and only if the document sets no parameter
    that is hidden from agents. If the queries name the values of all these parameters, names in an introduction are
    skipped. An introduction is a first sentence that contains no name from the task, no words that the author quotes,
    and no words that certainly state an amount. For example, `You are in Rome for a day` is an introduction if `Rome`
    occurs nowhere in the task, because `a day` need not be an amount.
    """
    types = [item_type(declared.type) for declared in task.given_declarations.values()]
    if values.are_computed or not any(type_ is ScalarType.TEXT or isinstance(type_, RowType) for type_ in types):
        return
    used = [folded(name) for name in _names_in_use(values)]
    named = [*(each.part for each in quotations), *(hit.part for hit in names.hits)]
    others = [*named, *(placed.part for placed in queries.mentions)]
    definite = [placed.part for placed in queries.mentions if placed.mention.is_definite]
    scene = None if _lacks_a_name(task, queries) else _opening(queries, used, [*named, *definite])
    for part in _candidates(queries):
        if scene is not None and scene.contains(part):
            continue
        name = folded(queries.text(part))
        if any(other.overlaps(part) for other in others) or any(name in each or each in name for each in used):
            continue
        report.warning(
            "PS441",
            f"the query names `{queries.text(part)}`, and nothing in the task is called so",
            queries.span(part),
            "no given, no row and no text",
            help="set a given to it, or quote the words under `tells` for what they mean",
        )


def _candidates(queries: Queries) -> Iterator[QueryPart]:
    for number, text in enumerate(queries.texts):
        line = text.replace("\n", " ")
        if GERMAN.search(line) is None:
            yield from (QueryPart(number, *match.span()) for match in NAME.finditer(line))


def _lacks_a_name(task: Task, queries: Queries) -> bool:
    """Return whether an unknown name in the queries may be meant as the value of a parameter.

    This is possible if a parameter has no value, is a set or list, or has a value that the queries do not name.
    """
    for name, declared in task.given_declarations.items():
        type_, value = item_type(declared.type), task.givens.get(name)
        if type_ is not ScalarType.TEXT and not isinstance(type_, RowType):
            continue
        if value is None or type_ != declared.type:
            return True
        if not any(occurs(each, queries.folded) for each in value_names(value, type_)):
            return True
    return False


def _opening(queries: Queries, names: Sequence[str], parts: Sequence[QueryPart]) -> QueryPart | None:
    """Return the first sentence of the queries; None if it contains one of the names or overlaps one of the parts."""
    match = SENTENCE.match(queries.texts[0]) if queries.texts else None
    if match is None:
        return None
    opening = QueryPart(0, *match.span())
    text = folded(match[0])
    if any(part.overlaps(opening) for part in parts) or any(occurs(name, text) for name in names):
        return None
    return opening


def _names_in_use(values: RequestValues) -> Iterator[str]:
    for value in values.named:
        if isinstance(value, Row):
            yield from value_names(value, RowType(value._table.name))
        elif len(value) > 2:
            yield value
