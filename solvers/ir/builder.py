"""The maker of IR nodes: each node once, constants folded as nodes are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any, TypeVar

from planspec.dsl.resources.deadline import tick
from planspec.dsl.resources.limits import NUMBER
from planspec.errors import LimitReachedError
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.guarded import guarded
from planspec.solvers.ir.nodes import (
    FALSE,
    TRUE,
    And,
    AtMostZero,
    Atom,
    Bool,
    BooleanConstant,
    Extreme,
    Indicator,
    InDomain,
    InTable,
    IntVar,
    IsZero,
    Linear,
    Negation,
    Or,
    Product,
    Quotient,
    Select,
    Tabled,
    bounds,
)

N = TypeVar("N", bound=Bool | Atom)


class BoundError(LimitReachedError):
    """An expression's bounds pass 2**53: a limit like those of time and memory, past which nothing is decided.

    Args:
        low: its least value.
        high: its greatest value.
    """

    def __init__(self, low: int, high: int) -> None:
        super().__init__("magnitude")
        self.args = (f"bounds {low}..{high} pass 2**53",)


class NodeBuilder:
    """Makes nodes, each once."""

    def __init__(self) -> None:
        self.vars: list[IntVar] = []
        self._nodes: dict[tuple[object, ...], Any] = {}  # each of the class that its key names
        self._serial: dict[int, int] = {}  # of every non-variable atom, so that term order is reproducible
        self._options: dict[int, dict[int, int]] = {}  # of a condition's id: for each choice, its option
        self._choices = 0

    # -- integers ---------------------------------------------------------------------------------

    def var(self, name: str, domain: Domain) -> IntVar:
        """A new decision variable. Its domain is not empty."""
        made = IntVar(len(self.vars), name, domain)
        self.vars.append(made)
        return made

    def constant(self, value: int) -> Linear:
        """A linear expression without atoms."""
        return self._linear((), value)

    def of(self, atom: Atom) -> Linear:
        """The linear expression `1 * atom`; a variable with one value is that constant."""
        match atom:
            case IntVar():
                if atom.domain.low == atom.domain.high:
                    return self.constant(atom.domain.low)
            case Indicator(condition=BooleanConstant(value=value)):
                return self.constant(int(value))
            case Indicator():
                pass
            case _:
                if atom.low == atom.high:
                    return self.constant(atom.low)
        return self._linear(((atom, 1),), 0)

    def tabled(
        self, vars: tuple[IntVar, ...], values: Mapping[tuple[int, ...], int], default: int = 0
    ) -> Linear:
        """The linear expression of a function given by its table, over the combinations that can occur."""
        low, high = min(values.values(), default=default), max(values.values(), default=default)
        if len(values) < prod(var.domain.size for var in vars):
            low, high = min(low, default), max(high, default)
        if low == high:
            return self.constant(low)
        key = ("tabled", tuple(v.id for v in vars), tuple(sorted(values.items())), default)
        return self.of(self._intern(key, lambda: Tabled(vars, dict(values), default, low, high)))

    def indicator(self, condition: Bool) -> Linear:
        """1 if `condition` holds, else 0; of a `Negation`, 1 minus the indicator of what it negates."""
        match condition:
            case BooleanConstant(value=value):
                return self.constant(int(value))
            case Negation(item=item):
                return self.plus(self.constant(1), self.scale(self.indicator(item), -1))
            case InDomain(var=var, domain=domain) if var.domain.low == 0 and var.domain.high == 1:
                only = self.of(var)
                return only if 1 in domain else self.plus(self.constant(1), self.scale(only, -1))
        return self.of(self._intern(("indicator", id(condition)), lambda: Indicator(condition)))

    def select(self, cases: Iterable[tuple[Bool, Linear]]) -> Linear:
        """The value of the only case whose guard holds, 0 if none does."""
        kept = tuple((g, x) for g, x in cases if g is not FALSE)
        if not kept:
            return self.constant(0)
        always = next((value for guard, value in kept if guard is TRUE), None)
        if always is not None:
            return always
        if len(kept) == 1 and not kept[0][1].is_constant and (found := guarded(*kept[0])) is not None:
            return self.tabled(*found)
        if all(x.is_constant for _, x in kept):
            return self.sum(self.scale(self.indicator(g), x.constant) for g, x in kept)
        low = min(0, min(x.low for _, x in kept))
        high = max(0, max(x.high for _, x in kept))
        key = ("select", *((id(g), id(x)) for g, x in kept))
        return self.of(self._intern(key, lambda: Select(kept, low, high)))

    def extreme(self, cases: Iterable[tuple[Bool, Linear]], *, greatest: bool) -> Linear:
        """The greatest or least value among the cases whose guards hold, 0 if none does."""
        kept = tuple((g, x) for g, x in cases if g is not FALSE)
        if not kept:
            return self.constant(0)
        pick = max if greatest else min
        always = [x for g, x in kept if g is TRUE]
        if len(always) == len(kept) and all(x.is_constant for x in always):
            return self.constant(pick(x.constant for x in always))
        if len(kept) == 1:
            return self.select(kept)
        low, high = min(x.low for _, x in kept), max(x.high for _, x in kept)
        if always:
            if greatest:
                low = max(low, max(x.low for x in always))
            else:
                high = min(high, min(x.high for x in always))
        else:
            low, high = min(0, low), max(0, high)
        key = ("extreme", greatest, *((id(g), id(x)) for g, x in kept))
        return self.of(self._intern(key, lambda: Extreme(greatest, kept, low, high)))

    def quotient(self, dividend: Linear, divisor: int) -> Linear:
        """Floor division by a positive constant."""
        assert divisor > 0
        if dividend.is_constant or divisor == 1:
            return self.constant(dividend.constant // divisor) if dividend.is_constant else dividend
        key = ("quotient", id(dividend), divisor)
        low, high = dividend.low // divisor, dividend.high // divisor
        return self.of(self._intern(key, lambda: Quotient(dividend, divisor, low, high)))

    def product(self, left: Linear, right: Linear) -> Linear:
        """A product; linear if one side is constant."""
        if left.is_constant:
            return self.scale(right, left.constant)
        if right.is_constant:
            return self.scale(left, right.constant)
        other = ("product", id(right), id(left))
        if other in self._nodes:  # ordering by address would differ from run to run
            left, right = right, left
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        key = ("product", id(left), id(right))
        low, high = min(corners), max(corners)
        self._check(low, high)
        return self.of(self._intern(key, lambda: Product(left, right, low, high)))

    def plus(self, left: Linear, right: Linear) -> Linear:
        """Their sum."""
        if left.is_constant and right.is_constant:
            return self.constant(left.constant + right.constant)
        return self.sum((left, right))

    def minus(self, left: Linear, right: Linear) -> Linear:
        """`left - right`."""
        return self._merged(((left, 1), (right, -1)), 0)

    def scale(self, linear: Linear, factor: int) -> Linear:
        """`factor * linear`."""
        if factor == 1:
            return linear
        if factor == 0:
            return self.constant(0)
        return self._linear(tuple((atom, c * factor) for atom, c in linear.terms), linear.constant * factor)

    def sum(self, items: Iterable[Linear]) -> Linear:
        """The sum of all."""
        return self._merged(((item, 1) for item in items), 0)

    # -- conditions -------------------------------------------------------------------------------

    def member(self, var: IntVar, domain: Domain) -> Bool:
        """`var in domain`."""
        inside = domain & var.domain
        if inside.size == 0:
            return FALSE
        if inside.size == var.domain.size:
            return TRUE
        return self._intern(("member", var.id, inside.intervals), lambda: InDomain(var, inside))

    def in_table(self, vars: tuple[IntVar, ...], rows: Iterable[tuple[int, ...]]) -> Bool:
        """The variables' codes are one of `rows`; of one variable a `InDomain`."""
        if len(vars) == 1:
            return self.member(vars[0], Domain.of({code for (code,) in rows}))
        domains = [var.domain for var in vars]
        size = prod(domain.size for domain in domains)
        kept = frozenset(
            r for r in rows if all(code in domain for code, domain in zip(r, domains, strict=True))
        )
        if not kept:
            return FALSE
        if len(kept) == size:
            return TRUE
        fixed = [i for i, var in enumerate(vars) if var.domain.size == 1]
        if fixed:
            keep = [i for i in range(len(vars)) if i not in fixed]
            return self.in_table(tuple(vars[i] for i in keep), {tuple(r[i] for i in keep) for r in kept})
        return self._intern(("table", tuple(v.id for v in vars), kept), lambda: InTable(vars, kept))

    def at_most_zero(self, linear: Linear) -> Bool:
        """`linear <= 0`."""
        if linear.high <= 0:
            return TRUE
        if linear.low > 0:
            return FALSE
        if len(linear.terms) == 1:
            atom, c = linear.terms[0]
            bound = -linear.constant // c if c > 0 else -(linear.constant // c)
            keep = Domain.interval(None, bound) if c > 0 else Domain.interval(bound, None)
            if isinstance(atom, IntVar):
                return self.member(atom, keep)
            if isinstance(atom, Tabled) and len(atom.vars) == 1:
                return self._preimage(atom, keep)
            if isinstance(atom, Indicator):
                return atom.condition if 1 in keep else self.negate(atom.condition)
        if linear.terms[0][1] < 0:  # not (1 - linear <= 0): complementary comparisons share one node
            return self.negate(self.at_most_zero(self._merged(((linear, -1),), 1)))
        return self._intern(("at-most-zero", id(linear)), lambda: AtMostZero(linear))

    def is_zero(self, linear: Linear) -> Bool:
        """`linear == 0`."""
        if linear.low > 0 or linear.high < 0:
            return FALSE
        if linear.is_constant:
            return TRUE
        if len(linear.terms) == 1:
            atom, c = linear.terms[0]
            if linear.constant % c:
                return FALSE
            keep = Domain.of([-linear.constant // c])
            if isinstance(atom, IntVar):
                return self.member(atom, keep)
            if isinstance(atom, Tabled) and len(atom.vars) == 1:
                return self._preimage(atom, keep)
            if isinstance(atom, Indicator):
                return atom.condition if 1 in keep else self.negate(atom.condition)
        if linear.terms[0][1] < 0:
            linear = self.scale(linear, -1)
        return self._intern(("is-zero", id(linear)), lambda: IsZero(linear))

    def exclusive(self, conditions: Iterable[Bool]) -> None:
        """Remember that no two of the conditions hold together, so that a conjunction of two is false."""
        options = [x for x in conditions if not isinstance(x, BooleanConstant)]
        if len(options) > 1:
            self._choices += 1
            for i, option in enumerate(options):
                self._options.setdefault(id(option), {})[self._choices] = i

    def conj(self, items: Iterable[Bool]) -> Bool:  # noqa: C901 one pass, since every condition comes through here
        """All of them."""
        items = [x for x in items if x is not TRUE]
        if len(items) < 2:
            return items[0] if items else TRUE
        options: dict[int, int] = {}
        kept: dict[int, Bool] = {}
        members: dict[IntVar, InDomain] = {}
        either: list[Or] = []
        negations = False
        for item in items:
            if item is FALSE:
                return FALSE
            known = self._options.get(id(item))
            if known is not None:
                for choice, option in known.items():
                    if options.setdefault(choice, option) != option:
                        return FALSE
            for part in item.items if isinstance(item, And) else (item,):
                at = id(part)
                if at in kept:
                    continue
                if isinstance(part, Negation):
                    negations = True
                elif isinstance(part, Or):
                    either.append(part)
                elif isinstance(part, InDomain):  # what is said of one variable is said once
                    before = members.get(part.var)
                    if before is not None:
                        del kept[id(before)]
                        joined = self.member(part.var, before.domain & part.domain)
                        if not isinstance(joined, InDomain):
                            return FALSE
                        part, at = joined, id(joined)
                    members[part.var] = part
                kept[at] = part
        if negations and any(isinstance(x, Negation) and id(x.item) in kept for x in kept.values()):
            return FALSE
        if either:  # that one of several holds is nothing new where one of them is among these
            whole = {*kept, *map(id, items)}
            for part in either:
                if not whole.isdisjoint(map(id, part.items)):
                    kept.pop(id(part), None)
        if len(kept) < 2:
            return next(iter(kept.values()), TRUE)
        made: And = self._intern(("and", frozenset(kept)), lambda: And(tuple(kept.values())))
        if options:
            self._options.setdefault(id(made), {}).update(options)
        return made

    def disj(self, items: Iterable[Bool]) -> Bool:
        """Any of them."""
        items = [x for x in items if x is not FALSE]
        if len(items) < 2:
            return items[0] if items else FALSE
        kept: dict[int, Bool] = {}
        members: dict[IntVar, InDomain] = {}
        both = False
        for item in items:
            for part in item.items if isinstance(item, Or) else (item,):
                if part is TRUE:
                    return TRUE
                if isinstance(part, InDomain):  # what is said of one variable is said once
                    if part.var in members:
                        before = members[part.var]
                        del kept[id(before)]
                        part = self.member(part.var, before.domain | part.domain)
                        if not isinstance(part, InDomain):
                            return TRUE
                    members[part.var] = part
                elif isinstance(part, And) or (isinstance(part, Negation) and isinstance(part.item, And)):
                    both = True
                if part is not FALSE:
                    kept[id(part)] = part
        if any(isinstance(x, Negation) and id(x.item) in kept for x in kept.values()):
            return TRUE
        if both and members:
            whole = list(kept.values())
            left = [self._otherwise(part, members) for part in whole]
            if any(a is not b for a, b in zip(whole, left, strict=True)):
                return self.disj(left)
        if len(kept) < 2:
            return next(iter(kept.values()), FALSE)
        return self._intern(("or", frozenset(kept)), lambda: Or(tuple(kept.values())))

    def _otherwise(self, item: Bool, members: Mapping[IntVar, InDomain]) -> Bool:
        """A condition where none of some memberships holds: what that implies is left out of a conjunction."""
        if isinstance(item, Negation) and isinstance(item.item, And):
            inner = self._otherwise(item.item, members)
            return item if inner is item.item else self.negate(inner)
        if not isinstance(item, And):
            return item
        kept: list[Bool] = []
        for part in item.items:
            known = members.get(part.var) if isinstance(part, InDomain) else None
            if known is not None and isinstance(part, InDomain):
                left = part.var.domain - known.domain
                inside = part.domain & left
                if inside.size == 0:
                    return FALSE
                if inside.size == left.size:
                    continue
            kept.append(part)
        return item if len(kept) == len(item.items) else self.conj(kept)

    def negate(self, item: Bool) -> Bool:
        """The opposite."""
        match item:
            case BooleanConstant(value=value):
                return FALSE if value else TRUE
            case Negation(item=inner):
                return inner
            case InDomain(var=var, domain=domain):
                return self.member(var, var.domain - domain)
            case InTable() | AtMostZero() | IsZero() | And() | Or():
                pass
        return self._intern(("not", id(item)), lambda: Negation(item))

    # -- inside -----------------------------------------------------------------------------------

    def _preimage(self, atom: Tabled, keep: Domain) -> Bool:
        var = atom.vars[0]
        if var.domain.size == len(atom.values):
            return self.member(
                var, Domain.of(code for (code,), value in atom.values.items() if value in keep)
            )
        chosen = (code for code in var.domain if atom.values.get((code,), atom.default) in keep)
        return self.member(var, Domain.of(chosen))

    def _merged(self, items: Iterable[tuple[Linear, int]], constant: int) -> Linear:
        coefficients: dict[Atom, int] = {}
        for item, factor in items:
            constant += factor * item.constant
            for atom, c in item.terms:
                coefficients[atom] = coefficients.get(atom, 0) + factor * c
        return self._linear(tuple((atom, c) for atom, c in coefficients.items() if c), constant)

    def _linear(self, terms: tuple[tuple[Atom, int], ...], constant: int) -> Linear:
        if len(terms) > 1:
            terms = tuple(sorted(terms, key=self._order))
        key = ("linear", *((id(atom), c) for atom, c in terms), constant)
        made: Linear | None = self._nodes.get(key)
        if made is None:
            tick()
            low = high = constant
            for atom, c in terms:
                a, b = bounds(atom)
                low += c * (a if c > 0 else b)
                high += c * (b if c > 0 else a)
            self._check(low, high)
            made = self._nodes[key] = Linear(terms, constant, low, high)
        return made

    def _check(self, low: int, high: int) -> None:
        if low < -NUMBER or high > NUMBER:  # so that a float holds every value
            raise BoundError(low, high)

    def _intern(self, key: tuple[object, ...], make: Callable[[], N]) -> N:
        """The node of this key, whose first part names the class of the node."""
        made: N | None = self._nodes.get(key)
        if made is None:
            tick()
            made = self._nodes[key] = make()
            self._serial[id(made)] = len(self._serial)
        return made

    def _order(self, term: tuple[Atom, int]) -> tuple[int, int]:
        atom = term[0]
        return (0, atom.id) if isinstance(atom, IntVar) else (1, self._serial[id(atom)])
