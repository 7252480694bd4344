"""Constraints on the values of decision variables, in CP-SAT: domains, memberships and tables.

A literal stands for a condition and a variable for an integer; both are called its proxy. BELOW promises
`proxy <= node` (a literal then implies its condition), ABOVE promises `proxy >= node` (it is implied by it).
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
Affine: TypeAlias = tuple[Literal, int, int]  # of a proxy, its coefficient and a constant

BELOW, ABOVE, EXACT = 1, 2, 3

PRODUCT_ROWS = 20_000
"""A function of several variables with more combinations is written as a sum over those that it lists."""

OTHER_ROWS = 200
"""A table with more rows outside than this is not reified by writing down its complement."""

_ZERO = cp.Domain(0, 0)


class _Model(cp.CpModel):
    """Without the deprecated spellings of its methods, which take longer to make than a small model."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class Columns:
    """A CP-SAT model with the decision variables that were met so far.

    Attributes:
        model: it only grows.
        proxies: the CP-SAT variable of each decision variable that was met, by its id.
        one_sided: functions of one variable that are met are good on the asked sides alone, until `state_functions`.
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
        """A variable's domain, never empty; it stays as it is once the variable has a proxy."""
        return self._domains.get(var.id, var.domain)

    def narrow(self, condition: ir.Bool) -> None:
        """Take from a condition that must hold what it says of single variables that have no proxy yet."""
        match condition:
            case ir.InDomain(var=var, domain=domain):
                left = self.domain(var) & domain
                if left.intervals and var.id not in self.proxies:
                    self._domains[var.id] = left
            case ir.And(items=items):
                for item in items:
                    self.narrow(item)
            case _:
                pass

    def var(self, var: ir.IntVar) -> cp.IntVar:
        """The proxy of a decision variable."""
        made = self.proxies.get(var.id)
        if made is None:
            tick()
            made = self.proxies[var.id] = self.model.new_int_var_from_domain(cp_domain(self.domain(var)), "")
        return made

    def _clipped(self, var: ir.IntVar, domain: Domain) -> Domain:
        """The part of `domain` that the variable can take, cached since the same question comes again and again."""
        key = (self.domain(var), domain)
        found = self._clips.get(key)
        if found is None:
            found = self._clips[key] = domain & key[0]
        return found

    def within(self, var: ir.IntVar, domain: Domain, under: Literals) -> None:
        """`var` is in `domain` whenever all of `under` hold."""
        left = self._clipped(var, domain)
        if not left.intervals:
            self.clause((), under)
        elif left != self.domain(var):
            posted = self.model.add_linear_expression_in_domain(self.var(var), cp_domain(left))
            if under:
                posted.only_enforce_if(list(under))

    # -- literals ---------------------------------------------------------------------------------

    def true(self) -> Literal:
        """A literal that holds."""
        if self._one is None:
            self._one = self.model.new_constant(1)
        return self._one

    def clause(self, literals: Iterable[Literal], under: Literals) -> None:
        """One of `literals` holds whenever all of `under` do."""
        self.model.add_bool_or([*literals, *(~literal for literal in under)])

    def member(self, var: ir.IntVar, domain: Domain, side: int) -> Literal:
        """The literal of `var in domain`; complementary memberships share one."""
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
        made = self._members.get(key)
        if made is None:
            tick()
            made = self._members[key] = self.model.new_bool_var("")
            outside = whole - inside
            self._members[var.id, outside] = ~made
            if inside.high < outside.low or outside.high < inside.low:
                side = (
                    EXACT  # CP-SAT has literals for values and bounds itself, and joins those that are exact
                )
        have = self._sides.get(key, 0)
        missing = side & ~have
        if missing:
            outside = whole - inside
            self._sides[key] = have | side
            self._sides[var.id, outside] = opposite(have | side)
            if missing & BELOW:
                self.within(var, inside, (made,))
            if missing & ABOVE:
                self.within(var, outside, (~made,))
        return made

    def cell(self, var: ir.IntVar, value: int) -> Literal:
        """The literal of `var == value`, exact on both sides."""
        whole = self.domain(var)
        if value not in whole:
            return ~self.true()
        if whole.size == 1:
            return self.true()
        if whole.low == 0 and whole.high == 1:
            return self.var(var) if value == 1 else ~self.var(var)
        if whole.size == 2 and value == whole.low:
            return ~self.cell(var, whole.high)
        made = self._cells.get((var.id, value))
        if made is None:
            tick()
            made = self._cells[var.id, value] = self.model.new_bool_var("")
            only, proxy = cp.Domain(value, value), self.var(var)
            # what else the variable may be is left to its domain: to list it for each value would be quadratic
            self.model.add_linear_expression_in_domain(proxy, only).only_enforce_if(made)
            self.model.add_linear_expression_in_domain(proxy, only.complement()).only_enforce_if(~made)
        return made

    def cells(self, of: tuple[ir.IntVar, ...], row: tuple[int, ...]) -> list[Literal]:
        """The literals of each variable having its code."""
        return [self.cell(var, code) for var, code in zip(of, row, strict=True)]

    # -- tables -----------------------------------------------------------------------------------

    def table(self, node: ir.InTable, truth: bool, under: Literals) -> None:
        """The row is in the table, or is not, whenever all of `under` hold."""
        rows = sorted(node.rows)
        if not under:
            columns = [self.var(var) for var in node.vars]
            post = self.model.add_allowed_assignments if truth else self.model.add_forbidden_assignments
            post(columns, rows)
        elif not truth:
            for row in rows:
                self.clause((~cell for cell in self.cells(node.vars, row)), under)
        elif len(node.vars) == 2:
            first, second = node.vars  # every value of the first has its supports in the second
            supports: dict[int, list[int]] = {}
            for a, b in rows:
                supports.setdefault(a, []).append(b)
            self.within(first, Domain.of(supports), under)
            for a, found in supports.items():
                self.within(second, Domain.of(found), (*under, *self.cells((first,), (a,))))
        else:
            picks: list[Literal] = []
            for row in rows:
                pick = self.model.new_bool_var("")
                self.model.add_bool_and(self.cells(node.vars, row)).only_enforce_if(pick)
                picks.append(pick)
            self.clause(picks, under)

    def tabulate(self, node: ir.InTable, made: Literal) -> bool:
        """Make the literal exact with one table of all rows, in and out, if they are few; else do nothing."""
        domains = [self.domain(var) for var in node.vars]
        if _size(domains) > len(node.rows) + OTHER_ROWS or len(set(node.vars)) < len(node.vars):
            return False
        rows = [(*row, int(row in node.rows)) for row in product(*domains)]
        self.model.add_allowed_assignments([*map(self.var, node.vars), made], rows)
        return True

    def function(self, atom: ir.Tabled, side: int) -> Affine:
        """An affine form that is good at least on the asked sides of the table's value."""
        made = self._functions.get(atom)
        if made is None:
            made = self._unary(atom) if len(atom.vars) == 1 else self._wide(atom)
            self._functions[atom] = made
        if atom in self._sided:
            target, have = self._sided[atom]
            self._sided[atom] = target, have | side
            self._bind(atom, target, side & ~have)
        return made

    def state_functions(self) -> None:
        """State the tables of all functions that are good on one side only, and of all that come from now on.

        Bounds on sums are much better by them, and each takes several Booleans for each of its values.
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
        """The proxy is the function of one variable."""
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
    """The sides that are needed of what is negated or subtracted."""
    return (side & BELOW) << 1 | (side & ABOVE) >> 1


def cp_domain(domain: Domain) -> cp.Domain:
    """The same set for CP-SAT."""
    if len(domain.intervals) == 1:
        return cp.Domain(*domain.intervals[0])
    return cp.Domain.from_flat_intervals([end for interval in domain.intervals for end in interval])


def _size(domains: Sequence[Domain]) -> int:
    size = 1
    for domain in domains:
        size *= domain.size
    return size
