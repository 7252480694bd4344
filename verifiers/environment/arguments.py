"""The arguments of a call -> the values of a tool's parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from planspec.dsl.diagnostics.suggestions import suggestion
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
from planspec.verifiers.answers.names import NameIndex, folded
from planspec.verifiers.answers.tables import clipped, row_names, what
from planspec.verifiers.environment.refusals import RefusedCallError
from planspec.verifiers.meaning.interpret import Interpreter

MOST_ITEMS = 1_000
"""The most items of a list in one argument."""
NAME_INDEXES: Kind[Parameter, NameIndex] = Kind("the rows that a parameter accepts, by their names")


class ArgumentReader:
    """Reads the arguments of calls of one tool.

    Args:
        tool: whose parameters they are for.
        interpreter: of the task, without a plan; what it works out about the task alone is kept with the task.
    """

    def __init__(self, tool: DeclaredTool, interpreter: Interpreter) -> None:
        self._tool = tool
        self._interpreter = interpreter
        self._task = interpreter.task

    def read(self, arguments: object) -> dict[t.Binding, Any]:
        """The values of the parameters.

        Args:
            arguments: of the call, as an agent sent them.

        Raises:
            RefusedCallError: they are no object, one is missing, unknown or not of its type, or names no row, or several.
        """
        if not isinstance(arguments, Mapping):
            raise RefusedCallError("invalid-arguments", "the arguments must be a JSON object")
        faults = [
            f"{_shown(name)}: there is no such argument{self._near(name)}"
            for name in arguments
            if name not in {param.name for param in self._tool.params}
        ]
        made: dict[t.Binding, Any] = {}
        for param in self._tool.params:
            said = arguments.get(param.name)
            if said is None:
                if param.required:
                    faults.append(f"{param.name}: it is missing")
                made[param.binding] = param.default
                continue
            try:
                made[param.binding] = self._value(param, said)
            except InvalidValueError as error:
                faults.append(f"{param.name}: {error}")
        if faults:
            raise RefusedCallError(
                "invalid-arguments", "; ".join(faults).encode("utf-8", "replace").decode("utf-8")
            )
        for param in self._tool.params:  # first what is wrong with the call, then what it does not find
            value = made[param.binding]
            if isinstance(value, _Unnamed):
                raise value.refusal
        return made

    def _near(self, name: object) -> str:
        near = suggestion(str(name)[:100], [param.name for param in self._tool.params])
        return f"; did you mean `{near}`?" if near else ""

    def _value(self, param: Parameter, said: object) -> Any:
        """The value of an argument; one that names no row stands for its refusal until all arguments are read.

        Raises:
            InvalidValueError: it is none of the parameter's type.
        """
        if param.one_of:
            if not isinstance(said, str) or said not in param.one_of:
                raise InvalidValueError(f"it is one of {', '.join(param.one_of)}")
            return param.one_of[said]
        try:
            value = self._typed(param, said, param.binding.type)
        except RefusedCallError as refused:
            return _Unnamed(refused)
        if not isinstance(param.binding.type, RowType) and not self._accepted(param, value):
            raise InvalidValueError("there is nothing of this value")
        return value

    def _typed(self, param: Parameter, said: Any, of: Type) -> Any:
        match of:
            case RowType():
                return self._row(param, said)
            case SetType(item) | ListType(item):
                if not isinstance(said, list | tuple) or len(said) > MOST_ITEMS:
                    raise InvalidValueError(f"it is {what(said)}, not a list of at most {MOST_ITEMS:,}")
                parts = [self._typed(param, part, item) for part in said]
                return tuple(dict.fromkeys(parts) if isinstance(of, SetType) else parts)
            case ScalarType.MONEY:
                return read_cost(said, self._task.currency or "")
            case ScalarType.TEXT if isinstance(said, str):
                if not said.strip():
                    raise InvalidValueError("it is a text that is not empty")
                if len(said) > ANSWER_TEXT:
                    raise InvalidValueError(f"it has more than {ANSWER_TEXT:,} characters")
                return normalize_text(said.strip())
            case ScalarType():
                return parse_json_value(
                    said.strip() if isinstance(said, str) else said, of, currency=self._task.currency
                )
            case EnumType(members=members):
                return _member(said, members)
            case _:
                raise TypeError(f"no argument is a {of}")

    def _accepted(self, param: Parameter, value: Any) -> bool:
        return param.where is None or self._interpreter.holds(
            param.where, {param.seen: value, param.binding: value}
        )

    # ------------------------------------------------------------------ rows

    def _row(self, param: Parameter, said: object) -> Row:
        """The row that a name means.

        Raises:
            InvalidValueError: it is no text.
            RefusedCallError: it means none of those that are accepted, or several.
        """
        if isinstance(said, int) and not isinstance(said, bool):
            said = str(said)
        if not isinstance(said, str) or not said.strip() or len(said) > ANSWER_TEXT:
            raise InvalidValueError("it is a name")
        index = self._index(param)
        found = index.find(said.strip())
        if len(found) == 1:
            return found[0]
        if found:
            raise RefusedCallError(
                "not-found", f"the name can mean more than one {param.noun}; write it in full"
            )
        near = index.nearest(said.strip())
        hint = f"; did you mean `{near}`?" if near else ""
        raise RefusedCallError("not-found", f"there is no {param.noun} of this name{hint}")

    def named(self, param: Parameter, said: str) -> Row | None:
        """The row that a name means; None if it means none that is accepted, or several."""
        found = self._index(param).find(said)
        return found[0] if len(found) == 1 else None

    def _index(self, param: Parameter) -> NameIndex:
        of = param.binding.type
        item = of.item if isinstance(of, SetType | ListType) else of
        assert isinstance(item, RowType)
        facts = self._task.facts[item.table]
        if param.where is None and not param.called:
            return _own_names(facts)
        kept = self._interpreter.static.of(NAME_INDEXES)
        found = kept.get(param)
        if found is None:
            rows = [row for row in facts.rows if self._accepted(param, row)]
            found = kept[param] = NameIndex(rows, lambda row: self.names(param, row))
        return found

    def names(self, param: Parameter, row: Row) -> Iterable[str]:
        """The texts by which a row is called."""
        if not param.called:
            yield from row_names(row)
        for expr in param.called:
            value = self._interpreter.value(expr, {param.seen: row, param.binding: row})
            if isinstance(value, Row):
                yield from row_names(value)
            elif value is not None:
                yield str(value)


@lru_cache(maxsize=48)
def _own_names(facts: Facts) -> NameIndex:
    """The rows of a table by their keys and names; tables that many tasks share are looked through once."""
    return NameIndex(facts.rows)


class _Unnamed:
    """Stands for an argument that names no row."""

    def __init__(self, refusal: RefusedCallError) -> None:
        self.refusal = refusal


def _member(said: object, members: Sequence[str]) -> str:
    """The member of an enum that a text means: as it stands, else the only one that is the same but for case and punctuation."""
    word = said.strip() if isinstance(said, str) else ""
    if word in members:
        return word
    alike = [member for member in members if word and folded(member) == folded(word)]
    if len(alike) != 1:
        raise InvalidValueError(f"it is one of {', '.join(members)}")
    return alike[0]


def _shown(name: object) -> str:
    return clipped(name)
