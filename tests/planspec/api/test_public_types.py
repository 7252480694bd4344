"""Results of public functions have public types and a repr of one line. Converted to strings, they are the
command's output.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, is_typeddict

import pytest

import planspec
from planspec.api.catalog import Catalog
from tests.planspec.api.cases.afternoon import text_with_cases
from tests.planspec.commands.test_command_line import run
from tests.planspec.scores import small

pytestmark = pytest.mark.slow

VERBS = [name for name in planspec.__all__ if inspect.isfunction(getattr(planspec, name))]
TYPES = sorted(
    name
    for name in planspec.__all__
    if inspect.isclass(kind := getattr(planspec, name)) and not (issubclass(kind, Exception) or is_typeddict(kind))
)
TASK = "berlin-001"
SMALL = "allotments"
"""A task for which it is quickly proved that it has one plan, also outside the scope."""
WIDEST = 200


def results_for_task() -> dict[str, Any]:
    """Return an object of each of most public types, by the type's name."""
    task = planspec.load(TASK)
    verdict = planspec.verify(task, task.reference)
    solution = planspec.solve(task)
    return {
        **{type(result).__name__: result for result in (getattr(planspec, verb)(task) for verb in STANDARD)},
        "Beyond": planspec.beyond(planspec.load(SMALL)),
        "Environment": planspec.environment(task),
        "Certificate": planspec.certify(task),
        "Conflict": planspec.why(task),
        "Difficulty": planspec.difficulty(task),
        "Finding": verdict.findings[0],
        "Judge": planspec.Judge(task),
        "Limits": planspec.Limits(),
        "Plan": solution.plan,
        "RayCluster": planspec.RayCluster(),
        "Repair": planspec.repair(task, {"task": TASK, "plan": task.reference}),
        "SampleScores": planspec.score_many(task, []),
        "Scores": planspec.score(task, []),
        "Solution": solution,
        "Task": task,
        "Tour": planspec.tour([[0, 1], [1, 0]]),
        "TurnOutcome": planspec.follow(TASK)[0],
        "Validation": planspec.validate(task),
        "Verdict": verdict,
    }


def empty_frames() -> planspec.Frames:
    """Return the frames of a run without attempts."""
    pandas = pytest.importorskip("pandas")
    return planspec.Frames(*(pandas.DataFrame() for _ in range(5)))


def rescoring_results(folder: Path) -> dict[str, Any]:
    """Return results of `rescore`, `role_rewards` and `plots`, and parts of them, by the type's name."""
    suite = small.write_suite(folder / "suite")
    run_folder = small.write_run(suite, folder / "run", {"a": [small.RIGHT]})
    task = suite / "a.task.yaml"
    task.write_text(task.read_text().replace("10:00", "09:00"))
    results = planspec.rescore(run_folder.path)
    moved = results.moved[0]
    rewards = planspec.role_rewards(run_folder.path)
    charts = planspec.plots(run_folder.path)
    return {
        "Plots": charts,
        "Plot": charts["pass_rate"],
        "Rescoring": results,
        "MovedVerdict": moved,
        "MovedConstraint": moved.because[0],
        "RoleRewards": rewards,
        "RoleReward": rewards.rewards[0],
        "RewardGroup": rewards.groups[0],
    }


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("tightened")
    task = planspec.load(TASK)
    wrong = folder / "wrong.task.yaml"
    wrong.write_text("planspec: task/1\nid: wrong\n")
    conflict = planspec.why("13")
    with_two = Catalog().task(TASK)
    return {
        **results_for_task(),
        "AuditOutput": (audited := planspec.audit(SMALL)),
        "TaskAudit": audited.tasks[0],
        "DraftOutput": planspec.draft("A request.", model="constant:text=none", budget=1),
        "DraftCheckOutput": planspec.check_text(TASK, model="constant:text=none", budget=1),
        "ParaphrasesOutput": planspec.paraphrase(TASK, model="constant:text=none", budget=1),
        "WrittenRequest": planspec.request("roster"),
        "SuiteComparison": (compared := planspec.compare(task, with_two)),
        "TaskComparison": compared.tasks[0],
        "CaseReport": (tested := planspec.test(planspec.loads(text_with_cases("reference: {passes: true}")))),
        "CaseResult": tested.cases[0],
        **rescoring_results(folder),
        "Diagnostic": planspec.check(wrong)[0],
        "Frames": empty_frames(),
        "Member": conflict.mus_sets[0][0],
        "Relaxation": conflict.relaxations[0],
        "Status": conflict.status,
        "Tightening": planspec.tighten(with_two, task.reference, folder / "new.task.yaml"),
    }


@pytest.mark.parametrize("verb", VERBS)
def test_a_public_function_returns_a_public_type(verb: str) -> None:
    returned = inspect.signature(getattr(planspec, verb)).return_annotation
    names = set(re.findall(r"[A-Za-z_]+", returned)) - set(dir(builtins)) - {"Any", "Iterator"}
    assert names <= set(planspec.__all__)


@pytest.mark.thorough
def test_every_public_type_has_a_repr_of_one_line(objects: dict[str, Any]) -> None:
    assert sorted(objects) == TYPES
    assert {name: type(it).__name__ for name, it in objects.items()} == {name: name for name in TYPES}
    shown = {name: repr(it) for name, it in objects.items()}
    assert {name: text for name, text in shown.items() if "\n" in text or len(text) > WIDEST} == {}


@pytest.mark.parametrize("answer", ["demo-pass", "demo-fail"])
def test_a_printed_verdict_equals_the_output_of_the_command(
    answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Catalog().suite_path("worldtravel").parent / "answers" / f"{answer}.json"
    _, out, _ = run(monkeypatch, capsys, "verify", str(file))
    match = re.search(r"(?:pass|fail)  (\S+):", out)
    assert match is not None
    assert out == f"{planspec.verify(match[1], file)}\n"


ERRAND = """\
planspec: task/1
id: errand
title: One errand
query: Fetch the parcel at 10:00 or 10:30.
types: {Errand: parcel | suit}
plan:
  stops: {errand: key Errand, start: time}
scope:
  stops:
    - {for: e in Errand, errand: e, start: 10:00..10:30 step 30min}
constraints:
  late:
    hard: stops[parcel].start >= 10:30
  early:
    hard: stops[suit].start < stops[parcel].start
"""
ANSWER = {"stops": [{"errand": "parcel", "start": "10:30"}, {"errand": "suit", "start": "10:00"}]}
ERRAND_WORDING = """\
planspec: wording/1
id: errand.en
language: en
task: errand
begin: Fetch the parcel at 10:00 or 10:30.
rules: {late: The parcel is not ready before 10:30., early: The suit comes first.}
"""
CALLS: dict[str, Callable[[Any], object]] = {  # `STANDARD` has the other functions
    "Judge": lambda task: planspec.Judge(task).answer(ANSWER).status,
    "beyond": lambda task: repr(planspec.beyond(task)),
    "certify": lambda task: planspec.certify(task).unique.status,
    "check": lambda task: list(map(repr, planspec.check(task))),
    "check_text": lambda task: planspec.check_text(task, model="constant:text=none", budget=1).status,
    "compare": lambda task: planspec.compare(task, "errand").same,
    "difficulty": lambda task: planspec.difficulty(task).solutions,
    "encode": lambda task: planspec.encode(task, planspec.solve(task).plan),  # type: ignore[arg-type]
    "environment": lambda task: planspec.environment(task).submit(ANSWER),
    "lint": lambda task: list(map(repr, planspec.lint(task))),
    "paraphrase": lambda task: planspec.paraphrase(task, model="constant:text=none", budget=1).status,
    "request": lambda task: planspec.request(task).query,
    "repair": lambda task: planspec.repair(task, ANSWER).edits,
    "score": lambda task: planspec.score(task, [{"task": "errand", "plan": ANSWER}]).metrics,
    "score_many": lambda task: planspec.score_many(task, [{"task": "errand", "plan": ANSWER}] * 2).metrics,
    "solve": lambda task: planspec.solve(task).answer,
    "test": lambda task: repr(planspec.test(task)),
    "validate": lambda task: planspec.validate(task).unique.status,
    "verify": lambda task: planspec.verify(task, ANSWER).status,
    "why": lambda task: planspec.why(task).status,
}
BY_NAME = {"audit", "environments_of", "follow", "load", "tighten"}
"""Functions that accept a path or an id, but no loaded task, because they read the task's file themselves."""


def first_parameter(verb: str) -> str:
    return next(iter(inspect.signature(getattr(planspec, verb)).parameters))


STANDARD = [
    verb
    for verb in VERBS
    if first_parameter(verb) not in ("text", "query", "matrix", "run", "runs", "document")
    and verb not in {*CALLS, *BY_NAME, "write_answers", "write_tasks"}
]
"""Functions on tasks that take only the task, and whose results for equal tasks are equal."""


@pytest.mark.parametrize("verb", [*CALLS, *STANDARD])
def test_a_function_takes_a_task_a_path_or_an_id(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("errand.task.yaml").write_text(ERRAND)
    Path("errand.en.wording.yaml").write_text(ERRAND_WORDING)
    forms = [planspec.load("errand"), "errand", "errand.task.yaml", Path("errand.task.yaml")]
    results = [CALLS.get(verb, getattr(planspec, verb))(form) for form in forms]
    assert results[1:] == results[:1] * 3
