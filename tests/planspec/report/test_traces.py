"""What an agent did, as much of it as a page can carry."""

from planspec.report.traces import MOST_CHARACTERS, MOST_ENTRIES, trace_shown
from planspec.traces.record import Call, Message, Result, Stage, Trace


def test_a_call_is_told_with_its_arguments_and_its_result() -> None:
    call = Call(name="look", arguments={"at": "mill"}, result=Result(value={"opens": "09:00"}))
    made = trace_shown(Trace(task="t", calls=(call,))).calls[0]
    assert made.name == "look"
    assert '"mill"' in made.arguments
    assert '"09:00"' in (made.result or "")
    assert made.error is None


def test_a_call_that_went_wrong_says_why() -> None:
    call = Call(name="look", written="{at:", fault="no JSON", result=Result(text="?", error="invalid"))
    made = trace_shown(Trace(task="t", calls=(call,))).calls[0]
    assert (made.arguments, made.result, made.error) == ("{at:", "?", "no JSON; invalid")


def test_a_call_without_a_result_has_none() -> None:
    made = trace_shown(Trace(task="t", calls=(Call(name="look"),))).calls[0]
    assert (made.result, made.error) == (None, "no result")


def test_a_message_that_brings_a_result_does_not_repeat_it() -> None:
    messages = (
        Message(role="assistant", text="Let me see.", calls=(0,)),
        Message(role="tool", text="long", answers=0),
    )
    made = trace_shown(Trace(task="t", messages=messages, calls=(Call(name="look"),)))
    assert [(m.text, m.calls, m.answers) for m in made.messages] == [("Let me see.", (0,), None), ("", (), 0)]


def test_stages_are_named_where_they_speak() -> None:
    stages = (Stage(name="planner", intent="go", steps=(("a", "b"), ("c",))),)
    made = trace_shown(
        Trace(task="t", stages=stages, messages=(Message(role="assistant", text="x", stage=0),))
    )
    assert made.messages[0].stage == "planner"
    assert made.stages == (("planner", "go\n\n1. a | b\n2. c"),)


def test_what_is_too_much_is_left_out_and_counted() -> None:
    messages = tuple(Message(role="assistant", text="x") for _ in range(MOST_ENTRIES + 7))
    made = trace_shown(Trace(task="t", messages=messages))
    assert len(made.messages) == MOST_ENTRIES
    assert made.left_out == 7


def test_long_texts_are_cut_and_many_of_them_end_somewhere() -> None:
    messages = tuple(Message(role="assistant", text="x" * 100_000) for _ in range(100))
    made = trace_shown(Trace(task="t", messages=messages))
    assert 0 < sum(len(m.text) for m in made.messages) <= MOST_CHARACTERS
    assert made.left_out == 100 - len(made.messages)


def test_a_call_that_is_not_shown_is_not_referred_to() -> None:
    calls = tuple(Call(name="look") for _ in range(MOST_ENTRIES + 1))
    messages = (
        Message(role="assistant", calls=(0, MOST_ENTRIES)),
        Message(role="tool", text="late", answers=MOST_ENTRIES),
    )
    made = trace_shown(Trace(task="t", messages=messages, calls=calls))
    assert made.messages[0].calls == (0,)
    assert (made.messages[1].text, made.messages[1].answers) == ("late", None)
