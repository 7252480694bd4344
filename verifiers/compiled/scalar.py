"""Generation of expressions: one `match` over node kinds, as in the interpreter."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import assert_never

from planspec.dsl.model.tree import (
    Aggregate,
    AllMembers,
    AllRows,
    Apply,
    Arith,
    Call,
    Coalesce,
    Compare,
    Conditional,
    Expr,
    FieldOf,
    GivenRef,
    InSet,
    IsNone,
    IsUnknown,
    Literal,
    Logic,
    Lookup,
    Negate,
    Not,
    OnlyRow,
    RangeOf,
    RowNamed,
    SetLiteral,
    SetOf,
    Steps,
    Var,
)
from planspec.dsl.model.types import RowType, Scalar, SetType
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.compare import Comparisons
from planspec.verifiers.compiled.frame import PLAN
from planspec.verifiers.compiled.value import Block, Guarded, Known, Nullable, Total, Value
from planspec.verifiers.meaning.interpret import MINUTES_OF_DAY


class Emitter(Comparisons):
    """Generates a function; every kind of expression has its case here."""

    def value(self, expr: Expr) -> Value:
        """Code for an expression: as far out as its variables are known, and once if it comes again.

        That of a condition is never none: where it would be, it is false.
        """
        value = self._placed_value(expr)
        if expr.type is not Scalar.BOOL or isinstance(value, Total):
            return value
        return Known(bool(value.value)) if isinstance(value, Known) else Total(self.holds(value))

    def _placed_value(self, expr: Expr) -> Value:
        match expr:
            case Literal():
                return Known(expr.value)
            case Var() if expr.binding in self.scope.bound:
                return self.scope.bound[expr.binding]
            case _:
                known = self.known(expr)
        if known is not None:
            return self.slot(known)
        scope, fact = self.scope, self.facts.of(expr)
        number = scope.repeats.get(expr)
        if number is not None:
            found = self.block.find((scope, number))
            if found is not None:
                return found
        level = scope.level_of(fact.free)
        outward = level < self.block.level and (fact.loops or not self.conditional) and not _is_cheap(expr)
        if not outward and number is None:
            return self._value(expr)
        block = self.block.above(level) if outward else self.block
        with self.inside(block, conditional=self.conditional and not outward):
            value = self.settled(self._value(expr))
            if number is not None:
                self.block.shared[scope, number] = value
        return value

    def _value(self, expr: Expr) -> Value:
        match expr:
            case Literal() | Var() | GivenRef() | RowNamed() | AllMembers():
                raise AssertionError(f"{expr} is known or bound")
            case Apply():
                return self.applied(expr)
            case FieldOf():
                return self._field(expr)
            case Lookup():
                return self._lookup(expr)
            case OnlyRow():
                rows = self.rows_of(expr.table.name)
                one = py.compare(py.call(py.name("len"), rows), "==", py.constant(1))
                return Guarded((one,), py.item(rows, py.ZERO))
            case Negate():
                return self.strict([expr.operand], lambda codes: py.minus(codes[0]))
            case Arith():
                return self._arith(expr)
            case Compare():
                return Total(self.compared(expr))
            case InSet():
                return Total(self.contained(expr))
            case IsNone():
                return self._is_none(expr)
            case IsUnknown():
                guards, row = self.parts(self.value(expr.row))
                unknown = py.attribute(row, "_unknown")
                test = py.both([*guards, py.compare(py.constant(expr.column.name), "in", unknown)])
                return Total(py.negation(test) if expr.negated else test)
            case Coalesce():
                return self._coalesce(expr)
            case Conditional():
                return self._conditional(expr)
            case Not():
                return Total(py.negation(self.test(expr.operand)))
            case Logic():
                return Total(self._logic(expr))
            case Call():
                return self._call(expr)
            case Aggregate() | SetOf():
                return self.ranged(expr)
            case SetLiteral():
                return self.strict(expr.items, lambda codes: py.call(py.name("distinct"), py.group(codes)))
            case RangeOf():
                return self._range_value(expr)
            case AllRows():
                return Total(py.call(py.name("tuple"), self.rows_of(expr.table.name)))
            case Steps():
                code, _ = self.pairs(expr)
                return Total(py.call(py.name("tuple"), code))
            case _:
                assert_never(expr)

    def _field(self, expr: FieldOf) -> Value:
        assert isinstance(expr.row.type, RowType)
        boolean = expr.type is Scalar.BOOL
        value = self.value(expr.row)
        if isinstance(value, Known) and value.value is None:
            return Known(False) if boolean else value
        guards, row = self.parts(value)
        code = py.attribute(row, expr.column.name)
        nullable = self.program.may_be_none(expr.row.type.table, expr.column)
        if boolean:
            return Total(py.both([*guards, py.compare(code, "is", py.TRUE) if nullable else code]))
        if nullable:
            return self.guarded(guards, Nullable(code))
        return self.guarded(guards, Total(code))

    def _lookup(self, expr: Lookup) -> Value:
        table, count = expr.table, len(expr.keys)
        values = [self.value(key) for key in expr.keys]
        if any(isinstance(value, Known) and value.value is None for value in values):
            return Known(None)
        guards: list[ast.expr] = []
        codes: list[ast.expr] = []
        for name, value in zip(table.key, values, strict=False):
            if isinstance(table.columns[name].type, SetType):
                more, code = self.parts(value)
                guards += more
                codes.append(py.call(py.name("frozenset"), code))
            else:
                codes.append(self.whole(value))  # no row is found under none
        if table.plan:
            made = self.program.index(table, table.key[:count], unique=True)
            index = self.local(made, py.call(py.name(made), py.name(PLAN)), "index")
            find = py.attribute(index, "get")
        else:
            find = self.program.constant(self.statics.finder(table, count))
        return self.guarded(guards, Nullable(py.call(find, codes[0] if count == 1 else py.group(codes))))

    def _arith(self, expr: Arith) -> Value:
        """A chain of operators is as deep as it is long, so its left operands are walked, not recursed into."""
        chain = [expr]
        while isinstance(chain[-1].left, Arith) and self._is_plain(chain[-1].left):
            chain.append(chain[-1].left)
        value = self.value(chain[-1].left)
        for each in reversed(chain):
            value = self._operate(each, value, self.value(each.right))
        return value

    def _is_plain(self, expr: Arith) -> bool:
        """The expression is no constant, and its code stands where it is used."""
        fact, scope = self.facts.of(expr), self.scope
        return (fact.planned or not fact.free <= scope.known_names) and (
            self.conditional or scope.level_of(fact.free) == self.block.level
        )

    def _operate(self, expr: Arith, left: Value, right: Value) -> Value:
        if expr.op == "+" and expr.type is Scalar.MOMENT:
            left = self._minutes(left) if expr.left.type is Scalar.DATE else left
            right = self._minutes(right) if expr.right.type is Scalar.DATE else right
        for value in (left, right):
            if isinstance(value, Known) and value.value is None:
                return value
        guards, left_code = self.parts(left)
        more, right_code = self.parts(right)
        guards += more
        if expr.op in {"//", "%"}:
            if isinstance(right, Known):
                guards += () if right.value > 0 else (py.FALSE,)
            else:
                divisor = py.name(self.program.fresh("divisor"))
                assert isinstance(divisor, ast.Name)
                guards += (py.compare(py.named(divisor.id, right_code), ">", py.ZERO),)
                right_code = divisor
        code = py.arithmetic(left_code, expr.op, right_code)
        return Guarded(guards, code) if guards else Total(code)

    def _minutes(self, days: Value) -> Value:
        if isinstance(days, Known):
            return days if days.value is None else Known(days.value * MINUTES_OF_DAY)
        guards, code = self.parts(days)
        return self.guarded(guards, Total(py.arithmetic(code, "*", py.constant(MINUTES_OF_DAY))))

    def _is_none(self, expr: IsNone) -> Value:
        value = self.value(expr.operand)
        match value:
            case Known():
                return Known((value.value is None) != expr.negated)
            case Total():
                return Known(expr.negated)
            case Nullable():
                return Total((py.is_present if expr.negated else py.is_none)(value.code))
            case Guarded():
                present = py.both(value.guards)
                return Total(present if expr.negated else py.negation(present))

    def _coalesce(self, expr: Coalesce) -> Value:
        left = self.value(expr.left)
        if isinstance(left, Total) or (isinstance(left, Known) and left.value is not None):
            return left
        if isinstance(left, Known):
            return self.value(expr.right)
        with self.inside(self.branch(), conditional=True) as block:
            right = self.value(expr.right)
        kind = (
            Total
            if isinstance(right, Total) or (isinstance(right, Known) and right.value is not None)
            else Nullable
        )
        if not block.body:
            guards, code = self.parts(left)
            return kind(py.choose(py.both(guards), code, self.whole(right)))
        result = self.program.fresh("t")
        self.emit(py.assign(result, self.whole(left)))
        block.body.append(py.assign(result, self.whole(right)))
        self.emit(py.when(py.is_none(py.name(result)), block.body))
        return kind(py.name(result))

    def _conditional(self, expr: Conditional) -> Value:
        test = self.test(expr.condition)
        if isinstance(test, ast.Constant):
            return self.value(expr.then if test.value else expr.otherwise)
        with self.inside(self.branch(), conditional=True) as first:
            then = self.value(expr.then)
        with self.inside(self.branch(), conditional=True) as second:
            otherwise = self.value(expr.otherwise)
        total = all(_is_there(value) for value in (then, otherwise))
        kind = Total if total else Nullable
        if not first.body and not second.body:
            return kind(py.choose(test, self.whole(then), self.whole(otherwise)))
        result = self.program.fresh("t")
        first.body.append(py.assign(result, self.whole(then)))
        second.body.append(py.assign(result, self.whole(otherwise)))
        self.emit(py.when(test, first.body, second.body))
        return kind(py.name(result))

    def _logic(self, expr: Logic) -> ast.expr:
        """Operands stand in one Python expression up to the first that needs statements; these go into an `if`."""
        inverted = expr.op == "implies"  # a implies b: not a or b
        decides = expr.op == "and"
        tests: list[ast.expr] = []
        result: str | None = None
        pending: list[
            tuple[Block, ast.stmt]
        ] = []  # a block is appended to when what stands in it is complete
        before = self.block, self.conditional
        for at, operand in enumerate(expr.operands):
            block = self.block if at == 0 else self.branch()
            with self.inside(block, conditional=self.conditional or at > 0):
                test = self.test(operand)
            if inverted and at == 0:
                test = py.negation(test)
            if at > 0 and block.body:
                joined = py.both(tests) if decides else py.either(tests)
                if result is None:
                    result = self.program.fresh("t")
                self.emit(py.assign(result, joined))
                goes_on = py.name(result) if decides else py.negation(py.name(result))
                pending.append((self.block, py.when(goes_on, block.body)))
                self.block, self.conditional = block, True
                tests = []
            tests.append(test)
            if isinstance(test, ast.Constant) and test.value is not decides:
                break
        joined = py.both(tests) if decides else py.either(tests)
        if result is None:
            return joined
        self.emit(py.assign(result, joined))
        for block, statement in reversed(pending):
            block.body.append(statement)
        self.block, self.conditional = before
        return py.name(result)

    def _call(self, expr: Call) -> Value:
        match expr.function:
            case "min" | "max":
                return self.strict(expr.args, lambda codes: _extreme(expr.function, codes))
            case "abs":
                return self.strict(expr.args, lambda codes: py.call(py.name("abs"), codes[0]))
            case "day_of_week":
                return self.strict(expr.args, lambda codes: _day_of_week(codes[0]))
            case "contains":
                found = self.strict(expr.args, lambda codes: py.compare(codes[1], "in", codes[0]))
                return Total(self.holds(found))
            case "ceil_div":
                value, divisor = self.value(expr.args[0]), self.value(expr.args[1])
                if any(isinstance(each, Known) and each.value is None for each in (value, divisor)):
                    return Known(None)
                guards, code = self.parts(value)
                more, by = self.parts(divisor)
                if not (isinstance(divisor, Known) and divisor.value > 0):
                    identifier = self.program.fresh("divisor")
                    more, by = (
                        (*more, py.compare(py.named(identifier, by), ">", py.ZERO)),
                        py.name(identifier),
                    )
                return self.guarded(
                    (*guards, *more), Total(py.minus(py.arithmetic(py.minus(code), "//", by)))
                )
            case _:
                raise AssertionError(f"no builtin {expr.function}")

    def _range_value(self, expr: RangeOf) -> Value:
        step = (
            Literal(Scalar.INT, expr.span, expr.stage, partial=False, value=1)
            if expr.step is None
            else expr.step
        )
        found = self.strict([expr.low, expr.high, step], lambda codes: py.call(py.name("range_of"), *codes))
        guards, code = self.parts(found)
        return self.guarded(guards, Nullable(code))


def _day_of_week(day: ast.expr) -> ast.expr:
    """The day of the week of a date that is there, as the interpreter works it out."""
    since_monday = py.arithmetic(py.arithmetic(day, "-", py.constant(1)), "%", py.constant(7))
    return py.arithmetic(since_monday, "+", py.constant(1))


def _is_cheap(expr: Expr) -> bool:
    """Taking it out of a loop gains nothing: a column of a variable."""
    return isinstance(expr, FieldOf) and isinstance(expr.row, Var)


def _is_there(value: Value) -> bool:
    return isinstance(value, Total) or (isinstance(value, Known) and value.value is not None)


def _extreme(function: str, codes: Sequence[ast.expr]) -> ast.expr:
    if len(codes) == 2 and all(isinstance(code, (ast.Name, ast.Constant)) for code in codes):
        first, second = codes
        return py.choose(py.compare(second, "<" if function == "min" else ">", first), second, first)
    return py.call(py.name(function), *codes)
