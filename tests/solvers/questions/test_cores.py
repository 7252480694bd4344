"""Conflicts are minimal even if a back end returns wrong cores or is slow."""

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


class UnreliableSession:
    """A session that may return wrong cores, and reaches its time limit on some questions.

    Args:
        problem: the problem.
        names_wrong_cores: whether cores are wrong: they name only the first condition.
        slow: sets of conditions for which time runs out, each as a string of the joined names.
    """

    def __init__(self, problem: Problem, names_wrong_cores: bool, slow: Sequence[str]) -> None:
        self.limits = Limits()
        self.broken = False
        self.watcher: Watcher | None = None
        self._real = backend("brute").open(problem, self.limits)
        self._names_wrong_cores = names_wrong_cores
        self._slow = slow
        self._added: list[str] = []

    def add(self, condition: object, origin: str = "") -> None:
        """Add a condition, and record its name."""
        self._real.add(condition, origin)  # type: ignore[arg-type]
        self._added.append(origin)

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """Solve the problem. If the assumptions are in `slow`, return `unknown` instead, as after a time-out."""
        names = [*self._added, *(rooted.origin for rooted in assumptions)]
        if "".join(sorted(names)) in self._slow:
            return Outcome(Status.UNKNOWN, reason="time")
        outcome = self._real.solve(assumptions=assumptions, minimize=minimize, hint=hint)
        core = (names[0],) if self._names_wrong_cores and names else tuple(names)
        return outcome if outcome.found else Outcome(Status.INFEASIBLE, core=core)


def oracle(*, names_wrong_cores: bool = False, slow: Sequence[str] = ()) -> SubsetOracle:
    """Return an oracle over four conditions. Only `a` and `c` exclude each other."""
    model = NodeBuilder()
    x, y = (model.var(name, Domain.interval(0, 3)) for name in "xy")
    values = {"a": (x, [0, 1]), "b": (y, [1]), "c": (x, [2]), "d": (y, [1, 2])}
    conditions = [Rooted(model.member(var, Domain.of(allowed)), name) for name, (var, allowed) in values.items()]
    problem = Problem(model, [], [], (), [], {})
    return SubsetOracle(lambda: UnreliableSession(problem, names_wrong_cores, slow), conditions, TimeBudget(Limits()))


def test_a_conflict_is_minimal_although_a_core_is_wrong() -> None:
    assert oracle(names_wrong_cores=True).shrink(range(4)) == {0, 2}


def test_a_subset_that_takes_too_long_is_tried_again_after_the_others() -> None:
    checker = oracle(slow=["acd", "abd"])
    assert checker.shrink(range(4)) == {0, 2}


def test_a_conflict_is_reported_even_if_it_is_not_proved_minimal() -> None:
    checker = oracle(slow=["a", "ab", "abd", "ad"])
    with pytest.raises(LimitReachedError):
        checker.shrink(range(4))
    assert checker.smallest_core == {0, 2}


def test_a_subset_that_an_earlier_assignment_satisfies_is_not_solved() -> None:
    checker = oracle()
    satisfiable, satisfied, _ = checker.check([0, 1])
    assert satisfiable and satisfied == {0, 1, 3} and checker.questions == 1
    assert checker.check([0, 3])[0] and checker.questions == 1
    assert not checker.check([0, 2])[0] and checker.questions == 2


def test_a_refuted_subset_is_not_solved_again() -> None:
    checker = oracle()
    assert checker.check_all() is Status.INFEASIBLE
    assert checker.shrink(range(4)) == {0, 2}
    questions = checker.questions
    assert not checker.check([0, 2, 3])[0] and checker.shrink(range(4)) == {0, 2} and checker.questions == questions


def test_a_wrong_core_refutes_nothing() -> None:
    checker = oracle(names_wrong_cores=True)
    assert checker.check([0, 2]) == (False, frozenset({0}), {})
    assert checker.check([0, 1])[0]


def test_a_subset_that_times_out_with_assumptions_is_solved_in_its_own_session() -> None:
    checker = oracle()
    first, solve = checker.session, checker.session.solve
    checker.session.solve = lambda **_: Outcome(Status.UNKNOWN, reason="time")  # type: ignore[method-assign]
    assert checker.check_all() is Status.UNKNOWN
    assert checker.check([0, 2]) == (False, frozenset({0, 2}), {})
    checker.session.solve = solve  # type: ignore[method-assign]
    assert checker.check_all() is Status.INFEASIBLE
    assert checker.session is first and not checker.check([0, 2])[0]


def test_an_assignment_that_does_not_satisfy_the_assumptions_is_refused() -> None:
    checker = oracle()
    checker.conditions = [*checker.conditions[:3], checker.conditions[2]]
    checker._index_by_origin = {}

    class WrongSession(UnreliableSession):
        def solve(self, **_: object) -> Outcome:
            return Outcome(Status.FEASIBLE, values={0: 0, 1: 0})

    checker.session = WrongSession(Problem(NodeBuilder(), [], [], (), [], {}), False, ())
    with pytest.raises(RuntimeError, match="does not satisfy"):
        checker.check([1, 2])


def conflicts_and_satisfiable_subsets(
    checker: SubsetOracle,
) -> tuple[set[frozenset[int]], set[frozenset[int]]]:
    """Return the minimal conflicts and the maximal satisfiable subsets, found by MARCO."""
    subsets: dict[bool, set[frozenset[int]]] = {False: set(), True: set()}
    for satisfiable, subset in marco(checker):
        subsets[satisfiable].add(subset)
    return subsets[False], subsets[True]


def test_large_satisfiable_subsets_save_later_questions() -> None:
    checker = oracle()
    assert checker.check_all() is Status.INFEASIBLE
    assert conflicts_and_satisfiable_subsets(checker) == (
        {frozenset({0, 2})},
        {frozenset({0, 1, 3}), frozenset({1, 2, 3})},
    )
    # one call for all conditions, one for the core, and two for the core without one member
    assert checker.questions <= 6


@pytest.mark.parametrize("slow", [[], ["abd"], ["bcd"], ["acd", "abd"]])
def test_a_question_about_a_large_subset_that_takes_too_long_is_skipped(slow: Sequence[str]) -> None:
    checker = oracle(slow=slow)
    assert checker.shrink(checker.reduce_core(range(4))) == {0, 2}


def test_a_smaller_core_replaces_a_larger_one() -> None:
    assert oracle().reduce_core([0, 1, 2, 3]) in ({0, 2}, {0, 1, 2}, {0, 2, 3})


def test_reducing_a_core_ends_even_if_cores_are_wrong() -> None:
    checker = oracle(names_wrong_cores=True)
    assert checker.reduce_core(range(4)) <= {0, 1, 2, 3} and checker.shrink(range(4)) == {0, 2}
