"""Hash indexes over static tables, and the code that builds those over plan tables."""

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
from planspec.verifiers.meaning.common_values import shared_value
from planspec.verifiers.meaning.interpret import Interpreter


class Statics:
    """The parts of a task that are the same for every plan: indexes of static tables, values of functions.

    Args:
        task: the task.
        interpreter: evaluates its static expressions.
    """

    def __init__(self, task: Task, interpreter: Interpreter) -> None:
        self.task = task
        self.interpreter = interpreter
        self._rows: dict[Table, Rows] = {}
        self._finders: dict[tuple[Table, int], Callable[[Any], Row | None]] = {}
        self._memos: dict[Definition, Memo] = {}
        self._values: dict[Definition, Any] = {}

    def facts(self, table: Table) -> Facts:
        """The facts of a static table."""
        return self.task.facts[table.name]

    def rows(self, table: Table) -> Rows:
        """The rows of a static table."""
        found = self._rows.get(table)
        if found is None:
            found = self._rows[table] = tuple(self.facts(table).rows)
        return found

    def finder(self, table: Table, count: int) -> Callable[[Any], Row | None]:
        """Finds a row of a static table by its first key columns, where no other has them; always the same object."""
        found = self._finders.get((table, count))
        if found is None:
            columns = [table.columns[name] for name in table.key[:count]]
            found = self._finders[table, count] = self.facts(table).single(columns).get
        return found

    def memo(self, definition: Definition, body: Callable[[Sequence[Any]], Any]) -> Memo:
        """The remembered values of a function that mentions no plan table.

        Args:
            definition: the function.
            body: its value where no argument that must have a value is none.
        """
        found = self._memos.get(definition)
        if found is None:
            found = self._memos[definition] = Memo(_call(definition, body))
        return found

    def value(self, definition: Definition, compute: Callable[[], Any]) -> Any:
        """The value of a static definition without parameters, worked out once, for all tasks that have the same.

        Args:
            definition: whose value it is.
            compute: works it out.
        """
        if definition not in self._values:
            self._values[definition] = shared_value(definition, self.task, compute)
        return self._values[definition]

    def remembers(self, definition: Definition) -> bool:
        """The function has its memo already."""
        return definition in self._memos


def _call(definition: Definition, body: Callable[[Sequence[Any]], Any]) -> Callable[[Any], Any]:
    params = definition.params
    nothing = False if definition.body.type is ScalarType.BOOL else None

    def compute(key: Any) -> Any:
        values = (key,) if len(params) == 1 else key
        if any(value is None and not param.optional for param, value in zip(params, values, strict=True)):
            return nothing
        return body(values)

    return compute


def memorable(definition: Definition, tables: Mapping[str, Table]) -> bool:
    """A function's arguments are few enough to remember its values: rows of static tables, members, days."""
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
    """The function that gives an index of a plan table and builds it when it is first asked for.

    Args:
        function: its name.
        state: the place of the index in a plan's state, None until it is built.
        table: the place of the table's rows there.
        columns: the columns of the index, in order.
        checked: for each column, whether a row may have none in it; such rows are left out.
        unique: one row (None where several have the key) rather than a list of rows for each key.
    """
    row, index, key = py.name("row"), py.name("index"), py.name("key")
    parts: list[ast.expr] = []
    body: list[ast.stmt] = []
    for column, check in zip(columns, checked, strict=True):
        part = py.attribute(row, column.name)
        if check:
            body.append(py.when(py.is_none(part), [py.CONTINUE]))
        is_set = isinstance(column.type, SetType)
        parts.append(py.call(py.name("frozenset"), part) if is_set else part)
    body.append(py.assign("key", parts[0] if len(parts) == 1 else py.group(parts)))
    if unique:
        body.append(py.put(index, key, py.choose(py.compare(key, "in", index), py.NONE, row)))
    else:
        found = py.call(py.attribute(py.item(index, key), "append"), row)
        first = py.put(index, key, py.sequence([row]))
        body.append(py.when(py.compare(key, "in", index), [py.act(found)], [first]))
    plan = py.name("plan")
    build: list[ast.stmt] = [
        py.assign("index", py.EMPTY_DICT),
        py.put(plan, py.constant(state), index),
        py.loop(["row"], py.item(plan, py.constant(table)), body),
    ]
    return py.function(
        function,
        ["plan"],
        [
            py.assign("index", py.item(plan, py.constant(state))),
            py.when(py.is_none(index), build),
            py.give(index),
        ],
    )
