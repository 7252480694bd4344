"""Generation of calls: remembered, written out, or a function of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from planspec.dsl.model.tree import Apply, Binding, Definition, Expr, FieldOf, Var
from planspec.dsl.model.types import Scalar
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.aggregate import Aggregates
from planspec.verifiers.compiled.frame import PLAN
from planspec.verifiers.compiled.index import memorable
from planspec.verifiers.compiled.runtime import UNSET
from planspec.verifiers.compiled.value import Block, Guarded, Known, Nullable, Scope, Split, Total, Value

WRITTEN_OUT = 120
"""A function with more nodes is called, so that code stays small however definitions nest."""
SIZE_OF_A_STEP = 10
"""A call of a function with so many nodes takes as long as two steps."""
REMEMBERED = 5
"""A static function with fewer nodes is faster than looking its value up."""


class Calls(Aggregates):
    """Generation of definitions and their calls."""

    def applied(self, expr: Apply) -> Value:
        """Code for a definition's value or a call of it."""
        definition = expr.definition
        if not definition.params:
            return self._defined(definition)
        fact = self.facts.definition(definition)
        if not fact.planned and fact.size >= REMEMBERED and memorable(definition, self.statics.task.tables):
            return self._remembered(expr, definition)
        return (
            self._written_out(expr, definition)
            if fact.size <= WRITTEN_OUT
            else self._called(expr, definition)
        )

    def _defined(self, definition: Definition) -> Value:
        made, total = self.definition_function(definition)
        code = self.local(definition, py.call(py.name(made), py.name(PLAN)), definition.name)
        return Total(code) if total else Nullable(code)

    def definition_function(self, definition: Definition) -> tuple[str, bool]:
        """The function that gives a definition's value, worked out once a plan, and whether it is never none."""
        found = self.program.definitions.get(definition)
        if found is None:
            made = self.program.fresh(definition.name)
            place = py.constant(self.program.place(UNSET))
            emitter = self._apart(definition)
            value = emitter.value(definition.body)
            emitter.emit(py.assign("value", emitter.whole(value)))
            state, kept = py.item(py.name(PLAN), place), py.name("value")
            emitter.emit(py.put(py.name(PLAN), place, kept))
            body = [
                py.assign("value", state),
                py.when(py.compare(kept, "is", py.name("UNSET")), emitter.block.body),
                py.give(kept),
            ]
            self.program.functions.append(py.function(made, [PLAN], body))
            found = self.program.definitions[definition] = made, _is_there(value)
        return found

    def _called(self, expr: Apply, definition: Definition) -> Value:
        made, total = self._call_function(definition)
        guards: list[ast.expr] = []
        codes: list[ast.expr] = []
        for param, arg in zip(definition.params, expr.args, strict=True):
            value = self.value(arg)
            if param.optional:
                codes.append(self.whole(value))
            else:
                more, code = self.parts(value)
                guards += more
                codes.append(code)
        called = py.call(py.name(made), py.name(PLAN), *codes)
        return self._where(guards, (Total if total else Nullable)(called), definition)

    def _call_function(self, definition: Definition) -> tuple[str, bool]:
        found = self.program.definitions.get(definition)
        if found is None:
            made = self.program.fresh(definition.name)
            emitter = self._apart(definition)
            root = emitter.block
            names = [self.program.fresh(param.name) for param in definition.params]
            for param, identifier in zip(definition.params, names, strict=True):
                emitter.bind(param, (Nullable if param.optional else Total)(py.name(identifier)), 1)
            with emitter.inside(Block(1, root)) as block:
                steps = 1 + self.facts.definition(definition).size // SIZE_OF_A_STEP
                emitter.emit(emitter.spending(py.constant(steps)))
                value = emitter.value(definition.body)
                emitter.emit(py.give(emitter.whole(value)))
            self.program.functions.append(py.function(made, [PLAN, *names], root.body + block.body))
            found = self.program.definitions[definition] = made, _is_there(value)
        return found

    def _apart(self, definition: Definition) -> Calls:
        emitter = type(self)(self.program, [{}])
        emitter.scope.repeats = self.facts.repeats(definition.body)
        return emitter

    def _remembered(self, expr: Apply, definition: Definition) -> Value:
        """A static function's value: what no row, member or day needs is worked out once for all plans."""
        values = [self.value(arg) for arg in expr.args]
        codes = [self.whole(value) for value in values]
        memo = self.program.constant(self.statics.memo(definition, self._body(definition)))
        code = py.item(memo, codes[0] if len(codes) == 1 else py.group(codes))
        present = all(map(_is_there, values)) and not definition.body.partial
        return Total(code) if present or definition.body.type is Scalar.BOOL else Nullable(code)

    def _body(self, definition: Definition) -> Callable[[Sequence[Any]], Any]:
        """A static function's own value, from code that is loaded with the rest of the program."""
        if self.statics.remembers(definition):
            return _never
        made, _ = self._call_function(definition)
        names = self.program.names
        return lambda values: names[made](None, *values)

    def _written_out(self, expr: Apply, definition: Definition) -> Value:
        """The body with the arguments in the place of the parameters."""
        known: list[dict[Binding, Any]] = [{} for _ in range(self.instances)]
        names: list[Binding] = []
        bound: dict[Binding, Value] = {}
        levels: dict[Binding, int] = {}
        guards: list[ast.expr] = []
        uses = self.facts.uses(definition.body)
        for param, arg in zip(definition.params, expr.args, strict=True):
            values = self.known(arg)
            if values is not None and self._agree(values, param):
                if values[0] is None and not param.optional:
                    return Known(_nothing(definition))
                for env, value in zip(known, values, strict=True):
                    env[param] = value
                names.append(param)
                continue
            given = self.value(arg)
            if isinstance(given, Known) and given.value is None and not param.optional:
                return Known(_nothing(definition))
            levels[param] = self.block.level
            if _is_there(given):
                if _is_path(arg):
                    levels[param] = self.scope.level_of(self.facts.of(arg).free)
                elif uses.get(param, 0) > 1:
                    given = self.settled(given, param.name)
            else:
                given = self.settled(given, param.name)
                if isinstance(given, Nullable) and not param.optional:
                    guards.append(py.is_present(given.code))
                    given = Total(given.code)
            bound[param] = given
        repeats = self.facts.repeats(definition.body)
        scope = Scope(known, frozenset(names), self.scope.known_level, repeats, bound, levels)
        if not guards:
            with self.meaning(scope):
                return self.value(definition.body)
        with self.inside(self.branch(), conditional=True) as block, self.meaning(scope):
            value = self.value(definition.body)
        if not block.body:
            return self._where(guards, value, definition)
        result = self.program.fresh(definition.name)
        self.emit(py.assign(result, self.program.constant(_nothing(definition))))
        block.body.append(py.assign(result, self.whole(value)))
        self.emit(py.when(py.both(guards), block.body))
        total = _is_there(value) and _nothing(definition) is not None
        return (Total if total else Nullable)(py.name(result))

    def _agree(self, values: Any, param: Binding) -> bool:
        """All instances know the argument, or all know it to be none, or the parameter takes both.

        Raises:
            Split: some instances know it to be none and others not.
        """
        absent = [value is None for value in values]
        if param.optional or not any(absent) or all(absent):
            return True
        if self.program.splits > 0:
            raise Split(absent)
        return False

    def _where(self, guards: list[ast.expr], value: Value, definition: Definition) -> Value:
        """A call's value where its arguments are there; none, or false, elsewhere."""
        if not guards:
            return value
        if definition.body.type is not Scalar.BOOL:
            return self.guarded(guards, value)
        return Total(py.both([*guards, self.holds(value)]))


def _never(_: Sequence[Any]) -> Any:
    raise AssertionError("the memo is there already")


def _nothing(definition: Definition) -> bool | None:
    return False if definition.body.type is Scalar.BOOL else None


def _is_there(value: Value) -> bool:
    match value:
        case Known():
            return value.value is not None
        case Total():
            return True
        case Nullable() | Guarded():
            return False


def _is_path(expr: Expr) -> bool:
    """A variable or a column of one: as cheap to repeat as a name, and valid wherever the variable is."""
    while isinstance(expr, FieldOf):
        expr = expr.row
    return isinstance(expr, Var)
