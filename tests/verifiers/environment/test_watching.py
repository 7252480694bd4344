"""After a change of a fact, only results that may depend on this fact are computed again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from planspec import load
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.task import Task
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.ir.equality import same_problem
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.effect import Effect
from planspec.verifiers.environment.exploration import Exploration, explore, is_indistinguishable
from planspec.verifiers.environment.other_worlds import other_values
from planspec.verifiers.environment.result_cache import ChangedViews, ResultCache
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import RecordedWorld
from planspec.verifiers.meaning.counterparts import have_same_scope
from planspec.verifiers.meaning.ground import ground

TASKS = ("tasks/examples/delivery.task.yaml", "tasks/examples/menu.task.yaml")
BERLIN = "tasks/worldtravel-berlin/berlin-021.task.yaml"


def changed_worlds(worlds: RecordedWorld, task: Task, every: int) -> Iterator[Task]:
    """Yield worlds that differ from the task's in one cell, given or row: every `every`-th of them."""
    makers: list[Callable[[], Task | None]] = []
    for facts in task.facts.values():
        for row in facts.rows:
            makers.append(partial(worlds.without_row, row))
            for name, column in facts.table.columns.items():
                if name not in facts.table.key:
                    others = other_values(getattr(row, name), column.type, task, optional=column.optional)
                    makers += [partial(worlds.with_cell, row, name, other) for other in others]
    for name, given in task.given_declarations.items():
        others = other_values(task.givens.get(name), given.type, task, optional=given.optional)
        makers += [partial(worlds.with_given, name, other) for other in others]
    for make in makers[::every]:
        world = make()
        if world is not None:
            yield world


def looks_the_same_from_scratch(seen: Exploration, other: Task, setting: DeclaredSetting) -> bool:
    """Return whether all `show` texts and results of calls, computed from scratch, are the same in another world."""
    views = TaskViews(other)
    tools = {tool.name: tool for tool in views.tools(setting)}
    return {title: text for texts in seen.given.values() for title, text in texts.items()} == views.shows(
        setting
    ) and all(
        json.dumps(tools[name].run(json.loads(arguments)), ensure_ascii=False) == result
        for (name, arguments), result in seen.calls.items()
    )


def results_of_calls(views: TaskViews, setting: DeclaredSetting, seen: Exploration) -> list[str]:
    """Repeat some of the calls that were explored, and return their results."""
    tools = {tool.name: tool for tool in views.tools(setting)}
    return [json.dumps(tools[name].run(json.loads(arguments))) for name, arguments in list(seen.calls)[::5]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "every"), [*((path, 11) for path in TASKS), pytest.param(BERLIN, 11_971, marks=pytest.mark.thorough)]
)
def test_worlds_are_indistinguishable_exactly_if_all_texts_are_equal(path: str, every: int) -> None:
    task = load(path)
    worlds = RecordedWorld(task)
    looked, cache = set(), ResultCache(worlds.watch)
    for setting in TaskViews(task).settings().values():
        seen = explore(worlds.unchanged(), setting, cache)
        plain = explore(task, setting)
        assert seen.looks_like(plain)
        for other in changed_worlds(worlds, task, every):
            same = is_indistinguishable(seen, other, setting, worlds.change)
            assert same == looks_the_same_from_scratch(seen, other, setting)
            assert results_of_calls(ChangedViews(other, cache, worlds.change), setting, seen) == results_of_calls(
                TaskViews(other), setting, seen
            )
            looked.add(same)
    assert False in looked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "every"), [*((path, 11) for path in TASKS), pytest.param(BERLIN, 11_971, marks=pytest.mark.thorough)]
)
def test_a_change_without_an_effect_leaves_the_lowered_problem_and_the_scope_unchanged(path: str, every: int) -> None:
    task = load(path)
    worlds = RecordedWorld(task)
    effect = Effect(worlds, ground(task))
    before = lower(ground(task)).problem
    reached = set()
    for other in changed_worlds(worlds, task, every):
        reached.add(effect.is_affected())
        if not effect.is_affected():
            assert same_problem(before, lower(ground(other)).problem)
            assert have_same_scope(ground(task), ground(other))
    assert True in reached


@pytest.mark.thorough
def test_the_effect_of_a_change_is_found_by_comparing_or_by_searching() -> None:
    task = load(TASKS[1])
    worlds = RecordedWorld(task)
    effect = Effect(worlds, ground(task))
    clock = TimeBudget(Limits(seconds=60))
    assert effect.compare(ground(worlds.unchanged()), clock) == "same"
    effects = set()
    for other in changed_worlds(worlds, task, 9):
        result = effect.compare(ground(other), clock)
        effects.add(result if isinstance(result, str) else "different")
        assert result == "same" or effect.is_affected()
    assert effects >= {"same", "different"}
