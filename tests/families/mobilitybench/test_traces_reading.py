import json
from typing import Any

import pytest

from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from planspec.traces import Result, Tokens, Trace
from planspec.traces.files import line_of


def record(**changes: Any) -> dict[str, Any]:
    """Return a record of a run in the public toolkit's format, with changed fields."""
    worker = {
        "task_id": "w1",
        "system": "",
        "tools": ["query_poi"],
        "human": "find it",
        "tool_calls": [{"id": "c1", "name": "query_poi", "args": {"keywords": "港口"}}],
        "tool_results": {"c1": '{"status": 0, "data": {"location": "114.1,22.5"}, "error": null}'},
        "ai_response": "found",
    }
    return {
        "case_id": "case_4",
        "model_name": "m",
        "planner_output": {
            "system": "Plan.",
            "human": "去港口",
            "steps": [["定位"], ["规划", "比较"]],
            "thinking": "港口",
            "intent": "路线规划",
        },
        "worker_output": [worker],
        "reporter_output": "方案1",
        "token_usage": {"planner": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}},
        "execution_time": 12.717,
        "error": None,
    } | changes


def test_every_field_of_a_record_is_read() -> None:
    trace = trace_of_mobilitybench(record())
    assert (trace.task, trace.agent, trace.answer, trace.elapsed_ms) == ("case_4", "m", "方案1", 12717)
    assert (trace.error, trace.ended, trace.faults, trace.extra) == (None, True, (), {})
    planner = trace.stage("planner")
    assert planner is not None
    assert (planner.intent, planner.thinking, planner.steps) == (
        "路线规划",
        "港口",
        (("定位",), ("规划", "比较")),
    )
    assert [stage.name for stage in trace.stages] == ["planner", "worker", "reporter"]
    assert trace.calls[0].result == Result(value={"status": 0, "data": {"location": "114.1,22.5"}, "error": None})
    assert (trace.calls[0].stage, trace.stages[1].extra) == (1, {"tools": ["query_poi"]})
    assert [(m.role, m.stage) for m in trace.messages] == [
        ("system", 0),
        ("user", 0),
        ("user", 1),
        ("assistant", 1),
        ("tool", 1),
        ("assistant", 1),
        ("assistant", 2),
    ]
    assert trace.tokens == (Tokens(stage="planner", input=5, output=2, total=7),)
    assert Trace.model_validate_json(line_of(trace)) == trace


def test_a_crashed_run_has_neither_plan_nor_answer() -> None:
    trace = trace_of_mobilitybench(
        record(planner_output={}, worker_output=[], reporter_output="", token_usage={}, error="Connection error.")
    )
    assert (trace.stages, trace.calls, trace.answer, trace.tokens) == ((), (), "", ())
    assert (trace.error, trace.ended) == ("Connection error.", False)


@pytest.mark.parametrize(
    ("error", "kind"),
    [("输入参数错误: x", "invalid"), ("步行路线未缓存", "miss"), ("busy", "other"), ("", None), (None, None)],
)
def test_the_tools_envelope_gives_the_kind_of_error(error: str | None, kind: str | None) -> None:
    own_record = record()
    own_record["worker_output"][0]["tool_results"]["c1"] = json.dumps({"status": 1, "data": None, "error": error})
    result = trace_of_mobilitybench(own_record).calls[0].result
    assert result is not None
    assert (result.error, result.ok) == (kind, kind is None)


def test_unknown_fields_are_stored_in_extra() -> None:
    own_record = record(run=7)
    own_record["planner_output"]["mood"] = "good"
    own_record["worker_output"][0]["tool_calls"][0]["note"] = 1
    own_record["token_usage"]["planner"]["cached"] = 4
    trace = trace_of_mobilitybench(own_record)
    assert trace.extra == {"run": 7}
    assert trace.stages[0].extra == {"mood": "good"}
    assert trace.calls[0].extra == {"note": 1}
    assert trace.tokens[0].extra == {"cached": 4}


def test_malformed_parts_are_stored_and_reported() -> None:
    worker = {"tool_calls": [5, {"id": "c", "name": 3, "args": "{oops"}], "tool_results": {"c9": "lost"}}
    trace = trace_of_mobilitybench(
        record(
            planner_output={"steps": "first, then", "intent": ["a"]},
            worker_output=[worker, "idle"],
            reporter_output={"a": 1},
            token_usage={"planner": 5, "worker": {"prompt_tokens": -1, "completion_tokens": "2"}},
            model_name=4,
        )
    )
    assert trace.stages[0].extra == {"steps": "first, then", "intent": ["a"]}
    assert trace.stages[1].extra == {"tool_results": {"c9": "lost"}}
    assert trace.stages[2].extra == {"said": "idle"}
    assert trace.calls[0].extra == {"said": 5}
    assert (trace.calls[1].name, trace.calls[1].extra, trace.calls[1].written) == (None, {"name": 3}, "{oops")
    assert trace.answer == '{"a": 1}'
    assert trace.tokens[0].extra == {"said": 5}
    assert trace.tokens[1] == Tokens(stage="worker", extra={"prompt_tokens": -1, "completion_tokens": "2"})
    assert trace.extra["model_name"] == 4
    assert len(trace.faults) == 7


def test_numbers_of_tokens_with_flat_names_are_read() -> None:
    usage = {
        "Planner_prompt_tokens": 5,
        "Worker Prompt Tokens": 6,
        "Reporter_input_tokens": 7.0,
        "Reporter_output_tokens": 1,
    }
    tokens = trace_of_mobilitybench(record(token_usage=usage)).tokens
    assert tokens == (
        Tokens(stage="planner", input=5),
        Tokens(stage="worker", input=6),
        Tokens(stage="reporter", input=7, output=1),
    )


def test_a_fractional_number_of_milliseconds_is_accepted() -> None:
    trace = trace_of_mobilitybench(record(execution_time=0.12345))
    assert (trace.elapsed_ms, trace.extra) == (123, {"execution_time": 0.12345})
