"""Every run is scored, and its scores can be written."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.metrics import METRICS, score_trace
from planspec.families.mobilitybench.metrics.extraction import _FORMS
from planspec.families.mobilitybench.metrics.record import TOKENS
from planspec.traces import Call, Trace
from tests.families.mobilitybench.metrics.runs import DRIVE, HERE, episode, planner
from tests.random_examples import examples

names = st.text(max_size=20)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | names
    | st.sampled_from(["here", HERE, "08:00", "500 m", "POI Search", "2026-03-01", "avoid_tolls"])
)
json_values: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
arguments = sorted({name for model, _ in TOOLS.values() for name in model.model_fields})
calls = st.builds(
    lambda name, arguments: Call(name=name, arguments=arguments),
    st.sampled_from([*TOOLS, "query_poi", "driving_route", "bus_route", "search_around_poi", "x", None]),
    st.none() | st.dictionaries(st.sampled_from([*arguments, "strategy", "longitude", "x"]), json_values, max_size=4),
)
answers = st.fixed_dictionaries(
    {},
    optional={
        "intent": json_values,
        "constraints": json_values | st.dictionaries(st.sampled_from([*_FORMS, "x"]), json_values, max_size=5),
        "steps": json_values | st.lists(json_values, max_size=4),
        "answer": json_values,
    },
)


@settings(max_examples=examples(200))
@given(answers, st.lists(calls, max_size=4), st.booleans(), names, json_values)
def test_any_run_is_scored(
    answer: dict[str, Any], calls_made: list[Call], public: bool, intent: str, declared: Any
) -> None:
    own_episode = episode(*DRIVE, public=public, steps=("find_place", "plan_drive"), constraints={"destination": "x"})
    stage = planner(intent=intent, extra={"constraints": declared})
    run = score_trace(
        own_episode,
        Trace(task="case_1", calls=tuple(calls_made), answer=json.dumps(answer), stages=(stage,)),
        None,
    )
    for name in METRICS:
        value = run.metrics[name].value
        assert value is None if name in (*TOKENS, "FPR") and value is None else value is not None and 0 <= value <= 1
    json.dumps(run.as_json(), allow_nan=False).encode()
