"""Constraints on the values of decision variables, in CP-SAT: domains, memberships and tables.

A literal represents a condition and a variable an integer; both are called its proxy. BELOW promises `proxy
<= node` (a literal then implies its condition), ABOVE promises `proxy >= node` (a condition then implies its
literal).
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
Affine: TypeAlias = tuple[Literal, int, int]  # a proxy, its coefficient and a constant

BELOW, ABOVE, EXACT = 1, 2, 3

PRODUCT_ROWS = 20_000
"""Maximum number of combinations of a function's variables; with more it becomes a sum over its listed
rows."""

OTHER_ROWS = 200
"""Maximum number of rows outside a table; with more it is not reified by listing its complement."""

_ZERO = cp.Domain(0, 0)


class _Model(cp.CpModel):
    """A model without the deprecated spellings of methods, which take longer to make than a small model."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class Columns:
    """A CP-SAT model with the decision variables that have occurred so far.

    Attributes:
        model: the model, which only grows.
        proxies: CP-SAT variable of each decision variable that has occurred, by its id.
        one_sided: whether new functions of one variable are valid on the requested sides only, until
            `state_functions`.
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
        self._sided: dict[ir.Tabled, tuple[cp.IntVar, int]] = {}
        self._one: cp.IntVar | None = None
        self._clips: dict[tuple[Domain, Domain], Domain] = {}

    # -- domains ----------------------------------------------------------------------------------

    def domain(self, var: ir.IntVar) -> Domain:
        """Return a variable's domain, which is never empty and fixed once the variable has a proxy."""
        return self._domains.get(var.id, var.domain)

    def narrow(self, condition: ir.Bool) -> None:
        """Narrow domains by a condition that must hold, for single variables that have no proxy yet."""
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
        """Return the proxy of a decision variable."""
        proxy = self.proxies.get(var.id)
        if proxy is None:
            tick()
            proxy = self.proxies[var.id] = self.model.new_int_var_from_domain(cp_domain(self.domain(var)), "")
        return proxy

    def _clipped(self, var: ir.IntVar, domain: Domain) -> Domain:
        """Return the part of `domain` that the variable can take; cached, as the same question recurs."""
        key = (self.domain(var), domain)
        clipped = self._clips.get(key)
        if clipped is None:
            clipped = self._clips[key] = domain & key[0]
        return clipped

    def within(self, var: ir.IntVar, domain: Domain, under: Literals) -> None:
        """Require that `var` is in `domain` whenever all of `under` hold."""
        clipped = self._clipped(var, domain)
        if not clipped.intervals:
            self.clause((), under)
        elif clipped != self.domain(var):
            posted = self.model.add_linear_expression_in_domain(self.var(var), cp_domain(clipped))
            if under:
                posted.only_enforce_if(list(under))

    # -- literals ---------------------------------------------------------------------------------

    def true(self) -> Literal:
        """Return a literal that holds."""
        if self._one is None:
            self._one = self.model.new_constant(1)
        return self._one

    def clause(self, literals: Iterable[Literal], under: Literals) -> None:
        """Require that one of `literals` holds whenever all of `under` do."""
        self.model.add_bool_or([*literals, *(~literal for literal in under)])

    def member(self, var: ir.IntVar, domain: Domain, side: int) -> Literal:
        """Return the literal of `var in domain`; complementary memberships share one."""
        if domain.size == 1:
            return self.cell(var, domain.low)
        whole = self.domain(var)
        inside = self._clipped(var, domain)
        if not inside.intervals:
            return ~self.true()
        if inside == whole:
            return self.true()
        if inside.size == 1:
            return self.cell(var, inside.low)
        if inside.size + 1 == whole.size:
            return ~self.cell(var, (whole - inside).low)
        key = (var.id, inside)
        literal = self._members.get(key)
        if literal is None:
            tick()
            literal = self._members[key] = self.model.new_bool_var("")
            outside = whole - inside
            self._members[var.id, outside] = ~literal
            if inside.high < outside.low or outside.high < inside.low:
                side = EXACT  # CP-SAT has its own literals for values and bounds, and merges exact ones with them
        stated = self._sides.get(key, 0)
        missing = side & ~stated
        if missing:
            outside = whole - inside
            self._sides[key] = stated | side
            self._sides[var.id, outside] = opposite(stated | side)
            if missing & BELOW:
                self.within(var, inside, (literal,))
            if missing & ABOVE:
                self.within(var, outside, (~literal,))
        return literal

    def cell(self, var: ir.IntVar, value: int) -> Literal:
        """Return the literal of `var == value`, exact on both sides."""
        whole = self.domain(var)
        if value not in whole:
            return ~self.true()
        if whole.size == 1:
            return self.true()
        if whole.low == 0 and whole.high == 1:
            return self.var(var) if value == 1 else ~self.var(var)
        if whole.size == 2 and value == whole.low:
            return ~self.cell(var, whole.high)
        literal = self._cells.get((var.id, value))
        if literal is None:
            tick()
            literal = self._cells[var.id, value] = self.model.new_bool_var("")
            only, proxy = cp.Domain(value, value), self.var(var)
            # other values are left to the variable's domain: listing them for each value would be quadratic
            self.model.add_linear_expression_in_domain(proxy, only).only_enforce_if(literal)
            self.model.add_linear_expression_in_domain(proxy, only.complement()).only_enforce_if(~literal)
        return literal

    def cells(self, variables: tuple[ir.IntVar, ...], row: tuple[int, ...]) -> list[Literal]:
        """Return the literals of each variable having its code."""
        return [self.cell(var, code) for var, code in zip(variables, row, strict=True)]

    # -- tables -----------------------------------------------------------------------------------

    def table(self, node: ir.InTable, truth: bool, under: Literals) -> None:
        """Require that the row is in the table, or is not, whenever all of `under` hold."""
        rows = sorted(node.rows)
        if not under:
            columns = [self.var(var) for var in node.vars]
            post = self.model.add_allowed_assignments if truth else self.model.add_forbidden_assignments
            post(columns, rows)
        elif not truth:
            for row in rows:
                self.clause((~cell for cell in self.cells(node.vars, row)), under)
        elif len(node.vars) == 2:
            first, second = node.vars  # every value of the first has supports in the second
            supports: dict[int, list[int]] = {}
            for a, b in rows:
                supports.setdefault(a, []).append(b)
            self.within(first, Domain.of(supports), under)
            for a, partners in supports.items():
                self.within(second, Domain.of(partners), (*under, *self.cells((first,), (a,))))
        else:
            picks: list[Literal] = []
            for row in rows:
                pick = self.model.new_bool_var("")
                self.model.add_bool_and(self.cells(node.vars, row)).only_enforce_if(pick)
                picks.append(pick)
            self.clause(picks, under)

    def tabulate(self, node: ir.InTable, literal: Literal) -> bool:
        """Make the literal exact by one table of all rows, in and out; return False if there are too many."""
        domains = [self.domain(var) for var in node.vars]
        if _size(domains) > len(node.rows) + OTHER_ROWS or len(set(node.vars)) < len(node.vars):
            return False
        rows = [(*row, int(row in node.rows)) for row in product(*domains)]
        self.model.add_allowed_assignments([*map(self.var, node.vars), literal], rows)
        return True

    def function(self, atom: ir.Tabled, side: int) -> Affine:
        """Return an affine form of a table's value that is valid at least on the requested sides."""
        form = self._functions.get(atom)
        if form is None:
            form = self._unary(atom) if len(atom.vars) == 1 else self._wide(atom)
            self._functions[atom] = form
        if atom in self._sided:
            target, stated = self._sided[atom]
            self._sided[atom] = target, stated | side
            self._bind(atom, target, side & ~stated)
        return form

    def state_functions(self) -> None:
        """Post the tables of all functions that are valid on one side only, and of all later ones.

        They make bounds on sums much tighter, and each table takes several Booleans per value.
        """
        self.one_sided = False
        for atom, (target, _) in self._sided.items():
            self._state(atom, target)
        self._sided.clear()

    def _bind(self, atom: ir.Tabled, target: cp.IntVar, side: int) -> None:
        """Keep a function's proxy on these sides of its value for each value of its variable."""
        (var,) = atom.vars
        values = {code: atom.values.get((code,), atom.default) for code in self.domain(var)}
        least, most = min(values.values()), max(values.values())
        for code, value in values.items() if side else ():
            low, high = (value if side & ABOVE else least), (value if side & BELOW else most)
            if (low, high) != (least, most):
                posted = self.model.add_linear_expression_in_domain(target, cp.Domain(low, high))
                posted.only_enforce_if(self.cell(var, code))

    def _unary(self, atom: ir.Tabled) -> Affine:
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
            self._sided[atom] = target, 0
        else:
            self._state(atom, target)
        return target, 1, 0

    def _state(self, atom: ir.Tabled, target: cp.IntVar) -> None:
        """Require that the proxy equals the function of one variable."""
        (var,) = atom.vars
        domain = self.domain(var)
        rows = [(code, atom.values.get((code,), atom.default)) for code in domain]
        if len(domain.intervals) == 1:
            self.model.add_element(self.var(var) - rows[0][0], [value for _, value in rows], target)
        else:
            self.model.add_allowed_assignments([self.var(var), target], rows)

    def _wide(self, atom: ir.Tabled) -> Affine:
        domains = [self.domain(var) for var in atom.vars]
        if _size(domains) <= PRODUCT_ROWS and len(set(atom.vars)) == len(atom.vars):
            rows = [(*row, atom.values.get(row, atom.default)) for row in product(*domains)]
            image = Domain.of({row[-1] for row in rows})
            target = self.model.new_int_var_from_domain(cp_domain(image), "")
            self.model.add_allowed_assignments([*map(self.var, atom.vars), target], rows)
            return target, 1, 0
        picks: list[Literal] = []
        gains: list[int] = []
        for row, value in sorted(atom.values.items()):
            if value != atom.default:
                pick = self.model.new_bool_var("")
                cells = self.cells(atom.vars, row)
                self.model.add_bool_and(cells).only_enforce_if(pick)
                self.clause((pick, *(~cell for cell in cells)), ())
                picks.append(pick)
                gains.append(value - atom.default)
        target = self.model.new_int_var(atom.low, atom.high, "")
        total = cp.LinearExpr.weighted_sum([*picks, target], [*gains, -1])
        self.model.add_linear_expression_in_domain(total + atom.default, _ZERO)
        return target, 1, 0


def opposite(side: int) -> int:
    """Return the sides that are needed of a negated or subtracted node."""
    return (side & BELOW) << 1 | (side & ABOVE) >> 1


def cp_domain(domain: Domain) -> cp.Domain:
    """Return a domain as one of CP-SAT."""
    if len(domain.intervals) == 1:
        return cp.Domain(*domain.intervals[0])
    return cp.Domain.from_flat_intervals([end for interval in domain.intervals for end in interval])


def _size(domains: Sequence[Domain]) -> int:
    size = 1
    for domain in domains:
        size *= domain.size
    return size
