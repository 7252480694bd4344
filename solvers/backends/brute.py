"""Exhaustive search: a slow and simple back end, with which tests compare the others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf

from planspec.dsl.resources.deadline import Deadline, tick
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Backend
from planspec.solvers.backends.session import LimitedSession
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import (
    FALSE,
    And,
    AtMostZero,
    Bool,
    BooleanConstant,
    Extreme,
    Indicator,
    InDomain,
    InTable,
    IntVar,
    IsZero,
    Linear,
    Negation,
    Or,
    Product,
    Quotient,
    Select,
    Tabled,
)
from planspec.solvers.ir.problem import Problem, Rooted

NODES = 2_000_000
"""Maximum number of partial assignments in one call of `solve`. If it is reached, the outcome is UNKNOWN."""

EFFORT_UNIT = 200_000
"""Number of partial assignments in one unit of `Limits.effort`."""


class _TooManyNodesError(Exception):
    """The maximum number of partial assignments or of evaluated nodes was reached."""


@dataclass(frozen=True, slots=True)
class Brute(Backend):
    """Back end that enumerates assignments. A partial assignment is abandoned as soon as it violates a condition.

    Args:
        max_nodes: maximum number of partial assignments in one call of `solve`.
        max_reads: maximum number of nodes of expressions that one call of `solve` evaluates, counting repetitions.
    """

    name = "brute"
    max_nodes: int = NODES
    max_reads: float = inf

    def open(self, problem: Problem, limits: Limits) -> BruteSession:
        """Open a session in which the problem's hard conditions hold, with limits on each call of `solve`."""
        return BruteSession(problem, limits, self.max_nodes, self.max_reads)


class BruteSession(LimitedSession):
    """A session that enumerates assignments in a fixed order.

    Variables are ordered by their first occurrence in the conditions. Added conditions come last, so this order stays
    the same. Assignments that an earlier call without assumptions and objective rejected are therefore skipped.

    Without an objective, the result is the first satisfying assignment; with an objective, the first optimal one. The
    unsat core consists of all assumptions. It is empty if the conditions are infeasible without assumptions.
    """

    def __init__(self, problem: Problem, limits: Limits, max_nodes: int, max_reads: float) -> None:
        super().__init__(problem, limits)
        self._max_nodes = max_nodes
        self._max_reads = max_reads
        self._conditions = [rooted.condition for rooted in problem.hard]
        self._start: tuple[int, ...] = ()

    def add(self, condition: Bool, origin: str = "") -> None:  # noqa: ARG002 - part of the protocol
        """Add a condition that must hold in all later calls of `solve`."""
        self._conditions.append(condition)

    def _solve(
        self,
        assumptions: Sequence[Rooted],
        minimize: Linear | None,
        hint: Mapping[int, int] | None,  # noqa: ARG002 - the order of a full enumeration is fixed
        deadline: Deadline,
    ) -> Outcome:
        started = time.perf_counter()
        max_nodes = self._max_nodes
        if self.limits.effort is not None:
            max_nodes = min(max_nodes, int(self.limits.effort * EFFORT_UNIT))
        search = _BruteSearch(max_nodes, self._max_reads, self._start)
        conditions = [*self._conditions, *(rooted.condition for rooted in assumptions)]
        best: dict[int, int] | None = None
        least_value: int | None = None
        core: tuple[str, ...] = ()
        try:
            for assignment in search.solutions(conditions, minimize):
                value = None if minimize is None else evaluate(minimize, assignment)
                if best is None or (value is not None and least_value is not None and value < least_value):
                    best, least_value = dict(assignment), value
                if minimize is None and not assumptions:
                    self._start = tuple(assignment.values())
                if minimize is None or value == minimize.low:
                    break
            if best is None:
                is_infeasible_alone = next(search.solutions(self._conditions, None), None) is None
                core = () if is_infeasible_alone else tuple(dict.fromkeys(rooted.origin for rooted in assumptions))
                status, bound = Status.INFEASIBLE, None
            else:
                status, bound = Status.FEASIBLE if minimize is None else Status.OPTIMAL, least_value
        except (LimitReachedError, _TooManyNodesError):
            status = Status.UNKNOWN if best is None else Status.FEASIBLE
            bound = None if best is None or minimize is None else minimize.low
        values = {} if best is None else {var.id: best.get(var.id, var.domain.low) for var in self._vars}
        seconds = time.perf_counter() - started
        proved = status in (Status.INFEASIBLE, Status.OPTIMAL) or (minimize is None and best is not None)
        reason = None if proved else deadline.reached or self.limits.effort_reason
        statistics, effort = {"nodes": search.visited}, search.visited / EFFORT_UNIT
        return Outcome(status, values, least_value, bound, core, seconds, statistics, reason, effort)


class _BruteSearch:
    """A backtracking search over the variables of one query, in the order in which they first occur.

    Args:
        max_nodes: maximum number of partial assignments.
        max_reads: maximum number of nodes of expressions that are evaluated.
        start: values of the first variables, in order, at which the search starts. Assignments that come earlier in
            lexicographic order are skipped.
    """

    def __init__(self, max_nodes: int, max_reads: float, start: tuple[int, ...]) -> None:
        self._max_nodes = max_nodes
        self._reads_left = max_reads
        self._start = start
        self.visited = 0

    def solutions(self, conditions: Sequence[Bool], minimize: Linear | None) -> Iterator[Mapping[int, int]]:
        """Yield all assignments to the variables of `conditions` and `minimize` that satisfy the conditions.

        An assignment maps the id of each variable to its value. It is the same dictionary each time, so it is valid
        only until the next one is requested.
        """
        parts = [part for condition in conditions for part in _conjuncts(condition)]
        if FALSE in parts:
            return
        used_by_part: dict[Bool, tuple[IntVar, ...]] = {}
        size_of_part: dict[Bool, int] = {}
        for part in parts:
            used_by_part[part], size_of_part[part] = _survey(part)
            self._read(size_of_part[part])
        minimized = () if minimize is None else variables(minimize)
        variable_order = list(dict.fromkeys(chain(*used_by_part.values(), minimized)))
        position = {var: i for i, var in enumerate(variable_order)}
        due_conditions: list[list[tuple[Bool, int]]] = [[] for _ in variable_order]
        for part, used in used_by_part.items():
            if used:
                due_conditions[max(position[var] for var in used)].append((part, size_of_part[part]))
        yield from self._extend(variable_order, due_conditions, {}, self._start)

    def _read(self, nodes: int) -> bool:
        """Count evaluated nodes. Return True, so that the call can be part of a condition.

        Raises:
            _TooManyNodesError: more nodes than `max_reads` were evaluated.
        """
        tick()
        self._reads_left -= nodes
        if self._reads_left < 0:
            raise _TooManyNodesError
        return True

    def _extend(
        self,
        variable_order: list[IntVar],
        due_conditions: list[list[tuple[Bool, int]]],
        values: dict[int, int],
        start: tuple[int, ...],
    ) -> Iterator[Mapping[int, int]]:
        """Yield the full assignments that extend `values`, beginning with the next variable.

        Args:
            variable_order: all variables, in the order in which they get values.
            due_conditions: for each variable, the conditions to check once it has a value, with their numbers of nodes.
            values: values of the first variables, by id. The same dictionary is changed and yielded.
            start: values of the next variables, in order, at which the search starts. Assignments that come earlier in
                lexicographic order are skipped.
        """
        depth = len(values)
        if depth == len(variable_order):
            yield values
            return
        for value in variable_order[depth].domain:
            if start and value < start[0]:
                continue
            self.visited += 1
            tick()
            if self.visited > self._max_nodes:
                raise _TooManyNodesError
            values[variable_order[depth].id] = value
            if all(self._read(size) and evaluate(each, values) for each, size in due_conditions[depth]):
                next_start = start[1:] if start and value == start[0] else ()
                yield from self._extend(variable_order, due_conditions, values, next_start)
            del values[variable_order[depth].id]


def _conjuncts(condition: Bool) -> Iterator[Bool]:
    if isinstance(condition, And):
        for item in condition.items:
            yield from _conjuncts(item)
    else:
        yield condition


def variables(node: Linear | Bool) -> tuple[IntVar, ...]:
    """Return the decision variables in an expression or condition, each once, in the order of first occurrence."""
    return _survey(node)[0]


def _survey(node: Linear | Bool) -> tuple[tuple[IntVar, ...], int]:
    """Return the decision variables in an expression or condition, by first occurrence, and its number of nodes."""
    found: dict[IntVar, None] = {}
    seen: set[object] = set()
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if item in seen:
            continue
        seen.add(item)
        if isinstance(item, IntVar):
            found[item] = None
        else:
            todo.extend(reversed(list(parts(item))))
    return tuple(found), len(seen)


def parts(node: object) -> Iterator[object]:
    """Yield the direct subexpressions of an expression, atom or condition.

    Raises:
        TypeError: the object is not a node.
    """
    match node:
        case Linear(terms=terms):
            yield from (atom for atom, _ in terms)
        case Tabled(vars=vars) | InTable(vars=vars):
            yield from vars
        case Indicator(condition=condition):
            yield condition
        case Select(cases=cases) | Extreme(cases=cases):
            yield from chain(*cases)
        case Quotient(dividend=dividend):
            yield dividend
        case Product(left=left, right=right):
            yield from (left, right)
        case BooleanConstant():
            pass
        case InDomain(var=var):
            yield var
        case AtMostZero(linear=linear) | IsZero(linear=linear):
            yield linear
        case And(items=items) | Or(items=items):
            yield from items
        case Negation(item=item):
            yield item
        case _:
            raise TypeError(f"not a node: {node!r}")
