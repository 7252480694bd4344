"""Detection of the fields that contain nodes, by their annotations, for traversals of syntax and checked trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, assert_never, get_args, get_origin, get_type_hints

FieldForm: TypeAlias = Literal["one", "optional", "many", "nested"]
"""Form of a field: a node; a node or None; a tuple of nodes; tuples of tuples of nodes, or None."""


@dataclass(frozen=True, slots=True)
class NodeField:
    """A field that holds nodes.

    Attributes:
        kinds: node classes in the annotation.
    """

    name: str
    form: FieldForm
    kinds: frozenset[type]


def node_fields(kind: type, nodes: tuple[type, ...]) -> tuple[NodeField, ...]:
    """Return the fields of a dataclass that hold nodes, in order.

    Args:
        kind: the dataclass.
        nodes: base classes of nodes.

    Raises:
        TypeError: an annotation holds nodes in a form that the traversals do not support.
    """
    hints = get_type_hints(kind)
    mentions = ((f.name, _node_classes_in(hints[f.name], nodes), hints[f.name]) for f in fields(kind))
    return tuple(
        NodeField(name, _form(hint, nodes, f"{kind.__name__}.{name}"), kinds) for name, kinds, hint in mentions if kinds
    )


def reader(parts: tuple[NodeField, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that lists the nodes in these fields of a node, in order."""
    names = [part.name for part in parts]
    forms = [part.form for part in parts]
    if not parts:
        return lambda _: ()
    if forms == ["one"]:
        get = attrgetter(*names)
        return lambda node: (get(node),)
    if set(forms) == {"one"} or forms == ["many"]:
        return attrgetter(*names)  # with several names it returns a tuple

    def read(node: Any) -> tuple[Any, ...]:
        nodes: list[Any] = []
        for name, form in zip(names, forms, strict=True):
            value = getattr(node, name)
            match form:
                case "one":
                    nodes.append(value)
                case "optional":
                    nodes += () if value is None else (value,)
                case "many":
                    nodes += value
                case "nested":
                    nodes += _flat_nodes(value)
                case _:
                    assert_never(form)
        return tuple(nodes)

    return read


def _flat_nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flat_nodes(item)
    elif value is not None:
        yield value


def _node_classes_in(hint: Any, nodes: tuple[type, ...]) -> frozenset[type]:
    if isinstance(hint, type) and get_origin(hint) is None:
        return frozenset({hint} if issubclass(hint, nodes) else ())
    return frozenset[type]().union(*(_node_classes_in(part, nodes) for part in get_args(hint)))


def _form(hint: Any, nodes: tuple[type, ...], where: str) -> FieldForm:
    whole, optional = _without_none(hint)
    if all(isinstance(part, type) and issubclass(part, nodes) for part in whole):
        return "optional" if optional else "one"
    if len(whole) == 1 and get_origin(whole[0]) is tuple:
        items = [part for part in get_args(whole[0]) if part is not Ellipsis]
        inner = {_form(item, nodes, where) for item in items}
        if inner == {"one"}:
            return "nested" if optional or len(items) > 1 else "many"
        if inner <= {"one", "many", "nested"}:
            return "nested"
    raise TypeError(f"{where}: nodes stand in {hint}, which no traversal knows")


def _without_none(hint: Any) -> tuple[tuple[Any, ...], bool]:
    """Return the members of a union other than None, and whether None is a member."""
    if get_origin(hint) not in (Union, UnionType):
        return (hint,), False
    parts = get_args(hint)
    return tuple(part for part in parts if part is not NoneType), NoneType in parts
