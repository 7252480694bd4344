"""CaDiCaL through python-sat: clauses in, an answer out, and on request the proof of it.

Its native calls keep Python's lock, so a search runs in slices of so many conflicts, between which it can be stopped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import IO, Any

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import Reason
from planspec.extras import needing
from planspec.solvers.backends.interruption import THREADS, interruptible

with needing("proofs", "the back end `sat` and proofs need an extra"):
    from pysat.solvers import Cadical195, pysolvers

CONFLICTS = (200, 2_000)
"""Conflicts of the first slice, and of the longest: each has twice as many as the one before. No clock has a say in it, so that the
same formula has the same proof."""

EFFORT_UNIT = 10_000
"""Conflicts in one unit of `Limits.effort`."""


class Cadical:
    """One solver, which only grows.

    Args:
        proving: write a proof, in LRAT with its hints (Cruz-Filipe et al. 2017).
    """

    def __init__(self, *, proving: bool = False) -> None:
        self._solver: Any = Cadical195()  # the package has no types
        self._trace: IO[bytes] | None = None
        if proving:  # what the format of a proof is has to be said before it begins
            self._solver.configure({"lrat": 1, "binary": 0})
            self._trace = self._solver.prfile = tempfile.TemporaryFile()  # noqa: SIM115 the solver closes it
            self._solver.prfp = pysolvers.cadical195_tracepr(self._solver.cadical, self._trace)
        self._stopped = False

    def add(self, clause: Sequence[int]) -> None:
        """One more clause."""
        self._solver.add_clause(list(clause))

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> tuple[bool | None, Reason | None]:
        """Whether there is a model under the assumptions; None if a limit was reached before, and which.

        Args:
            assumptions: literals that hold in this call only.
            deadline: the limit of time and memory.
            conflicts: the most conflicts of the call; None for no limit.

        Raises:
            AbandonedCallError: it did not stop.
        """
        self._stopped = False
        answer, reason = interruptible(
            self._search(list(assumptions), deadline, conflicts), self._stop, deadline
        )
        return answer, reason or (None if answer is not None or conflicts is None else "effort")

    def _search(
        self, assumptions: list[int], deadline: Deadline, left: int | None
    ) -> Callable[[], bool | None]:
        def search() -> bool | None:
            budget, most = CONFLICTS
            before = self.conflicts
            # where there is no thread that stops it, it looks at the limit itself
            while not self._stopped and (THREADS or deadline.reached is None):
                spent = self.conflicts - before
                if left is not None and spent >= left:
                    return None
                self._solver.conf_budget(budget if left is None else min(budget, left - spent))
                answer = self._solver.solve_limited(assumptions)
                if answer is not None:
                    return bool(answer)
                budget = min(2 * budget, most)
            return None

        return search

    def _stop(self) -> None:
        self._stopped = True

    def model(self) -> list[int]:
        """The literals that hold in the model that was found."""
        return list(self._solver.get_model() or ())

    def core(self) -> list[int]:
        """Assumptions that cannot hold together."""
        return list(self._solver.get_core() or ())

    @property
    def conflicts(self) -> int:
        """Conflicts of all calls together."""
        return int(self._solver.accum_stats()["conflicts"])

    def statistics(self) -> dict[str, int]:
        """Its counters, of all calls together."""
        return {name: int(value) for name, value in self._solver.accum_stats().items()}

    def proof(self) -> bytes:
        """The proof of what was answered, as text: see `planspec.solvers.proofs.lrat`."""
        assert self._trace is not None
        pysolvers.flushpr(self._solver.prfp)
        self._trace.seek(0)
        return self._trace.read()

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()
