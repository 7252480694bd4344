"""A formula in conjunctive normal form. Each clause has an origin, such as the id of a constraint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Clause = tuple[int, ...]
"""Literals as in DIMACS: positive numbers are variables, negative numbers are negated variables."""

DEFINITION = ""
"""Origin (see `Formula.origin`) of clauses that define a new variable and exclude no assignment of the others."""


@dataclass(slots=True, eq=False)
class Formula:
    """A formula in conjunctive normal form. Clauses can be added, but not removed.

    Attributes:
        variables: number of variables, which are numbered from 1.
        clauses: the clauses, numbered from 1 in this order.
        origin: name of the source of the clauses that are added next: the id of a task's constraint with its bound
            parameters, `scope:TABLE.FIELD` (values that a column may have), `plan:TABLE` (rules for the rows of a plan
            table), the origin of a query's condition, or `DEFINITION`.
    """

    variables: int = 0
    clauses: list[Clause] = field(default_factory=list)
    origin: str = DEFINITION
    _starts: list[tuple[int, str]] = field(default_factory=list)  # first clause and origin of each run

    def variable(self) -> int:
        """Return the number of a new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Add a clause of one or more literals, with the current `origin`. No variable may occur twice in it."""
        assert literals
        if not self._starts or self._starts[-1][1] != self.origin:
            self._starts.append((len(self.clauses) + 1, self.origin))
        self.clauses.append(literals)

    def origins(self) -> Iterator[tuple[int, int, str]]:
        """Yield the first and last number of each run of consecutive clauses with the same origin, and the origin."""
        ends = [start - 1 for start, _ in self._starts[1:]] + [len(self.clauses)]
        for (start, origin), end in zip(self._starts, ends, strict=True):
            yield start, end, origin
