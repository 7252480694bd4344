"""Sufficiency of a setting: whether the facts shown to agents and their tools reveal all facts that constraints need.

A fact is a cell of a static table, or a given. A pair of worlds can prove that agents cannot learn a fact. The worlds
differ only in this fact, and every possible call of an agent has the same result in both, but one world accepts a plan
that the other rejects. If neither such a pair nor a proof of its absence is found, the status of the fact is
`unproved`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredSetting, HiddenName
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import Column, RowType, Table, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.solvers.lowering.problem import Lowered, SharedLowering
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan
from planspec.solvers.questions.effect import Effect
from planspec.solvers.questions.least_calls import LeastCalls, least_calls
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.exploration import Exploration, explore, is_indistinguishable
from planspec.verifiers.environment.other_worlds import nearness, other_values
from planspec.verifiers.environment.reads import tool_reads
from planspec.verifiers.environment.request import query_states, statement_of
from planspec.verifiers.environment.result_cache import ResultCache
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import RecordedWorld
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

MAX_ROWS = 12
"""Maximum number of rows of a table of facts that are changed, one at a time, to test what agents can learn.

Rows to which plans refer come first.
"""
MAX_VALUES = 4
"""Maximum number of other values that are tested for a fact: a cell of a table of facts, or a given."""
MAX_NAMED_FACTS = 8
"""Maximum number of facts with the status `unproved` that one line of output names."""

FactStatus: TypeAlias = Literal["shown", "in-query", "trusted", "idle", "untold", "unproved"]
"""How agents learn a fact.

- `shown`: from a `show` text or a tool.
- `in-query`: from the query.
- `trusted`: from the query, according to the author.
- `idle`: they need not learn it, because it does not affect the verdict on any plan in scope.
- `untold`: they cannot learn it. A `WorldPair` proves this.
- `unproved`: undecided, because a limit was reached or calls could not be listed.
"""


WORDS: Mapping[FactStatus, str] = {
    "shown": "shown or told by tools",
    "in-query": "in the query",
    "trusted": "trusted to the query",
    "idle": "without effect in the scope",
    "untold": "untold",
    "unproved": "unproved",
}
"""Display text of each status of a fact."""
ENOUGH = frozenset({"shown", "in-query", "trusted", "idle"})
"""Statuses of facts that agents can learn or do not need."""


@dataclass(frozen=True, slots=True)
class WorldPair:
    """Two worlds that agents cannot distinguish and that accept different plans. They differ in one fact.

    A world is the task's tables of facts and givens.

    Attributes:
        where: the cell, row or given in which the worlds differ, such as `Hotel[inn].plain`.
        value: its value in the task, as text.
        other_value: its value in the other world, as text.
        plan: a plan that one world accepts and the other rejects.
        accepted: whether the task's world accepts the plan.
    """

    where: str
    value: str
    other_value: str
    plan: Plan
    accepted: bool

    def __str__(self) -> str:
        one, other = ("passes", "fails") if self.accepted else ("fails", "passes")
        return f"agents cannot learn `{self.where}`: some plan {one} if it is {self.value} and {other} if it is {self.other_value}"


@dataclass(frozen=True, slots=True)
class FactSight:
    """A column, table or given (value that the query fixes) that the rules read, and how agents can learn it.

    Attributes:
        fact: name of the column, table or given.
        status: how agents learn the fact.
        pair: two versions of the facts that prove that agents cannot learn the fact; None without such a proof.
    """

    fact: HiddenName
    status: FactStatus
    pair: WorldPair | None = None


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """The facts that a task's rules read, and how agents can learn each of them in one setting.

    Attributes:
        setting: name of the setting, which determines the texts and tools that agents get.
        facts: all tables, columns and givens that constraints and objectives read.
        calls: number of different calls that are possible for an agent.
        broken: for each tool with a failing call (an author's mistake), a text with the call and the message.
        finished: whether everything was examined in time.
        allowed: maximum number of calls that an agent may make; None if there is no limit.
        least: bounds on the minimum number of calls that reveal all facts on which the verdict on the first plan
            depends. None if `allowed` is None, if there is no plan, or if no bound was determined.
    """

    setting: str
    facts: tuple[FactSight, ...]
    calls: int
    broken: Mapping[str, str]
    finished: bool
    allowed: int | None = None
    least: LeastCalls | None = None

    def __str__(self) -> str:
        counts = Counter(fact.status for fact in self.facts)
        statuses = ", ".join(f"{counts[status]} {WORDS[status]}" for status in WORDS if counts[status])
        unproved = [str(fact.fact) for fact in self.facts if fact.status == "unproved"]
        if unproved:
            more = f" and {len(unproved) - MAX_NAMED_FACTS} more" if len(unproved) > MAX_NAMED_FACTS else ""
            statuses += f": {', '.join(unproved[:MAX_NAMED_FACTS])}{more}"
        calls = (
            "" if self.least is None else f"; {self.least} of {self.allowed} calls reveal all that a plan depends on"
        )
        return f"setting `{self.setting}`: {self.status} ({statuses or 'nothing is read'}){calls}; constants in rules are not considered"

    @property
    def untold(self) -> tuple[FactSight, ...]:
        """The facts that agents need and provably cannot learn."""
        return tuple(fact for fact in self.facts if fact.status == "untold")

    @property
    def status(self) -> Literal["sufficient", "insufficient", "unproved"]:
        """`sufficient` if agents can learn every fact that rules read, `insufficient` if provably not, else `unproved`.

        Constants in rules are not considered.
        """
        if self.untold:
            return "insufficient"
        revealed = all(fact.status in ENOUGH for fact in self.facts)
        return "sufficient" if revealed and self.finished else "unproved"


def sufficiency(
    ground: Ground,
    plans: Sequence[Plan],
    clock: TimeBudget,
    *,
    every: bool = True,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> tuple[Sufficiency, ...]:
    """Decide for each setting of a task how agents can learn the facts that the rules read.

    A setting determines the texts and tools that agents get.

    Args:
        ground: the task.
        plans: plans that the task accepts, such as the reference or a solver's plan.
        clock: time limit on all settings together.
        every: whether to examine all facts. If not, the examination stops at the first fact that agents provably cannot
            learn.
        lowering: function that translates the task into a problem for solvers; None translates it anew. Pass the same
            `SharedLowering`, which caches its results, to all functions that need the problem of this task.
    """
    worlds = RecordedWorld(ground.task)
    rules, results = _Rules(worlds, ground, lowering or SharedLowering()), ResultCache(worlds.watch)
    examined: list[tuple[Exploration, Sufficiency]] = []
    for setting in TaskViews(ground.task).settings().values():
        exploration = explore(worlds.unchanged(), setting, results)
        earlier, facts = next(
            ((other, previous) for other, previous in examined if other.looks_like(exploration)), (None, None)
        )
        if facts is None:
            facts = _SettingExamination(ground, plans, setting, exploration, worlds, rules, clock).examine(every=every)
        reusable = (
            earlier is not None and earlier.known_arguments == exploration.known_arguments and facts.allowed is not None
        )
        least = (
            facts.least
            if reusable and setting.calls
            else _least_calls(ground, worlds, plans, setting, exploration, clock)
        )
        result = replace(facts, setting=setting.name, allowed=setting.calls, least=least)
        examined.append((exploration, result))
    return tuple(facts for _, facts in examined)


def _least_calls(
    ground: Ground,
    worlds: RecordedWorld,
    plans: Sequence[Plan],
    setting: DeclaredSetting,
    exploration: Exploration,
    clock: TimeBudget,
) -> LeastCalls | None:
    """Return bounds on the minimum number of calls that reveal all facts on which the first plan's verdict depends.

    Return None if the setting does not limit how many calls an agent may make, if there is no plan, or if no bound can
    be determined.
    """
    if setting.calls is None or not plans or clock.over:
        return None
    try:
        return least_calls(ground.task, worlds, setting, exploration, plans[0], clock)
    except DiagnosticError:  # judging the plan takes too many steps
        return None


class _Rules:
    """The `Effect` of changed facts on the verdicts of a task's rules, computed when it is first needed."""

    def __init__(self, worlds: RecordedWorld, ground: Ground, lowering: Callable[[Ground], Lowered]) -> None:
        self._worlds, self._ground, self._lowering = worlds, ground, lowering

    @cached_property
    def effect(self) -> Effect:
        return Effect(self._worlds, self._ground, self._lowering)


@dataclass(frozen=True, slots=True)
class _ChangedWorld:
    """The task in a world with one changed fact.

    Attributes:
        task: the task in that world.
        where: name of the changed fact, such as `Hotel[inn].plain`.
        value: the fact's value in the task's own world, as text.
        other_value: its value in the changed world, as text.
    """

    task: Task
    where: str
    value: str
    other_value: str


class _SettingExamination:
    """The examination of how agents can learn the facts that the rules read, in one setting."""

    def __init__(
        self,
        ground: Ground,
        plans: Sequence[Plan],
        setting: DeclaredSetting,
        exploration: Exploration,
        worlds: RecordedWorld,
        rules: _Rules,
        clock: TimeBudget,
    ) -> None:
        self._task: Task = ground.task
        self._plans = [(plan, _is_accepted(ground, plan)) for plan in plans]
        self._setting = setting
        self._clock = clock
        self._exploration = exploration
        self._worlds = worlds
        self._rules = rules

    @cached_property
    def _ranked_rows(self) -> dict[str, list[Row]]:
        return _rank_rows(
            self._task, [plan for plan, _ in self._plans], self._worlds.originals(self._rules.effect.rows)
        )

    @cached_property
    def _rows_near_plans(self) -> dict[str, list[Row]]:
        return _rank_rows(self._task, [plan for plan, _ in self._plans], ())

    def examine(self, *, every: bool) -> Sufficiency:
        """Examine the facts that the rules read: all of them, or up to the first that agents provably cannot learn.

        If `every` is false, facts are first tested with the known plans, because this needs no search for a plan.
        """
        exploration = self._exploration
        facts: list[FactSight] = []
        finished = True
        read = [
            *(HiddenName(table.name) for table in tables_read(self._task)),
            *(HiddenName(table.name, column.name) for table, column in columns_read(self._task)),
            *(HiddenName(name) for name in givens_read(self._task)),
        ]
        proof = None if every else next(filter(None, map(self._provably_unlearnable, read)), None)
        for fact in read if proof is None else ():
            if not every and facts and facts[-1].status == "untold":
                break
            if self._clock.over:
                finished = False
                facts.append(FactSight(fact, "unproved"))
            else:
                facts += self._visibility(fact)
        facts += [] if proof is None else [proof]
        return Sufficiency(
            self._setting.name, tuple(facts), len(exploration.calls), exploration.failing_tools(), finished
        )

    def _provably_unlearnable(self, fact: HiddenName) -> FactSight | None:
        """Return the fact with the status `untold` if a known plan proves that agents cannot learn it; else None.

        A plan proves it if its verdict differs in another world that agents cannot distinguish from the task's.
        """
        if self._status_in_query(fact) is not None or self._tools_reading(fact) & self._exploration.partial_tools:
            return None
        for other in self._other_worlds(fact, self._rows_near_plans):
            if self._clock.over:
                return None
            if is_indistinguishable(self._exploration, other.task, self._setting, self._worlds.change):
                try:
                    pair = self._known_plan_pair(other, ground(other.task))
                except (DiagnosticError, StepLimitError):  # no such world is possible
                    continue
                if pair is not None:
                    return FactSight(fact, "untold", pair)
        return None

    def _status_in_query(self, fact: HiddenName) -> FactStatus | None:
        """Return how a fact is known from the query; None if the query does not state the fact.

        The status is `trusted` if the author vouches that the query states the fact. It is `in-query` if the author
        names the passage, or if the query mentions the values.
        """
        quote = statement_of(self._task, fact)
        if quote is not None:
            return "trusted" if quote.trusted else "in-query"
        return "in-query" if query_states(self._task, fact) else None

    def _visibility(self, fact: HiddenName) -> Iterator[FactSight]:
        """Yield the fact with how agents can learn it; yield nothing if the fact has only one possible value."""
        status_in_query = self._status_in_query(fact)
        if status_in_query is not None:
            yield FactSight(fact, status_in_query)
            return
        statuses: set[FactStatus] = set()
        rules = self._rules.effect  # computed now, before another world replaces the task's own
        for other in self._other_worlds(fact, self._ranked_rows):
            if not rules.is_affected():
                statuses.add("idle")
            elif not is_indistinguishable(self._exploration, other.task, self._setting, self._worlds.change):
                statuses.add("shown")
            elif isinstance(decision := self._judge_differently(other), WorldPair):
                partly = self._tools_reading(fact) & self._exploration.partial_tools
                yield FactSight(fact, "unproved" if partly else "untold", decision)
                return
            else:
                statuses.add(decision)
        for status in ("unproved", "shown", "idle"):
            if status in statuses:
                yield FactSight(fact, status)
                return

    def _other_worlds(self, fact: HiddenName, ranked: Mapping[str, Sequence[Row]]) -> Iterator[_ChangedWorld]:
        """Yield variants of the task in which one fact is changed.

        A variant is valid only until the next one is requested.

        Args:
            fact: a table, column or given.
            ranked: the rows of each table, the most relevant first.
        """
        currency = self._task.currency
        if fact.name in self._task.given_declarations:
            declared = self._task.given_declarations[fact.name]
            value = self._task.givens.get(fact.name)
            for other in self._other_values(value, declared.type, optional=declared.optional):
                task = self._worlds.with_given(fact.name, other)
                yield _ChangedWorld(
                    task,
                    fact.name,
                    show(value, declared.type, currency),
                    show(other, declared.type, currency),
                )
            return
        for row in ranked[fact.name][:MAX_ROWS]:
            where = f"{fact.name}[{row_key(row, currency)}]"
            if fact.column is None:
                changed_task = self._worlds.without_row(row)
                if changed_task is not None:
                    yield _ChangedWorld(changed_task, where, "there", "absent")
                continue
            column = self._task.tables[fact.name].columns[fact.column]
            value = getattr(row, column.name)
            for other in self._other_values(value, column.type, optional=column.optional):
                task = self._worlds.with_cell(row, column.name, other)
                yield _ChangedWorld(
                    task,
                    f"{where}.{column.name}",
                    show(value, column.type, currency),
                    show(other, column.type, currency),
                )

    def _other_values(self, value: Any, type_: Type, *, optional: bool) -> Iterator[Any]:
        yield from islice(other_values(value, type_, self._task, optional=optional), MAX_VALUES)

    def _judge_differently(self, other: _ChangedWorld) -> WorldPair | FactStatus:
        """Search for a plan with different verdicts in the task's own world and in the other world.

        Known plans are tried first, then a solver searches. Return the two worlds with the plan, or the status of the
        changed fact if no such plan is found.
        """
        try:
            world = ground(other.task)
        except (DiagnosticError, StepLimitError):  # no such world is possible
            return "unproved"
        return self._known_plan_pair(other, world) or self._search_plan(other, world)

    def _known_plan_pair(self, other: _ChangedWorld, world: Ground) -> WorldPair | None:
        """Return the task's world and another world, with a known plan that only one of them accepts.

        A world is the task's tables of facts and givens. The known plans are those with which this object was created.
        Return None if the verdict on each of them is the same in both worlds, or if judging them takes too many steps.

        Args:
            other: description of the other world.
            world: the task in the other world.
        """
        try:
            for plan, accepted in self._plans:
                encoded = TABLES.decode(other.task, TABLES.encode(self._task, plan))[0]
                if _is_accepted(world, encoded) is not accepted:
                    return WorldPair(other.where, other.value, other.other_value, plan, accepted)
        except (DiagnosticError, StepLimitError):  # judging a plan takes too many steps
            return None
        return None

    def _search_plan(self, other: _ChangedWorld, world: Ground) -> WorldPair | FactStatus:
        """Search, with a solver, for a plan with different verdicts in the task's own world and in the other world.

        Return the two worlds with the plan, or the status of the changed fact if no such plan is found.
        """
        try:
            result = self._rules.effect.compare(world, self._clock)
        except (DiagnosticError, StepLimitError):
            return "unproved"
        if isinstance(result, ContestedPlan):
            return WorldPair(other.where, other.value, other.other_value, result.plan, result.accepted_by == "first")
        return "idle" if result == "same" else "unproved"

    def _tools_reading(self, fact: HiddenName) -> frozenset[str]:
        """Return the names of the tools with results that can depend on a fact."""
        tools = self._task.environment.tools_in(self._setting)
        return frozenset(tool.name for tool in tools if tool_reads(tool, self._task).includes(fact))


# ------------------------------------------------------------------ facts that rules read


def columns_read(task: Task) -> list[tuple[Table, Column]]:
    """Return the columns of static tables (facts) that constraints and objectives read, also through definitions.

    Each is paired with its table. Key columns are left out.
    """
    columns: dict[tuple[str, str], None] = {}
    for node in _judging_nodes(task):
        if isinstance(node, t.FieldOf) and isinstance(node.row.type, RowType):
            table = task.tables[node.row.type.table]
            if not table.plan and node.column.name not in table.key:
                columns[table.name, node.column.name] = None
    return [(task.tables[table], task.tables[table].columns[column]) for table, column in sorted(columns)]


def tables_read(task: Task) -> list[Table]:
    """Return the static tables (tables of facts) whose rows constraints and objectives iterate over or look up."""
    names = {
        node.table.name
        for node in _judging_nodes(task)
        if isinstance(node, t.AllRows | t.Lookup | t.OnlyRow) and not node.table.plan
    }
    return [task.tables[name] for name in sorted(names)]


def givens_read(task: Task) -> list[str]:
    """Return the names of the givens (values that the query fixes) that constraints and objectives read."""
    return sorted({node.given.name for node in _judging_nodes(task) if isinstance(node, t.GivenRef)})


def spans_of_reads(task: Task, fact: HiddenName) -> Iterator[Span]:
    """Yield the places in the task's text where constraints and objectives read a fact: a column, table or given."""
    for node in _judging_nodes(task):
        match node:
            case t.GivenRef(given=given) if given.name == fact.name:
                yield node.span
            case t.FieldOf(row=row, column=column) if isinstance(row.type, RowType) and (
                row.type.table,
                column.name,
            ) == (fact.name, fact.column):
                yield node.span
            case t.AllRows(table=table) | t.Lookup(table=table) | t.OnlyRow(table=table) if (
                fact.column is None and table.name == fact.name
            ):
                yield node.span


def _judging_nodes(task: Task) -> Iterator[t.Expr]:
    """Yield every node of the constraints' and objectives' expressions, including definitions that they use."""
    roots: list[t.Expr] = [objective.expression for objective in task.objectives]
    for constraint in task.constraints:
        roots.append(constraint.body)
        roots += [expr for expr in (constraint.when, constraint.weight) if expr is not None]
        roots += [
            part for clause in constraint.clauses for part in (clause.source, clause.condition) if part is not None
        ]
    yield from walk(*roots)


# ------------------------------------------------------------------ relevant rows


def _rank_rows(task: Task, plans: Sequence[Plan], read_rows: Collection[Row]) -> dict[str, list[Row]]:
    """Return the rows of each static table (table of facts) in order of relevance.

    Rows that the rules read come before all others. Among each of these two kinds, rows to which plans refer come
    first, then rows that refer to such rows.

    Args:
        task: the task.
        plans: plans that refer to rows of facts.
        read_rows: rows that the rules read.
    """
    near = nearness(plans)

    def rank(row: Row) -> tuple[bool, Any]:
        return row not in read_rows, near(row)

    return {name: sorted(facts.rows, key=rank) for name, facts in task.facts.items()}


def _is_accepted(ground: Ground, plan: Plan) -> bool:
    return judge(ground, plan, details="none").status == "pass"
