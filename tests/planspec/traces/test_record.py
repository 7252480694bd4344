import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from planspec.traces import (
    Call,
    Generation,
    Message,
    Result,
    Stage,
    Timing,
    Tokens,
    Trace,
    Unread,
    read_traces,
    write_traces,
)
from planspec.traces.files import line_of
from planspec.traces.json_text import is_deeper_than, load

FULL = Trace(
    task="case_1",
    agent="an agent",
    answer="Take bus 7.",
    elapsed_ms=1250,
    started="2026-01-01T08:00",
    messages=(
        Message(role="user", text="How do I get to the port?"),
        Message(role="assistant", calls=(0,), stage=0),
        Message(role="tool", text='{"line": 7}', answers=0, stage=0),
        Message(role="assistant", text="Take bus 7.", parts=[{"type": "text", "text": "Take bus 7."}], stage=1),
    ),
    calls=(
        Call(
            id="c1",
            name="bus_planning",
            arguments={"origin": "1.0,2.0"},
            result=Result(value={"line": 7}),
            stage=0,
            time=Timing(start_s=0.5, seconds=0.25),
        ),
        Call(
            id="c2", name="weather_query", written="{city", fault="no JSON", result=Result(text="?", error="upstream")
        ),
    ),
    stages=(Stage(name="worker", id="w", steps=(("find", "plan"), ("answer",))), Stage(name="reporter", text="x")),
    generations=(Generation(model="m", input=10, output=2, time=Timing(start_s=0, seconds=0.4)), Generation(hit=True)),
    tokens=(Tokens(stage="worker", input=10, output=2), Tokens(total=12)),
    error="stopped",
    ended=False,
    faults=("a fault",),
    extra={"seed": 1, "parts": [None, True, 0.5, "text"]},
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_a_trace_is_read_back_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    empty = Trace(task="t")
    with path.open("w", encoding="utf-8") as file:
        assert write_traces(file, [FULL, empty]) == 2
    assert list(read_traces(path)) == [FULL, empty]


@given(st.dictionaries(st.text(), json_values, max_size=4), st.text(), json_values)
def test_results_of_tools_are_unchanged_after_writing_and_reading(arguments: dict, text: str, value: JsonValue) -> None:
    trace = Trace(
        task="t", calls=(Call(name="f", arguments=arguments, result=Result(value=value, text=text)),), extra=arguments
    )
    assert Trace.model_validate(json.loads(line_of(trace))) == trace


def test_a_line_omits_default_values() -> None:
    assert json.loads(line_of(Trace(task="t"))) == {"trace": "trace/1", "task": "t"}


def test_a_trace_of_an_earlier_release_has_no_times_and_times_are_not_negative() -> None:
    old = Trace.model_validate_json('{"task": "t", "calls": [{"name": "f"}], "generations": [{"model": "m"}]}')
    assert (old.calls[0].time, old.generations[0].time) == (None, None)
    assert json.loads(line_of(old)) == {
        "trace": "trace/1",
        "task": "t",
        "calls": [{"name": "f"}],
        "generations": [{"model": "m"}],
    }
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(ValidationError):
            Timing(start_s=0, seconds=wrong)


def test_lines_that_are_not_traces_are_reported_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    good = line_of(Trace(task="t"))
    lines = [
        good,
        "",
        "{",
        '{"trace": "trace/2", "task": "t"}',
        '{"trace": "trace/1", "task": "t", "taks": 1}',
        "7",
    ]
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\n" + good.encode())
    read = list(read_traces(path))
    assert [one.place if isinstance(one, Unread) else one.task for one in read] == ["t", 3, 4, 5, 6, 7, "t"]
    assert str(read[3]) == "traces.jsonl:5: taks: Extra inputs are not permitted"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_cannot_express_are_refused(number: float) -> None:
    with pytest.raises(ValidationError):
        Result(value={"a": [number]})


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "1e999", "[" * 200 + "]" * 200, "[" * 100_000, "9" * 5000])
def test_texts_that_are_not_strict_json_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        load(text)


def test_depth_is_counted_by_levels() -> None:
    assert not is_deeper_than([[1]], 2)
    assert is_deeper_than([[[1]]], 2)


def test_a_stage_and_its_tokens_are_found_by_name() -> None:
    assert FULL.stage("reporter") == FULL.stages[1]
    assert FULL.stage("planner") is None
    assert FULL.tokens_of(None) == Tokens(total=12)
    assert FULL.tokens_of("planner") is None


def test_traces_are_written_one_by_one_without_a_list() -> None:
    file = io.StringIO()
    seen = []

    def traces() -> object:
        for number in range(3):
            seen.append(file.getvalue().count("\n"))
            yield Trace(task=str(number))

    write_traces(file, traces())  # type: ignore[arg-type]  # a generator of what is asked for
    assert seen == [0, 1, 2]
