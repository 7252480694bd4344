"""Agents without a model: references that know the task, and the floors that any score has to stand above."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random as Chance
from typing import Any, Literal, Protocol, TypeAlias

from planspec.agents.agent import Agent, Answer
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import TaskView
from planspec.api.judging import Judge
from planspec.api.refusals import REFUSAL
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import InexpressiblePlanError
from planspec.families.registry import families, family_of
from planspec.traces.record import Result, Trace
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.ground import FieldDomain, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan


class OpenedTask(Protocol):
    """The task itself, with the judges of its turns, as a privileged agent gets it.

    Attributes:
        declared: the setting, where the task itself declares it.
        name: by which the task was loaded.
        folder: of its suite.
        resolve: makes an answer that stands alone of one that refers to calls of its trace, where the family has such.
    """

    @property
    def name(self) -> str: ...
    @property
    def judges(self) -> tuple[Judge, ...]: ...
    @property
    def folder(self) -> Path | None: ...
    @property
    def declared(self) -> DeclaredSetting | None: ...
    @property
    def resolve(self) -> Callable[[str, Trace], Any] | None: ...


class Privileged:
    """Keeps the task that it is given."""

    privileged = True
    _opened: OpenedTask

    def privilege(self, opened: OpenedTask) -> None:
        """Take the task itself."""
        self._opened = opened

    def judge(self, view: TaskView) -> Judge:
        """The judge of the current turn."""
        return self._opened.judges[view.turn]


class Empty:
    """Answers nothing: an empty object."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """An empty object."""
        return {}


class Constant:
    """Answers every task with the same text.

    Args:
        text: the answer; `@FILE` is the text of a file.
    """

    def __init__(self, text: str) -> None:
        self._text = read_text(text[1:], ANSWER_BYTES) if text.startswith("@") else text

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The text."""
        return self._text


class Echo:
    """Answers with its own input: the query, the brief and the materials, as one text."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The prompt."""
        return "\n\n".join([view.query, view.brief, *view.materials.values()])


MOST_LOOKING = 60.0
"""The seconds in which the oracle looks for the fewest calls that tell enough."""


class Oracle(Privileged):
    """The solver: the best plan that a back end finds, or what cannot hold together where there is none.

    Before it answers with a plan it calls the tools that tell all on which the verdict on the plan turns, as few as possible, in
    an order in which an agent could make the calls: so its attempts show how the task is done.

    Args:
        backend: `cpsat`, `smt` or `brute`.
        seconds: for each turn; half of the time that the attempt has left if None.
        calls: whether it calls tools.
    """

    def __init__(self, backend: str = "cpsat", seconds: float | None = None, calls: bool = True) -> None:
        self._backend, self._seconds, self._calls = backend, seconds, calls

    def about(self) -> Mapping[str, Any]:
        """The name of the searching back end."""
        return {"backend": self._backend}

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The best plan; at a turn without one, the rules that cannot hold together."""
        from planspec.api.claim_outputs import opinions_in_words
        from planspec.api.oracles import Performance, best_plan, whole_answer
        from planspec.solvers.backends.outcome import Limits, Status

        judge = self.judge(view)
        limits = Limits(seconds=self._seconds or desk.left / 2, seed=view.seed)
        found = best_plan(self._opened.name, judge, backend=self._backend, limits=limits)
        told = {"status": found.status.value, "by": list(found.by), "seconds": round(found.seconds, 3)}
        desk.note("solver", told)
        if found.plan is not None:
            if self._calls:
                self._look_up(view, judge, found.plan, desk)
            tools = frozenset(tool.name for tool in view.tools)
            given = Performance(self._opened.name, judge, self._opened.folder, tools, desk.call)
            whole: Answer = whole_answer(written(judge, found.plan), given)
            return whole
        if found.status is Status.INFEASIBLE:
            return {REFUSAL: True}
        if found.disagreement:
            raise AttemptFailedError("adapter", opinions_in_words(found.disagreement))
        raise AttemptFailedError("timeout", f"the solver found no plan in {limits.seconds:g} s")

    def _look_up(self, view: TaskView, judge: Judge, plan: Plan, desk: Desk) -> None:
        """Make the calls that tell what decides on a plan, where the task declares its tools; none twice in an attempt."""
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions.budget import TimeBudget
        from planspec.solvers.questions.least_calls import revealing_calls

        setting = self._opened.declared
        if setting is None or not len(view.tools):
            return
        clock = TimeBudget(Limits(seconds=min(MOST_LOOKING, desk.left / 2)))
        calls = revealing_calls(judge.task, setting, plan, clock)
        if calls is None:
            desk.note("calls", f"no calls that tell enough were found in {MOST_LOOKING:g} s")
            return
        made = [(call.name, call.arguments, call.result) for call in desk.calls]
        for name, said in calls:
            arguments = json.loads(said)
            told = Result(value=view.tools.call(name, arguments))
            if (name, arguments, told) not in made:
                desk.call(name, arguments)


Strategy: TypeAlias = Literal["earliest", "nearest", "cheapest", "in-order"]


def greedy(strategy: Strategy | None = None, seconds: float = 60.0) -> Agent:
    """Takes what is best at each step, and takes nothing back.

    It reads the request and looks things up through the tools of the setting, as an agent has to, by the planner that the task's
    family brings. With a strategy it knows the task instead, and settles the rows of the plan one after the other.

    Args:
        strategy: what it looks at when it settles rows.
        seconds: that settling them may take.
    """
    return GreedyPlanner() if strategy is None else GreedySearch(strategy, seconds)


class GreedyPlanner:
    """Answers by the greedy planner of the task's family, which sees what any agent sees."""

    siteless = "it calls tools, and a site has none"
    sightless = "it reads what tools tell as text"

    @property
    def families(self) -> frozenset[str]:
        """The families that bring one."""
        return frozenset(family.name for family in families() if family.greedy is not None)

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """What the planner makes of the tools' results."""
        planner = family_of(view.family).greedy
        if planner is None:
            raise AttemptFailedError(
                "adapter",
                "no planner looks things up for this task; `greedy:strategy=in-order` knows the task itself",
            )
        return planner.load()(view, desk)


class GreedySearch(Privileged):
    """Settles row after row by one measure; where it is stuck it answers with what it has."""

    def __init__(self, strategy: Strategy, seconds: float) -> None:
        self._strategy, self._seconds = strategy, seconds

    def about(self) -> Mapping[str, Any]:
        """The options that decide which rows it takes."""
        return {"strategy": self._strategy}

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The rows that it settled."""
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.lowering.problem import lower
        from planspec.solvers.questions.greedy import greedy_runs

        judge = self.judge(view)
        limits = Limits(seconds=min(self._seconds, desk.left / 2), seed=view.seed)
        runs = greedy_runs(lower(judge.ground), limits=limits, only=self._strategy, persist=True)
        if not runs:
            raise AttemptFailedError(
                "adapter", f"the task has nothing that the strategy `{self._strategy}` could look at"
            )
        desk.note("greedy", {"settled": runs[0].settled, "rows": runs[0].rows, "end": runs[0].end})
        if runs[0].plan is None:
            raise AttemptFailedError(
                "adapter", f"the strategy `{self._strategy}` settled nothing: no row fits alone"
            )
        return written(judge, runs[0].plan)


TRIES = 8
"""Draws of a row before it is left out, or taken as it is."""


class Random(Privileged):
    """Draws the rows that the scope offers, each with values from its domains.

    A row is drawn a few times until it breaks no rule that held before; if none does it stays away, or where it cannot,
    the last draw is taken. What the family's answers cannot say stays away, so that every answer has the family's own form.
    Equal seeds draw equal plans.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The plan that was drawn."""
        judge = self.judge(view)
        return written(
            judge, drawn(judge, Chance(f"{view.seed} {view.task} {view.turn} {len(view.earlier)}"))
        )


def drawn(judge: Judge, chance: Chance) -> Plan:
    """A plan by chance from a task's scope."""
    ground = judge.ground
    rows: dict[str, list[Row]] = {table.name: [] for table in judge.task.plan_tables}
    offered = [row for table in ground.rows.values() for row in table]
    offered.sort(
        key=lambda row: not row.table.one
    )  # without the one row that an answer has nothing can be said
    broken = _broken(judge, _plan(rows))
    for row in offered:
        if row.optional and chance.random() < 0.5:
            continue
        table = rows[row.table.name]
        said: Row | None = None
        for _ in range(TRIES):
            table.append(_draw(row, len(table), chance))
            now = _broken(judge, _plan(rows))
            good = now <= broken
            if row.table.one or ((good or not row.optional) and _can_be_said(judge, _plan(rows))):
                said = table[-1]
            if good and said is table[-1]:
                break
            table.pop()
        else:
            if said is not None:
                table.append(said)
        broken = _broken(judge, _plan(rows))
    return _plan(rows)


def _plan(rows: Mapping[str, Sequence[Row]]) -> Plan:
    return Plan({name: tuple(found) for name, found in rows.items()})


def _can_be_said(judge: Judge, plan: Plan) -> bool:
    """The family's answers can say the plan."""
    try:
        judge.encode(plan)
    except InexpressiblePlanError:
        return False
    return True


def _broken(judge: Judge, plan: Plan) -> int:
    """The number of hard rules that a plan breaks."""
    statuses, _ = judge.compiled.judge_and_measure(plan)
    return sum(
        status is False and instance.constraint.hard
        for status, instance in zip(statuses, judge.ground.instances, strict=True)
    )


def _draw(row: GroundRow, index: int, chance: Chance) -> Row:
    return make_row(row.table, {name: _value(domain, chance) for name, domain in row.fields.items()}, index)


def _value(domain: FieldDomain, chance: Chance) -> Any:
    if domain.or_none and (not domain.open or chance.random() < 0.25):
        return None
    if domain.interval is not None:
        low, high, step = domain.interval
        return chance.randrange(low, high + 1, step)
    return chance.choice(domain.values) if domain.values else None


def written(judge: Judge, plan: Plan) -> Answer:
    """A plan as an answer in the family's format; as its tables where that format cannot say it."""
    try:
        said = judge.encode(plan)
    except InexpressiblePlanError:
        said = write_tables(judge.task, plan)
    made: Answer = json.loads(json.dumps(said, ensure_ascii=False, default=str))
    return made
