"""Grounding: evaluation of everything in a task that does not depend on a plan.

The results are the instances of constraints, and the rows in scope: candidate rows for a search, each with a domain
for every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import reversed_range_help
from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import hashable
from planspec.dsl.model.lazy_scope import equal_scope
from planspec.dsl.model.memory import Kind, Memory
from planspec.dsl.model.task import ScopeField, ScopeRow, Task, TaskPart
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import INTEGRAL, Column, ScalarType, Stage, Table
from planspec.dsl.model.value_text import show, show_key
from planspec.dsl.model.values import EXTENTS
from planspec.dsl.resources.deadline import tick
from planspec.dsl.resources.limits import INSTANCES, NUMBER, SCOPE_ROWS, WEIGHT
from planspec.verifiers.meaning.cost import check_costs
from planspec.verifiers.meaning.interpret import Env, Interpreter, distinct
from planspec.verifiers.meaning.meter import StepLimitError

NOT_NUMERIC = (ScalarType.BOOL, ScalarType.TEXT)
"""Scalar types whose values are not numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An instance of a constraint: the constraint with one binding of its `for:` variables.

    Attributes:
        id: name of the instance, such as `slot`, `slot[pergamon]` or `x[a, 2026-07-01]`.
        constraint: the constraint.
        env: values of the `for:` variables.
        applicable: whether the constraint's `when:` condition is true or absent.
        weight: weight if the constraint is soft and applies; otherwise 0.
    """

    id: str
    constraint: t.Constraint
    env: Env
    applicable: bool
    weight: int


@dataclass(frozen=True, slots=True)
class FieldDomain:
    """The domain of one column of a row in scope: listed values, or an interval with a step, possibly with *none*.

    Invariants: exactly one of `values` and `interval` is not None; there is at least one choice.

    Attributes:
        values: choices in order, without duplicates and without *none*. It has a single value if the cell is constant,
            and is empty (with `or_none` true) if the cell is always *none*.
        interval: (low, high, step) of a type with integer values, with low < high. Both ends are choices.
        or_none: whether *none* is also a choice.
        open: whether there is more than one choice, including *none*.
    """

    values: tuple[Any, ...] | None
    interval: tuple[int, int, int] | None
    or_none: bool
    open: bool
    _members: frozenset[Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = self.values or ()
        are_sets = bool(values) and isinstance(values[0], tuple)  # the values of a column have one type
        object.__setattr__(self, "_members", frozenset(map(hashable, values) if are_sets else values))

    def admits(self, value: Any, *, grid: bool = True) -> bool:
        """Return whether a value is in the domain.

        If `grid` is False, values between the steps of an interval are also in the domain.
        """
        if value is None:
            return self.or_none
        if self.interval is None:
            return hashable(value) in self._members
        low, high, step = self.interval
        return bool(low <= value <= high) and (not grid or (value - low) % step == 0)


@dataclass(frozen=True, slots=True, eq=False)
class GroundRow:
    """A row in scope: a candidate row that a search may include in a plan.

    Attributes:
        table: plan table of the row.
        fields: domain of each column, in the table's order.
        optional: whether a plan may omit the row.
        entry: declaration in the task's `scope:` that yields the row.
        env: values of the entry's `for:` variables.
    """

    table: Table
    fields: Mapping[str, FieldDomain]
    optional: bool
    entry: ScopeRow
    env: Env


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A task after grounding: everything that does not depend on a plan is evaluated.

    Attributes:
        task: the task.
        interpreter: interpreter without a plan; `interpreter.on(plan)` shares its results.
        instances: instances of all constraints in order, applicable or not.
        rows: rows in scope by plan table; empty for a table without scope. A search needs them, and the test whether
            a plan is in scope; judging constraints does not.
        diagnostics: warnings about the task, for example about a constraint that is the same on every plan.
    """

    task: Task
    interpreter: Interpreter
    instances: tuple[Instance, ...]
    rows: Mapping[str, tuple[GroundRow, ...]]
    diagnostics: tuple[Diagnostic, ...]


def ground(task: Task, *, scope: bool = True) -> Ground:
    """Evaluate everything in a task that does not depend on a plan.

    Args:
        task: a task that passed the type checks.
        scope: whether to evaluate the rows in scope now. Otherwise they are evaluated at first use, which may raise
            the errors.

    Raises:
        DiagnosticError: a domain is empty; a domain has a number above 2**53, or a date or time that cannot be written
            in an answer; two instances of a constraint have the same id; or two required rows have the same key.
    """
    report = Report()
    interpreter = Interpreter(task)
    parts: list[TaskPart] = [*task.constraints, *task.objectives]
    if scope:
        parts += task.scope
    check_costs(task, parts, interpreter, report, task.shared)
    report.stop_if_failed()
    grounder = _Grounder(task, interpreter, report)
    instances = tuple(grounder.instances(task.constraints))
    rows = grounder.rows(task.scope) if scope else _LazyRows(task, interpreter)
    report.stop_if_failed()
    return Ground(task, interpreter, instances, rows, report.ordered())


class _LazyRows(Mapping[str, tuple[GroundRow, ...]]):
    """The rows in scope by plan table, computed at first use.

    Args:
        task: task with the scope.
        interpreter: interpreter of the task, without a plan.
    """

    def __init__(self, task: Task, interpreter: Interpreter) -> None:
        self._task = task
        self._interpreter = interpreter

    @cached_property
    def _rows(self) -> Mapping[str, tuple[GroundRow, ...]]:
        return self._evaluated(self._task.scope, self._task.shared, Memory())

    @cached_property
    def with_other_positions(self) -> Mapping[str, tuple[GroundRow, ...]]:
        """The same rows as in this mapping, but their source positions may be in another task's document.

        If another task has a scope with the same text, its cached data is reused, which is faster. Use these rows only
        if their positions are not shown. Errors in the scope have positions in this task's document.
        """
        equal = equal_scope(self._task)
        if equal is not None and "_rows" not in vars(self):
            with suppress(DiagnosticError, StepLimitError):
                return self._evaluated(equal.rows, equal.shared, equal.shared)
        return self._rows

    def _evaluated(
        self, scope: Sequence[ScopeRow], shared: Memory, entries: Memory
    ) -> dict[str, tuple[GroundRow, ...]]:
        """Return the rows that the declarations of a scope yield.

        Args:
            scope: the declarations.
            shared: cache of results of checking expressions from documents other than the task's own.
            entries: cache of data derived from these declarations.

        Raises:
            DiagnosticError: a domain is empty or has a value out of range; or two required rows have the same key.
            StepLimitError: the limit of steps is exceeded.
        """
        report = Report()
        interpreter = self._interpreter.on(None)
        check_costs(self._task, scope, interpreter, report, shared)
        report.stop_if_failed()
        rows = _Grounder(self._task, interpreter, report, entries).rows(scope)
        report.stop_if_failed()
        return rows

    def __getitem__(self, table: str) -> tuple[GroundRow, ...]:
        return self._rows[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def rows_in_scope(ground: Ground) -> Mapping[str, tuple[GroundRow, ...]]:
    """Return the rows in scope by plan table. Do not use them in diagnostics.

    The rows may be those of another task with the same scope text. Their source positions are then in that task's
    document.
    """
    return ground.rows.with_other_positions if isinstance(ground.rows, _LazyRows) else ground.rows


def instances_of(base: Ground, constraint: t.Constraint) -> tuple[Instance, ...]:
    """Return the instances of a constraint in the task of `base`.

    The constraint need not belong to the task. It may be a mutant of one of the task's constraints, for example.

    Raises:
        DiagnosticError: there are too many instances, two have the same id, or a weight is *none*.
    """
    report = Report()
    instances = tuple(_Grounder(base.task, base.interpreter, report).instances([constraint]))
    report.stop_if_failed()
    return instances


@dataclass(frozen=True, slots=True, eq=False)
class _ScopeField:
    """A column of the rows that a declaration in the scope yields.

    Attributes:
        column: the column.
        declared: the declared domain; None if the declaration leaves the column out.
        read: variables of the declaration that the domain reads.
    """

    column: Column
    declared: ScopeField | None
    read: tuple[t.Binding, ...]


_FIELDS: Kind[ScopeRow, tuple[_ScopeField, ...]] = Kind("fields of the rows of an entry of the scope")


class _Grounder:
    """Evaluates the static parts of a task.

    Args:
        task: the task.
        interpreter: interpreter without a plan.
        report: receives the diagnostics.
        entries: cache of data derived from the declarations of a scope, for tasks that share them; None to use a new
            cache.
    """

    def __init__(self, task: Task, interpreter: Interpreter, report: Report, entries: Memory | None = None) -> None:
        self._task = task
        self._interpreter = interpreter
        self._report = report
        self._fields = (Memory() if entries is None else entries).of(_FIELDS)
        self._domains: dict[tuple[Any, ...], FieldDomain | None] = {}
        self._mentioned: dict[t.Expr, tuple[t.Binding, ...]] = {}

    # -- constraints ------------------------------------------------------------------------------

    def instances(self, constraints: Iterable[t.Constraint]) -> Iterator[Instance]:
        """Yield the instances of every constraint."""
        count = 0
        for constraint in constraints:
            instances: list[Instance] = []
            for env in self._interpreter.bindings(constraint.clauses, {}):
                count += 1
                if count > INSTANCES:
                    self._report_too_many("instances of constraints", INSTANCES, constraint.clauses, constraint.span)
                instances.append(self._instance(constraint, env))
            if constraint.clauses:
                self._check_ids(constraint, instances)
            if constraint.body.stage is Stage.STATIC:
                self._warn_if_static(constraint, [instance for instance in instances if instance.applicable])
            yield from instances

    def _check_ids(self, constraint: t.Constraint, instances: Iterable[Instance]) -> None:
        """Report instances with the same id."""
        seen: set[str] = set()
        for instance in instances:
            if instance.id in seen:
                self._report.error(
                    "PS403",
                    f"two instances have the id `{instance.id}`",
                    constraint.clauses[0].source.span,
                    "has this value twice",
                )
            seen.add(instance.id)

    def _instance(self, constraint: t.Constraint, env: Env) -> Instance:
        tick()
        name = f"{constraint.id}[{self._binding_text(constraint, env)}]" if constraint.clauses else constraint.id
        applicable = constraint.when is None or self._interpreter.holds(constraint.when, env)
        weight = self._weight(constraint, name, env) if applicable and not constraint.hard else 0
        return Instance(name, constraint, env, applicable, weight)

    def _binding_text(self, constraint: t.Constraint, env: Env) -> str:
        """Return the part of an instance's id in brackets: the values of the `for:` variables."""
        return ", ".join(
            show_key(env[target], target.type, self._task.currency)
            for clause in constraint.clauses
            for target in clause.targets
        )

    def _weight(self, constraint: t.Constraint, name: str, env: Env) -> int:
        if constraint.weight is None:
            return 1
        value = self._interpreter.value(constraint.weight, env)
        if value is not None and 0 <= value <= WEIGHT:
            return int(value)
        weight = "no weight" if value is None else f"a weight of {value:,}"
        self._report.error(
            "PS016",
            f"`{name}` has {weight}",
            constraint.weight.span,
            f"a weight is a whole number from 0 to {WEIGHT:,}",
        )
        return 0

    def _warn_if_static(self, constraint: t.Constraint, instances: list[Instance]) -> None:
        """Warn about a constraint whose outcome does not depend on the plan.

        Args:
            constraint: constraint with a static body.
            instances: its applicable instances.
        """
        if not instances:
            return
        fails = next((i for i in instances if not self._interpreter.holds(constraint.body, i.env)), None)
        if fails is None:
            self._report.warning(
                "PS405", f"`{constraint.id}` holds whatever the plan says", constraint.span, "checks nothing"
            )
        else:
            self._report.warning("PS406", f"`{fails.id}` fails whatever the plan says", constraint.span, "always false")

    # -- scope ------------------------------------------------------------------------------------

    def rows(self, scope: Iterable[ScopeRow]) -> dict[str, tuple[GroundRow, ...]]:
        """Return the rows in scope by plan table, given the declarations of the scope."""
        tables: dict[str, list[GroundRow]] = {table.name: [] for table in self._task.plan_tables}
        count = 0
        for entry in scope:
            table_rows = tables[entry.table.name]
            fields = self._fields_of(entry)
            for env in self._interpreter.bindings(entry.clauses, {}):
                count += 1
                if count > SCOPE_ROWS:
                    self._report_too_many("rows in the scope", SCOPE_ROWS, entry.clauses, entry.span)
                if entry.table.one and table_rows:
                    self._report.error(
                        "PS404",
                        f"`{entry.table.name}` has exactly one row, and more in scope",
                        entry.span,
                        "one more row",
                    )
                table_rows.append(self._row(entry, fields, env))
        if not self._report.failed:
            for rows in tables.values():
                self._report_same_key(rows)
        return {name: tuple(rows) for name, rows in tables.items()}

    def _report_same_key(self, rows: Sequence[GroundRow]) -> None:
        """Report two required rows with the same key, which no plan can contain together."""
        first: dict[tuple[Any, ...], GroundRow] = {}
        for row in rows:
            domains = [row.fields[name] for name in row.table.key]
            if row.optional or not domains or any(domain.open for domain in domains):
                continue
            values = [domain.values[0] if domain.values else None for domain in domains]
            other = first.setdefault(tuple(hashable(value) for value in values), row)
            if other is row:
                continue
            shown = ", ".join(
                "none" if value is None else show_key(value, row.table.columns[name].type, self._task.currency)
                for name, value in zip(row.table.key, values, strict=True)
            )
            is_same = other.entry is row.entry
            self._report.error(
                "PS414",
                f"the scope has `{row.table.name}[{shown}]` twice, and no plan has two rows of one key",
                row.entry.span.first_line,
                "makes both" if is_same else "again here",
                secondary=[] if is_same else [Label(other.entry.span.first_line, "first here")],
                help="take one out, give it another key, or make one of them `optional: true`",
            )
            return

    def _fields_of(self, entry: ScopeRow) -> tuple[_ScopeField, ...]:
        """Return the columns of the rows that a declaration yields, in the table's order."""
        cached = self._fields.get(entry)
        if cached is not None:
            return cached
        bound = {target for clause in entry.clauses for target in clause.targets}
        fields = []
        for column in entry.table.columns.values():
            declared = entry.fields.get(column.name)
            read = () if declared is None else free_variables(declared.domain)
            fields.append(_ScopeField(column, declared, tuple(binding for binding in read if binding in bound)))
        return self._fields.setdefault(entry, tuple(fields))

    def _row(self, entry: ScopeRow, fields: Iterable[_ScopeField], env: Env) -> GroundRow:
        tick()
        domains = {}
        for field_ in fields:
            declared = field_.declared
            domain = (
                self._default_domain(entry, field_.column)
                if declared is None
                else self._declared_domain(entry, field_.column, declared, field_.read, env)
            )
            if domain is not None:
                domains[field_.column.name] = domain
        return GroundRow(entry.table, domains, entry.optional, entry, env)

    def _default_domain(self, entry: ScopeRow, column: Column) -> FieldDomain | None:
        if column.has_default or column.optional:
            return _constant_domain(column.default)
        self._report.error(
            "PS407",
            f"the scope does not say what `{entry.table.name}.{column.name}` may be",
            entry.span,
            "left out here",
        )
        return None

    def _declared_domain(
        self, entry: ScopeRow, column: Column, declared: ScopeField, variables: Sequence[t.Binding], env: Env
    ) -> FieldDomain | None:
        """Return the declared domain of a cell. It is computed once for each combination of values of `variables`."""
        key = (declared, *[env[binding] for binding in variables])
        if key not in self._domains:
            self._domains[key] = self._domain(entry, column, declared, env)
        return self._domains[key]

    def _domain(self, entry: ScopeRow, column: Column, declared: ScopeField, env: Env) -> FieldDomain | None:
        """Return the declared domain of a cell. If the domain is empty, report an error and return None."""
        span = declared.domain.span
        choices = self._choices(declared, env)
        domain = (
            _constant_domain(choices)
            if not declared.many
            else _choice_domain(choices, column, or_none=declared.or_none)
        )
        only_none = domain is not None and domain.values == ()
        if domain is None or (only_none and not column.optional):
            where = ", ".join(
                f"{b.name} = {show(env[b], b.type, self._task.currency)}"
                for b in self._mentions(declared.domain)
                if b in env
            )
            self._report.error(
                "PS401",
                f"`{entry.table.name}.{column.name}` has no value to take",
                span,
                f"nothing where {where}" if where else "nothing",
                help=self._reversed_range_help(declared, env),
            )
            return None
        self._check_bounds(entry, column, domain, span)
        return domain

    def _reversed_range_help(self, declared: ScopeField, env: Env) -> str | None:
        """Return help text if the domain is a range with its ends in the wrong order; otherwise None."""
        source = _without_names(declared.domain)
        if not isinstance(source, t.RangeOf):
            return None
        low, high = (self._interpreter.value(end, env) for end in (source.low, source.high))
        if low is None or high is None or low <= high:
            return None
        clock = source.low.type is ScalarType.TIME
        help_text = reversed_range_help(source.low.span.text, source.high.span.text, clock=clock)
        return f"the wrong way round? {help_text}"

    def _choices(self, declared: ScopeField, env: Env) -> Any:
        """Return the value of a constant domain, or the collection of choices. A range is not expanded."""
        source = _without_names(declared.domain)
        if declared.many and isinstance(source, t.RangeOf):
            return self._interpreter.items(source, env)
        if declared.many and isinstance(declared.domain, t.SetOf):
            return self._interpreter.members(declared.domain, env)
        return self._interpreter.value(declared.domain, env)

    def _check_bounds(self, entry: ScopeRow, column: Column, domain: FieldDomain, span: Span) -> None:
        if not isinstance(column.type, ScalarType) or column.type in NOT_NUMERIC:
            return
        numbers = (domain.values or ()) if domain.interval is None else domain.interval
        most = max((_magnitude(number) for number in numbers if isinstance(number, int | Fraction)), default=0)
        if most > NUMBER:
            self._report.error(
                "PS402",
                f"`{entry.table.name}.{column.name}` reaches past 2**53",
                span,
                f"reaches {most}",
            )
            return
        extent = EXTENTS.get(column.type)
        ends = numbers if domain.interval is None else domain.interval[:2]
        beyond = [end for end in ends if extent is not None and not extent[0] <= end <= extent[1]]
        if extent is not None and beyond:
            least, greatest = (show(end, column.type, self._task.currency) for end in extent)
            self._report.error(
                "PS413",
                f"`{entry.table.name}.{column.name}` may be {show(beyond[0], column.type, self._task.currency)}, "
                "which no answer can express",
                span,
                f"a {column.type} is written from {least} to {greatest}",
                help="bound the arithmetic in the scope with `max` and `min`",
            )

    def _report_too_many(self, what: str, limit: int, clauses: Sequence[t.Clause], span: Span) -> NoReturn:
        """Report that there are too many instances or rows, and raise an exception.

        Raises:
            DiagnosticError: always.
        """
        span = clauses[0].source.span if clauses else span
        self._report.error("PS416", f"there are too many {what}", span, f"more than {limit:,} with these")
        raise DiagnosticError(self._report.ordered())

    def _mentions(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        if expr not in self._mentioned:
            self._mentioned[expr] = free_variables(expr)
        return self._mentioned[expr]


def _without_names(expr: t.Expr) -> t.Expr:
    """Return the body of a definition if the expression is only its name; otherwise the expression itself."""
    while isinstance(expr, t.Apply) and not expr.definition.params:
        expr = expr.definition.body
    return expr


def _constant_domain(value: Any) -> FieldDomain:
    return (
        FieldDomain((), None, or_none=True, open=False)
        if value is None
        else FieldDomain((value,), None, or_none=False, open=False)
    )


def _choice_domain(choices: Any, column: Column, *, or_none: bool) -> FieldDomain | None:
    """Return the domain with the elements of a collection as choices; None if the domain is empty."""
    if isinstance(choices, range) and len(choices) > 1 and column.type in INTEGRAL:
        return FieldDomain(None, (choices[0], choices[-1], choices.step), or_none=or_none, open=True)
    values = distinct(choices or ())
    if not values and not or_none:
        return None
    return FieldDomain(values, None, or_none=or_none, open=len(values) + or_none > 1)


def _magnitude(number: int | Fraction) -> int:
    return max(abs(number.numerator), number.denominator)
