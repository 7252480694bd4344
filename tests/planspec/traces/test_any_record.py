"""For any record, a reader returns a trace that contains all texts, or a reason."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.official.evaluator import score
from planspec.families.mobilitybench.official.truth import SCENARIOS
from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from planspec.traces import Trace, trace_of_messages
from planspec.traces.files import line_of
from tests.families.mobilitybench.official.case import case, run
from tests.random_examples import examples

words = st.sampled_from(["alpha", "c1", "{}", "[1", "北门", "", "\ud800"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


def objects(**fields: Any) -> Any:
    """Return a strategy for objects with some of the fields.

    A value comes from its field's strategy, or is any JSON.
    """
    return st.fixed_dictionaries({}, optional={name: kind | anything for name, kind in fields.items()})


calls = objects(id=words, name=words, args=anything, function=objects(name=words, arguments=words))
messages = objects(
    role=st.sampled_from(["user", "assistant", "tool", "function"]),
    content=words,
    tool_call_id=words,
    tool_calls=st.lists(calls, max_size=2),
    function_call=objects(name=words, arguments=words),
)
workers = objects(task_id=words, human=words, tool_calls=st.lists(calls, max_size=2), tool_results=objects(c1=words))
records = st.fixed_dictionaries(
    {"case_id": st.just("case_1")},
    optional={
        "planner_output": objects(steps=st.lists(st.lists(words)), intent=words, thinking=words) | anything,
        "worker_output": st.lists(workers | anything, max_size=2) | anything,
        "reporter_output": words | anything,
        "token_usage": objects(planner=objects(prompt_tokens=st.integers(0, 9))) | anything,
        "execution_time": st.floats(0, 10) | anything,
        "error": words | anything,
        "model_name": words | anything,
    },
)


def texts_of(value: Any) -> set[str]:
    """Return all strings in a JSON value, except the names of fields."""
    if isinstance(value, str):
        return {value.replace("\ud800", "\ufffd")} - {""}
    if isinstance(value, dict):
        return set().union(*map(texts_of, value.values()))
    return set().union(*map(texts_of, value)) if isinstance(value, list) else set()


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(messages | anything, max_size=4))
def test_any_list_of_messages_is_a_trace_with_all_its_texts(record: list[Any]) -> None:
    trace = trace_of_messages(record, "t")
    line = line_of(trace)
    assert Trace.model_validate(json.loads(line)) == trace
    assert all(
        json.dumps(text, ensure_ascii=False)[1:-1] in line.replace('\\\\"', '\\"')
        for text in texts_of(record) - {"function"}
    )


@settings(max_examples=examples(150), deadline=None)
@given(records)
def test_any_record_of_the_toolkit_is_a_trace_with_all_its_texts(record: dict[str, Any]) -> None:
    trace = trace_of_mobilitybench(record)
    line = line_of(trace)
    assert Trace.model_validate(json.loads(line)) == trace
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in line.replace('\\\\"', '\\"') for text in texts_of(record))
    for scenario in SCENARIOS:
        scores = score(case(scenario, "query_poi"), trace)
        assert set(scores.rows) | set(scores.missing) == {"instruction", "tool", "answer", "efficiency"}


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "```json\n",
                "\n```",
                '{"route_index": ',
                '"content": "',
                '"}',
                "方案",
                "7",
                "١",
                "公里",
                "120.5,30.5",
                "1e999",
                "[[",
                "杭州市",
                "畅通",
            ]
        ),
        max_size=8,
    ).map("".join)
)
def test_any_answer_is_scored_or_has_a_reason_why_not(answer: str) -> None:
    for scenario in SCENARIOS:
        scores = score(case(scenario, "query_poi"), run(answer))
        assert ("answer" in scores.rows) != ("answer" in scores.missing)
