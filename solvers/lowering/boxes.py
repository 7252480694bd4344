"""Detection of rectangles that the hard conditions forbid to overlap.

Authors write, for every pair of rectangles (pieces), that one ends before the other starts along one of two axes:
`right(a) <= b.x or right(b) <= a.x or top(a) <= b.y or top(b) <= a.y`. A comparison that the domains make impossible is
missing from the clause. The corner of a piece consists of two fields of one row of the plan.

Only pieces that are always present and have constant sizes of at least 1 are detected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import TRUE, Bool, Extreme, IntVar, Linear, Or, conjuncts
from planspec.solvers.ir.problem import Boxes, Interval, LinearObjective, Problem, RowVars
from planspec.solvers.lowering.no_overlap import cliques, precedence


@dataclass(frozen=True, slots=True)
class _Link:
    """A comparison `earlier + length <= later` of two decision variables."""

    earlier: IntVar
    later: IntVar
    length: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A hard condition that is a disjunction of comparisons (links)."""

    condition: Bool
    links: tuple[_Link, ...]

    @property
    def pairs(self) -> frozenset[frozenset[IntVar]]:
        """The pairs of variables that are compared."""
        return frozenset(frozenset((link.earlier, link.later)) for link in self.links)


def boxes(problem: Problem) -> list[Boxes]:
    """Return sets of rectangles that must not overlap, each derived from the hard conditions of one constraint."""
    by_constraint: dict[str, dict[int, _Part]] = {}
    for root in problem.hard:
        for condition in conjuncts(root.condition):
            part = _part(condition)
            if part is not None:
                by_constraint.setdefault(root.origin.partition("[")[0], {})[id(condition)] = part
    result: list[Boxes] = []
    for parts in by_constraint.values():
        if any(len(part.pairs) == 2 for part in parts.values()):
            result += _Pieces(list(parts.values()), problem.rows).boxes(problem.objectives, problem.model)
    return result


def _part(condition: Bool) -> _Part | None:
    """Parse a condition as comparisons of one or two pairs of variables; None if it has another form."""
    links: list[_Link] = []
    for item in condition.items if isinstance(condition, Or) else (condition,):
        link = precedence(item)
        if link is None or link[2] < 1:
            return None
        links.append(_Link(*link))
    part = _Part(condition, tuple(links))
    return part if len(part.pairs) <= 2 and len(frozenset().union(*part.pairs)) == 2 * len(part.pairs) else None


class _Pieces:
    """The rectangles (pieces) of one constraint. Each has a corner (two variables) and a size along both axes."""

    def __init__(self, parts: Sequence[_Part], rows: Sequence[RowVars]) -> None:
        self._corners = list(_corners(parts, rows))
        self._places = {
            var: (number, axis) for number, each in enumerate(self._corners) for axis, var in enumerate(each)
        }
        self._sizes = [[0, 0] for _ in self._corners]
        self._between: dict[frozenset[int], list[_Part]] = {}
        for part in parts:
            numbers = self._pieces_apart(part)
            if numbers is not None:
                self._between.setdefault(numbers, []).append(part)
                for link in part.links:
                    number, axis = self._places[link.earlier]
                    size = self._sizes[number][axis]
                    self._sizes[number][axis] = link.length if not size else min(size, link.length)
        for sizes in self._sizes:
            sizes[:] = [size or 1 for size in sizes]

    def _pieces_apart(self, part: _Part) -> frozenset[int] | None:
        """Return the indices of the two pieces (rectangles) that a condition keeps apart.

        Return None if the condition does not compare coordinates of exactly two pieces, each time along one axis.
        """
        numbers: set[int] = set()
        for link in part.links:
            places = [self._places.get(link.earlier), self._places.get(link.later)]
            if places[0] is None or places[1] is None or places[0][1] != places[1][1]:
                return None
            numbers |= {places[0][0], places[1][0]}
        return frozenset(numbers) if len(numbers) == 2 else None

    def _can_precede(self, one: int, other: int, axis: int) -> bool:
        """Return whether the domains allow one rectangle to end before another starts, along one axis (0 or 1).

        The rectangles are given by their indices.
        """
        low = self._corners[one][axis].domain.low
        return low + self._sizes[one][axis] <= self._corners[other][axis].domain.high

    def _are_apart(self, one: int, other: int) -> bool:
        """Return whether the domains already forbid two rectangles, given by their indices, to overlap."""
        return any(
            self._corners[a][axis].domain.high + self._sizes[a][axis] <= self._corners[b][axis].domain.low
            for a, b in ((one, other), (other, one))
            for axis in (0, 1)
        )

    def _follows(self, part: _Part) -> bool:
        """Return whether a condition holds whenever the two rectangles that it compares do not overlap."""
        links = {(self._places[link.earlier], self._places[link.later][0]) for link in part.links}
        exact = all(
            link.length == self._sizes[number][axis]
            for link in part.links
            for number, axis in (self._places[link.earlier],)
        )
        one, other = {number for (number, _), _ in links}, {number for _, number in links}
        a, b = sorted(one | other)
        return exact and all(
            ((earlier, axis), later) in links or not self._can_precede(earlier, later, axis)
            for earlier, later in ((a, b), (b, a))
            for axis in (0, 1)
        )

    def boxes(self, objectives: Sequence[LinearObjective], model: NodeBuilder) -> Iterator[Boxes]:
        """Yield sets of rectangles that do not overlap."""
        neighbours: dict[int, set[int]] = {number: set() for number in range(len(self._corners))}
        for a, b in combinations(neighbours, 2):
            if frozenset((a, b)) in self._between or self._are_apart(a, b):
                neighbours[a].add(b)
                neighbours[b].add(a)
        for clique in cliques(neighbours):
            sides = [
                tuple(
                    Interval(TRUE, model.of(self._corners[n][axis]), model.constant(self._sizes[n][axis]))
                    for n in clique
                )
                for axis in (0, 1)
            ]
            ends = [[(self._corners[n][axis], self._sizes[n][axis]) for n in clique] for axis in (0, 1)]
            inside = (part for a, b in combinations(clique, 2) for part in self._between.get(frozenset((a, b)), ()))
            implied = frozenset(id(part.condition) for part in inside if self._follows(part))
            reaches = (_reach(ends[0], objectives), _reach(ends[1], objectives))
            yield Boxes(sides[0], sides[1], reaches, implied)


def _corners(parts: Iterable[_Part], rows: Iterable[RowVars]) -> Iterator[tuple[IntVar, IntVar]]:
    """Yield a rectangle's corner for each row of the plan with exactly two variables that the conditions compare.

    A corner consists of these two variables, in the order of the row's columns.
    """
    compared = {var for part in parts for pair in part.pairs for var in pair}
    for row in rows:
        atoms = [code.terms[0][0] for code in row.fields.values() if len(code.terms) == 1]
        corner = tuple(dict.fromkeys(atom for atom in atoms if isinstance(atom, IntVar) and atom in compared))
        if len(corner) == 2:
            yield corner


def _reach(ends: Sequence[tuple[IntVar, int]], objectives: Sequence[LinearObjective]) -> Linear | None:
    """Return an objective that is at least the end of every piece, such as the strip height; None if there is none.

    `ends` has the start variable and the length of each piece along one axis.
    """
    for objective in objectives:
        match objective.linear:
            case Linear(terms=((Extreme(greatest=True, cases=cases), 1),)):
                pass
            case _:
                continue
        reached: dict[IntVar, int] = {}
        for guard, value in cases:
            match value.terms:
                case ((IntVar() as var, 1),) if guard is TRUE:
                    reached[var] = max(value.constant, reached.get(var, value.constant))
        if objective.linear.constant >= 0 and all(reached.get(var, size - 1) >= size for var, size in ends):
            return objective.linear
    return None
