"""Results that are put together of kept parts: what a change does not reach is not worked out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from planspec.dsl.model.environment import (
    DeclaredTool,
    Each,
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
from planspec.verifiers.environment.results import Results
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import (
    OF_EXPRESSIONS,
    KnownValues,
    Marks,
    Watch,
    WatchfulInterpreter,
)
from planspec.verifiers.meaning.interpret import VALUES, Env, Interpreter

_PartKey: TypeAlias = tuple[int, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that was worked out for the values of the variables around it.

    Attributes:
        made: JSON, or the elements of a list or map.
        marks: what it reads.
        steps: that it took.
    """

    made: Any
    marks: Marks
    steps: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What was worked out of a watched world, under all settings.

    Attributes:
        watch: of the world.
        parts: of results: the JSON of trees and the elements of lists, by tree and variables.
        calls: the results of calls by tool and arguments as JSON, with what each reads.
        named: what the names read by which the arguments of each tool are called.
        known: the values of definitions.
        static: what follows from expressions alone, and the rows that arguments can name.
    """

    watch: Watch = field(default_factory=Watch)
    parts: dict[_PartKey, _Part] = field(default_factory=dict)
    calls: dict[tuple[DeclaredTool, str], tuple[str, Marks]] = field(default_factory=dict)
    named: dict[DeclaredTool, Marks] = field(default_factory=dict)
    known: KnownValues = field(default_factory=dict)
    static: Memory = field(default_factory=Memory)

    def beside(self, change: Marks) -> Memory:
        """What of it holds in another world.

        Args:
            change: what reads something else there.
        """
        made = self.static.sharing(*OF_EXPRESSIONS)
        made.of(VALUES).update(
            (definition, value)
            for definition, (value, marks) in self.known.items()
            if change.isdisjoint(marks)
        )
        params = {
            param for tool, marks in self.named.items() if change.isdisjoint(marks) for param in tool.params
        }
        indexes = self.static.of(NAME_INDEXES)
        made.of(NAME_INDEXES).update((param, indexes[param]) for param in params & indexes.keys())
        return made


class KeepingViews(TaskViews):
    """What agents see of a watched world, and the parts that it is made of.

    Args:
        task: of the watched world, without a change.
        kept: is added to.
    """

    def __init__(self, task: Task, kept: Kept) -> None:
        super().__init__(task, WatchfulInterpreter(task, kept.watch, kept.known, kept.static))
        self._kept = kept

    def _results(self, interpreter: Interpreter) -> Results:
        return _Keeping(interpreter, self._kept)


class ChangedViews(TaskViews):
    """What agents see of another world.

    Args:
        task: of the other world.
        kept: of the first.
        change: what reads something else in the other world.
    """

    def __init__(self, task: Task, kept: Kept, change: Marks) -> None:
        super().__init__(task, RememberingInterpreter(task, static=kept.beside(change)))
        self._kept, self._change = kept, change

    def _results(self, interpreter: Interpreter) -> Results:
        return _Changed(interpreter, self._kept, self._change)


class _Parted(Results):
    """Results without a memory of shapes, which are parts like others."""

    def __init__(self, interpreter: Interpreter, kept: Kept) -> None:
        super().__init__(interpreter)
        self._parts = kept.parts

    def _shaped(self, shape: Shape, values: tuple[Any, ...]) -> Any:
        return self.value(shape.tree, dict(zip(shape.params, values, strict=True)))


class _Keeping(_Parted):
    def __init__(self, interpreter: Interpreter, kept: Kept) -> None:
        super().__init__(interpreter, kept)
        self._watch = kept.watch

    def value(self, tree: ResultTree, env: Env) -> Any:
        """The JSON of a tree, which is kept."""
        if not isinstance(tree, ObjectTree | ListTree | MapTree):
            return super().value(tree, env)
        left = self._interpreter.meter.left
        with self._watch.reading() as marks:
            made = super().value(tree, env)
        self._parts[_key(tree, env)] = _Part(made, marks, left - self._interpreter.meter.left)
        return made

    def _elements(self, each: Each, env: Env) -> Sequence[Env]:
        left = self._interpreter.meter.left
        with self._watch.reading() as marks:
            made = super()._elements(each, env)
        self._parts[_key(each, env)] = _Part(made, marks, left - self._interpreter.meter.left)
        return made


class _Changed(_Parted):
    def __init__(self, interpreter: Interpreter, kept: Kept, change: Marks) -> None:
        super().__init__(interpreter, kept)
        self._change = change

    def value(self, tree: ResultTree, env: Env) -> Any:
        """The JSON of a tree: the kept one if the change does not reach it."""
        if isinstance(tree, ObjectTree | ListTree | MapTree):
            part = self._unreached(tree, env)
            if part is not None:
                return part.made
        return super().value(tree, env)

    def _elements(self, each: Each, env: Env) -> Sequence[Env]:
        part = self._unreached(each, env)
        return super()._elements(each, env) if part is None else part.made

    def _unreached(self, of: ResultTree | Each, env: Env) -> _Part | None:
        """The kept part that is the same here; it takes as many steps as if it were worked out."""
        part = self._parts.get(_key(of, env))
        if part is None or not self._change.isdisjoint(part.marks):
            return None
        self._interpreter.meter.spend(part.steps)
        return part


def _key(of: ResultTree | Each, env: Env) -> _PartKey:
    return id(of), tuple(env.values())
