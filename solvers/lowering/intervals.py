"""Lowering of `no_overlap(...)` and `peak(...)` to conditions on pairs of rows.

Intervals do not overlap if, in each pair, one of them ends early enough: its end plus the required gap is at most the
start of the other. The sum of amounts in use grows only when a row with a positive amount starts or a row with a
negative amount ends. Its maximum is therefore the sum at one of these moments, or 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import lcm

from planspec.dsl.model import tree as t
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Extreme, Linear
from planspec.solvers.lowering import aggregates
from planspec.solvers.lowering.context import LoweringContext, SymbolicEnv
from planspec.solvers.lowering.no_overlap import have_positive_lengths, pairs
from planspec.solvers.lowering.relations import Element, PeakRule, PeakValue, SuccessionRule, binding_key
from planspec.solvers.lowering.symbolic import Num, Value


@dataclass(frozen=True, slots=True)
class _Run:
    """The interval of one row of `no_overlap(...)` or `peak(...)`, that is, of one binding of its generator.

    Attributes:
        element: identity of the binding, the condition that it exists, and its group (`per=`).
        start: start of the interval.
        end: end of the interval.
        valid: condition that start and end are defined, and the end is not before the start.
        env: the binding: values of the variables of the generator.
    """

    element: Element
    start: Linear
    end: Linear
    valid: Bool
    env: SymbolicEnv


def condition(context: LoweringContext, expr: t.Intervals, env: SymbolicEnv) -> Bool:
    """Lower `no_overlap(...)` to the condition that no two rows of a group (`per=`) overlap."""
    model = context.model
    runs = list(_runs(context, expr, env))
    ends: list[tuple[Bool, Linear]] = []
    for run in runs:
        defined: Bool = TRUE
        until = run.end
        if expr.gap is not None:
            gap = context.algebra.num(context.value(expr.gap, run.env))
            defined, until = gap.defined, model.plus(run.end, _at_least_zero(context, gap.linear))
        ends.append((defined, until))
    elements = [run.element for run in runs]
    starts = [run.start for run in runs]
    in_order = [model.disj((model.negate(run.element.present), run.valid)) for run in runs]
    apart = pairs(context, elements, starts, ends, one_clause=True)
    result = context.fold(model.conj((*in_order, *apart)))
    intervals = [
        (run.valid, run.start, model.minus(until if defined is TRUE else run.end, run.start))
        for run, (defined, until) in zip(runs, ends, strict=True)
    ]
    context.encountered.successions.append(
        SuccessionRule(elements, intervals, have_positive_lengths(intervals), result)
    )
    return result


def overlaps(context: LoweringContext, expr: t.Intervals, env: SymbolicEnv) -> Iterator[tuple[Bool, Linear]]:
    """Yield, for each pair of rows of a `no_overlap`, the amount by which the later row starts too early.

    Each result is a pair (condition, amount), one for each order of the two rows: the amount is valid only if the
    condition holds. It is not positive if the later row starts late enough.
    """
    model = context.model
    ends: list[tuple[_Run, Bool, Linear]] = []
    for run in _runs(context, expr, env):
        defined, until = run.valid, run.end
        if expr.gap is not None:
            gap = context.algebra.num(context.value(expr.gap, run.env))
            defined = model.conj((defined, gap.defined))
            until = model.plus(run.end, _at_least_zero(context, gap.linear))
        ends.append((run, model.conj((run.element.present, defined)), until))
    for (one, one_present, one_until), (other, other_present, other_until) in combinations(ends, 2):
        both = model.conj((one_present, other_present, same_group(context, one.element, other.element)))
        if both is FALSE:
            continue
        one_first = model.at_most_zero(model.minus(one.start, other.start))
        yield model.conj((both, one_first)), model.minus(one_until, other.start)
        yield model.conj((both, model.negate(one_first))), model.minus(other_until, one.start)


def value(context: LoweringContext, expr: t.Intervals, env: SymbolicEnv) -> Value:
    """Lower `peak(...)`, the maximum sum of amounts in use at any time, to a number."""
    model = context.model
    peak = _Peak(context, expr, env)
    sums = [(TRUE, model.constant(0)), *((peak.elements[index].present, total) for index, total in peak.sums())]
    total = model.extreme(sums, greatest=True)
    match total:
        case Linear(terms=((Extreme(greatest=True) as atom, 1),), constant=0) if peak.scale == 1:
            context.encountered.peak_values.append(
                PeakValue(peak.elements, peak.intervals, peak.demands, peak.is_constant, atom)
            )
    return aggregates.plain_if_constant(Num(total, peak.defined, peak.scale))


def bounded_peak(context: LoweringContext, expr: t.Compare, env: SymbolicEnv) -> Bool | None:
    """Lower `peak(...) <= CAPACITY` to limits on the sum of the amounts in use.

    There is a limit at the start of each row whose amount may be positive, and at the end of each row whose amount may
    be negative. Comparisons with `<` and with swapped sides are also supported.

    Returns:
        The condition; None if the comparison has another form, or the capacity is not a single number.
    """
    match expr:
        case t.Compare(operands=(t.Intervals() as intervals, bound), ops=("<=" | "<" as op,)):
            pass
        case t.Compare(operands=(bound, t.Intervals() as intervals), ops=(">=" | ">" as op,)):
            pass
        case _:
            return None
    model, algebra = context.model, context.algebra
    limit = algebra.num(context.value(bound, env))
    peak = _Peak(context, intervals, env)
    scale = lcm(limit.scale, peak.scale)
    least = model.scale(limit.linear, scale // limit.scale)
    if op in "<>":
        least = model.minus(least, model.constant(1))

    def fits(amount: Linear) -> Bool:
        return model.at_most_zero(model.minus(model.scale(amount, scale // peak.scale), least))

    limits = [
        (index, model.disj((model.negate(peak.elements[index].present), fits(total)))) for index, total in peak.sums()
    ]
    result = context.fold(
        model.conj((limit.defined, peak.defined, fits(model.constant(0)), *(each for _, each in limits)))
    )
    if scale == 1:
        is_exact = peak.is_constant and least.is_constant
        context.encountered.peaks.append(
            PeakRule(peak.elements, peak.intervals, peak.demands, least.high, limits, is_exact, result)
        )
    return result


class _Peak:
    """The rows of one use of `peak(...)`, with their intervals and the amounts that they use.

    Attributes:
        defined: condition that the peak is not *none*.
        scale: denominator of all amounts.
        elements: rows of the `peak`.
        intervals: for each row, the condition that its interval is valid, its start, and its length.
        demands: lower bound of the amount of each row; the amount itself if `is_constant`.
        is_constant: whether no amount depends on the plan.
    """

    def __init__(self, context: LoweringContext, expr: t.Intervals, env: SymbolicEnv) -> None:
        model = context.model
        self._context = context
        self._runs = list(_runs(context, expr, env))
        numbers = [context.algebra.num(context.value(expr.body, run.env)) for run in self._runs]
        self.scale = lcm(*(number.scale for number in numbers))
        self._amounts = [model.scale(number.linear, self.scale // number.scale) for number in numbers]
        self.defined = model.conj(
            model.disj((model.negate(run.element.present), model.conj((run.valid, number.defined))))
            for run, number in zip(self._runs, numbers, strict=True)
        )
        self.elements = [run.element for run in self._runs]
        self.intervals = [(run.valid, run.start, model.minus(run.end, run.start)) for run in self._runs]
        self.demands = [amount.low for amount in self._amounts]
        self.is_constant = all(amount.is_constant for amount in self._amounts)

    def sums(self) -> Iterator[tuple[int, Linear]]:
        """Yield the sum of the amounts at each moment at which the sum may be largest, as pairs `(index, sum)`.

        Such a moment is the start of a row whose amount may be positive, or the end of a row whose amount may be
        negative. `index` is the index of this row.
        """
        for index, (run, amount) in enumerate(zip(self._runs, self._amounts, strict=True)):
            if amount.high > 0:
                yield index, self._sum_at(run.element, run.start)
            if amount.low < 0:
                yield index, self._sum_at(run.element, run.end)

    def _sum_at(self, element: Element, moment: Linear) -> Linear:
        """Return the sum of the amounts of the rows that run at a moment and are in the group of `element`."""
        context, model = self._context, self._context.model
        parts = []
        for other, amount in zip(self._runs, self._amounts, strict=True):
            begun = model.at_most_zero(model.minus(other.start, moment))
            ended = model.at_most_zero(model.minus(other.end, moment))
            same = same_group(context, element, other.element)
            running = model.conj((other.element.present, same, begun, model.negate(ended)))
            parts.append(model.select(((running, amount),)))
        return model.sum(parts)


def same_group(context: LoweringContext, one: Element, other: Element) -> Bool:
    """Return the condition that two elements (rows) have the same value of `per=`, that is, are in the same group."""
    return TRUE if one.group is other.group else context.atoms.equal(one.group, other.group)


def _runs(context: LoweringContext, expr: t.Intervals, env: SymbolicEnv) -> Iterator[_Run]:
    """Yield the interval of each row that `expr`, a `no_overlap(...)` or `peak(...)`, may range over.

    Rows that never take part are left out: rows that never exist, never have a group, or have neither start nor end.
    """
    model, algebra = context.model, context.algebra
    for guard, inner in aggregates.bindings(context, expr.clauses, env):
        rank = context.value(expr.start, inner)
        start, end = algebra.num(rank), algebra.num(context.value(expr.end, inner))
        group = None if expr.per is None else context.value(expr.per, inner)
        has_group = TRUE if expr.per is None else algebra.defined(group)
        present = model.conj((guard, has_group, model.disj((start.defined, end.defined))))
        if present is not FALSE:
            in_order = model.at_most_zero(model.minus(start.linear, end.linear))
            element = Element(binding_key(expr.clauses, inner), present, rank, group)
            yield _Run(element, start.linear, end.linear, model.conj((start.defined, end.defined, in_order)), inner)


def _at_least_zero(context: LoweringContext, linear: Linear) -> Linear:
    """Return the maximum of an expression and 0."""
    if linear.low >= 0:
        return linear
    model = context.model
    return model.extreme(((TRUE, linear), (TRUE, model.constant(0))), greatest=True)
