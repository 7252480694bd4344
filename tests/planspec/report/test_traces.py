"""Traces of attempts are shown, shortened to fit on a page."""

from planspec.report.traces import MOST_CHARACTERS, MOST_ENTRIES, shown_trace
from planspec.runs.record import ModelPrice
from planspec.traces.record import Call, Generation, Message, Result, Stage, Timing, Tokens, Trace


def test_a_call_is_shown_with_its_arguments_and_its_result() -> None:
    call = Call(name="look", arguments={"at": "mill"}, result=Result(value={"opens": "09:00"}))
    made = shown_trace(Trace(task="t", calls=(call,))).calls[0]
    assert made.name == "look"
    assert '"mill"' in made.arguments
    assert '"09:00"' in (made.result or "")
    assert made.error is None


def test_a_failed_call_shows_its_error() -> None:
    call = Call(name="look", written="{at:", fault="no JSON", result=Result(text="?", error="invalid"))
    made = shown_trace(Trace(task="t", calls=(call,))).calls[0]
    assert (made.arguments, made.result, made.error) == ("{at:", "?", "no JSON; invalid")


def test_a_call_without_a_result_is_shown_without_one() -> None:
    made = shown_trace(Trace(task="t", calls=(Call(name="look"),))).calls[0]
    assert (made.result, made.error) == (None, "no result")


def test_a_message_that_carries_a_result_does_not_repeat_it() -> None:
    messages = (
        Message(role="assistant", text="Let me see.", calls=(0,)),
        Message(role="tool", text="long", answers=0),
    )
    made = shown_trace(Trace(task="t", messages=messages, calls=(Call(name="look"),)))
    assert [(m.text, m.calls, m.answers) for m in made.messages] == [("Let me see.", (0,), None), ("", (), 0)]


def test_messages_name_their_stages() -> None:
    stages = (Stage(name="planner", intent="go", steps=(("a", "b"), ("c",))),)
    made = shown_trace(Trace(task="t", stages=stages, messages=(Message(role="assistant", text="x", stage=0),)))
    assert made.messages[0].stage == "planner"
    assert made.stages == (("planner", "go\n\n1. a | b\n2. c"),)


def test_entries_that_do_not_fit_are_left_out_and_counted() -> None:
    messages = tuple(Message(role="assistant", text="x") for _ in range(MOST_ENTRIES + 7))
    made = shown_trace(Trace(task="t", messages=messages))
    assert len(made.messages) == MOST_ENTRIES
    assert made.left_out == 7


def test_long_texts_are_cut_and_their_number_is_limited() -> None:
    messages = tuple(Message(role="assistant", text="x" * 100_000) for _ in range(100))
    made = shown_trace(Trace(task="t", messages=messages))
    assert 0 < sum(len(m.text) for m in made.messages) <= MOST_CHARACTERS
    assert made.left_out == 100 - len(made.messages)


def test_messages_do_not_refer_to_calls_that_are_not_shown() -> None:
    calls = tuple(Call(name="look") for _ in range(MOST_ENTRIES + 1))
    messages = (
        Message(role="assistant", calls=(0, MOST_ENTRIES)),
        Message(role="tool", text="late", answers=MOST_ENTRIES),
    )
    made = shown_trace(Trace(task="t", messages=messages, calls=calls))
    assert made.messages[0].calls == (0,)
    assert (made.messages[1].text, made.messages[1].answers) == ("late", None)


TIMED = Trace(
    task="t",
    messages=(
        Message(role="assistant", text="Look.", calls=(0,), generation=0),
        Message(role="tool", text="x", answers=0),
    ),
    calls=(
        Call(name="look", result=Result(value={}), time=Timing(start_s=2, seconds=0.5)),
        Call(name="work_on", result=Result(value={}), time=Timing(start_s=0, seconds=4.5), extra={"own": True}),
    ),
    generations=(
        Generation(model="m", input=1000, output=10, time=Timing(start_s=0.25, seconds=1.5)),
        Generation(model="m", role="critic", input=500, output=5, time=Timing(start_s=3, seconds=1)),
    ),
    tokens=(Tokens(input=1500, output=15),),
    elapsed_ms=5000,
)


def test_messages_calls_and_requests_have_their_start_duration_and_cost() -> None:
    made = shown_trace(TIMED, {"m": ModelPrice(input=10, output=100)})
    assert [(m.time, m.spent) for m in made.messages] == [
        ((0.25, 1.5), "1,000 tokens in, 10 out, 0.0110 USD"),
        (None, None),
    ]
    assert [call.time for call in made.calls] == [(2, 0.5), (0, 4.5)]
    (request,) = made.requests  # the other request is shown with its message
    assert (request.name, request.spent, request.time) == (
        "critic",
        "500 tokens in, 5 out, 0.0055 USD",
        (3, 1),
    )


def test_times_are_summed_without_the_agents_own_tools() -> None:
    times = shown_trace(TIMED, {"m": ModelPrice(input=10, output=100)}, 6.0).times
    assert times is not None
    assert (times.seconds, times.model, times.tools) == (6, (2, 2.5), (1, 0.5))
    assert times.usd == 0.0165
    short = shown_trace(TIMED, None, 3.0).times
    assert short is not None and (short.seconds, short.usd) == (4.5, None)  # the last request ends at 4.5 s
    nothing = TIMED.model_copy(update={"calls": (Call(name="look"),), "generations": (), "messages": ()})
    assert shown_trace(nothing, None, 6.0).times is None
