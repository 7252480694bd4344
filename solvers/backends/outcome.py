"""Outcomes of a solver: a status and, if one was found, an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from planspec.errors import Reason


class Status(StrEnum):
    """The status of a search.

    - FEASIBLE: an assignment was found.
    - OPTIMAL: an assignment was found, and there is provably no better one.
    - INFEASIBLE: there is provably no assignment.
    - UNKNOWN: a limit was reached first.
    """

    FEASIBLE = "feasible"
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a back end's search, recorded with every claim.

    The limits on an agent's attempt are `planspec.agents.Limits`.

    Args:
        seconds: wall-clock time in seconds for one call of `solve`; None for no limit.
        workers: number of CP-SAT's threads.
        seed: seed of every random choice.
        memory_mb: maximum growth of the process in MB. None stands for the environment variable
            `PLANSPEC_MEMORY_MB` or, if it is not set, half of the machine's memory.
        effort: units of deterministic work for one question; None for no limit. The same number gives the same
            status on any machine under any load if `seconds` is None and `workers` is 1. A unit is one unit of
            CP-SAT's deterministic time, or `EFFORT_UNIT` steps of another back end. It takes about a second: with
            CP-SAT one or two, with the others a tenth of a second to four, depending on the problem.
    """

    seconds: float | None = 60.0
    workers: int = 1
    seed: int = 0
    memory_mb: int | None = None
    effort: float | None = None

    @property
    def effort_reason(self) -> Reason | None:
        """`effort` if effort is limited, else None.

        It is the reason why a search is undecided if no other limit was reached.
        """
        return None if self.effort is None else "effort"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A back end's answer.

    Attributes:
        status: the proved status.
        values: value of each decision variable by its id; empty without an assignment.
        objective: value of the minimised form; None if there was none.
        bound: proved lower bound of the minimised form.
        core: origins of an unsatisfiable subset of the assumptions, if `status` is INFEASIBLE.
        seconds: wall-clock time spent.
        statistics: the back end's own counters.
        reason: limit, or other reason, why something was not proved; None if everything was proved.
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
