"""Generation of calls: remembered, written out, or a function of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from planspec.dsl.model.tree import Apply, Binding, Definition, Expr, FieldOf, Var
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.frame import PLAN, Frame
from planspec.verifiers.compiled.index import memorable
from planspec.verifiers.compiled.runtime import UNSET
from planspec.verifiers.compiled.value import (
    Block,
    Known,
    Nullable,
    Scope,
    SplitInstancesError,
    Total,
    Value,
    is_there,
)

WRITTEN_OUT = 120
"""A function with more nodes is called, so that code stays small however definitions nest."""
SIZE_OF_A_STEP = 10
"""The number of nodes for which a call of a function takes as long as two steps."""
REMEMBERED = 5
"""A static function with fewer nodes is faster than looking its value up."""


def applied(frame: Frame, expr: Apply) -> Value:
    """Code for a definition's value or a call of it."""
    definition = expr.definition
    fact = frame.facts.definition(definition)
    if not definition.params:
        return _defined(frame, definition) if fact.planned else _of_task(frame, definition)
    if not fact.planned and fact.size >= REMEMBERED and memorable(definition, frame.statics.task.tables):
        return _remembered(frame, expr, definition)
    return (
        _written_out(frame, expr, definition)
        if fact.size <= WRITTEN_OUT
        else _called(frame, expr, definition)
    )


def _defined(frame: Frame, definition: Definition) -> Value:
    made, total = definition_function(frame, definition)
    code = frame.local(definition, py.call(py.name(made), py.name(PLAN)), definition.name)
    return Total(code) if total else Nullable(code)


def _of_task(frame: Frame, definition: Definition) -> Value:
    """A value that the task gives, worked out when it is first asked for."""
    made, total = _call_function(frame, definition)
    find = frame.program.of_task(
        definition,
        lambda linked: partial(linked.statics.value, definition, lambda: linked.names[made](None)),
    )
    return (Total if total else Nullable)(py.call(find))


def definition_function(frame: Frame, definition: Definition) -> tuple[str, bool]:
    """The function that gives a definition's value, worked out once a plan, and whether it is never none."""
    found = frame.program.definitions.get(definition)
    if found is None:
        made = frame.program.fresh(definition.name)
        place = py.constant(frame.program.place(UNSET))
        emitter = _apart(frame, definition)
        value = emitter.value(definition.body)
        emitter.emit(py.assign("value", emitter.whole(value)))
        state, kept = py.item(py.name(PLAN), place), py.name("value")
        emitter.emit(py.put(py.name(PLAN), place, kept))
        body = [
            py.assign("value", state),
            py.when(py.compare(kept, "is", py.name("UNSET")), emitter.block.body),
            py.give(kept),
        ]
        frame.program.functions.append(py.function(made, [PLAN], body))
        found = frame.program.definitions[definition] = made, is_there(value)
    return found


def _called(frame: Frame, expr: Apply, definition: Definition) -> Value:
    made, total = _call_function(frame, definition)
    guards: list[ast.expr] = []
    codes: list[ast.expr] = []
    for param, arg in zip(definition.params, expr.args, strict=True):
        value = frame.value(arg)
        if param.optional:
            codes.append(frame.whole(value))
        else:
            more, code = frame.parts(value)
            guards += more
            codes.append(code)
    called = py.call(py.name(made), py.name(PLAN), *codes)
    return _where(frame, guards, (Total if total else Nullable)(called), definition)


def _call_function(frame: Frame, definition: Definition) -> tuple[str, bool]:
    found = frame.program.definitions.get(definition)
    if found is None:
        made = frame.program.fresh(definition.name)
        total = False

        def write(apart: Frame) -> None:
            nonlocal total
            value = apart.value(definition.body)
            apart.emit(py.give(apart.whole(value)))
            total = is_there(value)

        apart = _apart(frame, definition)
        names = [frame.program.fresh(param.name) for param in definition.params]
        for param, identifier in zip(definition.params, names, strict=True):
            apart.bind(param, (Nullable if param.optional else Total)(py.name(identifier)), 1)
        write_function(apart, made, names, frame.facts.definition(definition).size, write)
        found = frame.program.definitions[definition] = made, total
    return found


def write_function(
    frame: Frame, made: str, params: Sequence[str], size: int, write: Callable[[Frame], None]
) -> None:
    """Adds a function of a plan's state and more to the program.

    Args:
        frame: of nothing else; what its block has comes first.
        made: the function's name.
        params: the names of what it takes beside the state.
        size: the number of nodes for which each call counts steps; 0 if they are not worth counting.
        write: writes its body.
    """
    root = frame.block
    with frame.inside(Block(1, root)) as block:
        if size:
            frame.emit(frame.spending(py.constant(1 + size // SIZE_OF_A_STEP)))
        write(frame)
    frame.program.functions.append(py.function(made, [PLAN, *params], root.body + block.body))


def _apart(frame: Frame, definition: Definition) -> Frame:
    emitter = type(frame)(frame.program, [{}])
    emitter.scope.repeats = frame.facts.repeats(definition.body)
    return emitter


def _remembered(frame: Frame, expr: Apply, definition: Definition) -> Value:
    """A static function's value: what no row, member or day needs is worked out once for all plans."""
    values = [frame.value(arg) for arg in expr.args]
    codes = [frame.whole(value) for value in values]
    body = _body(frame, definition)
    memo = frame.program.of_task(
        (definition, "memo"), lambda linked: linked.statics.memo(definition, partial(body, linked.names))
    )
    code = py.item(memo, codes[0] if len(codes) == 1 else py.group(codes))
    present = all(map(is_there, values)) and not definition.body.partial
    return Total(code) if present or definition.body.type is ScalarType.BOOL else Nullable(code)


def _body(frame: Frame, definition: Definition) -> Callable[[Mapping[str, Any], Sequence[Any]], Any]:
    """A static function's own value, from code that is loaded with the rest of the program."""
    if not frame.program.common and frame.statics.remembers(definition):
        return _never
    made, _ = _call_function(frame, definition)
    return lambda names, values: names[made](None, *values)


def _written_out(frame: Frame, expr: Apply, definition: Definition) -> Value:
    """The body with the arguments in the place of the parameters."""
    known: list[dict[Binding, Any]] = [{} for _ in range(frame.instances)]
    names: list[Binding] = []
    bound: dict[Binding, Value] = {}
    levels: dict[Binding, int] = {}
    guards: list[ast.expr] = []
    uses = frame.facts.uses(definition.body)
    for param, arg in zip(definition.params, expr.args, strict=True):
        values = frame.known(arg)
        if values is not None and _agree(frame, values, param):
            if values[0] is None and not param.optional:
                return Known(_nothing(definition))
            for env, value in zip(known, values, strict=True):
                env[param] = value
            names.append(param)
            continue
        given = frame.value(arg)
        if isinstance(given, Known) and given.value is None and not param.optional:
            return Known(_nothing(definition))
        levels[param] = frame.block.level
        if is_there(given):
            if _is_path(arg):
                levels[param] = frame.scope.level_of(frame.facts.of(arg).free)
            elif uses.get(param, 0) > 1:
                given = frame.settled(given, param.name)
        else:
            given = frame.settled(given, param.name)
            if isinstance(given, Nullable) and not param.optional:
                guards.append(py.is_present(given.code))
                given = Total(given.code)
        bound[param] = given
    repeats = frame.facts.repeats(definition.body)
    scope = Scope(known, frozenset(names), frame.scope.known_level, repeats, bound, levels)
    if not guards:
        with frame.meaning(scope):
            return frame.value(definition.body)
    with frame.inside(frame.branch(), conditional=True) as block, frame.meaning(scope):
        value = frame.value(definition.body)
    if not block.body:
        return _where(frame, guards, value, definition)
    result = frame.program.fresh(definition.name)
    frame.emit(py.assign(result, frame.program.constant(_nothing(definition))))
    block.body.append(py.assign(result, frame.whole(value)))
    frame.emit(py.when(py.both(guards), block.body))
    total = is_there(value) and _nothing(definition) is not None
    return (Total if total else Nullable)(py.name(result))


def _agree(frame: Frame, values: Any, param: Binding) -> bool:
    """All instances know the argument, or all know it to be none, or the parameter takes both.

    Raises:
        SplitInstancesError: some instances know it to be none and others not.
    """
    absent = [value is None for value in values]
    if param.optional or not any(absent) or all(absent):
        return True
    if frame.program.splits > 0:
        raise SplitInstancesError(absent)
    return False


def _where(frame: Frame, guards: list[ast.expr], value: Value, definition: Definition) -> Value:
    """A call's value where its arguments are there; none, or false, elsewhere."""
    if not guards:
        return value
    if definition.body.type is not ScalarType.BOOL:
        return frame.guarded(guards, value)
    return Total(py.both([*guards, frame.holds(value)]))


def _never(names: Mapping[str, Any], values: Sequence[Any]) -> Any:  # noqa: ARG001
    raise AssertionError("the memo is there already")


def _nothing(definition: Definition) -> bool | None:
    return False if definition.body.type is ScalarType.BOOL else None


def _is_path(expr: Expr) -> bool:
    """A variable or a column of one: as cheap to repeat as a name, and valid wherever the variable is."""
    while isinstance(expr, FieldOf):
        expr = expr.row
    return isinstance(expr, Var)
