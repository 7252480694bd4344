"""The checked task: the output of `dsl` and the input of the verifier and the solvers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model.case import CaseSection
from planspec.dsl.model.environment import Environment
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.origin import RecordOrigin
from planspec.dsl.model.reading import READING_MARK
from planspec.dsl.model.tree import Clause, Constraint, Definition, Expr, Given
from planspec.dsl.model.types import EnumType, Table
from planspec.shown import NotebookValue


@dataclass(frozen=True, slots=True, eq=False)
class ScopeField:
    """The domain of one field of a scope row.

    `domain` is a constant of the field's type or, if `many` is true, a set of such values. `or_none` is true if the
    field may also be *none* (the domain is followed by `?`).
    """

    domain: Expr
    many: bool
    or_none: bool


@dataclass(frozen=True, slots=True, eq=False)
class ScopeRow:
    """An entry of `scope`. A search may use one row for each binding of the variables of `clauses`.

    If `optional` is true, a plan may lack these rows.
    """

    table: Table
    clauses: tuple[Clause, ...]
    fields: Mapping[str, ScopeField]
    optional: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """An objective that `solve` optimises after the soft constraints.

    Attributes:
        name: name in verdicts: the author's name for it, otherwise the name of the definition that it calls,
            otherwise its text.
        definition: definition whose value is the expression: the one that the expression calls, or a generated one.
    """

    maximize: bool
    expression: Expr
    name: str
    definition: Definition

    @property
    def word(self) -> Literal["minimize", "maximize"]:
        """The key of the objective in a document."""
        return "maximize" if self.maximize else "minimize"

    @property
    def span(self) -> Span:
        """The location of its expression."""
        return self.expression.span


OPTIMAL = "optimal"
"""Id of the finding that compares a plan's objectives with the best values (`max_gap`)."""


@dataclass(frozen=True, slots=True, eq=False)
class MaxGap:
    """The maximum difference by which an objective may be worse than the best value.

    Attributes:
        amount: the maximum difference, in the unit of verdicts or, if `relative`, as a share of the best value's
            absolute value.
        text: the author's text.
    """

    amount: Fraction
    relative: bool
    text: str


def objective_key(position: int) -> str:
    """Return an objective's key in `Task.measured`, such as `objective 1` for `position` 0."""
    return f"objective {position + 1}"


TaskPart: TypeAlias = Constraint | Objective | ScopeRow
"""A part of a task, other than a definition, that contains expressions."""


@dataclass(frozen=True, slots=True, eq=False)
class Task(NotebookValue):
    """A task whose text has no errors.

    Attributes:
        id: name of the task.
        family: family, which defines the answer format; `None` for the plan's tables as JSON.
        tables: every table by name, static and plan.
        facts: rows of every static table by its name.
        enums: every named enum by name.
        givens: run-time value of every given by name.
        given_declarations: declarations of the givens by name.
        definitions: named values and functions.
        constraints: the constraints in force, those of libraries first.
        scope: entries of the scope.
        closed: whether plans outside the scope are invalid.
        objectives: objectives by priority. Each ranks only plans that are equally good by all earlier ones.
        unique: (table, column) pairs of the fields in which plans are compared, besides keys; `None` for all open
            fields.
        unique_best: further such pairs, for the claim that the fields have the same values in all best plans that
            also satisfy every soft constraint; `None` if the task does not claim this.
        reference: the author's answer as plain JSON, or as the text of an agent; `None` without one.
        measures: names of definitions to report.
        currency: the world's currency, such as `EUR`; `None` without money.
        removable: static tables from which tightening may remove rows.
        sources: every file that was read.
        turn: number of the turn, counted from 1; `None` for a task without turns.
        turns: number of turns; 0 for a task without turns.
        earlier: queries of the earlier turns.
        before: returns the task of the preceding turn, checked on request; `None` without such a turn.
        environment: what agents see.
        own_tables: names of the static tables with rows in the task's own document. These rows are part of the
            request.
        cases: the author's cases, not parsed yet; `None` without any.
        expects: the author's expectation, from the task's text or its suite; `None` if neither declares one.
        max_gaps: maximum gaps of passing plans, for the first objectives; empty if there is no limit.
        reading: name of the suite's reading (interpretation) of this task; `None` for the task as written.
        shared: cache of results about parts of the task, which tasks with the same libraries and world share.
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
    expects: Expectation | None = None
    max_gaps: tuple[MaxGap, ...] = ()
    record: RecordOrigin | None = None
    reading: str | None = None
    shared: Memory = field(default_factory=Memory, repr=False)

    @property
    def hash(self) -> str:
        """SHA-256 of all texts from which the task was read, independent of their paths and order.

        Cases are left out, because they are judgements about the task and do not change it.
        """
        digests = sorted(hashlib.sha256(text.encode()).hexdigest() for text in self.texts)
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    @property
    def place(self) -> Span:
        """The location for messages about the whole task: its first line, or the record from which it was made."""
        return self.span.first_line if self.record is None else self.record.span

    @property
    def file(self) -> Path:
        """The file of the task: a document or a shard; for a task in a suite's table, the suite with `#` and the id."""
        return Path(self.span.source.name) if self.record is None else self.record.path

    @property
    def document(self) -> Source:
        """The text of the task's document. For a record, it is derived from the record and the base of its table."""
        return self.span.source if self.record is None else self.record.document

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts of all files that were read. The task's own text excludes its cases."""
        return tuple(
            self.cases.text_without(source) if self.cases and source is self.span.source else source.text
            for source in self.sources
        )

    def __repr__(self) -> str:
        family = f", {self.family}" if self.family else ""
        return f"<Task {self.id}{family}: {len(self.constraints)} constraints>"

    @property
    def certificate_id(self) -> str:
        """The name of the task's certificate: its id, followed by `~` and the reading if it has one."""
        return self.id if self.reading is None else f"{self.id}{READING_MARK}{self.reading}"

    @property
    def expected(self) -> Expectation:
        """The declared expectation or, without one, `unique` if the task has `unique`, else `feasible`."""
        return self.expects or ("feasible" if self.unique is None else "unique")

    def with_default(self, expects: Expectation | None) -> Task:
        """Return the task with its suite's expectation, unless the task declares its own."""
        return self if expects is None or self.expects is not None else replace(self, expects=expects)

    @property
    def objective(self) -> Objective | None:
        """The first objective; `None` without any."""
        return self.objectives[0] if self.objectives else None

    @property
    def measured(self) -> Mapping[str, Definition]:
        """The definitions whose values verdicts report: measures by name, objectives as `objective 1` and so on."""
        return self._measured(own=True)

    @property
    def shared_measures(self) -> Mapping[str, Definition]:
        """The entries of `measured` except the task's own objectives. Tasks with the same libraries share them."""
        return self._measured(own=False)

    def _measured(self, *, own: bool) -> dict[str, Definition]:
        measures = {name: self.definitions[name] for name in self.measures}
        return measures | {
            objective_key(n): each.definition
            for n, each in enumerate(self.objectives)
            if own or each.span.source is not self.span.source
        }

    @property
    def conversation(self) -> tuple[str, ...]:
        """The queries so far, in order. The last one is `query`."""
        return (*self.earlier, self.query)

    @property
    def plan_tables(self) -> tuple[Table, ...]:
        """The tables of the plan, in the order of their declaration."""
        return tuple(table for table in self.tables.values() if table.plan)
