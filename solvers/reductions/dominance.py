"""The reduction "dominance": a value is removed from a variable's domain if other values can always replace it.

A value v dominates a value w of a variable x if every node that reads x is at least as good with v as with w. A node
for which both greater and smaller values may help (see `reads`) must have the same value with v as with w. Then v can
replace w in any assignment: satisfied conditions remain satisfied, and no objective gets worse. Comparisons of x with
other variables need more care:

- If other variables must differ from x (`all_different`), v must not be one of their values. If n of them can take
  dominators of w, w needs n + 1 dominators, so that one is free. One dominator is enough if none of these variables can
  take it.
- If it may help that x equals another variable, v must replace w in all variables that comparisons connect with x.
  Then one dominator is enough if equality never hurts. Otherwise as many dominators as variables are needed.

On a tie, the smallest value remains. Dominance is transitive, so a removed value always has enough dominators among the
remaining values: they come first when values are ordered by the sum of the outcomes to be minimised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import le
from typing import Any, TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import FAR, Domain
from planspec.solvers.ir.problem import Problem
from planspec.solvers.reductions.reads import (
    LESS,
    MORE,
    SAME,
    Reads,
    VariableReads,
    outcomes,
    root_domains,
    variables,
)

ROUNDS = 3
"""Maximum number of rounds over all variables. Values removed in one round may enable more removals in the next."""
MAX_VALUES = 5_000
"""Maximum size of a domain that is reduced."""

Domains: TypeAlias = dict[ir.IntVar, Domain]
Row: TypeAlias = tuple[Any, ...]
"""Outcomes (numbers; see `reads.outcomes`) of all nodes for one value of a variable, or of one node for all values.

An outcome that does not matter is None.
"""
Settled: TypeAlias = dict[tuple[Any, ...], Domain]
"""Cache of the values that no other values dominate. The key has all arguments of `_undominated_codes`."""


def undominated_domains(problem: Problem, reads_of: Reads = VariableReads.of) -> Mapping[ir.IntVar, Domain]:
    """Return the remaining domain of each variable that has dominated values.

    Every assignment that satisfies the hard conditions has a counterpart within these domains that also satisfies them.
    The counterpart satisfies at least the same soft conditions and is no worse in any objective.
    """
    domains = root_domains(problem)
    if any(not domain.size for domain in domains.values()):
        return {}  # infeasible: let the back ends prove it from the original conditions
    start, reads = dict(domains), reads_of(problem)
    groups = list(_groups(problem, reads))
    cache: Settled = {}
    changed = set(domains)
    for _ in range(ROUNDS):
        before = dict(domains)
        for group in groups:
            if not changed.isdisjoint(_variables_deciding(group, reads)):
                _remove_dominated(group, reads, domains, cache)
        changed = {var for var, domain in domains.items() if domain is not before[var]}
        if not changed:
            break
    return {var: domain for var, domain in domains.items() if domain.size < start[var].size}


def _groups(problem: Problem, reads: VariableReads) -> Iterator[list[ir.IntVar]]:
    """Yield the groups of variables whose values must be replaced together.

    Variables that comparisons `x == y` connect form one group if it may help (to satisfy conditions or improve
    objectives) that they are equal. Every other variable is a separate group.
    """
    seen: set[ir.IntVar] = set()
    for var in problem.model.vars:
        if var in seen:
            continue
        group, waiting = [], [var]
        seen.add(var)
        while waiting:
            member = waiting.pop()
            group.append(member)
            for other in reads.equalities.get(member, ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        if any(equality.sides & MORE for member in group for equality in reads.equalities.get(member, {}).values()):
            yield group
        else:
            yield from ([member] for member in group)


def _variables_deciding(group: Sequence[ir.IntVar], reads: VariableReads) -> Iterator[ir.IntVar]:
    """Yield the variables whose domains determine which values of a group of variables are dominated."""
    for var in group:
        yield var
        yield from reads.equalities.get(var, ())


def _remove_dominated(group: Sequence[ir.IntVar], reads: VariableReads, domains: Domains, cache: Settled) -> None:
    """Remove, from the domains of a group of variables, the values that other values can always replace."""
    all_values = Domain(())
    for var in group:
        all_values = all_values | domains[var]
    if not 1 < all_values.size <= MAX_VALUES:
        return
    codes = tuple(all_values)
    if len(group) > 1:
        good = all(e.sides == MORE for var in group for e in reads.equalities[var].values())
        needed_weight, weights = (1 if good else len(group)), (1,) * len(codes)
    else:
        needed_weight, is_free = _needed_dominators(group[0], reads, domains)
        weights = tuple(needed_weight if needed_weight > 1 and is_free(code) else 1 for code in codes)
    columns = _columns(group, reads, domains, codes)
    if columns is None:
        return
    key = codes, *map(tuple, columns), needed_weight, weights
    remaining = cache.get(key)
    if remaining is None:
        remaining = cache[key] = _undominated_codes(codes, columns, needed_weight, weights)
    if remaining.size == all_values.size:
        return
    for var in group:
        domains[var] = domains[var] & remaining


def _needed_dominators(var: ir.IntVar, reads: VariableReads, domains: Domains) -> tuple[int, Callable[[int], bool]]:
    """Return the number of better values (dominators) that justify the removal of a value, and a test of dominators.

    A value may be removed if one of its dominators is certainly free, that is, not taken by a variable that must differ
    from `var`. So the required number is one more than the number of these variables. Variables that have no values in
    common with `var` do not count. The test returns whether a value is always free, because none of these variables can
    take it. One such dominator is enough.
    """
    rivals = 0
    contested: set[Domain] = set()
    for other, equality in reads.equalities.get(var, {}).items():
        both = domains[other] if equality.codes is None else domains[other] & equality.codes
        if both.meets(domains[var]):
            rivals += 1
            contested.add(both)
    return rivals + 1, lambda code: not any(code in domain for domain in contested)


def _undominated_codes(
    codes: Sequence[int], columns: tuple[list[Row], list[Row]], needed_weight: int, weights: Sequence[int]
) -> Domain:
    """Return the values that remain, because the total weight of their dominators is below `needed_weight`.

    Args:
        codes: all values.
        columns: outcomes of the values in two lists, as returned by `_columns`. A dominator has equal outcomes in the
            first list, and no greater outcomes in the second list.
        needed_weight: minimum total weight of dominators for the removal of a value.
        weights: weight of each value as a dominator.
    """
    equal_rows, minimized_rows = (_transpose(each, len(codes)) for each in columns)
    remaining: list[int] = []
    # Values for which some node does not matter. They are never removed here, and are compared with all others.
    partly_relevant: list[tuple[Row, Row, int]] = []
    classes: dict[Row, list[tuple[Row, int, int]]] = {}
    for code, equal, minimized, weight in zip(codes, equal_rows, minimized_rows, weights, strict=True):
        if None in equal:
            remaining.append(code)
            partly_relevant.append((equal, minimized, weight))
        else:
            classes.setdefault(equal, []).append((minimized, code, weight))
    for equal, members in classes.items():
        tick()
        candidates = [
            (minimized, each)
            for dominator, minimized, each in partly_relevant
            if _equals_where_it_matters(dominator, equal)
        ]
        members.sort(key=lambda member: (sum(member[0]), member[1]))
        for minimized, code, weight in members:
            count = 0
            for other, each in candidates:
                if all(map(le, other, minimized)):
                    count += each
                    if count >= needed_weight:
                        break
            else:
                candidates.append((minimized, weight))
                remaining.append(code)
    return Domain.of(remaining)


def _transpose(columns: Sequence[Row], count: int) -> list[Row]:
    """Return the `count` rows of a table that is given as columns: row i has the i-th entry of each column."""
    return list(zip(*columns, strict=True)) if columns else [()] * count


def _equals_where_it_matters(dominator: Row, other: Row) -> bool:
    """Return whether the nodes have equal outcomes for two values. Nodes that do not matter for the first are ignored.

    The outcome of a node that does not matter for the first value, the dominator, is None.
    """
    return all(a is None or a == b for a, b in zip(dominator, other, strict=True))


def _columns(
    group: Sequence[ir.IntVar], reads: VariableReads, domains: Domains, codes: Sequence[int]
) -> tuple[list[Row], list[Row]] | None:
    """Return the outcomes of the nodes that read a group of variables: a column for each node, an entry for each value.

    The columns are in two lists, which determine dominance. One value dominates another if both have equal outcomes in
    all columns of the first list, and if its outcomes are not greater in any column of the second list. An outcome that
    does not matter is None in the first list, and less than all others in the second. Return None if a column of the
    first list has a different outcome for each value, so that no value dominates another.
    """
    equal: dict[Row, None] = {}
    minimized: dict[Row, None] = {}
    for var in group:
        if len(group) > 1:
            minimized[tuple(-inside for inside in domains[var].indicators(codes))] = None
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
                equal[_mask_irrelevant(live, codes, column, None)] = None
            else:
                least = column if sides == LESS else tuple(-x for x in column)
                minimized[_mask_irrelevant(live, codes, least, -FAR)] = None
    return list(equal), list(minimized)


def _mask_irrelevant(live: Domain | None, codes: Sequence[int], column: Row, other: int | None) -> Row:
    """Return a node's outcomes, replaced by `other` for values of a variable for which the node does not matter.

    Args:
        live: values for which the node matters; None for all.
        codes: the values of the variable.
        column: the node's outcome for each value, in the same order.
        other: the outcome to use instead for values outside `live`.
    """
    if live is None:
        return column
    return tuple(x if code in live else other for x, code in zip(column, codes, strict=True))
