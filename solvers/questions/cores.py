"""Minimal unsatisfiable subsets (MUSes) and minimal correction sets of conditions.

MUSes are enumerated as in MARCO (Liffiton, Previti, Malik and Marques-Silva, "Fast, flexible MUS enumeration",
Constraints 21, 2016): a map of unexplored subsets gives maximal seeds; a satisfiable seed is a maximal
satisfiable subset, whose complement is a minimal correction set; an unsatisfiable seed is shrunk to a MUS. We
depart from MARCO in how cores are shrunk: large subsets are tested first, because their assignments decide
later seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Outcome, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.questions.budget import TimeBudget

Subset = frozenset[int]
"""A subset of a list of conditions, as indices."""
ASSUMPTIONS_DIVISOR = 2
"""The first attempt at a query, which uses assumptions, may take the query's time divided by this number."""
FIRST_QUESTION_DIVISOR = 8
"""The first query, about all conditions together, may take the remaining time divided by this number."""


@dataclass(slots=True)
class SubsetOracle:
    """Oracle that decides whether subsets of conditions are satisfiable.

    A query is first solved in a shared session, with the conditions as assumptions, because this yields unsat cores. If
    that takes too long, the query is solved as a separate problem, which back ends can simplify further. A query is
    skipped if an earlier answer decides it: all subsets of the conditions that an assignment satisfies are satisfiable,
    and all supersets of a refuted subset are unsatisfiable. Cores do not decide other queries, because back ends may
    return wrong cores.

    Args:
        open: function that opens a session with the conditions that cannot be dropped.
        conditions: conditions that may be dropped, with unique origins.
        clock: limit on all queries together.

    Attributes:
        questions: number of queries to the back end.
        smallest_core: smallest unsatisfiable subset found by the current or last call of `shrink`.
    """

    open: Callable[[], Session]
    conditions: Sequence[Rooted]
    clock: TimeBudget
    questions: int = 0
    smallest_core: Subset = field(init=False)
    session: Session = field(init=False)
    _index_by_origin: dict[str, int] = field(init=False)
    _satisfied: dict[Subset, Mapping[int, int]] = field(default_factory=dict)
    _refuted: dict[Subset, Subset] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._index_by_origin = {rooted.origin: i for i, rooted in enumerate(self.conditions)}
        assert len(self._index_by_origin) == len(self.conditions)
        self.session = self.open()
        self.smallest_core = frozenset(range(len(self.conditions)))

    def check(self, subset: Iterable[int], parts: int = 1) -> tuple[bool, Subset, Mapping[int, int]]:
        """Decide whether conditions can hold together.

        Args:
            subset: indices of the conditions.
            parts: number by which the remaining time is divided to get the time limit of the query.

        Returns:
            For a satisfiable subset: True, the indices of all conditions that hold in an assignment, and the
            assignment. For an unsatisfiable subset: False, a core within the subset, and an empty mapping.

        Raises:
            LimitReachedError: the limit was reached.
        """
        chosen = frozenset(subset)
        for satisfied, values in self._satisfied.items():
            if chosen <= satisfied:
                return True, satisfied, values
        for refuted_subset, core in self._refuted.items():
            if refuted_subset <= chosen:
                return False, core, {}
        self.questions += 1
        conditions = [self.conditions[i] for i in sorted(chosen)]
        clock = self.clock.share(parts)
        outcome = (clock.share(ASSUMPTIONS_DIVISOR) if clock.limited else clock).ask(
            self.session, assumptions=conditions
        )
        if outcome.status is Status.UNKNOWN:
            outcome = self._check_alone(conditions, clock)
        return self._record_outcome(chosen, outcome)

    def _record_outcome(self, chosen: Subset, outcome: Outcome) -> tuple[bool, Subset, Mapping[int, int]]:
        """Cache the outcome of a query about the subset `chosen`, and return the result of `check`."""
        if outcome.status is Status.INFEASIBLE:
            core = self._refuted[chosen] = frozenset(self._index_by_origin[origin] for origin in outcome.core)
            return False, core, {}
        if not outcome.found:
            raise LimitReachedError(outcome.reason or "time")
        values = outcome.values
        satisfied = frozenset(i for i, rooted in enumerate(self.conditions) if evaluate(rooted.condition, values))
        if not satisfied >= chosen:
            raise RuntimeError("a back end's assignment does not satisfy the assumptions")
        self._satisfied = {
            subset: assignment for subset, assignment in self._satisfied.items() if not subset <= satisfied
        }
        self._satisfied[satisfied] = values
        return True, satisfied, values

    def check_all(self) -> Status:
        """Decide whether all conditions can hold together: FEASIBLE, INFEASIBLE, or UNKNOWN if that takes too long."""
        self.questions += 1
        everything = frozenset(range(len(self.conditions)))
        outcome = self.clock.share(FIRST_QUESTION_DIVISOR).ask(self.session, assumptions=self.conditions)
        if outcome.found or outcome.status is Status.INFEASIBLE:
            return Status.FEASIBLE if self._record_outcome(everything, outcome)[0] else Status.INFEASIBLE
        return Status.UNKNOWN

    def _check_alone(self, conditions: Sequence[Rooted], clock: TimeBudget) -> Outcome:
        """Solve a query as a separate problem. Its core consists of all conditions."""
        with clock:
            session = self.open()
            for rooted in conditions:
                session.add(rooted.condition, rooted.origin)
            outcome = clock.ask(session)
        return replace(outcome, core=tuple(rooted.origin for rooted in conditions))

    def shrink(self, subset: Iterable[int]) -> Subset:
        """Return a MUS within an unsatisfiable subset.

        Members are deleted one by one, and cores shorten the subset further. A final query confirms that the result is
        unsatisfiable. If it is satisfiable, a core was wrong, and the deletion is repeated without cores.

        Raises:
            LimitReachedError: the limit was reached; `smallest_core` is the smallest subset known to be
                unsatisfiable.
        """
        self.smallest_core = refuted_subset = frozenset(subset)
        mus = self._delete_members(refuted_subset, cores=True)
        if self.check(mus)[0]:
            mus = self._delete_members(refuted_subset, cores=False)
        self.smallest_core = mus
        return mus

    def reduce_core(self, core: Iterable[int]) -> Subset:
        """Return a smaller unsatisfiable subset of an unsatisfiable subset. The result is usually minimal.

        For each member, a query contains the other members, and as many conditions from outside the subset as possible
        without completing an earlier core. If the query is satisfiable, the member is needed. Because the query is
        large, its assignment also decides many later queries. If the query is unsatisfiable and its core lies within
        `core`, the search continues with that smaller core. Otherwise the new core belongs to another conflict.
        """
        rest = frozenset(core)
        for member in sorted(rest):
            others = rest - {member}
            while not any(others <= held for held in self._satisfied):
                try:
                    satisfiable, named_core, _ = self.check(self._extend(others, member), 1 + len(others))
                    if not satisfiable and named_core <= others:
                        if not self.check(named_core)[0]:
                            return self.reduce_core(named_core)
                        break  # the back end returned a wrong core
                except LimitReachedError:
                    if self.clock.over:
                        raise
                    break
        return rest

    def core_within(self, subset: Subset) -> Subset | None:
        """Return the smallest core found so far that lies within a subset; None if there is none."""
        return min((core for core in self._refuted.values() if core <= subset), key=_size_key, default=None)

    def _extend(self, subset: Subset, excluded: int) -> Subset:
        """Add as many conditions as possible to a subset, except `excluded` and those that complete an earlier core.

        If the larger subset is satisfiable, its assignment decides more later queries.
        """
        chosen = set(subset)
        for i in range(len(self.conditions)):
            if i not in chosen and i != excluded:
                grown = chosen | {i}
                if not any(i in core and core <= grown for core in self._refuted.values()):
                    chosen = grown
        return frozenset(chosen)

    def _delete_members(self, subset: Subset, *, cores: bool) -> Subset:
        """Delete members of a subset while it remains unsatisfiable, and return the rest.

        If `cores` is true, members outside the back end's unsat cores are also deleted. If the query about a member
        takes too long, it is repeated after the others.
        """
        rest, needed = set(subset), set[int]()
        deferred, undecided = set[int](), set[int]()
        while untried := rest - needed - undecided:
            first = untried - deferred
            candidate = min(first or untried)
            try:
                satisfiable, core, _ = self.check(rest - {candidate}, 1 + len(untried))
            except LimitReachedError:
                if self.clock.over:
                    raise
                (deferred if first else undecided).add(candidate)
                continue
            if satisfiable:
                needed.add(candidate)
            else:
                rest = set(core) if cores and needed <= core else rest - {candidate}
                self.smallest_core = frozenset(rest)
        if undecided & rest:
            raise LimitReachedError(self.clock.over or "time")
        return frozenset(rest)


def _size_key(subset: Subset) -> tuple[int, list[int]]:
    return len(subset), sorted(subset)


class SubsetMap:
    """The map of unexplored subsets: they contain no MUS found so far and lie in no satisfiable subset found so far."""

    def __init__(self, size: int) -> None:
        import z3

        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("phase_selection", 1)  # tries true first, so that seeds are large
        self._in = [z3.Bool(f"m{i}", self._context) for i in range(size)]
        self._z3 = z3
        self.mus_sets: list[Subset] = []

    def seed(self) -> Subset | None:
        """Return a maximal subset that is not yet known to be satisfiable or unsatisfiable; None if there is none."""
        if self._solver.check() != self._z3.sat:
            return None
        model = self._solver.model()
        chosen = {i for i, x in enumerate(self._in) if self._z3.is_true(model.eval(x))}
        for i in range(len(self._in)):
            if i not in chosen and not any(i in mus and mus <= chosen | {i} for mus in self.mus_sets):
                chosen.add(i)
        return frozenset(chosen)

    def mark_satisfiable(self, subset: Subset) -> None:
        """Record that a subset, and therefore each of its subsets, is satisfiable."""
        others = [x for i, x in enumerate(self._in) if i not in subset]
        self._solver.add(self._z3.Or(others) if others else self._z3.BoolVal(False, self._context))

    def mark_unsatisfiable(self, mus: Subset) -> None:
        """Record that a MUS, and therefore each superset, is unsatisfiable."""
        self.mus_sets.append(mus)
        members = [self._z3.Not(self._in[i]) for i in sorted(mus)]
        self._solver.add(self._z3.Or(members) if members else self._z3.BoolVal(False, self._context))


def marco(oracle: SubsetOracle, mus_sets: Sequence[Subset] = ()) -> Iterator[tuple[bool, Subset]]:
    """Yield all minimal unsatisfiable and all maximal satisfiable subsets, each once, as they are found.

    Args:
        oracle: decides which subsets are satisfiable.
        mus_sets: minimal unsatisfiable subsets that are already known. They are not yielded.

    Yields:
        (False, a MUS) or (True, a maximal satisfiable subset). The iteration ends when there are no others.

    Raises:
        LimitReachedError: the limit was reached; further subsets may exist.
    """
    unexplored = SubsetMap(len(oracle.conditions))
    for mus in mus_sets:
        unexplored.mark_unsatisfiable(mus)
    while (seed := unexplored.seed()) is not None:
        core = oracle.core_within(seed)
        satisfiable, result, _ = oracle.check(core or seed)
        if satisfiable and core:  # the back end returned a wrong core
            satisfiable, result, _ = oracle.check(seed)
        if satisfiable:
            yield True, seed
            unexplored.mark_satisfiable(seed)
        else:
            mus = oracle.shrink(oracle.reduce_core(result))
            yield False, mus
            unexplored.mark_unsatisfiable(mus)
