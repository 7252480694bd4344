"""Hash indexes of static tables, and code that builds indexes of plan tables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planspec.dsl.model.facts import Facts, Rows
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.tree import Definition
from planspec.dsl.model.types import Column, EnumType, RowType, ScalarType, SetType, Table
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.runtime import Memo
from planspec.verifiers.meaning.common_values import value_shared_between_tasks
from planspec.verifiers.meaning.interpret import Interpreter


class StaticData:
    """Data of a task that is the same for all plans: indexes of static tables, and values of definitions.

    Args:
        task: the task.
        interpreter: interpreter of the task, without a plan.
    """

    def __init__(self, task: Task, interpreter: Interpreter) -> None:
        self.task = task
        self.interpreter = interpreter
        self._rows: dict[Table, Rows] = {}
        self._finders: dict[tuple[Table, int], Callable[[Any], Row | None]] = {}
        self._memos: dict[Definition, Memo] = {}
        self._values: dict[Definition, Any] = {}

    def facts(self, table: Table) -> Facts:
        """Return the rows of a static table, with its indexes."""
        return self.task.facts[table.name]

    def rows(self, table: Table) -> Rows:
        """Return the rows of a static table as a tuple."""
        result = self._rows.get(table)
        if result is None:
            result = self._rows[table] = tuple(self.facts(table).rows)
        return result

    def finder(self, table: Table, count: int) -> Callable[[Any], Row | None]:
        """Return a function that finds a row by its first `count` key columns: None if no row or several match."""
        result = self._finders.get((table, count))
        if result is None:
            columns = [table.columns[name] for name in table.key[:count]]
            result = self._finders[table, count] = self.facts(table).rows_alone_in_group(columns).get
        return result

    def memo(self, definition: Definition, body: Callable[[Sequence[Any]], Any]) -> Memo:
        """Return the values of a definition that reads only static data: a cache, keyed by the arguments.

        Args:
            definition: the definition.
            body: function that computes a value from arguments. It is not called if a mandatory argument is *none*.
        """
        result = self._memos.get(definition)
        if result is None:
            result = self._memos[definition] = Memo(_strict_function(definition, body))
        return result

    def value(self, definition: Definition, compute: Callable[[], Any]) -> Any:
        """Return the value of a static definition without parameters. Tasks with the same inputs share it.

        Args:
            definition: the definition.
            compute: function that computes the value if it is not cached.
        """
        if definition not in self._values:
            self._values[definition] = value_shared_between_tasks(definition, self.task, compute)
        return self._values[definition]

    def has_memo(self, definition: Definition) -> bool:
        """Return whether `memo` was called for a definition."""
        return definition in self._memos


def _strict_function(definition: Definition, body: Callable[[Sequence[Any]], Any]) -> Callable[[Any], Any]:
    params = definition.params
    nothing = False if definition.body.type is ScalarType.BOOL else None

    def compute(key: Any) -> Any:
        values = (key,) if len(params) == 1 else key
        if any(value is None and not param.optional for param, value in zip(params, values, strict=True)):
            return nothing
        return body(values)

    return compute


def is_cacheable(definition: Definition, tables: Mapping[str, Table]) -> bool:
    """Return whether arguments of a definition can be cache keys: static rows, enum members, Booleans or dates."""
    for param in definition.params:
        match param.type:
            case RowType():
                if tables[param.type.table].plan:
                    return False
            case EnumType() | ScalarType.BOOL | ScalarType.DATE:
                pass
            case _:
                return False
    return True


def index_function(
    function: str, state: int, table: int, columns: Sequence[Column], checked: Sequence[bool], *, unique: bool
) -> ast.stmt:
    """Return the definition of a function that builds an index of a plan table on demand.

    Args:
        function: name of the function.
        state: position of the index in the state of a plan. The entry is None until the index is built.
        table: position of the table's rows in the state.
        columns: columns of the index, in order.
        checked: for each column, whether a row may have *none* in it. Such rows are left out.
        unique: whether the index maps a key to its only row (None if there are several) or to a list of rows.
    """
    row, index, key = py.name("row"), py.name("index"), py.name("key")
    parts: list[ast.expr] = []
    body: list[ast.stmt] = []
    for column, check in zip(columns, checked, strict=True):
        part = py.attribute(row, column.name)
        if check:
            body.append(py.if_(py.is_none(part), [py.CONTINUE]))
        is_set = isinstance(column.type, SetType)
        parts.append(py.call(py.name("frozenset"), part) if is_set else part)
    body.append(py.assign("key", parts[0] if len(parts) == 1 else py.tuple_(parts)))
    if unique:
        body.append(py.assign_item(index, key, py.choose(py.compare(key, "in", index), py.NONE, row)))
    else:
        append = py.call(py.attribute(py.item(index, key), "append"), row)
        first = py.assign_item(index, key, py.list_([row]))
        body.append(py.if_(py.compare(key, "in", index), [py.expression_statement(append)], [first]))
    plan = py.name("plan")
    build: list[ast.stmt] = [
        py.assign("index", py.EMPTY_DICT),
        py.assign_item(plan, py.constant(state), index),
        py.loop(["row"], py.item(plan, py.constant(table)), body),
    ]
    return py.function(
        function,
        ["plan"],
        [
            py.assign("index", py.item(plan, py.constant(state))),
            py.if_(py.is_none(index), build),
            py.return_(index),
        ],
    )
