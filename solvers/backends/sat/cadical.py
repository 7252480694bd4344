"""The solver CaDiCaL through python-sat, optionally with proofs.

Native calls of python-sat hold Python's global interpreter lock. A search therefore runs in slices with a limited
number of conflicts, and can be stopped between slices.
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
"""Maximum number of conflicts in the first slice of a search and in the longest one. It doubles from slice to slice.

A search runs in slices so that it can be stopped between them. Slices do not depend on time, so that the same formula
gets the same proof.
"""

EFFORT_UNIT = 10_000
"""Number of conflicts in one unit of `Limits.effort`."""


class Cadical:
    """A CaDiCaL solver. Clauses can be added, but not removed.

    Args:
        proving: whether to write a proof in the format LRAT, with hints (Cruz-Filipe et al. 2017).
    """

    def __init__(self, *, proving: bool = False) -> None:
        self._solver: Any = Cadical195()  # the package has no types
        self._trace: IO[bytes] | None = None
        if proving:  # the format of a proof must be set before the first clause
            self._solver.configure({"lrat": 1, "binary": 0})
            self._trace = self._solver.prfile = tempfile.TemporaryFile()  # noqa: SIM115 the solver closes it
            self._solver.prfp = pysolvers.cadical195_tracepr(self._solver.cadical, self._trace)
        self._stopped = False

    def add(self, clause: Sequence[int]) -> None:
        """Add a clause, given as literals as in DIMACS, for all later calls."""
        self._solver.add_clause(list(clause))

    def solve(
        self, assumptions: Sequence[int], deadline: Deadline, conflicts: int | None = None
    ) -> tuple[bool | None, Reason | None]:
        """Return whether there is a model under the assumptions.

        Args:
            assumptions: literals that must hold in this call only.
            deadline: limit of time and memory.
            conflicts: maximum number of conflicts in this call; None for no limit.

        Returns:
            Whether there is a model, and None; or, if a limit was reached first, None and that limit.

        Raises:
            AbandonedCallError: the native call did not stop after a limit was reached.
        """
        self._stopped = False
        answer, reason = interruptible(self._search(list(assumptions), deadline, conflicts), self._stop, deadline)
        return answer, reason or (None if answer is not None or conflicts is None else "effort")

    def _search(
        self, assumptions: list[int], deadline: Deadline, most_conflicts: int | None
    ) -> Callable[[], bool | None]:
        def search() -> bool | None:
            budget, longest = CONFLICTS
            before = self.conflicts
            # if there are no threads, no other thread can stop the search, so it checks the limit itself
            while not self._stopped and (THREADS or deadline.reached is None):
                spent = self.conflicts - before
                if most_conflicts is not None and spent >= most_conflicts:
                    return None
                self._solver.conf_budget(budget if most_conflicts is None else min(budget, most_conflicts - spent))
                answer = self._solver.solve_limited(assumptions)
                if answer is not None:
                    return bool(answer)
                budget = min(2 * budget, longest)
            return None

        return search

    def _stop(self) -> None:
        self._stopped = True

    def model(self) -> list[int]:
        """Return the literals that hold in the model that the last call of `solve` found."""
        return list(self._solver.get_model() or ())

    def core(self) -> list[int]:
        """Return an unsat core of the last call of `solve`: assumptions that cannot all hold."""
        return list(self._solver.get_core() or ())

    @property
    def conflicts(self) -> int:
        """Number of conflicts in all calls of `solve` together."""
        return int(self._solver.accum_stats()["conflicts"])

    def statistics(self) -> dict[str, int]:
        """Return CaDiCaL's counters, such as `conflicts`, over all calls of `solve` together."""
        return {name: int(value) for name, value in self._solver.accum_stats().items()}

    def proof(self) -> bytes:
        """Return the proof of the last answer as text in the format LRAT; see `planspec.solvers.proofs.checker`."""
        assert self._trace is not None
        pysolvers.flushpr(self._solver.prfp)
        self._trace.seek(0)
        return self._trace.read()

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()
