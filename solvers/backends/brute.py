"""The back end that tries everything: slow, obvious, and the oracle of the tests."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from planspec.dsl.resources.deadline import Deadline, tick
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Watcher, within
from planspec.solvers.backends.versions import version_of
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
"""The most partial assignments; beyond them the answer is UNKNOWN."""

EFFORT_UNIT = 200_000
"""Partial assignments in one unit of `Limits.effort`."""


class _TooManyNodesError(Exception):
    """The search is larger than enumeration is meant for."""


@dataclass(frozen=True, slots=True)
class Brute:
    """Enumeration with early refusal.

    Args:
        nodes: how many partial assignments a call may visit.
    """

    nodes: int = NODES

    @property
    def name(self) -> str:
        """`brute`."""
        return "brute"

    @property
    def version(self) -> str:
        """Counts changes of the enumeration itself."""
        return version_of(self.name) or ""

    def open(self, problem: Problem, limits: Limits) -> BruteSession:
        """A session over the problem."""
        return BruteSession(problem, limits, self.nodes)


class BruteSession:
    """The conditions so far, and the first assignment of which they hold as far as it is known.

    Conditions are only ever added, at the end. So variables keep their order, and what stands before that assignment
    need not be tried again.
    """

    def __init__(self, problem: Problem, limits: Limits, nodes: int) -> None:
        self._vars = problem.model.vars
        self.limits = limits
        self.broken = False
        self.watcher: Watcher | None = None
        self._nodes = nodes
        self._conditions = [rooted.condition for rooted in problem.hard]
        self._first: tuple[int, ...] = ()

    def add(self, condition: Bool, origin: str = "") -> None:  # noqa: ARG002 - part of the protocol
        """One more condition that must hold from now on."""
        self._conditions.append(condition)

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,  # noqa: ARG002 - the order of a full enumeration is no matter
    ) -> Outcome:
        """The first assignment, or the first of the best; the core is all assumptions, or none if none matters."""
        return within(self, lambda deadline: self._solve(assumptions, minimize, deadline))

    def _solve(self, assumptions: Sequence[Rooted], minimize: Linear | None, deadline: Deadline) -> Outcome:
        started = time.perf_counter()
        most = self._nodes
        if self.limits.effort is not None:
            most = min(most, int(self.limits.effort * EFFORT_UNIT))
        search = _Search(most, self._first)
        conditions = [*self._conditions, *(rooted.condition for rooted in assumptions)]
        best: dict[int, int] | None = None
        least: int | None = None
        core: tuple[str, ...] = ()
        try:
            for found in search.solutions(conditions, minimize):
                value = None if minimize is None else evaluate(minimize, found)
                if best is None or (value is not None and least is not None and value < least):
                    best, least = dict(found), value
                if minimize is None and not assumptions:
                    self._first = tuple(found.values())
                if minimize is None or value == minimize.low:
                    break
            if best is None:
                alone = next(search.solutions(self._conditions, None), None) is None
                core = () if alone else tuple(dict.fromkeys(rooted.origin for rooted in assumptions))
                status, bound = Status.INFEASIBLE, None
            else:
                status, bound = Status.FEASIBLE if minimize is None else Status.OPTIMAL, least
        except (LimitReachedError, _TooManyNodesError):
            status = Status.UNKNOWN if best is None else Status.FEASIBLE
            bound = None if best is None or minimize is None else minimize.low
        values = {} if best is None else {var.id: best.get(var.id, var.domain.low) for var in self._vars}
        seconds = time.perf_counter() - started
        proved = status in (Status.INFEASIBLE, Status.OPTIMAL) or (minimize is None and best is not None)
        reason = None if proved else deadline.reached or self.limits.effort_reason
        statistics, effort = {"nodes": search.visited}, search.visited / EFFORT_UNIT
        return Outcome(status, values, least, bound, core, seconds, statistics, reason, effort)


class _Search:
    """Backtracking over the variables that matter, in the order in which they are first met.

    Args:
        nodes: the most partial assignments.
        first: values of the first variables; what stands before them is left out.
    """

    def __init__(self, nodes: int, first: tuple[int, ...]) -> None:
        self._nodes = nodes
        self._first = first
        self.visited = 0

    def solutions(self, conditions: Sequence[Bool], minimize: Linear | None) -> Iterator[Mapping[int, int]]:
        """All assignments of the variables in `conditions` and `minimize`; each is valid until the next."""
        parts = [part for condition in conditions for part in _conjuncts(condition)]
        if FALSE in parts:
            return
        found = {part: variables(part) for part in parts}
        wanted = () if minimize is None else variables(minimize)
        order = list(dict.fromkeys(chain(*found.values(), wanted)))
        place = {var: at for at, var in enumerate(order)}
        due: list[list[Bool]] = [[] for _ in order]
        for part, used in found.items():
            if used:
                due[max(place[var] for var in used)].append(part)
        yield from self._extend(order, due, {}, self._first)

    def _extend(
        self, order: list[IntVar], due: list[list[Bool]], values: dict[int, int], first: tuple[int, ...]
    ) -> Iterator[Mapping[int, int]]:
        at = len(values)
        if at == len(order):
            yield values
            return
        for value in order[at].domain:
            if first and value < first[0]:
                continue
            self.visited += 1
            tick()
            if self.visited > self._nodes:
                raise _TooManyNodesError
            values[order[at].id] = value
            if all(evaluate(condition, values) for condition in due[at]):
                onward = first[1:] if first and value == first[0] else ()
                yield from self._extend(order, due, values, onward)
            del values[order[at].id]


def _conjuncts(condition: Bool) -> Iterator[Bool]:
    if isinstance(condition, And):
        for item in condition.items:
            yield from _conjuncts(item)
    else:
        yield condition


def variables(node: Linear | Bool) -> tuple[IntVar, ...]:
    """The decision variables in a node, each once, in the order in which they are met."""
    met: dict[IntVar, None] = {}
    seen: set[object] = set()
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if item in seen:
            continue
        seen.add(item)
        if isinstance(item, IntVar):
            met[item] = None
        else:
            todo.extend(reversed(list(parts(item))))
    return tuple(met)


def parts(node: object) -> Iterator[object]:
    """The nodes directly inside a node.

    Raises:
        TypeError: it is no node.
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
