"""The outcome of a solver: a status, never a Boolean; an assignment if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from planspec.dsl.resources.deadline import Reason


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
    """

    seconds: float | None = 60.0
    workers: int = 1
    seed: int = 0
    memory_mb: int | None = None


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
        reason: which limit was reached, where one was before everything was proved.
    """

    status: Status
    values: Mapping[int, int] = field(default_factory=dict)
    objective: int | None = None
    bound: int | None = None
    core: tuple[str, ...] = ()
    seconds: float = 0.0
    statistics: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None

    @property
    def found(self) -> bool:
        """There is an assignment."""
        return self.status in (Status.FEASIBLE, Status.OPTIMAL)
