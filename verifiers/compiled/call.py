"""Code generation for calls of definitions: cached, inlined, or compiled to a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from planspec.dsl.model.tree import Apply, Binding, Definition, Expr, FieldOf, Var
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.frame import PLAN, Frame
from planspec.verifiers.compiled.index import is_cacheable
from planspec.verifiers.compiled.runtime import UNSET
from planspec.verifiers.compiled.value import (
    Block,
    Known,
    Nullable,
    Scope,
    SplitInstancesError,
    Total,
    Value,
    is_never_none,
)

MAX_INLINED_NODES = 120
"""Maximum number of nodes of a definition that is inlined. For a larger one, a function is generated and called."""
SIZE_OF_A_STEP = 10
"""A call of a function counts one step, and one more for each of this many syntax nodes in the function."""
MIN_CACHED_NODES = 5
"""Minimum number of nodes of a definition that does not read the plan, for its values to be worth caching."""


def generate_application(frame: Frame, expr: Apply) -> Value:
    """Return code for the value of a definition, called with arguments if it has parameters."""
    definition = expr.definition
    traits = frame.analysis.of_definition(definition)
    if not definition.params:
        return _definition_value(frame, definition) if traits.planned else _task_value(frame, definition)
    if not traits.planned and traits.size >= MIN_CACHED_NODES and is_cacheable(definition, frame.statics.task.tables):
        return _cached_call(frame, expr, definition)
    return (
        _inlined_body(frame, expr, definition)
        if traits.size <= MAX_INLINED_NODES
        else _function_call(frame, expr, definition)
    )


def _definition_value(frame: Frame, definition: Definition) -> Value:
    function, total = definition_function(frame, definition)
    code = frame.local(definition, py.call(py.name(function), py.name(PLAN)), definition.name)
    return Total(code) if total else Nullable(code)


def _task_value(frame: Frame, definition: Definition) -> Value:
    """Return code for the value of a definition that reads only static data. The value is computed on first use."""
    function, total = _call_function(frame, definition)
    find = frame.program.of_task(
        definition,
        lambda linked: partial(linked.statics.value, definition, lambda: linked.names[function](None)),
    )
    return (Total if total else Nullable)(py.call(find))


def definition_function(frame: Frame, definition: Definition) -> tuple[str, bool]:
    """Return the name of the function that computes a definition without parameters, once for each plan.

    Also return whether the value is never *none*.
    """
    entry = frame.program.definitions.get(definition)
    if entry is None:
        function = frame.program.unique_name(definition.name)
        place = py.constant(frame.program.new_position(UNSET))
        emitter = _new_frame(frame, definition)
        value = emitter.value(definition.body)
        emitter.emit(py.assign("value", emitter.as_nullable(value)))
        state, value_name = py.item(py.name(PLAN), place), py.name("value")
        emitter.emit(py.assign_item(py.name(PLAN), place, value_name))
        body = [
            py.assign("value", state),
            py.if_(py.compare(value_name, "is", py.name("UNSET")), emitter.block.body),
            py.return_(value_name),
        ]
        frame.program.functions.append(py.function(function, [PLAN], body))
        entry = frame.program.definitions[definition] = function, is_never_none(value)
    return entry


def _function_call(frame: Frame, expr: Apply, definition: Definition) -> Value:
    function, total = _call_function(frame, definition)
    guards: list[ast.expr] = []
    codes: list[ast.expr] = []
    for param, arg in zip(definition.params, expr.args, strict=True):
        value = frame.value(arg)
        if param.optional:
            codes.append(frame.as_nullable(value))
        else:
            more, code = frame.parts(value)
            guards += more
            codes.append(code)
    called = py.call(py.name(function), py.name(PLAN), *codes)
    return _guarded_value(frame, guards, (Total if total else Nullable)(called), definition)


def _call_function(frame: Frame, definition: Definition) -> tuple[str, bool]:
    """Return the name of the function for calls of a definition, and whether its value is never *none*."""
    entry = frame.program.definitions.get(definition)
    if entry is None:
        function = frame.program.unique_name(definition.name)
        total = False

        def write(inner: Frame) -> None:
            nonlocal total
            value = inner.value(definition.body)
            inner.emit(py.return_(inner.as_nullable(value)))
            total = is_never_none(value)

        inner = _new_frame(frame, definition)
        names = [frame.program.unique_name(param.name) for param in definition.params]
        for param, identifier in zip(definition.params, names, strict=True):
            inner.bind(param, (Nullable if param.optional else Total)(py.name(identifier)), 1)
        write_function(inner, function, names, frame.analysis.of_definition(definition).size, write)
        entry = frame.program.definitions[definition] = function, total
    return entry


def write_function(frame: Frame, name: str, params: Sequence[str], size: int, write: Callable[[Frame], None]) -> None:
    """Add a function to the program. Its first parameter is the state of a plan.

    Args:
        frame: frame of the function. Statements that are already in its block become the start of the body.
        name: name of the function.
        params: names of the further parameters.
        size: number of nodes of the expression, from which the steps of a call are computed; 0 to count no steps.
        write: function that writes the rest of the body.
    """
    root = frame.block
    with frame.inside(Block(1, root)) as block:
        if size:
            frame.emit(frame.step_counter(py.constant(1 + size // SIZE_OF_A_STEP)))
        write(frame)
    frame.program.functions.append(py.function(name, [PLAN, *params], root.body + block.body))


def _new_frame(frame: Frame, definition: Definition) -> Frame:
    emitter = type(frame)(frame.program, [{}])
    emitter.scope.repeats = frame.analysis.repeats(definition.body)
    return emitter


def _cached_call(frame: Frame, expr: Apply, definition: Definition) -> Value:
    """Return code for a call of a definition that reads only static data, with a cache of its values."""
    values = [frame.value(arg) for arg in expr.args]
    codes = [frame.as_nullable(value) for value in values]
    body = _static_body(frame, definition)
    memo = frame.program.of_task(
        (definition, "memo"), lambda linked: linked.statics.memo(definition, partial(body, linked.names))
    )
    code = py.item(memo, codes[0] if len(codes) == 1 else py.tuple_(codes))
    present = all(map(is_never_none, values)) and not definition.body.partial
    return Total(code) if present or definition.body.type is ScalarType.BOOL else Nullable(code)


def _static_body(frame: Frame, definition: Definition) -> Callable[[Mapping[str, Any], Sequence[Any]], Any]:
    """Return a Python function that evaluates a definition. The definition must read only static data.

    The function takes the globals of the generated code and the arguments of the definition. It can be called once the
    code is loaded, because it looks up the generated function of the definition in these globals.
    """
    if not frame.program.common and frame.statics.has_memo(definition):
        return _fail_if_called  # the cache already exists and has its own body
    function, _ = _call_function(frame, definition)
    return lambda names, values: names[function](None, *values)


def _inlined_body(frame: Frame, expr: Apply, definition: Definition) -> Value:
    """Return code for a definition's body with the arguments in place of the parameters."""
    envs: list[dict[Binding, Any]] = [{} for _ in range(frame.instances)]
    names: list[Binding] = []
    bound: dict[Binding, Value] = {}
    levels: dict[Binding, int] = {}
    guards: list[ast.expr] = []
    uses = frame.analysis.uses(definition.body)
    for param, arg in zip(definition.params, expr.args, strict=True):
        values = frame.static_values(arg)
        if values is not None and _arguments_agree(frame, values, param):
            if values[0] is None and not param.optional:
                return Known(_value_of_none(definition))
            for env, value in zip(envs, values, strict=True):
                env[param] = value
            names.append(param)
            continue
        argument = frame.value(arg)
        if isinstance(argument, Known) and argument.value is None and not param.optional:
            return Known(_value_of_none(definition))
        levels[param] = frame.block.level
        if is_never_none(argument):
            if _is_path(arg):
                levels[param] = frame.scope.level_of(frame.analysis.traits(arg).free)
            elif uses.get(param, 0) > 1:
                argument = frame.as_repeatable(argument, param.name)
        else:
            argument = frame.as_repeatable(argument, param.name)
            if isinstance(argument, Nullable) and not param.optional:
                guards.append(py.is_present(argument.code))
                argument = Total(argument.code)
        bound[param] = argument
    repeats = frame.analysis.repeats(definition.body)
    scope = Scope(envs, frozenset(names), frame.scope.known_level, repeats, bound, levels)
    if not guards:
        with frame.in_variable_scope(scope):
            return frame.value(definition.body)
    with frame.inside(frame.branch(), conditional=True) as block, frame.in_variable_scope(scope):
        value = frame.value(definition.body)
    if not block.body:
        return _guarded_value(frame, guards, value, definition)
    result = frame.program.unique_name(definition.name)
    frame.emit(py.assign(result, frame.program.constant(_value_of_none(definition))))
    block.body.append(py.assign(result, frame.as_nullable(value)))
    frame.emit(py.if_(py.conjunction(guards), block.body))
    total = is_never_none(value) and _value_of_none(definition) is not None
    return (Total if total else Nullable)(py.name(result))


def _arguments_agree(frame: Frame, values: Any, param: Binding) -> bool:
    """Return whether the same code can be used for an argument in all instances of a constraint.

    This is so if the parameter is optional, or if the argument is *none* in all instances or in none of them.
    Otherwise the instances are split into two groups by raising an exception. Return False if they have already been
    split too often.

    Args:
        frame: function under generation.
        values: value of the argument for each instance.
        param: the parameter.

    Raises:
        SplitInstancesError: the argument is *none* in some instances but not in others. They may still be split.
    """
    absent = [value is None for value in values]
    if param.optional or not any(absent) or all(absent):
        return True
    if frame.program.splits > 0:
        raise SplitInstancesError(absent)
    return False


def _guarded_value(frame: Frame, guards: list[ast.expr], value: Value, definition: Definition) -> Value:
    """Return code for the value of a call: `value` if all guards are true, otherwise *none* (false for a Boolean)."""
    if not guards:
        return value
    if definition.body.type is not ScalarType.BOOL:
        return frame.guarded(guards, value)
    return Total(py.conjunction([*guards, frame.holds(value)]))


def _fail_if_called(names: Mapping[str, Any], values: Sequence[Any]) -> Any:  # noqa: ARG001
    raise AssertionError("the values are computed by the body of the existing memo")


def _value_of_none(definition: Definition) -> bool | None:
    return False if definition.body.type is ScalarType.BOOL else None


def _is_path(expr: Expr) -> bool:
    """Return whether an expression is a variable or a path of columns from a variable, which is cheap to repeat."""
    while isinstance(expr, FieldOf):
        expr = expr.row
    return isinstance(expr, Var)
