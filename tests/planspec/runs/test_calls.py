"""Limits on the tool calls of an attempt, by setting and by run."""

from __future__ import annotations

import pytest

from planspec.agents import Answer, Desk, Limits, TaskView
from planspec.environments import open_task
from planspec.runs.attempting import AttemptSpec, attempt


class CallingAgent:
    """An agent that calls a tool until a call is refused.

    Attributes:
        seen: list with the announced limit, the number of calls that were not refused, and the code of the refusal.
    """

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        announced, answered = view.limits.tool_calls, 0
        while desk.calls_left:
            answered += "error" not in desk.call("get_hotel_list", {"city": "Berlin"})
        refused = desk.call("get_hotel_list", {"city": "Berlin"})
        self.seen = (announced, answered, refused["error"]["code"])
        return {}


@pytest.mark.slow
@pytest.mark.parametrize(("max_calls", "announced"), [(None, 30), (40, 30), (7, 7)])
def test_calls_beyond_the_setting_s_limit_are_refused_and_calls_beyond_the_run_s_limit_end_the_attempt(
    max_calls: int | None, announced: int
) -> None:
    opened = open_task("berlin-001")
    agent = CallingAgent()
    record = attempt(AttemptSpec("berlin-001", 0, 0), agent, "curious", opened, Limits(tool_calls=max_calls))
    if max_calls == announced:
        assert record.failure is not None
        assert record.failure.message == "7 tool calls are used up"
    else:
        assert agent.seen == (30, 30, "no-calls-left")
