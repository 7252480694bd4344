"""Warnings about constraints of a task's document that the query does not mention, although it mentions most others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import part_expressions, walk
from planspec.dsl.model.value_text import row_key
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.stems import stems
from planspec.verifiers.environment.query_text.value_readings import MEASURED, is_mentioned

LEAST = 4
"""Minimum number of constraints in the document. With fewer, their words are not compared."""
MOST_SHOWN = 3
"""Maximum number of rows that a warning names."""
FEW = 4
"""A word characterises a constraint if it occurs in only one, or in at most one in `FEW` of all constraints."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A constraint with the stems of its words.

    Attributes:
        constraint: the constraint.
        words: stems of the words of its id, its message, and the names that it uses.
        facts: for each of the document's tables and columns that it reads, the stems of the name.
    """

    constraint: t.Constraint
    words: frozenset[str]
    facts: Mapping[str, frozenset[str]]


def report_unmentioned_rules(task: Task, queries: Queries, report: Report) -> None:
    """Warn of hard constraints that the queries do not mention, if no other constraint reads the same table or column.

    The words of a constraint are those of its id, its message, and the names that it uses. Words that occur in many
    constraints are ignored. Constraints that read a given parameter with an amount, time or date are skipped, because
    `UnstatedValues` searches the queries for such values. Tables and columns with an entry under `tells:` are skipped,
    too. If the queries mention less than half of the constraints, there is no warning, because the constraints must
    then be described elsewhere.
    """
    rules = list(_rules(task))
    if len(rules) < LEAST:
        return
    counts = Counter(word for rule in rules for word in rule.words)
    text = stems(queries.plain)
    own = {
        rule.constraint.id: frozenset(w for w in rule.words if counts[w] <= max(1, len(rules) // FEW)) for rule in rules
    }
    matched = [rule for rule in rules if own[rule.constraint.id] & text]
    if 2 * len(matched) < len(rules):
        return
    unmentioned = [rule for rule in rules if own[rule.constraint.id] and rule not in matched]
    for rule in unmentioned:
        alone = [name for name, words in rule.facts.items() if any(counts[stem] == 1 for stem in words)]
        if (
            rule.constraint.hard
            and alone
            and not _reads_measured_given(rule.constraint)
            and not _has_amounts(task, queries, rule)
        ):
            report.warning(
                "PS442",
                f"no word of the query states `{rule.constraint.id}`, which reads `{alone[0]}`{_examples(task, alone[0])}",
                rule.constraint.span,
                "no word of this rule is in the query",
                help="state the rule, or quote the words that do under `tells` for what it reads",
            )


def _examples(task: Task, fact: str) -> str:
    """Return the keys of the first rows of the table `fact` as text; empty if `fact` is the name of a column."""
    rows = task.facts[fact].rows if fact in task.own_tables else ()
    names = ", ".join(row_key(row, task.currency) for row in rows[:MOST_SHOWN])
    return f": {names}{', ...' if len(rows) > MOST_SHOWN else ''}" if names else ""


def _rules(task: Task) -> Iterator[_Rule]:
    """Yield a `_Rule` for each constraint in the task's own document."""
    for constraint in task.constraints:
        if constraint.span.source is task.span.source:
            facts = {name: stems(name) for name in _facts(task, constraint)}
            names = " ".join(_names(constraint))
            yield _Rule(constraint, stems(f"{constraint.id} {names}").union(*facts.values()), facts)


def _names(constraint: t.Constraint) -> Iterator[str]:
    """Yield the message of a constraint and the names that it uses, except names of tables and columns."""
    for text in (constraint.message, constraint.says):
        yield from (piece for piece in text or () if isinstance(piece, str))
    for node in walk(*part_expressions(constraint)):
        match node:
            case t.Literal(value=str(member)):
                yield member
            case t.RowNamed():
                yield str(node.key)
            case t.GivenRef():
                yield node.given.name
            case t.Apply():
                yield node.definition.name


def _facts(task: Task, constraint: t.Constraint) -> Iterator[str]:
    """Yield the document's tables and columns that a constraint reads, except those with an entry under `tells:`."""
    quoted_names = {claim.name for claim in task.environment.tells}
    for node in walk(*part_expressions(constraint)):
        match node:
            case t.AllRows() | t.Lookup() | t.OnlyRow() if node.table.name in task.own_tables:
                if HiddenName(node.table.name) not in quoted_names:
                    yield node.table.name
            case t.FieldOf():
                table = node.row.type
                name = getattr(table, "table", None)
                if (
                    name in task.own_tables
                    and not {HiddenName(name), HiddenName(name, node.column.name)} & quoted_names
                ):
                    yield node.column.name


def _has_amounts(task: Task, queries: Queries, rule: _Rule) -> bool:
    """Return whether the queries mention an amount from a column or table that a constraint reads.

    They may then state the constraint by this amount, without any of its words.
    """
    mentions = [placed.mention for placed in queries.mentions]
    for name in task.own_tables:
        columns = [c for c in task.tables[name].columns.values() if c.type in MEASURED]
        read = [c for c in columns if name in rule.facts or c.name in rule.facts]
        for column in read:
            values = {getattr(row, column.name) for row in task.facts[name].rows} - {None}
            if any(is_mentioned(value, column.type, task.currency, mentions) for value in values):
                return True
    return False


def _reads_measured_given(constraint: t.Constraint) -> bool:
    """Return whether a constraint reads a given parameter that is an amount, a time or a date.

    `UnstatedValues` searches the queries for the values of such parameters.
    """
    return any(isinstance(node, t.GivenRef) and node.type in MEASURED for node in walk(constraint.body))
