"""Runs that are exported for public toolkits have the same verdicts when they are read again and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.judging import Judge
from planspec.exports.submissions import NoSubmissionError, export_submission
from planspec.families.mobilitybench.submission import SUBMISSION as MOBILITYBENCH
from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from planspec.families.travelplanner.submission import SUBMISSION as TRAVELPLANNER
from planspec.runs.folder import RunFolder
from planspec.runs.record import Attempt, Failure, Run, RunLimits, Turn
from planspec.traces.record import Call, Message, Result, Stage, Tokens, Trace
from planspec.verifiers.answers.format import TABLES, plain_json

pytestmark = pytest.mark.slow

TASKS = ("1", "2", "3", "13", "14")


def right_answer(task: str) -> Any:
    """Return an answer to a task, found by a solver."""
    plan = planspec.solve(task).plan
    assert plan is not None
    return planspec.encode(task, plan)


def run_of(folder: Path, family: str, suite: str, attempts: dict[str, tuple[Any, Trace]], **header: Any) -> Path:
    """Return a run whose attempts have the given answers."""
    folder_ = RunFolder(folder)
    defaults = {
        "suite": suite,
        "suite_path": suite,
        "suite_sha256": "0" * 64,
        "family": family,
        "agent": "test",
        "setting": "any",
        "limits": RunLimits(seconds=1),
        "tasks": tuple(attempts),
        "versions": {},
        "started": "2026-01-01T00:00:00Z",
    }
    folder_.create(Run(**{**defaults, **header}))
    with folder_.writing() as writing:
        for task, (answer, trace) in attempts.items():
            failure = Failure(boundary="adapter", message="nothing") if answer is None else None
            writing.add(
                Attempt(
                    task=task,
                    repeat=0,
                    seed=0,
                    turns=(Turn(answer=answer, failure=failure),),
                    failure=failure,
                    verdict={"status": planspec.verify(task, "" if answer is None else answer).status},
                    trace=trace,
                    started="2026-01-01T00:00:00Z",
                    seconds=1.0,
                )
            )
    return folder


@pytest.mark.parametrize("profile", ["strict", "official"])
def test_exported_lines_for_travelplanner_get_the_verdicts_of_the_original_answers(
    tmp_path: Path, profile: Any
) -> None:
    plan = right_answer("1")
    answers: dict[str, Any] = {
        "1": plan,
        "2": f"Here is the plan:\n```json\n{json.dumps({'plan': right_answer('2')}, ensure_ascii=False)}\n```",
        "3": [*plan[:2], {"days": 3, "current_city": 7}],
        "13": "I cannot plan this.",
        "14": None,
    }
    run = run_of(
        tmp_path / "run",
        "travelplanner",
        "travelplanner-small",
        {task: (answer, Trace(task=task)) for task, answer in answers.items()},
    )
    export = export_submission(run, tmp_path / "plans.jsonl")
    assert (export.records, export.missing) == (5, ())
    lines = [json.loads(line) for line in (tmp_path / "plans.jsonl").read_text("utf-8").splitlines()]
    assert [line["idx"] for line in lines] == [1, 2, 3, 13, 14]  # whole numbers, in the order of the queries
    assert all(set(line) == {"idx", "query", "plan"} for line in lines)
    assert lines[0] == {"idx": 1, "query": planspec.load("1").query, "plan": plan}
    assert lines[2]["plan"] == answers["3"]  # the plan is exported with its faults
    assert [line["plan"] for line in lines[3:]] == [None, None]
    before = {
        task: planspec.verify(task, "" if answer is None else answer, profile=profile)
        for task, answer in answers.items()
    }
    scores = planspec.score("travelplanner-small", tmp_path / "plans.jsonl", profile=profile)
    after = {verdict.task: verdict for verdict in scores.verdicts}
    for task, verdict in before.items():
        assert (after[task].status, after[task].hard, after[task].soft) == (
            verdict.status,
            verdict.hard,
            verdict.soft,
        )
    assert {verdict.status for verdict in before.values()} == {"pass", "fail", "undelivered"}


def test_a_plan_in_tables_becomes_days() -> None:
    judge = Judge(planspec.load("1"))
    solved = planspec.solve("1").plan
    assert solved is not None
    tables = plain_json(TABLES.encode(judge.task, solved))
    assert {"days", "meals"} <= set(tables)
    record = TRAVELPLANNER.record(judge, tables, None)["plan"]
    assert [day["days"] for day in record] == [1, 2, 3]
    assert planspec.verify("1", record).status == planspec.verify("1", tables).status == "pass"


def test_mobilitybenchs_records_are_read_back_unchanged(tmp_path: Path) -> None:
    result = Result(value={"result": {"pois": []}, "match": {"kind": "exact"}})
    trace = Trace(
        task="mb-000001",
        agent="test",
        answer="later",
        elapsed_ms=1500,
        messages=(Message(role="user", text="Where?", stage=0),),
        stages=(
            Stage(name="planner", intent="路线规划", thinking="far", steps=(("find",), ("go", "stay"))),
            Stage(name="worker", id="first", text="found"),
            Stage(name="reporter", text="later"),
        ),
        calls=(
            Call(id="twice", name="poi_query", arguments={"keywords": "x"}, result=result, stage=1),
            Call(id="twice", name="driving_planning", arguments={"origin": "1,2"}, stage=1),
        ),
        tokens=(Tokens(stage="planner", input=5, output=3, total=8), Tokens(stage="worker", input=7, output=1)),
    )
    text = json.dumps(right_answer("mb-000001"), ensure_ascii=False)
    plain = Trace(task="mb-000002", calls=(Call(name="poi_query", arguments={}),), tokens=(Tokens(input=2, output=1),))
    run = run_of(
        tmp_path / "run",
        "mobilitybench",
        "mobilitybench",
        {
            "mb-000001": (text, trace),
            "mb-000002": (right_answer("mb-000002"), plain),
        },
        tasks=("mb-000001", "mb-000002", "mb-000003"),
    )
    export = export_submission(run, tmp_path / "raw_results.json")
    assert (export.records, export.missing) == (3, ("mb-000003",))
    records = json.loads((tmp_path / "raw_results.json").read_text("utf-8"))
    assert [record["case_id"] for record in records] == ["mb-000001", "mb-000002", "mb-000003"]
    one, two, three = map(trace_of_mobilitybench, records)
    assert [(call.name, call.arguments, call.result) for call in one.calls] == [
        (call.name, call.arguments, call.result) for call in trace.calls
    ]
    planner = one.stage("planner")
    assert planner is not None
    assert (planner.intent, planner.thinking, planner.steps) == ("路线规划", "far", trace.stages[0].steps)
    assert (one.answer, one.elapsed_ms, one.tokens) == (text, 1500, trace.tokens)
    assert two.stage("planner") is None and [call.name for call in two.calls] == ["poi_query"]
    assert three.answer is None and three.error is not None
    assert planspec.verify("mb-000002", str(two.answer)).status == "pass"


def test_a_record_that_was_read_and_written_is_unchanged() -> None:
    worker = {
        "task_id": "t",
        "system": "s",
        "human": "h",
        "tools": [],
        "ai_response": "done",
        "tool_calls": [{"id": "call_0", "name": "query_poi", "args": {"keywords": "x"}}],
        "tool_results": {"call_0": {"status": 0, "data": [], "error": None}},
    }
    record = {
        "case_id": "mb-000001",
        "model_name": "m",
        "worker_output": [worker],
        "reporter_output": "There.",
        "planner_output": {"system": "p", "human": "q", "steps": [["a"], ["b"]], "thinking": "t", "intent": "i"},
        "token_usage": {"planner": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
        "execution_time": 2.5,
        "error": None,
    }
    from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench

    trace = trace_of_mobilitybench(record)
    assert MOBILITYBENCH.record(Judge(planspec.load("mb-000001")), trace.answer, trace) == record


def test_a_run_without_a_toolkit_is_refused(tmp_path: Path) -> None:
    other = run_of(tmp_path / "other", "worldtravel", "worldtravel-berlin", {})
    with pytest.raises(NoSubmissionError, match="no public toolkit takes runs of the family `worldtravel`"):
        export_submission(other, tmp_path / "out")
    run = run_of(tmp_path / "run", "travelplanner", "travelplanner-small", {"1": ([], Trace(task="1"))})
    with pytest.raises(NoSubmissionError, match="the repeats 0 to 0, not 1"):
        export_submission(run, tmp_path / "out", repeat=1)
    with pytest.raises(NoSubmissionError, match="has no task `1` any more"):
        export_submission(run, tmp_path / "out", suite="worldtravel-berlin")
    assert not (tmp_path / "out").exists()
