"""A table of a function's values is reused for other variables if and only if they have the same codes."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import TRUE, Bool, InTable, IntVar, Negation
from planspec.solvers.lowering.problem import lower
from planspec.solvers.lowering.symbolic import Tab, Value, equality_table, lift, tab
from planspec.solvers.lowering.tabulated import Tabulated, is_tabular
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import solutions


class CountingCache:
    """A cache of tables that counts computed results, with two models that use it.

    Attributes:
        tabulated: the cache.
        model: a model.
        other: another model.
        count: number of results that were computed.
    """

    def __init__(self) -> None:
        self.tabulated = Tabulated()
        self.model, self.other = NodeBuilder(), NodeBuilder()
        self.count = 0

    def table(self, model: NodeBuilder, size: int = 3) -> Tab:
        """Return a table of texts over a new variable, whose cells are cached."""
        var = model.var("x", Domain.interval(0, size - 1))
        cells = self.tabulated.cells(("column", size), lambda: {(i,): f"v{i}" for i in range(size)})
        return Tab((var,), cells)

    def concatenate(self, model: NodeBuilder, *args: Value) -> Value:
        """Return the concatenation of two texts."""

        def compute() -> Value:
            self.count += 1
            return lift(lambda a, b: None if a == "v2" else f"{a}{b}", args)

        return self.tabulated.result("both", args, model, compute)

    def equality(self, model: NodeBuilder, a: Tab, b: Tab) -> Bool:
        """Return the condition that two texts are equal."""

        def compute() -> Bool:
            self.count += 1
            table = equality_table(a, b, lambda value: value)
            return model.in_table(table.vars, table.values) if isinstance(table, Tab) else TRUE

        condition: Bool = self.tabulated.result("same", (a, b), model, compute)
        return condition


def test_results_for_the_same_codes_are_computed_once_for_all_models() -> None:
    memory = CountingCache()
    first = memory.concatenate(memory.model, memory.table(memory.model), memory.table(memory.model))
    for model in (memory.model, memory.other):
        a, b = memory.table(model), memory.table(model)
        again = memory.concatenate(model, a, b)
        assert isinstance(first, Tab) and isinstance(again, Tab)
        assert again.vars == (*a.vars, *b.vars) and again.values is first.values
    assert memory.count == 1


def test_a_variable_used_twice_is_not_a_pair_of_variables() -> None:
    memory = CountingCache()
    a = memory.table(memory.model)
    pair = memory.concatenate(memory.model, a, memory.table(memory.model))
    twice = memory.concatenate(memory.model, a, a)
    assert memory.count == 2 and isinstance(pair, Tab) and isinstance(twice, Tab)
    assert len(pair.values) == 6 and twice.values == {(0,): "v0v0", (1,): "v1v1"}


def test_different_constants_and_different_codes_have_separate_results() -> None:
    memory = CountingCache()
    a = memory.table(memory.model)
    assert memory.concatenate(memory.model, a, "x") != memory.concatenate(memory.model, a, "y")
    memory.concatenate(memory.model, memory.table(memory.model, 4), "x")
    assert memory.count == 3


def test_a_cached_condition_is_built_from_nodes_of_the_requesting_model() -> None:
    memory = CountingCache()
    memory.equality(memory.model, memory.table(memory.model), memory.table(memory.model))
    a, b = memory.table(memory.other), memory.table(memory.other)
    again = memory.equality(memory.other, a, b)
    rows = [(i, i) for i in range(3)]
    assert memory.count == 1 and again is memory.other.in_table((*a.vars, *b.vars), rows)


def test_a_result_that_is_not_a_table_is_computed_each_time() -> None:
    memory = CountingCache()

    def outside_table(model: NodeBuilder, a: Tab) -> Bool:
        def compute() -> Bool:
            memory.count += 1
            return model.negate(model.in_table((a.vars[0], other), [(0, 0)]))

        other: IntVar = model.var("other", Domain.interval(0, 1))
        result: Bool = memory.tabulated.result("outside", (a,), model, compute)
        return result

    for _ in range(2):
        assert isinstance(outside_table(memory.model, memory.table(memory.model)), Negation)
    assert memory.count == 2


@pytest.mark.parametrize(("argument", "expected"), [("x", True), (TRUE, False)])
def test_only_functions_of_tables_and_constants_but_not_of_conditions_are_tabular(
    argument: Value, expected: bool
) -> None:
    model = NodeBuilder()
    result = tab((model.var("x", Domain.interval(0, 1)),), {(0,): "a", (1,): "b"})
    assert is_tabular((result, argument)) is expected
    assert not is_tabular((argument,))


@pytest.mark.parametrize(("most", "is_table"), [(9, True), (20, False)])
def test_alternatives_of_memberships_are_a_table_only_if_it_is_small(most: int, is_table: bool) -> None:
    text = f"""planspec: task/1
id: marks
query: Is one of them low?
plan: {{marks: {{mark: key int, at: int}}}}
scope: {{marks: {{for: m in 1..2, mark: m, at: 0..{most}}}}}
constraints:
  low: {{hard: any(x.at <= 2 for x in marks)}}
"""
    lowered = lower(ground(task_from_text(text)))
    (root,) = lowered.problem.hard
    assert isinstance(root.condition, InTable) == is_table
    assert len(list(solutions(lowered))) == (most + 1) ** 2 - (most - 2) ** 2
