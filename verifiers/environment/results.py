"""Evaluation of result trees, in which tasks declare the results of tools and texts, to JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    ConditionalTree,
    CurrencyTree,
    Elements,
    Leaf,
    ListTree,
    MapTree,
    ObjectTree,
    Refusal,
    ResultTree,
    Shape,
    ShapeCall,
    SortKey,
    TextTree,
)
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, RowType, Table, Type
from planspec.dsl.model.value_text import show
from planspec.verifiers.environment.leaves import LeafFunction, leaf_function
from planspec.verifiers.environment.refusals import JsonResult, RefusedCallError
from planspec.verifiers.meaning.interpret import Env, Interpreter

MAX_CACHED_SHAPES = 20_000
"""Maximum number of cached results of shapes, which are named result trees with parameters."""
LEAVES: Kind[Leaf, LeafFunction] = Kind("functions that evaluate leaves of result trees")
_SHAPED: Kind[tuple[Shape, tuple[Any, ...]], Any] = Kind("JSON of shapes, by their arguments")


class ResultEvaluator:
    """Evaluator of the result trees of one tool call, or of the texts of one `show` entry.

    Args:
        interpreter: interpreter of the task, without a plan. Its meter counts the steps of this call.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._currency = interpreter.task.currency
        self._leaves = interpreter.static.of(LEAVES)
        self._shapes = interpreter.static.of(_SHAPED)

    def value(self, tree: ResultTree, env: Env) -> Any:
        """Return the JSON of a result tree.

        Raises:
            RefusedCallError: a list that must not be empty is empty.
            StepLimitError: evaluation takes too many steps.
        """
        match tree:
            case Leaf():
                return self._leaf(tree)(self._interpreter, env)
            case ObjectTree():
                return self._object(tree, env)
            case ListTree(each=each, item=item, empty=empty):
                items = [self.value(item, inner) for inner in self._elements(each, env)]
                if not items and empty is not None:
                    raise self.refusal_error(empty, env)
                return items
            case MapTree():
                return self._map(tree, env)
            case TextTree(parts=parts):
                return self.text(parts, env)
            case ConditionalTree(when=when, then=then, otherwise=otherwise):
                return self.value(then if self._interpreter.holds(when, env) else otherwise, env)
            case ShapeCall(shape=shape, args=args):
                return self._shape_value(shape, tuple(self._interpreter.value(arg, env) for arg in args))
            case CurrencyTree():
                return self._currency
            case _:
                assert_never(tree)

    def text(self, parts: Sequence[t.TextPart], env: Env) -> str:
        """Return text with its placeholders replaced by their values."""
        return "".join(
            part if isinstance(part, str) else show(self._interpreter.value(part, env), part.type, self._currency)
            for part in parts
        )

    def refusal_error(self, refusal: Refusal, env: Env) -> RefusedCallError:
        """Return the error for a refused call."""
        return RefusedCallError(refusal.code, self.text(refusal.say, env))

    def bindings(self, clauses: Sequence[t.Clause]) -> Iterator[dict[t.Binding, Any]]:
        """Yield the values of the clauses' variables, one dictionary for each combination that the clauses allow."""
        return self._interpreter.bindings(clauses, {})

    def holds(self, condition: t.Expr, env: Env) -> bool:
        """Return whether a condition is true."""
        return self._interpreter.holds(condition, env)

    # ------------------------------------------------------------------ objects

    def _object(self, tree: ObjectTree, env: Env) -> JsonResult:
        fields: JsonResult = {}
        for field in tree.fields:
            if field.when is not None and not self._interpreter.holds(field.when, env):
                continue
            value = self.value(field.tree, env)
            if field.name is not None:
                fields[field.name] = value
            elif isinstance(value, dict):
                fields |= value
        return fields

    def _map(self, tree: MapTree, env: Env) -> JsonResult:
        """Return nested JSON objects with one level for each key. Elements with a *none* key are left out.

        Raises:
            RefusedCallError: two elements have the same keys, so that one would be lost.
        """
        result: JsonResult = {}
        for inner in self._elements(tree.each, env):
            keys = [self._interpreter.value(key, inner) for key in tree.by]
            if None in keys:
                continue
            *outer, last = (show(key, by.type, self._currency) for key, by in zip(keys, tree.by, strict=True))
            place = result
            for name in outer:
                place = place.setdefault(name, {})
            if last in place:
                raise RefusedCallError("upstream", f"the result has two parts called `{last}`")
            place[last] = self.value(tree.item, inner)
        if not result and tree.empty is not None:
            raise self.refusal_error(tree.empty, env)
        return result

    # ------------------------------------------------------------------ elements

    def _elements(self, each: Elements, env: Env) -> Sequence[Env]:
        """Return the values of the variables for each element, in the declared order."""
        if len(each.binders) == 1:
            elements: list[Env] = list(self._interpreter.bindings(each.binders[0], env))
        else:
            elements = self._union(each, env)
        for key in reversed(each.sort) if len(elements) > 1 else ():
            elements = self._sort(elements, key)
        return elements if each.limit is None else elements[: each.limit]

    def _union(self, each: Elements, env: Env) -> list[Env]:
        """Return one `Env` for each distinct value that the generators yield, in ascending order.

        The `Env` binds the variable to the value. The value *none* is left out.
        """
        [target] = each.targets
        values: dict[Any, None] = {}
        for clauses in each.binders:
            own = clauses[-1].targets[0]
            values |= dict.fromkeys(inner[own] for inner in self._interpreter.bindings(clauses, env))
        values.pop(None, None)
        return [{**env, target: value} for value in sorted(values, key=lambda value: _rank(value, target.type))]

    def _sort(self, elements: Sequence[Env], key: SortKey) -> list[Env]:
        """Return the elements sorted stably by one key, with *none* last."""
        valued = [(self._interpreter.value(key.expr, inner), inner) for inner in elements]
        type_ = key.expr.type
        present = sorted(
            (pair for pair in valued if pair[0] is not None),
            key=lambda pair: _rank(pair[0], type_),
            reverse=key.descending,
        )
        return [inner for _, inner in present] + [inner for value, inner in valued if value is None]

    # ------------------------------------------------------------------ leaves and shapes

    def _leaf(self, leaf: Leaf) -> LeafFunction:
        function = self._leaves.get(leaf)
        if function is None:
            function = self._leaves[leaf] = leaf_function(leaf, self._currency)
        return function

    def _shape_value(self, shape: Shape, values: tuple[Any, ...]) -> Any:
        """Return the JSON of a shape (a named result tree) for these arguments, as a copy of the cached JSON."""
        key = shape, values
        if key not in self._shapes:
            result = self.value(shape.tree, dict(zip(shape.params, values, strict=True)))
            if len(self._shapes) >= MAX_CACHED_SHAPES:
                self._shapes.clear()
            self._shapes[key] = result
        return _deep_copy(self._shapes[key])


def _deep_copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _deep_copy(part) if isinstance(part, dict | list) else part for name, part in value.items()}
    if isinstance(value, list):
        return [_deep_copy(part) if isinstance(part, dict | list) else part for part in value]
    return value


def _rank(value: Any, type_: Type) -> Any:
    """Return the sort key of a value: an enum member's position in its enum, a row's sort key, or the value itself."""
    match type_:
        case EnumType(members=members):
            return members.index(value)
        case RowType():
            return _row_rank(value)
    return value


def _row_rank(row: Row) -> Any:
    return row._index if not row._table.key else _rank_function(row._table)(row)


@lru_cache(maxsize=1024)
def _rank_function(table: Table) -> Callable[[Row], Any]:
    """Return a function from a row of the table to the row's sort key.

    The sort key consists of the values in the table's key columns. Enum members are replaced by their positions in
    the enum, and referenced rows by their sort keys.
    """
    types = [(name, table.columns[name].type) for name in table.key]
    if any(isinstance(type_, EnumType | RowType) for _, type_ in types):
        return lambda row: tuple(_rank(getattr(row, name), type_) for name, type_ in types)
    return attrgetter(*table.key)
