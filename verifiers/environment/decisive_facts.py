"""The facts on which the verdict on a plan rests: those of which another value changes whether a rule holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.memory import Kind, Memory
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Stage, Table
from planspec.dsl.model.value_text import row_key, show
from planspec.errors import DiagnosticError
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.other_worlds import OtherWorld, nearness, other_values, rows_in
from planspec.verifiers.meaning.ground import Ground, Instance, instances_of
from planspec.verifiers.meaning.interpret import VALUES, Env, Interpreter
from planspec.verifiers.meaning.margin import Margin, margin_of
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan

MOST_VALUES = 4
"""The other values that are tried in a cell."""
LEAST_STEPS = 4_000
"""The steps that judging a plan in another world may always take; where the first world took many, four times as many."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A cell of a static table, the existence of a row of one, or a parameter.

    Attributes:
        name: of the table or parameter.
        row: of the table; None of a parameter.
        column: of the cell; None of a row, and of a parameter.
    """

    name: str
    row: Row | None = None
    column: str | None = None

    @property
    def of(self) -> HiddenName:
        """The column, table or parameter that it belongs to."""
        return HiddenName(self.name, self.column)

    def place(self, currency: str | None) -> str:
        """Where it stands, such as `Hotel[inn].rate`, `Hotel[inn]` or `budget`."""
        row = "" if self.row is None else f"[{row_key(self.row, currency)}]"
        return f"{self.name}{row}{'' if self.column is None else f'.{self.column}'}"

    def value(self, task: Task) -> str:
        """What it is in a task, as text; of a row that it is there."""
        if self.row is None:
            return show(task.givens.get(self.name), task.given_declarations[self.name].type, task.currency)
        if self.column is None:
            return "there"
        return show(getattr(self.row, self.column), self.row._table.columns[self.column].type, task.currency)


@dataclass(frozen=True, slots=True)
class DecisiveValue:
    """Another value of a fact under which a rule holds that did not, or the other way round.

    Attributes:
        value: None also stands for a row that is not there.
        world: the task in which the fact has it; it holds until the next one is asked for.
        rules: the ids of the instances that change.
    """

    value: Any
    world: Task
    rules: tuple[str, ...]


_FactKey: TypeAlias = tuple[str, Row | None, str | None]
_Noted: TypeAlias = dict[_FactKey, None]


_CHANGES: Kind[tuple[Task, Fact, int], tuple[str, ...]] = Kind(
    "instances that change with the values of facts"
)


class RestingVerdict:
    """What the verdict on a plan rests on.

    Args:
        task: whose plan it is.
        worlds: of the task.
        plan: the plan.

    Attributes:
        violated: the ids of the hard instances that the plan violates.

    Raises:
        OutOfSteps: it takes too long.
        DiagnosticError: an instance of the task has errors.
    """

    def __init__(self, task: Task, worlds: OtherWorld, plan: Plan) -> None:
        self._task, self._worlds = task, worlds
        self._changes = plan.memo.of(_CHANGES)
        base = worlds.unchanged()
        self._plan = Plan(TABLES.decode(base, TABLES.encode(task, plan))[0].tables)
        self._rank = nearness([plan])
        self._used = {
            (row._table.name, row._index)
            for rows in self._plan.tables.values()
            for planned in rows
            for name in planned._table.columns
            for row in rows_in(getattr(planned, name))
        }
        noting = _NotingInterpreter(base, self._plan)
        self._before: dict[t.Constraint, _Outcomes] = {}
        self._readers: dict[_FactKey, list[t.Constraint]] = {}
        for constraint in task.constraints:
            noting.noted = {}
            self._before[constraint] = _outcomes(base, noting, constraint)
            for key in noting.noted:
                self._readers.setdefault(key, []).append(constraint)
        self._definitions = noting.known
        self._steps = max(LEAST_STEPS, 4 * (noting.meter.most - noting.meter.left))
        self.violated = frozenset(
            name
            for each in self._before.values()
            for name, one in each.items()
            if one.holds is False and one.hard
        )

    def facts(self) -> list[Fact]:
        """The facts that were read, parameters first, then cells, those near the plan first, then rows."""
        found = [Fact(name) for name, row, _ in self._readers if row is None]
        rows = self._task.facts
        own = [
            (rows[name].rows[row._index], column) for name, row, column in self._readers if row is not None
        ]
        own.sort(key=lambda read: (read[1] is None, self._rank(read[0])))
        return found + [Fact(row._table.name, row, column) for row, column in own]

    def decisive(self, fact: Fact) -> Iterator[DecisiveValue]:
        """The other values of a fact that change the verdict; each holds until the next is asked for.

        What changes with which value is worked out once for a plan, however many attempts ask.
        """
        for place, (value, world) in enumerate(self._others(fact)):
            key = self._task, fact, place
            known = self._changes.get(key)
            if known is None:
                known = self._changes[key] = self._changed(fact, world)
            if known:
                yield DecisiveValue(value, world, known)

    def _others(self, fact: Fact) -> Iterator[tuple[Any, Task]]:
        task = self._task
        if fact.row is None:
            declared = task.given_declarations[fact.name]
            others = other_values(task.givens.get(fact.name), declared.type, task, optional=declared.optional)
            for value in islice(others, MOST_VALUES):
                yield value, self._worlds.with_given(fact.name, value)
        elif fact.column is None:
            world = None if (fact.name, fact.row._index) in self._used else self._worlds.without_row(fact.row)
            if world is not None:
                yield None, world
        else:
            column = fact.row._table.columns[fact.column]
            others = other_values(getattr(fact.row, fact.column), column.type, task, optional=column.optional)
            for value in islice(others, MOST_VALUES):
                yield value, self._worlds.with_cell(fact.row, fact.column, value)

    def _changed(self, fact: Fact, world: Task) -> tuple[str, ...]:
        """The ids of the instances that hold in one of the two worlds and not in the other, or are violated by more or less."""
        row = None if fact.row is None else self._worlds.copy_of(fact.row)
        noted: _FactKey = fact.name, row, fact.column
        static = Memory()
        static.of(VALUES).update(
            (definition, value)
            for definition, (value, read) in self._definitions.items()
            if noted not in read and definition.body.stage is Stage.STATIC
        )
        interpreter = Interpreter(world, Plan(self._plan.tables), Meter(self._steps), static)
        changed: list[str] = []
        try:
            for constraint in self._readers.get(noted, ()):
                before, after = self._before[constraint], _outcomes(world, interpreter, constraint)
                changed += [name for name in {**before, **after} if before.get(name) != after.get(name)]
        except DiagnosticError:  # there is no such world, or it takes too long to judge it
            return ()
        return tuple(changed)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What becomes of an instance.

    Attributes:
        holds: None where it does not apply.
        margin: of one that is violated.
    """

    holds: bool | None
    hard: bool
    margin: Margin = None


_Outcomes: TypeAlias = Mapping[str, _Outcome]


def _outcomes(task: Task, interpreter: Interpreter, constraint: t.Constraint) -> _Outcomes:
    """What becomes of each instance of a constraint, by its id."""
    known = Ground(task, interpreter, (), {}, ())
    return {each.id: _outcome(each, interpreter) for each in instances_of(known, constraint)}


def _outcome(instance: Instance, interpreter: Interpreter) -> _Outcome:
    constraint, env = instance.constraint, instance.env
    if not instance.applicable:
        return _Outcome(None, constraint.hard)
    holds = interpreter.holds(constraint.body, env)
    margin = None if holds else margin_of(constraint.body, env, interpreter, holds=False)
    return _Outcome(holds, constraint.hard, margin)


class _NotingInterpreter(Interpreter):
    """An interpreter that notes the facts that it reads.

    Attributes:
        noted: the facts so far; whoever wants to know those of one evaluation begins with none.
        known: definitions without parameters that it has worked out, with the facts that each read.
    """

    remembers = False

    def __init__(self, task: Task, plan: Plan) -> None:
        super().__init__(task, plan)
        self.noted: _Noted = {}
        self.known: dict[t.Definition, tuple[Any, _Noted]] = {}

    def defined(self, definition: t.Definition) -> Any:
        found = self.known.get(definition)
        if found is None:
            outer, self.noted = self.noted, {}
            found = self.known[definition] = self.value(definition.body, {}), self.noted
            self.noted = outer
        self.noted |= found[1]
        return found[0]

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in super().bindings(clauses, env):
            for clause in clauses:
                for target in clause.targets:
                    self._row(inner[target])
            yield inner

    def _given(self, expr: t.GivenRef, env: Env) -> Any:
        self.noted[expr.given.name, None, None] = None
        return super()._given(expr, env)

    def _field(self, expr: t.FieldOf, env: Env) -> Any:
        row = self.value(expr.row, env)
        if row is None:
            return None
        table = row._table
        if not table.plan and expr.column.name not in table.key:
            self.noted[table.name, row, expr.column.name] = None
        return getattr(row, expr.column.name)

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        found = super()._lookup(table, keys)
        self._row(found)
        return found

    def _only_row(self, expr: t.OnlyRow, env: Env) -> Row | None:
        found = super()._only_row(expr, env)
        self._row(found)
        return found

    def _row(self, value: Any) -> None:
        if isinstance(value, Row) and not value._table.plan:
            self.noted[value._table.name, value, None] = None
