"""Agents without a model: privileged agents, which get the task itself, as upper baselines; trivial ones as lower."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal, Protocol, TypeAlias

from planspec.agents.agent import GREEDY, Agent, Answer
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.optional import AgentInfo, FormerAttribute
from planspec.agents.view import TaskView
from planspec.api.judging import Judge
from planspec.dsl.model.environment import DeclaredSetting
from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import InexpressiblePlanError
from planspec.family.registry import families, family_of
from planspec.traces.record import Result, Trace
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.ground import FieldDomain, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan


class OpenedTask(Protocol):
    """A task as privileged agents get it, with the judges of its turns.

    Attributes:
        declared: the setting as declared in the task; None for a setting in a family's Python code.
        name: path or id with which the task was loaded.
        folder: folder of its suite.
        resolve: replaces references to tool calls in an answer by the calls' results; None if the family's answers have
            no such references.
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


class PrivilegedAgent:
    """Base class of agents that get the task itself, with its rules, in addition to their view of it."""

    info = AgentInfo(privileged=True)
    privileged = FormerAttribute()
    _opened: OpenedTask

    def privilege(self, opened: OpenedTask) -> None:
        """Store the task for `judge`."""
        self._opened = opened

    def judge(self, view: TaskView) -> Judge:
        """Return the judge of the current turn."""
        return self._opened.judges[view.turn]


class EmptyAgent:
    """Answers with an empty object."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return an empty object."""
        return {}


class LazyAgent:
    """Answers with a plan without rows, in the form that the schema of answers requires.

    Without a schema it answers with an empty object.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return an object with an empty list for each table, or an empty object for a table with one row."""
        schema: Mapping[str, Any] = view.schema or {}
        schema = schema.get("anyOf", [schema])[0]
        tables = schema.get("properties", {})
        return {name: [] if table.get("type") == "array" else {} for name, table in tables.items()}


class RefusingAgent:
    """Answers every task with a refusal: the claim that there is no plan."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return a refusal that names no rule."""
        return {REFUSAL: True}


class ConstantAgent:
    """Answers every task with the same text.

    Args:
        text: the answer; `@FILE` reads it from a file.
    """

    def __init__(self, text: str) -> None:
        self._text = read_text(text[1:], ANSWER_BYTES) if text.startswith("@") else text

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the text."""
        return self._text


class EchoAgent:
    """Answers with the text of its prompt: the query, the brief and the materials."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the prompt."""
        return "\n\n".join([view.query, view.brief, *view.materials.values()])


MAX_LOOKUP_S = 60.0
"""Time limit, in seconds, of the oracle's search for a minimum set of tool calls."""


class Oracle(PrivilegedAgent):
    """The solver: answers with the best plan of a back end, or with a refusal if the task is infeasible.

    Before it answers with a plan, it makes the minimum number of tool calls that reveal all facts on which the plan's
    verdict depends. Each call uses only values known from earlier results. The attempts can therefore serve as
    demonstrations.

    Args:
        backend: name of the solver back end, a key of `planspec.solvers.backends.register.BACKENDS`.
        seconds: time limit for each turn; None for half of the attempt's remaining time.
        calls: whether the agent calls tools to reveal facts. Calls whose results the answer needs are made in any case.
    """

    def __init__(self, backend: str = "cpsat", seconds: float | None = None, calls: bool = True) -> None:
        self._backend, self._seconds, self._calls = backend, seconds, calls

    def about(self) -> Mapping[str, Any]:
        """Return the name of the back end."""
        return {"backend": self._backend}

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the best plan, or a refusal if there is no plan."""
        from planspec.api.claim_outputs import opinions_in_words
        from planspec.api.oracles import Performance, best_plan, whole_answer
        from planspec.solvers.backends.outcome import Limits, Status

        judge = self.judge(view)
        limits = Limits(seconds=self._seconds or desk.left / 2, seed=view.seed)
        solution = best_plan(judge, name=self._opened.name, backend=self._backend, limits=limits)
        note = {
            "status": solution.status.value,
            "by": list(solution.by),
            "seconds": round(solution.seconds, 3),
        }
        desk.note("solver", note)
        if solution.plan is not None:
            if self._calls:
                self._reveal_facts(view, judge, solution.plan, desk)
            tools = frozenset(tool.name for tool in view.tools)
            performance = Performance(self._opened.name, judge, self._opened.folder, tools, desk.call)
            whole: Answer = whole_answer(encode_plan(judge, solution.plan), performance)
            return whole
        if solution.status is Status.INFEASIBLE:
            return {REFUSAL: True}
        if solution.disagreement:
            raise AttemptFailedError("adapter", opinions_in_words(solution.disagreement))
        raise AttemptFailedError("timeout", f"the solver found no plan in {limits.seconds:g} s")

    def _reveal_facts(self, view: TaskView, judge: Judge, plan: Plan, desk: Desk) -> None:
        """Call the tools that reveal the facts on which a plan's verdict depends, if the task has tools.

        Calls made earlier in the attempt are not repeated.
        """
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions.budget import TimeBudget
        from planspec.solvers.questions.least_calls import revealing_calls

        setting = self._opened.declared
        if setting is None or not len(view.tools):
            return
        clock = TimeBudget(Limits(seconds=min(MAX_LOOKUP_S, desk.left / 2)))
        calls = revealing_calls(judge.task, setting, plan, clock)
        if calls is None:
            desk.note("calls", f"no informative calls were found in {MAX_LOOKUP_S:g} s")
            return
        previous = [(call.name, call.arguments, call.result) for call in desk.calls]
        for name, text in calls:
            arguments = json.loads(text)
            result = Result(value=view.tools.call(name, arguments))
            if (name, arguments, result) not in previous:
                desk.call(name, arguments)


Strategy: TypeAlias = Literal["earliest", "nearest", "cheapest", "in-order"]


def greedy(strategy: Strategy | None = None, seconds: float = 60.0) -> Agent:
    """Takes the best option at each step, without backtracking.

    Without a strategy, the agent is the greedy planner of the task's family. It reads the request and calls the
    setting's tools, like any other agent. With a strategy, the agent gets the task itself and fixes the plan's rows one
    by one.

    Args:
        strategy: order in which it prefers values for the cells of a row.
        seconds: time limit for all rows.
    """
    return GreedyPlanner() if strategy is None else GreedySearch(strategy, seconds)


class GreedyPlanner:
    """Agent that answers with the greedy planner of the task's family. It does not get the task itself."""

    families = FormerAttribute()
    siteless = FormerAttribute()
    sightless = FormerAttribute()

    @property
    def info(self) -> AgentInfo:
        """Requirements of the agent: it answers only tasks of families that have a greedy planner."""
        return AgentInfo(
            families=frozenset(family.name for family in families() if GREEDY.is_in(family)),
            siteless="it calls tools, and a site has none",
            sightless="it reads tool results as text",
        )

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the planner's answer."""
        planner = GREEDY.of(family_of(view.family))
        if planner is None:
            raise AttemptFailedError(
                "adapter",
                "no planner looks things up for this task; `greedy:strategy=in-order` knows the task itself",
            )
        return planner(view, desk)


class GreedySearch(PrivilegedAgent):
    """Fixes the plan's rows one by one with one strategy. If stuck, it answers with the rows fixed so far."""

    def __init__(self, strategy: Strategy, seconds: float) -> None:
        self._strategy, self._seconds = strategy, seconds

    def about(self) -> Mapping[str, Any]:
        """Return the strategy."""
        return {"strategy": self._strategy}

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the plan with the rows fixed so far."""
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
            raise AttemptFailedError("adapter", f"the strategy `{self._strategy}` settled nothing: no row fits alone")
        return encode_plan(judge, runs[0].plan)


TRIES = 8
"""Maximum number of random draws for one row."""


class RandomAgent(PrivilegedAgent):
    """Answers with a random plan: rows of the task's scope, with random values from their domains.

    A row is redrawn, up to 8 times, until it adds no violation of a hard constraint. If all draws do, an optional row
    is left out, and a required row keeps the last draw. Rows that the family's answer format cannot express are left
    out. Equal seeds give equal plans.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return a random plan."""
        return random_answer(self.judge(view), view.seed, view.turn)


def random_answer(judge: Judge, seed: int, turn: int) -> Answer:
    """Return the answer of the agent `random` to a turn, counted from 0."""
    name = judge.task.id.partition("@")[0]
    return encode_plan(judge, draw_plan(judge, Random(f"{seed} {name} {turn} {turn}")))


def draw_plan(judge: Judge, random: Random) -> Plan:
    """Draw a plan from a task's scope."""
    ground = judge.ground
    rows: dict[str, list[Row]] = {table.name: [] for table in judge.task.plan_tables}
    offered = [row for table in ground.rows.values() for row in table]
    offered.sort(key=lambda row: not row.table.one)  # single-row tables first: most formats need them
    violations = _count_violations(judge, _plan_of(rows))
    for row in offered:
        if row.optional and random.random() < 0.5:
            continue
        table = rows[row.table.name]
        accepted: Row | None = None
        for _ in range(TRIES):
            table.append(_draw_row(row, len(table), random))
            count = _count_violations(judge, _plan_of(rows))
            good = count <= violations
            if row.table.one or ((good or not row.optional) and _is_expressible(judge, _plan_of(rows))):
                accepted = table[-1]
            if good and accepted is table[-1]:
                break
            table.pop()
        else:
            if accepted is not None:
                table.append(accepted)
        violations = _count_violations(judge, _plan_of(rows))
    return _plan_of(rows)


def _plan_of(rows: Mapping[str, Sequence[Row]]) -> Plan:
    return Plan({name: tuple(drawn) for name, drawn in rows.items()})


def _is_expressible(judge: Judge, plan: Plan) -> bool:
    """Return whether the family's answer format can express a plan."""
    try:
        judge.encode(plan)
    except InexpressiblePlanError:
        return False
    return True


def _count_violations(judge: Judge, plan: Plan) -> int:
    """Return the number of hard constraint instances that a plan violates."""
    statuses, _ = judge.compiled.judge_and_measure(plan)
    return sum(
        status is False and instance.constraint.hard
        for status, instance in zip(statuses, judge.ground.instances, strict=True)
    )


def _draw_row(row: GroundRow, index: int, random: Random) -> Row:
    return make_row(row.table, {name: _draw_value(domain, random) for name, domain in row.fields.items()}, index)


def _draw_value(domain: FieldDomain, random: Random) -> Any:
    if domain.or_none and (not domain.open or random.random() < 0.25):
        return None
    if domain.interval is not None:
        low, high, step = domain.interval
        return random.randrange(low, high + 1, step)
    return random.choice(domain.values) if domain.values else None


def encode_plan(judge: Judge, plan: Plan) -> Answer:
    """Encode a plan as an answer: in the family's format, or as tables if the format cannot express it."""
    try:
        answer = judge.encode(plan)
    except InexpressiblePlanError:
        answer = write_tables(judge.task, plan)
    plain: Answer = json.loads(json.dumps(answer, ensure_ascii=False, default=str))
    return plain
