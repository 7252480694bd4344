"""Trees of results -> JSON, by the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    ConditionalTree,
    CurrencyTree,
    Each,
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

MOST_SHAPES = 20_000
"""The most results of shapes that are kept."""
LEAVES: Kind[Leaf, LeafFunction] = Kind("functions that work out leaves")
_SHAPED: Kind[tuple[Shape, tuple[Any, ...]], Any] = Kind("what shapes make of their arguments")


class Results:
    """The values of trees for one call, or for one look at what is shown.

    Args:
        interpreter: of the task, without a plan; its meter counts the steps of this call.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._currency = interpreter.task.currency
        self._leaves = interpreter.static.of(LEAVES)
        self._shapes = interpreter.static.of(_SHAPED)

    def value(self, tree: ResultTree, env: Env) -> Any:
        """The JSON of a tree.

        Raises:
            RefusedCallError: a list that may not be empty is.
            StepLimitError: it takes too long.
        """
        match tree:
            case Leaf():
                return self._leaf(tree)(self._interpreter, env)
            case ObjectTree():
                return self._object(tree, env)
            case ListTree(each=each, item=item, empty=empty):
                made = [self.value(item, inner) for inner in self._elements(each, env)]
                if not made and empty is not None:
                    raise self.refused(empty, env)
                return made
            case MapTree():
                return self._map(tree, env)
            case TextTree(parts=parts):
                return self.text(parts, env)
            case ConditionalTree(when=when, then=then, otherwise=otherwise):
                return self.value(then if self._interpreter.holds(when, env) else otherwise, env)
            case ShapeCall(shape=shape, args=args):
                return self._shaped(shape, tuple(self._interpreter.value(arg, env) for arg in args))
            case CurrencyTree():
                return self._currency
            case _:
                assert_never(tree)

    def text(self, parts: Sequence[t.TextPart], env: Env) -> str:
        """A text with its holes filled."""
        return "".join(
            part
            if isinstance(part, str)
            else show(self._interpreter.value(part, env), part.type, self._currency)
            for part in parts
        )

    def refused(self, refusal: Refusal, env: Env) -> RefusedCallError:
        """The refusal of a call, with its text."""
        return RefusedCallError(refusal.code, self.text(refusal.say, env))

    def bindings(self, clauses: Sequence[t.Clause]) -> Iterator[dict[t.Binding, Any]]:
        """The variables of clauses, bound in every way."""
        return self._interpreter.bindings(clauses, {})

    def holds(self, condition: t.Expr, env: Env) -> bool:
        """A condition is true."""
        return self._interpreter.holds(condition, env)

    # ------------------------------------------------------------------ objects

    def _object(self, tree: ObjectTree, env: Env) -> JsonResult:
        made: JsonResult = {}
        for field in tree.fields:
            if field.when is not None and not self._interpreter.holds(field.when, env):
                continue
            value = self.value(field.tree, env)
            if field.name is not None:
                made[field.name] = value
            elif isinstance(value, dict):
                made |= value
        return made

    def _map(self, tree: MapTree, env: Env) -> JsonResult:
        """Objects in objects; an element with a key that is none is left out.

        Raises:
            RefusedCallError: two elements have the same keys, so that one would be lost.
        """
        made: JsonResult = {}
        for inner in self._elements(tree.each, env):
            keys = [self._interpreter.value(key, inner) for key in tree.by]
            if None in keys:
                continue
            *outer, last = (show(key, by.type, self._currency) for key, by in zip(keys, tree.by, strict=True))
            place = made
            for name in outer:
                place = place.setdefault(name, {})
            if last in place:
                raise RefusedCallError("upstream", f"the result has two parts called `{last}`")
            place[last] = self.value(tree.item, inner)
        if not made and tree.empty is not None:
            raise self.refused(tree.empty, env)
        return made

    # ------------------------------------------------------------------ elements

    def _elements(self, each: Each, env: Env) -> Sequence[Env]:
        """The elements in order, each as what the item sees."""
        if len(each.binders) == 1:
            found: list[Env] = list(self._interpreter.bindings(each.binders[0], env))
        else:
            found = self._united(each, env)
        for key in reversed(each.sort) if len(found) > 1 else ():
            found = self._sorted(found, key)
        return found if each.limit is None else found[: each.limit]

    def _united(self, each: Each, env: Env) -> list[Env]:
        """The distinct values of several binders in ascending order."""
        [target] = each.targets
        values: dict[Any, None] = {}
        for clauses in each.binders:
            own = clauses[-1].targets[0]
            values |= dict.fromkeys(inner[own] for inner in self._interpreter.bindings(clauses, env))
        values.pop(None, None)
        return [
            {**env, target: value} for value in sorted(values, key=lambda value: _rank(value, target.type))
        ]

    def _sorted(self, found: Sequence[Env], key: SortKey) -> list[Env]:
        """The elements by one key, none last; equal ones stay in their order."""
        valued = [(self._interpreter.value(key.expr, inner), inner) for inner in found]
        of = key.expr.type
        there = sorted(
            (pair for pair in valued if pair[0] is not None),
            key=lambda pair: _rank(pair[0], of),
            reverse=key.descending,
        )
        return [inner for _, inner in there] + [inner for value, inner in valued if value is None]

    # ------------------------------------------------------------------ leaves and shapes

    def _leaf(self, leaf: Leaf) -> LeafFunction:
        found = self._leaves.get(leaf)
        if found is None:
            found = self._leaves[leaf] = leaf_function(leaf, self._currency)
        return found

    def _shaped(self, shape: Shape, values: tuple[Any, ...]) -> Any:
        """What a shape makes of its arguments, worked out once; everybody gets a copy."""
        key = shape, values
        if key not in self._shapes:
            made = self.value(shape.tree, dict(zip(shape.params, values, strict=True)))
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            self._shapes[key] = made
        return _copied(self._shapes[key])


def _copied(value: Any) -> Any:
    """A copy of JSON."""
    if isinstance(value, dict):
        return {
            name: _copied(part) if isinstance(part, dict | list) else part for name, part in value.items()
        }
    if isinstance(value, list):
        return [_copied(part) if isinstance(part, dict | list) else part for part in value]
    return value


def _rank(value: Any, of: Type) -> Any:
    """By what values of a type are sorted: rows by key, members of enums as they are declared."""
    match of:
        case EnumType(members=members):
            return members.index(value)
        case RowType():
            return _row_rank(value)
    return value


def _row_rank(row: Row) -> Any:
    return row._index if not row._table.key else _ranker(row._table)(row)


@lru_cache(maxsize=1024)
def _ranker(table: Table) -> Callable[[Row], Any]:
    """The function from a row of a table to its rank: the key itself where that is ordered as its values are."""
    types = [(name, table.columns[name].type) for name in table.key]
    if any(isinstance(of, EnumType | RowType) for _, of in types):
        return lambda row: tuple(_rank(getattr(row, name), of) for name, of in types)
    return attrgetter(*table.key)
