"""Limits on the tool calls of an attempt, by setting and by run."""

from __future__ import annotations

import pytest

from planspec.agents import Answer, Desk, Limits, TaskView
from planspec.environments import open_task
from planspec.runs.attempting import AttemptSpec, attempt


class Curious:
    """Calls a tool until a call is refused, and answers with the announced limit and the number of answered calls."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        announced, answered = view.limits.tool_calls, 0
        while desk.calls_left:
            answered += "error" not in desk.call("get_hotel_list", {"city": "Berlin"})
        refused = desk.call("get_hotel_list", {"city": "Berlin"})
        self.seen = (announced, answered, refused["error"]["code"])
        return {}


@pytest.mark.parametrize(("most", "announced"), [(None, 30), (40, 30), (7, 7)])
def test_calls_beyond_a_setting_s_limit_are_refused_and_beyond_a_run_s_limit_end_the_attempt(
    most: int | None, announced: int
) -> None:
    opened = open_task("berlin-001")
    agent = Curious()
    record = attempt(AttemptSpec("berlin-001", 0, 0), agent, "curious", opened, Limits(tool_calls=most))
    if most == announced:
        assert record.failure is not None
        assert record.failure.message == "7 tool calls are used up"
    else:
        assert agent.seen == (30, 30, "no-calls-left")
