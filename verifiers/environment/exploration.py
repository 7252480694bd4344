"""Everything that an agent can come to see under a setting: what is shown, and each call that it can come to make."""

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
from planspec.verifiers.environment.kept_results import ChangedViews, KeepingViews, Kept
from planspec.verifiers.environment.tools import TableTool, TaskViews, given_texts
from planspec.verifiers.environment.watching import Marks

MOST_CALLS = 20_000
"""The most calls of one tool that are tried."""
_DAY = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")

CallKey: TypeAlias = tuple[str, str]
"""The name of a tool and the arguments of a call, as JSON."""
_ABSENT = object()


@dataclass(slots=True)
class Exploration:
    """What there is to see.

    Attributes:
        given: what each show gives, by its name: texts by title.
        known: what an agent knows beside them before its first call: the query, the brief, and the days of the trip.
        first: the arguments of calls, of all that are made, that stand there or are shown.
        calls: the results of all calls, as JSON.
        partly: the tools of which other calls can be made: they take values that nobody can list, or too many.
        read_by_shows: what each show reads, by its name; nothing is noted without a watch.
        read_by_calls: likewise of calls.
        values: what the texts of each show are made of, each with its title.
        kept: what those values and results are put together of.
    """

    given: dict[str, Mapping[str, str]] = field(default_factory=dict)
    known: str = ""
    first: frozenset[str] = frozenset()
    calls: dict[CallKey, str] = field(default_factory=dict)
    partly: set[str] = field(default_factory=set)
    read_by_shows: dict[str, Marks] = field(default_factory=dict)
    read_by_calls: dict[CallKey, Marks] = field(default_factory=dict)
    values: dict[str, Sequence[tuple[str, Any]]] = field(default_factory=dict)
    kept: Kept = field(default_factory=Kept)

    @property
    def shown(self) -> dict[str, str]:
        """All texts that are given, by title."""
        return {title: text for texts in self.given.values() for title, text in texts.items()}

    def same(self, other: Exploration) -> bool:
        """The same is given, and the same calls can be made, with the same results."""
        return (self.given, self.calls, self.partly) == (other.given, other.calls, other.partly)

    def broken(self) -> dict[str, str]:
        """Of each tool of which a call fails by its author's fault the first such call, with the message."""
        made: dict[str, str] = {}
        for (tool, arguments), result in self.calls.items():
            error = json.loads(result).get("error") if tool not in made else None
            if isinstance(error, dict) and error.get("code") == "upstream":
                made[tool] = f"{tool} {arguments}: {error['message']}"
        return made


def explore(
    task: Task, setting: DeclaredSetting, kept: Kept | None = None, *, most: int | None = None
) -> Exploration:
    """What an agent can see that knows the query, and names what it has seen.

    A row can be named once one of its names has been seen, a day once it has been seen or the task's parameters have it.
    The search is a fixed point: what a call tells makes further calls possible.

    Args:
        task: with an environment.
        setting: one of its settings.
        kept: of the task's watched world, if that is to be noted which a show or a call reads; what it has is not worked out again.
        most: end as soon as there are more calls than that, of all tools together, or a tool is explored in part.

    Raises:
        LimitReachedError: the limit of the block around is.
    """
    return _Explorer(task, setting, kept, most).found()


class _Explorer:
    def __init__(self, task: Task, setting: DeclaredSetting, kept: Kept | None, most: int | None) -> None:
        self._task = task
        self._most = most
        self._counts: Counter[str] = Counter()
        self._made = Exploration() if kept is None else Exploration(kept=kept)
        self._kept = self._made.kept
        self._watch = self._kept.watch
        views = TaskViews(task) if kept is None else KeepingViews(task, kept)
        self._tools = views.tools(setting)
        for declared in task.environment.shown(setting):
            with self._watch.reading() as marks:
                values = list(views.values(declared))
            self._made.values[declared.name] = values
            self._made.given[declared.name] = given_texts(declared, values)
            self._made.read_by_shows[declared.name] = marks
        days = [show(value, of, None) for value, of in _days(task)]
        self._made.known = "\n".join([task.query, setting.brief, *days])
        self._seen = "\n".join([self._made.known, *self._made.shown.values()])

    def found(self) -> Exploration:
        """The exploration."""
        while True:
            before = len(self._made.calls)
            told = [self._explored(tool) for tool in self._tools]
            self._seen = "\n".join([self._seen, *(text for texts in told for text in texts)])
            if len(self._made.calls) == before or (self._most is not None and self._made.partly):
                self._made.first = frozenset(self._first())
                return self._made

    def _first(self) -> Iterator[str]:
        known = "\n".join([self._made.known, *self._made.shown.values()])
        for _, arguments in self._made.calls:
            yield from (
                said for said in json.loads(arguments).values() if isinstance(said, str) and said in known
            )

    def _explored(self, tool: TableTool) -> list[str]:
        """The results of the calls of a tool that can be made now and were not made before."""
        with self._watch.reading() as read:
            choices = [list(self._choices(tool, param)) for param in tool.declared.params]
        named = self._kept.named.setdefault(tool.declared, set())
        named |= read
        told = []
        for values in islice(product(*choices), MOST_CALLS + 1):
            tick()
            if self._most is not None and len(self._made.calls) > self._most:
                self._made.partly.add(tool.name)
                break
            arguments = {
                param.name: value
                for param, value in zip(tool.declared.params, values, strict=True)
                if value is not _ABSENT
            }
            key = tool.name, json.dumps(arguments, sort_keys=True)
            if key in self._made.calls:
                continue
            if self._counts[tool.name] >= MOST_CALLS:
                self._made.partly.add(tool.name)
                break
            result, marks = self._called(tool, arguments, key[1])
            self._counts[tool.name] += 1
            self._made.calls[key] = result
            self._made.read_by_calls[key] = marks | named
            told.append(result)
        return told

    def _called(self, tool: TableTool, arguments: Mapping[str, Any], text: str) -> tuple[str, Marks]:
        """The result of a call with what it reads, which no setting changes."""
        found = self._kept.calls.get((tool.declared, text))
        if found is None:
            with self._watch.reading() as marks:
                result = json.dumps(tool.run(arguments), ensure_ascii=False)
            found = self._kept.calls[tool.declared, text] = result, marks
        return found

    def _choices(self, tool: TableTool, param: Parameter) -> Iterator[Any]:
        """The values of an argument that an agent can come to say."""
        of = param.binding.type
        if not param.required:
            yield _ABSENT
        if param.one_of:
            yield from param.one_of
            return
        match of:
            case EnumType(members=members):
                yield from members
            case ScalarType.BOOL:
                yield from (False, True)
            case ScalarType.DATE:
                yield from dict.fromkeys(_DAY.findall(self._seen))
            case RowType(table):
                yield from self._nameable(tool, param, table)
            case SetType() | ListType() | ScalarType():
                self._made.partly.add(tool.name)
            case _:
                return

    def _nameable(self, tool: TableTool, param: Parameter, table: str) -> Iterator[str]:
        """A name of each row that was seen and means it alone."""
        for row in self._task.facts[table].rows:
            tick()
            name = next((name for name in tool.names(param, row) if name in self._seen), None)
            if name is not None:
                yield name


def _days(task: Task) -> Iterator[tuple[Any, ScalarType]]:
    """The days among the values of the task's parameters: those of the trip."""
    for name, given in task.given_declarations.items():
        value, of = task.givens.get(name), given.type
        if of is ScalarType.DATE and value is not None:
            yield value, ScalarType.DATE
        elif isinstance(of, SetType | ListType) and of.item is ScalarType.DATE:
            yield from ((day, ScalarType.DATE) for day in value or ())


def same_sight(base: Exploration, other: Task, setting: DeclaredSetting, change: Marks) -> bool:
    """Another world looks the same through everything that can be seen of the first.

    Every call that an agent can make in the one has the same result in the other, so that it can make the same in both, and
    never learns which of them it is in. What reads nothing that has changed is the same.

    Args:
        base: of the first world, which was watched.
        other: the task in the other.
        setting: the setting.
        change: what reads something else in the other world.
    """
    views = ChangedViews(other, base.kept, change)
    for declared in other.environment.shown(setting):
        if change.isdisjoint(base.read_by_shows[declared.name]):
            continue
        values = list(views.values(declared))
        if values != base.values[declared.name] and declared.format == "json":
            return False  # no two values have one text
        if given_texts(declared, values) != base.given[declared.name]:
            return False
    tools = {tool.name: tool for tool in views.tools(setting)}
    return all(
        json.dumps(tools[name].run(json.loads(arguments)), ensure_ascii=False) == result
        for (name, arguments), result in base.calls.items()
        if not change.isdisjoint(base.read_by_calls[name, arguments])
    )
