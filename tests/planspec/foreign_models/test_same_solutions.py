"""The plans of a task imported from a CPMpy model are the model's solutions, with the same optimum."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import pytest

import planspec
from planspec.foreign_models import Source, import_model
from tests.planspec.foreign_models.solutions import check_same_solutions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("cpmpy") is None, reason="no CPMpy: pip install cpmpy"),
]


class ModelVariables:
    """CPMpy variables from which the tested models are built."""

    def __init__(self) -> None:
        import cpmpy

        self.cp: Any = cpmpy
        self.x: Any = cpmpy.intvar(-1, 2, shape=3, name="x")
        self.y: Any = cpmpy.intvar(0, 3, shape=4, name="y")
        self.m: Any = cpmpy.intvar(0, 1, shape=(2, 2), name="m")
        self.b: Any = cpmpy.boolvar(shape=3, name="b")
        self.s: Any = cpmpy.intvar(-2, 3, name="s")
        self.t: Any = cpmpy.intvar(0, 4, name="t")
        self.p: Any = cpmpy.boolvar(name="p")


Build = Callable[[ModelVariables], Any]


def _regular(k: ModelVariables) -> Any:
    """Return a constraint that a sequence of variables is accepted by an automaton."""
    moves = [("a", 0, "a"), ("a", 1, "b"), ("b", 0, "c"), ("c", 0, "c")]
    return k.cp.Regular(k.cp.intvar(0, 2, shape=4, name="w"), moves, "a", ["c"])


def _mdd(k: ModelVariables) -> Any:
    """Return a constraint that values of variables are a path in a multi-valued decision diagram."""
    moves = [("A", 1, "B"), ("A", 2, "C"), ("B", 1, "D"), ("C", 2, "D"), ("C", 3, "E"), ("D", 1, "F"), ("E", 2, "F")]
    return k.cp.MDD([k.y[0], k.y[1], k.y[2]], moves)


OPERATORS: Mapping[str, Build] = {
    "linear": lambda k: 2 * k.x[0] - 3 * k.x[1] + k.s <= 4,
    "linear-equal": lambda k: k.cp.sum(k.x) == k.s,
    "sum-of-slices": lambda k: [k.cp.sum(k.m[i, :]) == 1 for i in range(2)],
    "weights": lambda k: k.cp.sum(k.y * k.cp.cpm_array([3, 1, 4, 2])) == 9,
    "negative-weights": lambda k: k.cp.sum(k.y * k.cp.cpm_array([-3, 1, -4, 2])) == -2,
    "sub-and-minus": lambda k: -(k.x[0] - k.x[1]) == k.s - 1,
    "constant-left": lambda k: 5 - k.t < k.s,
    "comparisons": lambda k: [k.x[0] != k.x[1], k.x[1] > k.x[2], k.x[2] >= k.s, k.s < 2],
    "product-constant": lambda k: 3 * k.s == k.t,
    "product": lambda k: k.s * k.x[0] == k.t - 2,
    "product-bool": lambda k: k.p * k.t >= 3,
    "square": lambda k: k.s * k.s == k.t,
    "power": lambda k: k.s**3 == k.x[0] + 4,
    "power-0": lambda k: k.s**0 == k.p,
    "abs": lambda k: abs(k.x[0] - k.s) == 2,
    "min": lambda k: k.cp.min(k.x) == k.s,
    "max-mixed": lambda k: k.cp.max([k.x[0], 1, k.t + k.s]) == 2,
    "div-toward-zero": lambda k: k.s // 2 == k.x[0],
    "div-negative": lambda k: k.s // -2 == k.x[0],
    "div-planned": lambda k: k.s // k.x[0] == k.x[1],
    "mod": lambda k: k.s % 3 == k.x[0],
    "mod-negative": lambda k: k.s % -3 == k.x[0],
    "mod-planned": lambda k: k.s % k.x[0] == k.x[1],
    "and-or-not": lambda k: (k.b[0] & ~k.b[1]) | (k.x[0] > 2),
    "not-and": lambda k: ~((k.x[0] > 0) & (k.x[1] > 0)),
    "not-or": lambda k: ~((k.x[0] > 0) | k.b[1]),
    "implication": lambda k: [k.b[0].implies(k.s > 2), (k.s > 0).implies(k.b[1] & k.b[2])],
    "not-implication": lambda k: ~(k.b[0].implies(k.s > 2)),
    "equivalence": lambda k: k.b[0] == (k.s + k.t <= 3),
    "not-equivalent": lambda k: (k.b[0] != (k.s > 1)) & (k.p == k.b[1]),
    "bool-order": lambda k: [k.b[0] <= k.b[1], k.b[1] < k.p],
    "bool-constant": lambda k: [k.b[0] == 1, k.b[1] == 0, k.p >= 1],
    "bool-number": lambda k: (k.s > 1) + k.p + k.b[0] == 2,
    "bool-equals-number": lambda k: k.p == k.t,
    "reified-sum": lambda k: k.cp.sum([y == 2 for y in k.y]) == k.t,
    "xor": lambda k: k.b[0] ^ (k.s > 0),
    "xor-of-three": lambda k: k.cp.Xor([k.b[0], k.b[1], k.s > 0]),
    "not-xor": lambda k: ~k.cp.Xor([k.b[0], k.b[1], k.s > 0, True]),
    "all-any": lambda k: [k.cp.any(k.b), k.cp.all([x < 2 for x in k.x])],
    "constants": lambda k: [True, k.s == 1, [k.t == 2, True]],
    "infeasible": lambda k: [False, k.s == 1],
    "contradiction": lambda k: [k.s > 3, k.s < -1],
}
PARTIAL: Mapping[str, Build] = {
    "element-constants": lambda k: k.cp.cpm_array([3, -1, 4, 1])[k.t] == k.s,
    "element-row": lambda k: k.cp.cpm_array([[3, 1, 2], [0, 5, 1]])[1, k.t] == k.s + 1,
    "element-matrix": lambda k: k.cp.cpm_array([[3, 1, 2], [0, 5, 1]])[k.m[0, 0], k.t] == k.s + 1,
    "element-variables": lambda k: k.x[k.t] == k.s,
    "element-shifted": lambda k: k.y[k.t - 1] == 2,
    "element-slice": lambda k: k.y[1:][k.t] == 2,
    "element-planned-matrix": lambda k: k.m[k.y[0], k.y[1]] == k.p,
    "element-mixed": lambda k: k.cp.cpm_array([k.s, 2, k.x[0]])[k.t] == 2,
    "element-bools": lambda k: k.b[k.t] == 1,
    "element-nested": lambda k: k.y[k.y[k.y[0]]] == k.t,
    "implied": lambda k: k.p.implies(k.x[k.t] == 1),
    "equivalent": lambda k: k.p == (k.x[k.t] == 1),
    "negated": lambda k: ~(k.x[k.s] == 1),
    "differs": lambda k: k.p == (k.x[k.s] != 1),
    "div-in-or": lambda k: (k.t // k.x[0] == 2) | (k.s == 1),
    "div-negated": lambda k: ~(k.t // k.x[0] > 0),
    "mod-in-equivalence": lambda k: k.p == (k.t % k.x[0] == 1),
    "inside-count": lambda k: k.p == (k.cp.Count([k.t // k.x[0], k.s], 2) >= 1),
    "inside-alldifferent": lambda k: k.p == k.cp.AllDifferent([k.t // k.x[0], k.s, k.x[1]]),
    "inside-negative-table": lambda k: k.p == k.cp.NegativeTable([k.t // k.x[0], k.s], [[1, 1], [2, 2]]),
    "inside-array": lambda k: k.p == (k.cp.cpm_array([k.t // k.x[0], k.s])[k.y[0]] == 2),
    "two-levels": lambda k: k.p == (k.x[k.t // k.x[0]] == 1),
    "condition-as-number": lambda k: (k.x[k.s] == 1) + k.p == 1,
}
GLOBALS: Mapping[str, Build] = {
    "alldifferent": lambda k: k.cp.AllDifferent(k.x),
    "alldifferent-shifted": lambda k: k.cp.AllDifferent([k.y[i] + i for i in range(4)]),
    "alldifferent-mixed": lambda k: k.cp.AllDifferent([k.x[0], k.s, k.t, 2]),
    "alldifferent-repeats": lambda k: k.cp.AllDifferent([k.y[0], k.y[1], k.y[2], k.y[0]]),
    "not-alldifferent": lambda k: ~k.cp.AllDifferent(k.y),
    "alldifferent-reified": lambda k: k.p == k.cp.AllDifferent(k.y),
    "alldifferent-except-0": lambda k: k.cp.AllDifferentExcept0(k.y),
    "alldifferent-except-n": lambda k: k.cp.AllDifferentExceptN(k.y, [1, 2]),
    "allequal": lambda k: k.cp.AllEqual(k.x),
    "not-allequal": lambda k: ~k.cp.AllEqual(k.x),
    "allequal-except-n": lambda k: k.cp.AllEqualExceptN(k.y, 0),
    "count": lambda k: k.cp.Count(k.y, 2) >= 2,
    "count-planned": lambda k: k.cp.Count(k.y, k.t) == 3,
    "among": lambda k: k.cp.Among(k.y, [1, 3]) == 2,
    "nvalue": lambda k: k.cp.NValue(k.y) == 2,
    "nvalue-except": lambda k: k.cp.NValueExcept(k.y, 1) == 1,
    "gcc": lambda k: k.cp.GlobalCardinalityCount(k.y, [1, 2], [1, k.m[0, 0]]),
    "gcc-closed": lambda k: k.cp.GlobalCardinalityCount(k.y, [1, 2], [2, 2], closed=True),
    "not-gcc": lambda k: ~k.cp.GlobalCardinalityCount(k.y, [1, 2], [1, 1]),
    "table": lambda k: k.cp.Table(k.x, [[0, 1, 2], [1, 1, 1], [3, -2, 0], [-1, 2, 2]]),
    "not-table": lambda k: ~k.cp.Table(k.x, [[0, 1, 2], [1, 1, 1], [3, -2, 0]]),
    "table-reified": lambda k: k.p == k.cp.Table([k.s, k.t], [[0, 1], [1, 1], [3, 2]]),
    "negative-table": lambda k: k.cp.NegativeTable([k.s, k.t], [[0, 1], [1, 1], [3, 2]]),
    "short-table": lambda k: k.cp.ShortTable(k.x, [[0, "*", 2], ["*", 1, 1], [3, -2, 0]]),
    "circuit": lambda k: k.cp.Circuit(k.cp.intvar(0, 4, shape=5, name="next")),
    "circuit-wide": lambda k: k.cp.Circuit(k.cp.intvar(-1, 5, shape=4, name="next")),
    "two-circuits": lambda k: [k.cp.Circuit(k.y), k.cp.Circuit(k.cp.intvar(0, 2, shape=3, name="next"))],
    "circuit-reified": lambda k: k.p == k.cp.Circuit(k.cp.intvar(0, 3, shape=3, name="next")),
    "inverse": lambda k: k.cp.Inverse(k.y, k.cp.intvar(0, 4, shape=4, name="back")),
    "not-inverse": lambda k: ~k.cp.Inverse(k.x[:2], k.y[:2]),
    "cumulative": lambda k: k.cp.Cumulative(list(k.y), [2, 1, 2, 1], demand=[1, 2, 1, 1], capacity=2),
    "cumulative-ends": lambda k: k.cp.Cumulative(k.y[:2], [1, 2], [k.s, k.t], demand=1, capacity=1),
    "cumulative-planned": lambda k: k.cp.Cumulative(
        list(k.y[:2]), list(k.x[:2]), demand=[1, 2], capacity=k.m[0, 0] + 1
    ),
    "cumulative-negative": lambda k: k.cp.Cumulative([k.s, k.t], [1, 2], demand=[k.x[0], 1], capacity=2),
    "not-cumulative": lambda k: ~k.cp.Cumulative(list(k.y), [2, 1, 2, 1], demand=[1, 2, 1, 1], capacity=2),
    "cumulative-optional": lambda k: k.cp.CumulativeOptional(
        list(k.y[:3]), [2, 1, 2], demand=[1, 2, 1], capacity=2, is_present=list(k.b)
    ),
    "no-overlap": lambda k: k.cp.NoOverlap(k.y, [1, 1, 1, 1]),
    "no-overlap-lengths": lambda k: k.cp.NoOverlap(list(k.y[:3]), [2, 1, 1]),
    "no-overlap-scalars": lambda k: k.cp.NoOverlap([k.s, k.t], [2, 3]),
    "no-overlap-without-length": lambda k: k.cp.NoOverlap(list(k.y[:3]), [2, 0, 1]),
    "no-overlap-planned": lambda k: k.cp.NoOverlap([k.y[0], k.y[1]], [k.x[0], k.x[1]]),
    "no-overlap-ends": lambda k: k.cp.NoOverlap(list(k.y[:3]), [1, 2, 1], list(k.x)),
    "not-no-overlap": lambda k: ~k.cp.NoOverlap(k.y, [1, 1, 1, 1]),
    "no-overlap-optional": lambda k: k.cp.NoOverlapOptional(list(k.y[:3]), [2, 1, 1], is_present=list(k.b)),
    "no-overlap-optional-negative": lambda k: k.cp.NoOverlapOptional(
        list(k.y[:2]), [k.x[0], 1], is_present=[k.b[0], True]
    ),
    "reservoir": lambda k: k.cp.Reservoir(list(k.y[:3]), [2, -1, -1], 0, 2),
    "reservoir-optional": lambda k: k.cp.ReservoirOptional(list(k.y[:3]), [2, 1, -1], 0, 2, list(k.b)),
    "precedence": lambda k: k.cp.Precedence(k.y, [3, 1]),
    "increasing": lambda k: k.cp.Increasing(k.y),
    "decreasing": lambda k: k.cp.Decreasing(k.x),
    "strictly": lambda k: [k.cp.IncreasingStrict(k.y[:3]), k.cp.DecreasingStrict(k.x)],
    "not-increasing": lambda k: ~k.cp.Increasing(k.x),
    "lex-less": lambda k: k.cp.LexLess(k.x[:2], k.y[1:3]),
    "lex-less-eq": lambda k: k.cp.LexLessEq(k.x, [k.s, 1, k.t]),
    "not-lex": lambda k: ~k.cp.LexLess(k.x[:2], [k.s, 1]),
    "lex-chain": lambda k: k.cp.LexChainLess([[k.y[0], k.y[1]], [k.y[2], k.y[3]], [2, 1]]),
    "lex-chain-eq": lambda k: k.cp.LexChainLessEq([[k.y[0], k.y[1]], [k.y[2], k.y[3]], [2, 1]]),
    "in-domain": lambda k: [k.cp.InDomain(k.s, [-2, 0, 3]), k.cp.InDomain(k.t, range(1, 4))],
    "not-in-domain": lambda k: ~k.cp.InDomain(k.s + k.t, [-2, 0, 3]),
    "if-then-else": lambda k: k.cp.IfThenElse(k.s > 0, k.t == 2, k.t > 3),
    "not-if-then-else": lambda k: ~k.cp.IfThenElse(k.s > 0, k.t == 2, k.t > 3),
    "regular": _regular,
    "not-regular": lambda k: ~_regular(k),
    "mdd": _mdd,
    "not-mdd": lambda k: ~_mdd(k),
}
ALL = {
    f"{kind}/{name}": build
    for kind, group in (("operator", OPERATORS), ("partial", PARTIAL), ("global", GLOBALS))
    for name, build in group.items()
}


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", ALL)
def test_the_plans_of_an_imported_model_are_its_solutions(name: str) -> None:
    shelf = ModelVariables()
    check_same_solutions(shelf.cp.Model(ALL[name](shelf)))


OBJECTIVES: Mapping[str, Build] = {
    "linear": lambda k: 3 * k.x[0] - k.x[1] + k.t,
    "weights": lambda k: k.cp.sum(k.y * k.cp.cpm_array([3, -1, 4, 2])),
    "max": lambda k: k.cp.max(k.x) - k.cp.min(k.x),
    "partial": lambda k: k.t // k.x[0] + k.s,
    "element": lambda k: k.cp.cpm_array([3, 9, 4])[k.t],
    "condition": lambda k: k.s > k.t,
    "count": lambda k: k.cp.Count(k.y, 2) - k.cp.Count(k.y, 1),
    "product": lambda k: k.s * k.x[0] + k.p,
}


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_optimum_of_an_imported_model_equals_that_of_cpmpy(name: str, sense: str) -> None:
    shelf = ModelVariables()
    model = shelf.cp.Model([shelf.x[0] + shelf.s != 1, shelf.cp.sum(shelf.y) == 5, shelf.p.implies(shelf.t < 4)])
    getattr(model, sense)(OBJECTIVES[name](shelf))
    assert model.solve(solver="ortools")
    result = import_model(model, Source("model", "Solve the model."))
    found = planspec.solve(planspec.loads(result.text))
    assert (found.status, found.objective) == ("optimal", int(model.objective_value())), result.text
