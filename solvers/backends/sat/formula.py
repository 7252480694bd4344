"""A formula in conjunctive normal form, in which each clause has an origin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Clause = tuple[int, ...]
"""Literals as in DIMACS: positive numbers are variables, negative numbers are negated variables."""

DEFINITION = ""
"""Origin of clauses that only define a new variable and exclude no assignment of the other variables."""


@dataclass(slots=True, eq=False)
class Formula:
    """A list of clauses to which clauses can only be added.

    Attributes:
        variables: number of variables, which are numbered from 1.
        clauses: the clauses, numbered from 1 in this order.
        origin: origin given to the clauses that are added next: an instance's id, `scope:TABLE.FIELD`,
            `plan:TABLE`, the origin of a question's condition, or `DEFINITION`.
    """

    variables: int = 0
    clauses: list[Clause] = field(default_factory=list)
    origin: str = DEFINITION
    _starts: list[tuple[int, str]] = field(default_factory=list)  # the first clause of each run of one origin

    def variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause of one or more literals, whose variables differ."""
        assert literals
        if not self._starts or self._starts[-1][1] != self.origin:
            self._starts.append((len(self.clauses) + 1, self.origin))
        self.clauses.append(literals)

    def origins(self) -> Iterator[tuple[int, int, str]]:
        """Yield each run of clauses with one origin as the numbers of its first and last clause, and the origin."""
        ends = [start - 1 for start, _ in self._starts[1:]] + [len(self.clauses)]
        for (start, origin), end in zip(self._starts, ends, strict=True):
            yield start, end, origin
