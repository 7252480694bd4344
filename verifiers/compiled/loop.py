"""Loops over the bindings of a generator: sources from indexes, conditions as far out as they can stand."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from planspec.dsl.model.indexes import Equality, equality, group, grouped
from planspec.dsl.model.tree import (
    AllRows,
    Binding,
    Clause,
    Expr,
    FieldOf,
    RangeOf,
    SetLiteral,
    SetOf,
    Steps,
    Var,
)
from planspec.dsl.model.types import RowType, Scalar, ScaledType, Table
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import conjuncts
from planspec.verifiers.compiled.frame import PLAN, Frame
from planspec.verifiers.compiled.value import Block, Known, Nullable, Total, Unsupported, Value

FILTER_LIMIT = 512
"""How many static elements are filtered before any plan comes; more would make compilation slow."""
FEW = 16
"""So many rounds of a loop, with at most two around it, are not worth counting."""
PARTS_OF_A_STEP = 30
"""A loop's body with so many parts takes as long as two steps."""
CLAUSE_LIMIT = 15
"""Python allows 20 loops inside each other; beyond this an aggregate becomes a function of its own."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a loop goes over.

    Attributes:
        code: the collection; None if it is a list found in an index.
        index: the index, where there is one.
        key: what is looked for in it.
        nullable: whether each of the loop's variables may be none.
        rest: conditions that the loop still has to test.
        level: where the key has its value.
    """

    code: ast.expr | None
    nullable: tuple[bool, ...]
    rest: tuple[Expr, ...]
    index: ast.expr | None = None
    key: ast.expr | None = None
    level: int = 0


class Loops(Frame):
    """Generation of loops."""

    @abstractmethod
    def pairs(self, steps: Steps) -> tuple[ast.expr, bool]:
        """Code for the pairs of neighbours, and whether elements may be none."""

    def unless(self, condition: Expr, exit_: Sequence[ast.stmt], *, conditional: bool = False) -> None:
        """Leaves the loop in hand where a condition does not hold."""
        before = self.conditional
        for part in conjuncts(condition):
            self.conditional = before or conditional
            test = self.test(part)
            conditional = True
            if not py.is_constant(test, True):
                self.emit(py.when(py.negation(test), list(exit_)))
        self.conditional = before

    def first(self, clauses: Sequence[Clause], conditions: Sequence[Expr]) -> Source | None:
        """The source of a generator of one clause, all of whose conditions are about its variables."""
        if len(clauses) != 1 or self._placed(clauses, conditions)[0]:
            return None
        return self.source(clauses[0], conditions)

    def run(
        self,
        clauses: Sequence[Clause],
        conditions: Sequence[Expr],
        body: Callable[[], bool],
        first: Source | None = None,
    ) -> None:
        """Runs a body for every binding for which the conditions hold.

        Args:
            clauses: where the variables come from.
            conditions: what must hold, of every clause and of the aggregate itself.
            body: emits the body into the innermost loop and tells whether it breaks out of the loops.
            first: the source of the first clause where it is known already.
        """
        if len(clauses) > CLAUSE_LIMIT:
            raise Unsupported
        before, placed = self._placed(clauses, conditions)
        if not before:
            self._nest(clauses, placed, 0, body, first)
            return
        test = self.test(before[0])
        with self.inside(self.branch(), conditional=True) as block:
            if before[1:]:
                self.run(clauses, [condition for condition in conditions if condition is not before[0]], body)
            else:
                self._nest(clauses, placed, 0, body, first)
        self.emit(py.when(test, block.body))

    def _placed(
        self, clauses: Sequence[Clause], conditions: Sequence[Expr]
    ) -> tuple[list[Expr], list[list[Expr]]]:
        """Each condition at the outermost loop at which it can be tested; first those that need no loop."""
        placed: list[list[Expr]] = [[] for _ in clauses]
        before: list[Expr] = []
        for condition in conditions:
            free = self.facts.of(condition).free
            for place in range(len(clauses) - 1, -1, -1):
                if not free.isdisjoint(clauses[place].targets):
                    placed[place].append(condition)
                    break
            else:
                before.append(condition)
        return before, placed

    def _nest(
        self,
        clauses: Sequence[Clause],
        placed: Sequence[Sequence[Expr]],
        place: int,
        body: Callable[[], bool],
        first: Source | None = None,
    ) -> bool:
        if place == len(clauses):
            return body()
        clause = clauses[place]
        source = first or self.source(clause, placed[place])
        code = self.items(source)
        inner = Block(self.block.level + 1, self.block, self.block.depth + 1)
        names = [self.program.fresh(target.name) for target in clause.targets]
        for target, identifier, nullable in zip(clause.targets, names, source.nullable, strict=True):
            self.bind(target, (Nullable if nullable else Total)(py.name(identifier)), inner.level)
        with self.inside(inner):
            for at, condition in enumerate(source.rest):
                self.unless(condition, [py.CONTINUE], conditional=at > 0)
            breaks = self._nest(clauses, placed, place + 1, body)
            if breaks and place + 1 < len(clauses):
                self.emit(py.BREAK)
        outward = [py.CONTINUE] if breaks and place > 0 else []
        code = self._counted(clause.source, code, 1 + py.size(inner.body) // PARTS_OF_A_STEP)
        self.emit(py.loop(names, code, inner.body or [py.CONTINUE], outward))
        return breaks

    def _counted(self, source: Expr, code: ast.expr, weight: int) -> ast.expr:
        """The collection of a loop, whose rounds are counted as so many steps each."""
        match source:
            case Steps():
                return code  # pairs are counted where they are made
            case AllRows(table=table) if table.plan and self.block.level == 0:
                self.program.once[table.name] += weight  # counted for all such loops together
                return code
        code = self.store(code, "items")
        length = py.call(py.name("len"), code)
        steps = length if weight == 1 else py.arithmetic(length, "*", py.constant(weight))
        counting = self.spending(steps)
        if self.block.level <= 2:  # a few rounds within loops of which the outermost is counted
            counting = py.when(py.compare(length, ">", py.constant(FEW)), [counting])
        self.emit(counting)
        return code

    def bind(self, target: Binding, value: Value, level: int) -> None:
        """Gives a variable its value."""
        self.scope.bound[target] = value
        self.scope.levels[target] = level

    # Sources ----------------------------------------------------------------------------------------------

    def rows_of(self, table: str) -> ast.expr:
        """Code for the rows of a plan table."""
        return self.local(table, py.item(py.name(PLAN), py.constant(self.program.tables[table])), table)

    def items(self, source: Source) -> ast.expr:
        """Code for the collection of a source; a list found in an index is found as far out as its key is known."""
        if source.code is not None:
            return source.code
        assert source.index is not None
        assert source.key is not None
        found = py.call(py.attribute(source.index, "get"), source.key, py.NOTHING)
        text = _text(source.index), _text(source.key)
        if None in text:
            return found
        shared = self.block.find(text)
        if shared is None:
            with self.inside(self.block.above(source.level)):
                shared = self.block.shared[text] = self.settled(Total(found), "rows")
        return self.whole(shared)

    def source(self, clause: Clause, conditions: Sequence[Expr]) -> Source:
        """Where a clause's variables come from, with those conditions that the source does not take care of."""
        match clause.source:
            case AllRows(table=table):
                return self._rows(table, clause.targets[0], conditions)
            case Steps() as steps:
                code, nullable = self.pairs(steps)
                return Source(code, (nullable, nullable), tuple(conditions))
            case other:
                known = self.known_items(other)
                if known is not None:
                    return self._filtered(clause.targets[0], known, conditions)
                if isinstance(other, RangeOf):
                    return Source(self._range(other), (False,), tuple(conditions))
                code = self._collection(self.value(other))
                return Source(code, (not isinstance(other, (SetOf, SetLiteral)),), tuple(conditions))

    def known_items(self, source: Expr) -> list[Sequence[Any]] | None:
        """What a collection holds for each instance, if that is so on every plan."""
        fact = self.facts.of(source)
        if fact.planned or not fact.free <= self.scope.known_names:
            return None
        found: list[Sequence[Any]] = []
        for env in self.scope.known:
            items = self.statics.interpreter.items(source, env)
            found.append(items if isinstance(items, range) else tuple(items))
        return found

    def _collection(self, value: Value) -> ast.expr:
        return value.code if isinstance(value, Total) else py.or_nothing(self.whole(value))

    def _range(self, expr: RangeOf) -> ast.expr:
        ends = [expr.low, expr.high] if expr.step is None else [expr.low, expr.high, expr.step]
        parts = [self.parts(self.value(end)) for end in ends]
        codes = [code for _, code in parts]
        if expr.step is None and not any(
            isinstance(end.type, ScaledType) or end.type is Scalar.DECIMAL for end in ends
        ):
            made = py.call(py.name("range"), codes[0], py.arithmetic(codes[1], "+", py.constant(1)))
        else:
            made = py.call(py.name("in_order"), *codes, *([py.constant(1)] if expr.step is None else []))
        return py.choose(py.both([guard for guards, _ in parts for guard in guards]), made, py.NOTHING)

    def _rows(self, table: Table, target: Binding, conditions: Sequence[Expr]) -> Source:
        equalities: list[Equality] = []
        rest: list[Expr] = []
        for condition in conditions:
            found = self._equality(condition, target)
            if found is None or found.column in [other.column for other in equalities]:
                rest.append(condition)
            else:
                equalities.append(found)
        equalities.sort(key=lambda equality: equality.column.name)
        columns = tuple(each.column.name for each in equalities)
        if not table.plan:
            return self._static_rows(table, target, equalities, columns, rest)
        if not equalities or self.block.level == 0:
            return Source(self.rows_of(table.name), (False,), tuple(conditions))
        made = self.program.index(table, columns, unique=False)
        index = self.local(made, py.call(py.name(made), py.name(PLAN)), "index")
        return self._found(index, equalities, rest)

    def _static_rows(
        self,
        table: Table,
        target: Binding,
        equalities: Sequence[Equality],
        columns: tuple[str, ...],
        rest: Sequence[Expr],
    ) -> Source:
        known = [self.known(equality.key) for equality in equalities]
        if all(values is not None for values in known):
            keys = (
                list(zip(*(values for values in known if values is not None), strict=True))
                or [()] * self.instances
            )
            if not columns:
                return self._filtered(target, [self.statics.rows(table)] * self.instances, rest)
            groups = grouped(table, [equality.column for equality in equalities])
            return self._filtered(
                target, [groups.get(key if len(key) > 1 else key[0], ()) for key in keys], rest
            )
        own = [condition for condition in rest if self._about(condition, target)]
        if own and len(table.rows) <= FILTER_LIMIT:
            chosen = self._chosen(target, self.statics.rows(table), own, {})
            groups = group(chosen, [equality.column for equality in equalities])
            rest = [condition for condition in rest if condition not in own]
        else:
            groups = grouped(table, [equality.column for equality in equalities])
        return self._found(self.program.constant(groups), equalities, rest)

    def _found(self, index: ast.expr, equalities: Sequence[Equality], rest: Sequence[Expr]) -> Source:
        codes = [self.whole(self.value(equality.key)) for equality in equalities]
        level = max(self.scope.level_of(self.facts.of(equality.key).free) for equality in equalities)
        key = codes[0] if len(codes) == 1 else py.group(codes)
        return Source(None, (False,), tuple(rest), index, key, level)

    def _equality(self, condition: Expr, target: Binding) -> Equality | None:
        found = equality(condition, target)
        return found if found is not None and self._bound(found.key, target) else None

    def _bound(self, expr: Expr, target: Binding) -> bool:
        """All variables of an expression have their values before `target` has."""
        free, scope = self.facts.of(expr).free, self.scope
        return target not in free and all(name in scope.bound or name in scope.known_names for name in free)

    def _about(self, condition: Expr, target: Binding) -> bool:
        fact = self.facts.of(condition)
        return not fact.planned and fact.free == {target}

    def _filtered(
        self, target: Binding, lists: Sequence[Sequence[Any]], conditions: Sequence[Expr]
    ) -> Source:
        """A source that every instance knows, without what conditions that no plan changes take away."""
        rest = list(conditions)
        if rest and max(map(len, lists)) <= FILTER_LIMIT:
            names = self.scope.known_names | {target}
            facts = {condition: self.facts.of(condition) for condition in rest}
            own = [condition for condition, fact in facts.items() if not fact.planned and fact.free <= names]
            if own:
                envs = self.scope.known
                lists = [
                    self._chosen(target, items, own, env) for items, env in zip(lists, envs, strict=True)
                ]
                rest = [condition for condition in rest if condition not in own]
        nullable = any(None in items for items in lists if not isinstance(items, range))
        return Source(self.whole(self.slot(lists)), (nullable,), tuple(rest))

    def _chosen(
        self, target: Binding, items: Sequence[Any], conditions: Sequence[Expr], env: Any
    ) -> tuple[Any, ...]:
        holds = self.statics.interpreter.holds
        return tuple(
            item for item in items if all(holds(condition, {**env, target: item}) for condition in conditions)
        )

    def row_key(self, expr: Expr | None, target: Binding) -> Value | None:
        """A function from a row to its column, where an expression is that column of the target and surely there."""
        match expr:
            case FieldOf(row=Var(binding=binding, type=RowType(table=table)), column=column) if (
                binding is target
            ):
                return None if self.program.may_be_none(table, column) else Known(attrgetter(column.name))
            case _:
                return None


def _text(code: ast.expr) -> str | None:
    """Equal for equal code of names, constants and columns, by which found lists are shared; else None."""
    match code:
        case ast.Name():
            return code.id
        case ast.Constant():
            return repr(code.value)
        case ast.Attribute():
            base = _text(code.value)
            return None if base is None else f"{base}.{code.attr}"
        case ast.Tuple():
            parts = [_text(element) for element in code.elts]
            return None if None in parts else f"({', '.join(map(str, parts))})"
        case _:
            return None
