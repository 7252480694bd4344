"""Combining pairs of variables that must differ into cliques does not change the solutions."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS, backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import Bool, IntVar
from planspec.solvers.ir.problem import Problem, Rooted
from tests.random_examples import examples

pytestmark = pytest.mark.slow


NONE = -1


class DifferentVariables:
    """Variables that must differ pairwise, with exceptions (excuses): a pair may be equal if one of its variables does
    not count.

    Args:
        domains: domain of each variable.
        optional: for each variable, whether it counts only if its row is present.
        blank: for each variable, whether it does not count if it is *none*.
        pins: for each variable, its value if its row is absent; None if the value is then free.
        reduced_excuses: pairs with fewer excuses, each with its kind. A "half" pair has only the excuses of its first
            variable; an "always" pair has none.
    """

    def __init__(
        self,
        domains: list[list[int]],
        optional: list[bool],
        blank: list[bool],
        pins: list[int | None],
        reduced_excuses: dict[tuple[int, int], str],
    ) -> None:
        self.model = NodeBuilder()
        self.xs = [self.model.var(f"x{i}", Domain.of(d)) for i, d in enumerate(domains)]
        self.present = [self.model.var(f"p{i}", Domain.interval(0, 1)) if o else None for i, o in enumerate(optional)]
        self.blank, self.reduced_excuses = blank, reduced_excuses
        self.pins = [pin if present is not None else None for pin, present in zip(pins, self.present, strict=True)]
        hard = [self._difference(i, j) for i, j in combinations(range(len(domains)), 2)]
        for x, p, pin in zip(self.xs, self.present, self.pins, strict=True):
            if p is not None and pin is not None:
                hard.append(
                    self.model.disj((self.model.member(p, Domain.of([1])), self.model.member(x, Domain.of([pin]))))
                )
        self.hard = hard

    def _excuses(self, i: int) -> list[Bool]:
        """Return the conditions under which a variable need not differ from the others."""
        excuses = []
        present = self.present[i]
        if present is not None:
            excuses.append(self.model.member(present, Domain.of([0])))
        if self.blank[i]:
            excuses.append(self.model.member(self.xs[i], Domain.of([NONE])))
        return excuses

    def _difference(self, i: int, j: int) -> Bool:
        """Return the condition that two variables differ, or that one of them need not differ."""
        model = self.model
        same = model.is_zero(model.minus(model.of(self.xs[i]), model.of(self.xs[j])))
        kind = self.reduced_excuses.get((i, j), "")
        excuses = [] if kind == "always" else self._excuses(i) + ([] if kind == "half" else self._excuses(j))
        return model.disj((model.negate(same), *excuses))

    def holds(self, values: dict[int, int]) -> bool:
        """Return whether an assignment is allowed, computed without a back end."""

        def counts(i: int) -> bool:
            present = self.present[i]
            absent = present is not None and values[present.id] == 0
            return not absent and not (self.blank[i] and values[self.xs[i].id] == NONE)

        for i, j in combinations(range(len(self.xs)), 2):
            kind = self.reduced_excuses.get((i, j), "")
            excused = kind != "always" and (not counts(i) or (kind != "half" and not counts(j)))
            if not excused and values[self.xs[i].id] == values[self.xs[j].id]:
                return False
        return all(
            pin is None or p is None or values[p.id] == 1 or values[x.id] == pin
            for x, p, pin in zip(self.xs, self.present, self.pins, strict=True)
        )

    def allowed_assignments(self) -> set[tuple[int, ...]]:
        """Return all allowed assignments."""
        ids = [var.id for var in self.model.vars]
        every = product(*(var.domain for var in self.model.vars))
        return {codes for codes in every if self.holds(dict(zip(ids, codes, strict=True)))}

    def solutions(self, name: str) -> set[tuple[int, ...]]:
        """Return all assignments that the back end with this name finds."""
        model = self.model
        problem = Problem(model, [Rooted(c, f"c{i}") for i, c in enumerate(self.hard)], [], (), [], {})
        session = backend(name).open(problem, Limits(seconds=30))
        assignments: set[tuple[int, ...]] = set()
        while (outcome := session.solve()).found:
            codes = tuple(outcome.values[var.id] for var in model.vars)
            assert codes not in assignments
            assignments.add(codes)
            cells = zip(model.vars, codes, strict=True)
            session.add(model.disj(model.negate(model.member(var, Domain.of([code]))) for var, code in cells))
        assert outcome.status is Status.INFEASIBLE
        return assignments


@st.composite
def different_variables(draw: st.DrawFn) -> DifferentVariables:
    """Draw variables that must differ, and their exceptions."""
    n = draw(st.integers(3, 4))
    domains = [sorted(draw(st.sets(st.integers(NONE, 2), min_size=2, max_size=3))) for _ in range(n)]
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    pins = [draw(st.none() | st.sampled_from(d)) for d in domains]
    several = st.sampled_from(list(combinations(range(n), 2)))
    reduced_excuses = draw(st.dictionaries(several, st.sampled_from(["half", "always"]), max_size=2))
    return DifferentVariables(domains, draw(flags), draw(flags), pins, reduced_excuses)


@pytest.mark.thorough
@settings(max_examples=examples(40))
@given(problem=different_variables())
def test_cliques_have_the_solutions_of_their_pairs(problem: DifferentVariables) -> None:
    assert problem.solutions("cpsat") == problem.allowed_assignments()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("max_values", [0, 2, 10])
@pytest.mark.parametrize("pin", [None, NONE, 1])
@pytest.mark.parametrize("reduced_excuses", [{}, {(0, 1): "half"}, {(1, 2): "always"}])
def test_optional_rows_with_fields_that_may_be_none_agree_on_every_back_end(
    monkeypatch: pytest.MonkeyPatch, max_values: int, pin: int | None, reduced_excuses: dict[Any, str]
) -> None:
    """The fields of absent rows have a fixed value or are free. The pairs are combined into cliques or remain
    pairs.
    """
    monkeypatch.setattr("planspec.solvers.backends.cpsat.different.MAX_VALUES", max_values)
    allowed_assignments: set[tuple[int, ...]] | None = None
    for name in BACKENDS:
        problem = DifferentVariables(
            [[NONE, 1, 2], [NONE, 1, 2], [NONE, 1]],
            [True, True, False],
            [True] * 3,
            [pin] * 3,
            reduced_excuses,
        )
        allowed_assignments = problem.allowed_assignments() if allowed_assignments is None else allowed_assignments
        assert problem.solutions(name) == allowed_assignments
    assert allowed_assignments


def test_pairs_with_the_same_exceptions_become_one_clique() -> None:
    from planspec.solvers.backends.cpsat.columns import Columns
    from planspec.solvers.backends.cpsat.different import Disequalities

    problem = DifferentVariables([[NONE, 1, 2, 3]] * 4, [True] * 4, [True] * 4, [NONE] * 4, {})
    columns = Columns()
    rest = Disequalities.of(problem.hard).post(columns)
    assert rest == []
    assert str(columns.model.proto).count("at_most_one") == 3  # one for each value except *none*


def test_pairs_over_many_values_are_not_combined(monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.backends.cpsat.columns import Columns
    from planspec.solvers.backends.cpsat.different import Disequalities

    monkeypatch.setattr("planspec.solvers.backends.cpsat.different.MAX_VALUES", 3)
    problem = DifferentVariables([[NONE, 1, 2, 3]] * 3, [True] * 3, [True] * 3, [NONE] * 3, {})
    assert len(Disequalities.of(problem.hard).post(Columns())) == 3


@given(edges=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1])))
def test_cliques_cover_exactly_the_edges_each_once(edges: set[tuple[int, int]]) -> None:
    from planspec.solvers.backends.cpsat.different import cliques

    xs = [IntVar(i, f"x{i}", Domain.interval(0, 1)) for i in range(7)]
    graph: dict[IntVar, dict[IntVar, None]] = {}
    for a, b in sorted(edges):
        graph.setdefault(xs[a], {})[xs[b]] = None
        graph.setdefault(xs[b], {})[xs[a]] = None
    covered = [tuple(sorted((a.id, b.id))) for clique in cliques(graph) for a, b in combinations(clique, 2)]
    assert set(covered) == edges
