from __future__ import annotations

import json

import pytest

from planspec.traces.record import Stage, Trace
from tests.planspec.agents.models.small_office import desk


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ('{"city": NaN}', "invalid"),
        ('{"city": 1e999}', "invalid"),
        ("[" * 9_999, "invalid"),
        ('{"city": "\\ud800"}', "miss"),
        ('{"\\udfff": 1}', "invalid"),
    ],
)
def test_arguments_with_any_text_can_be_recorded(written: str, error: str) -> None:
    at = desk()
    at.call("sights", written)
    trace = at.trace("small", "a", "x", None)
    text = json.dumps(trace.model_dump(mode="json"), allow_nan=False)
    assert Trace.model_validate_json(text) == trace
    (call,) = trace.calls
    assert call.result is not None and call.result.error == error


def test_a_call_is_accessible_by_its_index() -> None:
    at = desk()
    at.call("today", "{}")
    place, result = at.place_call("today", {}, id="mine", stage=2)
    assert (place, result) == (1, {"day": "Monday"})
    assert (at.calls[place].id, at.calls[place].stage) == ("mine", 2)


def test_a_recorded_stage_can_be_replaced_by_a_later_record() -> None:
    at = desk()
    first, second = at.record_stage(Stage(name="worker")), at.record_stage(Stage(name="worker"))
    assert at.record_stage(Stage(name="worker", text="done"), first) == first
    assert [stage.text for stage in at.stages] == ["done", None] and second == 1


def test_an_agent_can_read_how_many_calls_and_steps_are_left() -> None:
    at = desk(tool_calls=2, steps=5)
    at.call("today", {})
    at.step()
    assert (at.calls_left, at.steps_left) == (1, 4)
    free = desk(tool_calls=None, steps=None)
    assert (free.calls_left, free.steps_left) == (None, None)


def test_repeated_events_are_counted() -> None:
    at = desk()
    at.count("retries")
    at.count("retries")
    assert at.trace("small", "a", "x", None).extra == {"retries": 2}
