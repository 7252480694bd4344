"""Whether what agents see is enough: facts that decide a constraint, and that no show and no tool of a setting reveals.

A fact is a cell of a static table or a parameter. That it is not revealed is shown by two worlds: they differ in the one
cell, look the same through every call that an agent can come to make, and a plan is accepted in the one and refused in the
other. Nothing less is an alarm: where no such pair is found, the fact is unproved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredSetting, HiddenName
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import Column, RowType, Table, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.errors import DiagnosticError
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan
from planspec.solvers.questions.effect import Effect
from planspec.solvers.questions.least_calls import LeastCalls, least_calls
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.exploration import Exploration, explore, looks_same
from planspec.verifiers.environment.other_worlds import nearness, other_values
from planspec.verifiers.environment.reads import tool_reads
from planspec.verifiers.environment.request import query_says, quoted
from planspec.verifiers.environment.result_cache import ResultCache
from planspec.verifiers.environment.tools import TaskViews
from planspec.verifiers.environment.watching import WatchedWorld
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.meter import StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan

MOST_ROWS = 12
"""The rows of a table whose cells are tried, those first that the plan refers to."""
MOST_VALUES = 4
"""The other values that are tried in a cell."""
MOST_NAMED = 8
"""The most facts that a line names."""

FactStatus: TypeAlias = Literal["shown", "in-query", "trusted", "idle", "untold", "unproved"]
"""A show or tool reveals it; the query says it; the author vouches that the query does; the rules say the same of every plan in scope
whatever it is; two worlds prove that nothing tells it; none of these."""


WORDS: Mapping[FactStatus, str] = {
    "shown": "shown or told by tools", "in-query": "in the query", "trusted": "trusted to the query", "idle": "without effect in the scope",
    "untold": "untold",
    "unproved": "unproved",
}  # fmt: skip
"""The statuses for people."""
ENOUGH = frozenset({"shown", "in-query", "trusted", "idle"})
"""The statuses of what agents can know, or need not."""


@dataclass(frozen=True, slots=True)
class WorldPair:
    """Two worlds that nobody can tell apart, and that accept different plans.

    Attributes:
        where: the cell, such as `Hotel[inn].plain`.
        here: its value in the task, as text.
        there: its value in the other world.
        plan: is accepted in the one and refused in the other.
        accepted: the plan is accepted in the task.
    """

    where: str
    here: str
    there: str
    plan: Plan
    accepted: bool

    def __str__(self) -> str:
        one, other = ("passes", "fails") if self.accepted else ("fails", "passes")
        return f"a plan that {one} with `{self.where}` = {self.here} {other} with {self.there}, and no call tells which it is"


@dataclass(frozen=True, slots=True)
class FactSight:
    """What agents see of a column or parameter that the rules read.

    Attributes:
        fact: its name.
        status: how it is told.
        pair: the proof that it is not.
    """

    fact: HiddenName
    status: FactStatus
    pair: WorldPair | None = None


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether one setting tells what decides.

    Attributes:
        setting: its name.
        facts: every column and parameter that a rule, a wish or an objective reads, by name.
        calls: the different calls that an agent can come to make.
        broken: of each tool of which a call fails by the author's fault the first such call, as text with its message.
        finished: all was looked at in time.
        allowed: the calls of an attempt that have a result; None without limit.
        least: how many of them tell everything on which the verdict on one plan turns; None where nobody asked, as there is no
            limit or no plan, or it was not found out.
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
        told = ", ".join(f"{counts[status]} {WORDS[status]}" for status in WORDS if counts[status])
        unproved = [str(fact.fact) for fact in self.facts if fact.status == "unproved"]
        if unproved:
            more = f" and {len(unproved) - MOST_NAMED} more" if len(unproved) > MOST_NAMED else ""
            told += f": {', '.join(unproved[:MOST_NAMED])}{more}"
        calls = (
            ""
            if self.least is None
            else f"; {self.least} of {self.allowed} calls tell all that a plan turns on"
        )
        return f"setting `{self.setting}`: {self.status} ({told or 'nothing is read'}){calls}; constants in rules are not looked at"

    @property
    def untold(self) -> tuple[FactSight, ...]:
        """The facts that are proved to decide, and that nothing tells."""
        return tuple(fact for fact in self.facts if fact.status == "untold")

    @property
    def status(self) -> Literal["sufficient", "insufficient", "unproved"]:
        """`sufficient`: everything that the rules read is told; constants in the rules are not looked at."""
        if self.untold:
            return "insufficient"
        told = all(fact.status in ENOUGH for fact in self.facts)
        return "sufficient" if told and self.finished else "unproved"


def sufficiency(made: Ground, plans: Sequence[Plan], clock: TimeBudget) -> tuple[Sufficiency, ...]:
    """Look at each setting of a task.

    Args:
        made: the task.
        plans: some that the task accepts, such as the reference and a solver's; without one nothing can be proved.
        clock: the time for all settings together.
    """
    worlds = WatchedWorld(made.task)
    rules, kept = Effect(worlds), ResultCache(worlds.watch)
    found: list[tuple[Exploration, Sufficiency]] = []
    for setting in TaskViews(made.task).settings().values():
        seen = explore(worlds.unchanged(), setting, kept)
        like, facts = next(((other, told) for other, told in found if other.same(seen)), (None, None))
        if facts is None:
            facts = _Question(made, plans, setting, seen, worlds, rules, clock).answered()
        known = (
            like is not None and like.known_arguments == seen.known_arguments and facts.allowed is not None
        )
        least = facts.least if known and setting.calls else _least(made, worlds, plans, setting, seen, clock)
        told = replace(facts, setting=setting.name, allowed=setting.calls, least=least)
        found.append((seen, told))
    return tuple(facts for _, facts in found)


def _least(
    made: Ground,
    worlds: WatchedWorld,
    plans: Sequence[Plan],
    setting: DeclaredSetting,
    seen: Exploration,
    clock: TimeBudget,
) -> LeastCalls | None:
    """How many calls tell all that the first plan turns on, where their number is limited."""
    if setting.calls is None or not plans or clock.over:
        return None
    try:
        return least_calls(made.task, worlds, setting, seen, plans[0], clock)
    except DiagnosticError:  # the plan takes too many steps to judge
        return None


@dataclass(frozen=True, slots=True)
class _Other:
    """Another world, and the fact in which it differs as text."""

    task: Task
    where: str
    here: str
    there: str


class _Question:
    """One setting of a task."""

    def __init__(
        self,
        made: Ground,
        plans: Sequence[Plan],
        setting: DeclaredSetting,
        seen: Exploration,
        worlds: WatchedWorld,
        rules: Effect,
        clock: TimeBudget,
    ) -> None:
        self._task: Task = made.task
        self._plans = [(plan, _accepted(made, plan)) for plan in plans]
        self._setting = setting
        self._clock = clock
        self._seen = seen
        self._other = worlds
        self._rules = rules
        self._near = _near(self._task, plans, worlds.originals(rules.rows))

    def answered(self) -> Sufficiency:
        """Every fact that is read, and how it is told."""
        seen = self._seen
        facts: list[FactSight] = []
        finished = True
        asked = [
            *(HiddenName(table.name) for table in read_tables(self._task)),
            *(HiddenName(table.name, column.name) for table, column in read_columns(self._task)),
            *(HiddenName(name) for name in read_givens(self._task)),
        ]
        for fact in asked:
            if self._clock.over:
                finished = False
                facts.append(FactSight(fact, "unproved"))
            else:
                facts += self._fact(fact)
        return Sufficiency(self._setting.name, tuple(facts), len(seen.calls), seen.broken(), finished)

    def _fact(self, fact: HiddenName) -> Iterator[FactSight]:
        """How a column, the rows of a table or a parameter is told; nothing of one that can be no other."""
        tell = quoted(self._task, fact)
        if tell is not None:
            yield FactSight(fact, "trusted" if tell.trusted else "in-query")
            return
        if query_says(self._task, fact):
            yield FactSight(fact, "in-query")
            return
        found: set[FactStatus] = set()
        for other in self._others(fact):
            if not self._rules.reached():
                found.add("idle")
            elif not looks_same(self._seen, other.task, self._setting, self._other.change):
                found.add("shown")
            elif isinstance(made := self._decided(other), WorldPair):
                partly = self._reading(fact) & self._seen.partial_tools
                yield FactSight(fact, "unproved" if partly else "untold", made)
                return
            else:
                found.add(made)
        for status in ("unproved", "shown", "idle"):
            if status in found:
                yield FactSight(fact, status)
                return

    def _others(self, fact: HiddenName) -> Iterator[_Other]:
        """Worlds that differ from the task's in one fact; each holds until the next is made."""
        currency = self._task.currency
        if fact.name in self._task.given_declarations:
            declared = self._task.given_declarations[fact.name]
            value = self._task.givens.get(fact.name)
            for other in self._values(value, declared.type, optional=declared.optional):
                task = self._other.with_given(fact.name, other)
                yield _Other(
                    task,
                    fact.name,
                    show(value, declared.type, currency),
                    show(other, declared.type, currency),
                )
            return
        for row in self._near[fact.name][:MOST_ROWS]:
            where = f"{fact.name}[{row_key(row, currency)}]"
            if fact.column is None:
                task_without = self._other.without_row(row)
                if task_without is not None:
                    yield _Other(task_without, where, "there", "absent")
                continue
            column = self._task.tables[fact.name].columns[fact.column]
            value = getattr(row, column.name)
            for other in self._values(value, column.type, optional=column.optional):
                task = self._other.with_cell(row, column.name, other)
                yield _Other(
                    task,
                    f"{where}.{column.name}",
                    show(value, column.type, currency),
                    show(other, column.type, currency),
                )

    def _values(self, value: Any, of: Type, *, optional: bool) -> Iterator[Any]:
        yield from islice(other_values(value, of, self._task, optional=optional), MOST_VALUES)

    def _decided(self, other: _Other) -> WorldPair | FactStatus:
        """A plan that the two worlds judge differently; where there is none in scope the difference is without effect."""
        try:
            world = ground(other.task)
        except (DiagnosticError, StepLimitError):  # there is no such world
            return "unproved"
        return self._pair(other, world) or self._searched(other, world)

    def _pair(self, other: _Other, world: Ground) -> WorldPair | None:
        """The plan among those at hand that the two worlds judge differently; None if there is none."""
        try:
            for plan, accepted in self._plans:
                own = TABLES.decode(other.task, TABLES.encode(self._task, plan))[0]
                if _accepted(world, own) is not accepted:
                    return WorldPair(other.where, other.here, other.there, plan, accepted)
        except (DiagnosticError, StepLimitError):  # a plan takes too many steps to judge
            return None
        return None

    def _searched(self, other: _Other, world: Ground) -> WorldPair | FactStatus:
        """Such a plan among all in scope."""
        try:
            made = self._rules.compared(world, self._clock)
        except (DiagnosticError, StepLimitError):
            return "unproved"
        if isinstance(made, ContestedPlan):
            return WorldPair(other.where, other.here, other.there, made.plan, made.accepted_by == "first")
        return "idle" if made == "same" else "unproved"

    def _reading(self, fact: HiddenName) -> frozenset[str]:
        """The tools whose results can depend on a fact."""
        tools = self._task.environment.callable(self._setting)
        return frozenset(tool.name for tool in tools if tool_reads(tool, self._task).touch(fact))


# ------------------------------------------------------------------ what is read


def read_columns(task: Task) -> list[tuple[Table, Column]]:
    """The columns of static tables that constraints, wishes and objectives read, also by way of definitions."""
    found: dict[tuple[str, str], None] = {}
    for node in _judging(task):
        if isinstance(node, t.FieldOf) and isinstance(node.row.type, RowType):
            table = task.tables[node.row.type.table]
            if not table.plan and node.column.name not in table.key:
                found[table.name, node.column.name] = None
    return [(task.tables[table], task.tables[table].columns[column]) for table, column in sorted(found)]


def read_tables(task: Task) -> list[Table]:
    """The static tables whose rows they go through or look up."""
    found = {
        node.table.name
        for node in _judging(task)
        if isinstance(node, t.AllRows | t.Lookup | t.OnlyRow) and not node.table.plan
    }
    return [task.tables[name] for name in sorted(found)]


def read_givens(task: Task) -> list[str]:
    """The parameters that they read."""
    return sorted({node.given.name for node in _judging(task) if isinstance(node, t.GivenRef)})


def places_read(task: Task, fact: HiddenName) -> Iterator[Span]:
    """Where they read a fact."""
    for node in _judging(task):
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


def _judging(task: Task) -> Iterator[t.Expr]:
    """Every node of what judges a plan, in definitions too."""
    roots: list[t.Expr] = [objective.expression for objective in task.objectives]
    for constraint in task.constraints:
        roots.append(constraint.body)
        roots += [expr for expr in (constraint.when, constraint.weight) if expr is not None]
        roots += [
            part
            for clause in constraint.clauses
            for part in (clause.source, clause.condition)
            if part is not None
        ]
    yield from walk(*roots)


# ------------------------------------------------------------------ rows that matter


def _near(task: Task, plans: Sequence[Plan], read: Collection[Row]) -> dict[str, list[Row]]:
    """The rows of each static table: those first that the rules read, and of these those that plans refer to, or come near to."""
    near = nearness(plans)

    def rank(row: Row) -> tuple[bool, Any]:
        return row not in read, near(row)

    return {name: sorted(facts.rows, key=rank) for name, facts in task.facts.items()}


def _accepted(made: Ground, plan: Plan) -> bool:
    return judge(made, plan, details="none").status == "pass"
