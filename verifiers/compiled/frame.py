"""State of code generation: the program, and the function under generation with its names, blocks and variables."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.model.tree import Binding, Definition, Expr
from planspec.dsl.model.types import Column, Table
from planspec.dsl.resources.limits import JUDGING_STEPS
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import ExpressionAnalysis
from planspec.verifiers.compiled.index import StaticData, index_function
from planspec.verifiers.compiled.runtime import initial_globals
from planspec.verifiers.compiled.value import (
    Block,
    Env,
    Guarded,
    Known,
    Nullable,
    Scope,
    SplitInstancesError,
    Total,
    Value,
)
from planspec.verifiers.meaning.meter import Meter

PLAN = "plan"
"""Name of the parameter of generated functions for the state of a plan: a list of its rows, indexes and values."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The task to which code is linked.

    Attributes:
        statics: static data of the task.
        names: globals of the code, including its functions once they are loaded.
    """

    statics: StaticData
    names: Mapping[str, Any]


Part: TypeAlias = Callable[[Linked], Any]
"""Function that computes a constant of shared code for the task to which the code is linked.

It must not store a reference to a task.
"""


class GeneratedCode:
    """A program under generation: functions that call each other, with their constants.

    The functions get the state of a plan, a list. It contains the rows of each plan table, then indexes and values of
    definitions, which are computed on demand.

    Args:
        statics: static data of the task.
        analysis: analysis of its expressions.
        careful: whether any column of a plan table may be *none*, because a cell was unreadable or left out.
            Otherwise the code expects a value in every mandatory column, and `relied_on` lists the columns in which
            it does.
        common: whether several tasks share the code. The functions in `parts` then compute the data of each
            task, and `statics` is used only for data that all tasks share.
    """

    def __init__(
        self, statics: StaticData, analysis: ExpressionAnalysis, *, careful: bool, common: bool = False
    ) -> None:
        self.statics = statics
        self.analysis = analysis
        self.careful = careful
        self.common = common
        self.parts: dict[str, Part] = {}
        self.functions: list[ast.stmt] = []
        self.meter = Meter(JUDGING_STEPS)
        self.once: Counter[str] = Counter()  # for each plan table, steps per row of loops that run once
        self.names: dict[str, Any] = initial_globals(self.meter.spend)
        self.tables = {table.name: place for place, table in enumerate(statics.task.plan_tables)}
        self.state: list[Any] = [()] * len(self.tables)
        self.relied_on: dict[tuple[str, str], None] = {}
        self.definitions: dict[Definition, tuple[str, bool]] = {}  # name of function; whether it never returns None
        self.splits = 0
        self._constants: dict[int, tuple[Any, ast.expr]] = {}
        self._parts: dict[object, ast.expr] = {}
        self._indexes: dict[tuple[str, tuple[str, ...], bool], str] = {}
        self._count = 0

    def unique_name(self, hint: str) -> str:
        """Return a name that is not used elsewhere in the program: the hint and a number."""
        self._count += 1
        return f"{hint}_{self._count}"

    def new_position(self, initial: Any) -> int:
        """Add an entry with an initial value to the state of plans, and return its position."""
        self.state.append(initial)
        return len(self.state) - 1

    def constant(self, value: Any) -> ast.expr:
        """Return code for a constant that is the same for every plan."""
        if value is None or type(value) in {bool, int, str}:
            return py.constant(value)
        entry = self._constants.get(id(value))
        if entry is None:
            identifier = self.unique_name("const")
            self.names[identifier] = value
            entry = self._constants[id(value)] = value, py.name(identifier)
        return entry[1]

    def of_task(self, key: object, part: Part) -> ast.expr:
        """Return code for a constant that depends on the task.

        If tasks share the code (`common`), the constant is computed when the code is linked; otherwise immediately.

        Args:
            key: identifies the constant, so that it is computed only once.
            part: function that computes the constant.
        """
        if not self.common:
            return self.constant(part(Linked(self.statics, self.names)))
        code = self._parts.get(key)
        if code is None:
            identifier = self.unique_name("part")
            self.parts[identifier] = part
            code = self._parts[key] = py.name(identifier)
        return code

    def may_be_none(self, table: str, column: Column) -> bool:
        """Return whether a row of the table may have *none* in the column."""
        if column.optional:
            return True
        if table in self.tables:
            if self.careful:
                return True
            self.relied_on[table, column.name] = None
        return False

    def index(self, table: Table, columns: tuple[str, ...], *, unique: bool) -> str:
        """Return the name of the function that returns an index of a plan table by columns.

        The index maps a key to its only row (None if there are several) if `unique`, and otherwise to a list of rows.
        """
        identifier = self._indexes.get((table.name, columns, unique))
        if identifier is None:
            identifier = self._indexes[table.name, columns, unique] = self.unique_name(f"index_{table.name}")
            index_columns = [table.columns[name] for name in columns]
            checked = [self.may_be_none(table.name, column) for column in index_columns]
            state = self.new_position(None)
            function = index_function(identifier, state, self.tables[table.name], index_columns, checked, unique=unique)
            self.functions.append(function)
        return identifier


class Frame(ABC):
    """One function under generation.

    Args:
        program: program of the function.
        envs: values of the constraint's variables, for each instance that the function judges.
    """

    def __init__(self, program: GeneratedCode, envs: Sequence[Env]) -> None:
        self.program = program
        self.statics = program.statics
        self.analysis = program.analysis
        self.instances = len(envs)
        self.block = Block(0, None)
        self.scope = Scope(envs, frozenset(envs[0]), int(len(envs) > 1), {})
        # whether the loop or function around the next code may skip it, like the second operand of an `and`
        self.conditional = False
        # for each variable of the loop over instances: its name, and its value in each instance
        self.instance_variables: list[tuple[str, tuple[Any, ...]]] = []
        self._names_by_values: dict[tuple[type, tuple[Any, ...]], str] = {}

    @abstractmethod
    def value(self, expr: Expr) -> Value:
        """Return code for an expression. Statements that it needs are appended to the current block."""

    # Blocks -----------------------------------------------------------------------------------------------

    def emit(self, statement: ast.stmt) -> None:
        """Append a statement to the current block."""
        self.block.body.append(statement)

    @contextmanager
    def inside(self, block: Block, *, conditional: bool = False) -> Iterator[Block]:
        """Make a block the current one within a `with` statement.

        `conditional` tells whether the loop or function around the block may skip the code that is added within the
        `with` statement, for example because the block is a branch of an `if`.
        """
        before = self.block, self.conditional
        self.block, self.conditional = block, conditional
        try:
            yield block
        finally:
            self.block, self.conditional = before

    def branch(self) -> Block:
        """Return a new block for the statements of an `if` in the current loop."""
        return Block(self.block.level, self.block, self.block.depth)

    @contextmanager
    def in_variable_scope(self, scope: Scope) -> Iterator[None]:
        """Make a scope of variables the current one within a `with` statement."""
        before = self.scope
        self.scope = scope
        try:
            yield
        finally:
            self.scope = before

    def store(self, code: ast.expr, hint: str = "t") -> ast.expr:
        """Assign code to a new variable, and return code for the variable. Names and constants are returned as is.

        The name of the variable begins with `hint`.
        """
        if isinstance(code, (ast.Name, ast.Constant)):
            return code
        identifier = self.program.unique_name(hint)
        self.emit(py.assign(identifier, code))
        return py.name(identifier)

    def new_variable(self, value: ast.expr, hint: str) -> str:
        """Add a variable with an initial value to the generated function. Return its name, which begins with `hint`."""
        identifier = self.program.unique_name(hint)
        self.emit(py.assign(identifier, value))
        return identifier

    def step_counter(self, steps: ast.expr) -> ast.stmt:
        """Return a statement that counts steps."""
        return py.expression_statement(py.call(py.name("spend"), steps))

    def local(self, key: object, code: ast.expr, hint: str) -> ast.expr:
        """Return code for a local variable that is set at the start of the function, and shared by equal keys.

        The name of the variable begins with `hint`.
        """
        root = self.block.root
        value = root.shared.get(key)
        if value is None:
            with self.inside(root):
                value = root.shared[key] = Total(self.store(code, hint))
        assert isinstance(value, Total)
        return value.code

    def rows_of(self, table: Table) -> ast.expr:
        """Return code for the rows of a table."""
        if not table.plan:
            return self.program.of_task(table, lambda linked: linked.statics.rows(table))
        place = py.constant(self.program.tables[table.name])
        return self.local(table.name, py.item(py.name(PLAN), place), table.name)

    def bind(self, target: Binding, value: Value, level: int) -> None:
        """Set the code for the value of a task variable, and the level of the loop that binds it."""
        self.scope.bound[target] = value
        self.scope.levels[target] = level

    # Values -----------------------------------------------------------------------------------------------

    def parts(self, value: Value) -> tuple[tuple[ast.expr, ...], ast.expr]:
        """Return guards and code for a value. If all guards are true, the code may run and its value is not None."""
        match value:
            case Known():
                absent = value.value is None
                return ((py.FALSE,) if absent else ()), self.program.constant(value.value)
            case Total():
                return (), value.code
            case Guarded():
                return value.guards, value.code
            case Nullable(code=ast.Name() as code):
                return (py.is_present(code),), code
            case Nullable():
                identifier = self.program.unique_name("t")
                return (py.is_present(py.named(identifier, value.code)),), py.name(identifier)

    def as_nullable(self, value: Value) -> ast.expr:
        """Return code for a value as a single Python expression, which is None if the value is *none*."""
        match value:
            case Known():
                return self.program.constant(value.value)
            case Total() | Nullable():
                return value.code
            case Guarded():
                *others, last = value.guards
                source = _named_source(last, value.code)
                if source is None:
                    return py.choose(py.conjunction(value.guards), value.code, py.NONE)
                return py.choose(py.conjunction(others), source, py.NONE)

    def as_repeatable(self, value: Value, hint: str = "t") -> Value:
        """Return a value that can be used repeatedly, by storing it in a variable unless it is a constant.

        The name of the variable begins with `hint`.
        """
        match value:
            case Known():
                return value
            case Total():
                return Total(self.store(value.code, hint))
            case Nullable() | Guarded():
                return Nullable(self.store(self.as_nullable(value), hint))

    def guarded(self, guards: Sequence[ast.expr], value: Value) -> Value:
        """Return a value that is *none* if a guard is false, and otherwise the given value."""
        if not guards:
            return value
        if isinstance(value, Known) and value.value is None:
            return value
        more, code = self.parts(value)
        return Guarded((*guards, *more), code)

    def test(self, expr: Expr) -> ast.expr:
        """Return code that is `True` if a Boolean expression holds, otherwise `False`."""
        return self.holds(self.value(expr))

    def holds(self, value: Value) -> ast.expr:
        """Return code that is `True` if a Boolean value is true, otherwise `False`."""
        match value:
            case Known():
                return py.TRUE if value.value else py.FALSE
            case Total():
                return value.code
            case Nullable():
                return py.compare(value.code, "is", py.TRUE)
            case Guarded():
                return py.conjunction([*value.guards, value.code])

    def strict(self, operands: Sequence[Expr], build: Callable[[list[ast.expr]], ast.expr]) -> Value:
        """Return a value that is *none* if any operand is *none*.

        Args:
            operands: the operands.
            build: function that creates the code for the value from code for operands that are not None.
        """
        guards: list[ast.expr] = []
        codes: list[ast.expr] = []
        for operand in operands:
            value = self.value(operand)
            if isinstance(value, Known) and value.value is None:
                return value
            more, code = self.parts(value)
            guards += more
            codes.append(code)
        return Guarded(tuple(guards), build(codes)) if guards else Total(build(codes))

    # Values that do not depend on the plan --------------------------------------------------------------------------

    def static_values(self, expr: Expr) -> Sequence[Any] | None:
        """Return the values of an expression, one for each instance of the constraint that the function judges.

        Return None if the expression depends on the plan or on a loop variable.
        """
        traits, scope = self.analysis.traits(expr), self.scope
        if traits.varies or not traits.free <= scope.known_names:
            return None
        if not traits.free:
            return [self.statics.interpreter.value(expr, {})] * self.instances
        return [self.statics.interpreter.value(expr, env) for env in scope.envs]

    def value_before_plan(self, values: Sequence[Any]) -> Value:
        """Return code for a value that does not depend on the plan.

        It is a constant if all instances have the same value, and otherwise a variable of the loop over instances.

        Args:
            values: the value for each instance.

        Raises:
            SplitInstancesError: the value is *none* for some instances but not for others. They may still be split.
        """
        first = values[0]
        if all(value is first for value in values) or (
            all(type(value) is type(first) for value in values) and all(value == first for value in values)
        ):
            return Known(first)
        absent = [value is None for value in values]
        if any(absent) and self.program.splits > 0:
            raise SplitInstancesError(absent)
        key = type(first), tuple(values)
        identifier = self._names_by_values.get(key)
        if identifier is None:
            identifier = self._names_by_values[key] = self.program.unique_name("slot")
            self.instance_variables.append((identifier, key[1]))
        code = py.name(identifier)
        return Nullable(code) if any(absent) else Total(code)


def _named_source(guard: ast.expr, code: ast.expr) -> ast.expr | None:
    """Return X if the guard is `(t := X) is not None` and the code is `t`; otherwise None.

    X can replace both, because it is None exactly if the guard is false.
    """
    if (
        isinstance(guard, ast.Compare)
        and isinstance(guard.ops[0], ast.IsNot)
        and isinstance(guard.left, ast.NamedExpr)
        and isinstance(code, ast.Name)
        and guard.left.target.id == code.id
    ):
        return guard.left.value
    return None
