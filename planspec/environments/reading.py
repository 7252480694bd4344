"""What an agent says that it read, beside what stands there: each fact right, wrong or missing, and the task as the agent read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from planspec.dsl.model.task import Task
from planspec.traces.record import Trace

NOTE = "read"
"""The name of the note by which an agent declares what it read."""
ReadOutcome: TypeAlias = Literal["right", "wrong", "missing"]
"""Of a fact that an agent was shown: what it declared is so, or is not, or it declared nothing of it."""


@dataclass(frozen=True, slots=True)
class FactRead:
    """A fact that an agent was shown.

    Attributes:
        name: where it stands in the task, such as `Hotel[inn].rate`.
        sort: of fact, such as `hotel rate`.
        page: the kind of page that showed it.
        cue: by which one sees it there, such as `grey`.
        says: what stands there, as text.
        state: the same of a fact that has one of a few states, such as `sold out`; empty for others.
        outcome: of what was declared.
        declared: as it was; empty where nothing was.
    """

    name: str
    sort: str
    page: str
    cue: str
    says: str
    state: str
    outcome: ReadOutcome
    declared: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an agent read in an attempt.

    Attributes:
        facts: those that it was shown, each once for each kind of page and cue that showed it.
        elsewhere: declarations of what it was not shown.
        unclear: what it said that declares nothing: of no known sort, without a row's name, or without a value.
        world: the task as the agent read it: each fact that it declared wrongly is as it declared it; None where there is none.
    """

    facts: tuple[FactRead, ...]
    elsewhere: int = 0
    world: Task | None = None
    unclear: int = 0


Reader: TypeAlias = Callable[[Trace], Reading | None]
"""From the trace of an attempt to what its agent read; None where it declared nothing."""


@dataclass(frozen=True, slots=True)
class ReadShare:
    """Facts of one sort, counted by outcome."""

    right: int = 0
    wrong: int = 0
    missing: int = 0

    @property
    def wrong_share(self) -> float | None:
        """The share of wrong ones among those that were declared; None where none was."""
        said = self.right + self.wrong
        return self.wrong / said if said else None


K = TypeVar("K", bound=Hashable)


def counted(facts: Iterable[FactRead], by: Callable[[FactRead], K]) -> dict[K, ReadShare]:
    """Facts counted by outcome, for each value of what they are told apart by, in order."""
    counts = Counter((by(fact), fact.outcome) for fact in facts)
    keys = sorted({key for key, _ in counts}, key=str)
    return {
        key: ReadShare(counts[key, "right"], counts[key, "wrong"], counts[key, "missing"]) for key in keys
    }
