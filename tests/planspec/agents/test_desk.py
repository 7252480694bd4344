"""Every action of an agent through its desk (the interface to a task) is counted, limited and recorded."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from planspec.agents import AttemptFailedError, Desk, Limits
from planspec.agents.tools import Arguments, ModelTool, RefusedCallError, Toolset
from planspec.traces.record import Generation


class Number(Arguments):
    """Arguments of a tool: one number."""

    n: int


def double(arguments: Number) -> dict[str, Any]:
    """Return twice the number. Refuse numbers above 99."""
    if arguments.n > 99:
        raise RefusedCallError("not-found", "no such number")
    return {"n": arguments.n * 2}


TOOLS = Toolset([ModelTool("double", "Doubles a number.", Number, double)])


def desk(now: Callable[[], float] = lambda: 0.0, **limits: Any) -> Desk:
    return Desk(TOOLS, Limits(**limits), now=now)


def test_calls_are_answered_and_recorded() -> None:
    at = desk()
    assert at.call("double", {"n": 4}) == {"n": 8}
    assert at.call("double", '{"n": 5}') == {"n": 10}
    trace = at.trace("t", "me", "done", None)
    assert [(c.name, c.arguments, c.result and c.result.value) for c in trace.calls] == [
        ("double", {"n": 4}, {"n": 8}),
        ("double", {"n": 5}, {"n": 10}),
    ]
    assert (trace.task, trace.agent, trace.answer, trace.ended) == ("t", "me", "done", True)


class Clock:
    """A clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += 1
        return self.time


def test_calls_are_recorded_with_their_start_and_duration() -> None:
    at = desk(Clock())
    at.call("double", {"n": 4})
    at.record_call("ask", {}, {"said": 1}, start=at.now())
    at.record_call("ask", {}, {"said": 2})
    assert [call.time and (call.time.start_s, call.time.seconds) for call in at.calls] == [
        (2, 1),
        (4, 1),
        None,
    ]
    untimed = Desk(TOOLS, Limits(), timed=False)
    untimed.call("double", {"n": 4})
    assert [call.time for call in untimed.calls] == [None]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "kind"),
    [
        ("halve", {}, "unknown-tool", "invalid"),
        (None, {}, "unknown-tool", "invalid"),
        ("double", {"n": "x"}, "invalid-arguments", "invalid"),
        ("double", "{", "invalid-arguments", "invalid"),
        ("double", "[1]", "invalid-arguments", "invalid"),
        ("double", 3, "invalid-arguments", "invalid"),
        ("double", {"n": 100}, "not-found", "miss"),
        ("double", '{"n": NaN}', "invalid-arguments", "invalid"),
    ],
)
def test_an_invalid_call_returns_an_error_but_is_not_a_failure(
    name: object, arguments: object, code: str, kind: str
) -> None:
    at = desk()
    assert at.call(name, arguments)["error"]["code"] == code
    (call,) = at.trace("t", "me", None, None).calls
    assert call.result is not None
    assert call.result.error == kind


def test_calls_steps_and_tokens_are_limited() -> None:
    at = desk(tool_calls=1, steps=2, tokens=50)
    at.call("double", {"n": 1})
    with pytest.raises(AttemptFailedError, match="1 tool calls") as failed:
        at.call("double", {"n": 1})
    assert failed.value.boundary == "limit"
    at.step()
    at.spend(30, 20)
    with pytest.raises(AttemptFailedError, match="50 tokens"):
        at.step()
    other = desk(steps=1)
    other.step()
    with pytest.raises(AttemptFailedError, match="1 steps"):
        other.step()


def test_a_call_after_the_time_limit_fails_the_attempt() -> None:
    clock = [0.0]
    at = desk(lambda: clock[0], seconds=10.0)
    assert at.left == 10.0
    clock[0] = 10.0
    with pytest.raises(AttemptFailedError, match="10 seconds") as failed:
        at.call("double", {"n": 1})
    assert failed.value.boundary == "timeout"
    assert at.trace("t", "me", None, "timeout").elapsed_ms == 10_000


def test_tokens_are_summed_by_stage_and_unknown_without_reports() -> None:
    at = desk()
    at.spend(10, None, stage="planner")
    at.spend(5, None, stage="planner")
    at.spend(1, 2)
    tokens = {t.stage: (t.input, t.output) for t in at.trace("t", "me", None, None).tokens}
    assert tokens == {"planner": (15, None), None: (1, 2)}


def test_several_threads_may_use_a_desk() -> None:
    at = desk(tool_calls=64)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: at.call("double", {"n": n}), range(64)))
    assert answers == [{"n": 2 * n} for n in range(64)]
    calls = at.trace("t", "me", None, None).calls
    assert len(calls) == 64
    for call in calls:
        assert call.arguments is not None
        assert call.result is not None
        n: Any = call.arguments["n"]
        assert call.result.value == {"n": 2 * n}
    with pytest.raises(AttemptFailedError):
        at.call("double", {"n": 1})


def test_an_exception_in_a_tool_is_recorded_at_the_boundary_tool() -> None:
    def fail(arguments: Number) -> dict[str, Any]:
        raise ZeroDivisionError("division by zero")

    at = Desk(Toolset([ModelTool("double", "Doubles a number.", Number, fail)]), Limits())
    with pytest.raises(
        AttemptFailedError, match="the tool double raised ZeroDivisionError: division by zero"
    ) as raised:
        at.call("double", {"n": 4})
    assert raised.value.boundary == "tool"
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert [call.name for call in at.calls] == ["double"]


def test_a_tool_is_described_once_and_its_schema_is_the_callers_own() -> None:
    at, half = desk(), ModelTool("halve", "Halves a number.", Number, double)
    tools = [*TOOLS.tools(), half]
    for offered in (tools, tools, [half]):
        at.record_generation(Generation(), offered)
    assert [tool.name for tool in at.offered] == ["double", "halve"]
    first, second, third = (generation.tools for generation in at.generations)
    assert first == second != third
    copied = at.copy()
    copied.record_generation(Generation(), [half, ModelTool("double", "Doubles.", Number, double)])
    assert (len(copied.offered), len(at.offered)) == (3, 2)
    half.parameters["properties"].clear()
    assert set(half.parameters["properties"]) == {"n"}
