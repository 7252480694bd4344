"""The least number of calls that tell an agent everything on which the verdict on a plan turns.

A set cover with an order: each other value of a fact that would change the verdict must change the result of a call that is made, and a
call can be made once the names and days in its arguments have been seen. The order is added as it is violated: calls that cannot be made
after those that can need one more, which is possible then and tells a name (a cut of a directed Steiner problem, with names as its nodes).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ortools.sat.python import cp_model as cp

from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, ScalarType
from planspec.dsl.resources.deadline import tick
from planspec.errors import DiagnosticError, LimitReachedError
from planspec.solvers.backends.cpsat.solver import new_solver
from planspec.solvers.questions.budget import TimeBudget
from planspec.verifiers.environment.decisive_facts import RestingVerdict
from planspec.verifiers.environment.exploration import CallKey, Exploration, explore
from planspec.verifiers.environment.request import query_says, quoted
from planspec.verifiers.environment.result_cache import ChangedViews, ResultCache
from planspec.verifiers.environment.tools import TableTool, TaskViews
from planspec.verifiers.environment.watching import WatchedWorld
from planspec.verifiers.meaning.plan_rows import Plan

MOST_CALLS = 2_000
"""The different calls up to which it is asked."""
MOST_ROUNDS = 50
"""How often an order of the calls is looked for."""


@dataclass(frozen=True, slots=True)
class LeastCalls:
    """How many calls it takes.

    Attributes:
        least: nobody can do with fewer.
        enough: so many suffice; None where no such calls were found in time.
        calls: some that suffice, in an order in which they can be made.
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
    worlds: WatchedWorld,
    setting: DeclaredSetting,
    seen: Exploration,
    plan: Plan,
    clock: TimeBudget,
) -> LeastCalls | None:
    """The least number of calls that tell everything on which the verdict on a plan turns, as far as calls tell it.

    Args:
        task: whose plan it is.
        worlds: of the task.
        setting: under which calls are made.
        seen: what can be seen of the first of the worlds under the setting.
        plan: the plan.
        clock: the time for it.

    Returns:
        None where it was not found out: there are too many calls, or time ran out.

    Raises:
        DiagnosticError: the plan takes too many steps to judge.
    """
    if len(seen.calls) > MOST_CALLS or seen.partial_tools:
        return None
    telling = _telling(task, worlds, setting, seen, plan, clock)
    return None if telling is None else _Cover(task, setting, seen, telling).least(clock)


def telling_calls(
    task: Task, setting: DeclaredSetting, plan: Plan, clock: TimeBudget
) -> tuple[CallKey, ...] | None:
    """Calls that tell everything on which the verdict on a plan turns, as few as possible, in an order in which they can be made.

    Args:
        task: whose plan it is.
        setting: under which calls are made.
        plan: the plan.
        clock: the time for it.

    Returns:
        None where none were found out: there are too many calls, or time ran out.
    """
    try:
        with clock:
            worlds = WatchedWorld(task)
            seen = explore(worlds.unchanged(), setting, ResultCache(worlds.watch), most=MOST_CALLS)
            found = least_calls(task, worlds, setting, seen, plan, clock)
    except (DiagnosticError, LimitReachedError):  # the plan takes too many steps to judge, or time ran out
        return None
    return None if found is None or found.enough is None else found.calls


def _telling(
    task: Task,
    worlds: WatchedWorld,
    setting: DeclaredSetting,
    seen: Exploration,
    plan: Plan,
    clock: TimeBudget,
) -> set[frozenset[CallKey]] | None:
    """For each value that would change the verdict the calls that would tell; None if time runs out.

    Left out is what the query or a show tells, and what no call does.
    """
    resting = RestingVerdict(task, worlds, plan)
    found: set[frozenset[CallKey]] = set()
    for fact in resting.facts():
        if quoted(task, fact.of) is not None or query_says(task, fact.of):
            continue
        own: list[frozenset[CallKey]] = []
        for other in resting.decisive(fact):
            if clock.over:
                return None
            views = ChangedViews(other.world, seen.cache, worlds.change)
            if views.shows(setting) != seen.shown:
                continue
            reached = {key for key, read in seen.read_by_calls.items() if not worlds.change.isdisjoint(read)}
            tools = {tool.name: tool for tool in views.tools(setting)}
            if any(all(key in reached and _changes(seen, tools, key) for key in calls) for calls in own):
                continue  # whoever learns that the fact has not an earlier value learns that it has not this one
            calls = frozenset(key for key in seen.calls if key in reached and _changes(seen, tools, key))
            own += [calls] if calls else []
        found.update(own)
    return {calls for calls in found if not any(other < calls for other in found)}


def _changes(seen: Exploration, tools: Mapping[str, TableTool], key: CallKey) -> bool:
    """A call has another result in another world, whose tools these are."""
    tick()
    name, arguments = key
    return json.dumps(tools[name].run(json.loads(arguments)), ensure_ascii=False) != seen.calls[key]


class _Cover:
    """The calls that are to be chosen from, and what each of them needs to be seen before it.

    Args:
        task: whose calls they are.
        setting: under which they are made.
        seen: the calls with their results.
        telling: sets of which a call each must be made.
    """

    def __init__(
        self, task: Task, setting: DeclaredSetting, seen: Exploration, telling: Iterable[frozenset[CallKey]]
    ) -> None:
        self._task = task
        self._telling = list(telling)
        self._results = seen.calls
        self._free = "\n".join([seen.prior_text, *seen.shown.values()])
        tools = {tool.name: tool for tool in TaskViews(task).tools(setting)}
        self._needs = {key: list(self._needed(tools[key[0]], key[1])) for key in seen.calls}
        texts = {names for needs in self._needs.values() for names in needs}
        self._tellers = {
            names: frozenset(
                key for key, result in seen.calls.items() if any(name in result for name in names)
            )
            for names in texts
        }

    def _needed(self, tool: TableTool, arguments: str) -> Iterator[tuple[str, ...]]:
        """For each argument that the agent cannot know at once the texts of which one must be seen."""
        said: Mapping[str, Any] = json.loads(arguments)
        for param in tool.declared.params:
            value = said.get(param.name)
            of = param.binding.type
            if value is None or param.one_of or not (of is ScalarType.DATE or isinstance(of, RowType)):
                continue
            names: tuple[str, ...] = (str(value),)
            if isinstance(of, RowType):
                rows: Sequence[Row] = self._task.facts[of.table].rows
                names = next(
                    (told for told in (tuple(tool.names(param, row)) for row in rows) if value in told), names
                )
            if not any(name in self._free for name in names):
                yield names

    def least(self, clock: TimeBudget) -> LeastCalls | None:
        """Ask the solver, and again as long as its calls have no order."""
        model = cp.CpModel()
        made = {key: model.new_bool_var("") for key in self._results}
        for calls in self._telling:
            model.add_bool_or(made[key] for key in calls)
        for key, needs in self._needs.items():
            for names in needs:
                model.add_bool_or(
                    made[key].negated(), *(made[other] for other in self._tellers[names] - {key})
                )
        model.minimize(sum(made.values()))
        least = None
        for _ in range(MOST_ROUNDS):
            solver = new_solver(seconds=clock.left)
            status = solver.solve(model)
            if status not in (cp.OPTIMAL, cp.FEASIBLE):
                return None if least is None else LeastCalls(least, None)
            least = round(solver.best_objective_bound)
            chosen = {key for key, variable in made.items() if solver.boolean_value(variable)}
            order = self._order(chosen)
            stuck = chosen.difference(order)
            if not stuck:
                return LeastCalls(least, len(chosen), tuple(order))
            if status != cp.OPTIMAL:
                break
            ways = [made[key] for key in self._ways_on(set(order))]
            for key in stuck:
                model.add_bool_or(made[key].negated(), *ways)
        return None if least is None else LeastCalls(least, None)

    def _order(self, chosen: set[CallKey]) -> list[CallKey]:
        """An order in which these calls can be made, without those that cannot be made in any."""
        order: list[CallKey] = []
        while True:
            made = set(order)
            left = [key for key in self._results if key in chosen and key not in made]
            ready = [key for key in left if self._possible(key, made)]
            if not ready:
                return order
            order += ready

    def _ways_on(self, made: set[CallKey]) -> set[CallKey]:
        """The calls that are possible after these and tell a name that these do not: who wants to make another has to make one."""
        new = {names for names, tellers in self._tellers.items() if not tellers & made}
        tell = {key for names in new for key in self._tellers[names]}
        return {key for key in tell - made if self._possible(key, made)}

    def _possible(self, key: CallKey, made: set[CallKey]) -> bool:
        """Everything that a call needs is told by calls that were made."""
        return all(self._tellers[names] & made for names in self._needs[key])
