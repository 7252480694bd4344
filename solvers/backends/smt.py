"""The back end over Z3. Nodes become Z3 expressions. It shares no encoding code with the back end over CP-SAT."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias, assert_never

import z3

from planspec.dsl.resources.deadline import Deadline, tick
from planspec.errors import LimitReachedError
from planspec.solvers.backends.descent import descend
from planspec.solvers.backends.interruption import interruptible
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Backend
from planspec.solvers.backends.session import LimitedSession
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted

Expression: TypeAlias = Any  # z3 ships no types

EFFORT_UNIT = 1_000_000
"""Number of Z3's resource units (`rlimit`) in one unit of `Limits.effort`."""
SPARSE = 4
"""Maximum ratio of a domain's size to the number of its values in a table, for which all values are enumerated."""
SPLIT = 64
"""Maximum number of values of a factor for which a product becomes one linear case for each of these values."""


@dataclass(frozen=True, slots=True)
class Smt(Backend):
    """The back end over the SMT solver Z3, which is slower than CP-SAT and independent of it."""

    name = "smt"

    def open(self, problem: Problem, limits: Limits) -> SmtSession:
        """Open a session in which the problem's hard conditions hold, with limits on each call of `solve`."""
        return SmtSession(problem, limits)


class SmtSession(LimitedSession):
    """A session over one incremental Z3 solver. Its separate context isolates it from other sessions.

    Objectives are minimised by repeated queries, which improve the best value and the bound.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        super().__init__(problem, limits)
        self._context = z3.Context()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("ctrl_c", False)  # the caller decides what Ctrl-C means
        self._solver.set("random_seed", limits.seed)
        self._terms = _Terms(self._context, self._solver)
        self._switches: dict[ir.Bool | tuple[ir.Linear, int], tuple[Expression, str]] = {}
        self._checks = 0
        self._most_units = 0  # number of resource units at which a call of `solve` ends, if its effort is limited
        for rooted in problem.hard:
            self.add(rooted.condition)

    def add(self, condition: ir.Bool, origin: str = "") -> None:  # noqa: ARG002 - Z3 needs no name for it
        """Add a condition that must hold in all later calls of `solve`."""
        self._grow(lambda: self._solver.add(self._terms.truth(condition)))

    def _solve(
        self,
        assumptions: Sequence[Rooted],
        minimize: ir.Linear | None,
        hint: Mapping[int, int] | None,  # noqa: ARG002 - Z3 takes no hints
        deadline: Deadline,
    ) -> Outcome:
        started = time.perf_counter()
        origins: dict[str, str] = {}
        switches: list[Expression] = []
        for rooted in assumptions:
            switch, name = self._make_switch(rooted.condition, partial(self._terms.truth, rooted.condition))
            if name not in origins:
                origins[name] = rooted.origin
                switches.append(switch)
        before = self._checks
        resources = self._resource_units_used()
        self._most_units = resources + int((self.limits.effort or 0.0) * EFFORT_UNIT)
        answer = self._check(switches, deadline)
        status, objective, bound = Status.UNKNOWN, None, None
        values: Mapping[int, int] = {}
        core: tuple[str, ...] = ()
        if answer == z3.unsat:
            status = Status.INFEASIBLE
            core = tuple(origins[switch.decl().name()] for switch in self._solver.unsat_core())
        elif answer == z3.sat:
            status, values = Status.FEASIBLE, self._values()
            if minimize is not None:
                values, objective, bound = descend(
                    minimize, values, partial(self._search_at_most, minimize, switches, deadline)
                )
                status = Status.OPTIMAL if objective == bound else Status.FEASIBLE
        statistics = {"checks": self._checks - before}
        proved = status in (Status.INFEASIBLE, Status.OPTIMAL) or (minimize is None and bool(values))
        spent = self._resource_units_used() - resources
        reason = None if proved else deadline.reached or self.limits.effort_reason
        seconds = time.perf_counter() - started
        effort = spent / EFFORT_UNIT
        return Outcome(status, values, objective, bound, core, seconds, statistics, reason, effort)

    def _search_at_most(
        self, minimize: ir.Linear, switches: list[Expression], deadline: Deadline, target: int
    ) -> Mapping[int, int] | bool | None:
        """Return an assignment for which the expression `minimize` is at most `target` and the switches hold.

        Return False if there is none, and None if the query was not decided in time. Switches are Boolean variables
        that imply conditions (see `_make_switch`).
        """
        try:
            switch, _ = self._make_switch((minimize, target), partial(self._terms.at_most, minimize, target))
            answer = self._check([*switches, switch], deadline)
        except LimitReachedError:
            self.broken = True
            raise
        if answer == z3.sat:
            return self._values()
        return False if answer == z3.unsat else None

    def _make_switch(
        self, key: ir.Bool | tuple[ir.Linear, int], formula: Callable[[], Expression]
    ) -> tuple[Expression, str]:
        """Return a Boolean variable that implies a formula (a switch), and its name, for use as an assumption.

        Args:
            key: condition, or expression and bound, that identifies the formula in a cache.
            formula: function that builds the formula if it is not in the cache.
        """
        switch = self._switches.get(key)
        if switch is None:
            name = f"on{len(self._switches)}"
            switch = self._switches[key] = z3.Bool(name, self._context), name
            self._solver.add(z3.Implies(switch[0], formula()))
        return switch

    def _check(self, switches: list[Expression], deadline: Deadline) -> Expression:
        left = deadline.left
        if left == 0.0:
            return z3.unknown
        if left is not None:
            self._solver.set("timeout", max(1, int(left * 1000)))
        if self.limits.effort is not None:
            units = self._most_units - self._resource_units_used()
            if units <= 0:
                return z3.unknown
            self._solver.set("rlimit", units)
        self._checks += 1
        # the closure keeps the session alive, because no term may be freed while Z3 works
        answer, reason = interruptible(lambda: self._solver.check(*switches), self._context.interrupt, deadline)
        if reason is not None:
            self.broken = True  # Z3 may apply the interrupt of one call to the next
        return answer

    def _resource_units_used(self) -> int:
        """Return Z3's resource units (units of deterministic work) used so far.

        If effort is not limited, return 0, because reading the counter takes time.
        """
        if self.limits.effort is None:
            return 0
        statistics = self._solver.statistics()
        return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0  # noqa: SIM118

    def _values(self) -> dict[int, int]:
        model = self._solver.model()
        return {var.id: self._terms.value(model, var) for var in self._vars}


class _Terms:
    """Builder of Z3 terms for expressions and conditions. Each term is built once.

    The domain of a decision variable is asserted when the variable is first used.

    Frequent terms are built by Z3's function declarations. Its Python operators are slower, because they check and
    convert each operand.
    """

    def __init__(self, context: Expression, solver: Expression) -> None:
        self._context = context
        self._context_ref = context.ref()
        self._solver = solver
        self._numbers: dict[int, Expression] = {}
        self._zero = self._number(0)
        self._true = z3.BoolVal(True, context)
        self._false = z3.BoolVal(False, context)
        self._symbols: dict[int, Expression] = {}
        self._cache: dict[ir.Atom | ir.Bool, Expression] = {}
        self._products: dict[tuple[ir.Atom, int], Expression] = {}

    def value(self, model: Expression, var: ir.IntVar) -> int:
        """Return the value of a variable in a Z3 model, or the variable's minimum if the model has no value."""
        symbol = self._symbols.get(var.id)
        if symbol is None:
            return var.domain.low
        result = model.eval(symbol, model_completion=True)
        return int(z3.is_true(result)) if z3.is_bool(symbol) else int(result.as_long())

    def integer(self, linear: ir.Linear) -> Expression:
        """Return the Z3 term of a linear expression."""
        parts = [self._product_with(atom, c) for atom, c in linear.terms]
        if linear.constant or not parts:
            parts.append(self._number(linear.constant))
        return parts[0] if len(parts) == 1 else z3.ArithRef(self._joined(z3.Z3_mk_add, parts), self._context)

    def _product_with(self, atom: ir.Atom, factor: int) -> Expression:
        """Return the Z3 term of an atom times a number. All linear expressions with this product share the term."""
        product = self._products.get((atom, factor))
        if product is None:
            if isinstance(atom, ir.Indicator):
                product = self._if_then_else(self.truth(atom.condition), self._number(factor), self._zero)
            else:
                parts = [self._atom(atom), self._number(factor)]
                product = z3.ArithRef(self._joined(z3.Z3_mk_mul, parts), self._context)
            self._products[atom, factor] = product
        return product

    def at_most(self, linear: ir.Linear, bound: int) -> Expression:
        """Return the Z3 term of the condition that a linear expression does not exceed a bound."""
        return self._compared(z3.Z3_mk_le, self.integer(linear), bound)

    def truth(self, node: ir.Bool) -> Expression:
        """Return the Z3 term of a condition."""
        cached = self._cache.get(node)
        if cached is None:
            tick()
            cached = self._cache[node] = self._truth(node)
        return cached

    def _truth(self, node: ir.Bool) -> Expression:
        match node:
            case ir.BooleanConstant(value=value):
                return self._true if value else self._false
            case ir.InDomain(var=var, domain=domain):
                return self._is_in_domain(var, domain)
            case ir.InTable(vars=vars, rows=rows):
                return self._decision_tree(vars, dict.fromkeys(rows, self._true), self._false)
            case ir.AtMostZero(linear=linear):
                return self._compared(z3.Z3_mk_le, self.integer(linear), 0)
            case ir.IsZero(linear=linear):
                return self._compared(z3.Z3_mk_eq, self.integer(linear), 0)
            case ir.And(items=items):
                return self._join(z3.Z3_mk_and, [self.truth(item) for item in items])
            case ir.Or(items=items):
                return self._join(z3.Z3_mk_or, [self.truth(item) for item in items])
            case ir.Negation(item=item):
                return self._negated(self.truth(item))
            case _:
                assert_never(node)

    def _number(self, value: int) -> Expression:
        term = self._numbers.get(value)
        if term is None:
            term = self._numbers[value] = z3.IntVal(value, self._context)
        return term

    def _compared(self, function: Expression, term: Expression, number: int) -> Expression:
        """Compare a Z3 term with a number by `function`, which is a comparison of Z3's C API such as `Z3_mk_le`."""
        return z3.BoolRef(function(self._context_ref, term.ast, self._number(number).ast), self._context)

    def _negated(self, condition: Expression) -> Expression:
        return z3.BoolRef(z3.Z3_mk_not(self._context_ref, condition.ast), self._context)

    def _if_then_else(self, condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        """Return a Z3 if-then-else term. The branches are both Boolean or both integer."""
        term = z3.Z3_mk_ite(self._context_ref, condition.ast, then.ast, otherwise.ast)
        return (z3.BoolRef if z3.is_bool(then) else z3.ArithRef)(term, self._context)

    def _join(self, function: Expression, items: Sequence[Expression]) -> Expression:
        """Join conditions by `function`, which is `Z3_mk_and` or `Z3_mk_or` of Z3's C API.

        Unlike `z3.And`, this method skips the slow check of each condition.
        """
        return z3.BoolRef(self._joined(function, items), self._context)

    def _joined(self, function: Expression, items: Sequence[Expression]) -> Expression:
        array = (z3.Ast * len(items))(*(item.ast for item in items))
        return function(self._context_ref, len(items), array)

    def _atom(self, atom: ir.Atom) -> Expression:
        cached = self._cache.get(atom)
        if cached is None:
            tick()
            cached = self._cache[atom] = self._integer(atom)
        return cached

    def _integer(self, atom: ir.Atom) -> Expression:
        match atom:
            case ir.IntVar():
                symbol = self._symbol(atom)
                return self._if_then_else(symbol, self._number(1), self._zero) if z3.is_bool(symbol) else symbol
            case ir.Tabled(vars=vars, values=values, default=default):
                leaves = {row: self._number(value) for row, value in values.items()}
                return self._decision_tree(vars, leaves, self._number(default))
            case ir.Indicator(condition=condition):
                return self._if_then_else(self.truth(condition), self._number(1), self._zero)
            case ir.Select(cases=cases):
                chosen = self._zero
                for guard, value in reversed(cases):
                    chosen = self._if_then_else(self.truth(guard), self.integer(value), chosen)
                return chosen
            case ir.Extreme():
                return self._extreme(atom)
            case ir.Quotient(dividend=dividend, divisor=divisor):
                return self.integer(dividend) / divisor  # Z3's division is floor if the divisor is positive
            case ir.Product(left=left, right=right):
                return self._product(left, right)
            case _:
                assert_never(atom)

    def _extreme(self, atom: ir.Extreme) -> Expression:
        best, reached = self._zero, self._false
        for guard, case in atom.cases:
            on, value = self.truth(guard), self.integer(case)
            better = value > best if atom.greatest else value < best
            best = z3.If(z3.And(on, z3.Or(z3.Not(reached), better)), value, best)
            reached = z3.Or(reached, on)
        return best

    def _product(self, left: ir.Linear, right: ir.Linear) -> Expression:
        if left.high - left.low > right.high - right.low:
            left, right = right, left
        by, factor = self.integer(left), self.integer(right)
        if left.high - left.low >= SPLIT:
            return by * factor
        result = factor * left.low
        for value in range(left.low + 1, left.high + 1):
            result = z3.If(by == value, factor * value, result)
        return result

    # -- values -----------------------------------------------------------------------------------

    def _symbol(self, var: ir.IntVar) -> Expression:
        symbol = self._symbols.get(var.id)
        if symbol is None:
            name, domain = f"x{var.id}", var.domain
            if (domain.low, domain.high) == (0, 1):
                symbol = self._symbols[var.id] = z3.Bool(name, self._context)
            else:
                symbol = self._symbols[var.id] = z3.Int(name, self._context)
                self._solver.add(symbol >= domain.low, symbol <= domain.high)
                if len(domain.intervals) > 1:
                    self._solver.add(self._is_in_domain(var, domain))
        return symbol

    def _is_in_domain(self, var: ir.IntVar, domain: Domain) -> Expression:
        symbol = self._symbol(var)
        if z3.is_bool(symbol):
            return symbol if domain.low == 1 else self._negated(symbol)
        parts = []
        for low, high in domain.intervals:
            if low == high:
                parts.append(self._compared(z3.Z3_mk_eq, symbol, low))
            else:
                ends = [self._compared(z3.Z3_mk_ge, symbol, low)] if low > var.domain.low else []
                ends += [self._compared(z3.Z3_mk_le, symbol, high)] if high < var.domain.high else []
                parts.append(ends[0] if len(ends) == 1 else self._join(z3.Z3_mk_and, ends))
        return parts[0] if len(parts) == 1 else self._join(z3.Z3_mk_or, parts)

    def _decision_tree(
        self,
        variables: tuple[ir.IntVar, ...],
        leaves: Mapping[tuple[int, ...], Expression],
        other: Expression,
    ) -> Expression:
        """Return a Z3 term for a table: the leaf for the variables' values, or `other` if there is no such leaf.

        The term decides one variable after the other, each by a balanced tree of comparisons.

        Args:
            variables: the variables by whose values the table is read.
            leaves: the table: the term of the result for each tuple of values.
            other: the term of the result for all other tuples.
        """
        if not leaves:
            return other
        if not variables:
            return leaves[()]
        tick()
        by_code: dict[int, dict[tuple[int, ...], Expression]] = {}
        for (code, *rest), leaf in leaves.items():
            by_code.setdefault(code, {})[tuple(rest)] = leaf
        runs: list[tuple[int, Expression]] = []  # last value and result of each run of values with equal results
        for code in _codes(variables[0].domain, by_code):
            result = self._decision_tree(variables[1:], by_code.get(code, {}), other)
            if runs and (runs[-1][1] is result or runs[-1][1].eq(result)):
                runs[-1] = (code, result)
            else:
                runs.append((code, result))
        return self._comparison_tree(self._atom(variables[0]), runs)

    def _comparison_tree(self, code: Expression, runs: list[tuple[int, Expression]]) -> Expression:
        if len(runs) == 1:
            return runs[0][1]
        middle = len(runs) // 2
        lower, upper = self._comparison_tree(code, runs[:middle]), self._comparison_tree(code, runs[middle:])
        return self._if_then_else(self._compared(z3.Z3_mk_le, code, runs[middle - 1][0]), lower, upper)


def _codes(domain: Domain, listed: Iterable[int]) -> Iterable[int]:
    """Return values of a domain, in order, that suffice to distinguish the listed values from all others.

    These are all values; or, if the domain is much larger than `listed`, the listed values and the last value of each
    gap between them.
    """
    codes = sorted(code for code in listed if domain.low <= code <= domain.high)
    if domain.size <= SPARSE * len(codes):
        return domain
    ends = [end for a, b in pairwise((domain.low - 1, *codes)) for end in ((b - 1, b) if a < b - 1 else (b,))]
    return ends if codes and codes[-1] == domain.high else (*ends, domain.high)
