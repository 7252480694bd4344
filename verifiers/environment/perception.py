"""What an agent has seen of the facts on which its verdict rests: each is changed, and what it was shown and called is made again.

A fact is seen where every other value that would change the verdict also changes a text that the agent got. It was never seen where
one such value leaves every text as it was: then the agent could not know in which of the two worlds it answered. Nobody is asked what
the agent made of the texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import row_key
from planspec.errors import DiagnosticError
from planspec.verifiers.environment.decisive_facts import Fact, RestingVerdict
from planspec.verifiers.environment.other_worlds import OtherWorld
from planspec.verifiers.environment.reads import Reads, show_reads, tool_reads
from planspec.verifiers.environment.request import query_says, quoted
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.meaning.plan_rows import Plan

MOST_FACTS = 1_000
"""The facts that are tried for each plan; those beyond it are counted."""
FactStatus: TypeAlias = Literal["seen", "ignored", "never-seen"]
"""A text told it; a text told it, and the answer violates a hard rule that turns on it; none did."""
NeededBy: TypeAlias = Literal["answer", "reference"]
"""The verdict on the answer turns on it; that on the author's own answer does, and that on the agent's does not."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an agent made.

    Attributes:
        place: of the call among all calls of the attempt, from 0.
        tool: its name.
        arguments: as the tool got them.
    """

    place: int
    tool: str
    arguments: Mapping[str, Any]


Shown: TypeAlias = Callable[[ToolCall], Callable[[Fact], str | None]]
"""From a call to what the pictures of its result tell: of a fact the cue by which one sees it, None where they do not tell it."""


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """What an agent met at one turn.

    Attributes:
        task: the task at that turn.
        setting: under which it was met.
        calls: in order, those that the tools answered.
        shown: what the pictures of calls tell, where the tools answer with pictures; None where they answer with text.
    """

    task: Task
    setting: DeclaredSetting
    calls: Sequence[ToolCall] = ()
    shown: Shown | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """The text that told a fact.

    Attributes:
        by: the query; a show; the description of a tool, which names rows; the result of a call.
        turn: from 0.
        place: of the call among all calls of the attempt, from 0; None of anything else.
        name: of the show or tool; None of the query.
        cue: by which one sees it, in a picture; None in a text.
    """

    by: Literal["query", "show", "tool", "call"]
    turn: int
    place: int | None = None
    name: str | None = None
    cue: str | None = None

    @property
    def order(self) -> tuple[int, int]:
        """By which the later of two is the greater."""
        return self.turn, -1 if self.place is None else self.place


@dataclass(frozen=True, slots=True)
class PerceivedFact:
    """A needed fact, and how it was seen.

    Attributes:
        fact: which one.
        value: what it is, as text.
        status: whether it was seen.
        needed_by: the answer or the reference.
        rules: the ids of the instances that turn on it.
        sighting: the text with which all was told; None where it never was.
    """

    fact: Fact
    value: str
    status: FactStatus
    needed_by: NeededBy
    rules: tuple[str, ...]
    sighting: Sighting | None


@dataclass(frozen=True, slots=True)
class Perception:
    """What was seen of what was needed.

    Attributes:
        facts: those that are needed.
        untried: facts that rules read, and that were not tried for want of time or because they are too many.
    """

    facts: tuple[PerceivedFact, ...]
    untried: int


def perceive(
    turns: Sequence[SeenTurn],
    answer: Plan | None,
    reference: Plan | None,
    *,
    over: Callable[[], bool] = lambda: False,
) -> Perception | None:
    """What an agent has seen of the facts that it needed.

    Needed are the facts on which the verdict on its answer turns; without a right answer also those on which the verdict on the
    author's answer turns.

    Args:
        turns: in order; the last one is judged.
        answer: the plan that the agent gave, with the rows of the last turn's task; None where it gave none.
        reference: the author's; None where there is none, and where the answer is right.
        over: no time is left.

    Returns:
        None where there is no plan to ask about, or judging it takes too many steps.
    """
    if answer is None and reference is None:
        return None
    seeing = _Seeing(turns)
    try:
        if answer is not None:
            seeing.look(answer, "answer", over)
        if reference is not None:
            seeing.look(reference, "reference", over)
    except DiagnosticError:
        return None
    return Perception(tuple(seeing.found.values()), seeing.untried)


class _Seeing:
    """Looks at one attempt.

    Attributes:
        found: the needed facts by where they stand.
        untried: the facts that were not tried.
    """

    def __init__(self, turns: Sequence[SeenTurn]) -> None:
        self._task = turns[-1].task
        self._turns = [_Turn(number, turn) for number, turn in enumerate(turns)]
        self._rows: set[Row] = set()
        self.found: dict[str, PerceivedFact] = {}
        self.untried = 0

    def look(self, plan: Plan, needed_by: NeededBy, over: Callable[[], bool]) -> None:
        """Find the facts on which the verdict on a plan turns, and how each was seen.

        Raises:
            DiagnosticError: the plan takes too many steps to judge.
        """
        resting = RestingVerdict(self._task, self._turns[-1].worlds, plan)
        facts = resting.facts()
        for place, fact in enumerate(facts):
            if place >= MOST_FACTS or over():
                self.untried += len(facts) - place
                return
            if fact.row in self._rows and fact.column is None:
                continue  # a cell of the row says that it is there
            name = fact.place(self._task.currency)
            if name not in self.found:
                told = self._perceived(resting, fact, needed_by)
                if told is not None:
                    self.found[name] = told
                    self._rows |= set() if fact.row is None else {fact.row}

    def _perceived(self, resting: RestingVerdict, fact: Fact, needed_by: NeededBy) -> PerceivedFact | None:
        """A fact, and how it was seen; None where no other value changes the verdict."""
        query = next((turn.number for turn in self._turns if turn.asks(fact, self._task)), None)
        rules: dict[str, None] = {}
        seen: list[Sighting] = [] if query is None else [Sighting("query", query)]
        always = True
        for other in resting.decisive(fact):
            rules |= dict.fromkeys(other.rules)
            if query is None and always:
                sighting = self._first(fact, other.value, other.world)
                always = sighting is not None
                seen += [sighting] if sighting is not None else []
        if not rules:
            return None
        ignored = needed_by == "answer" and not resting.violated.isdisjoint(rules)
        return PerceivedFact(
            fact, fact.value(self._task), ("ignored" if ignored else "seen") if always else "never-seen",
            needed_by, tuple(rules), max(seen, key=lambda sighting: sighting.order) if always else None,
        )  # fmt: skip

    def _first(self, fact: Fact, value: Any, world: Task) -> Sighting | None:
        """The first text that would have been another if the fact had the value."""
        *earlier, last = self._turns
        for turn in earlier:
            there = turn.world(fact, value, self._task)
            sighting = None if there is None else turn.first_change(there, fact)
            if sighting is not None:
                return sighting
        return last.first_change(world, fact)


class _Turn:
    """One turn, and what its texts are in other worlds.

    Attributes:
        number: from 0.
        worlds: of its task.
    """

    def __init__(self, number: int, seen: SeenTurn) -> None:
        self.number = number
        self.worlds = OtherWorld(seen.task)
        self._seen = seen
        task, environment = seen.task, seen.task.environment
        self._shows = [(show, show_reads(show, task)) for show in environment.shown(seen.setting)]
        declared = environment.callable(seen.setting)
        self._reads: dict[str, Reads] = {tool.name: tool_reads(tool, task) for tool in declared}
        self._described = [tool.name for tool in declared if any(param.told for param in tool.params)]
        base = TaskViews(self.worlds.unchanged())  # the other worlds take over what its tables index
        self._tools = {tool.name: tool for tool in base.tools(seen.setting)}
        self._parameters = {name: self._tools[name].parameters for name in self._described}
        self._given = {show.name: dict(base.given(show)) for show, _ in self._shows}
        self._pictured = [(call, seen.shown(call)) for call in seen.calls] if seen.shown is not None else []
        self._results: list[tuple[ToolCall, str]] = []
        made: set[str] = set()
        for call in seen.calls if seen.shown is None else ():
            key = _text([call.tool, call.arguments])
            if call.tool in self._tools and key not in made:
                made.add(key)
                self._results.append((call, _text(self._tools[call.tool].run(call.arguments))))
        self._keyed: dict[str, dict[str, Row]] = {}

    def asks(self, fact: Fact, last: Task) -> bool:
        """The query of this turn tells a fact of the last turn's task."""
        own, task = self._own(fact, last), self._seen.task
        return own is not None and (quoted(task, own.of) is not None or query_says(task, own.of))

    def world(self, fact: Fact, value: Any, last: Task) -> Task | None:
        """This turn's task where a fact of the last turn's has another value; None where it was not of this value before."""
        own = self._own(fact, last)
        if own is None:
            return None
        if own.row is not None and own.column is None:
            return self.worlds.without_row(own.row)
        try:
            value = self._value(value)
        except KeyError:  # of a row that this turn has not
            return None
        if own.row is None:
            return self.worlds.with_given(own.name, value)
        assert own.column is not None
        return self.worlds.with_cell(own.row, own.column, value)

    def first_change(self, world: Task, fact: Fact) -> Sighting | None:
        """The first text of this turn that is another one in another world."""
        views = TaskViews(world)
        for show, reads in self._shows:
            if reads.touch(fact.of) and dict(views.given(show)) != self._given[show.name]:
                return Sighting("show", self.number, name=show.name)
        tools = {
            tool.name: tool for tool in views.tools(self._seen.setting) if self._touches(tool.name, fact)
        }
        for name in self._described:
            if name in tools and tools[name].parameters != self._parameters[name]:
                return Sighting("tool", self.number, name=name)
        for call, cue_of in self._pictured:
            if (cue := cue_of(fact)) is not None:
                return Sighting("call", self.number, call.place, call.tool, cue)
        for call, result in self._results:
            if call.tool in tools and _text(tools[call.tool].run(call.arguments)) != result:
                return Sighting("call", self.number, call.place, call.tool)
        return None

    def _touches(self, tool: str, fact: Fact) -> bool:
        return self._reads[tool].touch(fact.of)

    # ------------------------------------------------------------------ facts of the last turn

    def _own(self, fact: Fact, last: Task) -> Fact | None:
        """The same fact at this turn; None where there is none, or it had another value."""
        task = self._seen.task
        if task is last:
            return fact
        row = None
        if fact.row is None:
            if fact.name not in task.given_declarations:
                return None
        else:
            row = self._rows(fact.name).get(row_key(fact.row, last.currency))
            if row is None or (fact.column is not None and fact.column not in row._table.columns):
                return None
        own = Fact(fact.name, row, fact.column)
        return own if own.value(task) == fact.value(last) else None

    def _value(self, value: Any) -> Any:
        """A value with the rows of this turn's task.

        Raises:
            KeyError: it is a row that is not there.
        """
        if isinstance(value, Row):
            return self._rows(value._table.name)[row_key(value, self._seen.task.currency)]
        if isinstance(value, tuple):
            return tuple(map(self._value, value))
        return value

    def _rows(self, table: str) -> Mapping[str, Row]:
        """The rows of a table by the text of their keys."""
        if table not in self._keyed:
            facts = self._seen.task.facts.get(table)
            rows = [] if facts is None else facts.rows
            self._keyed[table] = {row_key(row, self._seen.task.currency): row for row in rows}
        return self._keyed[table]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
