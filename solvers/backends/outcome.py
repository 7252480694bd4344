"""Limits on a solver, and its outcome: a status and possibly an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from planspec.errors import Reason


class Status(StrEnum):
    """The status of a search for an assignment of decision variables.

    - FEASIBLE: an assignment was found.
    - OPTIMAL: an assignment was found, and there is provably no better one.
    - INFEASIBLE: there is provably no assignment.
    - UNKNOWN: a limit was reached before one of these was established.
    """

    FEASIBLE = "feasible"
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a solver's search. They are stored with every result.

    Limits on an agent are a different class, `planspec.agents.Limits`.

    Args:
        seconds: wall-clock time in seconds for one call of `solve`; None for no limit.
        workers: number of threads of CP-SAT. Other back ends have one thread.
        seed: seed of every random choice.
        memory_mb: maximum growth of the process's memory in MB. None stands for the environment variable
            `PLANSPEC_MEMORY_MB` or, if it is not set, half of the machine's memory.
        effort: units of deterministic work for one question, such as whether a task has a plan; None for no limit. If
            `seconds` is None and `workers` is 1, the same number gives the same status on any machine under any load. A
            unit is one unit of CP-SAT's deterministic time, or `EFFORT_UNIT` steps of another back end. Depending on
            the problem, a unit takes one or two seconds with CP-SAT, and 0.1 to 4 seconds with the others.
    """

    seconds: float | None = 60.0
    workers: int = 1
    seed: int = 0
    memory_mb: int | None = None
    effort: float | None = None

    def scaled(self, share: float) -> Limits:
        """Return limits with a share of the seconds and of the effort.

        Args:
            share: positive factor.
        """
        return replace(
            self,
            seconds=None if self.seconds is None else self.seconds * share,
            effort=None if self.effort is None else self.effort * share,
        )

    @property
    def effort_reason(self) -> Reason | None:
        """Why a search that reached no limit of time or memory is undecided: `effort` if that is limited, else None."""
        return None if self.effort is None else "effort"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one search by a solver (one call of `Session.solve`).

    Attributes:
        status: the proved status.
        values: value of each decision variable by its id; empty without an assignment.
        objective: value of the minimised expression; None if nothing was minimised or no assignment was found.
        bound: proved lower bound of the minimised expression; None if there is none.
        core: origins of the assumptions in an unsat core, if `status` is INFEASIBLE.
        seconds: wall-clock time spent.
        statistics: counters of the solver, by the solver's names for them.
        reason: limit that prevented a proof, such as `time`, or another reason; None if everything was proved.
        effort: units of work done; see `Limits.effort`.
    """

    status: Status
    values: Mapping[int, int] = field(default_factory=dict)
    objective: int | None = None
    bound: int | None = None
    core: tuple[str, ...] = ()
    seconds: float = 0.0
    statistics: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None
    effort: float = 0.0

    @property
    def found(self) -> bool:
        """Whether there is an assignment."""
        return self.status in (Status.FEASIBLE, Status.OPTIMAL)
