"""The compiled verifier agrees with the interpreter on plans of every kind."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.documents.documents import task_from_path, task_from_text
from planspec.dsl.model.task import Task
from planspec.verifiers.compiled.compile import Compiled, compile_task
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan
from tests.scalar_builtins import SCALAR_BUILTINS
from tests.verifiers.random_plans import random_plan
from tests.verifiers.rich_task import CONDITIONS, HEAD, rich_task
from tests.verifiers.small_tasks import plan_of, small_task, visit

HOLES = (0.0, 0.15, 0.5)


@pytest.fixture(scope="module")
def rich() -> tuple[Task, Compiled]:
    """Return a task that uses every construct of the language, and its compiled verifier."""
    task = rich_task()
    return task, compile_task(ground(task))


def verdicts_by_interpreter(compiled: Compiled, plan: Plan) -> list[tuple[str, bool | None]]:
    """Return the status of each instance on a plan, by the interpreter."""
    interpreter = Interpreter(compiled.ground.task, plan)
    return [
        (each.id, interpreter.holds(each.constraint.body, each.env) if each.applicable else None)
        for each in compiled.ground.instances
    ]


def verdicts_by_code(compiled: Compiled, plan: Plan) -> list[tuple[str, bool | None]]:
    """Return the status of each instance on a plan, by compiled code."""
    verdicts = compiled.judge(plan)
    return [(each.id, verdict) for each, verdict in zip(compiled.ground.instances, verdicts, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("holes", HOLES)
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_equal_those_of_the_interpreter(rich: tuple[Task, Compiled], holes: float, seed: int) -> None:
    task, compiled = rich
    random = Random(f"{holes} {seed}")
    for _ in range(8):
        plan = random_plan(task, random, holes=holes)
        assert verdicts_by_code(compiled, plan) == verdicts_by_interpreter(compiled, plan)


@pytest.mark.parametrize("holes", HOLES)
def test_measures_equal_those_of_the_interpreter(rich: tuple[Task, Compiled], holes: float) -> None:
    task, compiled = rich
    random = Random(str(holes))
    for _ in range(60):
        plan = random_plan(task, random, holes=holes)
        interpreter = Interpreter(task, plan)
        expected = {name: interpreter.defined(task.definitions[name]) for name in task.measures}
        assert compiled.values(plan) == expected


def test_compiled_builtins_have_the_values_worked_out_by_hand() -> None:
    examples = [example for row in SCALAR_BUILTINS.values() for example in row.values]
    define = "".join(f"  value_{at}: >-\n    {expression}\n" for at, (expression, _, _) in enumerate(examples))
    measures = ", ".join(f"value_{at}" for at in range(len(examples)))
    task = small_task(f"define:\n{define}measures: [{measures}]\n")
    plan = plan_of(task, visits=[visit("park", "09:00")])
    expected = {f"value_{at}": value for at, (_, _, value) in enumerate(examples)}
    assert compile_task(ground(task)).values(plan) == expected


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "limits",
    [
        pytest.param({"call.MAX_INLINED_NODES": 0}, id="every-call-is-a-function"),
        pytest.param({"call.MIN_CACHED_NODES": 10**9}, id="nothing-is-remembered"),
        pytest.param({"call.MAX_INLINED_NODES": 0, "call.MIN_CACHED_NODES": 10**9}, id="even-static-calls"),
        pytest.param({"loop.CLAUSE_LIMIT": 2, "aggregate.CLAUSE_LIMIT": 2}, id="loops-apart"),
        pytest.param({"loop.CLAUSE_LIMIT": 1, "aggregate.CLAUSE_LIMIT": 1}, id="some-interpreted"),
        pytest.param({"compile.SPLITS": 0}, id="instances-are-not-told-apart"),
        pytest.param({"loop.FILTER_LIMIT": 0}, id="nothing-is-filtered-before"),
        pytest.param({"runtime.MEMO_LIMIT": 1}, id="memos-forget"),
    ],
)
def test_limits_on_code_do_not_change_verdicts(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(f"planspec.verifiers.compiled.{name}", limit)
    task = rich_task()
    compiled = compile_task(ground(task))
    random = Random(str(limits))
    for holes in HOLES:
        for _ in range(6):
            plan = random_plan(task, random, holes=holes)
            assert verdicts_by_code(compiled, plan) == verdicts_by_interpreter(compiled, plan)


def test_most_rules_hold_on_some_random_plans_and_fail_on_others(rich: tuple[Task, Compiled]) -> None:
    task, compiled = rich
    random = Random(5)
    seen: dict[str, set[bool | None]] = {}
    for _ in range(250):
        for name, verdict in verdicts_by_code(
            compiled, random_plan(task, random, holes=random.choice(HOLES), max_rows=3)
        ):
            seen.setdefault(name, set()).add(verdict)
    assert sum(len(verdicts) == 2 for verdicts in seen.values()) > 0.8 * len(seen)


@pytest.mark.slow
def test_a_judged_plan_does_not_affect_later_verdicts(rich: tuple[Task, Compiled]) -> None:
    task, compiled = rich
    random = Random(6)
    plans = [random_plan(task, random, holes=0.2) for _ in range(20)]
    first = [compiled.judge(plan) for plan in plans]
    assert [compiled.judge(plan) for plan in reversed(plans)] == first[::-1]
    assert all(not plan.memo for plan in plans)


def compile_rules(rules: str) -> Compiled:
    """Return the compiled verifier of a task with these constraints."""
    return compile_task(ground(task_from_text(HEAD + "constraints:\n" + rules)))


def nested_quantifiers(levels: int) -> str:
    """Return a condition with this number of nested quantifiers, each over the visits."""
    names = [f"v{level}" for level in range(levels)]
    body = f"{names[0]}.start <= {names[-1]}.end"
    for level in reversed(range(levels)):
        body = f"{'any' if level % 2 else 'all'}({body} for {names[level]} in visits)"
    return body


@pytest.mark.parametrize(
    "condition",
    [
        nested_quantifiers(18),
        nested_quantifiers(40),
        "any(v0.start <= v19.end " + " ".join(f"for v{at} in visits" for at in range(20)) + ")",
        "not " * 60 + "any(v.fun for v in visits)",
        " implies ".join(["(count(v for v in visits) > 1 or any(v.fun for v in visits))"] * 40),
        " + ".join(f"count(v for v in visits if v.cost != {at} EUR)" for at in range(90)) + " > 89",
        " or ".join(f"count(v for v in visits if v.cost == {at} EUR) > 1" for at in range(150)),
        "(" * 40 + "count(v for v in visits)" + " + 1)" * 40 + " == 41",
    ],
    ids=[
        "18-loops",
        "40-loops",
        "20-clauses",
        "60-nots",
        "40-implications",
        "90-terms",
        "150-operands",
        "40-parentheses",
    ],
)
def test_deep_and_long_expressions_are_judged(condition: str) -> None:
    compiled = compile_rules(f"  deep:\n    hard: >-\n      {condition}\n")
    random = Random(condition)
    for holes in (0.0, 0.3):
        for _ in range(4):
            plan = random_plan(compiled.ground.task, random, holes=holes, max_rows=1)
            assert verdicts_by_code(compiled, plan) == verdicts_by_interpreter(compiled, plan)


def test_a_static_rule_has_the_right_verdict() -> None:
    compiled = compile_rules(
        "  yes:\n    hard: party > 2\n  no:\n    when: party > 2\n    hard: party < 2\n  not-here:\n    when: party < 2\n    hard: party < 2\n"
    )
    assert compiled.judge(Plan({})) == (True, False, None)


def test_a_plan_without_a_table_has_no_rows_in_it() -> None:
    compiled = compile_rules(
        "  some:\n    hard: any(v.fun for v in visits)\n  every:\n    hard: all(v.fun for v in visits)\n"
    )
    assert compiled.judge(Plan({})) == (False, True)


LIBRARY = """\
planspec: library/1
id: routes
types: {Vehicle: drive | walk | bus}
tables:
  Stop: {zone: int?}
  Road: {tolled: bool = false}
given:
  origin: Stop
  via: list of Stop = {}
  avoid: set of Road = {}
  use: Road?
  budget: money?
  most: int?
  early: bool = false
plan:
  answer: {one: true, depart: time?}
  pieces: {n: key int, vehicle: Vehicle, road: Road?, at: Stop?, time: duration, tolls: money}
define:
  rides: count(s for s in pieces if s.vehicle == bus)
  passes(p Stop): min(s.n for s in pieces if s.at == p)
  dear(limit money?): limit is none or sum(s.tolls for s in pieces) <= limit
  zone(p Stop?): p.zone ?? 0
"""

TASK = """\
planspec: task/1
id: route
uses: [routes.library.yaml]
query: from a to c
currency: EUR
tables:
  Stop:
    rows: [{id: a, zone: 1}, {id: b}, {id: c, zone: 2}]
  Road:
    rows: [{id: north}, {id: south, tolled: true}]
given:
  origin: a
  via: [c, a, b]
constraints:
  starts:
    hard: first(s for s in pieces, by=s.n).at == origin
  via-in-order:
    for: a, b in steps(p for p in via)
    hard: any(s.at == a and t.at == b and s.n < t.n for s in pieces for t in pieces) and passes(a) < passes(b)
  avoid:
    for: r in avoid
    hard: all(s.road != r for s in pieces if s.road is not none)
  use:
    when: use is not none
    hard: any(s.road == use for s in pieces)
  use-or-not:
    hard: all(s.road != use for s in pieces)
  cheap:
    hard: dear(budget) and dear(none) and sum(s.tolls for s in pieces) <= budget
  changes:
    hard: max(0, rides - 1) <= most
  early:
    hard: early implies answer.depart < 09:00
  zones:
    hard: all(zone(s.at) <= zone(origin) for s in pieces)
  no-tolls:
    hard: all(not s.road.tolled for s in pieces)
"""


@pytest.mark.parametrize("given", ["  avoid: [north]", "  use: south\n  budget: 3 EUR\n  most: 1\n  early: true"])
def test_givens_may_be_none(tmp_path: Path, given: str) -> None:
    (tmp_path / "routes.library.yaml").write_text(LIBRARY)
    (tmp_path / "route.task.yaml").write_text(TASK.replace("given:\n", f"given:\n{given}\n"))
    compiled = compile_task(ground(task_from_path(tmp_path / "route.task.yaml")))
    random = Random(given)
    for _ in range(60):
        plan = random_plan(compiled.ground.task, random, holes=random.choice(HOLES))
        assert verdicts_by_code(compiled, plan) == verdicts_by_interpreter(compiled, plan)


def test_every_builtin_is_among_the_conditions_or_the_examples() -> None:
    text = " ".join(CONDITIONS)
    assert [name for name in BUILTINS if name not in SCALAR_BUILTINS and f"{name}(" not in text] == []
