"""Conversion of a call's arguments to values of the tool's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredTool, Parameter
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Type
from planspec.dsl.model.values import InvalidValueError, parse_json_value
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.resources.limits import ANSWER_TEXT
from planspec.verifiers.answers.amounts import read_cost
from planspec.verifiers.answers.names import NameIndex, folded_name
from planspec.verifiers.answers.tables import clipped_text, json_kind, row_names
from planspec.verifiers.environment.refusals import RefusedCallError
from planspec.verifiers.meaning.interpret import Interpreter

MAX_ITEMS = 1_000
"""Maximum number of items of a list that a call passes as an argument. A call with a longer list is refused."""
NAME_INDEXES: Kind[Parameter, NameIndex] = Kind("the rows that a parameter accepts, by their names")


class ArgumentReader:
    """Converter from the JSON arguments of calls to the values of a tool's parameters.

    Args:
        tool: declaration of the tool.
        interpreter: interpreter of the task, without a plan. Values that do not depend on a plan are cached in it.
    """

    def __init__(self, tool: DeclaredTool, interpreter: Interpreter) -> None:
        self._tool = tool
        self._interpreter = interpreter
        self._task = interpreter.task

    def read(self, arguments: object) -> dict[t.Binding, Any]:
        """Return the values of the parameters.

        Args:
            arguments: arguments of the call as the agent sent them.

        Raises:
            RefusedCallError: `arguments` is not an object; or an argument is missing, unknown, of the wrong
                type, or does not refer to exactly one row.
        """
        if not isinstance(arguments, Mapping):
            raise RefusedCallError("invalid-arguments", "the arguments must be a JSON object")
        faults = [
            f"{_shown_name(name)}: there is no such argument{self._did_you_mean(name)}"
            for name in arguments
            if name not in {param.name for param in self._tool.params}
        ]
        values: dict[t.Binding, Any] = {}
        for param in self._tool.params:
            argument = arguments.get(param.name)
            if argument is None:
                if param.required:
                    faults.append(f"{param.name}: it is missing")
                values[param.binding] = param.default
                continue
            try:
                values[param.binding] = self._value(param, argument)
            except InvalidValueError as error:
                faults.append(f"{param.name}: {error}")
        if faults:
            raise RefusedCallError("invalid-arguments", "; ".join(faults).encode("utf-8", "replace").decode("utf-8"))
        for param in self._tool.params:  # errors of type are reported before names that refer to no row
            value = values[param.binding]
            if isinstance(value, _UnresolvedName):
                raise value.refusal
        return values

    def _did_you_mean(self, name: object) -> str:
        near = most_similar(str(name)[:100], [param.name for param in self._tool.params])
        return f"; did you mean `{near}`?" if near else ""

    def _value(self, param: Parameter, argument: object) -> Any:
        """Return the value of an argument, or an `_UnresolvedName` if it does not refer to exactly one row.

        Raises:
            InvalidValueError: the argument is not a value that the parameter accepts.
        """
        if param.one_of:
            if not isinstance(argument, str) or argument not in param.one_of:
                raise InvalidValueError(f"it must be one of {', '.join(param.one_of)}")
            return param.one_of[argument]
        try:
            value = self._typed_value(param, argument, param.binding.type)
        except RefusedCallError as refused:
            return _UnresolvedName(refused)
        if not isinstance(param.binding.type, RowType) and not self._is_accepted(param, value):
            raise InvalidValueError("nothing has this value")
        return value

    def _typed_value(self, param: Parameter, argument: Any, type_: Type) -> Any:
        match type_:
            case RowType():
                return self._row(param, argument)
            case SetType(item) | ListType(item):
                if not isinstance(argument, list | tuple) or len(argument) > MAX_ITEMS:
                    raise InvalidValueError(f"it is {json_kind(argument)}, not a list of at most {MAX_ITEMS:,}")
                parts = [self._typed_value(param, part, item) for part in argument]
                return tuple(dict.fromkeys(parts) if isinstance(type_, SetType) else parts)
            case ScalarType.MONEY:
                return read_cost(argument, self._task.currency or "")
            case ScalarType.TEXT if isinstance(argument, str):
                if not argument.strip():
                    raise InvalidValueError("it must be text that is not empty")
                if len(argument) > ANSWER_TEXT:
                    raise InvalidValueError(f"it has more than {ANSWER_TEXT:,} characters")
                return normalize_text(argument.strip())
            case ScalarType():
                return parse_json_value(
                    argument.strip() if isinstance(argument, str) else argument,
                    type_,
                    currency=self._task.currency,
                )
            case EnumType(members=members):
                return _member(argument, members)
            case _:
                raise TypeError(f"no argument is a {type_}")

    def _is_accepted(self, param: Parameter, value: Any) -> bool:
        return param.where is None or self._interpreter.holds(
            param.where, {param.present_binding: value, param.binding: value}
        )

    # ------------------------------------------------------------------ rows

    def _row(self, param: Parameter, name: object) -> Row:
        """Return the row to which a name refers.

        Raises:
            InvalidValueError: the argument is not a string.
            RefusedCallError: the name refers to no accepted row, or to several.
        """
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if not isinstance(name, str) or not name.strip() or len(name) > ANSWER_TEXT:
            raise InvalidValueError("it must be a name")
        index = self._index(param)
        rows = index.find(name.strip())
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise RefusedCallError("not-found", f"the name can mean more than one {param.noun}; write it in full")
        near = index.nearest(name.strip())
        hint = f"; did you mean `{near}`?" if near else ""
        raise RefusedCallError("not-found", f"there is no {param.noun} of this name{hint}")

    def named(self, param: Parameter, name: str) -> Row | None:
        """Return the row to which a name refers; None if it refers to no accepted row, or to several."""
        rows = self._index(param).find(name)
        return rows[0] if len(rows) == 1 else None

    def _index(self, param: Parameter) -> NameIndex:
        type_ = param.binding.type
        item = type_.item if isinstance(type_, SetType | ListType) else type_
        assert isinstance(item, RowType)
        facts = self._task.facts[item.table]
        if param.where is None and not param.name_expressions:
            return _own_names(facts)
        indexes = self._interpreter.static.of(NAME_INDEXES)
        index = indexes.get(param)
        if index is None:
            rows = [row for row in facts.rows if self._is_accepted(param, row)]
            index = indexes[param] = NameIndex(rows, lambda row: self.names(param, row))
        return index

    def names(self, param: Parameter, row: Row) -> Iterable[str]:
        """Yield the strings that refer to a row."""
        if not param.name_expressions:
            yield from row_names(row)
        for expr in param.name_expressions:
            value = self._interpreter.value(expr, {param.present_binding: row, param.binding: row})
            if isinstance(value, Row):
                yield from row_names(value)
            elif value is not None:
                yield str(value)


@lru_cache(maxsize=48)
def _own_names(facts: Facts) -> NameIndex:
    """Return an index of a table's rows by key and name. Tasks that share the table share the index."""
    return NameIndex(facts.rows)


class _UnresolvedName:
    """An argument that does not refer to exactly one row. The call is refused after all arguments are checked."""

    def __init__(self, refusal: RefusedCallError) -> None:
        self.refusal = refusal


def _member(argument: object, members: Sequence[str]) -> str:
    """Return the enum member equal to a string, or the only one that is equal up to case and punctuation."""
    word = argument.strip() if isinstance(argument, str) else ""
    if word in members:
        return word
    alike = [member for member in members if word and folded_name(member) == folded_name(word)]
    if len(alike) != 1:
        raise InvalidValueError(f"it must be one of {', '.join(members)}")
    return alike[0]


def _shown_name(name: object) -> str:
    return clipped_text(name)
