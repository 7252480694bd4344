"""Minimal conflicts, whatever back ends name as a core and however slow they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Watcher
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import Linear
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.cores import SubsetOracle, marco


class Fake:
    """A session that lies about cores, or that takes too long where it is told to."""

    def __init__(self, problem: Problem, lie: bool, slow: Sequence[str]) -> None:
        self.limits = Limits()
        self.broken = False
        self.watcher: Watcher | None = None
        self._real = backend("brute").open(problem, self.limits)
        self._lie = lie
        self._slow = slow
        self._added: list[str] = []

    def add(self, condition: object, origin: str = "") -> None:
        self._real.add(condition, origin)  # type: ignore[arg-type]
        self._added.append(origin)

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        names = [*self._added, *(rooted.origin for rooted in assumptions)]
        if "".join(sorted(names)) in self._slow:
            return Outcome(Status.UNKNOWN, reason="time")
        outcome = self._real.solve(assumptions=assumptions, minimize=minimize, hint=hint)
        core = (names[0],) if self._lie and names else tuple(names)
        return outcome if outcome.found else Outcome(Status.INFEASIBLE, core=core)


def oracle(*, lie: bool = False, slow: Sequence[str] = ()) -> SubsetOracle:
    """`a` and `c` exclude each other; `b` and `d` go with both."""
    model = NodeBuilder()
    x, y = (model.var(name, Domain.interval(0, 3)) for name in "xy")
    values = {"a": (x, [0, 1]), "b": (y, [1]), "c": (x, [2]), "d": (y, [1, 2])}
    conditions = [Rooted(model.member(var, Domain.of(kept)), name) for name, (var, kept) in values.items()]
    problem = Problem(model, [], [], (), [], {})
    return SubsetOracle(lambda: Fake(problem, lie, slow), conditions, TimeBudget(Limits()))


def test_a_core_that_is_none_does_no_harm() -> None:
    assert oracle(lie=True).shrink(range(4)) == {0, 2}


def test_a_question_that_takes_too_long_is_asked_again_when_the_others_are_settled() -> None:
    asked = oracle(slow=["acd", "abd"])
    assert asked.shrink(range(4)) == {0, 2}


def test_what_is_known_to_conflict_is_kept_where_it_is_not_known_to_be_minimal() -> None:
    asked = oracle(slow=["a", "ab", "abd", "ad"])
    with pytest.raises(LimitReachedError):
        asked.shrink(range(4))
    assert asked.least == {0, 2}


def test_no_question_is_asked_that_an_earlier_assignment_answers() -> None:
    asked = oracle()
    satisfiable, held, _ = asked.check([0, 1])
    assert satisfiable and held == {0, 1, 3} and asked.asked == 1
    assert asked.check([0, 3])[0] and asked.asked == 1
    assert not asked.check([0, 2])[0] and asked.asked == 2


def test_what_was_refuted_is_not_asked_again() -> None:
    asked = oracle()
    assert asked.at_once() is Status.INFEASIBLE
    assert asked.shrink(range(4)) == {0, 2}
    questions = asked.asked
    assert not asked.check([0, 2, 3])[0] and asked.shrink(range(4)) == {0, 2} and asked.asked == questions


def test_a_core_that_is_none_refutes_nothing() -> None:
    asked = oracle(lie=True)
    assert asked.check([0, 2]) == (False, frozenset({0}), {})
    assert asked.check([0, 1])[0]


def test_a_question_that_takes_too_long_by_assumptions_is_put_alone_and_the_next_by_assumptions_again() -> (
    None
):
    asked = oracle()
    first, again = asked.session, asked.session.solve
    asked.session.solve = lambda **_: Outcome(Status.UNKNOWN, reason="time")  # type: ignore[method-assign]
    assert asked.at_once() is Status.UNKNOWN
    assert asked.check([0, 2]) == (False, frozenset({0, 2}), {})
    asked.session.solve = again  # type: ignore[method-assign]
    assert asked.at_once() is Status.INFEASIBLE
    assert asked.session is first and not asked.check([0, 2])[0]


def test_an_assignment_that_does_not_satisfy_what_was_assumed_is_refused() -> None:
    asked = oracle()
    asked.conditions = [*asked.conditions[:3], asked.conditions[2]]
    asked._places = {}

    class Liar(Fake):
        def solve(self, **_: object) -> Outcome:
            return Outcome(Status.FEASIBLE, values={0: 0, 1: 0})

    asked.session = Liar(Problem(NodeBuilder(), [], [], (), [], {}), False, ())
    with pytest.raises(RuntimeError, match="does not satisfy"):
        asked.check([1, 2])


def explored(asked: SubsetOracle) -> tuple[set[frozenset[int]], set[frozenset[int]]]:
    """The minimal conflicts and the largest subsets that hold together."""
    found: dict[bool, set[frozenset[int]]] = {False: set(), True: set()}
    for satisfiable, subset in marco(asked):
        found[satisfiable].add(subset)
    return found[False], found[True]


def test_large_subsets_show_members_to_be_needed_and_settle_later_questions() -> None:
    asked = oracle()
    assert asked.at_once() is Status.INFEASIBLE
    assert explored(asked) == ({frozenset({0, 2})}, {frozenset({0, 1, 3}), frozenset({1, 2, 3})})
    # all at once; the core alone, which is named whole; all but one of its members, twice
    assert asked.asked <= 6


@pytest.mark.parametrize("slow", [[], ["abd"], ["bcd"], ["acd", "abd"]])
def test_a_question_about_a_large_subset_that_takes_too_long_is_left_out(slow: Sequence[str]) -> None:
    asked = oracle(slow=slow)
    assert asked.shrink(asked.spread(range(4))) == {0, 2}


def test_a_smaller_core_is_spread_in_the_place_of_a_larger_one() -> None:
    assert oracle().spread([0, 1, 2, 3]) in ({0, 2}, {0, 1, 2}, {0, 2, 3})


def test_spreading_ends_where_cores_are_none() -> None:
    asked = oracle(lie=True)
    assert asked.spread(range(4)) <= {0, 1, 2, 3} and asked.shrink(range(4)) == {0, 2}
