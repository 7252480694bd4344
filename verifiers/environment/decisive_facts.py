"""The facts on which the verdict on a plan rests: those of which another value changes whether a rule holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
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
from planspec.verifiers.meaning.interpret import CALLS, VALUES, Env, Interpreter, call_key
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
"""A fact by its parts; without a row, but with a column, the column itself: rows were looked up by what they have in it."""
_Noted: TypeAlias = dict[_FactKey, None]
_Known: TypeAlias = dict[Any, tuple[Any, _Noted]]
"""Values with the facts that each read."""


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
        StepLimitError: it takes too long.
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
        self._judged = [_judged(base, noting, constraint) for constraint in task.constraints]
        self._readers: dict[_FactKey, dict[_Judged, None]] = {}
        for each in self._judged:
            for key in chain(each.noted, *(one.noted for one in each.instances)):
                self._readers.setdefault(key, {})[each] = None
        self._definitions = _Reusable(noting.definitions)
        self._calls = _Reusable(noting.calls)
        self._steps = max(LEAST_STEPS, 4 * (noting.meter.most - noting.meter.left))
        self.violated = frozenset(
            one.instance.id
            for each in self._judged
            for one in each.instances
            if one.outcome.holds is False and one.outcome.hard
        )

    def facts(self) -> list[Fact]:
        """The facts that were read, parameters first, then cells, those near the plan first, then rows."""
        found = [Fact(name) for name, row, column in self._readers if row is None and column is None]
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
        touched: list[_FactKey] = [(fact.name, row, fact.column)]
        if fact.column is not None:
            touched.append((fact.name, None, fact.column))
        definitions, static = self._definitions.without(touched), Memory()
        static.of(CALLS).update(self._calls.without(touched))
        static.of(VALUES).update(
            (definition, value)
            for definition, value in definitions.items()
            if definition.body.stage is Stage.STATIC
        )
        interpreter = Interpreter(world, Plan(self._plan.tables), Meter(self._steps), static)
        interpreter.know(
            {
                definition.name: value
                for definition, value in definitions.items()
                if definition.body.stage is not Stage.STATIC
            }
        )
        readers = dict.fromkeys(each for key in touched for each in self._readers.get(key, ()))
        changed: list[str] = []
        try:
            for each in readers:
                changed += each.changed(world, interpreter, touched)
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


@dataclass(frozen=True, slots=True)
class _JudgedInstance:
    """An instance, what becomes of it, and the facts that were read to know it."""

    instance: Instance
    outcome: _Outcome
    noted: _Noted


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A constraint on a plan.

    Attributes:
        constraint: which one.
        noted: the facts that were read to know its instances.
        instances: with what becomes of each.
    """

    constraint: t.Constraint
    noted: _Noted
    instances: tuple[_JudgedInstance, ...]

    def changed(self, world: Task, interpreter: Interpreter, touched: Sequence[_FactKey]) -> list[str]:
        """The ids of the instances of which something else becomes in a world where these facts are others."""
        if self.noted.keys().isdisjoint(touched):
            return [
                each.instance.id
                for each in self.instances
                if not each.noted.keys().isdisjoint(touched)
                and _outcome(each.instance, interpreter) != each.outcome
            ]
        before = {each.instance.id: each.outcome for each in self.instances}
        known = Ground(world, interpreter, (), {}, ())
        after = {each.id: _outcome(each, interpreter) for each in instances_of(known, self.constraint)}
        return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _judged(task: Task, noting: _NotingInterpreter, constraint: t.Constraint) -> _Judged:
    known: _Noted = {}
    noting.noted = known
    made = []
    for instance in instances_of(Ground(task, noting, (), {}, ()), constraint):
        read: _Noted = {}
        noting.noted = read
        made.append(_JudgedInstance(instance, _outcome(instance, noting), read))
    return _Judged(constraint, known, tuple(made))


def _outcome(instance: Instance, interpreter: Interpreter) -> _Outcome:
    constraint, env = instance.constraint, instance.env
    if not instance.applicable:
        return _Outcome(None, constraint.hard)
    holds = interpreter.holds(constraint.body, env)
    margin = None if holds else margin_of(constraint.body, env, interpreter, holds=False)
    return _Outcome(holds, constraint.hard, margin)


class _Reusable:
    """Values that hold in every world in which the facts that they read are the same."""

    def __init__(self, known: _Known) -> None:
        self._values = {key: value for key, (value, _) in known.items()}
        self._readers: dict[_FactKey, list[Any]] = {}
        for key, (_, noted) in known.items():
            for fact in noted:
                self._readers.setdefault(fact, []).append(key)

    def without(self, touched: Iterable[_FactKey]) -> dict[Any, Any]:
        """The values that read none of these facts."""
        left = dict(self._values)
        for fact in touched:
            for key in self._readers.get(fact, ()):
                left.pop(key, None)
        return left


class _NotingInterpreter(Interpreter):
    """An interpreter that notes the facts that it reads.

    Attributes:
        noted: the facts so far; whoever wants to know those of one evaluation begins with none.
        definitions: those without parameters that it has worked out.
        calls: the static calls that it has worked out, by their keys in `CALLS`.
    """

    def __init__(self, task: Task, plan: Plan) -> None:
        super().__init__(task, plan)
        self.noted: _Noted = {}
        self.definitions: _Known = {}
        self.calls: _Known = {}

    def defined(self, definition: t.Definition) -> Any:
        return self._once(self.definitions, definition, definition.body, {})

    def _called(self, definition: t.Definition, inner: dict[t.Binding, Any]) -> Any:
        return self._once(self.calls, call_key(definition, inner.values()), definition.body, inner)

    def _once(self, known: _Known, key: Any, body: t.Expr, env: Env) -> Any:
        """A value that is worked out once; whoever asks again has read the same facts."""
        found = known.get(key)
        if found is None:
            outer, self.noted = self.noted, {}
            found = known[key] = self.value(body, env), self.noted
            self.noted = outer
        self.noted |= found[1]
        return found[0]

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        found = super().candidates(clause, env)
        for each in self._equalities[clause]:
            assert isinstance(clause.source, t.AllRows)
            self.noted[clause.source.table.name, None, each.column.name] = None
        return found

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
