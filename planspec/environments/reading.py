"""Comparison of the facts that an agent declared with the facts that it was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from planspec.dsl.model.task import Task
from planspec.traces.record import Trace

NOTE = "read"
"""Name of the note in which an agent declares what it read."""
ReadOutcome: TypeAlias = Literal["right", "wrong", "missing"]
"""Outcome for a fact that an agent was shown: declared rightly, declared wrongly, or not declared."""


@dataclass(frozen=True, slots=True)
class FactRead:
    """A fact that an agent was shown, and whether the agent declared it rightly.

    Attributes:
        name: address of the fact in the task, such as `Hotel[inn].rate`.
        sort: sort of fact, such as `hotel rate`.
        page: kind of page that showed it.
        cue: visual cue that shows it, such as `grey`.
        says: value that the page showed, as text.
        state: value of a fact with few possible states, such as `sold out`; empty for others.
        outcome: whether the agent declared the value rightly, wrongly or not at all.
        declared: declared value; empty if none.
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
class AgentReading:
    """Facts that an agent was shown in an attempt, its declarations, and the task with the declared values.

    Attributes:
        facts: facts shown to the agent, with one entry for each combination of fact, kind of page and visual cue.
        elsewhere: number of declarations of facts that it was not shown.
        unclear: number of malformed declarations: of an unknown sort, without a row's name, or without a
            value.
        world: the task with the declared values in place of the true ones; None if no fact was declared wrongly.
    """

    facts: tuple[FactRead, ...]
    elsewhere: int = 0
    world: Task | None = None
    unclear: int = 0


Reader: TypeAlias = Callable[[Trace], AgentReading | None]
"""Function from a trace to the facts that the agent declared to have read, or None if it declared none."""


@dataclass(frozen=True, slots=True)
class ReadShare:
    """Numbers of facts that were declared rightly, declared wrongly, and not declared."""

    right: int = 0
    wrong: int = 0
    missing: int = 0

    @property
    def wrong_share(self) -> float | None:
        """Share of the declarations that are wrong; None without declarations."""
        total = self.right + self.wrong
        return self.wrong / total if total else None


K = TypeVar("K", bound=Hashable)


def count_by(facts: Iterable[FactRead], key_of: Callable[[FactRead], K]) -> dict[K, ReadShare]:
    """Group facts by a key, and count the outcomes in each group. The result is sorted by key."""
    counts = Counter((key_of(fact), fact.outcome) for fact in facts)
    keys = sorted({key for key, _ in counts}, key=str)
    return {key: ReadShare(counts[key, "right"], counts[key, "wrong"], counts[key, "missing"]) for key in keys}
