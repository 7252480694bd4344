"""Detection of all-different constraints: pairs of variables that must differ are merged into cliques.

`all_different(x for ... if ...)` is lowered to one clause for each pair: the two variables differ, or one of them is
exempt. An exemption is a membership, such as `mode in {walk}`. In a clique of such clauses, at most one variable that
is not exempt takes each value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.cpsat.columns import EXACT, Columns, Literal
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import Domain

VariablePair: TypeAlias = tuple[ir.IntVar, ir.IntVar]

MAX_VALUES = 5_000
"""Maximum size of a domain in a clique. Pairs of variables with larger domains stay clauses."""


@dataclass(slots=True)
class Disequalities:
    """Pairs of variables that must differ, extracted from conditions, and the remaining conditions.

    A pair may have exemptions: memberships such as `mode in {walk}`, under which the variables may be equal.

    Attributes:
        always: for each variable, the variables from which it must differ without exemption.
        rest: conditions of other forms, to be added to the model unchanged.
    """

    always: dict[ir.IntVar, dict[ir.IntVar, None]] = field(default_factory=dict)
    rest: list[ir.Bool] = field(default_factory=list)
    _clauses: dict[VariablePair, tuple[ir.Bool, frozenset[ir.InDomain]]] = field(default_factory=dict)
    _implied_values: dict[tuple[ir.IntVar, ir.IntVar], tuple[Domain, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[ir.Bool]) -> Disequalities:
        """Sort conditions that must hold into those by which two variables must differ and all others."""
        result = cls()
        for part in parts:
            tick()
            pair = _unconditional_pair(part)
            clause = _conditional_pair(part) if pair is None else None
            if pair is not None:
                for one, other in (pair, pair[::-1]):
                    result.always.setdefault(one, {})[other] = None
            elif clause is not None and clause[0] not in result._clauses:
                result._clauses[clause[0]] = part, clause[1]
            else:
                result._record_implied_value(part)
                result.rest.append(part)
        return result

    def _record_implied_value(self, part: ir.Bool) -> None:
        """Record a value that a variable has under a condition: `p in D or x == v` implies x = v if p is not in D.

        Conditions of other forms are ignored.
        """
        if isinstance(part, ir.Or) and len(part.items) == 2 and all(isinstance(x, ir.InDomain) for x in part.items):
            for a, b in (part.items, part.items[::-1]):
                assert isinstance(a, ir.InDomain) and isinstance(b, ir.InDomain)
                if b.domain.size == 1:
                    self._implied_values[a.var, b.var] = a.domain, b.domain.low

    def cliques(self) -> Iterator[list[ir.IntVar]]:
        """Yield sets of variables that must pairwise differ without exemption. Each such pair is in exactly one set."""
        return cliques(self.always)

    def post(self, columns: Columns) -> list[ir.Bool]:
        """Add a constraint to the model for each clique of variables that must differ unless they are exempt.

        An exemption is a membership such as `mode in {walk}`. Return the conditions on pairs that are not in such a
        clique; the caller adds them.
        """
        rest: list[ir.Bool] = []
        graph: dict[ir.IntVar, dict[ir.IntVar, None]] = {}
        exemptions = self._common_exemptions()
        for pair, (condition, allowed) in self._clauses.items():
            one, other = pair
            fits = one in exemptions and other in exemptions and allowed == exemptions[one] | exemptions[other]
            if fits and columns.domain(one).size <= MAX_VALUES and columns.domain(other).size <= MAX_VALUES:
                graph.setdefault(one, {})[other] = None
                graph.setdefault(other, {})[one] = None
            else:
                rest.append(condition)
        for clique in cliques(graph):
            if len(clique) == 2:
                rest.append(self._clauses[_ordered_pair(*clique)][0])
            else:
                self._at_most_once(clique, exemptions, columns)
        return rest

    def _common_exemptions(self) -> dict[ir.IntVar, frozenset[ir.InDomain]]:
        """Return the memberships, such as `mode in {walk}`, that exempt each variable in all its clauses.

        A clause says that two variables differ or one of some memberships holds. A membership of one of the two
        variables exempts only that variable. Variables in a single clause are left out.
        """
        shared: dict[ir.IntVar, frozenset[ir.InDomain]] = {}
        clauses: dict[ir.IntVar, int] = {}
        for pair, (_, allowed) in self._clauses.items():
            for var in pair:
                own = frozenset(x for x in allowed if x.var not in pair or x.var is var)
                shared[var] = shared[var] & own if var in shared else own
                clauses[var] = clauses.get(var, 0) + 1
        return {var: memberships for var, memberships in shared.items() if clauses[var] > 1}

    def _at_most_once(
        self, clique: Sequence[ir.IntVar], exemptions: dict[ir.IntVar, frozenset[ir.InDomain]], columns: Columns
    ) -> None:
        """Require for each value that at most one variable of a clique takes it, not counting exempt variables.

        `exemptions` are the memberships, such as `mode in {walk}`, under which a variable is exempt.
        """
        uses: dict[int, list[Literal]] = {}
        for var in clique:
            for value in columns.domain(var):
                used = self._counts_with_value(var, value, exemptions[var], columns)
                if used is not None:
                    uses.setdefault(value, []).append(used)
        for literals in uses.values():
            if len(literals) > 1:
                columns.model.add_at_most_one(literals)

    def _counts_with_value(
        self, var: ir.IntVar, value: int, exemptions: frozenset[ir.InDomain], columns: Columns
    ) -> Literal | None:
        """Return a literal that holds if the variable has the value and must differ from the others (is not exempt).

        It is exempt if one of the memberships in `exemptions`, such as `mode in {walk}`, holds. Return None if it is
        always exempt with that value.
        """
        others: list[Literal] = []
        for exemption in sorted(exemptions, key=lambda x: x.var.id):
            if exemption.var is var:
                if value in exemption.domain:
                    return None
                continue
            implied = self._implied_values.get((exemption.var, var))
            if implied is None or implied[1] == value or (exemption.var.domain - exemption.domain) != implied[0]:
                others.append(columns.member(exemption.var, exemption.domain, EXACT))
        cell = columns.cell(var, value)
        if not others:
            return cell
        literal = columns.model.new_bool_var("")
        columns.clause((literal, ~cell, *others), ())
        return literal


def _unconditional_pair(node: ir.Bool) -> tuple[ir.IntVar, ir.IntVar] | None:
    """Return the two variables of a condition `x != y`; None for any other condition."""
    if isinstance(node, ir.Negation) and isinstance(node.item, ir.IsZero) and not node.item.linear.constant:
        match node.item.linear.terms:
            case ((ir.IntVar() as one, 1), (ir.IntVar() as other, -1)):
                return one, other
    return None


def _ordered_pair(one: ir.IntVar, other: ir.IntVar) -> VariablePair:
    """Return a pair of variables in the order of their ids, so that results do not differ between runs."""
    return (one, other) if one.id < other.id else (other, one)


def _conditional_pair(node: ir.Bool) -> tuple[VariablePair, frozenset[ir.InDomain]] | None:
    """Return the two variables of a condition "they differ, or a membership holds", and its memberships.

    Return None for a condition of any other form.
    """
    if not isinstance(node, ir.Or):
        return None
    pairs = [pair for item in node.items if (pair := _unconditional_pair(item)) is not None]
    others = [item for item in node.items if isinstance(item, ir.InDomain)]
    if len(pairs) != 1 or len(others) + 1 != len(node.items):
        return None
    return _ordered_pair(*pairs[0]), frozenset(others)


def cliques(graph: dict[ir.IntVar, dict[ir.IntVar, None]]) -> Iterator[list[ir.IntVar]]:
    """Yield cliques of at least two variables that cover every edge of a graph exactly once.

    The search is greedy, in the order of the edges. It removes all edges from `graph`.
    """
    for first, neighbours in graph.items():
        while neighbours:
            clique = [first]
            for other in neighbours:
                tick()
                if all(other in graph[member] for member in clique):
                    clique.append(other)
            for one in clique:
                for other in clique:
                    graph[one].pop(other, None)
            yield clique
