"""Rows of suites and runs are the same in JSON lines, Parquet and data frames."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AgentSpec, Limits, agent
from planspec.environments import open_task
from planspec.exports.row_files import write_rows
from planspec.exports.rows import (
    RUN_TABLES,
    AttemptRow,
    CallRow,
    FindingRow,
    GenerationRow,
    MessageRow,
    TaskRow,
    run_rows,
    task_rows,
)
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.traces import Generation
from tests.planspec.commands.test_command_line import run as command
from tests.planspec.environments.talk import TALK

PLAN = {"answer": {"n": 20}}


def empty_run(suite: Path, out: Path, repeats: int = 1) -> RunFolder:
    """Return a run without attempts."""
    folder = RunFolder(out)
    begin(RunOptions(str(suite), AgentSpec.read("empty"), repeats=repeats), folder)
    return folder


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return the folder of a suite with one conversation."""
    file = tmp_path / "suite" / "talk.task.yaml"
    file.parent.mkdir()
    file.write_text(TALK, "utf-8")
    return file.parent


@pytest.fixture
def example_run(suite: Path, tmp_path: Path) -> Path:
    """Return a run with a pass after a call, and a failure."""

    class AskingAgent:
        def __init__(self, fails: bool) -> None:
            self._fails = fails

        def answer(self, view: Any, desk: Any) -> Any:
            if self._fails:
                raise KeyError("nope")
            desk.spend(10, None)
            desk.record_message("user", "Spend it.")
            generation = Generation(role="planner", context=((0, 1),), ids=(7, 8), logprobs=(-0.5, 0.0), cached=4)
            place = desk.record_generation(generation, view.tools, (1, 2))
            desk.record_message("assistant", "All.", generation=place)
            return {"answer": {"n": desk.call("purse", {})["amount"]}}

    folder = empty_run(suite, tmp_path / "run", 2)
    opened = open_task(suite / "talk.task.yaml")
    with folder.writing() as file:
        for repeat, fails in enumerate((False, True)):
            file.add(
                attempt(
                    AttemptSpec("talk", repeat, repeat),
                    AskingAgent(fails),
                    "asks",
                    opened,
                    Limits(seconds=60),
                )
            )
    return folder.path


def test_the_row_of_a_task_has_the_input_of_agents(suite: Path) -> None:
    (row,) = task_rows(suite)
    assert (row.task, row.family, row.setting, row.turns, row.calls) == ("talk", None, "ask", 2, 2)
    assert [message["role"] for message in row.messages] == ["system", "user"]
    assert row.later[0]["content"].endswith("I have spent a third.")
    assert [tool["name"] for tool in json.loads(row.tools)] == ["purse"]
    assert json.loads(row.answer_schema or "")["type"] == "object"
    assert row.hash == planspec.load(suite / "talk.task.yaml").hash
    (without_tools,) = task_rows(suite, "told")
    assert (without_tools.tools, without_tools.calls) == ("[]", None)


def test_a_run_is_rows_of_attempts_findings_and_calls(example_run: Path) -> None:
    first, second = run_rows(example_run, "attempts")
    assert isinstance(first, AttemptRow) and isinstance(second, AttemptRow)
    assert (first.status, first.passed, first.hard_satisfied, first.hard_total) == ("pass", True, 2, 2)
    assert (first.answer, first.calls, first.input_tokens, first.output_tokens) == (
        json.dumps(PLAN),
        2,
        20,
        None,
    )
    assert (second.repeat, second.boundary, second.failure, second.answer) == (
        1,
        "adapter",
        "KeyError: 'nope'",
        None,
    )
    findings = [row for row in run_rows(example_run, "findings") if isinstance(row, FindingRow)]
    assert {(row.repeat, row.rule, row.status) for row in findings} == {
        (0, "over", "satisfied"),
        (0, "purse", "satisfied"),
        (1, "answer", "violated"),
    }
    calls = [row for row in run_rows(example_run, "calls") if isinstance(row, CallRow)]
    assert [replace(row, start_s=None, seconds=None) for row in calls] == [
        CallRow("talk", 0, place, "purse", "{}", json.dumps({"amount": amount}), None, None, None)
        for place, amount in enumerate((30, 20))
    ]
    assert all(row.start_s is not None and row.seconds is not None for row in calls)


def test_each_reply_of_a_model_is_a_row_with_its_whole_input(example_run: Path) -> None:
    first, later = run_rows(example_run, "generations")
    assert isinstance(first, GenerationRow) and isinstance(later, GenerationRow)
    assert json.loads(first.messages) == [{"role": "user", "content": "Spend it."}]
    assert json.loads(first.reply or "") == {"role": "assistant", "content": "All."}
    assert [tool["function"]["name"] for tool in json.loads(first.tools)] == ["purse"]
    assert (first.role, first.prompt_ids, first.ids, first.logprobs) == (
        "planner",
        [1, 2],
        [7, 8],
        [-0.5, 0.0],
    )
    assert (later.place, later.prompt_ids, first.passed) == (1, [1, 2], True)
    messages = [row for row in run_rows(example_run, "messages") if isinstance(row, MessageRow)]
    assert [(row.place, row.role, row.generation) for row in messages[:2]] == [
        (0, "user", None),
        (1, "assistant", 0),
    ]


def test_columns_of_frames_have_their_types_even_if_they_are_empty(
    suite: Path, example_run: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pandas")
    empty = empty_run(suite, tmp_path / "empty").path
    for run_ in (example_run, empty):
        tables = planspec.frames(run_)
        assert dict(tables.attempts.dtypes.astype(str))["boundary"] == "string"
        assert tables.attempts.dtypes["usd"] == tables.calls.dtypes["seconds"] == "float64"
        assert tables.attempts.dtypes["input_tokens"] == tables.messages.dtypes["generation"] == "Int64"
        assert tables.attempts.dtypes["passed"] == tables.generations.dtypes["hit"] == "bool"


IDS = ["prompt_ids", "ids", "logprobs"]
"""Columns that contain lists. If no service reported such a list, the type of its items is unknown."""


def two_runs(suite: Path, example_run: Path, out: Path) -> list[tuple[Any, Any, list[str]]]:
    """Return, for each table, the frames of a run and of an empty run, and the names of the columns that contain lists."""
    pytest.importorskip("pandas")
    full, empty = planspec.frames(example_run), planspec.frames(empty_run(suite, out).path)
    pairs = [(getattr(full, name), getattr(empty, name)) for name in RUN_TABLES]
    return [(one, other, [name for name in IDS if name in one]) for one, other in pairs]


def test_arrow_takes_frames_with_their_types(suite: Path, example_run: Path, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    for one, other, lists in two_runs(suite, example_run, tmp_path / "empty"):
        first, second = arrow.table(one), arrow.table(other)
        assert first.drop_columns(lists).schema.types == second.drop_columns(lists).schema.types
        assert first.column_names == list(one.columns)


def test_polars_takes_frames_with_their_types_and_joins_runs(suite: Path, example_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    for one, other, lists in two_runs(suite, example_run, tmp_path / "empty"):
        first, second = polars.from_dataframe(one), polars.from_dataframe(other)
        assert first.drop(lists).schema == second.drop(lists).schema
        both = polars.concat([first, second], how="vertical_relaxed")
        assert both.rows() == first.rows() and both.height == len(one)
    assert polars.from_dataframe(planspec.frames(example_run).calls)["seconds"].null_count() == 0


def test_files_and_frames_have_the_same_rows(suite: Path, example_run: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for name, table in RUN_TABLES.items():
        rows = list(run_rows(example_run, name))
        lines, parquet = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.parquet"
        assert write_rows(rows, table.row, lines) == write_rows(rows, table.row, parquet) == len(rows)
        read = pandas.read_parquet(parquet)
        frame = getattr(planspec.frames(example_run), name)
        assert list(read.columns) == list(frame.columns)
        expected = [json.loads(line) for line in lines.read_text("utf-8").splitlines()]
        for one in (read, frame):
            assert json.loads(one.to_json(orient="records", date_format="iso")) == expected
    tasks = tmp_path / "tasks.parquet"
    write_rows(task_rows(suite), TaskRow, tasks)
    read = pandas.read_parquet(tasks)
    assert read.messages[0][1]["role"] == "user"
    assert read.task.tolist() == ["talk"]


def test_an_empty_run_has_columns(suite: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    folder = empty_run(suite, tmp_path / "run")
    frames = planspec.frames(folder.path)
    assert repr(frames) == "<Frames: 0 attempts, 0 findings, 0 calls, 0 messages, 0 generations>"
    assert "status" in frames.attempts and "rule" in frames.findings and "arguments" in frames.calls
    with pytest.raises(planspec.PlanspecError, match="is not a run"):
        planspec.frames(suite)


def test_a_file_that_cannot_be_finished_is_unchanged(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text("before", "utf-8")
    with pytest.raises(planspec.PlanspecError, match="no setting"):
        write_rows(task_rows(suite, "nothing"), TaskRow, out)
    assert out.read_text("utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".planspec")] == []


def test_the_command_writes_suites_and_runs(
    suite: Path,
    example_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "rows.jsonl"
    assert command(monkeypatch, capsys, "export", "rows", str(suite), "--out", str(out))[:2] == (
        0,
        f"1 rows of tasks in {out}\n",
    )
    assert json.loads(out.read_text("utf-8"))["task"] == "talk"
    code, output, _ = command(
        monkeypatch,
        capsys,
        "export",
        "rows",
        str(example_run),
        "--table",
        "calls",
        "-o",
        str(out),
        "--format",
        "json",
    )
    assert (code, json.loads(output)) == (0, {"file": str(out), "table": "calls", "rows": 2})
    assert command(monkeypatch, capsys, "export", "rows", str(suite), "--table", "calls", "-o", str(out))[0] == 2
    assert command(monkeypatch, capsys, "export", "rows", str(example_run), "--setting", "ask", "-o", str(out))[0] == 2
    assert command(monkeypatch, capsys, "export", "rows", "nothing-here", "-o", str(out))[0] == 2


def test_the_oracle_is_privileged_in_its_row(suite: Path, tmp_path: Path) -> None:
    folder = empty_run(suite, tmp_path / "run")
    opened = open_task(suite / "talk.task.yaml")
    with folder.writing() as file:
        file.add(attempt(AttemptSpec("talk", 0, 0), agent("oracle"), "oracle", opened, Limits(seconds=60)))
    (row,) = run_rows(folder.path, "attempts")
    assert isinstance(row, AttemptRow) and row.privileged and row.passed


def test_datasets_loads_the_written_rows(suite: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    pytest.importorskip("pyarrow")
    for kind, name in (("json", "rows.jsonl"), ("parquet", "rows.parquet")):
        write_rows(task_rows(suite), TaskRow, tmp_path / name)
        read = datasets.load_dataset(kind, data_files=str(tmp_path / name), split="train", cache_dir=tmp_path / "cache")
        assert read[0]["task"] == "talk"
        assert read[0]["messages"][0]["role"] == "system"
