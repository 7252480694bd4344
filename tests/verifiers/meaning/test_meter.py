"""An evaluation with too many steps ends with a diagnostic or a finding. Faster verifiers can judge larger plans."""

from __future__ import annotations

from typing import Any

import pytest

from planspec import Judge
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Severity
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.meter import Meter, StepLimitError

HEAD = "planspec: task/1\nid: t\nquery: q\nplan: {v: {id: key int, a: int}}\n"
SCOPE = "scope: {v: [{id: 1, a: 1..5}]}\n"


def task(rule: str, *, scope: str = SCOPE, define: str = "") -> Task:
    """Return a task with this rule."""
    return task_from_text(f"{HEAD}{scope}{define}constraints:\n  c:\n    hard: >-\n      {rule}\n")


def only_error(task_: Task) -> tuple[str, str]:
    """Return code and underlined text of the only error of grounding a task."""
    with pytest.raises(DiagnosticError) as caught:
        ground(task_)
    (error,) = (each for each in caught.value.diagnostics if each.severity is Severity.ERROR)
    return error.code, error.span.text


def rows(count: int, a: int = 1) -> dict[str, Any]:
    """Return a plan with this number of rows."""
    return {"v": [{"id": n, "a": a} for n in range(count)]}


def shape_kinds(verdict: Any) -> list[str]:
    """Return the kinds of the findings on the shape of a plan."""
    return [finding.kind for finding in verdict.findings if finding.level == "shape"]


def chain_of_functions(length: int, step: str) -> str:
    """Return definitions of functions, each of which uses the previous one."""
    lines = ["define:", "  f0(x int): x"]
    lines += [f"  f{n}(x int): {step.format(f=f'f{n - 1}')}" for n in range(1, length)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("rule", "blamed"),
    [
        ("count(i for i in 0..1000000000) > 0", "count(i for i in 0..1000000000)"),
        ("all(sum(i for i in 1..100000000) > x.a for x in v)", "sum(i for i in 1..100000000)"),
        ("all(x.a in (i * 2 for i in 1..100000000) for x in v)", "i * 2 for i in 1..100000000"),
        (
            "all(sum(sum(i + j for j in 1..9000) for i in 1..9000) > x.a for x in v)",
            "sum(sum(i + j for j in 1..9000) for i in 1..9000)",
        ),
        (
            "all(count(i for i in 1..100 for j in 1..100 for k in 1..100 for l in 1..100) > x.a for x in v)",
            "count(i for i in 1..100 for j in 1..100 for k in 1..100 for l in 1..100)",
        ),
    ],
)
def test_an_expression_that_no_evaluation_could_finish_is_rejected(rule: str, blamed: str) -> None:
    assert only_error(task(rule)) == ("PS415", blamed)


def test_a_static_expression_is_limited_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec.verifiers.meaning.interpret.STATIC_STEPS", 1_000)
    assert only_error(task("all(i > 0 for i in 1..100000)")) == ("PS415", "i > 0")
    monkeypatch.setattr("planspec.verifiers.meaning.interpret.STATIC_STEPS", 1_000_000)
    assert ground(task("all(i > 0 for i in 1..1000)")).instances


def test_a_product_with_too_many_factors_is_rejected() -> None:
    define = chain_of_functions(30, "{f}(x * x)")
    assert only_error(task("all(f29(x.a) > 1 for x in v)", define=define)) == ("PS402", "f6(x * x)")
    assert ground(task("all(f5(x.a) > 1 for x in v)", define=define)).instances


def test_the_number_of_instances_of_scopes_and_constraints_is_limited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("planspec.verifiers.meaning.ground.SCOPE_ROWS", 3)
    monkeypatch.setattr("planspec.verifiers.meaning.ground.INSTANCES", 3)
    assert ground(task("true", scope="scope: {v: [{for: i in 1..3, id: i, a: 1}]}\n")).rows
    assert only_error(task("true", scope="scope: {v: [{for: i in 0..100000000, id: i, a: 1}]}\n")) == (
        "PS416",
        "0..100000000",
    )
    task_ = task_from_text(
        f"{HEAD}{SCOPE}constraints: {{c: {{for: i in 1..10000000, hard: any(x.a == i for x in v)}}}}\n"
    )
    assert only_error(task_) == ("PS416", "1..10000000")


@pytest.mark.slow
def test_functions_that_call_the_previous_one_twice_are_judged() -> None:
    task_ = task("all(f13(x.a) == 8192 for x in v)", define=chain_of_functions(14, "{f}(x) + {f}(x)"))
    judge = Judge(task_)
    assert [judge.answer(rows(1)).status for _ in range(2)] == ["pass", "pass"]
    assert judge.answer(rows(1, a=2)).status == "fail"


@pytest.mark.slow
def test_nested_sums_are_judged_if_the_inner_one_does_not_change() -> None:
    task_ = task("all(f11(x.a) > 1 for x in v)", define=chain_of_functions(12, "sum({f}(x) for y in 1..10)"))
    assert Judge(task_).answer(rows(1)).status == "pass"


@pytest.mark.parametrize(
    "rule",
    [
        "all(x.a + y.a > 0 for x in v for y in v)",
        "all(x.a == y.a for x, y in steps(u for u in v, by=u.a))",
        "count(true for x in v for y in v if x.id < y.id) >= 0",
        "(x.a for x in v for y in v) == {1}",
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["interpreted", "compiled"])
def test_a_plan_that_takes_too_many_steps_satisfies_no_rules(
    rule: str, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planspec.verifiers.meaning.judge.INTERPRETING_STEPS", 2_000)
    monkeypatch.setattr("planspec.verifiers.compiled.frame.JUDGING_STEPS", 10_000)
    judge = Judge(task(rule))
    if not first:
        assert judge.answer(rows(2)).status == "pass"
    verdict = judge.answer(rows(120, a=10_000))
    assert (verdict.status, shape_kinds(verdict)) == ("fail", ["not-judged"])
    assert verdict.hard.satisfied == 0
    assert "takes more than 10,000 steps on this plan" in verdict.findings[-1].message
    assert judge.answer(rows(2)).status == "pass"


@pytest.mark.slow
def test_a_plan_with_many_ties_is_judged_without_storing_its_pairs() -> None:
    judge = Judge(task("all(x.a == y.a for x, y in steps(u for u in v, by=u.a))"))
    assert judge.answer(rows(700)).status == "pass"
    verdict = judge.answer(rows(5_000))
    assert (verdict.status, shape_kinds(verdict)) == ("fail", ["not-judged"])


def test_a_rule_that_takes_long_to_explain_is_judged_without_an_explanation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task_ = task("all(x.a + y.a > 2 for x in v for y in v)")
    for steps, explanation in ((5_000_000, ": 2 against 2"), (100, ", and takes too many steps to explain")):
        for module in ("meaning.explain", "compiled.expressions"):
            monkeypatch.setattr(f"planspec.verifiers.{module}.EXPLAINING_STEPS", steps)
        judge = Judge(task_)
        for _ in range(3):
            (finding,) = judge.answer(rows(50)).findings
            assert (finding.status, explanation in finding.message) == ("violated", True)
            assert (finding.margin is None) == (steps == 100)


def test_an_exceeded_step_limit_names_the_expression() -> None:
    meter = Meter(10)
    span = task("true").constraints[0].span
    meter.spend(10, span)
    with pytest.raises(StepLimitError) as caught:
        meter.spend(1, span)
    assert (caught.value.span, caught.value.most, caught.value.static) == (span, 10, False)


def judge_of_closed_task(count: int, columns: str, fields: str) -> Judge:
    """Return a judge of a task whose plans must use rows of the scope (`closed`), with this number of rows."""
    scope = f"scope: {{v: [{{for: i in 1..{count}, {fields}}}]}}\nclosed: true\n"
    head = f"planspec: task/1\nid: t\nquery: q\nplan: {{v: {{{columns}}}}}\n"
    return Judge(task_from_text(f"{head}{scope}constraints: {{c: {{hard: all(x.a < 9 for x in v)}}}}\n"))


@pytest.mark.slow
def test_rows_are_found_in_a_large_scope_by_their_keys() -> None:
    judge = judge_of_closed_task(5_000, "id: key int, a: int", "id: i, a: 0..5")
    right = [{"id": n, "a": 1} for n in range(1, 5_001)]
    verdict = judge.answer({"v": right})
    assert (verdict.status, verdict.in_scope) == ("pass", True)
    verdict = judge.answer({"v": right[:2_000]})
    assert (verdict.status, verdict.in_scope) == ("fail", False)
    assert shape_kinds(verdict) == ["closed"] * 1_000 + ["more"]
    assert verdict.findings[1_000].message == "2,000 more findings are left out"


def test_assigning_rows_to_a_large_scope_is_limited_in_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge = judge_of_closed_task(60, "a: int, b: int", "a: 0..5, b: 0..5")
    assert judge.answer({"v": [{"a": 1, "b": 2}] * 60}).status == "pass"
    monkeypatch.setattr("planspec.verifiers.meaning.judge.JUDGING_STEPS", 1_000)
    verdict = judge.answer({"v": [{"a": 1, "b": 2}] * 60})
    assert (verdict.status, shape_kinds(verdict)) == ("fail", ["not-judged"])


def test_a_witness_that_takes_the_interpreter_too_long_is_judged_by_compiled_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("planspec.solvers.questions.witness.STEPS", 100)
    task_ground = ground(task("all(sum(1 for i in 1..20 for j in 1..20 if i + j > x.a) > 398 for x in v)"))
    solution = solve(task_ground)
    assert solution.plan is not None
    row: Any = solution.plan.tables["v"][0]
    assert row.a <= 2
