"""A formula in conjunctive normal form, each clause with the reason for which it stands there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Clause = tuple[int, ...]
"""Literals as in DIMACS: a variable's number, from 1 on, negative where it is negated."""

DEFINITION = ""
"""The origin of clauses that only say what a new variable stands for: they forbid no assignment of the others."""


@dataclass(slots=True, eq=False)
class Formula:
    """Clauses, which only ever grow more.

    Attributes:
        variables: how many there are, numbered from 1.
        clauses: all of them, numbered from 1 in this order.
        origin: the reason of the clauses that are added next: an instance's id, `scope:TABLE.FIELD`, `plan:TABLE`,
            what a question adds, or `DEFINITION`.
    """

    variables: int = 0
    clauses: list[Clause] = field(default_factory=list)
    origin: str = DEFINITION
    _starts: list[tuple[int, str]] = field(default_factory=list)  # the first clause of each run of one origin

    def variable(self) -> int:
        """A new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """One more clause, of one literal or more, whose variables differ."""
        assert literals
        if not self._starts or self._starts[-1][1] != self.origin:
            self._starts.append((len(self.clauses) + 1, self.origin))
        self.clauses.append(literals)

    def origins(self) -> Iterator[tuple[int, int, str]]:
        """Runs of clauses with one origin: the first one's number, the last one's, the origin."""
        ends = [start - 1 for start, _ in self._starts[1:]] + [len(self.clauses)]
        for (start, origin), end in zip(self._starts, ends, strict=True):
            yield start, end, origin
