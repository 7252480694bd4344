"""What was tabulated over some variables stands for others with the same codes, and for no others."""

from __future__ import annotations

import pytest

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import TRUE, Bool, IntVar, Negation
from planspec.solvers.lowering.symbolic import Tab, Value, lift, matches, tab
from planspec.solvers.lowering.tabulated import Tabulated, is_tabular


class Made:
    """A memory, two models, and how often something was worked out."""

    def __init__(self) -> None:
        self.tabulated = Tabulated()
        self.model, self.other = NodeBuilder(), NodeBuilder()
        self.count = 0

    def table(self, model: NodeBuilder, size: int = 3) -> Tab:
        """A variable's own table, of the same column each time."""
        var = model.var("x", Domain.interval(0, size - 1))
        cells = self.tabulated.cells(("column", size), lambda: {(i,): f"v{i}" for i in range(size)})
        return Tab((var,), cells)

    def both(self, model: NodeBuilder, *args: Value) -> Value:
        """Two texts joined."""

        def make() -> Value:
            self.count += 1
            return lift(lambda a, b: None if a == "v2" else f"{a}{b}", args)

        return self.tabulated.result("both", args, model, make)

    def same(self, model: NodeBuilder, a: Tab, b: Tab) -> Bool:
        """Two texts are the same."""

        def make() -> Bool:
            self.count += 1
            found = matches(a, b, lambda value: value)
            return model.in_table(found.vars, found.values) if isinstance(found, Tab) else TRUE

        made: Bool = self.tabulated.result("same", (a, b), model, make)
        return made


def test_the_same_codes_are_worked_out_once_in_every_model() -> None:
    made = Made()
    first = made.both(made.model, made.table(made.model), made.table(made.model))
    for model in (made.model, made.other):
        a, b = made.table(model), made.table(model)
        again = made.both(model, a, b)
        assert isinstance(first, Tab) and isinstance(again, Tab)
        assert again.vars == (*a.vars, *b.vars) and again.values is first.values
    assert made.count == 1


def test_a_variable_that_stands_twice_is_no_pair_of_variables() -> None:
    made = Made()
    a = made.table(made.model)
    pair = made.both(made.model, a, made.table(made.model))
    twice = made.both(made.model, a, a)
    assert made.count == 2 and isinstance(pair, Tab) and isinstance(twice, Tab)
    assert len(pair.values) == 6 and twice.values == {(0,): "v0v0", (1,): "v1v1"}


def test_known_values_and_other_codes_are_told_apart() -> None:
    made = Made()
    a = made.table(made.model)
    assert made.both(made.model, a, "x") != made.both(made.model, a, "y")
    made.both(made.model, made.table(made.model, 4), "x")
    assert made.count == 3


def test_conditions_are_made_of_the_nodes_of_the_model_that_asks() -> None:
    made = Made()
    made.same(made.model, made.table(made.model), made.table(made.model))
    a, b = made.table(made.other), made.table(made.other)
    again = made.same(made.other, a, b)
    rows = [(i, i) for i in range(3)]
    assert made.count == 1 and again is made.other.in_table((*a.vars, *b.vars), rows)


def test_what_is_no_table_is_worked_out_each_time() -> None:
    made = Made()

    def outside(model: NodeBuilder, a: Tab) -> Bool:
        def make() -> Bool:
            made.count += 1
            return model.negate(model.in_table((a.vars[0], other), [(0, 0)]))

        other: IntVar = model.var("other", Domain.interval(0, 1))
        found: Bool = made.tabulated.result("outside", (a,), model, make)
        return found

    for _ in range(2):
        assert isinstance(outside(made.model, made.table(made.model)), Negation)
    assert made.count == 2


@pytest.mark.parametrize(("known", "expected"), [("x", True), (TRUE, False)])
def test_conditions_are_no_arguments(known: Value, expected: bool) -> None:
    model = NodeBuilder()
    found = tab((model.var("x", Domain.interval(0, 1)),), {(0,): "a", (1,): "b"})
    assert is_tabular((found, known)) is expected
    assert not is_tabular((known,))
