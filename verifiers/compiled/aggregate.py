"""Generation of aggregates, planned sets and the relation of neighbours: one loop each, left as soon as it can be."""

from __future__ import annotations

import ast
from typing import assert_never

from planspec.dsl.model.tree import Aggregate, Expr, SetOf, Steps, Var
from planspec.dsl.model.types import SetType, Type
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import conditions_of, conjuncts
from planspec.verifiers.compiled.loop import CLAUSE_LIMIT, Loops, Source
from planspec.verifiers.compiled.value import Block, Guarded, Known, Nullable, Total, Value


class Aggregates(Loops):
    """Generation of everything that ranges over a generator."""

    def ranged(self, expr: Aggregate | SetOf) -> Value:
        """Code for an aggregate or a set; a function of its own where too many loops stand around it already."""
        if self.block.depth + len(expr.clauses) <= CLAUSE_LIMIT:
            return self._ranged(expr)
        outer, made = self.block, self.program.fresh("inner")
        with self.inside(Block(outer.level, outer)) as block:
            value = self._ranged(expr)
            self.emit(py.give(self.whole(value)))
        self.emit(py.function(made, [], block.body))
        called = py.call(py.name(made))
        return Total(called) if isinstance(value, Total) else Nullable(called)

    def _ranged(self, expr: Aggregate | SetOf) -> Value:
        if isinstance(expr, SetOf):
            return self._set(expr)
        match expr.function:
            case "all":
                return self._all(expr)
            case "any":
                return self._any(expr)
            case "count":
                return self._count(expr)
            case "sum":
                return self._sum(expr)
            case "min" | "max":
                return self._best(expr, "<" if expr.function == "min" else ">")
            case "all_different":
                return self._all_different(expr)
            case "the":
                return self._the(expr)
            case "first" | "last":
                return self._extreme(expr, "<" if expr.function == "first" else ">")
            case _:
                assert_never(expr.function)

    def _start(self, value: ast.expr, hint: str) -> str:
        identifier = self.program.fresh(hint)
        self.emit(py.assign(identifier, value))
        return identifier

    def comparable(self, code: ast.expr, of: Type) -> ast.expr:
        """A value by which equality is Python's: sets forget their order."""
        return py.call(py.name("frozenset"), code) if isinstance(of, SetType) else code

    def _all(self, expr: Aggregate) -> Value:
        result = self._start(py.TRUE, "every")
        conditions = conditions_of(expr.clauses)

        def body() -> bool:
            self.unless(expr.body, [py.assign(result, py.FALSE), py.BREAK])
            return True

        self.run(expr.clauses, conditions, body)
        return Total(py.name(result))

    def _any(self, expr: Aggregate) -> Value:
        conditions = [*conditions_of(expr.clauses), *conjuncts(expr.body)]
        conditions = [each for each in conditions if (known := self.known(each)) is None or not all(known)]
        first = self.first(expr.clauses, conditions)
        if first is not None and self._is_all(first, expr):
            if first.index is not None and first.key is not None:
                return Total(py.compare(first.key, "in", first.index))
            return Total(py.compare(self._length(first), ">", py.ZERO))
        result = self._start(py.FALSE, "some")

        def body() -> bool:
            self.emit(py.assign(result, py.TRUE))
            self.emit(py.BREAK)
            return True

        self.run(expr.clauses, conditions, body, first)
        return Total(py.name(result))

    def _length(self, source: Source) -> ast.expr:
        return py.call(py.name("len"), self.items(source))

    def _count(self, expr: Aggregate) -> Value:
        conditions = conditions_of(expr.clauses)
        first = self.first(expr.clauses, conditions)
        if first is not None and self._is_all(first, expr):
            return Total(self._length(first))
        result = self._start(py.ZERO, "count")

        def body() -> bool:
            self.emit(py.add(result, py.constant(1)))
            return False

        self.run(expr.clauses, conditions, body, first)
        return Total(py.name(result))

    def _term(self, expr: Expr, result: str, otherwise: ast.expr) -> tuple[ast.expr, bool]:
        """Code for a term that is not none, and whether the loop is left where it is none."""
        value = self.value(expr)
        if isinstance(value, Total) or (isinstance(value, Known) and value.value is not None):
            return self.whole(value), False
        guards, code = self.parts(value)
        self.emit(py.when(py.negation(py.both(guards)), [py.assign(result, otherwise), py.BREAK]))
        return code, True

    def _sum(self, expr: Aggregate) -> Value:
        result = self._start(py.ZERO, "total")
        partial = False

        def body() -> bool:
            nonlocal partial
            code, partial = self._term(expr.body, result, py.NONE)
            self.emit(py.add(result, code))
            return partial

        self.run(expr.clauses, conditions_of(expr.clauses), body)
        return (Nullable if partial else Total)(py.name(result))

    def _best(self, expr: Aggregate, better: str) -> Value:
        result = self._start(py.NONE, "best")

        def body() -> bool:
            code, partial = self._term(expr.body, result, py.NONE)
            term = self.store(code, "term")
            chosen = py.either([py.is_none(py.name(result)), py.compare(term, better, py.name(result))])
            self.emit(py.when(chosen, [py.assign(result, term)]))
            return partial

        self.run(expr.clauses, conditions_of(expr.clauses), body)
        return Nullable(py.name(result))

    def _all_different(self, expr: Aggregate) -> Value:
        result = self._start(py.TRUE, "different")
        seen = self._start(py.call(py.name("set")), "seen")

        def body() -> bool:
            code, _ = self._term(expr.body, result, py.FALSE)
            term = self.store(self.comparable(code, expr.body.type), "term")
            twice = py.compare(term, "in", py.name(seen))
            self.emit(py.when(twice, [py.assign(result, py.FALSE), py.BREAK]))
            self.emit(py.act(py.call(py.attribute(py.name(seen), "add"), term)))
            return True

        self.run(expr.clauses, conditions_of(expr.clauses), body)
        return Total(py.name(result))

    def _the(self, expr: Aggregate) -> Value:
        conditions = conditions_of(expr.clauses)
        first = self.first(expr.clauses, conditions)
        if first is not None and self._is_all(first, expr) and self._is_target(expr.body, expr):
            found = self._of_rows(first)
            if found is not None:
                one = py.compare(py.call(py.name("len"), found), "==", py.constant(1))
                row = py.item(found, py.ZERO)
                return Nullable(py.choose(one, row, py.NONE)) if first.nullable[0] else Guarded((one,), row)
        result = self._start(py.NONE, "only")
        found_one = self._start(py.FALSE, "found")

        def body() -> bool:
            several = [py.assign(result, py.NONE), py.BREAK]
            self.emit(py.when(py.name(found_one), several))
            self.emit(py.assign(found_one, py.TRUE))
            self.emit(py.assign(result, self.whole(self.value(expr.body))))
            return True

        self.run(expr.clauses, conditions, body, first)
        return Nullable(py.name(result))

    def _is_all(self, source: Source, expr: Aggregate | Steps) -> bool:
        """The bindings of a generator are what a collection with a length holds."""
        return not source.rest and not isinstance(expr.clauses[0].source, Steps)

    def _is_target(self, body: Expr, expr: Aggregate | Steps) -> bool:
        return isinstance(body, Var) and body.binding is expr.clauses[0].targets[0]

    def _of_rows(self, source: Source) -> ast.expr | None:
        """A name for the list or tuple of a source."""
        code = self.items(source)
        return self.store(code, "rows") if source.index is not None or isinstance(code, ast.Name) else None

    def _extreme(self, expr: Aggregate, better: str) -> Value:
        """`first` and `last`: the best rank so far, with none as the result while two bindings share it."""
        result = self._start(py.NONE, "chosen")
        best = self._start(py.NONE, "best")
        by = expr.by
        assert by is not None

        def body() -> bool:
            guards, code = self.parts(self.value(by))
            if guards:
                self.emit(py.when(py.negation(py.both(guards)), [py.CONTINUE]))
            rank = self.store(code, "rank")
            better_one = py.either([py.is_none(py.name(best)), py.compare(rank, better, py.name(best))])
            with self.inside(self.branch(), conditional=True) as block:
                self.emit(py.assign(best, rank))
                self.emit(py.assign(result, self.whole(self.value(expr.body))))
            tie = py.when(py.compare(rank, "==", py.name(best)), [py.assign(result, py.NONE)])
            self.emit(py.when(better_one, block.body, [tie]))
            return False

        self.run(expr.clauses, conditions_of(expr.clauses), body)
        return Nullable(py.name(result))

    def _set(self, expr: SetOf) -> Value:
        result = self._start(py.EMPTY_DICT, "items")

        def body() -> bool:
            guards, code = self.parts(self.value(expr.body))
            keep = py.put(py.name(result), code, py.NONE)
            self.emit(py.when(py.both(guards), [keep]) if guards else keep)
            return False

        self.run(expr.clauses, conditions_of(expr.clauses), body)
        return Total(py.call(py.name("tuple"), py.name(result)))

    def pairs(self, steps: Steps) -> tuple[ast.expr, bool]:
        """Code for the pairs of neighbours, and whether elements may be none."""
        conditions = conditions_of(steps.clauses)
        first = self.first(steps.clauses, conditions)
        if first is not None and self._is_all(first, steps) and self._is_target(steps.body, steps):
            rank = self.row_key(steps.by, steps.clauses[0].targets[0])
            if rank is not None and steps.per is None and not first.nullable[0]:
                return py.call(py.name("neighbours_of"), self.items(first), self.whole(rank)), False
        elements = self._start(py.EMPTY_LIST, "elements")
        ranks = self._start(py.EMPTY_LIST, "ranks") if steps.by is not None else None
        groups = self._start(py.EMPTY_LIST, "groups") if steps.per is not None else None
        nullable = False

        def append(to: str, code: ast.expr) -> None:
            self.emit(py.act(py.call(py.attribute(py.name(to), "append"), code)))

        def present(expr: Expr) -> ast.expr:
            guards, code = self.parts(self.value(expr))
            if guards:
                self.emit(py.when(py.negation(py.both(guards)), [py.CONTINUE]))
            return self.store(self.comparable(code, expr.type), "rank")

        def body() -> bool:
            nonlocal nullable
            rank = None if steps.by is None else present(steps.by)
            group = None if steps.per is None else present(steps.per)
            element = self.value(steps.body)
            nullable = not isinstance(element, Total)
            if ranks is not None and rank is not None:
                append(ranks, rank)
            if groups is not None and group is not None:
                append(groups, group)
            append(elements, self.whole(element))
            return False

        self.run(steps.clauses, conditions, body, first)
        order = py.call(py.name("range"), py.call(py.name("len"), py.name(elements)))
        lists = [order if ranks is None else py.name(ranks), py.name(elements)]
        if groups is None:
            return py.call(py.name("neighbours"), *lists), nullable
        return py.call(py.name("neighbours_within"), py.name(groups), *lists), nullable
