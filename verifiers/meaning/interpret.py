"""The reference interpreter, which defines the value of every expression on a plan. It is simple but slow.

The compiled verifier and the solver back ends are correct if they agree with this module. The interpreter has two
optimisations. If a condition requires a column of a static table to equal a value, it uses an index of that column.
It also reuses values of definitions that were computed for another task from the same data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any, ClassVar, TypeAlias, assert_never
from typing import Literal as Lit

from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import (
    Alternative,
    Equality,
    alternatives,
    conditions_of,
    equalities,
    index_equality,
    indexed_clauses,
)
from planspec.dsl.model.facts import Rows, group, hashable, key_of
from planspec.dsl.model.memory import Kind, Memory
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import ScalarType, SetType, Stage, Table, Type
from planspec.dsl.resources.limits import JUDGING_STEPS, STATIC_STEPS
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.meaning.common_values import origin, store_value, stored_value
from planspec.verifiers.meaning.indexed_condition import PartlyIndexedCondition
from planspec.verifiers.meaning.intervals import Run, followers, peak, until
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan

Env: TypeAlias = Mapping[t.Binding, Any]
Number: TypeAlias = int | Fraction

MAX_CACHED_CALLS = 100_000
"""Maximum number of cached values of calls that do not depend on the plan."""
BULK = 16
"""Number of elements that count as one step if a built-in function of Python iterates over a collection."""


VALUES: Kind[t.Definition, Any] = Kind("values of definitions without parameters")
EQUALITIES: Kind[t.Clause, tuple[Equality, ...]] = Kind("equalities of a generator's conditions")
ANY_CLAUSES: Kind[t.Aggregate, tuple[t.Clause, ...] | None] = Kind("clauses of an `any` with its body as a condition")
CALLS: Kind[tuple[Any, ...], Any] = Kind("values of static calls by their arguments")
_ALTERNATIVES: Kind[t.Clause, tuple[Alternative, ...]] = Kind(
    "operands of `or` in generators' conditions that an index can answer"
)
_CONDITION_PARTS: Kind[t.Clause, Sequence[tuple[t.Expr, bool]]] = Kind(
    "parts of generators' conditions, and whether an index ensures them"
)
_COSTLY: Kind[t.Definition, bool] = Kind("whether definitions contain loops")
_INDEXES: Kind[tuple[Table, int], Mapping[Any, Rows]] = Kind("rows of a plan table by leading key columns")
_EVALUATED: Kind[tuple[type, Task], Memory] = Kind("results for a plan of a task, by the interpreter")


def arith(op: Lit["+", "-", "*", "//", "%"], left: Number | None, right: Number | None) -> Number | None:
    """Return `left op right`; *none* if an operand is *none* or a divisor is not positive."""
    if left is None or right is None:
        return None
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//":
            return left // right if right > 0 else None
        case "%":
            return left % right if right > 0 else None
        case _:
            assert_never(op)


def compare(op: Lit["==", "!=", "<", "<=", ">", ">="], left: Any, right: Any) -> bool:
    """Return `left op right`; false for every operator if an operand is *none*."""
    if left is None or right is None:
        return False
    match op:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case ">=":
            return bool(left >= right)
        case _:
            assert_never(op)


def call(function: str, args: Sequence[Any]) -> Any:
    """Return the value of a builtin function; *none* if an argument is *none*."""
    if any(arg is None for arg in args):
        return None
    match function, args:
        case "min", _:
            return min(args)
        case "max", _:
            return max(args)
        case "abs", [number]:
            return abs(number)
        case "ceil_div", [number, divisor]:
            return -(-number // divisor) if divisor > 0 else None
        case "day_of_week", [day]:
            return (day - 1) % 7 + 1  # day 1 of the calendar is a Monday
        case "contains", [text, part]:
            return part in text
        case _:
            raise AssertionError(f"no builtin {function} of {len(args)} arguments")


def comparable(value: Any, type_: Type) -> Any:
    """Return a value in a form that can be compared with Python's `==`.

    A value of a set type is stored as a sequence, in which the order has no meaning. It is returned as a frozenset.
    """
    return frozenset(value) if isinstance(type_, SetType) and value is not None else value


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values without duplicates and without *none*, in the order of first occurrence."""
    members = dict.fromkeys(values)
    members.pop(None, None)
    return tuple(members)


def pair_count(ranks: Mapping[Any, Sequence[Any]]) -> int:
    """Return the number of pairs of neighbours in a ranking with ties.

    Two elements are neighbours if their ranks are equal, or if no element has a rank between theirs.

    Args:
        ranks: elements by rank.
    """
    sizes = [len(ranks[rank]) for rank in sorted(ranks)]
    return sum(size * (size - 1) for size in sizes) + sum(a * b for a, b in pairwise(sizes))


def call_key(definition: t.Definition, arguments: Iterable[Any]) -> tuple[Any, ...]:
    """Return the cache key of a call that does not depend on the plan."""
    return (definition, *map(hashable, arguments))


EVALUATION_METHODS: Mapping[type, str] = {
    t.Literal: "_literal",
    t.Var: "_var",
    t.GivenRef: "_given",
    t.RowNamed: "_row_named",
    t.Apply: "apply",
    t.FieldOf: "_field",
    t.Lookup: "_row_of_keys",
    t.OnlyRow: "_only_row",
    t.Negate: "_negate",
    t.Arith: "_arith",
    t.Compare: "_compare",
    t.InSet: "_in_set",
    t.IsNone: "_is_none",
    t.IsUnknown: "_is_unknown",
    t.Coalesce: "_coalesce",
    t.Conditional: "_conditional",
    t.Not: "_not",
    t.Logic: "_logic",
    t.Call: "_call",
    t.Aggregate: "_aggregate",
    t.Intervals: "_intervals",
    t.SetLiteral: "_set_literal",
    t.SetOf: "_set_of",
    t.RangeOf: "_range_of",
    t.AllRows: "_all_rows",
    t.AllMembers: "_all_members",
    t.Steps: "_neighbours",
}
"""For each kind of expression, the name of the method of `Interpreter` that evaluates it."""


class Interpreter:
    """Evaluator of checked expressions.

    Args:
        task: task with the given parameters and tables to which expressions refer.
        plan: rows of the plan tables; None if only expressions that do not depend on a plan are evaluated.
        meter: counts the steps. A step is the evaluation of one expression, or other work that takes as long.
        static: cache of results that do not depend on a plan; updated.
    """

    remembers: ClassVar[bool] = True
    """Whether calls that do not depend on the plan are cached. False in subclasses that record what a value reads."""
    seeks_alternatives: ClassVar[bool] = True
    """Whether indexes are also used if a condition is an `or` of equalities. False in subclasses that record reads."""
    _methods: ClassVar[Mapping[type, Callable[[Any, Any, Env], Any]]] = {}
    """For each kind of expression, the method that evaluates it. Filled for each subclass."""

    _skips_conditions: ClassVar[bool] = True
    """Whether parts of conditions that an index ensures are not evaluated. False in subclasses that observe them."""

    def __init_subclass__(cls) -> None:
        cls._methods = {kind: getattr(cls, name) for kind, name in EVALUATION_METHODS.items()}
        overridable = ("value", "bindings", "meets", "candidates")
        cls._skips_conditions = cls.seeks_alternatives and all(
            getattr(cls, name) is getattr(Interpreter, name) for name in overridable
        )

    def __init__(
        self,
        task: Task,
        plan: Plan | None = None,
        meter: Meter | None = None,
        static: Memory | None = None,
    ) -> None:
        self.task = task
        self.plan = plan
        self.meter = meter or (Meter(STATIC_STEPS, static=True) if plan is None else Meter(JUDGING_STEPS))
        self.static = Memory() if static is None else static
        self.planned = Memory() if plan is None else plan.memo.of(_EVALUATED).setdefault((type(self), task), Memory())
        self._equalities = self.static.of(EQUALITIES)
        self._any_clauses = self.static.of(ANY_CLAUSES)
        self._parts_of_conditions = self.static.of(_CONDITION_PARTS)
        self._alternatives = self.static.of(_ALTERNATIVES)
        self._static_values = self.static.of(VALUES)
        self._static_calls = self.static.of(CALLS)
        self._costly = self.static.of(_COSTLY)
        self._values = self.planned.of(VALUES)
        self._indexes = self.planned.of(_INDEXES)

    def on(self, plan: Plan | None, meter: Meter | None = None) -> Interpreter:
        """Return an interpreter for a plan that shares the results that do not depend on a plan.

        Args:
            plan: rows of the plan tables; None for an interpreter without a plan.
            meter: counts the steps.
        """
        return type(self)(self.task, plan, meter, self.static)

    def set_definition_values(self, values: Mapping[str, Any], definitions: Mapping[str, t.Definition]) -> None:
        """Set the values that definitions have on this plan, so that they need not be computed.

        Args:
            values: the values.
            definitions: the definitions, by the same keys.
        """
        self._values.update((definitions[name], value) for name, value in values.items())

    def value(self, expr: t.Expr, env: Env) -> Any:
        """Return the value of an expression under the variables in `env`; None for *none*.

        A Boolean expression is never *none*; it is false instead.

        Raises:
            StepLimitError: the limit of steps is exceeded.
        """
        meter = self.meter
        meter.left -= 1
        if meter.left < 0:
            meter.spend(0, expr.span)
        method = self._methods.get(type(expr))
        if method is None:
            raise AssertionError(f"no method evaluates a {type(expr).__name__}")
        result = method(self, expr, env)
        return False if result is None and expr.type is ScalarType.BOOL else result

    def holds(self, expr: t.Expr, env: Env) -> bool:
        """Return whether a Boolean expression is true."""
        return bool(self.value(expr, env))

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        """Yield `env` extended with each binding of the clauses' variables that satisfies the conditions.

        A collection that is *none* has no elements.
        """
        if not clauses:
            yield dict(env)
            return
        clause, *rest = clauses
        target, *others = clause.targets
        meter, span, condition = self.meter, clause.source.span, clause.condition
        candidates: Iterable[Any]
        item: Any
        partly: PartlyIndexedCondition | None = None
        if self._skips_conditions and condition is not None and self._equalities_of(clause):
            candidates, is_exact = self._indexed_rows(clause, env)
            if is_exact:
                partly = PartlyIndexedCondition(clause, self._condition_parts(clause), self.value, meter)
        else:
            candidates = self.candidates(clause, env)
        for item in candidates:
            meter.left -= 1
            if meter.left < 0:
                meter.spend(0, span)
            inner = {**env, **dict(zip(clause.targets, item, strict=True))} if others else {**env, target: item}
            if condition is None or (self.meets(condition, inner) if partly is None else partly.holds(inner)):
                yield from self.bindings(rest, inner) if rest else (inner,)

    def cases(
        self, clauses: tuple[t.Clause, ...], exprs: tuple[t.Expr, ...], env: Env
    ) -> Iterable[tuple[dict[t.Binding, Any], Sequence[Any]]]:
        """Yield the bindings of a generator, each with the values of `exprs`."""
        for inner in self.bindings(clauses, env):
            yield inner, [self.value(expr, inner) for expr in exprs]

    def meets(self, condition: t.Expr, env: Env) -> bool:
        """Return whether a generator's condition is true."""
        return self.holds(condition, env)

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        """Return the elements that a `for` clause visits, possibly without some that fail its condition."""
        if not self._equalities_of(clause):
            named = self._alternative_rows(clause, env) if self.seeks_alternatives else None
            return self.items(clause.source, env) if named is None else named
        return self._indexed_rows(clause, env)[0]

    def _equalities_of(self, clause: t.Clause) -> tuple[Equality, ...]:
        cached = self._equalities.get(clause)
        if cached is None:
            cached = self._equalities[clause] = equalities(clause)
        return cached

    def _condition_parts(self, clause: t.Clause) -> Sequence[tuple[t.Expr, bool]]:
        """Return the operands of a generator's condition, each with whether the index lookup ensures it."""
        parts = self._parts_of_conditions.get(clause)
        if parts is None:
            answered, target = self._equalities[clause], clause.targets[0]
            parts = tuple((part, index_equality(part, target) in answered) for part in conditions_of(clause))
            self._parts_of_conditions[clause] = parts
        return parts

    def _indexed_rows(self, clause: t.Clause, env: Env) -> tuple[Iterable[Any], bool]:
        """Return the rows that an index finds for the equalities in a generator's condition.

        Also return whether all of these rows satisfy the equalities.
        """
        assert isinstance(clause.source, t.AllRows)
        keys = []
        for each in self._equalities[clause]:
            value = self.value(each.key, env)
            keys.append((each.column, (() if value is None else value) if each.many else (value,)))
        facts = self.task.facts[clause.source.table.name]
        size = min(prod(len(values) for _, values in keys), len(facts.rows))
        self.meter.spend(size, clause.source.span)
        return facts.find_rows(keys)

    def _alternative_rows(self, clause: t.Clause, env: Env) -> Sequence[Row] | None:
        """Return the rows that an index finds for the operands of an `or` in a condition; None if it cannot be used."""
        named = self._alternatives.get(clause)
        if named is None:
            named = self._alternatives[clause] = alternatives(clause)
        if not named:
            return None
        assert isinstance(clause.source, t.AllRows)
        facts = self.task.facts[clause.source.table.name]
        rows: dict[Row, None] = {}
        for each in named:
            value = self.value(each.key if isinstance(each, Equality) else each, env)
            if value is None:
                continue
            if isinstance(each, Equality):
                rows |= dict.fromkeys(facts.rows_with([(each.column, value if each.many else (value,))]))
            elif (row := facts.by_key.get(value._key)) is not None and row is value:
                rows[row] = None
        self.meter.spend(len(rows), clause.source.span)
        return sorted(rows, key=lambda row: row._index)

    def items(self, source: t.Expr, env: Env) -> Iterable[Any]:
        """Return the elements of a collection; empty if it is *none*."""
        if isinstance(source, t.Steps):
            return self._steps(source, env)
        elements = self._range(source, env) if isinstance(source, t.RangeOf) else self.value(source, env)
        return () if elements is None else elements

    def members(self, expr: t.SetOf, env: Env) -> tuple[Any, ...]:
        """Return the value of a set. For `(x for x in S)` there is a fast path, which counts the same steps."""
        clause, body = expr.clauses[0], expr.body
        if (
            len(expr.clauses) > 1
            or clause.condition is not None
            or not (isinstance(body, t.Var) and clause.targets == (body.binding,))
        ):
            return self.value(expr, env)  # type: ignore[no-any-return]
        meter = self.meter
        meter.spend(1, expr.span)
        elements = tuple(self.candidates(clause, env))
        meter.spend(2 * len(elements), (body if meter.left % 2 else clause.source).span)
        return distinct(elements)

    def rows(self, table: Table) -> Sequence[Row]:
        """Return the rows of a plan table or a static table."""
        if not table.plan:
            return self.task.facts[table.name].rows
        assert self.plan is not None, f"{table.name} is asked for without a plan"
        return self.plan.tables[table.name]

    def apply(self, expr: t.Apply, env: Env) -> Any:
        """Return the value of a definition or call; *none* or false if a mandatory argument is *none*."""
        definition = expr.definition
        if not definition.params:
            return self.defined(definition)
        inner = self.arguments(expr, env)
        if inner is None:
            return None
        if self.remembers and expr.stage is Stage.STATIC and self._is_costly(definition):
            return self._static_call(definition, inner)
        return self.value(definition.body, inner)

    def _is_costly(self, definition: t.Definition) -> bool:
        """Return whether a definition contains a loop. If not, its evaluation is as fast as a cache lookup."""
        is_costly = self._costly.get(definition)
        if is_costly is None:
            is_costly = any(isinstance(node, t.Aggregate | t.Intervals | t.SetOf) for node in walk(definition.body))
            self._costly[definition] = is_costly
        return is_costly

    def _static_call(self, definition: t.Definition, arguments: dict[t.Binding, Any]) -> Any:
        """Return the value of a call that does not depend on the plan. A cached value takes no steps."""
        key = call_key(definition, arguments.values())
        if key not in self._static_calls:
            value = self.value(definition.body, arguments)
            if len(self._static_calls) >= MAX_CACHED_CALLS:
                return value
            self._static_calls[key] = value
        return self._static_calls[key]

    def arguments(self, expr: t.Apply, env: Env) -> dict[t.Binding, Any] | None:
        """Return the parameters of a call with their values; None if a mandatory argument is *none*."""
        inner = dict(zip(expr.definition.params, [self.value(arg, env) for arg in expr.args], strict=True))
        missing = any(value is None and not param.optional for param, value in inner.items())
        return None if missing else inner

    def defined(self, definition: t.Definition) -> Any:
        """Return the value of a definition without parameters, computed once."""
        static = definition.body.stage is Stage.STATIC
        cache = self._static_values if static else self._values
        if definition not in cache:
            cache[definition] = self._shared_value(definition) if static else self.value(definition.body, {})
        return cache[definition]

    def _shared_value(self, definition: t.Definition) -> Any:
        """Return the value of a static definition. A value from another task is reused, and its steps are counted."""
        source = origin(definition, self.task)
        stored = None if source is None else stored_value(source, self.task)
        if stored is not None:
            self.meter.spend(stored.steps, definition.body.span)
            return stored.value
        left = self.meter.left
        value = self.value(definition.body, {})
        if source is not None:
            store_value(source, self.task, value, left - self.meter.left)
        return value

    # -- one method for each kind of expression --------------------------------------------------

    def _literal(self, expr: t.Literal, env: Env) -> Any:  # noqa: ARG002
        return expr.value

    def _var(self, expr: t.Var, env: Env) -> Any:
        return env[expr.binding]

    def _given(self, expr: t.GivenRef, env: Env) -> Any:  # noqa: ARG002
        return self.task.givens[expr.given.name]

    def _row_named(self, expr: t.RowNamed, env: Env) -> Row | None:  # noqa: ARG002
        return self.task.facts[expr.table.name].by_key.get((expr.key,))

    def _field(self, expr: t.FieldOf, env: Env) -> Any:
        row = self.value(expr.row, env)
        return None if row is None else getattr(row, expr.column.name)

    def _row_of_keys(self, expr: t.Lookup, env: Env) -> Row | None:
        return self._lookup(expr.table, [self.value(key, env) for key in expr.keys])

    def _only_row(self, expr: t.OnlyRow, env: Env) -> Row | None:  # noqa: ARG002
        rows = self.rows(expr.table)
        return rows[0] if len(rows) == 1 else None

    def _negate(self, expr: t.Negate, env: Env) -> Number | None:
        operand = self.value(expr.operand, env)
        return None if operand is None else -operand

    def _is_none(self, expr: t.IsNone, env: Env) -> bool:
        operand = expr.operand
        if isinstance(operand, t.Var) and operand.type is ScalarType.BOOL:  # only an omitted Boolean argument is *none*
            return (env[operand.binding] is None) != expr.negated
        return (self.value(operand, env) is None) != expr.negated

    def _is_unknown(self, expr: t.IsUnknown, env: Env) -> bool:
        row = self.value(expr.row, env)
        return (row is not None and expr.column.name in row._unknown) != expr.negated

    def _coalesce(self, expr: t.Coalesce, env: Env) -> Any:
        left = self.value(expr.left, env)
        return self.value(expr.right, env) if left is None else left

    def _conditional(self, expr: t.Conditional, env: Env) -> Any:
        return self.value(expr.then if self.holds(expr.condition, env) else expr.otherwise, env)

    def _not(self, expr: t.Not, env: Env) -> bool:
        return not self.holds(expr.operand, env)

    def _call(self, expr: t.Call, env: Env) -> Any:
        return call(expr.function, [self.value(arg, env) for arg in expr.args])

    def _set_literal(self, expr: t.SetLiteral, env: Env) -> tuple[Any, ...] | None:
        members = [self.value(item, env) for item in expr.items]
        return None if any(member is None for member in members) else distinct(members)

    def _set_of(self, expr: t.SetOf, env: Env) -> tuple[Any, ...]:
        return distinct(self.value(expr.body, inner) for inner in self.bindings(expr.clauses, env))

    def _range_of(self, expr: t.RangeOf, env: Env) -> tuple[Number, ...] | None:
        items = self._range(expr, env)
        if items is not None:
            self.meter.spend(len(items), expr.span)
        return None if items is None else tuple(items)

    def _all_rows(self, expr: t.AllRows, env: Env) -> tuple[Row, ...]:  # noqa: ARG002
        self.meter.spend(len(self.rows(expr.table)) // BULK, expr.span)
        return tuple(self.rows(expr.table))

    def _all_members(self, expr: t.AllMembers, env: Env) -> Sequence[Any]:  # noqa: ARG002
        return expr.enum.members

    def _neighbours(self, expr: t.Steps, env: Env) -> tuple[tuple[Any, Any], ...]:
        return tuple(self._steps(expr, env))

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        if any(key is None for key in keys):
            return None
        columns = [table.columns[name] for name in table.key[: len(keys)]]
        if not table.plan:
            index = self.task.facts[table.name].grouped(columns)
        elif (table, len(keys)) in self._indexes:
            index = self._indexes[table, len(keys)]
        else:
            index = self._indexes[table, len(keys)] = group(self.rows(table), columns)
        rows = index.get(key_of(keys, columns), ())
        return rows[0] if len(rows) == 1 else None

    def _arith(self, expr: t.Arith, env: Env) -> Number | None:
        left, right = self.value(expr.left, env), self.value(expr.right, env)
        if expr.op == "+" and expr.type is ScalarType.MOMENT:  # the sum of a date and a time is a moment
            left = arith("*", left, MINUTES_A_DAY if expr.left.type is ScalarType.DATE else 1)
            right = arith("*", right, MINUTES_A_DAY if expr.right.type is ScalarType.DATE else 1)
        return arith(expr.op, left, right)

    def _compare(self, expr: t.Compare, env: Env) -> bool | None:
        values = [self.value(operand, env) for operand in expr.operands]
        if None in values:
            return None
        if isinstance(values[0], tuple) and any(isinstance(part.type, SetType) for part in expr.operands):
            self.meter.spend(sum(map(len, values)) // BULK, expr.span)
            values = [frozenset(value) for value in values]  # a list is compared with a set as a set
        if len(values) == 2:
            return compare(expr.ops[0], *values)
        pairs = zip(expr.ops, values[:-1], values[1:], strict=True)
        return all(compare(op, left, right) for op, left, right in pairs)

    def _in_set(self, expr: t.InSet, env: Env) -> bool | None:
        item = self.value(expr.item, env)
        if isinstance(expr.collection, t.RangeOf):
            is_member = self._in_range(item, expr.collection, env)
        else:
            members = self.value(expr.collection, env)
            self.meter.spend(0 if members is None else len(members) // BULK, expr.span)
            is_member = None if item is None or members is None else item in members
        return None if is_member is None else is_member != expr.negated

    def _in_range(self, item: Number | None, expr: t.RangeOf, env: Env) -> bool | None:
        """Return whether an item is in a range; None if a value is *none* or the step is not positive."""
        low, high = self.value(expr.low, env), self.value(expr.high, env)
        step = None if expr.step is None else self.value(expr.step, env)
        if item is None or low is None or high is None:
            return None
        if expr.step is None:
            return bool(low <= item <= high)
        on_grid = arith("%", arith("-", item, low), step)
        return None if on_grid is None else bool(low <= item <= high) and on_grid == 0

    def _range(self, expr: t.RangeOf, env: Env) -> Sequence[Number] | None:
        low, high = self.value(expr.low, env), self.value(expr.high, env)
        step = 1 if expr.step is None else self.value(expr.step, env)
        if low is None or high is None or step is None or step <= 0:
            return None
        if isinstance(low, int) and isinstance(step, int):
            return range(low, high // 1 + 1, step)
        self.meter.spend(max(0, (high - low) // step), expr.span)
        return [low + k * step for k in range((high - low) // step + 1)]

    def _logic(self, expr: t.Logic, env: Env) -> bool:
        match expr.op:
            case "and":
                for operand in expr.operands:  # noqa: SIM110 a generator takes longer
                    if not self.value(operand, env):
                        return False
                return True
            case "or":
                for operand in expr.operands:  # noqa: SIM110 a generator takes longer
                    if self.value(operand, env):
                        return True
                return False
            case "implies":
                left, right = expr.operands
                return not self.holds(left, env) or self.holds(right, env)
            case _:
                assert_never(expr.op)

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        bindings = self.bindings(expr.clauses, env)
        match expr.function:
            case "all":
                return all(self.holds(expr.body, inner) for inner in bindings)
            case "any":
                return self._any(expr, env)
            case "count":
                return sum(1 for _ in bindings)
            case "the":
                only = list(bindings)
                return self.value(expr.body, only[0]) if len(only) == 1 else None
            case "first" | "last":
                chosen = self.extreme(expr, env)
                return None if chosen is None else self.value(expr.body, chosen)
            case "sum" | "min" | "max" | "all_different":
                terms = [comparable(self.value(expr.body, inner), expr.body.type) for inner in bindings]
            case _:
                assert_never(expr.function)
        if any(term is None for term in terms):
            return None
        match expr.function:
            case "sum":
                return sum(terms)
            case "min":
                return min(terms, default=None)
            case "max":
                return max(terms, default=None)
            case "all_different":
                return len(set(terms)) == len(terms)
            case _:
                assert_never(expr.function)

    def _intervals(self, expr: t.Intervals, env: Env) -> bool | Number | None:
        groups = self.runs(expr, env)
        self.meter.spend(sum(map(len, groups)), expr.span)
        is_valid = all(run.is_valid for runs in groups for run in runs)
        if expr.function == "no_overlap":
            return is_valid and all(a.until <= b.start for runs in groups for a, b in followers(runs))
        if not is_valid or any(run.amount is None for runs in groups for run in runs):
            return None
        return max((self.peak(runs)[0] for runs in groups), default=0)

    def runs(self, expr: t.Intervals, env: Env) -> list[list[Run]]:
        """Return the intervals of a `no_overlap` or `peak`, one list for each group (`per`) in order of occurrence."""
        groups: dict[Any, list[Run]] = {}
        for inner in self.bindings(expr.clauses, env):
            start, end = self.value(expr.start, inner), self.value(expr.end, inner)
            per = True if expr.per is None else comparable(self.value(expr.per, inner), expr.per.type)
            if per is None or (start is None and end is None):
                continue
            is_peak = expr.function == "peak"
            gap = 0 if is_peak or expr.gap is None else self.value(expr.gap, inner)
            amount = self.value(expr.body, inner) if is_peak else 0
            groups.setdefault(per, []).append(Run(inner, start, end, until(end, gap), amount))
        return list(groups.values())

    @staticmethod
    def peak(runs: Sequence[Run]) -> tuple[Number, Number | None]:
        """Return the maximum sum of amounts in use at one moment, and the first such moment (None if the sum is 0).

        Each interval in `runs` must be valid (`Run.is_valid`) and have an amount that is not *none*.
        """
        return peak(*zip(*((run.start, run.end, run.amount) for run in runs), strict=True))

    def _any(self, expr: t.Aggregate, env: Env) -> bool:
        if expr not in self._any_clauses:
            self._any_clauses[expr] = indexed_clauses(expr)
        narrowed = self._any_clauses[expr]
        if narrowed is not None:
            return any(True for _ in self.bindings(narrowed, env))
        return any(self.holds(expr.body, inner) for inner in self.bindings(expr.clauses, env))

    def extreme(self, expr: t.Aggregate, env: Env) -> dict[t.Binding, Any] | None:
        """Return the binding that `first` or `last` selects; None on a tie or if there are no bindings."""
        by = expr.by
        assert by is not None
        ranked = [(self.value(by, inner), inner) for inner in self.bindings(expr.clauses, env)]
        present = [rank for rank, _ in ranked if rank is not None]
        if not present:
            return None
        best = min(present) if expr.function == "first" else max(present)
        best_bindings = [inner for rank, inner in ranked if rank == best]
        return best_bindings[0] if len(best_bindings) == 1 else None

    def _steps(self, expr: t.Steps, env: Env) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs of neighbours in a `steps`, by group (in order of occurrence), then rank, then position."""
        groups: dict[Any, dict[Any, list[Any]]] = {}  # by `per`, then by rank
        for place, inner in enumerate(self.bindings(expr.clauses, env)):
            rank = place if expr.by is None else self.value(expr.by, inner)
            per = True if expr.per is None else comparable(self.value(expr.per, inner), expr.per.type)
            if rank is not None and per is not None:
                groups.setdefault(per, {}).setdefault(rank, []).append(self.value(expr.body, inner))
        self.meter.spend(sum(map(pair_count, groups.values())), expr.span)
        for ranks in groups.values():
            ordered = [ranks[rank] for rank in sorted(ranks)]
            for tied, later in zip(ordered, [*ordered[1:], []], strict=True):
                for place, a in enumerate(tied):
                    yield from ((a, b) for other, b in enumerate(tied) if other != place)
                for a in tied:
                    yield from ((a, b) for b in later)


Interpreter.__init_subclass__()
