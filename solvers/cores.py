"""Minimal unsatisfiable subsets and minimal correction sets of named conditions.

MUSes are enumerated as in MARCO (Liffiton, Previti, Malik and Marques-Silva, "Fast, flexible MUS enumeration",
Constraints 21, 2016): a map of unexplored subsets gives maximal seeds; a satisfiable seed is a maximal
satisfiable subset, whose complement is a minimal correction set; an unsatisfiable one is shrunk to a MUS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from planspec.dsl.deadline import LimitReached
from planspec.solvers.backend import Session
from planspec.solvers.clock import Clock
from planspec.solvers.evaluate import evaluate
from planspec.solvers.ir import Rooted
from planspec.solvers.outcome import Status

Subset = frozenset[int]


@dataclass(slots=True)
class Oracle:
    """Says of subsets of conditions whether they hold together; counts its questions.

    Args:
        session: holds what always holds.
        conditions: those that may be dropped, with unique origins.
        clock: the limit over all questions.
    """

    session: Session
    conditions: Sequence[Rooted]
    clock: Clock
    asked: int = 0
    _places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {rooted.origin: i for i, rooted in enumerate(self.conditions)}
        assert len(self._places) == len(self.conditions)

    def check(self, subset: Iterable[int]) -> tuple[bool, Subset, Mapping[int, int]]:
        """Whether the conditions hold together.

        Returns:
            Of a satisfiable subset True, all conditions that hold in the assignment found, and that; of an
            unsatisfiable one False, a part of it that is unsatisfiable, and nothing.

        Raises:
            LimitReached: the limit was reached.
        """
        self.asked += 1
        chosen = sorted(subset)
        outcome = self.clock.ask(self.session, assumptions=[self.conditions[i] for i in chosen])
        if outcome.status is Status.INFEASIBLE:
            return False, frozenset(self._places[origin] for origin in outcome.core), {}
        if not outcome.found:
            raise LimitReached(outcome.reason or "time")
        values = outcome.values
        held = frozenset(i for i, rooted in enumerate(self.conditions) if evaluate(rooted.condition, values))
        return True, held | frozenset(chosen), values

    def shrink(self, subset: Iterable[int]) -> Subset:
        """A MUS within an unsatisfiable subset, by deletion; each core that is met shortens the way.

        Raises:
            LimitReached: the limit was reached.
        """
        rest, needed = set(subset), set[int]()
        while rest - needed:
            candidate = min(rest - needed)
            satisfiable, core, _ = self.check(rest - {candidate})
            if satisfiable:
                needed.add(candidate)
            else:
                rest = set(core) if needed <= core else rest - {candidate}
        return frozenset(rest)

    def is_mus(self, subset: Subset) -> bool:
        """The subset cannot hold together, and can without any one member; each asked anew.

        Raises:
            LimitReached: the limit was reached.
        """
        if self.check(subset)[0]:
            return False
        return all(self.check(subset - {member})[0] for member in subset)


class Map:
    """The subsets that are not explored yet: neither above a MUS nor within a satisfiable subset."""

    def __init__(self, size: int) -> None:
        import z3

        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("phase_selection", 1)  # prefers true: seeds are large
        self._in = [z3.Bool(f"m{i}", self._context) for i in range(size)]
        self._z3 = z3
        self.muses: list[Subset] = []

    def seed(self) -> Subset | None:
        """A maximal unexplored subset; None if all are explored."""
        if self._solver.check() != self._z3.sat:
            return None
        model = self._solver.model()
        chosen = {i for i, x in enumerate(self._in) if self._z3.is_true(model.eval(x))}
        for i in range(len(self._in)):
            if i not in chosen and not any(i in mus and mus <= chosen | {i} for mus in self.muses):
                chosen.add(i)
        return frozenset(chosen)

    def satisfiable(self, subset: Subset) -> None:
        """The subset holds together, and so does whatever is within it."""
        others = [x for i, x in enumerate(self._in) if i not in subset]
        self._solver.add(self._z3.Or(others) if others else self._z3.BoolVal(False, self._context))

    def unsatisfiable(self, mus: Subset) -> None:
        """The subset does not, and neither does whatever contains it."""
        self.muses.append(mus)
        members = [self._z3.Not(self._in[i]) for i in sorted(mus)]
        self._solver.add(self._z3.Or(members) if members else self._z3.BoolVal(False, self._context))


def marco(oracle: Oracle) -> Iterator[tuple[bool, Subset]]:
    """All minimal unsatisfiable and all maximal satisfiable subsets, each once, as they are found.

    Yields:
        (False, a MUS) or (True, a maximal satisfiable subset). The iteration ends when there are no others.

    Raises:
        LimitReached: the limit was reached; there may be others.
    """
    unexplored = Map(len(oracle.conditions))
    while (seed := unexplored.seed()) is not None:
        satisfiable, found, _ = oracle.check(seed)
        if satisfiable:
            yield True, seed
            unexplored.satisfiable(seed)
        else:
            mus = oracle.shrink(found)
            yield False, mus
            unexplored.unsatisfiable(mus)
