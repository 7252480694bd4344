"""CP-SAT constraints on the values of decision variables: domains, memberships and tables.

The proxy of a node is the CP-SAT literal that represents a condition, or the CP-SAT variable that represents an
integer. A proxy is valid on one side or on both. BELOW means `proxy <= node`, so a literal implies its condition. ABOVE
means `proxy >= node`, so a condition implies its literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeAlias

from ortools.sat.python import cp_model as cp

from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.domain import Domain

Literal: TypeAlias = cp.BoolVarT
Literals: TypeAlias = tuple[Literal, ...]
Affine: TypeAlias = tuple[Literal, int, int]  # a variable or literal, its coefficient and a constant

BELOW, ABOVE, EXACT = 1, 2, 3
"""Sides (bits) on which a CP-SAT variable (proxy) must be valid for the node for which it stands.

BELOW means `proxy <= node`, ABOVE means `proxy >= node`, and EXACT means both. For a condition, BELOW means that the
literal implies the condition.
"""

PRODUCT_ROWS = 20_000
"""Maximum number of combinations of values for which a function given as a table becomes one table constraint.

Functions with more combinations become sums over the listed ones.
"""

OTHER_ROWS = 200
"""Maximum number of combinations that an `InTable` forbids, if one constraint lists all combinations."""

_ZERO = cp.Domain(0, 0)


class _Model(cp.CpModel):
    """A CP-SAT model without the deprecated aliases of its methods.

    Adding these aliases to each new model takes longer than building a small model.
    """

    def _add_pre_pep8_methods(self) -> None:
        pass


class Columns:
    """The CP-SAT variables of the decision variables of a problem, with literals and tables over their values.

    Attributes:
        model: the CP-SAT model. Constraints are added, but never removed.
        proxies: CP-SAT variable of each decision variable that has been used, by the id of the decision variable.
        one_sided: whether a CP-SAT variable for the value of a function of one variable is bounded only on the
            requested sides (from above or below). `post_functions` makes all such variables exact.
    """

    def __init__(self) -> None:
        self.model: cp.CpModel = _Model()
        self.proxies: dict[int, cp.IntVar] = {}
        self._domains: dict[int, Domain] = {}
        self._members: dict[tuple[int, Domain], Literal] = {}
        self._sides: dict[tuple[int, Domain], int] = {}
        self._cells: dict[tuple[int, int], Literal] = {}
        self._functions: dict[ir.Tabled, Affine] = {}
        self.one_sided = False
        self._one_sided_functions: dict[ir.Tabled, tuple[cp.IntVar, int]] = {}
        self._true: cp.IntVar | None = None
        self._possible_parts: dict[tuple[Domain, Domain], Domain] = {}

    # -- domains ----------------------------------------------------------------------------------

    def domain(self, var: ir.IntVar) -> Domain:
        """Return the domain of a decision variable, as narrowed so far.

        It is never empty, and does not change once the CP-SAT model has the variable.
        """
        return self._domains.get(var.id, var.domain)

    def narrow(self, condition: ir.Bool) -> None:
        """Narrow the domains of variables by a condition that must hold, if it is or contains `x in {...}`.

        Variables that already exist in the CP-SAT model keep their domains.
        """
        match condition:
            case ir.InDomain(var=var, domain=domain):
                narrowed = self.domain(var) & domain
                if narrowed.intervals and var.id not in self.proxies:
                    self._domains[var.id] = narrowed
            case ir.And(items=items):
                for item in items:
                    self.narrow(item)
            case _:
                pass

    def var(self, var: ir.IntVar) -> cp.IntVar:
        """Return the CP-SAT variable of a decision variable."""
        proxy = self.proxies.get(var.id)
        if proxy is None:
            tick()
            proxy = self.proxies[var.id] = self.model.new_int_var_from_domain(cp_domain(self.domain(var)), "")
        return proxy

    def _possible_part(self, var: ir.IntVar, domain: Domain) -> Domain:
        """Return the part of `domain` that the variable can take. Results are cached."""
        key = (self.domain(var), domain)
        possible = self._possible_parts.get(key)
        if possible is None:
            possible = self._possible_parts[key] = domain & key[0]
        return possible

    def within(self, var: ir.IntVar, domain: Domain, under: Literals) -> None:
        """Require that `var` is in `domain` whenever all literals in `under` hold."""
        possible = self._possible_part(var, domain)
        if not possible.intervals:
            self.clause((), under)
        elif possible != self.domain(var):
            constraint = self.model.add_linear_expression_in_domain(self.var(var), cp_domain(possible))
            if under:
                constraint.only_enforce_if(list(under))

    # -- literals ---------------------------------------------------------------------------------

    def true(self) -> Literal:
        """Return a literal that is always true."""
        if self._true is None:
            self._true = self.model.new_constant(1)
        return self._true

    def clause(self, literals: Iterable[Literal], under: Literals) -> None:
        """Require that at least one of `literals` holds whenever all literals in `under` hold."""
        self.model.add_bool_or([*literals, *(~literal for literal in under)])

    def member(self, var: ir.IntVar, domain: Domain, sides: int) -> Literal:
        """Return a literal that implies `var in domain` (BELOW), is implied by it (ABOVE), or is equivalent (EXACT).

        `var in domain` and `var not in domain` share one Boolean variable.

        Args:
            var: the decision variable.
            domain: the values.
            sides: BELOW, ABOVE or EXACT.
        """
        if domain.size == 1:
            return self.cell(var, domain.low)
        all_values = self.domain(var)
        inside = self._possible_part(var, domain)
        if not inside.intervals:
            return ~self.true()
        if inside == all_values:
            return self.true()
        if inside.size == 1:
            return self.cell(var, inside.low)
        if inside.size + 1 == all_values.size:
            return ~self.cell(var, (all_values - inside).low)
        key = (var.id, inside)
        literal = self._members.get(key)
        if literal is None:
            tick()
            literal = self._members[key] = self.model.new_bool_var("")
            outside = all_values - inside
            self._members[var.id, outside] = ~literal
            if inside.high < outside.low or outside.high < inside.low:
                sides = EXACT  # CP-SAT has its own literals for values and bounds, and merges exact literals with them
        valid_sides = self._sides.get(key, 0)
        missing_sides = sides & ~valid_sides
        if missing_sides:
            outside = all_values - inside
            self._sides[key] = valid_sides | sides
            self._sides[var.id, outside] = opposite(valid_sides | sides)
            if missing_sides & BELOW:
                self.within(var, inside, (literal,))
            if missing_sides & ABOVE:
                self.within(var, outside, (~literal,))
        return literal

    def cell(self, var: ir.IntVar, value: int) -> Literal:
        """Return a literal that holds if and only if `var == value`."""
        all_values = self.domain(var)
        if value not in all_values:
            return ~self.true()
        if all_values.size == 1:
            return self.true()
        if all_values.low == 0 and all_values.high == 1:
            return self.var(var) if value == 1 else ~self.var(var)
        if all_values.size == 2 and value == all_values.low:
            return ~self.cell(var, all_values.high)
        literal = self._cells.get((var.id, value))
        if literal is None:
            tick()
            literal = self._cells[var.id, value] = self.model.new_bool_var("")
            only, proxy = cp.Domain(value, value), self.var(var)
            # the opposite implication follows from the variable's domain; stating it for each value would be quadratic
            self.model.add_linear_expression_in_domain(proxy, only).only_enforce_if(literal)
            self.model.add_linear_expression_in_domain(proxy, only.complement()).only_enforce_if(~literal)
        return literal

    def cells(self, variables: tuple[ir.IntVar, ...], row: tuple[int, ...]) -> list[Literal]:
        """Return a literal for each variable that holds if and only if the variable has its value in `row`."""
        return [self.cell(var, code) for var, code in zip(variables, row, strict=True)]

    # -- tables -----------------------------------------------------------------------------------

    def table(self, node: ir.InTable, truth: bool, under: Literals) -> None:
        """Require a condition of the form "the variables' values are one of these tuples", or its negation.

        Args:
            node: the condition.
            truth: whether the condition must hold; if False, its negation must hold.
            under: literals. The requirement applies whenever all of them hold.
        """
        rows = sorted(node.rows)
        if not under:
            columns = [self.var(var) for var in node.vars]
            post = self.model.add_allowed_assignments if truth else self.model.add_forbidden_assignments
            post(columns, rows)
        elif not truth:
            for row in rows:
                self.clause((~cell for cell in self.cells(node.vars, row)), under)
        elif len(node.vars) == 2:
            first, second = node.vars  # each value of `first` limits `second` to its supports
            supports: dict[int, list[int]] = {}
            for a, b in rows:
                supports.setdefault(a, []).append(b)
            self.within(first, Domain.of(supports), under)
            for a, partners in supports.items():
                self.within(second, Domain.of(partners), (*under, *self.cells((first,), (a,))))
        else:
            row_literals: list[Literal] = []
            for row in rows:
                row_literal = self.model.new_bool_var("")
                self.model.add_bool_and(self.cells(node.vars, row)).only_enforce_if(row_literal)
                row_literals.append(row_literal)
            self.clause(row_literals, under)

    def tabulate(self, node: ir.InTable, literal: Literal) -> bool:
        """Make a literal equivalent to "the variables' values are one of these tuples", by listing all combinations.

        Return True. If too many combinations are not among the tuples (see `OTHER_ROWS`), do nothing and return False.
        """
        domains = [self.domain(var) for var in node.vars]
        if _size(domains) > len(node.rows) + OTHER_ROWS or len(set(node.vars)) < len(node.vars):
            return False
        rows = [(*row, int(row in node.rows)) for row in product(*domains)]
        self.model.add_allowed_assignments([*map(self.var, node.vars), literal], rows)
        return True

    def table_value(self, atom: ir.Tabled, sides: int) -> Affine:
        """Return a CP-SAT expression for the value of a function given as a table.

        Args:
            atom: the function, applied to its variables.
            sides: ABOVE if the expression must be at least the function's value, BELOW if it must be at most that
                value, EXACT if it must equal the value.

        Returns:
            The expression `coefficient * variable + constant`, as `(variable, coefficient, constant)`.
        """
        form = self._functions.get(atom)
        if form is None:
            form = self._one_variable_form(atom) if len(atom.vars) == 1 else self._many_variables_form(atom)
            self._functions[atom] = form
        if atom in self._one_sided_functions:
            target, valid_sides = self._one_sided_functions[atom]
            self._one_sided_functions[atom] = target, valid_sides | sides
            self._bound_by_table(atom, target, sides & ~valid_sides)
        return form

    def post_functions(self) -> None:
        """Make each CP-SAT variable for the value of a function of one variable exactly equal to that value.

        Until then, some are bounded only from above or below. Functions that are used later are exact, too. Bounds on
        sums become much tighter, at the cost of several Booleans for each value of a function.
        """
        self.one_sided = False
        for atom, (target, _) in self._one_sided_functions.items():
            self._post_equality(atom, target)
        self._one_sided_functions.clear()

    def _bound_by_table(self, atom: ir.Tabled, target: cp.IntVar, sides: int) -> None:
        """Bound `target`, which stands for a function of one variable, by the function's value for each argument.

        The value is a lower bound of `target` if `sides` has ABOVE, and an upper bound if it has BELOW.
        """
        (var,) = atom.vars
        values = {code: atom.values.get((code,), atom.default) for code in self.domain(var)}
        least, most = min(values.values()), max(values.values())
        for code, value in values.items() if sides else ():
            low, high = (value if sides & ABOVE else least), (value if sides & BELOW else most)
            if (low, high) != (least, most):
                constraint = self.model.add_linear_expression_in_domain(target, cp.Domain(low, high))
                constraint.only_enforce_if(self.cell(var, code))

    def _one_variable_form(self, atom: ir.Tabled) -> Affine:
        """Return a CP-SAT expression for the value of `atom`, a function of one variable given as a table.

        For the form of the result, see `table_value`.
        """
        (var,) = atom.vars
        domain = self.domain(var)
        codes = list(domain)
        values = [atom.values.get((code,), atom.default) for code in codes]
        rise, run = values[-1] - values[0], codes[-1] - codes[0]
        slope = rise // run if run else 0
        start = values[0] - slope * codes[0]
        if all(value == start + slope * code for code, value in zip(codes, values, strict=True)):
            return self.var(var), slope, start
        image = Domain.of(set(values))
        if image.size == 2:
            chosen = (code for code, value in zip(codes, values, strict=True) if value == image.high)
            return self.member(var, Domain.of(chosen), EXACT), image.high - image.low, image.low
        target = self.model.new_int_var_from_domain(cp_domain(image), "")
        if self.one_sided:
            self._one_sided_functions[atom] = target, 0
        else:
            self._post_equality(atom, target)
        return target, 1, 0

    def _post_equality(self, atom: ir.Tabled, target: cp.IntVar) -> None:
        """Require that `target` equals the value of a function of one variable, given as a table."""
        (var,) = atom.vars
        domain = self.domain(var)
        rows = [(code, atom.values.get((code,), atom.default)) for code in domain]
        if len(domain.intervals) == 1:
            self.model.add_element(self.var(var) - rows[0][0], [value for _, value in rows], target)
        else:
            self.model.add_allowed_assignments([self.var(var), target], rows)

    def _many_variables_form(self, atom: ir.Tabled) -> Affine:
        """Return a CP-SAT expression for the value of `atom`, a function of several variables given as a table.

        For the form of the result, see `table_value`.
        """
        domains = [self.domain(var) for var in atom.vars]
        if _size(domains) <= PRODUCT_ROWS and len(set(atom.vars)) == len(atom.vars):
            rows = [(*row, atom.values.get(row, atom.default)) for row in product(*domains)]
            image = Domain.of({row[-1] for row in rows})
            target = self.model.new_int_var_from_domain(cp_domain(image), "")
            self.model.add_allowed_assignments([*map(self.var, atom.vars), target], rows)
            return target, 1, 0
        row_literals: list[Literal] = []
        gains: list[int] = []
        for row, value in sorted(atom.values.items()):
            if value != atom.default:
                row_literal = self.model.new_bool_var("")
                cells = self.cells(atom.vars, row)
                self.model.add_bool_and(cells).only_enforce_if(row_literal)
                self.clause((row_literal, *(~cell for cell in cells)), ())
                row_literals.append(row_literal)
                gains.append(value - atom.default)
        target = self.model.new_int_var(atom.low, atom.high, "")
        total = cp.LinearExpr.weighted_sum([*row_literals, target], [*gains, -1])
        self.model.add_linear_expression_in_domain(total + atom.default, _ZERO)
        return target, 1, 0


def opposite(sides: int) -> int:
    """Exchange the bits BELOW and ABOVE in `sides`, as negation does: if `proxy <= node`, then `-proxy >= -node`."""
    return (sides & BELOW) << 1 | (sides & ABOVE) >> 1


def cp_domain(domain: Domain) -> cp.Domain:
    """Return a domain as CP-SAT's class for domains."""
    if len(domain.intervals) == 1:
        return cp.Domain(*domain.intervals[0])
    return cp.Domain.from_flat_intervals([end for interval in domain.intervals for end in interval])


def _size(domains: Sequence[Domain]) -> int:
    size = 1
    for domain in domains:
        size *= domain.size
    return size
