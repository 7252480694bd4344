"""A checked task: what `dsl` hands to the verifier and to the solvers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model.case import CaseSection
from planspec.dsl.model.environment import Environment
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.tree import Clause, Constraint, Definition, Expr, Given
from planspec.dsl.model.types import EnumType, Table
from planspec.shown import Shown


@dataclass(frozen=True, slots=True, eq=False)
class ScopeField:
    """The domain of one field of a scope row.

    `domain` is a value (the constant), or of a set type whose items are the field's type when `many`.
    `or_none`: the `?` behind it.
    """

    domain: Expr
    many: bool
    or_none: bool


@dataclass(frozen=True, slots=True, eq=False)
class ScopeRow:
    """One entry of `scope`: for each binding of `clauses`, a row the search may use."""

    table: Table
    clauses: tuple[Clause, ...]
    fields: Mapping[str, ScopeField]
    optional: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """An objective, which `solve` optimises after the soft constraints."""

    maximize: bool
    expression: Expr

    @property
    def word(self) -> str:
        """The key under which it stands."""
        return "maximize" if self.maximize else "minimize"

    @property
    def span(self) -> Span:
        """The place of its expression."""
        return self.expression.span


TaskPart: TypeAlias = Constraint | Objective | ScopeRow
"""What has expressions of its own in a task, beside its definitions."""


@dataclass(frozen=True, slots=True, eq=False)
class Task(Shown):
    """A task whose text is without errors.

    Attributes:
        id: the task's name.
        family: the format its answers come in, None for the tables themselves as JSON.
        tables: every table by name, static and plan.
        facts: the rows of every static table by its name.
        enums: every named enum by name.
        givens: every given's run-time value by name.
        given_declarations: their types.
        definitions: named values and functions.
        constraints: in order; library constraints first, without those the task drops.
        scope: in order.
        closed: the scope's rows are law.
        objectives: in order; each ranks the plans that are the best by those before it.
        unique: names of (table, column) that tell plans apart besides keys; None for every open field.
        unique_best: further ones that are alike in all plans that keep every soft constraint, too; None where nobody claims it.
        reference: plain JSON of the answer the author gives, None if there is none.
        measures: names of definitions to report.
        currency: the world's, such as `EUR`; None where there is no money.
        removable: static tables whose rows tightening may leave out.
        sources: every file that was read, for hashes.
        turn: which turn of a conversation it is, from 1; None of a task without turns.
        turns: how many turns the conversation has; 0 for a task without.
        earlier: the queries of the turns before.
        before: checks the turn before, when it is asked for; None where there is none.
        environment: what agents see.
        own_tables: the static tables of which the task itself has rows; they are part of the request.
        cases: the author's cases, not read yet; None without any.
        shared: what was worked out about what the task uses; tasks that stand on the same have it in common.
    """

    id: str
    family: str | None
    query: str
    tables: Mapping[str, Table]
    facts: Mapping[str, Facts]
    enums: Mapping[str, EnumType]
    givens: Mapping[str, Any]
    given_declarations: Mapping[str, Given]
    definitions: Mapping[str, Definition]
    constraints: tuple[Constraint, ...]
    scope: Sequence[ScopeRow]
    closed: bool
    unique: frozenset[tuple[str, str]] | None
    objectives: tuple[Objective, ...]
    reference: Any
    measures: tuple[str, ...]
    currency: str | None
    meta: Mapping[str, Any]
    sources: tuple[Source, ...]
    span: Span
    title: str = ""
    kinds: tuple[str, ...] = field(default=())
    removable: tuple[str, ...] = field(default=())
    turn: int | None = None
    turns: int = 0
    earlier: tuple[str, ...] = ()
    before: Callable[[], Task] | None = field(default=None, repr=False)
    environment: Environment = field(default_factory=Environment, repr=False)
    cases: CaseSection | None = field(default=None, repr=False)
    own_tables: frozenset[str] = frozenset()
    unique_best: frozenset[tuple[str, str]] | None = None
    shared: Memory = field(default_factory=Memory, repr=False)

    @property
    def hash(self) -> str:
        """SHA-256 of everything that the task was read from, wherever it lies: of its files' own, in their order.

        Cases are left out: they say what others know of the task, and change nothing in it.
        """
        digests = sorted(hashlib.sha256(text.encode()).hexdigest() for text in self.texts)
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all files that were read, the task's own without its cases."""
        return tuple(
            self.cases.text_without(source) if self.cases and source is self.span.source else source.text
            for source in self.sources
        )

    def __repr__(self) -> str:
        family = f", {self.family}" if self.family else ""
        return f"<Task {self.id}{family}: {len(self.constraints)} constraints>"

    @property
    def objective(self) -> Objective | None:
        """The first objective; None without any."""
        return self.objectives[0] if self.objectives else None

    @property
    def conversation(self) -> tuple[str, ...]:
        """The queries so far, in order; the last is `query`."""
        return (*self.earlier, self.query)

    @property
    def plan_tables(self) -> tuple[Table, ...]:
        """The tables that a plan fills, in the order of their declaration."""
        return tuple(table for table in self.tables.values() if table.plan)
