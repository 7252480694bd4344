"""Minimal unsatisfiable subsets and minimal correction sets of named conditions.

MUSes are enumerated as in MARCO (Liffiton, Previti, Malik and Marques-Silva, "Fast, flexible MUS enumeration",
Constraints 21, 2016): a map of unexplored subsets gives maximal seeds; a satisfiable seed is a maximal
satisfiable subset, whose complement is a minimal correction set; an unsatisfiable one is shrunk to a MUS. Here cores are
shrunk by large subsets first, whose assignments settle later seeds.
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
ASSUMED = 2
"""The question by assumptions gets one part in this number of its time."""
SOON = 8
"""What is asked first whether all conditions hold together gets one part in this number of the time."""


@dataclass(slots=True)
class SubsetOracle:
    """Says of subsets of conditions whether they hold together; counts its questions.

    A question is put to one session, with the conditions as assumptions, from which unsatisfiable parts follow. Where
    that takes too long, it is put as a problem of its own, which back ends simplify further.
    None is put that an earlier answer settles: an assignment shows that all conditions hold together that hold in it, and
    what was refuted as a whole refutes whatever contains it. The core of a refutation settles nothing but its own.

    Args:
        open: makes a session that holds what always holds.
        conditions: those that may be dropped, with unique origins.
        clock: the limit over all questions.

    Attributes:
        least: while a subset is shrunk, the smallest part of it that is known to be unsatisfiable.
    """

    open: Callable[[], Session]
    conditions: Sequence[Rooted]
    clock: TimeBudget
    asked: int = 0
    least: Subset = field(init=False)
    session: Session = field(init=False)
    _places: dict[str, int] = field(init=False)
    _found: dict[Subset, Mapping[int, int]] = field(default_factory=dict)
    _refuted: dict[Subset, Subset] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {rooted.origin: i for i, rooted in enumerate(self.conditions)}
        assert len(self._places) == len(self.conditions)
        self.session = self.open()
        self.least = frozenset(range(len(self.conditions)))

    def check(self, subset: Iterable[int], parts: int = 1) -> tuple[bool, Subset, Mapping[int, int]]:
        """Whether the conditions hold together.

        Args:
            subset: the conditions.
            parts: the question may take one part in this number of the time that is left.

        Returns:
            For a satisfiable subset: True, all conditions that hold in the assignment that was found, and that assignment. For an unsatisfiable one: False, an unsatisfiable part of it, and nothing.

        Raises:
            LimitReachedError: the limit was reached.
        """
        chosen = frozenset(subset)
        for held, values in self._found.items():
            if chosen <= held:
                return True, held, values
        for whole, core in self._refuted.items():
            if whole <= chosen:
                return False, core, {}
        self.asked += 1
        asked = [self.conditions[i] for i in sorted(chosen)]
        clock = self.clock.share(parts)
        outcome = (clock.share(ASSUMED) if clock.limited else clock).ask(self.session, assumptions=asked)
        if outcome.status is Status.UNKNOWN:
            outcome = self._alone(asked, clock)
        return self._answer(chosen, outcome)

    def _answer(self, chosen: Subset, outcome: Outcome) -> tuple[bool, Subset, Mapping[int, int]]:
        if outcome.status is Status.INFEASIBLE:
            core = self._refuted[chosen] = frozenset(self._places[origin] for origin in outcome.core)
            return False, core, {}
        if not outcome.found:
            raise LimitReachedError(outcome.reason or "time")
        values = outcome.values
        held = frozenset(i for i, rooted in enumerate(self.conditions) if evaluate(rooted.condition, values))
        if not held >= chosen:
            raise RuntimeError("a back end's assignment does not satisfy what was assumed")
        self._found = {subset: of for subset, of in self._found.items() if not subset <= held}
        self._found[held] = values
        return True, held, values

    def at_once(self) -> Status:
        """Whether all conditions hold together, if that is soon found: FEASIBLE, INFEASIBLE or UNKNOWN."""
        self.asked += 1
        everything = frozenset(range(len(self.conditions)))
        outcome = self.clock.share(SOON).ask(self.session, assumptions=self.conditions)
        if outcome.found or outcome.status is Status.INFEASIBLE:
            return Status.FEASIBLE if self._answer(everything, outcome)[0] else Status.INFEASIBLE
        return Status.UNKNOWN

    def _alone(self, conditions: Sequence[Rooted], clock: TimeBudget) -> Outcome:
        with clock:
            session = self.open()
            for rooted in conditions:
                session.add(rooted.condition, rooted.origin)
            outcome = clock.ask(session)
        return replace(outcome, core=tuple(rooted.origin for rooted in conditions))

    def shrink(self, subset: Iterable[int]) -> Subset:
        """A MUS within an unsatisfiable subset, by deletion; each core that is met shortens the way.

        Without any one member it was seen to be satisfiable. It was seen to be unsatisfiable, too, by a question about
        nothing but its members: should a back end have named a core that is none, members are taken away one by one instead.

        Raises:
            LimitReachedError: the limit was reached; `least` is the smallest subset that is known to be unsatisfiable.
        """
        self.least = whole = frozenset(subset)
        mus = self._deleted(whole, cores=True)
        if self.check(mus)[0]:
            mus = self._deleted(whole, cores=False)
        self.least = mus
        return mus

    def spread(self, core: Iterable[int]) -> Subset:
        """An unsatisfiable part of a subset that is unsatisfiable, and mostly a minimal one, by questions that settle others, too.

        Of each member it is asked whether all conditions but this one hold together, without those that would make a
        core whole. An assignment of so many shows that the member is needed, and with it that other subsets hold
        together; a core among so many is one of another conflict, or a smaller part.
        """
        rest = frozenset(core)
        for member in sorted(rest):
            others = rest - {member}
            while not any(others <= held for held in self._found):
                try:
                    satisfiable, named, _ = self.check(self._widest(others, member), 1 + len(others))
                    if not satisfiable and named <= others:
                        if not self.check(named)[0]:
                            return self.spread(named)
                        break  # the back end has named what is none
                except LimitReachedError:
                    if self.clock.over:
                        raise
                    break
        return rest

    def named_in(self, subset: Subset) -> Subset | None:
        """The smallest core that was named so far and lies within a subset; None if there is none."""
        return min((core for core in self._refuted.values() if core <= subset), key=_by_size, default=None)

    def _widest(self, subset: Subset, without: int) -> Subset:
        """A subset with as many others as make no core whole that was named so far."""
        chosen = set(subset)
        for i in range(len(self.conditions)):
            if i not in chosen and i != without:
                grown = chosen | {i}
                if not any(i in core and core <= grown for core in self._refuted.values()):
                    chosen = grown
        return frozenset(chosen)

    def _deleted(self, subset: Subset, *, cores: bool) -> Subset:
        """The members that are needed, each tried; one that takes too long is tried again when the others are settled."""
        rest, needed = set(subset), set[int]()
        late, stuck = set[int](), set[int]()
        while left := rest - needed - stuck:
            first = left - late
            candidate = min(first or left)
            try:
                satisfiable, core, _ = self.check(rest - {candidate}, 1 + len(left))
            except LimitReachedError:
                if self.clock.over:
                    raise
                (late if first else stuck).add(candidate)
                continue
            if satisfiable:
                needed.add(candidate)
            else:
                rest = set(core) if cores and needed <= core else rest - {candidate}
                self.least = frozenset(rest)
        if stuck & rest:
            raise LimitReachedError(self.clock.over or "time")
        return frozenset(rest)


def _by_size(subset: Subset) -> tuple[int, list[int]]:
    return len(subset), sorted(subset)


class Map:
    """The subsets that are not explored yet: neither above a MUS nor within a satisfiable subset."""

    def __init__(self, size: int) -> None:
        import z3

        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("phase_selection", 1)  # prefers true: seeds are large
        self._in = [z3.Bool(f"m{i}", self._context) for i in range(size)]
        self._z3 = z3
        self.mus_sets: list[Subset] = []

    def seed(self) -> Subset | None:
        """A maximal unexplored subset; None if all are explored."""
        if self._solver.check() != self._z3.sat:
            return None
        model = self._solver.model()
        chosen = {i for i, x in enumerate(self._in) if self._z3.is_true(model.eval(x))}
        for i in range(len(self._in)):
            if i not in chosen and not any(i in mus and mus <= chosen | {i} for mus in self.mus_sets):
                chosen.add(i)
        return frozenset(chosen)

    def satisfiable(self, subset: Subset) -> None:
        """The subset holds together, and so does whatever is within it."""
        others = [x for i, x in enumerate(self._in) if i not in subset]
        self._solver.add(self._z3.Or(others) if others else self._z3.BoolVal(False, self._context))

    def unsatisfiable(self, mus: Subset) -> None:
        """The subset does not, and neither does whatever contains it."""
        self.mus_sets.append(mus)
        members = [self._z3.Not(self._in[i]) for i in sorted(mus)]
        self._solver.add(self._z3.Or(members) if members else self._z3.BoolVal(False, self._context))


def marco(oracle: SubsetOracle, known: Sequence[Subset] = ()) -> Iterator[tuple[bool, Subset]]:
    """All minimal unsatisfiable and all maximal satisfiable subsets, each once, as they are found.

    Args:
        oracle: says which subsets hold together.
        known: minimal unsatisfiable subsets that are not looked for again.

    Yields:
        (False, a MUS) or (True, a maximal satisfiable subset). The iteration ends when there are no others.

    Raises:
        LimitReachedError: the limit was reached; there may be others.
    """
    unexplored = Map(len(oracle.conditions))
    for mus in known:
        unexplored.unsatisfiable(mus)
    while (seed := unexplored.seed()) is not None:
        core = oracle.named_in(seed)
        satisfiable, found, _ = oracle.check(core or seed)
        if satisfiable and core:  # the back end has named what is none
            satisfiable, found, _ = oracle.check(seed)
        if satisfiable:
            yield True, seed
            unexplored.satisfiable(seed)
        else:
            mus = oracle.shrink(oracle.spread(found))
            yield False, mus
            unexplored.unsatisfiable(mus)
