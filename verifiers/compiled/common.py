"""Code shared by tasks with the same constraints. It is generated once and linked to the data of each task.

It is slower than code specialised to one task, because it does not contain the task's parameters and rows. It is used
for the first plan of a task, for which generating specialised code would take too long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import CodeType
from typing import Any

from planspec.dsl.model.tree import Clause, Constraint, RangeOf, SetLiteral, SetOf
from planspec.dsl.resources.limits import INTERPRETING_STEPS
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.analysis import ExpressionAnalysis
from planspec.verifiers.compiled.compile import Compiled, JudgingCode, measure_functions, missing_values_function
from planspec.verifiers.compiled.emitter import Emitter
from planspec.verifiers.compiled.frame import PLAN, GeneratedCode, Linked, Part
from planspec.verifiers.compiled.index import StaticData
from planspec.verifiers.compiled.runtime import initial_globals
from planspec.verifiers.compiled.value import Block, Env, Nullable, Total, UnsupportedExpressionError
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.meter import Meter


@dataclass(frozen=True, slots=True)
class _UnlinkedCode:
    """Generated code that is not linked to a task.

    Attributes:
        module: compiled definitions of the functions.
        names: globals of the code that are the same for all tasks, by name, without the functions in `module`.
        parts: functions that compute the globals that depend on the task, by name of the global.
        state: template of the state of a plan. It is copied for each plan, and the plan's rows are put into the copy.
        once: for each plan table, the steps that are counted for each of its rows before the functions run.
        rules: for each constraint, the name of the function that judges its instances, or a Boolean if all
            instances have this result on every plan.
        has_missing: name of the function that tests whether a plan has *none* in a column in which the other
            functions do not expect it; None if there is no such column.
        measures: for each measure that depends on the plan, the name of its function.
    """

    module: CodeType
    names: Mapping[str, Any]
    parts: Mapping[str, Part]
    state: Sequence[Any]
    once: Sequence[int]
    rules: Mapping[Constraint, str | bool]
    has_missing: str | None
    measures: Mapping[str, str]


class CommonCode:
    """Code that judges the same constraints in several tasks.

    Args:
        constraints: the judged constraints.
    """

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self._constraints = constraints
        self._analysis = ExpressionAnalysis(common=True)
        self._unlinked: dict[bool, _UnlinkedCode] = {}

    def link(self, ground: Ground) -> Compiled:
        """Return a verifier of a task that uses this code. Instances of other constraints are interpreted."""
        statics = StaticData(ground.task, ground.interpreter)
        return Compiled(ground, lambda careful: self._link_code(ground, statics, careful=careful))

    def _link_code(self, ground: Ground, statics: StaticData, *, careful: bool) -> JudgingCode:
        unlinked = self._unlinked.get(careful)
        if unlinked is None:
            unlinked = self._unlinked[careful] = self._generate(statics, careful=careful)
        places: dict[Constraint, list[tuple[int, Env]]] = {}
        for at, instance in enumerate(ground.instances):
            if instance.applicable:
                places.setdefault(instance.constraint, []).append((at, instance.env))
        meter = Meter(INTERPRETING_STEPS)
        globals_ = {**unlinked.names, **initial_globals(meter.spend)}
        linked = Linked(statics, globals_)
        globals_.update((name, part(linked)) for name, part in unlinked.parts.items())
        py.run(unlinked.module, globals_)
        code = JudgingCode([*unlinked.state], [None] * len(ground.instances), meter, once=[*unlinked.once])
        for constraint, instances in places.items():
            rule = unlinked.rules.get(constraint)
            if isinstance(rule, str):
                code.judges.append(partial(globals_[rule], _instances_argument(constraint, instances)))
                code.spans.append(constraint.body.span)
                continue
            for at, _ in instances:
                if rule is None:
                    code.interpreted.append(at)
                else:
                    code.verdicts[at] = rule
        code.has_missing = None if unlinked.has_missing is None else globals_[unlinked.has_missing]
        code.measures = {name: globals_[function] for name, function in unlinked.measures.items()}
        return code

    def _generate(self, statics: StaticData, *, careful: bool) -> _UnlinkedCode:
        program = GeneratedCode(statics, self._analysis, careful=careful, common=True)
        rules: dict[Constraint, str | bool] = {}
        for constraint in self._constraints:
            try:
                rules[constraint] = _judge_function(program, constraint)
            except (RecursionError, UnsupportedExpressionError):
                continue
        measures = measure_functions(program, statics.task.shared_measures)
        has_missing = missing_values_function(program)
        return _UnlinkedCode(
            py.module(program.functions),
            program.names,
            program.parts,
            program.state,
            [program.once[name] for name in program.tables],
            rules,
            has_missing,
            measures,
        )


def _judge_function(program: GeneratedCode, constraint: Constraint) -> str | bool:
    """Return the name of the function that judges a constraint's instances, or their result if it is constant."""
    emitter = Emitter(program, [{}])
    emitter.scope.repeats = program.analysis.repeats(constraint.body)
    root = emitter.block
    block = Block(1, root, 1) if constraint.clauses else root
    targets = [(target, clause) for clause in constraint.clauses for target in clause.targets]
    identifiers = [program.unique_name(target.name) for target, _ in targets]
    for (target, clause), identifier in zip(targets, identifiers, strict=True):
        emitter.bind(target, (Nullable if _may_be_none(clause) else Total)(py.name(identifier)), block.level)
    with emitter.inside(block):
        test = emitter.test(constraint.body)
    if py.is_literal(test, True) or py.is_literal(test, False):
        return py.is_literal(test, True)
    verdicts = py.name("verdicts")
    instances = py.name("instances")
    if constraint.clauses:
        block.body.append(py.assign_item(verdicts, py.name("at"), test))
        root.body.append(py.loop(["at", *identifiers], instances, block.body))
    else:
        root.body.append(py.assign_item(verdicts, instances, test))
    function = program.unique_name("judge")
    program.functions.append(py.function(function, ["instances", PLAN, "verdicts"], root.body))
    return function


def _may_be_none(clause: Clause) -> bool:
    """Return whether the variable of a `for:` clause may be *none*, which is possible if it ranges over a list."""
    return not isinstance(clause.source, (SetOf, SetLiteral, RangeOf))


def _instances_argument(constraint: Constraint, instances: Sequence[tuple[int, Env]]) -> Any:
    """Return the argument for the function of a constraint: for each instance, its position and its variables.

    If the constraint has no variables, and so only one instance, the argument is only its position.
    """
    if not constraint.clauses:
        return instances[0][0]
    targets = [target for clause in constraint.clauses for target in clause.targets]
    return tuple((at, *[env[target] for target in targets]) for at, env in instances)
