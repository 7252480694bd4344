"""Results that are put together of kept parts: what a change does not reach is not worked out again."""

from __future__ import annotations

from typing import Any, TypeAlias

from planspec.dsl.model.environment import ListTree, MapTree, ObjectTree, ResultTree, Shape
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.remembering_interpreter import RememberingInterpreter
from planspec.verifiers.environment.results import Results
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import Marks, Watch, WatchfulInterpreter
from planspec.verifiers.meaning.interpret import Env, Interpreter

Parts: TypeAlias = dict[tuple[int, tuple[Any, ...]], tuple[Any, Marks]]
"""The JSON of a tree for the values of the variables around it, with what it reads."""


class KeepingViews(TaskViews):
    """What agents see of a watched world, and the parts that it is made of.

    Args:
        task: of the watched world, without a change.
        watch: of that world.
        parts: are added to.
    """

    def __init__(self, task: Task, watch: Watch, parts: Parts) -> None:
        super().__init__(task, WatchfulInterpreter(task, watch))
        self._watch, self._parts = watch, parts

    def _results(self) -> Results:
        return _Keeping(self._interpreter.on(None), self._watch, self._parts)


class ChangedViews(TaskViews):
    """What agents see of another world.

    Args:
        task: of the other world.
        parts: of what is seen of the first.
        change: what reads something else in the other world.
    """

    def __init__(self, task: Task, parts: Parts, change: Marks) -> None:
        super().__init__(task, RememberingInterpreter(task))
        self._parts, self._change = parts, change

    def _results(self) -> Results:
        return _Changed(self._interpreter.on(None), self._parts, self._change)


class _Parted(Results):
    """Results without a memory of shapes, which are parts like others."""

    def _shaped(self, shape: Shape, values: tuple[Any, ...]) -> Any:
        return self.value(shape.tree, dict(zip(shape.params, values, strict=True)))


class _Keeping(_Parted):
    def __init__(self, interpreter: Interpreter, watch: Watch, parts: Parts) -> None:
        super().__init__(interpreter)
        self._watch, self._parts = watch, parts

    def value(self, tree: ResultTree, env: Env) -> Any:
        """The JSON of a tree, which is kept."""
        if not isinstance(tree, ObjectTree | ListTree | MapTree):
            return super().value(tree, env)
        with self._watch.reading() as marks:
            made = super().value(tree, env)
        self._parts[_key(tree, env)] = made, marks
        return made


class _Changed(_Parted):
    def __init__(self, interpreter: Interpreter, parts: Parts, change: Marks) -> None:
        super().__init__(interpreter)
        self._parts, self._change = parts, change

    def value(self, tree: ResultTree, env: Env) -> Any:
        """The JSON of a tree: the kept one if the change does not reach it."""
        if isinstance(tree, ObjectTree | ListTree | MapTree):
            kept = self._parts.get(_key(tree, env))
            if kept is not None and self._change.isdisjoint(kept[1]):
                return kept[0]
        return super().value(tree, env)


def _key(tree: ResultTree, env: Env) -> tuple[int, tuple[Any, ...]]:
    return id(tree), tuple(env.values())
