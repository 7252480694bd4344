"""The compiled verifier: constraints as Python functions with the same results as the interpreter on every plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.tree import Constraint, Definition
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import ExpressionAnalysis
from planspec.verifiers.compiled.call import definition_function
from planspec.verifiers.compiled.emitter import Emitter
from planspec.verifiers.compiled.expressions import CompiledInterpreter, Expressions
from planspec.verifiers.compiled.frame import PLAN, GeneratedCode
from planspec.verifiers.compiled.index import StaticData
from planspec.verifiers.compiled.value import Block, SplitInstancesError, UnsupportedExpressionError
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

SPLITS = 3
"""Maximum number of times that a constraint's instances are divided into those with a *none* value and the others."""

Judge = Callable[[list[Any], list[bool | None]], None]


@dataclass(slots=True)
class JudgingCode:
    """Functions that judge plans. Each gets the state of a plan: a list of its rows, indexes and computed values.

    Attributes:
        state: template of the state of a plan. It is copied for each plan, and the plan's rows are put into the copy.
        verdicts: initial results of all instances. Results that do not depend on the plan are final.
        meter: counts the steps of the functions.
        judges: functions that insert results into a copy of `verdicts`.
        spans: for each function in `judges`, the source span of its constraint.
        once: for each plan table, the steps that are counted for each of its rows before the functions run.
        has_missing: function that returns whether a plan has *none* in a column in which the functions do not expect
            it; None if there is no such column.
        measures: for each measure that depends on the plan, its function.
        interpreted: positions of the instances that could not be compiled.
    """

    state: list[Any]
    verdicts: list[bool | None]
    meter: Meter
    judges: list[Judge] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    once: list[int] = field(default_factory=list)
    has_missing: Callable[[list[Any]], bool] | None = None
    measures: dict[str, Callable[[list[Any]], Any]] = field(default_factory=dict)
    interpreted: list[int] = field(default_factory=list)


class Compiled:
    """A verifier of one task, compiled to judge many plans fast.

    There are two versions of the code: one for plans in which every mandatory column has a value, and a slower,
    careful one for all other plans. Each is generated when the first plan needs it.

    Args:
        ground: the task.
        write: function that generates the code; the careful version if its argument is True.
    """

    def __init__(self, ground: Ground, write: Callable[[bool], JudgingCode]) -> None:
        self.ground = ground
        self._write = write
        self._tables = [(place, table.name) for place, table in enumerate(ground.task.plan_tables)]
        self._codes: dict[bool, JudgingCode] = {}
        self._measured = ground.task.measured

    @cached_property
    def _expressions(self) -> Expressions:
        return Expressions(self.ground)

    def explaining_interpreter(self, plan: Plan) -> CompiledInterpreter:
        """Return an interpreter that computes the details of a verdict on a plan. Only one may be used at a time."""
        return self._expressions.on(plan)

    def judge(self, plan: Plan) -> tuple[bool | None, ...]:
        """Return whether each instance of the task holds on a plan, in order; None if it does not apply."""
        return self._verdicts(plan, *self._code_for(plan))

    def values(self, plan: Plan) -> dict[str, Any]:
        """Return the values of measures and objectives on a plan, by key of `Task.measured`; None for *none*."""
        return self._values(plan, *self._code_for(plan))

    def judge_and_measure(self, plan: Plan) -> tuple[tuple[bool | None, ...], dict[str, Any]]:
        """Return the results of `judge` and of `values`. Definitions that both need are computed once."""
        code, state = self._code_for(plan)
        return self._verdicts(plan, code, state), self._values(plan, code, state)

    def _verdicts(self, plan: Plan, code: JudgingCode, state: list[Any]) -> tuple[bool | None, ...]:
        verdicts = code.verdicts.copy()
        for judge, span in zip(code.judges, code.spans, strict=True):
            try:
                judge(state, verdicts)
            except StepLimitError as out:
                raise StepLimitError(span, out.most) from None
        if code.interpreted:
            interpreter = self.ground.interpreter.on(plan)
            for at in code.interpreted:
                instance = self.ground.instances[at]
                verdicts[at] = interpreter.holds(instance.constraint.body, instance.env)
        return tuple(verdicts)

    def _values(self, plan: Plan, code: JudgingCode, state: list[Any]) -> dict[str, Any]:
        values = {name: measure(state) for name, measure in code.measures.items()}
        measured = self._measured
        if len(values) < len(measured):
            interpreter = self.ground.interpreter.on(plan)
            for name, definition in measured.items():
                if name not in values:
                    values[name] = interpreter.defined(definition)
        return values

    def _code_for(self, plan: Plan) -> tuple[JudgingCode, list[Any]]:
        """Return the version of the code that can judge a plan, and the state of the plan.

        The state is an argument of the code's functions: a list of the plan's rows, indexes and computed values.
        """
        for careful in (False, True):
            code = self._codes.get(careful)
            if code is None:
                code = self._codes[careful] = self._write(careful)
            state = code.state.copy()
            linear = 0
            for place, name in self._tables:
                rows = state[place] = plan.tables.get(name, ())
                linear += len(rows) * code.once[place]
            code.meter.left = code.meter.most
            code.meter.spend(linear)
            if code.has_missing is None or not code.has_missing(state):
                return code, state
        raise AssertionError("careful code relies on nothing")


def compile_task(ground: Ground) -> Compiled:
    """Return a verifier that judges many plans of a task fast. Code is generated when the first plan is judged."""
    statics, analysis = StaticData(ground.task, ground.interpreter), ExpressionAnalysis()
    return Compiled(ground, lambda careful: _generate(ground, GeneratedCode(statics, analysis, careful=careful)))


def _generate(ground: Ground, program: GeneratedCode) -> JudgingCode:
    """Return code for all instances of a task, specialised to its static data."""
    code = JudgingCode([], [None] * len(ground.instances), program.meter)
    judge_names: list[tuple[str, Span]] = []
    numbered = [(at, each) for at, each in enumerate(ground.instances) if each.applicable]
    for constraint, instances in groupby(numbered, key=lambda pair: pair[1].constraint):
        program.splits = SPLITS
        judges = _judge_functions(program, constraint, list(instances), code)
        judge_names += [(name, constraint.body.span) for name in judges]
    measures = measure_functions(program, ground.task.measured)
    has_missing = missing_values_function(program)
    py.load(program.functions, program.names)
    names = program.names
    code.state = program.state
    code.once = [program.once[name] for name in program.tables]
    code.has_missing = None if has_missing is None else names[has_missing]
    code.judges = [names[name] for name, _ in judge_names]
    code.spans = [span for _, span in judge_names]
    code.measures = {name: names[function] for name, function in measures.items()}
    return code


def measure_functions(program: GeneratedCode, measured: Mapping[str, Definition]) -> dict[str, str]:
    """Return the names of functions that compute definitions on a plan, by the keys of `measured`.

    Definitions that do not depend on the plan, or that could not be compiled, are left out.
    """
    functions: dict[str, str] = {}
    for name, definition in measured.items():
        if program.analysis.of_definition(definition).planned:
            try:
                functions[name], _ = definition_function(Emitter(program, [{}]), definition)
            except (RecursionError, UnsupportedExpressionError):
                continue
    return functions


def _judge_functions(
    program: GeneratedCode,
    constraint: Constraint,
    instances: Sequence[tuple[int, Instance]],
    code: JudgingCode,
) -> list[str]:
    """Return the names of the functions that judge instances of a constraint.

    The constant results of the other instances, or the positions of instances to interpret, are set in `code`.
    """
    try:
        return _judge(program, constraint, instances, code)
    except SplitInstancesError as split:
        program.splits -= 1
        names: list[str] = []
        for kind in (False, True):
            alike = [pair for pair, absent in zip(instances, split.absent, strict=True) if absent is kind]
            names += _judge_functions(program, constraint, alike, code)
        return names
    except (RecursionError, UnsupportedExpressionError):
        code.interpreted += [at for at, _ in instances]
        return []


def _judge(
    program: GeneratedCode,
    constraint: Constraint,
    instances: Sequence[tuple[int, Instance]],
    code: JudgingCode,
) -> list[str]:
    emitter = Emitter(program, [instance.env for _, instance in instances])
    emitter.scope.repeats = program.analysis.repeats(constraint.body)
    root = emitter.block
    places = [at for at, _ in instances]
    block = root if len(places) == 1 else Block(1, root, 1)
    with emitter.inside(block):
        test = emitter.test(constraint.body)
    if py.is_literal(test, True) or py.is_literal(test, False):
        for at in places:
            code.verdicts[at] = py.is_literal(test, True)
        return []
    verdicts = py.name("verdicts")
    if len(places) == 1:
        root.body.append(py.assign_item(verdicts, py.constant(places[0]), test))
    else:
        block.body.append(py.assign_item(verdicts, py.name("at"), test))
        names = [name for name, _ in emitter.instance_variables]
        rows = (
            tuple(zip(places, *(values for _, values in emitter.instance_variables), strict=True))
            if names
            else tuple(places)
        )
        root.body.append(py.loop(["at", *names], program.constant(rows), block.body))
    function = program.unique_name("judge")
    program.functions.append(py.function(function, [PLAN, "verdicts"], root.body))
    return [function]


def missing_values_function(program: GeneratedCode) -> str | None:
    """Add a function that tests whether a plan has *none* in a column in which the code does not expect it.

    Return its name, or None if there is no such column.
    """
    if not program.relied_on:
        return None
    name = program.unique_name("has_missing")
    columns: dict[str, list[str]] = {}
    for table, column in program.relied_on:
        columns.setdefault(table, []).append(column)
    body = []
    row = py.name("row")
    for table, names in columns.items():
        absent = py.disjunction([py.is_none(py.attribute(row, column)) for column in names])
        source = py.item(py.name(PLAN), py.constant(program.tables[table]))
        body.append(py.loop(["row"], source, [py.if_(absent, [py.return_(py.TRUE)])]))
    program.functions.append(py.function(name, [PLAN], [*body, py.return_(py.FALSE)]))
    return name
