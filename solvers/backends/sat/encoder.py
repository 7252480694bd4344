"""Encoding of conditions as literals and of integers as bits."""

from __future__ import annotations

from typing import assert_never

from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.backends.sat.gates import FALSE, TRUE, Gates
from planspec.solvers.backends.sat.numbers import Arithmetic, BitNumber
from planspec.solvers.ir import nodes as ir

ZERO = BitNumber(0)
DOMAIN = "domain:"
"""Prefix of the origins (names in proofs) of clauses that keep a variable in its domain: `domain:visits[2].start`."""


class ClauseEncoder:
    """Encoder of conditions and linear expressions as clauses. Each is encoded once.

    Attributes:
        formula: the clauses so far.
        encodings: binary encoding of each decision variable that has been encoded, by the variable's id.
    """

    def __init__(self) -> None:
        self.formula = Formula()
        self.encodings: dict[int, BitNumber] = {}
        self._gates = Gates(self.formula)
        self._arithmetic = Arithmetic(self._gates)
        self._literals: dict[ir.Bool, int] = {}
        self._atoms: dict[ir.Atom | ir.Linear, BitNumber] = {}

    def require(self, condition: ir.Bool, origin: str) -> None:
        """Add a condition that must hold.

        Args:
            condition: the condition.
            origin: name of the condition's clauses in proofs, such as the id of a constraint.
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
        distinct = {literal for literal in literals if literal != FALSE}
        if TRUE not in distinct and not any(-literal in distinct for literal in distinct):
            self.formula.origin = origin
            self.formula.add(*(sorted(distinct) or (FALSE,)))

    def literal(self, node: ir.Bool) -> int:
        """Return the literal that is true if and only if a condition holds."""
        cached = self._literals.get(node)
        if cached is None:
            tick()
            cached = self._literals[node] = self._literal(node)
        return cached

    def at_most(self, linear: ir.Linear, bound: int) -> int:
        """Return the literal that is true if and only if a linear expression does not exceed a bound."""
        return self._arithmetic.at_most(self.encode(linear), bound)

    def _literal(self, node: ir.Bool) -> int:
        match node:
            case ir.BooleanConstant(value=value):
                return TRUE if value else FALSE
            case ir.InDomain(var=var, domain=domain):
                return self._arithmetic.inside(self._encode_variable(var), domain)
            case ir.InTable(vars=vars, rows=rows):
                return self._arithmetic.in_table([self._encode_variable(var) for var in vars], rows)
            case ir.AtMostZero(linear=linear):
                return self._arithmetic.at_most(self.encode(linear), 0)
            case ir.IsZero(linear=linear):
                return self._arithmetic.equal(self.encode(linear), 0)
            case ir.And(items=items):
                return self._gates.all_of([self.literal(item) for item in items])
            case ir.Or(items=items):
                return self._gates.any_of([self.literal(item) for item in items])
            case ir.Negation(item=item):
                return -self.literal(item)
            case _:
                assert_never(node)

    def encode(self, linear: ir.Linear) -> BitNumber:
        """Return the binary encoding of the value of a linear expression."""
        cached = self._atoms.get(linear)
        if cached is None:
            terms = [(factor, self._atom(atom)) for atom, factor in linear.terms]
            cached = self._atoms[linear] = self._arithmetic.total(terms, linear.constant)
        return cached

    def _atom(self, atom: ir.Atom) -> BitNumber:
        if isinstance(atom, ir.IntVar):
            return self._encode_variable(atom)
        cached = self._atoms.get(atom)
        if cached is None:
            tick()
            cached = self._atoms[atom] = self._derived(atom)
        return cached

    def _derived(self, atom: ir.Tabled | ir.Indicator | ir.Select | ir.Extreme | ir.Quotient | ir.Product) -> BitNumber:
        match atom:
            case ir.Tabled(vars=vars, values=values, default=default):
                return self._arithmetic.tabled([self._encode_variable(var) for var in vars], values, default)
            case ir.Indicator(condition=condition):
                return BitNumber(0, (self.literal(condition),))
            case ir.Select(cases=cases):
                result = ZERO
                for guard, value in reversed(cases):
                    result = self._arithmetic.either(self.literal(guard), self.encode(value), result)
                return result
            case ir.Extreme():
                return self._extreme(atom)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                return self._arithmetic.quotient(self.encode(dividend), divisor)
            case ir.Product(left=left, right=right):
                return self._arithmetic.product(self.encode(left), self.encode(right))
            case _:
                assert_never(atom)

    def _extreme(self, atom: ir.Extreme) -> BitNumber:
        best, reached = ZERO, FALSE
        for guard, case in atom.cases:
            present, value = self.literal(guard), self.encode(case)
            better = self._arithmetic.less(best, value) if atom.greatest else self._arithmetic.less(value, best)
            taken = self._gates.all_of((present, self._gates.any_of((-reached, better))))
            best = self._arithmetic.either(taken, value, best)
            reached = self._gates.any_of((reached, present))
        return best

    def _encode_variable(self, var: ir.IntVar) -> BitNumber:
        """Return the binary encoding of a decision variable. At first use, its domain is added as clauses."""
        number = self.encodings.get(var.id)
        if number is None:
            width = (var.domain.high - var.domain.low).bit_length()
            bits = tuple(self.formula.variable() for _ in range(width))
            number = self.encodings[var.id] = BitNumber(var.domain.low, bits)
            self._clause([self._arithmetic.inside(number, var.domain)], DOMAIN + var.name)
        return number
