"""The builder of IR nodes. It shares equal nodes and simplifies constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any, TypeVar

from planspec.dsl.resources.deadline import tick
from planspec.dsl.resources.limits import NUMBER
from planspec.errors import LimitReachedError
from planspec.solvers.ir.domain import FAR, Domain
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
    """The bounds of an expression exceed 2**53 in absolute value, so solvers could not compute it exactly.

    Args:
        low: lower bound of the expression.
        high: upper bound of the expression.
    """

    def __init__(self, low: int, high: int) -> None:
        super().__init__("magnitude")
        self.args = (f"bounds {low}..{high} pass 2**53",)


class NodeBuilder:
    """Builder of the expressions and conditions of one problem. Equal nodes are built once and shared."""

    def __init__(self) -> None:
        self.vars: list[IntVar] = []
        self._nodes: dict[tuple[object, ...], Any] = {}  # by class and contents
        self._ranks: dict[object, int] = {}  # order of creation, for a reproducible order of terms
        self._constants: dict[int, Linear] = {}
        self._indicators: dict[Bool, Linear] = {}
        self._options: dict[int, dict[int, int]] = {}  # by id of a condition, then by exclusive set: its index
        self._choices = 0

    @property
    def size(self) -> int:
        """The number of nodes built so far."""
        return len(self._nodes)

    # -- integers ---------------------------------------------------------------------------------

    def var(self, name: str, domain: Domain) -> IntVar:
        """Create an integer decision variable. `domain` must not be empty; several variables may have the same name."""
        new = IntVar(len(self.vars), name, domain)
        self.vars.append(new)
        self._ranks[new] = new.id - NUMBER  # variables come before other atoms
        return new

    def constant(self, value: int) -> Linear:
        """Return a constant as a linear expression."""
        linear = self._constants.get(value)
        if linear is None:
            linear = self._constants[value] = self._linear((), value)
        return linear

    def of(self, atom: Atom) -> Linear:
        """Return the linear expression `1 * atom`, or a constant if the atom is a variable with only one value."""
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

    def tabled(self, vars: tuple[IntVar, ...], values: Mapping[tuple[int, ...], int], default: int = 0) -> Linear:
        """Return a linear expression that equals a function of variables, given as a table.

        `values` maps combinations of the variables' values to results. Other combinations have the result `default`.
        """
        low, high = min(values.values(), default=default), max(values.values(), default=default)
        if len(values) < prod(var.domain.size for var in vars):
            low, high = min(low, default), max(high, default)
        if low == high:
            return self.constant(low)
        key = ("tabled", tuple(v.id for v in vars), tuple(sorted(values.items())), default)
        return self.of(self._intern(key, lambda: Tabled(vars, dict(values), default, low, high)))

    def indicator(self, condition: Bool) -> Linear:
        """Return an expression that is 1 if `condition` holds, else 0.

        For a `Negation`, it is 1 minus the indicator of the negated condition.
        """
        linear = self._indicators.get(condition)
        if linear is None:
            linear = self._indicators[condition] = self._indicator(condition)
        return linear

    def _indicator(self, condition: Bool) -> Linear:
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
        """Return an expression for the value of the case (guard, value) whose guard holds; 0 if no guard holds.

        At most one guard may hold in any assignment.
        """
        possible = tuple((g, x) for g, x in cases if g is not FALSE)
        if not possible:
            return self.constant(0)
        always = next((value for guard, value in possible if guard is TRUE), None)
        if always is not None:
            return always
        if len(possible) == 1 and not possible[0][1].is_constant and (function := guarded(*possible[0])) is not None:
            return self.tabled(*function)
        if all(x.is_constant for _, x in possible):
            return self.sum(self.scale(self.indicator(g), x.constant) for g, x in possible)
        low = min(0, min(x.low for _, x in possible))
        high = max(0, max(x.high for _, x in possible))
        key = ("select", *((id(g), id(x)) for g, x in possible))
        return self.of(self._intern(key, lambda: Select(possible, low, high)))

    def extreme(self, cases: Iterable[tuple[Bool, Linear]], *, greatest: bool) -> Linear:
        """Return an expression for the maximum or minimum of the values whose guards hold; 0 if no guard holds.

        Args:
            cases: pairs of a guard (a condition) and a value.
            greatest: True for the maximum, False for the minimum.
        """
        possible = tuple((g, x) for g, x in cases if g is not FALSE)
        if not possible:
            return self.constant(0)
        pick = max if greatest else min
        always = [x for g, x in possible if g is TRUE]
        if len(always) == len(possible) and all(x.is_constant for x in always):
            return self.constant(pick(x.constant for x in always))
        if len(possible) == 1:
            return self.select(possible)
        low, high = min(x.low for _, x in possible), max(x.high for _, x in possible)
        if always:
            if greatest:
                low = max(low, max(x.low for x in always))
            else:
                high = min(high, min(x.high for x in always))
        else:
            low, high = min(0, low), max(0, high)
        key = ("extreme", greatest, *((id(g), id(x)) for g, x in possible))
        return self.of(self._intern(key, lambda: Extreme(greatest, possible, low, high)))

    def quotient(self, dividend: Linear, divisor: int) -> Linear:
        """Return `dividend / divisor` rounded down. The divisor must be positive."""
        assert divisor > 0
        if dividend.is_constant or divisor == 1:
            return self.constant(dividend.constant // divisor) if dividend.is_constant else dividend
        key = ("quotient", id(dividend), divisor)
        low, high = dividend.low // divisor, dividend.high // divisor
        return self.of(self._intern(key, lambda: Quotient(dividend, divisor, low, high)))

    def product(self, left: Linear, right: Linear) -> Linear:
        """Return `left * right`: a multiple if one side is constant, else a `Product` atom."""
        if left.is_constant:
            return self.scale(right, left.constant)
        if right.is_constant:
            return self.scale(left, right.constant)
        swapped = ("product", id(right), id(left))
        if swapped in self._nodes:  # sorting the factors by address would differ between runs
            left, right = right, left
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        key = ("product", id(left), id(right))
        low, high = min(corners), max(corners)
        self._check(low, high)
        return self.of(self._intern(key, lambda: Product(left, right, low, high)))

    def plus(self, left: Linear, right: Linear) -> Linear:
        """Return `left + right`."""
        if left.is_constant and right.is_constant:
            return self.constant(left.constant + right.constant)
        return self.sum((left, right))

    def minus(self, left: Linear, right: Linear) -> Linear:
        """Return `left - right`."""
        return self._merge(((left, 1), (right, -1)), 0)

    def less(self, left: Linear, right: Linear, *, strictly: bool) -> Bool:
        """Return the condition `left <= right`, or `left < right` if `strictly`."""
        return self.at_most_zero(self._merge(((left, 1), (right, -1)), int(strictly)))

    def difference(self, added: Iterable[Linear], subtracted: Iterable[Linear]) -> Linear:
        """Return the sum of `added` minus the sum of `subtracted`."""
        return self._merge((*((item, 1) for item in added), *((item, -1) for item in subtracted)), 0)

    def scale(self, linear: Linear, factor: int) -> Linear:
        """Return `factor * linear`."""
        if factor == 1:
            return linear
        if not linear.terms:
            return self.constant(linear.constant * factor)
        if factor == 0:
            return self.constant(0)
        return self._linear(tuple((atom, c * factor) for atom, c in linear.terms), linear.constant * factor)

    def sum(self, items: Iterable[Linear]) -> Linear:
        """Return the sum of linear expressions."""
        return self._merge(((item, 1) for item in items), 0)

    # -- conditions -------------------------------------------------------------------------------

    def member(self, var: IntVar, domain: Domain) -> Bool:
        """Return the condition `var in domain`."""
        inside = domain & var.domain
        if inside is var.domain or inside.size == var.domain.size:
            return TRUE
        if inside.size == 0:
            return FALSE
        return self._intern(("member", var.id, inside.intervals), lambda: InDomain(var, inside))

    def _within(self, var: IntVar, low: int, high: int) -> Bool:
        """Return the condition `low <= var <= high`."""
        own = var.domain
        if len(own.intervals) > 1:
            return self.member(var, Domain.interval(low, high))
        least, most = own.intervals[0]
        low, high = max(low, least), min(high, most)
        if low > high:
            return FALSE
        if low == least and high == most:
            return TRUE
        spans = ((low, high),)
        return self._intern(("member", var.id, spans), lambda: InDomain(var, Domain(spans)))

    def in_table(self, vars: tuple[IntVar, ...], rows: Iterable[tuple[int, ...]]) -> Bool:
        """Return the condition that the variables' values form one of the tuples in `rows`.

        For one variable, it is an `InDomain`.
        """
        if len(vars) == 1:
            return self.member(vars[0], Domain.of({code for (code,) in rows}))
        domains = [var.domain for var in vars]
        size = prod(domain.size for domain in domains)
        possible = frozenset(r for r in rows if all(code in domain for code, domain in zip(r, domains, strict=True)))
        if not possible:
            return FALSE
        if len(possible) == size:
            return TRUE
        fixed = [i for i, var in enumerate(vars) if var.domain.size == 1]
        if fixed:
            open_places = [i for i in range(len(vars)) if i not in fixed]
            return self.in_table(
                tuple(vars[i] for i in open_places), {tuple(r[i] for i in open_places) for r in possible}
            )
        return self._intern(("table", tuple(v.id for v in vars), possible), lambda: InTable(vars, possible))

    def at_most_zero(self, linear: Linear) -> Bool:
        """Return the condition `linear <= 0`."""
        if linear.high <= 0:
            return TRUE
        if linear.low > 0:
            return FALSE
        if len(linear.terms) == 1:
            atom, c = linear.terms[0]
            bound = -linear.constant // c if c > 0 else -(linear.constant // c)
            if isinstance(atom, IntVar):
                return self._within(atom, *((-FAR, bound) if c > 0 else (bound, FAR)))
            allowed = Domain.interval(None, bound) if c > 0 else Domain.interval(bound, None)
            if isinstance(atom, Tabled) and len(atom.vars) == 1:
                return self._preimage(atom, allowed)
            if isinstance(atom, Indicator):
                return atom.condition if 1 in allowed else self.negate(atom.condition)
        if linear.terms[0][1] < 0:  # not (1 - linear <= 0), so that complementary comparisons share a node
            return self.negate(self.at_most_zero(self._merge(((linear, -1),), 1)))
        return self._intern(("at-most-zero", id(linear)), lambda: AtMostZero(linear))

    def is_zero(self, linear: Linear) -> Bool:
        """Return the condition `linear == 0`."""
        if linear.low > 0 or linear.high < 0:
            return FALSE
        if linear.is_constant:
            return TRUE
        if len(linear.terms) == 1:
            atom, c = linear.terms[0]
            if linear.constant % c:
                return FALSE
            only = -linear.constant // c
            if isinstance(atom, IntVar):
                return self._within(atom, only, only)
            allowed = Domain.of([only])
            if isinstance(atom, Tabled) and len(atom.vars) == 1:
                return self._preimage(atom, allowed)
            if isinstance(atom, Indicator):
                return atom.condition if 1 in allowed else self.negate(atom.condition)
        if linear.terms[0][1] < 0:
            linear = self.scale(linear, -1)
        return self._intern(("is-zero", id(linear)), lambda: IsZero(linear))

    def exclusive(self, conditions: Iterable[Bool]) -> None:
        """Record that at most one of the conditions holds. Conjunctions of two of them are then simplified to FALSE."""
        options = [x for x in conditions if not isinstance(x, BooleanConstant)]
        if len(options) > 1:
            self._choices += 1
            for i, option in enumerate(options):
                self._options.setdefault(id(option), {})[self._choices] = i

    def conj(self, items: Iterable[Bool]) -> Bool:  # noqa: C901 one pass, since every condition comes through here
        """Return the conjunction of conditions, simplified; TRUE if there are none."""
        items = [x for x in items if x is not TRUE]
        if len(items) < 2:
            return items[0] if items else TRUE
        options: dict[int, int] = {}
        parts: dict[int, Bool] = {}
        members: dict[IntVar, InDomain] = {}
        disjunctions: list[Or] = []
        negations = False
        for item in items:
            if item is FALSE:
                return FALSE
            choices = self._options.get(id(item))
            if choices is not None:
                for choice, option in choices.items():
                    if options.setdefault(choice, option) != option:
                        return FALSE
            for part in item.items if isinstance(item, And) else (item,):
                key = id(part)
                if key in parts:
                    continue
                if isinstance(part, Negation):
                    negations = True
                elif isinstance(part, Or):
                    disjunctions.append(part)
                elif isinstance(part, InDomain):  # merge the memberships of one variable
                    before = members.get(part.var)
                    if before is not None:
                        del parts[id(before)]
                        joined = self.member(part.var, before.domain & part.domain)
                        if not isinstance(joined, InDomain):
                            return FALSE
                        part, key = joined, id(joined)
                    members[part.var] = part
                parts[key] = part
        if negations and any(isinstance(x, Negation) and id(x.item) in parts for x in parts.values()):
            return FALSE
        if disjunctions:  # a disjunction is redundant if one of its items is present
            present = {*parts, *map(id, items)}
            for part in disjunctions:
                if not present.isdisjoint(map(id, part.items)):
                    parts.pop(id(part), None)
        if len(parts) < 2:
            return next(iter(parts.values()), TRUE)
        conjunction: And = self._intern(("and", frozenset(parts)), lambda: And(tuple(parts.values())))
        if options:
            self._options.setdefault(id(conjunction), {}).update(options)
        return conjunction

    def disj(self, items: Iterable[Bool]) -> Bool:
        """Return the disjunction of conditions, simplified; FALSE if there are none."""
        items = [x for x in items if x is not FALSE]
        if len(items) < 2:
            return items[0] if items else FALSE
        parts: dict[int, Bool] = {}
        members: dict[IntVar, InDomain] = {}
        has_conjunction = False
        for item in items:
            for part in item.items if isinstance(item, Or) else (item,):
                if part is TRUE:
                    return TRUE
                if isinstance(part, InDomain):  # merge the memberships of one variable
                    if part.var in members:
                        before = members[part.var]
                        del parts[id(before)]
                        part = self.member(part.var, before.domain | part.domain)
                        if not isinstance(part, InDomain):
                            return TRUE
                    members[part.var] = part
                elif isinstance(part, And) or (isinstance(part, Negation) and isinstance(part.item, And)):
                    has_conjunction = True
                if part is not FALSE:
                    parts[id(part)] = part
        if any(isinstance(x, Negation) and id(x.item) in parts for x in parts.values()):
            return TRUE
        if has_conjunction and members:
            whole = list(parts.values())
            simplified = [self._simplify_if_none_of(part, members) for part in whole]
            if any(a is not b for a, b in zip(whole, simplified, strict=True)):
                return self.disj(simplified)
        if len(parts) < 2:
            return next(iter(parts.values()), FALSE)
        return self._intern(("or", frozenset(parts)), lambda: Or(tuple(parts.values())))

    def _simplify_if_none_of(self, item: Bool, members: Mapping[IntVar, InDomain]) -> Bool:
        """Simplify a condition under the assumption that all memberships in `members` are false.

        `members` has a membership `x in {...}` for each of its variables x.
        """
        if isinstance(item, Negation) and isinstance(item.item, And):
            inner = self._simplify_if_none_of(item.item, members)
            return item if inner is item.item else self.negate(inner)
        if not isinstance(item, And):
            return item
        parts: list[Bool] = []
        for part in item.items:
            member = members.get(part.var) if isinstance(part, InDomain) else None
            if member is not None and isinstance(part, InDomain):
                remaining = part.var.domain - member.domain
                inside = part.domain & remaining
                if inside.size == 0:
                    return FALSE
                if inside.size == remaining.size:
                    continue
            parts.append(part)
        return item if len(parts) == len(item.items) else self.conj(parts)

    def negate(self, item: Bool) -> Bool:
        """Return the negation of a condition."""
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

    # -- helpers ----------------------------------------------------------------------------------

    def _preimage(self, atom: Tabled, allowed: Domain) -> Bool:
        """Return the condition `x in {...}` that a function of x, given as a table, has a value in `allowed`."""
        var = atom.vars[0]
        if var.domain.size == len(atom.values):
            return self.member(var, Domain.of(code for (code,), value in atom.values.items() if value in allowed))
        chosen = (code for code in var.domain if atom.values.get((code,), atom.default) in allowed)
        return self.member(var, Domain.of(chosen))

    def _merge(self, items: Iterable[tuple[Linear, int]], constant: int) -> Linear:
        """Return the sum of `factor * linear` over the pairs (linear, factor) in `items`, plus a constant."""
        coefficients: dict[Atom, int] = {}
        for item, factor in items:
            constant += factor * item.constant
            for atom, c in item.terms:
                coefficients[atom] = coefficients.get(atom, 0) + factor * c
        return self._linear(tuple([term for term in coefficients.items() if term[1]]), constant)

    def _linear(self, terms: tuple[tuple[Atom, int], ...], constant: int) -> Linear:
        ranks = self._ranks
        if len(terms) == 2:
            if ranks[terms[0][0]] > ranks[terms[1][0]]:
                terms = terms[::-1]
        elif len(terms) > 2:
            terms = tuple(sorted(terms, key=lambda term: ranks[term[0]]))
        key = ("linear", terms, constant)  # atoms are compared by identity
        linear: Linear | None = self._nodes.get(key)
        if linear is None:
            tick()
            low = high = constant
            for atom, c in terms:
                if isinstance(atom, IntVar):
                    a, b = atom.domain.intervals[0][0], atom.domain.intervals[-1][1]
                else:
                    a, b = bounds(atom)
                low += c * (a if c > 0 else b)
                high += c * (b if c > 0 else a)
            self._check(low, high)
            linear = self._nodes[key] = Linear(terms, constant, low, high)
        return linear

    def _check(self, low: int, high: int) -> None:
        if low < -NUMBER or high > NUMBER:  # floats represent all smaller integers exactly
            raise BoundError(low, high)

    def _intern(self, key: tuple[object, ...], make: Callable[[], N]) -> N:
        """Return the stored node with a key; build it with `make` and store it if there is none.

        The first part of the key names the kind of node, such as `member`.
        """
        node: N | None = self._nodes.get(key)
        if node is None:
            tick()
            node = self._nodes[key] = make()
            self._ranks[node] = len(self._ranks)
        return node
