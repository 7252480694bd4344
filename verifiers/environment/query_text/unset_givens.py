"""Warnings about queries that state a value for a parameter or a table that the task leaves empty."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType
from planspec.verifiers.environment.query_text.everyday_words import everyday_words, is_named
from planspec.verifiers.environment.query_text.names import folded, is_edge, is_proper
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.value_readings import item_type

COMMON = frozenset({"other", "none", "any", "all", "some", "more", "off", "bar"})
"""Enum members that are also common words. They are not searched for."""
NEGATION = re.compile(
    r"\b(?:no|not|nor|none|neither|never|without|nobody|cannot|less)\b|n't\b|\b(?:kein\w*|nicht|ohne|weder)\b"
)
BEFORE = 40
"""Number of characters before an enum member that are searched for a negation."""
LEAST = 3
"""Minimum number of characters of an enum member. Shorter ones are not searched for."""


def report_empty_quotations(task: Task, queries: Queries, quotations: Sequence[Passage], report: Report) -> None:
    """Warn of the author's quotations (`tells:`) for parameters without a value and for tables without rows."""
    for passage in quotations:
        name = passage.claim.name
        if name.column is not None or passage.values or passage.named:
            continue
        if name.name in task.given_declarations:
            empty = task.givens.get(name.name) in (None, (), False)
        else:
            empty = not task.facts[name.name].rows
        if empty:
            report.warning(
                "PS441",
                f"the query says `{queries.text(passage.part)}`, and `{name}` is empty",
                passage.claim.span,
                "quoted here",
                help=f"give `{name}` what the words say, or take them out",
            )


def report_unset_members(
    task: Task, queries: Queries, values: RequestValues, quotations: Sequence[Passage], report: Report
) -> None:
    """Warn of members of an enum that the queries mention, if a parameter of this enum has no value.

    Members that another value of the task uses are skipped.
    """
    enums: dict[str, tuple[EnumType, str]] = {}
    for name, declared in task.given_declarations.items():
        type_ = item_type(declared.type)
        if not isinstance(type_, EnumType) or values.is_hidden(name) or values.may_be_computed:
            continue
        if task.givens.get(name) in (None, ()):
            enums.setdefault(type_.name, (type_, name))
    for enum, given in enums.values():
        for member in enum.members:
            part = None if member in values.requested or member in COMMON else _place(task, queries, quotations, member)
            if part is not None:
                report.warning(
                    "PS441",
                    f"the query says `{queries.text(part)}`, and nothing uses it",
                    queries.span(part),
                    f"`{given}` has no value",
                    help=f"set `{given}`, or quote the words under `tells` for what they mean",
                )


def report_further_members(task: Task, queries: Queries, quotations: Sequence[Passage], report: Report) -> None:
    """Warn of enum members that the author's quotation for a set names, but that the set lacks.

    Negated members are ignored. So is a member directly beside a member of the set: `rooftop bar` asks for `rooftop`,
    not for `bar`.
    """
    for passage in quotations:
        declared = task.given_declarations.get(passage.claim.name.name)
        type_ = None if declared is None else item_type(declared.type)
        if declared is None or type_ is declared.type or not isinstance(type_, EnumType) or not passage.values:
            continue
        own = {value for value, _ in passage.values}
        for member in type_.members:
            part = None if member in own or member in COMMON else _first_further_member(queries, passage, member, own)
            if part is not None:
                report.warning(
                    "PS441",
                    f"the query says `{queries.text(part)}`, and `{passage.claim.name}` has no `{member}`",
                    queries.span(part),
                    f"quoted for `{passage.claim.name}`",
                    help=f"add it to `{passage.claim.name}`, or quote fewer words",
                )


def _first_further_member(queries: Queries, passage: Passage, member: str, own: Collection[str]) -> QueryPart | None:
    """Return the first occurrence of an enum member in a quotation; None if there is none.

    Negated occurrences, and those directly beside the name of a member in `own`, do not count.
    """
    for part in places_of(queries, member):
        if passage.part.contains(part):
            text = queries.texts[part.query]
            before = folded(text[max(passage.part.start, part.start - BEFORE) : part.start])
            beside = (*before.split()[-1:], *folded(text[part.end :]).split()[:1])
            if NEGATION.search(before) is None and not any(is_named(each, word) for each in own for word in beside):
                return part
    return None


def _place(task: Task, queries: Queries, quotations: Sequence[Passage], member: str) -> QueryPart | None:
    """Return the first occurrence of an enum member in the queries; None if the queries do not mention the member.

    The queries are searched for the member's name and then for its synonyms. Passages that the author quotes (`tells:`)
    for a table or column are not searched for the name. No quoted passage is searched for synonyms.
    """
    tables = [passage for passage in quotations if passage.claim.name.name in task.facts]
    for word in (member, *everyday_words(member)):
        for part in places_of(queries, word):
            if not any(passage.part.overlaps(part) for passage in (tables if word == member else quotations)):
                return part
    return None


def places_of(queries: Queries, member: str) -> Iterator[QueryPart]:
    """Yield the occurrences of an enum member or another name as a whole word."""
    words = member.replace("_", " ")
    has_case = is_proper(member) and " " not in words
    form = words if has_case else words.casefold()
    for number, text in enumerate(queries.texts):
        searched = text if has_case else text.casefold()
        at = searched.find(form) if len(form) >= LEAST and len(searched) == len(text) else -1
        while at != -1:
            end = at + len(form)
            if is_edge(searched, at, form[0]) and is_edge(searched, end, form[-1], after=True):
                yield QueryPart(number, at, end)
            at = searched.find(form, at + 1)
