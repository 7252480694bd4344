"""Expressions as functions of their variables: for explanations, which ask for the parts of a rule again and again.

An expression is interpreted until that has taken as long as writing its function does. Where the function stands depends on
whose expression it is: tasks that stand on the same documents have the functions of these in common.
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
from planspec.verifiers.compiled.analysis import ExpressionFacts, conditions_of
from planspec.verifiers.compiled.call import write_function
from planspec.verifiers.compiled.emitter import Emitter
from planspec.verifiers.compiled.frame import Frame, GeneratedCode, Linked, Part
from planspec.verifiers.compiled.index import Statics
from planspec.verifiers.compiled.runtime import UNSET, names
from planspec.verifiers.compiled.value import Nullable, UnsupportedExpressionError
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

V = TypeVar("V")

STEPS_A_NODE = 12
"""The steps of the interpreter that take as long as writing the code of one node."""
MOST_KEPT = 1_000
"""The most bindings of one generator that are kept for a plan."""

MOST_EXPRESSIONS = 10_000
"""The most expressions of one set of documents: tasks that change what their library says bring ever more."""
ENV = "env"
"""The parameter for the values of variables."""
Cases: TypeAlias = tuple[tuple[t.Clause, ...], tuple[t.Expr, ...]]
"""The clauses of a generator, with expressions that are evaluated for each binding."""
Evaluated: TypeAlias = t.Expr | Cases


@dataclass(frozen=True, slots=True)
class _Function:
    """A function of a plan's state and of the values of variables.

    Attributes:
        name: under which it is found; None if Python could not compile it.
        free: the variables that it reads.
        loops: it ranges over something, so that its value is worth keeping.
    """

    name: str | None
    free: tuple[t.Binding, ...]
    loops: bool


@dataclass(frozen=True, slots=True)
class _Module:
    """Functions that were written together, for every task that is linked to them."""

    code: CodeType
    constants: Mapping[str, Any]
    parts: Mapping[str, Part]


class _WrittenExpressions:
    """The functions of the expressions of some documents, of which there are ever more.

    Args:
        statics: of one of the tasks.
    """

    def __init__(self, statics: Statics) -> None:
        self._program = GeneratedCode(statics, ExpressionFacts(common=True), careful=True, common=True)
        self._steps: dict[Evaluated, int] = {}
        self._lock = Lock()
        self.functions: dict[Evaluated, _Function] = {}
        self.modules: list[_Module] = []

    @property
    def is_full(self) -> bool:
        """There are so many that they cannot be what tasks have in common."""
        return len(self.functions) + len(self._steps) >= MOST_EXPRESSIONS

    @property
    def state(self) -> Sequence[Any]:
        """A plan's before its rows are put in."""
        return self._program.state

    def interpret(self, of: Evaluated, meter: Meter, evaluate: Callable[[], V]) -> V:
        """Interpret something of which there is no function, and write its function if that has now taken long enough.

        Args:
            of: it.
            meter: of the interpreter.
            evaluate: interprets it.

        Raises:
            StepLimitError: it took so long that its function is the better way; there is one now.
        """
        left = meter.left = self._steps.get(of) or STEPS_A_NODE * self._size(of)
        try:
            return evaluate()
        finally:
            left = self._steps[of] = min(left - 1, meter.left)
            if left <= 0:
                self._write(of)

    def _size(self, of: Evaluated) -> int:
        facts = self._program.facts
        return sum(facts.of(expr).size for expr in (_parts(of) if isinstance(of, tuple) else (of,)))

    def _write(self, of: Evaluated) -> None:
        with self._lock:
            if of not in self.functions:
                self.functions[of] = self._written(of)
                self._steps.pop(of, None)

    def _written(self, of: Evaluated) -> _Function:
        program, facts = self._program, self._program.facts
        before, known = {*program.names}, {*program.parts}
        emitter = Emitter(program, [{}])
        if isinstance(of, tuple):
            free, loops = _free(of), True
            write = _handing_out(of)
        else:
            free, loops = free_variables(of), facts.of(of).loops
            emitter.scope.repeats = facts.repeats(of)
            write = _giving(of)
        for binding in free:
            value = py.item(py.name(ENV), program.constant(binding))
            emitter.bind(binding, Nullable(emitter.store(value, binding.name)), 1)
        name: str | None = program.fresh("value")
        try:
            write_function(emitter, str(name), [ENV], self._size(of) if loops else 0, write)
        except (RecursionError, UnsupportedExpressionError):
            name = None
        code = py.module(program.functions)
        program.functions.clear()
        constants = {each: program.names[each] for each in program.names if each not in before}
        parts = {each: program.parts[each] for each in program.parts if each not in known}
        self.modules.append(_Module(code, constants, parts))
        return _Function(name, free, loops)


def _parts(cases: Cases) -> Iterator[t.Expr]:
    clauses, exprs = cases
    for clause in clauses:
        yield clause.source
        if clause.condition is not None:
            yield clause.condition
    yield from exprs


def _free(cases: Cases) -> tuple[t.Binding, ...]:
    """The variables that a generator with expressions reads and does not bind."""
    bound = {target for clause in cases[0] for target in clause.targets}
    read = dict.fromkeys(binding for part in _parts(cases) for binding in free_variables(part))
    return tuple(binding for binding in read if binding not in bound)


def _giving(expr: t.Expr) -> Callable[[Frame], None]:
    """Writes what gives the value of an expression."""
    return lambda frame: frame.emit(py.give(frame.whole(frame.value(expr))))


def _handing_out(cases: Cases) -> Callable[[Frame], None]:
    """Writes what hands out the bindings one after the other: the variables' values, then the expressions'."""
    clauses, exprs = cases

    def write(frame: Frame) -> None:
        def body() -> bool:
            values = [frame.scope.bound[target] for clause in clauses for target in clause.targets]
            values += [frame.value(expr) for expr in exprs]
            frame.emit(py.hand_out(py.group([frame.whole(value) for value in values])))
            return False

        loop.run(frame, clauses, conditions_of(clauses), body)

    return write


_Ready: TypeAlias = tuple[Callable[..., Any], list[Any], tuple[t.Binding, ...], bool]
"""A function, the plan's state, the variables, and whether its value is worth keeping."""
_WRITTEN: Kind[tuple[Table, ...], _WrittenExpressions] = Kind("functions of expressions")


class _LinkedExpressions:
    """The functions of some documents' expressions, linked to a task.

    Args:
        written: the functions.
        statics: of the task.
        meter: counts their steps.
    """

    def __init__(self, written: _WrittenExpressions, statics: Statics, meter: Meter) -> None:
        self._written = written
        self._names = names(meter.spend)
        self._linked = Linked(statics, self._names)
        self._modules = 0
        self._tables = [table.name for table in statics.task.plan_tables]
        self.interpret = written.interpret

    def find(self, of: Evaluated) -> tuple[Callable[..., Any] | None, _Function] | None:
        """A function, if it was written; None in its place if Python could not compile it."""
        found = self._written.functions.get(of)
        if found is None:
            return None
        if found.name is None:
            return None, found
        while self._modules < len(self._written.modules):
            module = self._written.modules[self._modules]
            self._names.update(module.constants)
            self._names.update((name, part(self._linked)) for name, part in module.parts.items())
            py.run(module.code, self._names)
            self._modules += 1
        return self._names[found.name], found

    def open(self, plan: Plan) -> list[Any]:
        """The state of a plan, which `extend` makes longer as there are more functions."""
        return [plan.tables.get(name, ()) for name in self._tables]

    def extend(self, state: list[Any]) -> None:
        """Put into a plan's state what functions that were written since need in it."""
        state += self._written.state[len(state) :]


class Expressions:
    """The expressions of a task, for explanations of many plans.

    Args:
        ground: the task.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._meter = Meter(EXPLAINING_STEPS)
        self._statics = Statics(ground.task, ground.interpreter)
        self._source = ground.task.span.source
        self._own = self._linked(ground.interpreter.static)
        self._shared = self._linked(ground.task.shared)

    def _linked(self, memory: Memory) -> _LinkedExpressions:
        written, key = memory.of(_WRITTEN), self._ground.task.plan_tables
        if key not in written or written[key].is_full:
            written[key] = _WrittenExpressions(self._statics)
        return _LinkedExpressions(written[key], self._statics, self._meter)

    def on(self, plan: Plan) -> CompiledInterpreter:
        """An interpreter for a plan that uses functions, with all of its steps before it."""
        self._meter.left = self._meter.most
        of = self._ground.interpreter.on(plan, self._meter)
        plain = CachingInterpreter(self._ground.interpreter.on(plan, Meter()), plan)
        return CompiledInterpreter(of, plain, plan, self)

    def of(self, expr: t.Expr) -> _LinkedExpressions:
        """The functions of the document in which an expression stands."""
        return self._own if expr.span.source is self._source else self._shared


class CompiledInterpreter(CachingInterpreter):
    """An interpreter that evaluates what it has a function of by that, and all else as the interpreter does.

    Only the steps of functions count, so that what can be worked out does not depend on what was worked out before.

    Args:
        of: shares what it worked out about the task and the plan.
        plain: evaluates what there is no function of.
        plan: the rows of the plan tables.
        expressions: of the task.
    """

    def __init__(
        self, of: Interpreter, plain: CachingInterpreter, plan: Plan, expressions: Expressions
    ) -> None:
        super().__init__(of, plan)
        self._plain = plain
        self._rows = plan
        self._expressions = expressions
        self._ready: dict[Evaluated, _Ready] = {}
        self._cases: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        self._states: dict[_LinkedExpressions, list[Any]] = {}

    def value(self, expr: t.Expr, env: Env) -> Any:
        ready = self._ready.get(expr)
        if ready is None:
            if isinstance(expr, t.Var | t.Literal):
                return super().value(expr, env)
            ready = self._find(expr, expr)
            if ready is None:
                return self._interpreted(
                    expr, expr, lambda: self._plain.value(expr, env), lambda: self.value(expr, env)
                )
        function, state, free, loops = ready
        if not loops:
            return function(state, env)
        key = (expr, *[env[binding] for binding in free])
        found = self._aggregates.get(key, UNSET)
        if found is UNSET:
            found = self._aggregates[key] = function(state, env)
        return found

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner, _ in self.cases(tuple(clauses), (), env):
            yield inner

    def cases(
        self, clauses: tuple[t.Clause, ...], exprs: tuple[t.Expr, ...], env: Env
    ) -> Iterable[tuple[dict[t.Binding, Any], Sequence[Any]]]:
        if not clauses:
            return [({**env}, [self.value(expr, env) for expr in exprs])]
        of, source = (clauses, exprs), clauses[0].source
        ready = self._ready.get(of) or self._find(of, source)
        if ready is None:
            return self._interpreted(
                of,
                source,
                lambda: [*self._plain.cases(clauses, exprs, env)],
                lambda: self.cases(clauses, exprs, env),
            )
        function, state, free, _ = ready
        key = (of, *[env[binding] for binding in free])
        items: Iterable[tuple[Any, ...]] | None = self._cases.get(key)
        if items is None:
            handed = function(state, env)
            first = list(islice(handed, MOST_KEPT))
            if len(first) < MOST_KEPT:
                items = self._cases[key] = first
            else:
                items = chain(first, handed)
        targets = [target for clause in clauses for target in clause.targets]
        if len(targets) == 1:
            [target] = targets
            return (({**env, target: item[0]}, item[1:]) for item in items)
        count = len(targets)
        return (({**env, **dict(zip(targets, item, strict=False))}, item[count:]) for item in items)

    def _interpreted(
        self, of: Evaluated, expr: t.Expr, evaluate: Callable[[], V], again: Callable[[], V]
    ) -> V:
        """Interpret something of which there is no function yet, or never will be.

        Args:
            of: it.
            expr: it, or a part of it.
            evaluate: interprets it.
            again: evaluates it by its function.
        """
        linked, meter = self._expressions.of(expr), self._plain.meter
        if linked.find(of) is None:
            try:
                return linked.interpret(of, meter, evaluate)
            except StepLimitError:
                return again()
        meter.left = self.meter.left
        try:
            return evaluate()
        finally:
            self.meter.left = meter.left

    def _find(self, of: Evaluated, expr: t.Expr) -> _Ready | None:
        """The function of something on this plan, if there is one by now.

        Args:
            of: it.
            expr: it, or a part of it.
        """
        linked = self._expressions.of(expr)
        found = linked.find(of)
        if found is None:
            return None
        function, about = found
        if function is None:
            return None
        state = self._states.get(linked)
        if state is None:
            state = self._states[linked] = linked.open(self._rows)
        linked.extend(state)
        ready = self._ready[of] = (function, state, about.free, about.loops)
        return ready
