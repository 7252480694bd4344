"""Nodes as literals and numbers over bits: one case for each kind of node."""

from __future__ import annotations

from typing import assert_never

from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.backends.sat.gates import FALSE, TRUE, Gates
from planspec.solvers.backends.sat.numbers import Arithmetic, Number
from planspec.solvers.ir import nodes as ir

ZERO = Number(0)
DOMAIN = "domain:"
"""The beginning of the origin of what says that a variable is in its domain, such as `domain:visits[2].start`."""


class Encoder:
    """The clauses of a problem's nodes, each encoded once.

    Attributes:
        formula: what has been encoded so far.
        numbers: of each variable that was met, by its id.
    """

    def __init__(self) -> None:
        self.formula = Formula()
        self.numbers: dict[int, Number] = {}
        self._gates = Gates(self.formula)
        self._arithmetic = Arithmetic(self._gates)
        self._literals: dict[ir.Bool, int] = {}
        self._atoms: dict[ir.Atom | ir.Linear, Number] = {}

    def require(self, condition: ir.Bool, origin: str) -> None:
        """A condition that must hold.

        Args:
            condition: any node.
            origin: of the clauses that say so.
        """
        match condition:
            case ir.And(items=items):
                for item in items:
                    self.require(item, origin)
            case ir.Or(items=items):
                self._clause([self.literal(item) for item in items], origin)
            case ir.Negation(item=ir.And(items=items)):
                self._clause([-self.literal(item) for item in items], origin)
            case ir.Negation(item=ir.Or(items=items)):
                for item in items:
                    self._clause([-self.literal(item)], origin)
            case _:
                self._clause([self.literal(condition)], origin)

    def _clause(self, literals: list[int], origin: str) -> None:
        kept = {literal for literal in literals if literal != FALSE}
        if TRUE not in kept and not any(-literal in kept for literal in kept):
            self.formula.origin = origin
            self.formula.add(*(sorted(kept) or (FALSE,)))

    def literal(self, node: ir.Bool) -> int:
        """The literal that holds if a condition does."""
        made = self._literals.get(node)
        if made is None:
            tick()
            made = self._literals[node] = self._literal(node)
        return made

    def at_most(self, linear: ir.Linear, bound: int) -> int:
        """The literal that holds if a linear form does not pass a bound."""
        return self._arithmetic.at_most(self.number(linear), bound)

    def _literal(self, node: ir.Bool) -> int:
        match node:
            case ir.BooleanConstant(value=value):
                return TRUE if value else FALSE
            case ir.InDomain(var=var, domain=domain):
                return self._arithmetic.inside(self._variable(var), domain)
            case ir.InTable(vars=vars, rows=rows):
                return self._arithmetic.in_table([self._variable(var) for var in vars], rows)
            case ir.AtMostZero(linear=linear):
                return self._arithmetic.at_most(self.number(linear), 0)
            case ir.IsZero(linear=linear):
                return self._arithmetic.equal(self.number(linear), 0)
            case ir.And(items=items):
                return self._gates.all_of([self.literal(item) for item in items])
            case ir.Or(items=items):
                return self._gates.any_of([self.literal(item) for item in items])
            case ir.Negation(item=item):
                return -self.literal(item)
            case _:
                assert_never(node)

    def number(self, linear: ir.Linear) -> Number:
        """A linear form's number."""
        made = self._atoms.get(linear)
        if made is None:
            terms = [(factor, self._atom(atom)) for atom, factor in linear.terms]
            made = self._atoms[linear] = self._arithmetic.total(terms, linear.constant)
        return made

    def _atom(self, atom: ir.Atom) -> Number:
        if isinstance(atom, ir.IntVar):
            return self._variable(atom)
        made = self._atoms.get(atom)
        if made is None:
            tick()
            made = self._atoms[atom] = self._derived(atom)
        return made

    def _derived(
        self, atom: ir.Tabled | ir.Indicator | ir.Select | ir.Extreme | ir.Quotient | ir.Product
    ) -> Number:
        match atom:
            case ir.Tabled(vars=vars, values=values, default=default):
                return self._arithmetic.tabled([self._variable(var) for var in vars], values, default)
            case ir.Indicator(condition=condition):
                return Number(0, (self.literal(condition),))
            case ir.Select(cases=cases):
                made = ZERO
                for guard, value in reversed(cases):
                    made = self._arithmetic.either(self.literal(guard), self.number(value), made)
                return made
            case ir.Extreme():
                return self._extreme(atom)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                return self._arithmetic.quotient(self.number(dividend), divisor)
            case ir.Product(left=left, right=right):
                return self._arithmetic.product(self.number(left), self.number(right))
            case _:
                assert_never(atom)

    def _extreme(self, atom: ir.Extreme) -> Number:
        best, reached = ZERO, FALSE
        for guard, case in atom.cases:
            there, value = self.literal(guard), self.number(case)
            better = (
                self._arithmetic.less(best, value) if atom.greatest else self._arithmetic.less(value, best)
            )
            taken = self._gates.all_of((there, self._gates.any_of((-reached, better))))
            best = self._arithmetic.either(taken, value, best)
            reached = self._gates.any_of((reached, there))
        return best

    def _variable(self, var: ir.IntVar) -> Number:
        """A variable's number; that it is in its domain must hold from now on."""
        made = self.numbers.get(var.id)
        if made is None:
            width = (var.domain.high - var.domain.low).bit_length()
            bits = tuple(self.formula.variable() for _ in range(width))
            made = self.numbers[var.id] = Number(var.domain.low, bits)
            self._clause([self._arithmetic.inside(made, var.domain)], DOMAIN + var.name)
        return made
