"""The minimum number of tool calls that reveal to an agent every fact on which the verdict on a plan depends.

This is a hitting set problem with precedences. If another value of a fact would change the verdict, the agent must make
one of the calls with results that would differ for that value. A call is possible after the names and days in its
arguments have been seen. Violated precedences are added as cuts. Suppose that the calls A, B and C are chosen; A and B
can be made, but C needs a name that they do not reveal. Then any solution with C contains another call that is possible
after A and B and reveals a new name (a cut of a directed Steiner problem with names as nodes).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, ScalarType
from planspec.dsl.resources.deadline import tick
from planspec.errors import LimitReachedError
from planspec.solvers.questions.budget import TimeBudget
from planspec.verifiers.environment.decisive_facts import VerdictDependencies
from planspec.verifiers.environment.exploration import CallKey, Exploration, explore
from planspec.verifiers.environment.request import query_states, statement_of
from planspec.verifiers.environment.result_cache import ChangedViews, ResultCache
from planspec.verifiers.environment.tools import TableTool, TaskViews
from planspec.verifiers.environment.watching import RecordedWorld
from planspec.verifiers.meaning.plan_rows import Plan

MAX_CALLS = 2_000
"""Maximum number of different tool calls. If more are possible, no minimum is computed."""
MAX_ROUNDS = 50
"""Maximum number of times that the hitting set problem is solved, with more cuts each time."""


@dataclass(frozen=True, slots=True)
class LeastCalls:
    """Bounds on the minimum number of tool calls that reveal to an agent all facts on which a verdict depends.

    Attributes:
        least: proved lower bound on the number of calls.
        enough: number of calls in `calls`, an upper bound; None if no sufficient calls were found in time.
        calls: sufficient calls, in an order in which they can be made.
    """

    least: int
    enough: int | None
    calls: tuple[CallKey, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        if self.enough == self.least:
            return str(self.least)
        return f"{self.least} or more" if self.enough is None else f"{self.least} to {self.enough}"


def least_calls(
    task: Task,
    worlds: RecordedWorld,
    setting: DeclaredSetting,
    exploration: Exploration,
    plan: Plan,
    clock: TimeBudget,
) -> LeastCalls | None:
    """Return bounds on the minimum number of tool calls that reveal every fact on which the verdict on a plan depends.

    Facts that no call can reveal do not count.

    Args:
        task: task of the plan.
        worlds: maker of variants of the task with changed facts.
        setting: texts and tools that the agent gets.
        exploration: calls that are possible with the task's own facts in this setting, with their results.
        plan: the plan.
        clock: limit on the search.

    Returns:
        A lower and an upper bound. They are equal if the minimum was proved; the upper bound is None if no sufficient
        calls were found in time. The result is None if the possible calls are too many or cannot all be listed, or if
        time ran out before there was a bound.

    Raises:
        DiagnosticError: judging the plan takes too many steps.
    """
    if len(exploration.calls) > MAX_CALLS or exploration.partial_tools:
        return None
    revealing = _revealing_sets(task, worlds, setting, exploration, plan, clock)
    return None if revealing is None else _HittingSet(task, setting, exploration, revealing).least(clock)


def revealing_calls(task: Task, setting: DeclaredSetting, plan: Plan, clock: TimeBudget) -> tuple[CallKey, ...] | None:
    """Return a minimum set of tool calls that reveal every fact on which the verdict on a plan depends.

    Args:
        task: task of the plan.
        setting: texts and tools that the agent gets.
        plan: the plan.
        clock: limit on the search.

    Returns:
        The calls in an order in which they can be made. If time runs out during the search, there may be smaller sets.
        None if no sufficient calls were found in time, if the possible calls are too many or cannot all be listed, or
        if judging the plan takes too many steps.
    """
    try:
        with clock:
            worlds = RecordedWorld(task)
            exploration = explore(worlds.unchanged(), setting, ResultCache(worlds.watch), max_calls=MAX_CALLS)
            cover = least_calls(task, worlds, setting, exploration, plan, clock)
    except (DiagnosticError, LimitReachedError):  # judging the plan takes too many steps, or time ran out
        return None
    return None if cover is None or cover.enough is None else cover.calls


def _revealing_sets(
    task: Task,
    worlds: RecordedWorld,
    setting: DeclaredSetting,
    exploration: Exploration,
    plan: Plan,
    clock: TimeBudget,
) -> set[frozenset[CallKey]] | None:
    """Return sets of calls. The agent must make at least one call of each set to learn the facts that matter.

    Each set belongs to a fact and to a wrong value of this fact: one with which the verdict would change. The set has
    all calls that rule out the wrong value, because their results would be different with it.

    There is no set for facts that the query states, for values that are already ruled out by the texts that the agent
    sees before the first call (`show`), and for values that no call rules out. A set that contains another set is left
    out. Return None if time runs out.
    """
    dependencies = VerdictDependencies(task, worlds, plan)
    sets: set[frozenset[CallKey]] = set()
    for fact in dependencies.facts():
        if statement_of(task, fact.of) is not None or query_states(task, fact.of):
            continue
        own: list[frozenset[CallKey]] = []
        for other in dependencies.decisive_values(fact):
            if clock.over:
                return None
            views = ChangedViews(other.world, exploration.cache, worlds.change)
            if views.shows(setting) != exploration.shown:
                continue
            reached = {key for key, read in exploration.read_by_calls.items() if not worlds.change.isdisjoint(read)}
            tools = {tool.name: tool for tool in views.tools(setting)}
            if any(
                all(key in reached and _has_other_result(exploration, tools, key) for key in calls) for calls in own
            ):
                continue  # the calls that reveal an earlier value also reveal this one
            calls = frozenset(
                key for key in exploration.calls if key in reached and _has_other_result(exploration, tools, key)
            )
            own += [calls] if calls else []
        sets.update(own)
    return {calls for calls in sets if not any(other < calls for other in sets)}


def _has_other_result(exploration: Exploration, tools: Mapping[str, TableTool], key: CallKey) -> bool:
    """Return whether a call has a different result with `tools`, which read changed facts, than in the exploration."""
    tick()
    name, arguments = key
    return json.dumps(tools[name].run(json.loads(arguments)), ensure_ascii=False) != exploration.calls[key]


class _HittingSet:
    """A hitting set problem with precedences: choose as few calls as possible, at least one from each set.

    An agent can make a call only after it has seen the names and days in the call's arguments.

    Args:
        task: task of the calls.
        setting: texts and tools that the agent gets.
        exploration: all possible calls with their results.
        sets: sets of calls. At least one call of each set must be chosen.
    """

    def __init__(
        self, task: Task, setting: DeclaredSetting, exploration: Exploration, sets: Iterable[frozenset[CallKey]]
    ) -> None:
        self._task = task
        self._sets = list(sets)
        self._results = exploration.calls
        self._initial_text = "\n".join([exploration.prior_text, *exploration.shown.values()])
        tools = {tool.name: tool for tool in TaskViews(task).tools(setting)}
        self._needs = {key: list(self._unseen_names(tools[key[0]], key[1])) for key in exploration.calls}
        texts = {names for needs in self._needs.values() for names in needs}
        self._revealers = {
            names: frozenset(key for key, result in exploration.calls.items() if any(name in result for name in names))
            for names in texts
        }

    def _unseen_names(self, tool: TableTool, arguments: str) -> Iterator[tuple[str, ...]]:
        """Yield, for each argument of a call that the agent does not know at first, the names that reveal it.

        The names of a row of facts are all strings that the call can pass for the row. The only name of a day is its
        date. The agent must have seen one of the names before the call.

        `arguments` has the call's arguments as JSON.
        """
        values: Mapping[str, Any] = json.loads(arguments)
        for param in tool.declared.params:
            value = values.get(param.name)
            type_ = param.binding.type
            if value is None or param.one_of or not (type_ is ScalarType.DATE or isinstance(type_, RowType)):
                continue
            names: tuple[str, ...] = (str(value),)
            if isinstance(type_, RowType):
                rows: Sequence[Row] = self._task.facts[type_.table].rows
                names = next(
                    (row_names for row_names in (tuple(tool.names(param, row)) for row in rows) if value in row_names),
                    names,
                )
            if not any(name in self._initial_text for name in names):
                yield names

    def least(self, clock: TimeBudget) -> LeastCalls | None:
        """Solve the hitting set problem repeatedly, until the chosen calls can be made in some order.

        Return bounds on the number of calls; None if time ran out before there was a bound.
        """
        from ortools.sat.python import cp_model as cp  # imported here, since most questions do not need it

        from planspec.solvers.backends.cpsat.solver import new_solver

        model = cp.CpModel()
        variables = {key: model.new_bool_var("") for key in self._results}
        for calls in self._sets:
            model.add_bool_or(variables[key] for key in calls)
        for key, needs in self._needs.items():
            for names in needs:
                model.add_bool_or(
                    variables[key].negated(), *(variables[other] for other in self._revealers[names] - {key})
                )
        model.minimize(sum(variables.values()))
        least = None
        for _ in range(MAX_ROUNDS):
            solver = new_solver(seconds=clock.left)
            status = solver.solve(model)
            if status not in (cp.OPTIMAL, cp.FEASIBLE):
                return None if least is None else LeastCalls(least, None)
            least = round(solver.best_objective_bound)
            chosen = {key for key, variable in variables.items() if solver.boolean_value(variable)}
            order = self._order_calls(chosen)
            stuck = chosen.difference(order)
            if not stuck:
                return LeastCalls(least, len(chosen), tuple(order))
            if status != cp.OPTIMAL:
                break
            ways = [variables[key] for key in self._next_calls(set(order))]
            for key in stuck:
                model.add_bool_or(variables[key].negated(), *ways)
        return None if least is None else LeastCalls(least, None)

    def _order_calls(self, chosen: set[CallKey]) -> list[CallKey]:
        """Return the chosen calls in an order in which they can be made.

        Calls that never become possible are left out.
        """
        order: list[CallKey] = []
        while True:
            ordered = set(order)
            remaining = [key for key in self._results if key in chosen and key not in ordered]
            ready = [key for key in remaining if self._is_possible(key, ordered)]
            if not ready:
                return order
            order += ready

    def _next_calls(self, calls: set[CallKey]) -> set[CallKey]:
        """Return the calls that are possible after `calls` and reveal a name that `calls` do not reveal.

        At least one of the returned calls must be made before any further call becomes possible.
        """
        new = {names for names, revealers in self._revealers.items() if not revealers & calls}
        revealing = {key for names in new for key in self._revealers[names]}
        return {key for key in revealing - calls if self._is_possible(key, calls)}

    def _is_possible(self, key: CallKey, calls: set[CallKey]) -> bool:
        """Return whether `calls` reveal every argument of the call `key` that agents do not know at first."""
        return all(self._revealers[names] & calls for names in self._needs[key])
