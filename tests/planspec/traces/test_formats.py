"""The format of a trace (a record of an agent's attempt) is recognised, in single records and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.traces import Trace
from planspec.traces.files import line_of
from planspec.traces.formats import TraceFile, line_trace, task_of, trace_of

OURS = Trace(task="a", answer="yes")
PUBLIC = {"case_id": "b", "planner_output": {"intent": "x"}, "reporter_output": "yes"}
CHAT = {
    "task_id": "c",
    "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "yes"}],
}
ENVELOPE = {"task": "d", "plan": {"answer": {"place": "x"}}}
RECORDS: list[Any] = [json.loads(line_of(OURS)), PUBLIC, CHAT, ENVELOPE]


def json_lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def read_trace(raw: bytes | Trace | None) -> Trace:
    """Return a trace, which is parsed if it is given as a line."""
    assert raw is not None
    return line_trace(raw) if isinstance(raw, bytes) else raw


@pytest.mark.parametrize(("record", "task"), [*zip(RECORDS, "abcd", strict=True)])
def test_each_format_is_recognised(record: Any, task: str) -> None:
    trace = trace_of(record)
    assert trace.task == task_of(record) == task
    assert trace.answer == (json.dumps(ENVELOPE) if task == "d" else "yes")


def test_the_trace_of_an_attempt_is_in_its_record() -> None:
    attempt = {
        "task": "t",
        "repeat": 0,
        "verdict": {},
        "turns": [{"answer": "x"}],
        "trace": {"task": "t", "answer": "x"},
    }
    assert trace_of(attempt) == Trace(task="t", answer="x")


def test_a_trace_needs_no_version() -> None:
    assert trace_of({"task": "a", "answer": "yes"}) == OURS


def test_a_record_with_only_an_error_is_read_as_a_record_of_the_public_toolkit() -> None:
    assert trace_of({"case_id": "b", "error": "Connection error."}).error == "Connection error."


def test_a_record_with_only_an_answer_keeps_the_text_of_the_answer() -> None:
    text = '{"task": "d", "plan": {"fare": 1.10, "fare": 1.20}}'
    assert line_trace(text.encode()).answer == text
    assert trace_of({"task": "d", "infeasible": True}).answer == '{"task": "d", "infeasible": true}'


def test_a_chat_without_a_task_is_named_by_its_number() -> None:
    assert trace_of(CHAT["messages"], 3).task == task_of(CHAT["messages"], 3) == "3"
    assert task_of({"messages": []}, 4) == "4"


@pytest.mark.parametrize(
    "record",
    [{}, {"plan": {}}, {"task": None, "plan": {}}, {"task": 1.5, "answer": ""}, 3, "a", None, {"case_id": True}],
)
def test_a_record_of_no_format_is_refused(record: Any) -> None:
    with pytest.raises(ValueError, match=r"no trace|no id|no `case_id`|valid string"):
        trace_of(record)


@pytest.mark.parametrize("listed", [False, True])
def test_a_file_may_mix_formats(tmp_path: Path, listed: bool) -> None:
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(RECORDS, indent=1) if listed else "\ufeff" + json_lines(*RECORDS), "utf-8")
    traces = TraceFile(path)
    assert list(traces.tasks) == list("abcd")
    assert [read_trace(traces.raw(task)).task for task in "abcd"] == list("abcd")
    assert isinstance(traces.raw("a"), Trace if listed else bytes)
    assert traces.raw("e") is None
    assert (traces.unread, traces.duplicates) == ([], [])


def test_a_chat_written_message_by_message_is_named_like_its_file(tmp_path: Path) -> None:
    path = tmp_path / "case_7.jsonl"
    path.write_text(json_lines(*CHAT["messages"]), "utf-8")
    assert read_trace(TraceFile(path).raw("case_7")).answer == "yes"


def test_a_single_record_may_span_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(PUBLIC, indent=2), "utf-8")
    assert read_trace(TraceFile(path).raw("b")).answer == "yes"


def test_truncated_lines_and_lines_without_a_task_are_reported_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    text = json_lines(PUBLIC)
    path.write_text(text[:40] + "\n" + text + "[1]\n3\n\n" + json_lines(CHAT) + text[:30], "utf-8")
    traces = TraceFile(path)
    assert list(traces.tasks) == ["b", "3", "c"]
    assert [(one.place, one.file) for one in traces.unread] == [
        (1, path.name),
        (4, path.name),
        (7, path.name),
    ]


def test_a_truncated_list_keeps_its_complete_records(tmp_path: Path) -> None:
    path = tmp_path / "raw_results.json"
    path.write_text(json.dumps([PUBLIC, CHAT])[:-20], "utf-8")
    traces = TraceFile(path)
    assert list(traces.tasks) == ["b"]
    assert len(traces.unread) == 1


@pytest.mark.parametrize("listed", [False, True])
def test_a_second_trace_of_a_task_is_reported_and_the_first_kept(tmp_path: Path, listed: bool) -> None:
    path = tmp_path / "traces.json"
    other = PUBLIC | {"reporter_output": "no"}
    path.write_text(json.dumps([PUBLIC, other]) if listed else json_lines(PUBLIC, other), "utf-8")
    traces = TraceFile(path)
    assert traces.duplicates == [("b", 1, 2)]
    assert read_trace(traces.raw("b")).answer == "yes"


def test_an_empty_file_has_no_traces(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("", "utf-8")
    assert not TraceFile(path).tasks
