import json
from pathlib import Path
from typing import Any

import pytest

from planspec.traces import Result, Tokens, Trace, Unread, read_messages, trace_of_messages

USER = {"role": "user", "content": "Will it rain in Lund?"}
ANSWER = {"role": "assistant", "content": "No."}


def call_message(arguments: Any, id: str = "c1", name: str = "weather_query") -> dict[str, Any]:
    """Return a chat message with a tool call."""
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id, "type": "function", "function": function}],
    }


def result_message(content: Any, id: str = "c1") -> dict[str, Any]:
    """Return a chat message with the result of a tool call."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def read_text(path: Path, text: str) -> list[Trace | Unread]:
    """Write a text to a file, and return the traces and unreadable parts in it."""
    path.write_text(text, "utf-8")
    return list(read_messages(path))


def test_a_chat_is_read_with_calls_and_results() -> None:
    trace = trace_of_messages(
        [USER, call_message('{"city": "Lund"}'), result_message('{"rain": false}'), ANSWER], "t", "m"
    )
    assert trace.ended and trace.answer == "No." and not trace.faults
    (call,) = trace.calls
    assert (call.id, call.name, call.arguments, call.written, call.fault) == (
        "c1",
        "weather_query",
        {"city": "Lund"},
        None,
        None,
    )
    assert call.result == Result(value={"rain": False})
    assert [message.role for message in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.messages[1].calls == (0,) and trace.messages[2].answers == 0
    assert not call.extra


def test_broken_arguments_are_kept_as_text_with_their_fault() -> None:
    for written, fault in (
        ('{"city": "Lu', "no JSON"),
        ("[1]", "no object but list"),
        ("", "no JSON"),
        ("null", "no object but NoneType"),
        ('{"a": NaN}', "NaN is no JSON"),
    ):
        (call,) = trace_of_messages([call_message(written)], "t").calls
        assert (call.arguments, call.written) == (None, written)
        assert call.fault is not None and fault in call.fault


def test_arguments_with_a_repeated_name_keep_their_text() -> None:
    (call,) = trace_of_messages([call_message('{"a": 1, "a": 2}')], "t").calls
    assert (call.arguments, call.written, call.fault) == ({"a": 2}, '{"a": 1, "a": 2}', "`a` is said twice")


def test_arguments_may_be_objects_or_missing() -> None:
    (call,) = trace_of_messages([call_message({"a": 1})], "t").calls
    assert (call.arguments, call.fault) == ({"a": 1}, None)
    (call,) = trace_of_messages([call_message(None)], "t").calls
    assert (call.arguments, call.written, call.fault) == (None, None, "the arguments are missing")
    (call,) = trace_of_messages([call_message(7)], "t").calls
    assert (call.arguments, call.written) == (None, "7")


def test_a_result_that_is_not_json_is_text() -> None:
    trace = trace_of_messages([call_message("{}"), result_message("no rain")], "t")
    assert trace.calls[0].result == Result(text="no rain")


def test_an_incomplete_chat_has_not_ended() -> None:
    whole = [USER, call_message("{}"), result_message("{}"), ANSWER]
    assert [trace_of_messages(whole[:n], "t").ended for n in range(5)] == [False, False, False, False, True]
    assert trace_of_messages(whole[:2], "t").calls[0].result is None
    assert trace_of_messages(whole[:3], "t").answer is None


def test_a_repeated_id_refers_to_the_latest_open_call() -> None:
    trace = trace_of_messages(
        [call_message('{"n": 1}'), result_message("1"), call_message('{"n": 2}'), result_message("2")], "t"
    )
    assert [call.result for call in trace.calls] == [Result(value=1), Result(value=2)]


def test_results_without_a_call_are_stored_and_reported() -> None:
    trace = trace_of_messages(
        [call_message("{}"), result_message("1", "c9"), result_message("1"), result_message("2")], "t"
    )
    assert trace.calls[0].result == Result(value=1)
    assert [message.text for message in trace.messages[1:]] == ["1", "1", "2"]
    assert trace.messages[1].extra == {"tool_call_id": "c9"}
    assert len(trace.faults) == 2
    assert "nobody makes" in trace.faults[0] and "answered already" in trace.faults[1]


def test_a_result_without_an_id_belongs_to_the_only_open_call() -> None:
    trace = trace_of_messages([call_message("{}"), {"role": "tool", "content": "1"}], "t")
    assert trace.calls[0].result == Result(value=1)
    assert trace.faults == ("messages[1] does not say which call it answers",)
    two = trace_of_messages([call_message("{}"), call_message("{}", "c2"), {"role": "tool", "content": "1"}], "t")
    assert [call.result for call in two.calls] == [None, None]


def test_function_messages_of_the_older_interface_are_read() -> None:
    trace = trace_of_messages(
        [
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"},
        ],
        "t",
    )
    assert trace.calls[0].name == "f" and trace.calls[0].result == Result(value=1) and not trace.faults


def test_content_in_parts_is_stored_and_its_texts_are_read() -> None:
    parts = [
        {"type": "text", "text": "No"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "."},
    ]
    trace = trace_of_messages([{"role": "assistant", "content": parts}], "t")
    assert trace.answer == "No." and trace.messages[0].parts == parts


def test_an_item_that_is_not_a_message_is_stored() -> None:
    trace = trace_of_messages(
        [
            7,
            {"content": "x"},
            {"role": "assistant", "tool_calls": "x"},
            {"role": "assistant", "tool_calls": [3]},
        ],
        "t",
    )
    assert [message.role for message in trace.messages] == [
        "unreadable",
        "unreadable",
        "assistant",
        "assistant",
    ]
    assert [message.parts for message in trace.messages[:2]] == [7, {"content": "x"}]
    assert trace.messages[2].extra == {"tool_calls": "x"}
    assert trace.calls[0].extra == {"said": 3}
    assert len(trace.faults) == 4


def test_unknown_fields_are_stored_in_extra() -> None:
    message = {"role": "assistant", "content": "x", "reasoning_content": "because", "refusal": None}
    call = call_message("{}")
    call["tool_calls"][0] |= {"index": 0, "type": "custom"}
    call["tool_calls"][0]["function"]["strict"] = True
    trace = trace_of_messages([call, message], "t")
    assert trace.messages[1].extra == {"reasoning_content": "because", "refusal": None}
    assert trace.calls[0].extra == {"index": 0, "type": "custom", "function": {"strict": True}}


def test_lone_surrogates_are_replaced_and_reported() -> None:
    trace = trace_of_messages([{"role": "user", "content": "a\ud800"}, call_message('{"a": "\\ud800"}')], "t")
    assert trace.messages[0].text == "a\ufffd" and len(trace.faults) == 1
    assert trace.calls[0].written == '{"a": "\\ud800"}' and trace.calls[0].fault


def test_a_file_may_hold_records_lists_or_one_chat(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    record = {
        "task_id": "t7",
        "model": "m",
        "messages": [USER, ANSWER],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        "execution_time": 0.25,
        "score": 1,
    }
    (one,) = read_text(path, json.dumps(record))
    assert isinstance(one, Trace)
    assert (one.task, one.agent, one.elapsed_ms, one.extra) == ("t7", "m", 250, {"score": 1})
    assert one.tokens == (Tokens(input=3, output=1),)
    assert [
        t.task for t in read_text(path, json.dumps(record) + "\n" + json.dumps([USER])) if isinstance(t, Trace)
    ] == ["t7", "2"]
    (chat,) = read_text(path, json.dumps([USER, ANSWER]))
    assert isinstance(chat, Trace) and (chat.task, chat.answer) == ("chat", "No.")
    (chat,) = read_text(path, "\n".join(json.dumps(m) for m in (USER, ANSWER)))
    assert isinstance(chat, Trace) and (chat.task, chat.answer) == ("chat", "No.")


def test_a_truncated_file_gives_its_complete_records(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    text = json.dumps([USER, call_message("{}"), result_message("1"), ANSWER])
    (chat,) = read_text(path, text[:-20])
    assert isinstance(chat, Trace)
    assert len(chat.messages) == 3 and not chat.ended and "breaks off" in chat.faults[0]


def test_a_run_with_a_recorded_error_counts_as_incomplete(tmp_path: Path) -> None:
    (trace,) = read_text(tmp_path / "x.json", json.dumps({"id": 1, "messages": [ANSWER], "error": {"code": 429}}))
    assert isinstance(trace, Trace)
    assert (trace.task, trace.error, trace.ended) == ("1", '{"code": 429}', False)


def test_records_without_messages_are_reported(tmp_path: Path) -> None:
    read_, broken = read_text(tmp_path / "x.jsonl", json.dumps({"id": "a", "messages": []}) + '\n{"id": "b"}')
    assert isinstance(read_, Trace) and isinstance(broken, Unread)
    assert broken.place == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[", "not closed"),
        ("[1] x", "more text"),
        ('[{"messages": []} 7]', "no comma"),
        ("{", "no JSON"),
        ("7", "neither a list of messages"),
    ],
)
def test_a_malformed_file_is_reported(tmp_path: Path, text: str, reason: str) -> None:
    unread = [one for one in read_text(tmp_path / "x.json", text) if isinstance(one, Unread)]
    assert any(reason in one.reason for one in unread)
