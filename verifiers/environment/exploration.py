"""Exploration of everything that an agent can see in a setting: prompt texts, and results of all possible calls."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, TypeAlias

from planspec.dsl.model.environment import DeclaredSetting, Parameter
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType
from planspec.dsl.model.value_text import show
from planspec.dsl.resources.deadline import tick
from planspec.verifiers.environment.result_cache import CachingViews, ChangedViews, ResultCache
from planspec.verifiers.environment.tools import TableTool, TaskViews, show_texts
from planspec.verifiers.environment.watching import ReadSet

MAX_CALLS = 20_000
"""Maximum number of calls of one tool. A tool with more possible calls is explored in part (`partial_tools`)."""
_DAY = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")

CallKey: TypeAlias = tuple[str, str]
"""Name of a tool, and the arguments of a call as JSON."""
_ABSENT = object()


@dataclass(slots=True)
class Exploration:
    """Everything that an agent can see in a setting. A show is a declared group of titled texts in the prompt.

    Attributes:
        given: for each show by name, its texts in the prompt by title.
        prior_text: text, other than shows, that an agent has before its first call: query, role, brief, and the
            dates among the task's parameters.
        known_arguments: string arguments of `calls` that occur in `prior_text` or in a show.
        calls: results of all calls, as JSON.
        partial_tools: tools with possible calls that were not made, because their arguments cannot be
            listed or are too many.
        read_by_shows: facts read by each show, by its name; empty sets if reads are not recorded.
        read_by_calls: facts read by each call; empty sets if reads are not recorded.
        values: for each show by name, pairs of a title and the JSON value from which the text is made.
        cache: cached parts of the values and results.
    """

    given: dict[str, Mapping[str, str]] = field(default_factory=dict)
    prior_text: str = ""
    known_arguments: frozenset[str] = frozenset()
    calls: dict[CallKey, str] = field(default_factory=dict)
    partial_tools: set[str] = field(default_factory=set)
    read_by_shows: dict[str, ReadSet] = field(default_factory=dict)
    read_by_calls: dict[CallKey, ReadSet] = field(default_factory=dict)
    values: dict[str, Sequence[tuple[str, Any]]] = field(default_factory=dict)
    cache: ResultCache = field(default_factory=ResultCache)

    @property
    def shown(self) -> dict[str, str]:
        """All texts of `show` entries, by title."""
        return {title: text for texts in self.given.values() for title, text in texts.items()}

    def looks_like(self, other: Exploration) -> bool:
        """Return whether both explorations have the same texts, and the same calls with the same results."""
        return (self.given, self.calls, self.partial_tools) == (other.given, other.calls, other.partial_tools)

    def failing_tools(self) -> dict[str, str]:
        """Return tools that fail because of an error in the task: by name, the first failing call with its message."""
        failures: dict[str, str] = {}
        for (tool, arguments), result in self.calls.items():
            error = json.loads(result).get("error") if tool not in failures else None
            if isinstance(error, dict) and error.get("code") == "upstream":
                failures[tool] = f"{tool} {arguments}: {error['message']}"
        return failures


def explore(
    task: Task, setting: DeclaredSetting, cache: ResultCache | None = None, *, max_calls: int | None = None
) -> Exploration:
    """Explore what an agent can see if it knows the query and uses only names that it has seen.

    A row can be an argument once one of its names has been seen. A day can be an argument once it has been
    seen, or if the task's parameters contain it. Results can make further calls possible, so calls are made until
    no new call is possible.

    Args:
        task: task with an environment.
        setting: setting in which the agent works.
        cache: cache of results, if `task` is of a `RecordedWorld`. With a cache, the facts read by each show and
            call are recorded, and cached results are reused.
        max_calls: maximum number of calls of all tools together, or None. If it is given, the exploration also
            stops as soon as a tool cannot be explored completely.

    Raises:
        LimitReachedError: the time limit of an enclosing block was reached.
    """
    return _Explorer(task, setting, cache, max_calls).explore()


class _Explorer:
    def __init__(self, task: Task, setting: DeclaredSetting, cache: ResultCache | None, max_calls: int | None) -> None:
        self._task = task
        self._max_calls = max_calls
        self._counts: Counter[str] = Counter()
        self._exploration = Exploration() if cache is None else Exploration(cache=cache)
        self._cache = self._exploration.cache
        self._watch = self._cache.watch
        views = TaskViews(task) if cache is None else CachingViews(task, cache)
        self._tools = views.tools(setting)
        for declared in task.environment.shows_in(setting):
            with self._watch.reading() as marks:
                values = list(views.values(declared))
            self._exploration.values[declared.name] = values
            self._exploration.given[declared.name] = show_texts(declared, values)
            self._exploration.read_by_shows[declared.name] = marks
        days = [show(value, type_, None) for value, type_ in _days_in_givens(task)]
        self._exploration.prior_text = "\n".join([task.query, task.environment.role_in(setting), setting.brief, *days])
        self._seen = "\n".join([self._exploration.prior_text, *self._exploration.shown.values()])

    def explore(self) -> Exploration:
        """Call the tools with all arguments that an agent can know, and return the results."""
        while True:
            before = len(self._exploration.calls)
            results = [self._explore_tool(tool) for tool in self._tools]
            self._seen = "\n".join([self._seen, *(text for texts in results for text in texts)])
            if len(self._exploration.calls) == before or (
                self._max_calls is not None and self._exploration.partial_tools
            ):
                self._exploration.known_arguments = frozenset(self._initial_texts())
                return self._exploration

    def _initial_texts(self) -> Iterator[str]:
        prior_text = "\n".join([self._exploration.prior_text, *self._exploration.shown.values()])
        for _, arguments in self._exploration.calls:
            yield from (
                argument
                for argument in json.loads(arguments).values()
                if isinstance(argument, str) and argument in prior_text
            )

    def _explore_tool(self, tool: TableTool) -> list[str]:
        """Make all possible calls of a tool that were not made yet, and return their results."""
        with self._watch.reading() as read:
            choices = [list(self._choices(tool, param)) for param in tool.declared.params]
        named = self._cache.named.setdefault(tool.declared, set())
        named |= read
        results = []
        for values in islice(product(*choices), MAX_CALLS + 1):
            tick()
            if self._max_calls is not None and len(self._exploration.calls) > self._max_calls:
                self._exploration.partial_tools.add(tool.name)
                break
            arguments = {
                param.name: value
                for param, value in zip(tool.declared.params, values, strict=True)
                if value is not _ABSENT
            }
            key = tool.name, json.dumps(arguments, sort_keys=True)
            if key in self._exploration.calls:
                continue
            if self._counts[tool.name] >= MAX_CALLS:
                self._exploration.partial_tools.add(tool.name)
                break
            result, marks = self._call(tool, arguments, key[1])
            self._counts[tool.name] += 1
            self._exploration.calls[key] = result
            self._exploration.read_by_calls[key] = marks | named
            results.append(result)
        return results

    def _call(self, tool: TableTool, arguments: Mapping[str, Any], text: str) -> tuple[str, ReadSet]:
        """Return the JSON result of a call and the facts read, cached by `text`, the JSON of the arguments."""
        entry = self._cache.calls.get((tool.declared, text))
        if entry is None:
            with self._watch.reading() as marks:
                result = json.dumps(tool.run(arguments), ensure_ascii=False)
            entry = self._cache.calls[tool.declared, text] = result, marks
        return entry

    def _choices(self, tool: TableTool, param: Parameter) -> Iterator[Any]:
        """Yield the values that an agent can pass for a parameter, given the texts seen so far."""
        type_ = param.binding.type
        if not param.required:
            yield _ABSENT
        if param.one_of:
            yield from param.one_of
            return
        match type_:
            case EnumType(members=members):
                yield from members
            case ScalarType.BOOL:
                yield from (False, True)
            case ScalarType.DATE:
                yield from dict.fromkeys(_DAY.findall(self._seen))
            case RowType(table):
                yield from self._seen_names(tool, param, table)
            case SetType() | ListType() | ScalarType():
                self._exploration.partial_tools.add(tool.name)
            case _:
                return

    def _seen_names(self, tool: TableTool, param: Parameter, table: str) -> Iterator[str]:
        """Yield for each row a name that the agent has seen and that refers to no other row, if there is one."""
        for row in self._task.facts[table].rows:
            tick()
            name = next((name for name in tool.names(param, row) if name in self._seen), None)
            if name is not None:
                yield name


def _days_in_givens(task: Task) -> Iterator[tuple[Any, ScalarType]]:
    """Yield the dates and weekdays among the values of the task's parameters."""
    for name, given in task.given_declarations.items():
        value, type_ = task.givens.get(name), given.type
        if type_ is ScalarType.DATE and value is not None:
            yield value, ScalarType.DATE
        elif isinstance(type_, SetType | ListType) and type_.item is ScalarType.DATE:
            yield from ((day, ScalarType.DATE) for day in value or ())


def is_indistinguishable(base: Exploration, other: Task, setting: DeclaredSetting, change: ReadSet) -> bool:
    """Return whether an agent sees exactly the same if some facts of the task are changed.

    If so, all texts and all results of possible calls are equal, and no agent can find out about the change.
    Results that do not depend on changed facts are not computed again.

    Args:
        base: exploration of the original task, with recorded reads.
        other: task with changed facts.
        setting: setting in which the agent works.
        change: reads whose results in `other` differ from those in the original task.
    """
    views = ChangedViews(other, base.cache, change)
    for declared in other.environment.shows_in(setting):
        if change.isdisjoint(base.read_by_shows[declared.name]):
            continue
        values = list(views.values(declared))
        if values != base.values[declared.name] and declared.format == "json":
            return False  # different values have different JSON texts
        if show_texts(declared, values) != base.given[declared.name]:
            return False
    tools = {tool.name: tool for tool in views.tools(setting)}
    return all(
        json.dumps(tools[name].run(json.loads(arguments)), ensure_ascii=False) == result
        for (name, arguments), result in base.calls.items()
        if not change.isdisjoint(base.read_by_calls[name, arguments])
    )
