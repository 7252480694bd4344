"""Conditions on an incomplete plan that decide an expression for all plans into which the plan can grow.

**Growth.** A plan Q grows out of a plan P by adding rows and by filling optional fields that are *none*. Nothing
is removed or changed. Each row of P thus corresponds to its own row in the same table of Q. Both have the same value
in every column in which the row of P has a value (references refer to the corresponding rows). Both plans are sound:
mandatory columns have values, keys are unique, `one` tables have at most one row, and all names are known. Also, keys
satisfy constraints of the form `all(d.day in trip for d in days)`, since plans that violate them fail anyway. In Q, a
variable bound to a row of P has the corresponding row as its value.

**Conditions.** For an expression e, three conditions are built. They are evaluated on P only:

    settled(e)   true only if e has the same value in P and in every Q that grows out of P (*none* counts as a value)
    possible(e)  false only if e is false in every such Q
    certain(e)   true only if e is true in every such Q

For numbers there are also expressions `low(e)` and `high(e)`: the value of e in every such Q, unless *none*, lies
between them. They are *none* only if e is *none* in every such Q.

A constraint fails in all plans that grow out of P if `possible(constraint)` is false on P. A plan that
grows out of Q also grows out of P. While a plan grows, each condition can therefore change in one direction only:

- possible(e) from true to false,
- settled(e) and certain(e) from false to true.

Likewise, low(e) can only increase, and high(e) can only decrease.

A comment beside each case explains why it is sound. Expressions without a case count as changeable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.monotone.bounds import BoundEstimator, is_moment, is_numeric
from planspec.verifiers.monotone.inline import may_be_none, reads_plan
from planspec.verifiers.monotone.nodes import (
    Order,
    choose,
    conj,
    constant,
    disj,
    fixes_whole_key,
    is_all_rows,
    is_present,
    is_truth,
    key_tests,
    mentions,
    negated,
    ordered_comparisons,
    range_comparison,
    split_chain,
    terms,
    truth,
    with_conjunct,
)


class MonotoneClaims:
    """Builder of three conditions on an incomplete plan for an expression.

    - `settled` is true only if the value of the expression can no longer change.
    - `possible` is false only if the expression is false in every plan into which the plan can grow.
    - `certain` is true only if the expression is true in every plan into which the plan can grow.

    The conditions are monotone: while a plan grows, each can change in one direction only. Definitions that read the
    plan must be inlined in the expressions.

    Args:
        interpreter: interpreter of the task, without a plan.
        bounds: estimator of bounds of numbers.
        allowed_keys: for plan tables with one key column, the collection of keys that constraints allow, by table.
    """

    def __init__(self, interpreter: Interpreter, bounds: BoundEstimator, allowed_keys: Mapping[str, t.Expr]) -> None:
        self._interpreter = interpreter
        self._bounds = bounds
        self._allowed_keys = allowed_keys
        self._settled: dict[t.Expr, t.Expr] = {}
        self.reasons: dict[str, None] = {}

    # -- settled ----------------------------------------------------------------------------------------

    def settled(self, e: t.Expr) -> t.Expr:
        """Return a condition on a plan that is true only if the value of `e` cannot change while the plan grows."""
        if e not in self._settled:
            self._settled[e] = self._settled_of(e)
        return self._settled[e]

    def _settled_of(self, e: t.Expr) -> t.Expr:  # noqa: C901 one case for each kind of expression
        yes, no = truth(True, e.span), truth(False, e.span)
        match e:
            case t.Literal() | t.Var() | t.GivenRef() | t.RowNamed() | t.AllMembers() | t.IsUnknown():
                return yes  # variables are bound to rows that are never removed, and all names are known
            case t.AllRows(table=table):
                return no if table.plan else yes  # facts do not change
            case t.FieldOf(row=row, column=column):
                row_settled = self.settled(row)
                # a plan row never loses its values; its open fields may still be filled
                return (
                    conj((row_settled, is_present(e)), e.span)
                    if column.optional and self._is_plan_row(row)
                    else row_settled
                )
            case t.Lookup(table=table, keys=keys):
                if not table.plan:
                    return conj(map(self.settled, keys), e.span)
                # keys are unique: a row that was found remains the only one
                return conj((*map(self.settled, keys), is_present(e)), e.span) if fixes_whole_key(e) else no
            case t.OnlyRow():
                return is_present(e)  # there is at most one row
            case t.Negate(operand=x) | t.IsNone(operand=x):
                return self.settled(x)
            case t.Arith(left=a, right=b):
                return conj((self.settled(a), self.settled(b)), e.span)
            case t.InSet(item=a, collection=b):
                return conj((self.settled(a), self.settled(b)), e.span)
            case t.Compare(operands=xs) | t.Call(args=xs) | t.SetLiteral(items=xs) | t.Apply(args=xs):
                return conj(map(self.settled, xs), e.span)  # an `Apply` that was not inlined does not read the plan
            case t.RangeOf(low=a, high=b, step=step):
                return conj((self.settled(x) for x in (a, b, step) if x is not None), e.span)
            case t.Not() | t.Logic():
                return disj((self.certain(e), negated(self.possible(e))), e.span)
            case t.Coalesce(left=a, right=b):
                return conj((self.settled(a), disj((is_present(a), self.settled(b)), e.span)), e.span)
            case t.Conditional(condition=c, then=a, otherwise=b):
                return conj((self.settled(c), choose(c, self.settled(a), self.settled(b))), e.span)
            case t.Aggregate(body=body, clauses=clauses, by=by):
                return self._settled_loop(e, clauses, [body] if by is None else [body, by])
            case t.Intervals(clauses=clauses):
                return self._settled_loop(e, clauses, [e.body, *_interval_parts(e)])
            case t.SetOf(body=body, clauses=clauses):
                return self._settled_loop(e, clauses, [body])
            case t.Steps():
                return no  # a future row may come between two neighbours
            case _:
                assert_never(e)

    def _settled_loop(self, e: t.Expr, clauses: Sequence[t.Clause], bodies: Sequence[t.Expr]) -> t.Expr:
        """Return the condition that the collections, conditions and terms of a loop no longer change.

        Return the constant false if the condition would depend on the loop's variables, since the test must not run
        the loop again.
        """
        parts = [self.settled(clause.source) for clause in clauses]
        parts += [self.settled(c.condition) for c in clauses if c.condition is not None]
        parts += [self.settled(body) for body in bodies]
        bound = [target for clause in clauses for target in clause.targets]
        if any(mentions(part, bound) for part in parts):
            return truth(False, e.span)
        return conj(parts, e.span)

    def _only_fills(self, e: t.Expr) -> bool:
        """Return whether the value of `e`, such as an optional field, can change only once: from *none* to another."""
        match e:
            case t.FieldOf(row=row, column=column):
                return column.optional and self._is_plan_row(row) and (isinstance(row, t.Var) or self._only_fills(row))
            case t.Lookup(table=table, keys=keys):
                return table.plan and fixes_whole_key(e) and all(is_truth(self.settled(k), True) for k in keys)
            case t.OnlyRow():
                return True
            case _:
                return False

    def _is_plan_row(self, row: t.Expr) -> bool:
        return self._interpreter.task.tables[str(row.type)].plan

    # -- conditions -------------------------------------------------------------------------------------

    def possible(self, e: t.Expr) -> t.Expr:
        """Return a condition on a plan that is false only if `e` is false in all plans into which the plan can grow."""
        match e:
            case t.Logic(op="and", operands=xs):
                return conj(map(self.possible, xs), e.span)
            case t.Logic(op="or", operands=xs):
                return disj(map(self.possible, xs), e.span)
            case t.Logic(operands=(a, b)):
                return disj((negated(self.certain(a)), self.possible(b)), e.span)
            case t.Not(operand=x):
                return negated(self.certain(x))
            case t.Conditional(condition=c, then=a, otherwise=b):
                taken = conj((self.possible(c), self.possible(a)), e.span)
                return disj((taken, conj((negated(self.certain(c)), self.possible(b)), e.span)), e.span)
            case t.IsUnknown(negated=no):
                return truth(no, e.span)
            case t.IsNone(operand=x, negated=no) if self._only_fills(x):
                return truth(True, e.span) if no else e  # a field that is *none* may still be filled, but only once
            case t.Compare():
                return conj((self._possible_pair(pair) for pair in split_chain(e)), e.span)
            case t.InSet(item=item, collection=t.RangeOf(low=low, high=high, step=None), negated=False):
                return self.possible(range_comparison(e, item, low, high))
            case t.Aggregate(function="all", body=body, clauses=clauses):
                # bindings of `stay` remain while the plan grows; if the body stays false for one, `e` stays false
                stay = self._certain_clauses(clauses)
                claim = self._claim_of_loop(e, "all", self.possible(body), stay)
                if not is_truth(claim, True):
                    self._add_row_reason("each row of {} is looked at by itself, and none is taken back", clauses)
                return claim
            case t.Aggregate(function="any", body=body, clauses=clauses):
                return self._possible_any(e, body, clauses)
            case t.Aggregate(function="all_different", body=body):
                # equal terms that are settled remain equal, and a settled *none* remains; either makes `e` false
                return self._possible_pairs(e, [body], "equal values of rows of {} remain equal")
            case t.Intervals(function="no_overlap"):
                # settled rows that overlap continue to overlap, and more rows only add pairs
                return self._possible_pairs(e, _interval_parts(e), "intervals of {} that overlap continue to overlap")
            case _:
                return self._unless_open(e)

    def certain(self, e: t.Expr) -> t.Expr:
        """Return a condition on a plan that is true only if `e` is true in all plans into which the plan can grow."""
        match e:
            case t.Logic(op="and", operands=xs):
                return conj(map(self.certain, xs), e.span)
            case t.Logic(op="or", operands=xs):
                return disj(map(self.certain, xs), e.span)
            case t.Logic(operands=(a, b)):
                return disj((negated(self.possible(a)), self.certain(b)), e.span)
            case t.Not(operand=x):
                return negated(self.possible(x))
            case t.Conditional(condition=c, then=a, otherwise=b):
                taken = disj((negated(self.possible(c)), self.certain(a)), e.span)
                return conj((taken, disj((self.certain(c), self.certain(b)), e.span)), e.span)
            case t.IsUnknown(negated=no):
                return truth(no, e.span)
            case t.Compare():
                return conj((self._certain_pair(pair) for pair in split_chain(e)), e.span)
            case t.InSet(item=item, collection=t.RangeOf(low=low, high=high, step=None), negated=False):
                return self.certain(range_comparison(e, item, low, high))
            case t.Aggregate(function="all", body=body, clauses=clauses) if self._is_bounded(clauses):
                return self._claim_of_loop(e, "all", self.certain(body), self._possible_clauses(clauses))
            case t.Aggregate(function="any", body=body, clauses=clauses):
                return self._claim_of_loop(e, "any", self.certain(body), self._certain_clauses(clauses))
            case _:
                return conj((e, self.settled(e)), e.span)

    def _possible_pairs(self, e: t.Aggregate | t.Intervals, parts: Iterable[t.Expr], reason: str) -> t.Expr:
        """Return `e`, restricted to bindings that persist and with which the values of `parts` cannot change.

        A binding persists if it still exists after the plan has grown. `reason` explains why the result is sound,
        and is added to the reasons of the condition.
        """
        stay = self._settled_clauses(e.clauses, parts)
        if stay is None:
            return truth(True, e.span)
        self._add_row_reason(reason, e.clauses)
        return replace(e, clauses=stay)

    def _unless_open(self, e: t.Expr) -> t.Expr:
        """Return the condition that `e` is true or may still change."""
        settled = self.settled(e)
        if not is_truth(settled, False) and not is_truth(settled, True):
            self.reasons["what is settled does not change"] = None
        return disj((e, negated(settled)), e.span)

    def _possible_any(self, e: t.Aggregate, body: t.Expr, clauses: Sequence[t.Clause]) -> t.Expr:
        if self._is_bounded(clauses):  # no bindings can be added
            return self._claim_of_loop(e, "any", self.possible(body), self._possible_clauses(clauses))
        if len(clauses) != 1 or not is_all_rows(clauses[0].source):
            return truth(True, e.span)  # a future row may satisfy it
        keyed, rest = key_tests(clauses[0], clauses[0].source.table)
        if not keyed:
            return truth(True, e.span)
        # the filter fixes a unique key: only the row that has it can satisfy the condition
        stay = replace(clauses[0], condition=conj((self.certain(k) for k in keyed), e.span))
        required = conj((*map(self.possible, rest), self.possible(body)), e.span)
        claim = conj(
            (self._claim_of_loop(e, "all", required, (stay,)), self._may_be_added(e, keyed.values(), stay)),
            e.span,
        )
        if not is_truth(claim, True):
            self._add_row_reason("only one row of {} can have a given key", clauses)
        return claim

    def _may_be_added(self, e: t.Aggregate, keyed: Iterable[t.Expr], stay: t.Clause) -> t.Expr:
        """Return the condition that the row with the key that `e` requires is in the plan or may still be added.

        The row may be added if constraints allow its key, or if the value of the required key may still change.

        Args:
            e: an `any` over the rows of a plan table, whose filter requires a key.
            keyed: for each key column, the expression for the required value.
            stay: clause that yields only the row with this key.
        """
        assert is_all_rows(stay.source)
        limit = self._allowed_keys.get(stay.source.table.name)
        if limit is None:
            return truth(True, e.span)
        (key,) = keyed
        allowed = t.InSet(ScalarType.BOOL, e.span, e.stage, False, key, limit, negated=False)
        row_exists = replace(e, function="any", body=truth(True, e.span), clauses=(stay,))
        return disj((allowed, negated(self.settled(key)), row_exists), e.span)

    # -- bindings ---------------------------------------------------------------------------------------

    def _certain_clauses(self, clauses: Sequence[t.Clause]) -> tuple[t.Clause, ...]:
        """Return the clauses, restricted to bindings that are sure to persist while the plan grows."""
        certain = []
        for clause in clauses:
            stays = truth(True, clause.source.span)
            if not is_all_rows(clause.source):  # plan rows remain; other collections must be settled
                stays = self.settled(clause.source)
            condition = None if clause.condition is None else self.certain(clause.condition)
            certain.append(replace(clause, condition=with_conjunct(condition, stays, clause.source)))
        return tuple(certain)

    def _settled_clauses(self, clauses: Sequence[t.Clause], parts: Iterable[t.Expr]) -> tuple[t.Clause, ...] | None:
        """Return the clauses, restricted to bindings that persist and with which the values of `parts` are settled.

        A binding persists if it still exists after the plan has grown. A settled value no longer changes.

        Return None if there is certainly no such binding.
        """
        stay = self._certain_clauses(clauses)
        span = clauses[-1].source.span
        settled = conj(map(self.settled, parts), span)
        last = replace(stay[-1], condition=with_conjunct(stay[-1].condition, settled, clauses[-1].source))
        if any(is_truth(c.condition, False) for c in (*stay, last) if c.condition is not None):
            return None
        return *stay[:-1], last

    def _possible_clauses(self, clauses: Sequence[t.Clause]) -> tuple[t.Clause, ...]:
        """Return clauses for all bindings that may exist after the plan has grown.

        `clauses` must visit only collections that never change (`_is_bounded`).
        """
        return tuple(
            c
            if c.condition is None
            else replace(c, condition=with_conjunct(None, self.possible(c.condition), c.source))
            for c in clauses
        )

    def _is_bounded(self, clauses: Sequence[t.Clause]) -> bool:
        """Return whether the clauses visit only collections that never change, so that no binding can be added."""
        return all(is_truth(self.settled(c.source), True) for c in clauses)

    def _claim_of_loop(self, e: t.Aggregate, function: str, body: t.Expr, clauses: tuple[t.Clause, ...]) -> t.Expr:
        """Return an `all` or `any` (`function`) over the clauses, simplified if it has a constant value."""
        is_empty = any(c.condition is not None and is_truth(c.condition, False) for c in clauses)
        if is_empty or is_truth(body, function == "all"):
            return (
                truth(function == "all", e.span)
                if is_empty or function == "all"
                else replace(e, function="any", body=body, clauses=clauses)
            )
        if function == "any" and is_truth(body, False):
            return body
        return replace(e, function=function, body=body, clauses=clauses)  # type: ignore[arg-type]

    # -- comparisons ------------------------------------------------------------------------------------

    def _possible_pair(self, e: t.Compare) -> t.Expr:
        a, b = e.operands
        parts = []
        if is_numeric(a.type) and is_numeric(b.type) and e.ops[0] != "!=":
            for op, x, y in ordered_comparisons(e.ops[0], a, b):
                low, high = self.low(x), self.high(y)
                if low is not None and high is not None:
                    parts.append(self._compare_bounds(e, low, op, high, (x, y)))
        complete = len(parts) == (2 if e.ops[0] == "==" else 1)
        return conj(parts if complete else (*parts, self._unless_open(e)), e.span)

    def _compare_bounds(
        self, e: t.Compare, low: t.Expr, op: Order, high: t.Expr, operands: tuple[t.Expr, t.Expr]
    ) -> t.Expr:
        """Return `low op high`, or its value if it is the same on every plan. `low` and `high` bound the operands."""
        comparison = replace(e, operands=(low, high), ops=(op,))
        if self._bounds.is_fixed(comparison):
            return truth(self._interpreter.holds(comparison, {}), e.span)
        self._add_bound_reasons(*operands)
        return comparison

    def _certain_pair(self, e: t.Compare) -> t.Expr:
        a, b = e.operands
        plain = conj((e, self.settled(e)), e.span)
        if e.ops[0] in ("==", "!=") or not is_numeric(a.type) or may_be_none(a) or may_be_none(b):
            return plain  # comparisons with *none* are false
        ((op, x, y),) = ordered_comparisons(e.ops[0], a, b)
        high, low = self.high(x), self.low(y)
        return plain if high is None or low is None else replace(e, operands=(high, low), ops=(op,))

    def low(self, e: t.Expr) -> t.Expr | None:
        """Return an expression for a lower bound of `e` in all plans into which the plan can grow; None if unknown."""
        return self._bound(e, lower=True)

    def high(self, e: t.Expr) -> t.Expr | None:
        """Return an expression for an upper bound of `e` in all plans into which the plan can grow; None if unknown."""
        return self._bound(e, lower=False)

    def _bound(self, e: t.Expr, *, lower: bool) -> t.Expr | None:
        settled = self.settled(e)
        if is_truth(settled, True):
            return e
        bound = self._bound_of(e, lower=lower)
        if bound is not None:
            return bound
        end = self._bounds.range_of(e)[0 if lower else 1]
        if end is None:
            return None
        return choose(settled, e, constant(end, e.type, e.span))

    def _bound_of(self, e: t.Expr, *, lower: bool) -> t.Expr | None:
        """Return a lower (if `lower`) or upper bound of `e` from those of its parts; None if one is unknown."""
        match e:
            case t.Negate(operand=x):
                inner = self._bound(x, lower=not lower)
                return None if inner is None else replace(e, operand=inner)
            case t.Arith(op="+" | "-") if not is_moment(e):
                left = self._bound(e.left, lower=lower)
                right = self._bound(e.right, lower=lower if e.op == "+" else not lower)
                return None if left is None or right is None else replace(e, left=left, right=right)
            case t.Arith(op="*") if self._bounds.lower_bound(e.left) >= 0 and self._bounds.lower_bound(e.right) >= 0:
                left, right = self._bound(e.left, lower=lower), self._bound(e.right, lower=lower)
                return None if left is None or right is None else replace(e, left=left, right=right)
            case t.Arith(op="//") if is_truth(self.settled(e.right), True):  # a divisor below 1 gives *none* for good
                left = self._bound(e.left, lower=lower)
                return None if left is None else replace(e, left=left)
            case t.Call(function="ceil_div", args=(a, b)) if is_truth(self.settled(b), True):
                left = self._bound(a, lower=lower)
                return None if left is None else replace(e, args=(left, b))
            case t.Aggregate(function="count" | "sum", body=body, clauses=clauses):
                # added bindings increase the result if terms are never negative
                if not lower and not self._is_bounded(clauses):
                    return None
                is_sum = e.function == "sum"
                if is_sum and self._bounds.lower_bound(body) < 0:
                    return None
                chosen = self._certain_clauses(clauses) if lower else self._possible_clauses(clauses)
                if any(c.condition is not None and is_truth(c.condition, False) for c in chosen):
                    return constant(0, e.type, e.span)
                term = self._bound(body, lower=lower) if is_sum else body
                return None if term is None else replace(e, body=term, clauses=chosen)
            case t.Intervals(function="peak", body=body, clauses=clauses):
                # added rows increase the peak if no amount is negative
                if not lower or self._bounds.lower_bound(body) < 0:
                    return None
                stay = self._settled_clauses(clauses, _interval_parts(e))
                term = self._bound(body, lower=True)
                return None if term is None or stay is None else replace(e, body=term, clauses=stay)
            case _:
                return None

    # -- reasons ----------------------------------------------------------------------------------------

    def _add_row_reason(self, text: str, clauses: Sequence[t.Clause]) -> None:
        tables = [c.source.table.name for c in clauses if is_all_rows(c.source)]
        if tables:
            self.reasons[text.format(" and ".join(f"`{name}`" for name in dict.fromkeys(tables)))] = None

    def _add_bound_reasons(self, *operands: t.Expr) -> None:
        for node in (n for operand in operands for n in terms(operand)):
            if isinstance(node, t.Aggregate) and reads_plan(node):
                if node.function == "sum":
                    self.reasons["the terms of a sum are never negative, and rows only add to it"] = None
                elif node.function == "count":
                    self.reasons["rows only add to a count"] = None


def _interval_parts(e: t.Intervals) -> list[t.Expr]:
    """Return the expressions for start, end, gap and group (`per`) of a `no_overlap` or `peak`, if declared."""
    return [part for part in (e.start, e.end, e.gap, e.per) if part is not None]
