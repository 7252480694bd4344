"""Compiled expressions for explanations, which evaluate the same parts of constraints repeatedly.

An expression is compiled to a function of its variables as soon as its interpretation has taken as long as
compilation would. Tasks with the same libraries share the functions for expressions in these libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from threading import Lock
from types import CodeType
from typing import Any, TypeAlias, TypeVar

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind, Memory
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Table
from planspec.dsl.resources.limits import EXPLAINING_STEPS
from planspec.verifiers.compiled import loop
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import ExpressionAnalysis, conditions_of
from planspec.verifiers.compiled.call import write_function
from planspec.verifiers.compiled.emitter import Emitter
from planspec.verifiers.compiled.frame import Frame, GeneratedCode, Linked, Part
from planspec.verifiers.compiled.index import StaticData
from planspec.verifiers.compiled.runtime import UNSET, initial_globals
from planspec.verifiers.compiled.value import Nullable, UnsupportedExpressionError
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

V = TypeVar("V")

STEPS_A_NODE = 12
"""Number of interpreter steps that take about as long as generating code for one node of an expression."""
MAX_CACHED_BINDINGS = 1_000
"""Maximum number of bindings of one generator that are cached for a plan."""

MAX_EXPRESSIONS = 10_000
"""Maximum number of expressions in a store of functions. When it is reached, the next task starts an empty store."""
ENV = "env"
"""Name of the parameter of generated functions that holds the values of variables."""
Cases: TypeAlias = tuple[tuple[t.Clause, ...], tuple[t.Expr, ...]]
"""Clauses of a generator, with expressions that are evaluated for each binding that the generator yields."""
Evaluated: TypeAlias = t.Expr | Cases


@dataclass(frozen=True, slots=True)
class _Function:
    """A compiled function of a plan's state and the values of variables.

    Attributes:
        name: name of the function; None if Python could not compile it.
        free: variables that the function reads.
        loops: whether it contains a loop, so that its values are worth caching.
    """

    name: str | None
    free: tuple[t.Binding, ...]
    loops: bool


@dataclass(frozen=True, slots=True)
class _Module:
    """Functions that were generated together, before they are linked to a task.

    Attributes:
        code: compiled definitions of the functions.
        constants: globals of the code that are the same for all tasks, by name.
        parts: functions that compute the globals that depend on the task, by name of the global.
    """

    code: CodeType
    constants: Mapping[str, Any]
    parts: Mapping[str, Part]


class _UnlinkedExpressions:
    """Compiled functions that several tasks can share. They are not linked to the data of a task yet.

    Args:
        statics: static data of one of the tasks.
    """

    def __init__(self, statics: StaticData) -> None:
        self._program = GeneratedCode(statics, ExpressionAnalysis(common=True), careful=True, common=True)
        self._steps: dict[Evaluated, int] = {}
        self._lock = Lock()
        self.functions: dict[Evaluated, _Function] = {}
        self.modules: list[_Module] = []

    @property
    def is_full(self) -> bool:
        """Whether the limit of expressions is reached."""
        return len(self.functions) + len(self._steps) >= MAX_EXPRESSIONS

    @property
    def state(self) -> Sequence[Any]:
        """Initial state of an evaluation, to which the rows of a plan are added."""
        return self._program.state

    def interpret(self, expr: Evaluated, meter: Meter, evaluate: Callable[[], V]) -> V:
        """Interpret an expression that has no function yet. If that takes too long, compile the expression.

        Args:
            expr: the expression, or a generator with the expressions to evaluate for its bindings (`Cases`).
            meter: meter of the interpreter.
            evaluate: function that interprets the expression.

        Raises:
            StepLimitError: interpretation took too long. The expression is now compiled.
        """
        left = meter.left = self._steps.get(expr) or STEPS_A_NODE * self._size(expr)
        try:
            return evaluate()
        finally:
            left = self._steps[expr] = min(left - 1, meter.left)
            if left <= 0:
                self._add_function(expr)

    def _size(self, target: Evaluated) -> int:
        analysis = self._program.analysis
        return sum(analysis.traits(expr).size for expr in (_parts(target) if isinstance(target, tuple) else (target,)))

    def _add_function(self, expr: Evaluated) -> None:
        with self._lock:
            if expr not in self.functions:
                self.functions[expr] = self._generate(expr)
                self._steps.pop(expr, None)

    def _generate(self, expr: Evaluated) -> _Function:
        program, analysis = self._program, self._program.analysis
        before, existing_parts = {*program.names}, {*program.parts}
        emitter = Emitter(program, [{}])
        if isinstance(expr, tuple):
            free, loops = _free_variables(expr), True
            write = _yield_writer(expr)
        else:
            free, loops = free_variables(expr), analysis.traits(expr).loops
            emitter.scope.repeats = analysis.repeats(expr)
            write = _return_writer(expr)
        for binding in free:
            value = py.item(py.name(ENV), program.constant(binding))
            emitter.bind(binding, Nullable(emitter.store(value, binding.name)), 1)
        name: str | None = program.unique_name("value")
        try:
            write_function(emitter, str(name), [ENV], self._size(expr) if loops else 0, write)
        except (RecursionError, UnsupportedExpressionError):
            name = None
        code = py.module(program.functions)
        program.functions.clear()
        constants = {each: program.names[each] for each in program.names if each not in before}
        parts = {each: program.parts[each] for each in program.parts if each not in existing_parts}
        self.modules.append(_Module(code, constants, parts))
        return _Function(name, free, loops)


def _parts(cases: Cases) -> Iterator[t.Expr]:
    clauses, exprs = cases
    for clause in clauses:
        yield clause.source
        if clause.condition is not None:
            yield clause.condition
    yield from exprs


def _free_variables(cases: Cases) -> tuple[t.Binding, ...]:
    """Return the free variables of a generator and of its expressions."""
    bound = {target for clause in cases[0] for target in clause.targets}
    read = dict.fromkeys(binding for part in _parts(cases) for binding in free_variables(part))
    return tuple(binding for binding in read if binding not in bound)


def _return_writer(expr: t.Expr) -> Callable[[Frame], None]:
    """Return a function that writes `return value` for the value of an expression."""
    return lambda frame: frame.emit(py.return_(frame.as_nullable(frame.value(expr))))


def _yield_writer(cases: Cases) -> Callable[[Frame], None]:
    """Return a function that writes loops which yield, for each binding, the values of variables and expressions."""
    clauses, exprs = cases

    def write(frame: Frame) -> None:
        def body() -> bool:
            values = [frame.scope.bound[target] for clause in clauses for target in clause.targets]
            values += [frame.value(expr) for expr in exprs]
            frame.emit(py.yield_(py.tuple_([frame.as_nullable(value) for value in values])))
            return False

        loop.generate_loops(frame, clauses, conditions_of(clauses), body)

    return write


_FunctionOnPlan: TypeAlias = tuple[Callable[..., Any], list[Any], tuple[t.Binding, ...], bool]
"""(function, state of the plan, variables that the function reads, whether its values are worth caching)"""
_COMPILED: Kind[tuple[Table, ...], _UnlinkedExpressions] = Kind("functions of expressions")


class _LinkedExpressions:
    """Compiled functions of expressions, linked to the data of one task.

    Args:
        unlinked: the functions before linking.
        statics: static data of the task.
        meter: counts the steps of the functions.
    """

    def __init__(self, unlinked: _UnlinkedExpressions, statics: StaticData, meter: Meter) -> None:
        self._unlinked = unlinked
        self._names = initial_globals(meter.spend)
        self._linked = Linked(statics, self._names)
        self._modules = 0
        self._lock = Lock()
        self._tables = [table.name for table in statics.task.plan_tables]
        self.interpret = unlinked.interpret

    def find(self, expr: Evaluated) -> tuple[Callable[..., Any] | None, _Function] | None:
        """Return the function of an expression and its description; None if the expression is not compiled yet.

        The function in the result is None if Python could not compile it.
        """
        function = self._unlinked.functions.get(expr)
        if function is None:
            return None
        if function.name is None:
            return None, function
        if self._modules < len(self._unlinked.modules):
            self._link()
        return self._names[function.name], function

    def _link(self) -> None:
        """Link the functions that were compiled since the last call. Only one thread at a time links functions."""
        with self._lock:
            for module in self._unlinked.modules[self._modules :]:
                self._names.update(module.constants)
                self._names.update((name, part(self._linked)) for name, part in module.parts.items())
                py.run(module.code, self._names)
                self._modules += 1

    def open(self, plan: Plan) -> list[Any]:
        """Return the state with which compiled functions are called: the plan's rows, a list for each table.

        `extend` adds indexes and caches to it.
        """
        return [plan.tables.get(name, ()) for name in self._tables]

    def extend(self, state: list[Any]) -> None:
        """Append to a plan's state (a list) the entries of functions that were compiled after it was created."""
        state += self._unlinked.state[len(state) :]


class Expressions:
    """Compiled expressions of a task, for explanations of many plans.

    Args:
        ground: the task.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._meter = Meter(EXPLAINING_STEPS)
        self._statics = StaticData(ground.task, ground.interpreter)
        self._source = ground.task.span.source
        self._own = self._linked(ground.interpreter.static)
        self._shared = self._linked(ground.task.shared)

    def _linked(self, memory: Memory) -> _LinkedExpressions:
        stores, key = memory.of(_COMPILED), self._ground.task.plan_tables
        if key not in stores or stores[key].is_full:
            stores[key] = _UnlinkedExpressions(self._statics)
        return _LinkedExpressions(stores[key], self._statics, self._meter)

    def on(self, plan: Plan) -> CompiledInterpreter:
        """Return an interpreter for a plan that uses compiled functions, with a fresh meter."""
        self._meter.left = self._meter.most
        base = self._ground.interpreter.on(plan, self._meter)
        plain = CachingInterpreter(self._ground.interpreter.on(plan, Meter()), plan)
        return CompiledInterpreter(base, plain, plan, self)

    def of(self, expr: t.Expr) -> _LinkedExpressions:
        """Return the compiled functions for the document that contains an expression.

        This is either the task's own document or one of its libraries, whose functions other tasks share.
        """
        return self._own if expr.span.source is self._source else self._shared


class CompiledInterpreter(CachingInterpreter):
    """An interpreter that uses compiled functions if they exist, and interprets all other expressions.

    An expression that may still be compiled is interpreted without counting steps. Otherwise, whether an evaluation
    reaches the step limit would depend on whether earlier evaluations have caused the compilation.

    Args:
        base: interpreter from which the task and all cached results are taken.
        plain: interpreter for expressions without a function.
        plan: rows of the plan tables.
        expressions: compiled expressions of the task.
    """

    def __init__(self, base: Interpreter, plain: CachingInterpreter, plan: Plan, expressions: Expressions) -> None:
        super().__init__(base, plan)
        self._plain = plain
        self._rows = plan
        self._expressions = expressions
        self._functions_on_plan: dict[Evaluated, _FunctionOnPlan] = {}
        self._cases: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        self._states: dict[_LinkedExpressions, list[Any]] = {}

    def value(self, expr: t.Expr, env: Env) -> Any:
        kind = type(expr)
        if kind is t.Var or kind is t.Literal:
            return super().value(expr, env)
        ready = self._functions_on_plan.get(expr)
        if ready is None:
            ready = self._find(expr, expr)
            if ready is None:
                return self._interpret(expr, expr, lambda: self._plain.value(expr, env), lambda: self.value(expr, env))
        function, state, free, loops = ready
        if not loops:
            return function(state, env)
        key = (expr, *[env[binding] for binding in free])
        result = self._aggregates.get(key, UNSET)
        if result is UNSET:
            result = self._aggregates[key] = function(state, env)
        return result

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner, _ in self.cases(tuple(clauses), (), env):
            yield inner

    def cases(
        self, clauses: tuple[t.Clause, ...], exprs: tuple[t.Expr, ...], env: Env
    ) -> Iterable[tuple[dict[t.Binding, Any], Sequence[Any]]]:
        if not clauses:
            return [({**env}, [self.value(expr, env) for expr in exprs])]
        generator, source = (clauses, exprs), clauses[0].source
        ready = self._functions_on_plan.get(generator) or self._find(generator, source)
        if ready is None:
            return self._interpret(
                generator,
                source,
                lambda: [*self._plain.cases(clauses, exprs, env)],
                lambda: self.cases(clauses, exprs, env),
            )
        function, state, free, _ = ready
        key = (generator, *[env[binding] for binding in free])
        items: Iterable[tuple[Any, ...]] | None = self._cases.get(key)
        if items is None:
            generated = function(state, env)
            first = list(islice(generated, MAX_CACHED_BINDINGS))
            if len(first) < MAX_CACHED_BINDINGS:
                items = self._cases[key] = first
            else:
                items = chain(first, generated)
        targets = [target for clause in clauses for target in clause.targets]
        if len(targets) == 1:
            [target] = targets
            return (({**env, target: item[0]}, item[1:]) for item in items)
        count = len(targets)
        return (({**env, **dict(zip(targets, item, strict=False))}, item[count:]) for item in items)

    def _interpret(self, target: Evaluated, expr: t.Expr, evaluate: Callable[[], V], retry: Callable[[], V]) -> V:
        """Evaluate an expression, or the cases of a generator (`Cases`), that has no compiled function yet.

        Args:
            target: the expression, or the cases.
            expr: an expression in the same document as the target.
            evaluate: function that interprets the target.
            retry: function that evaluates the target after it has been compiled.
        """
        linked, meter = self._expressions.of(expr), self._plain.meter
        if linked.find(target) is None:
            try:
                return linked.interpret(target, meter, evaluate)
            except StepLimitError:
                return retry()
        meter.left = self.meter.left
        try:
            return evaluate()
        finally:
            self.meter.left = meter.left

    def _find(self, target: Evaluated, expr: t.Expr) -> _FunctionOnPlan | None:
        """Return the compiled function of an expression or of a generator's cases (`Cases`), ready for this plan.

        Return None if the target has not been compiled.

        Args:
            target: the expression, or the cases.
            expr: an expression in the same document as the target.
        """
        linked = self._expressions.of(expr)
        match = linked.find(target)
        if match is None:
            return None
        function, description = match
        if function is None:
            return None
        state = self._states.get(linked)
        if state is None:
            state = self._states[linked] = linked.open(self._rows)
        linked.extend(state)
        ready = self._functions_on_plan[target] = (function, state, description.free, description.loops)
        return ready
