"""Dominance: a value that others can always stand in for is left out of a variable's domain.

A value v dominates w in a variable x if every node that reads x is at least as good with v: equal where the node may be
read either way, no worse where it is read one way (see `reads`). So v can take the place of w in any assignment, no
condition that held fails and no objective gets worse, were it not for the variables with which x is compared:

- Where those are only to differ from x (`all_different`), v must not be theirs. If n variables can have w's dominators,
  n + 1 of them are kept, and one of these is free. One dominator is enough if it may be shared, as none may.
- Where being equal may be good, the variables that are compared with one another, and those compared with these, change
  together: w gives way to v in all of them. Then one dominator is enough if equality is nowhere bad, else as many as
  there are variables.

Ties go to the least code. Dominance is transitive, so what is left out always has enough dominators among what is
kept: they come first in an order by the sum of what is to be small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import le
from typing import Any, TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import FAR, Domain
from planspec.solvers.ir.problem import Problem
from planspec.solvers.reductions.reads import LESS, MORE, SAME, Reads, outcomes, root_domains, variables

ROUNDS = 3
"""The most rounds: smaller domains may leave fewer variables that can clash."""
MOST_VALUES = 5_000
"""Variables of larger domains are left alone."""

Domains: TypeAlias = dict[ir.IntVar, Domain]
Row: TypeAlias = tuple[Any, ...]
"""Outcomes, of one code or one reading: whole numbers, or None where it does not matter."""
Settled: TypeAlias = dict[tuple[Any, ...], Domain]
"""What is kept of values, by their codes, the columns to tell them by and the dominators that each takes: many rows are alike."""


def undominated(problem: Problem) -> Mapping[ir.IntVar, Domain]:
    """The domains that are left of variables of which some values are dominated.

    Every assignment that satisfies the problem's hard conditions can be turned into one within these domains that
    satisfies them, too, meets each soft condition that it meets, and is no worse by any objective.
    """
    domains = root_domains(problem)
    if any(not domain.size for domain in domains.values()):
        return {}  # infeasible: let the back ends prove it from the original conditions
    start, reads = dict(domains), Reads.of(problem)
    groups = list(_groups(problem, reads))
    settled: Settled = {}
    changed = set(domains)
    for _ in range(ROUNDS):
        before = dict(domains)
        for group in groups:
            if not changed.isdisjoint(_deciding(group, reads)):
                _narrow(group, reads, domains, settled)
        changed = {var for var, domain in domains.items() if domain is not before[var]}
        if not changed:
            break
    return {var: domain for var, domain in domains.items() if domain.size < start[var].size}


def _groups(problem: Problem, reads: Reads) -> Iterator[list[ir.IntVar]]:
    """The variables whose values change together: those that are compared where being equal may be good, else each."""
    met: set[ir.IntVar] = set()
    for var in problem.model.vars:
        if var in met:
            continue
        whole, left = [], [var]
        met.add(var)
        while left:
            one = left.pop()
            whole.append(one)
            for other in reads.equalities.get(one, ()):
                if other not in met:
                    met.add(other)
                    left.append(other)
        if any(equality.sides & MORE for one in whole for equality in reads.equalities.get(one, {}).values()):
            yield whole
        else:
            yield from ([one] for one in whole)


def _deciding(group: Sequence[ir.IntVar], reads: Reads) -> Iterator[ir.IntVar]:
    """The variables whose domains decide which values of a group are dominated."""
    for var in group:
        yield var
        yield from reads.equalities.get(var, ())


def _narrow(group: Sequence[ir.IntVar], reads: Reads, domains: Domains, settled: Settled) -> None:
    """Leave the dominated values out of a group's domains."""
    whole = Domain(())
    for var in group:
        whole = whole | domains[var]
    if not 1 < whole.size <= MOST_VALUES:
        return
    codes = tuple(whole)
    if len(group) > 1:
        good = all(e.sides == MORE for var in group for e in reads.equalities[var].values())
        needed, worths = (1 if good else len(group)), (1,) * len(codes)
    else:
        needed, shared = _rivals(group[0], reads, domains)
        worths = tuple(needed if needed > 1 and shared(code) else 1 for code in codes)
    columns = _columns(group, reads, domains, codes)
    if columns is None:
        return
    key = codes, *map(tuple, columns), needed, worths
    kept = settled.get(key)
    if kept is None:
        kept = settled[key] = _kept(codes, columns, needed, worths)
    if kept.size == whole.size:
        return
    for var in group:
        domains[var] = domains[var] & kept


def _rivals(var: ir.IntVar, reads: Reads, domains: Domains) -> tuple[int, Callable[[int], bool]]:
    """How many dominators it takes for one to be free of all variables that must differ; and which values always are."""
    rivals = 0
    contested: set[Domain] = set()
    for other, equality in reads.equalities.get(var, {}).items():
        both = domains[other] if equality.codes is None else domains[other] & equality.codes
        if both.meets(domains[var]):
            rivals += 1
            contested.add(both)
    return rivals + 1, lambda code: not any(code in domain for domain in contested)


def _kept(
    codes: Sequence[int], columns: tuple[list[Row], list[Row]], needed: int, worths: Sequence[int]
) -> Domain:
    """The values that are not dominated often enough.

    Args:
        codes: all of them.
        columns: what tells them apart.
        needed: how many dominators it takes.
        worths: how many each of them counts for as a dominator.
    """
    same_rows, small_rows = (_rows(each, len(codes)) for each in columns)
    kept: list[int] = []
    decided: list[
        tuple[Row, Row, int]
    ] = []  # for which some node does not matter: kept, and compared with all
    classes: dict[Row, list[tuple[Row, int, int]]] = {}
    for code, same, small, worth in zip(codes, same_rows, small_rows, worths, strict=True):
        if None in same:
            kept.append(code)
            decided.append((same, small, worth))
        else:
            classes.setdefault(same, []).append((small, code, worth))
    for same, members in classes.items():
        tick()
        fitting = [(small, each) for known, small, each in decided if _fits(known, same)]
        members.sort(key=lambda member: (sum(member[0]), member[1]))
        for small, code, worth in members:
            count = 0
            for other, each in fitting:
                if all(map(le, other, small)):
                    count += each
                    if count >= needed:
                        break
            else:
                fitting.append((small, worth))
                kept.append(code)
    return Domain.of(kept)


def _rows(columns: Sequence[Row], count: int) -> list[Row]:
    """The columns turned over: for each of `count` codes what stands in every column."""
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _fits(known: Row, same: Row) -> bool:
    """The outcomes are the same wherever those of the dominator matter."""
    return all(a is None or a == b for a, b in zip(known, same, strict=True))


def _columns(
    group: Sequence[ir.IntVar], reads: Reads, domains: Domains, codes: Sequence[int]
) -> tuple[list[Row], list[Row]] | None:
    """For each reading of a group its outcome by code: those that must be the same, and those that are to be small.

    An outcome that does not matter is None among the former, and less than all others among the latter. The result
    is None where one reading tells all codes apart, so that nothing is dominated.
    """
    same: dict[Row, None] = {}
    small: dict[Row, None] = {}
    for var in group:
        if len(group) > 1:
            small[tuple(-inside for inside in domains[var].indicators(codes))] = None
        for reading in reads.readings.get(var, ()):
            tick()
            column = outcomes(reading.leaf, var, codes)
            sides = reading.sides if len(variables(reading.leaf)) == 1 else SAME
            if len(set(column)) == 1:
                continue
            live = reading.live
            if sides == SAME:
                if live is None and len(set(column)) == len(codes):
                    return None
                same[_where(live, codes, column, None)] = None
            else:
                least = column if sides == LESS else tuple(-x for x in column)
                small[_where(live, codes, least, -FAR)] = None
    return list(same), list(small)


def _where(live: Domain | None, codes: Sequence[int], column: Row, other: int | None) -> Row:
    """A column where its node matters, and something else elsewhere."""
    if live is None:
        return column
    return tuple(x if code in live else other for x, code in zip(column, codes, strict=True))
