"""Functions that walk a checked syntax tree find the children of any kind of node by its fields."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

import pytest

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.structural_keys import ValueKeys
from planspec.dsl.model.traversal import children, clauses, every_node, free_variables, rebuild, shape
from planspec.dsl.model.types import ScalarType, Stage
from tests.verifiers.rich_task import rich_task

SPAN = Span(Source("here", "x"), 0, 1)


@cache
def rich_nodes() -> list[t.Expr]:
    """Return all nodes of a task that uses every construct of the language."""
    return list(every_node(rich_task()))


@dataclass(frozen=True, slots=True, eq=False)
class UnknownNode(t.Typed):
    """A kind of node that no module of planspec mentions."""

    near: t.Expr
    others: tuple[t.Expr, ...]
    within: t.Expr | None
    clauses: tuple[t.Clause, ...]
    metres: int


@dataclass(frozen=True, slots=True, eq=False)
class IrregularNode(t.Typed):
    """A kind of node with a field that holds nodes in an unsupported form."""

    parts: dict[str, t.Expr]


def number(value: int) -> t.Expr:
    """Return a node for an integer."""
    return t.Literal(ScalarType.INT, SPAN, Stage.STATIC, False, value)


def variable(binding: t.Binding) -> t.Expr:
    """Return a node for a variable."""
    return t.Var(ScalarType.INT, SPAN, Stage.STATIC, False, binding)


def unknown_node(metres: int = 3) -> tuple[UnknownNode, list[t.Expr]]:
    """Return an unknown node, and its children in the order of evaluation."""
    bound = t.Binding("b", ScalarType.INT, SPAN)
    parts = [number(n) for n in range(5)]
    inside = [parts[3], parts[4], parts[0], parts[1], parts[2]]
    clause = t.Clause((bound,), parts[3], parts[4])
    node = UnknownNode(ScalarType.BOOL, SPAN, Stage.STATIC, False, parts[0], (parts[1],), parts[2], (clause,), metres)
    return node, inside


def test_the_sample_has_every_kind_of_node() -> None:
    assert {type(node) for node in rich_nodes()} == set(t.Expr.__args__)


def test_a_new_kind_of_node_is_walked_by_its_fields() -> None:
    node, inside = unknown_node()
    assert list(children(node)) == inside  # type: ignore[arg-type]
    assert [clause.targets[0].name for clause in clauses(node)] == ["b"]  # type: ignore[arg-type]


def test_a_new_kind_of_node_is_rebuilt_by_its_fields() -> None:
    node, inside = unknown_node()
    seen: list[t.Expr] = []
    fresh = t.Binding("c", ScalarType.INT, SPAN)

    def child(part: t.Expr) -> t.Expr:
        seen.append(part)
        return number(9)

    rebuilt = rebuild(node, child, lambda _: (fresh,))
    assert seen == inside
    assert [part.value for part in children(rebuilt) if isinstance(part, t.Literal)] == [9] * 5  # type: ignore[arg-type]
    assert rebuilt.clauses[0].targets == (fresh,)
    assert rebuilt.metres == node.metres


def test_a_new_kind_of_node_is_compared_by_its_fields() -> None:
    assert shape(unknown_node(3)[0]) == shape(unknown_node(3)[0])  # type: ignore[arg-type]
    assert shape(unknown_node(3)[0]) != shape(unknown_node(4)[0])  # type: ignore[arg-type]


def test_nodes_in_a_field_of_an_unsupported_form_are_an_error() -> None:
    with pytest.raises(TypeError, match=r"IrregularNode\.parts"):
        children(IrregularNode(ScalarType.BOOL, SPAN, Stage.STATIC, False, {}))  # type: ignore[arg-type]


def test_a_node_rebuilt_from_its_own_children_is_unchanged() -> None:
    for node in rich_nodes():
        rebuilt = rebuild(node, lambda part: part)
        for field in fields(node):
            if field.name != "clauses":
                assert getattr(rebuilt, field.name) == getattr(node, field.name)
        assert children(rebuilt) == children(node)
        assert [clause.targets for clause in clauses(rebuilt)] == [clause.targets for clause in clauses(node)]


def test_a_variable_that_a_node_binds_is_not_free_in_it() -> None:
    for node in rich_nodes():
        bound = {target for clause in clauses(node) for target in clause.targets}
        assert not bound & set(free_variables(node))


@pytest.mark.parametrize("value", [True, 1])
def test_true_and_one_are_different_literals(value: object) -> None:
    other = t.Literal(ScalarType.BOOL, SPAN, Stage.STATIC, False, 1 if value is True else True)
    assert shape(t.Literal(ScalarType.BOOL, SPAN, Stage.STATIC, False, value)) != shape(other)


def test_expressions_of_one_structure_have_one_key_and_variables_are_distinct() -> None:
    a, b = (t.Binding("a", ScalarType.INT, SPAN) for _ in range(2))
    keys = ValueKeys()

    def halve(binding: t.Binding) -> t.Expr:
        return t.Coalesce(ScalarType.INT, SPAN, Stage.STATIC, True, variable(binding), number(2))

    assert keys.key_of(halve(a)) == keys.key_of(halve(a))
    assert keys.key_of(halve(a)) != keys.key_of(halve(b))
    assert shape(variable(a), {a: 0}) == shape(variable(b), {b: 0})
