"""The outcome of a solver: a status, never a Boolean; an assignment if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from planspec.errors import Reason


class Status(StrEnum):
    """FEASIBLE: an assignment was found. OPTIMAL: and none is better. UNKNOWN: a limit was reached."""

    FEASIBLE = "feasible"
    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a back end's search; recorded with every claim. `planspec.agents.Limits` are those of an attempt.

    Args:
        seconds: wall-clock time for one call, None for none.
        workers: threads of CP-SAT.
        seed: of every random choice.
        memory_mb: how much the process may grow, None for half of the machine's memory (or what the environment
            variable `PLANSPEC_MEMORY_MB` says).
        effort: units of deterministic work for one question, None for no limit. The same number gives the same status on any
            machine under any load, if `seconds` is None and `workers` is 1. A unit is one of CP-SAT's deterministic time, or
            what each other back end counts as `EFFORT_UNIT`: all of them take about a second.
    """

    seconds: float | None = 60.0
    workers: int = 1
    seed: int = 0
    memory_mb: int | None = None
    effort: float | None = None

    @property
    def effort_reason(self) -> Reason | None:
        """`effort` where that is limited: why a search that no other limit ended is undecided."""
        return None if self.effort is None else "effort"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A back end's answer.

    Attributes:
        status: what is proved.
        values: each decision variable's value by its id; empty without an assignment.
        objective: the value of what was minimised, None if nothing was.
        bound: a proved lower bound of it.
        core: origins of an unsatisfiable subset of the asked assumptions, where infeasible under them.
        seconds: wall-clock time spent.
        statistics: the back end's own counters.
        reason: why not everything was proved, where that is so.
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
        """There is an assignment."""
        return self.status in (Status.FEASIBLE, Status.OPTIMAL)
