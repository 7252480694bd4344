"""Perception: whether an agent saw, ignored or never saw the facts on which its verdict depends.

Each fact is changed, and the texts that the agent saw are computed again: the texts of `show` entries and the
results of tool calls. A fact was
*seen* if every value that would change the verdict also changes at least one of these texts. It was *never seen*
if some value changes the verdict but no text, so that the agent could not tell which value is true. Whether the
agent understood the texts does not matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import row_key
from planspec.verifiers.environment.decisive_facts import VerdictDependencies, WorldFact
from planspec.verifiers.environment.other_worlds import WorldVariants
from planspec.verifiers.environment.reads import ReadNames, show_reads, tool_reads
from planspec.verifiers.environment.request import query_states, statement_of
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.meaning.plan_rows import Plan

MAX_FACTS = 1_000
"""Maximum number of facts that are tested for each plan. The others are counted as untried."""
FactStatus: TypeAlias = Literal["seen", "ignored", "never-seen"]
"""Whether a fact was seen.

- `seen`: the agent's texts or pictures revealed it.
- `ignored`: they revealed it, and the answer violates a hard constraint that depends on it.
- `never-seen`: they did not reveal it.
"""
NeededBy: TypeAlias = Literal["answer", "reference"]
"""The plan whose verdict depends on a fact: the agent's answer or the author's reference."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that an agent made.

    Attributes:
        place: position among all calls of the attempt, from 0.
        tool: name of the tool.
        arguments: arguments that the tool received.
    """

    place: int
    tool: str
    arguments: Mapping[str, Any]


PictureCues: TypeAlias = Callable[[ToolCall], Callable[[WorldFact], str | None]]
"""Function that takes a call and returns a function from a fact to its cue in the call's pictures.

A cue names the way in which a picture shows a fact, such as `colour` for a colour with a legend. It is None if no
picture of the call shows the fact.
"""


@dataclass(frozen=True, slots=True)
class PerceivedTurn:
    """Texts that an agent could see in one turn: parts of its prompt (shows), and results of tool calls.

    Attributes:
        task: task at that turn.
        setting: setting of the attempt.
        calls: calls that tools answered, in order.
        picture_cues: function that finds facts in the pictures that calls returned; None if tools return text.
    """

    task: Task
    setting: DeclaredSetting
    calls: Sequence[ToolCall] = ()
    picture_cues: PictureCues | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """The text or picture from which an agent could learn a fact.

    Attributes:
        by: kind of source: query, prompt text (`show`), schema of a `tool` (it may list rows), or result of a `call`.
        turn: turn, from 0.
        place: position of the call among all calls of the attempt, from 0; None for other sources.
        name: name of the `show` entry or tool; None for the query.
        cue: way in which a picture shows the fact, such as `colour`; None for text.
    """

    by: Literal["query", "show", "tool", "call"]
    turn: int
    place: int | None = None
    name: str | None = None
    cue: str | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Sort key that increases with time."""
        return self.turn, -1 if self.place is None else self.place


@dataclass(frozen=True, slots=True)
class PerceivedFact:
    """A fact on which a verdict depends, and whether the agent saw it.

    Attributes:
        fact: the fact.
        value: value of the fact as text.
        status: whether the fact was seen, ignored or never seen.
        needed_by: whether the verdict on the answer or on the reference depends on the fact.
        rules: ids of the constraint instances that depend on the fact.
        sighting: the text or picture that completed the information on the fact; None if it was never seen.
    """

    fact: WorldFact
    value: str
    status: FactStatus
    needed_by: NeededBy
    rules: tuple[str, ...]
    sighting: Sighting | None


@dataclass(frozen=True, slots=True)
class Perception:
    """The needed facts, and whether each was seen.

    Attributes:
        facts: needed facts.
        untried: number of facts that constraints read but that were not tested, because time ran out or there
            were too many.
    """

    facts: tuple[PerceivedFact, ...]
    untried: int


def perceive(
    turns: Sequence[PerceivedTurn],
    answer: Plan | None,
    reference: Plan | None,
    *,
    out_of_time: Callable[[], bool] = lambda: False,
) -> Perception | None:
    """Determine whether an agent saw the facts that it needed.

    A fact is needed if the verdict on the answer depends on it. If the answer is wrong, a fact is also needed if
    the verdict on the reference depends on it.

    Args:
        turns: turns in order; the final turn is judged.
        answer: the agent's plan, with rows of the final turn's task; None if there is none.
        reference: the author's plan; None if there is none, or if the answer is right.
        out_of_time: function that returns whether time has run out.

    Returns:
        The needed facts; None if there is no plan, or if judging it takes too many steps.
    """
    if answer is None and reference is None:
        return None
    perceiver = _Perceiver(turns)
    try:
        if answer is not None:
            perceiver.add_needed_facts(answer, "answer", out_of_time)
        if reference is not None:
            perceiver.add_needed_facts(reference, "reference", out_of_time)
    except DiagnosticError:
        return None
    return Perception(tuple(perceiver.facts.values()), perceiver.untried)


class _Perceiver:
    """Search for the facts that one attempt needed.

    Attributes:
        facts: needed facts by display name, such as `Hotel[inn].rate`.
        untried: number of facts that were not tested.
    """

    def __init__(self, turns: Sequence[PerceivedTurn]) -> None:
        self._task = turns[-1].task
        self._turns = [_Turn(number, turn) for number, turn in enumerate(turns)]
        self._rows: set[Row] = set()
        self.facts: dict[str, PerceivedFact] = {}
        self.untried = 0

    def add_needed_facts(self, plan: Plan, needed_by: NeededBy, out_of_time: Callable[[], bool]) -> None:
        """Add to `facts` the facts on which the verdict on a plan depends.

        Raises:
            DiagnosticError: judging the plan takes too many steps.
        """
        dependencies = VerdictDependencies(self._task, self._turns[-1].worlds, plan)
        facts = dependencies.facts()
        for place, fact in enumerate(facts):
            if place >= MAX_FACTS or out_of_time():
                self.untried += len(facts) - place
                return
            if fact.row in self._rows and fact.column is None:
                continue  # a cell of the row already shows that the row exists
            name = fact.place(self._task.currency)
            if name not in self.facts:
                perceived = self._perceived_fact(dependencies, fact, needed_by)
                if perceived is not None:
                    self.facts[name] = perceived
                    self._rows |= set() if fact.row is None else {fact.row}

    def _perceived_fact(
        self, dependencies: VerdictDependencies, fact: WorldFact, needed_by: NeededBy
    ) -> PerceivedFact | None:
        """Return a fact with its status; None if no alternative value that was tried changes the verdict."""
        query = next((turn.number for turn in self._turns if turn.states_fact(fact, self._task)), None)
        rules: dict[str, None] = {}
        seen: list[Sighting] = [] if query is None else [Sighting("query", query)]
        always = True
        for other in dependencies.decisive_values(fact):
            rules |= dict.fromkeys(other.rules)
            if query is None and always:
                sighting = self._first_sighting(fact, other.value, other.world)
                always = sighting is not None
                seen += [sighting] if sighting is not None else []
        if not rules:
            return None
        ignored = needed_by == "answer" and not dependencies.violated.isdisjoint(rules)
        return PerceivedFact(
            fact,
            fact.value(self._task),
            ("ignored" if ignored else "seen") if always else "never-seen",
            needed_by,
            tuple(rules),
            max(seen, key=lambda sighting: sighting.order) if always else None,
        )

    def _first_sighting(self, fact: WorldFact, value: Any, world: Task) -> Sighting | None:
        """Return the first text or picture that differs if the fact has another value; None if all are the same.

        Args:
            fact: a fact of the final turn's task.
            value: the other value.
            world: the final turn's task with this value.
        """
        *earlier, final = self._turns
        for turn in earlier:
            other_world = turn.world(fact, value, self._task)
            sighting = None if other_world is None else turn.first_change(other_world, fact)
            if sighting is not None:
                return sighting
        return final.first_change(world, fact)


class _Turn:
    """One turn, and the texts that the agent would see with other facts.

    Attributes:
        number: number of the turn, from 0.
        worlds: generator of variants of the turn's task.
    """

    def __init__(self, number: int, seen: PerceivedTurn) -> None:
        self.number = number
        self.worlds = WorldVariants(seen.task)
        self._seen = seen
        task, environment = seen.task, seen.task.environment
        self._shows = [(show, show_reads(show, task)) for show in environment.shows_in(seen.setting)]
        declared = environment.tools_in(seen.setting)
        self._reads: dict[str, ReadNames] = {tool.name: tool_reads(tool, task) for tool in declared}
        self._described = [tool.name for tool in declared if any(param.lists_names for param in tool.params)]
        # the unchanged copy and not the task itself, since all variants reuse the indexes of the copy
        base = TaskViews(self.worlds.unchanged())
        self._tools = {tool.name: tool for tool in base.tools(seen.setting)}
        self._parameters = {name: self._tools[name].parameters for name in self._described}
        self._given = {show.name: dict(base.given(show)) for show, _ in self._shows}
        self._pictured = (
            [(call, seen.picture_cues(call)) for call in seen.calls] if seen.picture_cues is not None else []
        )
        self._results: list[tuple[ToolCall, str]] = []
        seen_calls: set[str] = set()
        for call in seen.calls if seen.picture_cues is None else ():
            key = _text([call.tool, call.arguments])
            if call.tool in self._tools and key not in seen_calls:
                seen_calls.add(key)
                self._results.append((call, _text(self._tools[call.tool].run(call.arguments))))
        self._keyed: dict[str, dict[str, Row]] = {}

    def states_fact(self, fact: WorldFact, final: Task) -> bool:
        """Return whether the query of this turn states a fact of the final turn's task (`final`)."""
        own, task = self._fact_at_turn(fact, final), self._seen.task
        return own is not None and (statement_of(task, own.of) is not None or query_states(task, own.of))

    def world(self, fact: WorldFact, value: Any, final: Task) -> Task | None:
        """Return this turn's task with another value of a fact of the final turn's task (`final`).

        Return None if there is no such task, for example because this turn's task lacks the fact or the new value.
        """
        own = self._fact_at_turn(fact, final)
        if own is None:
            return None
        if own.row is not None and own.column is None:
            return self.worlds.without_row(own.row)
        try:
            value = self._value_at_turn(value)
        except KeyError:  # the value is a row that this turn does not have
            return None
        if own.row is None:
            return self.worlds.with_given(own.name, value)
        assert own.column is not None
        return self.worlds.with_cell(own.row, own.column, value)

    def first_change(self, world: Task, fact: WorldFact) -> Sighting | None:
        """Return the first text or picture of this turn that differs if a fact is changed; None if all are the same.

        Args:
            world: this turn's task with the changed fact.
            fact: the fact.
        """
        views = TaskViews(world)
        for show, reads in self._shows:
            if reads.includes(fact.of) and dict(views.given(show)) != self._given[show.name]:
                return Sighting("show", self.number, name=show.name)
        tools = {tool.name: tool for tool in views.tools(self._seen.setting) if self._may_depend_on(tool.name, fact)}
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

    def _may_depend_on(self, tool: str, fact: WorldFact) -> bool:
        return self._reads[tool].includes(fact.of)

    # ------------------------------------------------------------------ facts of the final turn

    def _fact_at_turn(self, fact: WorldFact, final: Task) -> WorldFact | None:
        """Return the fact of this turn's task that is equal to a fact of the final turn's task (`final`).

        Return None if this turn's task lacks the fact or has another value for it.
        """
        task = self._seen.task
        if task is final:
            return fact
        row = None
        if fact.row is None:
            if fact.name not in task.given_declarations:
                return None
        else:
            row = self._rows(fact.name).get(row_key(fact.row, final.currency))
            if row is None or (fact.column is not None and fact.column not in row._table.columns):
                return None
        own = WorldFact(fact.name, row, fact.column)
        return own if own.value(task) == fact.value(final) else None

    def _value_at_turn(self, value: Any) -> Any:
        """Return a value with rows replaced by the corresponding rows of this turn's task.

        Raises:
            KeyError: the value is a row that this turn does not have.
        """
        if isinstance(value, Row):
            return self._rows(value._table.name)[row_key(value, self._seen.task.currency)]
        if isinstance(value, tuple):
            return tuple(map(self._value_at_turn, value))
        return value

    def _rows(self, table: str) -> Mapping[str, Row]:
        """Return the rows of a table by their keys as text."""
        if table not in self._keyed:
            facts = self._seen.task.facts.get(table)
            rows = [] if facts is None else facts.rows
            self._keyed[table] = {row_key(row, self._seen.task.currency): row for row in rows}
        return self._keyed[table]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
