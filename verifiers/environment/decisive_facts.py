"""Search for decisive facts: facts such that another value would change the verdict on a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import HiddenName
from planspec.dsl.model.facts import hashable
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Stage, Table
from planspec.dsl.model.value_text import row_key, show
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.other_worlds import WorldVariants, nearness, other_values, rows_in
from planspec.verifiers.meaning.ground import Ground, Instance, instances_of
from planspec.verifiers.meaning.interpret import Env, Interpreter, call_key
from planspec.verifiers.meaning.margin import Margin, margin_of
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan

MAX_VALUES = 4
"""Maximum number of alternative values that are tried for a cell or parameter."""
LEAST_STEPS = 4_000
"""Lower bound on the limit of evaluation steps for a plan with changed facts.

The limit is otherwise four times the number of steps that the unchanged facts need.
"""


@dataclass(frozen=True, slots=True)
class WorldFact:
    """A fact: a cell of a static table, the existence of a row, or a parameter.

    Attributes:
        name: name of the table or parameter.
        row: row of the table; None for a parameter.
        column: column of the cell; None for a row or a parameter.
    """

    name: str
    row: Row | None = None
    column: str | None = None

    @property
    def of(self) -> HiddenName:
        """The column, table or parameter to which the fact belongs."""
        return HiddenName(self.name, self.column)

    def place(self, currency: str | None) -> str:
        """Return the fact's display name, such as `Hotel[inn].rate`, `Hotel[inn]` or `budget`."""
        row = "" if self.row is None else f"[{row_key(self.row, currency)}]"
        return f"{self.name}{row}{'' if self.column is None else f'.{self.column}'}"

    def value(self, task: Task) -> str:
        """Return the fact's value in a task as text, such as `08:30`; `there` if the fact is that a row exists."""
        if self.row is None:
            return show(task.givens.get(self.name), task.given_declarations[self.name].type, task.currency)
        if self.column is None:
            return "there"
        return show(getattr(self.row, self.column), self.row._table.columns[self.column].type, task.currency)


@dataclass(frozen=True, slots=True)
class DecisiveValue:
    """An alternative value of a fact that changes the outcome or margin of a constraint.

    Attributes:
        value: the alternative value; None for *none*, and if the row is removed.
        world: task in which the fact has this value. It is valid until the next value is requested.
        rules: ids of the constraint instances with another outcome or margin. An instance is a constraint with values
            for its variables.
    """

    value: Any
    world: Task
    rules: tuple[str, ...]


_FactKey: TypeAlias = tuple[str, Row | None, str | None]
"""Key of a fact: (table or parameter, row, column). Without a row: a parameter, or all cells of the column."""
_FactsRead: TypeAlias = dict[_FactKey, None]
_ValuesWithFacts: TypeAlias = dict[Any, tuple[Any, _FactsRead]]
"""Values by key, each with the facts that were read to evaluate it."""


_FREE: Kind[t.Expr, tuple[t.Binding, ...]] = Kind("variables of a generator's condition")
_CHANGES: Kind[tuple[Task, WorldFact, int], tuple[str, ...]] = Kind("instances that change with the values of facts")


class VerdictDependencies:
    """Search for the facts on which the verdict on a plan depends.

    Args:
        task: task of the plan.
        worlds: generator of variants of the task with changed facts.
        plan: the plan.

    Attributes:
        violated: ids of the instances of hard constraints that the plan violates. An instance is a constraint with
            values for its variables.

    Raises:
        StepLimitError: judging takes too many steps.
        DiagnosticError: an instance of the task has errors.
    """

    def __init__(self, task: Task, worlds: WorldVariants, plan: Plan) -> None:
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
        recorder = _RecordingInterpreter(base, self._plan)
        self._judged = [_judge_constraint(base, recorder, constraint) for constraint in task.constraints]
        self._readers: dict[_FactKey, dict[_JudgedConstraint, None]] = {}
        for each in self._judged:
            for key in chain(each.facts_read, *(one.facts_read for one in each.instances)):
                self._readers.setdefault(key, {})[each] = None
        self._free = recorder.static.of(_FREE)
        self._definitions = _ReusableValues(recorder.definitions)
        self._calls = _ReusableValues(recorder.calls)
        self._conditions = _ReusableValues(recorder.conditions)
        self._steps = max(LEAST_STEPS, 4 * (recorder.meter.most - recorder.meter.left))
        self.violated = frozenset(
            one.instance.id
            for each in self._judged
            for one in each.instances
            if one.outcome.holds is False and one.outcome.hard
        )

    def facts(self) -> list[WorldFact]:
        """Return the facts that were read to judge the plan: first parameters, then cells, then the existence of rows.

        Cells and rows are in the order of `nearness`: rows to which the plan refers come first.
        """
        parameters = [WorldFact(name) for name, row, column in self._readers if row is None and column is None]
        rows = self._task.facts
        own = [(rows[name].rows[row._index], column) for name, row, column in self._readers if row is not None]
        own.sort(key=lambda read: (read[1] is None, self._rank(read[0])))
        return parameters + [WorldFact(row._table.name, row, column) for row, column in own]

    def decisive_values(self, fact: WorldFact) -> Iterator[DecisiveValue]:
        """Yield each alternative value of a fact that changes the outcome or margin of a constraint.

        At most `MAX_VALUES` values are tried. The `world` of a result is valid only until the next result is requested,
        because all worlds share their rows. The results are cached in the plan's `memo`, so that later calls with the
        same task, plan and fact do not evaluate the constraints again.
        """
        for place, (value, world) in enumerate(self._other_worlds(fact)):
            key = self._task, fact, place
            changed = self._changes.get(key)
            if changed is None:
                changed = self._changes[key] = self._changed_instances(fact, world)
            if changed:
                yield DecisiveValue(value, world, changed)

    def _other_worlds(self, fact: WorldFact) -> Iterator[tuple[Any, Task]]:
        """Yield alternative values of a fact (None if a row is removed), each with the task that has this value."""
        task = self._task
        if fact.row is None:
            declared = task.given_declarations[fact.name]
            others = other_values(task.givens.get(fact.name), declared.type, task, optional=declared.optional)
            for value in islice(others, MAX_VALUES):
                yield value, self._worlds.with_given(fact.name, value)
        elif fact.column is None:
            world = None if (fact.name, fact.row._index) in self._used else self._worlds.without_row(fact.row)
            if world is not None:
                yield None, world
        else:
            column = fact.row._table.columns[fact.column]
            others = other_values(getattr(fact.row, fact.column), column.type, task, optional=column.optional)
            for value in islice(others, MAX_VALUES):
                yield value, self._worlds.with_cell(fact.row, fact.column, value)

    def _changed_instances(self, fact: WorldFact, world: Task) -> tuple[str, ...]:
        """Return the ids of the instances with another outcome or margin in a world where the fact is changed."""
        row = None if fact.row is None else self._worlds.copy_of(fact.row)
        touched: list[_FactKey] = [(fact.name, row, fact.column)]
        if fact.column is not None:
            touched.append((fact.name, None, fact.column))
        interpreter = _ReusingInterpreter(world, Plan(self._plan.tables), Meter(self._steps), self._free)
        interpreter.reuse(
            self._definitions.unaffected(touched),
            self._calls.unaffected(touched),
            self._conditions.unaffected(touched),
        )
        readers = dict.fromkeys(each for key in touched for each in self._readers.get(key, ()))
        changed: list[str] = []
        try:
            for each in readers:
                changed += each.changed(world, interpreter, touched)
        except DiagnosticError:  # the changed task has an error, or judging the plan takes too many steps
            return ()
        return tuple(changed)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Outcome of a constraint instance.

    Attributes:
        holds: whether the plan satisfies the instance; None if it does not apply.
        hard: whether the constraint is hard.
        margin: margin of a violated instance.
    """

    holds: bool | None
    hard: bool
    margin: Margin = None


@dataclass(frozen=True, slots=True)
class _JudgedInstance:
    """An instance, its outcome, and the facts that were read to judge it."""

    instance: Instance
    outcome: _Outcome
    facts_read: _FactsRead


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedConstraint:
    """A constraint judged on a plan.

    Attributes:
        constraint: the constraint.
        facts_read: facts that were read to enumerate the instances.
        instances: the instances with their outcomes.
    """

    constraint: t.Constraint
    facts_read: _FactsRead
    instances: tuple[_JudgedInstance, ...]

    def changed(self, world: Task, interpreter: Interpreter, touched: Sequence[_FactKey]) -> list[str]:
        """Return the ids of the instances with another outcome in a world.

        Args:
            world: task with changed facts.
            interpreter: interpreter of this task and the plan.
            touched: the changed facts.
        """
        if self.facts_read.keys().isdisjoint(touched):
            return [
                each.instance.id
                for each in self.instances
                if not each.facts_read.keys().isdisjoint(touched)
                and _outcome(each.instance, interpreter) != each.outcome
            ]
        before = {each.instance.id: each.outcome for each in self.instances}
        ground = Ground(world, interpreter, (), {}, ())
        after = {each.id: _outcome(each, interpreter) for each in instances_of(ground, self.constraint)}
        return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _judge_constraint(task: Task, recorder: _RecordingInterpreter, constraint: t.Constraint) -> _JudgedConstraint:
    facts: _FactsRead = {}
    recorder.facts_read = facts
    instances = []
    for instance in instances_of(Ground(task, recorder, (), {}, ()), constraint):
        read: _FactsRead = {}
        recorder.facts_read = read
        instances.append(_JudgedInstance(instance, _outcome(instance, recorder), read))
    return _JudgedConstraint(constraint, facts, tuple(instances))


def _outcome(instance: Instance, interpreter: Interpreter) -> _Outcome:
    constraint, env = instance.constraint, instance.env
    if not instance.applicable:
        return _Outcome(None, constraint.hard)
    holds = interpreter.holds(constraint.body, env)
    margin = None if holds else margin_of(constraint.body, env, interpreter, holds=False)
    return _Outcome(holds, constraint.hard, margin)


class _ReusableValues:
    """Values computed from the task's own facts, each with the facts that were read for it."""

    def __init__(self, facts_read: _ValuesWithFacts) -> None:
        self._values = {key: value for key, (value, _) in facts_read.items()}
        self._readers: dict[_FactKey, list[Any]] = {}
        for key, (_, facts) in facts_read.items():
            for fact in facts:
                self._readers.setdefault(fact, []).append(key)

    def unaffected(self, changed: Iterable[_FactKey]) -> _UnaffectedValues:
        """Return the values that do not depend on the changed facts."""
        stale = frozenset(key for fact in changed for key in self._readers.get(fact, ()))
        return _UnaffectedValues(self._values, stale)


@dataclass(frozen=True, slots=True)
class _UnaffectedValues:
    """Read-only mapping of the values that are still valid after some facts have changed.

    The few invalid keys are stored in `stale`, so that thousands of valid values need not be copied.
    """

    values: Mapping[Any, Any]
    stale: frozenset[Any]

    def __contains__(self, key: Any) -> bool:
        return key in self.values and key not in self.stale

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __iter__(self) -> Iterator[Any]:
        return (key for key in self.values if key not in self.stale)


class _ReusingInterpreter(Interpreter):
    """Interpreter of a task with changed facts that reuses values computed from the original facts.

    Args:
        task: task with changed facts.
        plan: the rows of the plan tables.
        meter: counter of evaluation steps; reused values take none.
        free: cache of the free variables of conditions.
    """

    seeks_alternatives = False

    def __init__(self, task: Task, plan: Plan, meter: Meter, free: dict[t.Expr, tuple[t.Binding, ...]]) -> None:
        super().__init__(task, plan, meter)
        self._free = free
        self._reused_calls = self._reused_conditions = _UnaffectedValues({}, frozenset())

    def reuse(self, definitions: _UnaffectedValues, calls: _UnaffectedValues, conditions: _UnaffectedValues) -> None:
        """Set the values that may be reused.

        Args:
            definitions: values of definitions without parameters.
            calls: values of calls that do not depend on the plan, by `call_key`.
            conditions: values of generators' conditions, by `_condition_key`.
        """
        for definition in definitions:
            values = self._static_values if definition.body.stage is Stage.STATIC else self._values
            values[definition] = definitions[definition]
        self._reused_calls, self._reused_conditions = calls, conditions

    def _static_call(self, definition: t.Definition, arguments: dict[t.Binding, Any]) -> Any:
        key = call_key(definition, arguments.values())
        return self._reused_calls[key] if key in self._reused_calls else super()._static_call(definition, arguments)

    def meets(self, condition: t.Expr, env: Env) -> bool:
        key = _condition_key(condition, env, self._free)
        is_met = self._reused_conditions[key] if key in self._reused_conditions else super().meets(condition, env)
        return bool(is_met)


def _condition_key(condition: t.Expr, env: Env, free: dict[t.Expr, tuple[t.Binding, ...]]) -> tuple[Any, ...]:
    """Return a cache key: a condition of a generator, and the values of the variables that it reads.

    Args:
        condition: the condition.
        env: values of all variables in scope.
        free: cache of the variables that each condition reads; updated.
    """
    read = free.get(condition)
    if read is None:
        read = free[condition] = free_variables(condition)
    return (condition, *[hashable(env[binding]) for binding in read])


class _RecordingInterpreter(Interpreter):
    """An interpreter that records the facts that it reads.

    Attributes:
        facts_read: facts read so far. To record a single evaluation, assign an empty dictionary first.
        definitions: values of definitions without parameters.
        calls: values of calls that do not depend on the plan, by `call_key`.
        conditions: values of generators' conditions, by `_condition_key`. They are cached for large tables:
            if one cell changes, the values for all other rows can be reused.
    """

    seeks_alternatives = False

    def __init__(self, task: Task, plan: Plan) -> None:
        super().__init__(task, plan)
        self.facts_read: _FactsRead = {}
        self.definitions: _ValuesWithFacts = {}
        self.calls: _ValuesWithFacts = {}
        self.conditions: _ValuesWithFacts = {}
        self._free = self.static.of(_FREE)

    def defined(self, definition: t.Definition) -> Any:
        return self._compute_once(self.definitions, definition, definition.body, {})

    def _static_call(self, definition: t.Definition, arguments: dict[t.Binding, Any]) -> Any:
        return self._compute_once(self.calls, call_key(definition, arguments.values()), definition.body, arguments)

    def meets(self, condition: t.Expr, env: Env) -> bool:
        key = _condition_key(condition, env, self._free)
        return bool(self._compute_once(self.conditions, key, condition, env))

    def _compute_once(self, cache: _ValuesWithFacts, key: Any, body: t.Expr, env: Env) -> Any:
        """Return the value of `body`, cached under `key`. The facts that it depends on are recorded on every call."""
        entry = cache.get(key)
        if entry is None:
            outer, self.facts_read = self.facts_read, {}
            entry = cache[key] = self.value(body, env), self.facts_read
            self.facts_read = outer
        self.facts_read |= entry[1]
        return entry[0]

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        rows = super().candidates(clause, env)
        for each in self._equalities[clause]:
            assert isinstance(clause.source, t.AllRows)
            self.facts_read[clause.source.table.name, None, each.column.name] = None
        return rows

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in super().bindings(clauses, env):
            for clause in clauses:
                for target in clause.targets:
                    self._record_row(inner[target])
            yield inner

    def _given(self, expr: t.GivenRef, env: Env) -> Any:
        self.facts_read[expr.given.name, None, None] = None
        return super()._given(expr, env)

    def _field(self, expr: t.FieldOf, env: Env) -> Any:
        row = self.value(expr.row, env)
        if row is None:
            return None
        table = row._table
        if not table.plan and expr.column.name not in table.key:
            self.facts_read[table.name, row, expr.column.name] = None
        return getattr(row, expr.column.name)

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        row = super()._lookup(table, keys)
        self._record_row(row)
        return row

    def _only_row(self, expr: t.OnlyRow, env: Env) -> Row | None:
        row = super()._only_row(expr, env)
        self._record_row(row)
        return row

    def _record_row(self, value: Any) -> None:
        if isinstance(value, Row) and not value._table.plan:
            self.facts_read[value._table.name, value, None] = None
