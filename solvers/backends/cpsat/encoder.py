"""Encoder of nodes as CP-SAT constraints. Each node is encoded once, and only on the requested sides.

A node's proxy is the CP-SAT variable or literal that stands for it. Most nodes need only one side of a proxy: in `x +
max(...) <= 9`, a proxy that is at least the maximum suffices. A proxy can always equal its node, so no assignment of
the decision variables is excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, assert_never

from ortools.sat.python import cp_model as cp

from planspec.dsl.resources.deadline import tick
from planspec.solvers.backends.cpsat.columns import ABOVE, BELOW, EXACT, Columns, Literal, Literals, opposite
from planspec.solvers.backends.cpsat.different import Disequalities
from planspec.solvers.ir import nodes as ir
from planspec.solvers.ir.problem import Arc, Boxes, Cumulative, Different, Interval, Load, NoOverlap, Peak, Routes

Derived: TypeAlias = ir.Select | ir.Extreme | ir.Quotient | ir.Product
"""Atoms that are computed from other expressions and get a CP-SAT variable."""

_AT_MOST_ZERO = cp.Domain(cp.INT_MIN, 0)
_AT_LEAST_ZERO = cp.Domain(0, cp.INT_MAX)
_AT_LEAST_ONE = cp.Domain(1, cp.INT_MAX)
_NONZERO = cp.Domain.from_flat_intervals([cp.INT_MIN, -1, 1, cp.INT_MAX])
_ZERO = cp.Domain(0, 0)


class Encoder:
    """Encoder of conditions and linear expressions in a CP-SAT model, over the decision variables in `columns`.

    Attributes:
        peaks: for each atom that stands for the maximum use of a resource, the intervals that use the resource. The
            CP-SAT variable of the atom is also the capacity of a cumulative constraint over these intervals.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._model = columns.model
        self._literals: dict[ir.Bool, Literal] = {}
        self._integers: dict[Derived, cp.IntVar] = {}
        self._sides: dict[ir.Bool | Derived, int] = {}
        self._defined_by_routes: set[ir.Bool] = set()
        self._arcs: dict[Routes, Mapping[Arc, Literal]] = {}
        self.peaks: Mapping[ir.Extreme, Peak] = {}

    # -- conditions -------------------------------------------------------------------------------

    def require(self, node: ir.Bool) -> None:
        """Require that a condition holds."""
        self._require_truth(node, True, ())

    def require_all(self, nodes: Iterable[ir.Bool]) -> None:
        """Require that all conditions hold. Conditions on single variables come first, to keep domains small.

        Pairwise different variables become one constraint. With it, the minimum cost of 21 different variables over 714
        values is proved in 11 s; with constraints on pairs, it is not proved in 20 s (one worker, OR-tools 9.15).
        """
        items = (part for node in nodes for part in (node.items if isinstance(node, ir.And) else (node,)))
        parts = list(dict.fromkeys(items))
        for part in parts:
            self._columns.narrow(part)
        disequalities = Disequalities.of(parts)
        for part in disequalities.rest:
            self.require(part)
        for clique in disequalities.cliques():
            self._model.add_all_different([self._columns.var(var) for var in clique])
        for part in disequalities.post(self._columns):
            self.require(part)

    def define_by_routes(self, routes: Routes) -> None:
        """Create a new literal for the condition of each arc that is in `Routes.defines`, without constraints.

        `require_routes` must be called later to constrain these literals.
        """
        for arc in routes.arcs:
            node = arc.condition.item if isinstance(arc.condition, ir.Negation) else arc.condition
            if node is not None and id(node) in routes.defines and node not in self._literals:
                self._literals[node] = self._model.new_bool_var("")
                self._sides[node] = EXACT
                self._defined_by_routes.add(node)

    def require_routes(self, routes: Routes) -> None:
        """Require that the used arcs form routes from the depot through all nodes that are not skipped.

        If `Routes.defines` is not empty, also require `Arc.implies` for each used arc, and that at most one arc of each
        set in `Routes.exclusive` is used. OR-tools 9.15 rejects routes that skip every node, so a dummy node is added
        if all nodes can be skipped.
        """
        literals = {
            arc: self._model.new_bool_var("") if arc.condition is None else self.literal(arc.condition, EXACT)
            for arc in routes.arcs
        }
        posted = [(arc.start, arc.end, literal) for arc, literal in literals.items()]
        nodes = {arc.end for arc in routes.arcs}
        if nodes - {0} == {arc.start for arc in routes.arcs if arc.start == arc.end}:
            posted += [(0, len(nodes), self._columns.true()), (len(nodes), 0, self._columns.true())]
        self._model.add_multiple_circuit(posted)
        if routes.defines:
            for arc, literal in literals.items():
                if arc.implies is not ir.TRUE:
                    self._require_truth(arc.implies, True, (literal,))
            for arcs in routes.exclusive:
                self._model.add_at_most_one(literals[arc] for arc in arcs)
        self._arcs[routes] = literals

    def require_loads(self, routes: Routes) -> None:
        """Post the capacity constraints of routes: the amounts of a route's nodes sum to at most the capacity.

        Each node gets a load that grows along the route by the node's amount. A node that is in no route may have any
        load. Also require that there are at least `Load.fewest` routes. Call `require_routes` first.
        """
        for load in routes.loads:
            self._require_load(load, self._arcs[routes])

    def _require_load(self, load: Load, literals: Mapping[Arc, Literal]) -> None:
        capacity, amounts = load.capacity, (0, *load.amounts)
        sums = [self._model.new_int_var(min(amount, capacity), capacity, "") for amount in amounts]
        for arc, literal in literals.items():
            if 0 in (arc.start, arc.end) or arc.start == arc.end:
                continue
            if amounts[arc.start] + amounts[arc.end] > capacity:
                self._columns.clause((~literal,), ())
            else:
                grown = sums[arc.end] - sums[arc.start] - amounts[arc.end]
                self._enforce(grown, _AT_LEAST_ZERO, (literal,))
        departures = sum(literal for arc, literal in literals.items() if arc.start == 0)
        self._model.add(departures >= load.fewest)

    def require_no_overlap(self, no_overlap: NoOverlap) -> None:
        """Require that the present intervals do not overlap."""
        self._model.add_no_overlap(map(self._interval, no_overlap.intervals))

    def require_different(self, different: Different) -> None:
        """Require that no two of the linear expressions are equal."""
        self._model.add_all_different(map(self._as_affine, different.forms, different.ranges))

    def require_cumulative(self, cumulative: Cumulative) -> None:
        """Require that the present intervals never use more than the capacity together."""
        intervals = map(self._interval, cumulative.intervals)
        self._model.add_cumulative(intervals, cumulative.demands, cumulative.capacity)

    def require_boxes(self, boxes: Boxes) -> None:
        """Require that rectangles do not overlap.

        If an objective is at least the end of every rectangle along an axis (`Boxes.reaches`), also add a cumulative
        constraint for each axis, and a lower bound of the objective from the total area of the rectangles. With these
        constraints, twelve rectangles took 0.5 s instead of 6 s.
        """
        sides = (boxes.across, boxes.along)
        posted = [[self._interval(interval) for interval in side] for side in sides]
        self._model.add_no_overlap_2d(*posted)
        if boxes.reaches == (None, None):
            return
        lows = [min(each.start.low for each in side) for side in sides]
        extents = [
            max(each.start.high + each.length.constant for each in side) - low
            for side, low in zip(sides, lows, strict=True)
        ]
        lengths = [[each.length.constant for each in side] for side in sides]
        area = sum(a * b for a, b in zip(*lengths, strict=True))
        for axis, reach in enumerate(boxes.reaches):
            capacity = extents[axis] if reach is None else self.expression(reach, ABOVE) - lows[axis]
            self._model.add_cumulative(posted[1 - axis], lengths[axis], capacity)
            if reach is not None:
                self._model.add(extents[1 - axis] * capacity >= area)

    def _interval(self, interval: Interval) -> cp.IntervalVar:
        start, present = self._as_affine(interval.start), self.literal(interval.present, EXACT)
        if interval.length.is_constant:
            return self._model.new_optional_fixed_size_interval_var(start, interval.length.constant, present, "")
        end = self._model.new_int_var(interval.start.low, interval.start.high + interval.length.high, "")
        return self._model.new_optional_interval_var(start, self._as_affine(interval.length), end, present, "")

    def literal(self, node: ir.Bool, sides: int) -> Literal:
        """Return a literal for a condition.

        Args:
            node: the condition.
            sides: implications that must hold: BELOW if the literal must imply the condition, ABOVE if the
                condition must imply the literal, EXACT if both. The other implication may hold as well.
        """
        if isinstance(node, ir.InDomain):
            return self._columns.member(node.var, node.domain, sides)
        if isinstance(node, ir.Negation):
            return ~self.literal(node.item, opposite(sides))
        if isinstance(node, ir.BooleanConstant):
            return self._columns.true() if node.value else ~self._columns.true()
        proxy = self._literals.get(node)
        if proxy is None:
            proxy = self._literals[node] = self._model.new_bool_var("")
        missing_sides = self._add_sides(node, sides)
        if missing_sides and isinstance(node, ir.InTable) and self._columns.tabulate(node, proxy):
            self._sides[node] = EXACT
            return proxy
        if missing_sides & BELOW:
            self._post(node, True, (proxy,))
        if missing_sides & ABOVE:
            self._post(node, False, (~proxy,))
        return proxy

    def _add_sides(self, node: ir.Bool | Derived, sides: int) -> int:
        """Record that the CP-SAT variable or literal of a node is valid on `sides`. Return the sides that are new.

        A side is one direction: for a condition, that the literal implies it (BELOW) or is implied by it (ABOVE).
        """
        valid_sides = self._sides.get(node, 0)
        self._sides[node] = valid_sides | sides
        return sides & ~valid_sides

    def _require_truth(self, node: ir.Bool, truth: bool, under: Literals) -> None:
        """Require that a condition has the truth value `truth` whenever all literals in `under` hold.

        It is enough to require a literal that implies the condition (if `truth` is false, the negation of a literal
        that the condition implies). The encoder does so if it has already created this literal, and if `under` is not
        empty or the condition's truth follows from routes (`Routes.defines`). Otherwise, the condition itself is
        encoded.
        """
        while isinstance(node, ir.Negation):
            node, truth = node.item, not truth
        existing = self._literals.get(node) if under or node in self._defined_by_routes else None
        if existing is not None and self._sides[node] & (BELOW if truth else ABOVE):
            self._columns.clause((existing if truth else ~existing,), under)
        else:
            self._post(node, truth, under)

    def _post(self, node: ir.Bool, truth: bool, under: Literals) -> None:
        """Require that a condition has the truth value `truth` whenever all literals in `under` hold.

        The condition's own literal is not used, because this method also defines it.
        """
        tick()
        match node:
            case ir.BooleanConstant(value=value):
                if value is not truth:
                    self._columns.clause((), under)
            case ir.Negation(item=item):
                self._post(item, not truth, under)
            case ir.InDomain(var=var, domain=domain):
                self._columns.within(var, domain if truth else self._columns.domain(var) - domain, under)
            case ir.AtMostZero(linear=linear):
                if truth:
                    self._enforce(self.expression(linear, ABOVE), _AT_MOST_ZERO, under)
                else:
                    self._enforce(self.expression(linear, BELOW), _AT_LEAST_ONE, under)
            case ir.IsZero(linear=linear):
                self._enforce(self.expression(linear, EXACT), _ZERO if truth else _NONZERO, under)
            case ir.InTable():
                self._columns.table(node, truth, under)
            case ir.And(items=items):
                if truth:
                    for item in items:
                        self._require_truth(item, True, under)
                else:
                    self._require_any(items, False, under)
            case ir.Or(items=items):
                if truth:
                    self._require_any(items, True, under)
                else:
                    for item in items:
                        self._require_truth(item, False, under)
            case _:
                assert_never(node)

    def _require_any(self, items: tuple[ir.Bool, ...], truth: bool, under: Literals) -> None:
        """Require that at least one of the conditions `items` has the value `truth` whenever all of `under` hold."""
        sides = BELOW if truth else ABOVE
        if len(items) == 2:
            # for `a or b`, a comparison b needs no literal of its own: it is enforced if the literal of a is false
            for item, other in (items, items[::-1]):
                inner = item.item if isinstance(item, ir.Negation) else item
                if isinstance(inner, ir.AtMostZero | ir.IsZero) and inner not in self._literals:
                    leader = self.literal(other, sides)
                    self._require_truth(item, truth, (*under, ~leader if truth else leader))
                    return
        literals = [self.literal(item, sides) for item in items]
        self._columns.clause(literals if truth else (~literal for literal in literals), under)

    def _enforce(self, expression: cp.LinearExpr, domain: cp.Domain, under: Literals) -> None:
        posted = self._model.add_linear_expression_in_domain(expression, domain)
        if under:
            posted.only_enforce_if(list(under))

    # -- integers ---------------------------------------------------------------------------------

    def expression(self, linear: ir.Linear, sides: int) -> cp.LinearExpr:
        """Return a CP-SAT expression for a linear expression.

        It is at most the linear expression (BELOW), at least the linear expression (ABOVE), or equal to it (EXACT).
        """
        tick()
        proxies: list[cp.LinearExprT] = []
        coefficients: list[int] = []
        constant = linear.constant
        for atom, c in linear.terms:
            match atom:
                case ir.IntVar():
                    proxies.append(self._columns.var(atom))
                case ir.Indicator(condition=condition):
                    proxies.append(self.literal(condition, sides if c > 0 else opposite(sides)))
                case ir.Tabled():
                    proxy, slope, start = self._columns.table_value(atom, sides if c > 0 else opposite(sides))
                    proxies.append(proxy)
                    constant += c * start
                    c *= slope
                case _:
                    proxies.append(self._derived_variable(atom, sides if c > 0 else opposite(sides)))
            coefficients.append(c)
        total = cp.LinearExpr.weighted_sum(proxies, coefficients)
        return total + constant if constant else total

    def _derived_variable(self, atom: Derived, sides: int) -> cp.IntVar:
        target = self._integers.get(atom)
        if target is None:
            target = self._integers[atom] = self._model.new_int_var(atom.low, atom.high, "")
        if isinstance(atom, ir.Quotient | ir.Product):
            sides = EXACT
        missing_sides = self._add_sides(atom, sides)
        if missing_sides:
            match atom:
                case ir.Product(left=left, right=right):
                    factors = [self._as_affine(left), self._as_affine(right)]
                    self._model.add_multiplication_equality(target, factors)
                case ir.Quotient(dividend=dividend, divisor=divisor):
                    # CP-SAT's division truncates. The bounds on the remainder round down, also for negative dividends.
                    remainder = self.expression(dividend, EXACT) - divisor * target
                    self._enforce(remainder, cp.Domain(0, divisor - 1), ())
                case ir.Select():
                    self._bound_by_cases(target, atom, missing_sides)
                case ir.Extreme():
                    outer = ABOVE if atom.greatest else BELOW
                    peak = self.peaks.get(atom)
                    if peak is not None and missing_sides & outer:
                        self._bound_by_use(target, peak)
                    if missing_sides & outer and (peak is None or not peak.is_exact):
                        self._bound_by_cases(target, atom, outer)
                    if missing_sides & ~outer:
                        self._bound_by_one_case(target, atom)
                case _:
                    assert_never(atom)
        return target

    def _as_affine(self, linear: ir.Linear, within: tuple[int, int] | None = None) -> cp.LinearExprT:
        """Translate a linear expression for CP-SAT. If it has more than one term, return a new variable equal to it.

        Such a variable is restricted to the range `within` (minimum, maximum), if it is given.
        """
        if linear.is_constant:
            return linear.constant
        if len(linear.terms) == 1:
            return self.expression(linear, EXACT)
        target = self._model.new_int_var(*(within or (linear.low, linear.high)), "")
        self._enforce(self.expression(linear, EXACT) - target, _ZERO, ())
        return target

    def _bound_by_use(self, target: cp.IntVar, peak: Peak) -> None:
        """Require that the intervals of a group (a pair in `Peak.uses`) never use more than `target` together.

        Also require that `target` is at least the average use by intervals that are always present. With that bound,
        the minimum peak of 30 activities was proved at once; without it, after 3.5 s.
        """
        for intervals, demands in peak.uses:
            self._model.add_cumulative(map(self._interval, intervals), demands, target)
            sure = [(each, use) for each, use in zip(intervals, demands, strict=True) if each.present is ir.TRUE]
            if sure:
                span = max(each.start.high + each.length.high for each, _ in sure) - min(e.start.low for e, _ in sure)
                self._model.add(span * target >= sum(each.length.low * use for each, use in sure))

    def _bound_by_cases(self, target: cp.IntVar, atom: ir.Select | ir.Extreme, sides: int) -> None:
        """Bound `target`, which stands for an atom with cases, by each value whose guard holds; by 0 if no guard holds.

        The values are lower bounds of `target` if `sides` has ABOVE, and upper bounds if it has BELOW.
        """
        implied = (sides == ABOVE and atom.low >= 0) or (sides == BELOW and atom.high <= 0)
        guards = [guard for guard, _ in atom.cases if guard is not ir.TRUE]
        needs_none = len(guards) == len(atom.cases) and not implied
        for guard, value in atom.cases:
            condition: Literals = ()
            if guard is not ir.TRUE:
                condition = (self.literal(guard, EXACT if needs_none else ABOVE),)
            self._bound_by_value(target, value, sides, condition)
        if needs_none:
            self._bound_by_value(target, None, sides, tuple(~self.literal(guard, EXACT) for guard in guards))

    def _bound_by_one_case(self, target: cp.IntVar, atom: ir.Extreme) -> None:
        """Require that a maximum is at most the largest value whose guard holds.

        For a minimum, require that it is at least the smallest value whose guard holds. If no guard holds, the bound
        is 0. Together with `_bound_by_cases`, the maximum or minimum is then exact.

        Args:
            target: CP-SAT variable of the maximum or minimum.
            atom: the maximum or minimum.
        """
        sides = BELOW if atom.greatest else ABOVE
        guards = [guard for guard, _ in atom.cases if guard is not ir.TRUE]
        if not guards:
            post = self._model.add_max_equality if atom.greatest else self._model.add_min_equality
            post(target, [self._as_affine(value) for _, value in atom.cases])
            return
        picks: list[Literal] = []
        for guard, value in atom.cases:
            pick = self._model.new_bool_var("")
            picks.append(pick)
            self._bound_by_value(target, value, sides, (pick,))
            self._require_truth(guard, True, (pick,))
        if len(guards) == len(atom.cases):
            pick = self._model.new_bool_var("")
            picks.append(pick)
            self._bound_by_value(target, None, sides, (pick,))
            for guard in guards:
                self._require_truth(guard, False, (pick,))
        self._columns.clause(picks, ())

    def _bound_by_value(self, target: cp.IntVar, value: ir.Linear | None, sides: int, under: Literals) -> None:
        """Require that `target` is at most a value (BELOW), at least it (ABOVE) or equal to it (EXACT).

        The requirement applies whenever all literals in `under` hold. A value of None stands for 0.
        """
        difference = target if value is None else target - self.expression(value, sides)
        domain = _ZERO if sides == EXACT else _AT_MOST_ZERO if sides == BELOW else _AT_LEAST_ZERO
        self._enforce(difference, domain, under)
