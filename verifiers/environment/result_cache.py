"""Cache of parts of the results of tools and of the texts in prompts (shows).

If some facts of a task are changed, only the parts that depend on them are evaluated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.model.environment import (
    DeclaredTool,
    Elements,
    ListTree,
    MapTree,
    ObjectTree,
    ResultTree,
    Shape,
)
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.arguments import NAME_INDEXES
from planspec.verifiers.environment.remembering_interpreter import RememberingInterpreter
from planspec.verifiers.environment.results import ResultEvaluator
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import (
    OF_EXPRESSIONS,
    DefinitionValues,
    ReadRecorder,
    ReadRecordingInterpreter,
    ReadSet,
)
from planspec.verifiers.meaning.interpret import VALUES, Env, Interpreter

_PartKey: TypeAlias = tuple[int, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    """The cached value of a part of a result for one binding of its variables.

    Attributes:
        value: JSON, or the bindings of the elements of a list or map.
        marks: facts that were read in the evaluation.
        steps: number of steps of the evaluation.
    """

    value: Any
    marks: ReadSet
    steps: int


@dataclass(frozen=True, slots=True)
class ResultCache:
    """Cached results of a task whose reads are recorded (a `RecordedWorld`), for all settings.

    Attributes:
        watch: recorder of the reads.
        parts: JSON of result trees, and elements of lists, by tree and values of variables.
        calls: results of calls with the facts read, by tool and JSON of the arguments.
        named: for each tool, the facts read to find the names that its parameters accept.
        definitions: values of definitions without parameters, with the facts read.
        static: results that depend only on expressions, and indexes of the rows that arguments can name.
    """

    watch: ReadRecorder = field(default_factory=ReadRecorder)
    parts: dict[_PartKey, _Part] = field(default_factory=dict)
    calls: dict[tuple[DeclaredTool, str], tuple[str, ReadSet]] = field(default_factory=dict)
    named: dict[DeclaredTool, ReadSet] = field(default_factory=dict)
    definitions: DefinitionValues = field(default_factory=dict)
    static: Memory = field(default_factory=Memory)

    def unaffected_by(self, change: ReadSet) -> Memory:
        """Return the results in `static` that remain valid after a change of facts.

        Args:
            change: reads whose results differ after the change.
        """
        memory = self.static.sharing(*OF_EXPRESSIONS)
        memory.of(VALUES).update(
            (definition, value) for definition, (value, marks) in self.definitions.items() if change.isdisjoint(marks)
        )
        params = {param for tool, marks in self.named.items() if change.isdisjoint(marks) for param in tool.params}
        indexes = self.static.of(NAME_INDEXES)
        memory.of(NAME_INDEXES).update((param, indexes[param]) for param in params & indexes.keys())
        return memory


class CachingViews(TaskViews):
    """Texts and tools of a `RecordedWorld` that cache the parts of their results.

    Args:
        task: unchanged task of the recorded world.
        cache: cache to fill.
    """

    def __init__(self, task: Task, cache: ResultCache) -> None:
        super().__init__(task, ReadRecordingInterpreter(task, cache.watch, cache.definitions, cache.static))
        self._cache = cache

    def _results(self, interpreter: Interpreter) -> ResultEvaluator:
        return _CachingEvaluator(interpreter, self._cache)


class ChangedViews(TaskViews):
    """Texts and tools of a task with changed facts that reuse the cached parts of the original task.

    Args:
        task: task with changed facts.
        cache: cache of the original task.
        change: reads whose results in `task` differ from those in the original task.
    """

    def __init__(self, task: Task, cache: ResultCache, change: ReadSet) -> None:
        super().__init__(task, RememberingInterpreter(task, static=cache.unaffected_by(change)))
        self._cache, self._change = cache, change

    def _results(self, interpreter: Interpreter) -> ResultEvaluator:
        return _ReusingEvaluator(interpreter, self._cache, self._change)


class _PartwiseEvaluator(ResultEvaluator):
    """Evaluator of result trees that caches the values of their parts, also those of shapes (named result trees)."""

    def __init__(self, interpreter: Interpreter, cache: ResultCache) -> None:
        super().__init__(interpreter)
        self._parts = cache.parts

    def _shape_value(self, shape: Shape, values: tuple[Any, ...]) -> Any:
        return self.value(shape.tree, dict(zip(shape.params, values, strict=True)))


class _CachingEvaluator(_PartwiseEvaluator):
    def __init__(self, interpreter: Interpreter, cache: ResultCache) -> None:
        super().__init__(interpreter, cache)
        self._watch = cache.watch

    def value(self, tree: ResultTree, env: Env) -> Any:
        if not isinstance(tree, ObjectTree | ListTree | MapTree):
            return super().value(tree, env)
        left = self._interpreter.meter.left
        with self._watch.reading() as marks:
            result = super().value(tree, env)
        self._parts[_key(tree, env)] = _Part(result, marks, left - self._interpreter.meter.left)
        return result

    def _elements(self, each: Elements, env: Env) -> Sequence[Env]:
        left = self._interpreter.meter.left
        with self._watch.reading() as marks:
            elements = super()._elements(each, env)
        self._parts[_key(each, env)] = _Part(elements, marks, left - self._interpreter.meter.left)
        return elements


class _ReusingEvaluator(_PartwiseEvaluator):
    def __init__(self, interpreter: Interpreter, cache: ResultCache, change: ReadSet) -> None:
        super().__init__(interpreter, cache)
        self._change = change

    def value(self, tree: ResultTree, env: Env) -> Any:
        if isinstance(tree, ObjectTree | ListTree | MapTree):
            part = self._reusable_part(tree, env)
            if part is not None:
                return part.value
        return super().value(tree, env)

    def _elements(self, each: Elements, env: Env) -> Sequence[Env]:
        part = self._reusable_part(each, env)
        return super()._elements(each, env) if part is None else part.value

    def _reusable_part(self, tree: ResultTree | Elements, env: Env) -> _Part | None:
        """Return a cached part, or None if it is not cached or depends on changed facts.

        Its evaluation steps are counted again, so that a step limit is reached as without a cache.
        """
        part = self._parts.get(_key(tree, env))
        if part is None or not self._change.isdisjoint(part.marks):
            return None
        self._interpreter.meter.spend(part.steps)
        return part


def _key(tree: ResultTree | Elements, env: Env) -> _PartKey:
    return id(tree), tuple(env.values())
