"""The reduction "symmetry": interchangeable rows of the plan are searched in one order only.

Rows of a table are interchangeable if exchanging two of them, with all their fields, preserves the problem (see
`automorphisms`). Sorting such rows makes no assignment worse. The rows are therefore required to be sorted by presence,
then by fields. This changes the number of assignments, but not whether there is one, nor the best value.

No variable belongs to two groups of rows, so the groups can be sorted independently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.problem import Problem, Rooted, RowVars
from planspec.solvers.reductions.automorphisms import Images, MeaningGraph
from planspec.solvers.reductions.reads import Leaf, Reads, VariableReads

NAME = "symmetry"
MAX_NODES = 100_000
"""Maximum number of nodes in a problem to which symmetry breaking is applied."""
MAX_VISITS = 200_000
"""Maximum number of nodes that are visited to test whether rows are interchangeable."""
MAX_GROUPS = 8
"""Maximum number of groups of interchangeable rows with which a further row of the table is compared."""
MAX_RANK_VALUES = 1 << 30
"""Maximum number of values of the sum by which rows are sorted. Fields that would exceed it are left out."""

_Row: TypeAlias = tuple[ir.IntVar, ...]
"""The decision variables of a row of the plan, in the order in which interchangeable rows are compared."""


def sort_rows(problem: Problem, reads: Reads = VariableReads.of) -> Problem:
    """Return the problem with conditions that sort interchangeable rows, or the same problem if there are none.

    Problems without objectives are returned unchanged, because a first assignment is found sooner without an order.
    """
    if not problem.objectives and not problem.soft:
        return problem
    candidates = list(_candidates(problem, reads))
    if not candidates:
        return problem
    graph = MeaningGraph(problem, MAX_NODES)
    if not graph.is_complete:
        return problem
    groups = [group for rows in candidates for group in _groups(rows, graph)]
    if not groups:
        return problem
    hard = [*problem.hard]
    for group in groups:
        ranks = [_rank(problem, row) for row in group]
        hard += (
            Rooted(problem.model.at_most_zero(problem.model.minus(one, other)), f"reduction:{NAME}")
            for one, other in pairwise(ranks)
        )
    return replace(problem, hard=hard, reductions=(*problem.reductions, NAME))


def _candidates(problem: Problem, reads_of: Reads) -> Iterator[list[_Row]]:
    """Yield groups of rows that may be interchangeable: equal constant fields, and similar uses of their variables.

    Optional rows may differ in key columns of whole numbers, because these are often mere row numbers. Required rows
    must have equal numbers there, because these mostly are positions.
    """
    owners = Counter(var for row in problem.rows for var in _variables(row))
    alike: dict[tuple[object, ...], list[_Row]] = {}
    for row in problem.rows:
        variables = _variables(row)
        if variables and all(owners[var] == 1 for var in variables):
            numbers = frozenset[str]() if row.present is ir.TRUE else row.numbers
            fixed = tuple(
                (name, code.constant) for name, code in row.fields.items() if code.is_constant and name not in numbers
            )
            alike.setdefault((row.table, fixed, *(var.domain for var in variables)), []).append(variables)
    if all(len(rows) == 1 for rows in alike.values()):
        return
    reads = reads_of(problem)
    for rows in alike.values():
        by_reads: dict[tuple[object, ...], list[_Row]] = {}
        for each in rows if len(rows) > 1 else ():
            by_reads.setdefault(tuple(_summary(var, reads) for var in each), []).append(each)
        yield from (group for group in by_reads.values() if len(group) > 1)


def _variables(row: RowVars) -> tuple[ir.IntVar, ...]:
    """Return the decision variables of a row of the plan: first that of its presence, then those of its fields."""
    found: dict[ir.IntVar, None] = {}
    if isinstance(row.present, ir.InDomain):
        found[row.present.var] = None
    for code in row.fields.values():
        for atom, _ in code.terms:
            if isinstance(atom, ir.IntVar):
                found[atom] = None
            elif isinstance(atom, ir.Indicator) and isinstance(atom.condition, ir.InDomain):
                found[atom.condition.var] = None
    return tuple(found)


def _summary(var: ir.IntVar, reads: VariableReads) -> tuple[object, ...]:
    """Return a hashable description of the nodes that read a variable. It is equal for interchangeable variables."""
    kinds = Counter((type(each.leaf), each.sides, _invariant(each.leaf)) for each in reads.readings.get(var, ()))
    equalities = reads.equalities.get(var, {})
    return frozenset(kinds.items()), len(equalities)


def _invariant(leaf: Leaf) -> object:
    """Return a property of a node that does not change if its variables are exchanged.

    It is the domain of a membership, or the size (and bounds) of a table.
    """
    match leaf:
        case ir.InDomain(domain=domain):
            return domain
        case ir.InTable(rows=rows):
            return len(rows)
        case ir.Tabled(values=values, low=low, high=high):
            return len(values), low, high
    return None


def _groups(rows: Sequence[_Row], graph: MeaningGraph) -> list[list[_Row]]:
    """Return the groups of two or more interchangeable rows among `rows`."""
    groups: list[list[_Row]] = []
    for row in rows:
        for group in groups[: -MAX_GROUPS - 1 : -1]:
            if graph.visits > MAX_VISITS:
                break
            if graph.is_automorphism(_exchange(group[-1], row)):
                group.append(row)
                break
        else:
            groups.append([row])
    return [group for group in groups if len(group) > 1]


def _exchange(one: _Row, other: _Row) -> Images:
    """Return the permutation that exchanges the variables of two rows."""
    return {a: b for x, y in zip(one, other, strict=True) for a, b in ((x, y), (y, x))}


def _rank(problem: Problem, row: _Row) -> ir.Linear:
    """Return a sum by which interchangeable rows are sorted: present rows first, then by fields."""
    model = problem.model
    rank, width = model.constant(0), 1
    for var in row:
        extent = var.domain.high - var.domain.low + 1
        if width > 1 and width * extent > MAX_RANK_VALUES:
            break
        width *= extent
        code = model.of(var)
        if rank.is_constant and var.domain.low == 0 and var.domain.high == 1:  # present rows first
            code = model.scale(code, -1)
        rank = model.plus(model.scale(rank, extent), code)
    return rank
