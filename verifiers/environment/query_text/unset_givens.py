"""Givens without a value that the query mentions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType
from planspec.verifiers.environment.query_text.everyday_words import everyday_words
from planspec.verifiers.environment.query_text.names import is_edge, is_proper
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.value_readings import item_type

COMMON = frozenset({"other", "none", "any", "all", "some", "more", "off"})
"""Enum members that are words of any text."""
LEAST = 3
"""Least number of characters of an enum member that is searched for."""


def report_empty_quotations(task: Task, queries: Queries, quoted: Sequence[Passage], report: Report) -> None:
    """Warn of passages under `tells` for givens without a value and for tables of the document without rows."""
    for passage in quoted:
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
    task: Task, queries: Queries, values: RequestValues, quoted: Sequence[Passage], report: Report
) -> None:
    """Warn of enum members outside passages that nothing uses although a given without a value takes them."""
    enums: dict[str, tuple[EnumType, str]] = {}
    for name, declared in task.given_declarations.items():
        type_ = item_type(declared.type)
        if not isinstance(type_, EnumType) or values.is_hidden(name) or values.may_be_computed:
            continue
        if task.givens.get(name) in (None, ()):
            enums.setdefault(type_.name, (type_, name))
    for enum, given in enums.values():
        for member in enum.members:
            part = None if member in values.requested or member in COMMON else _place(task, queries, quoted, member)
            if part is not None:
                report.warning(
                    "PS441",
                    f"the query says `{queries.text(part)}`, and nothing uses it",
                    queries.span(part),
                    f"`{given}` has no value",
                    help=f"set `{given}`, or quote the words under `tells` for what they mean",
                )


def _place(task: Task, queries: Queries, quoted: Sequence[Passage], member: str) -> QueryPart | None:
    """Return the first place of an enum member outside passages for tables, or of an everyday word outside all."""
    tables = [passage for passage in quoted if passage.claim.name.name in task.facts]
    for word in (member, *everyday_words(member)):
        for part in _places(queries, word):
            if not any(passage.part.overlaps(part) for passage in (tables if word == member else quoted)):
                return part
    return None


def _places(queries: Queries, member: str) -> Iterator[QueryPart]:
    """Yield the places of an enum member as a word."""
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
