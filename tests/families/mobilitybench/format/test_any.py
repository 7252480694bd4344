"""Any MobilityBench plan is unchanged by encoding and decoding, and any answer gets a verdict."""

from __future__ import annotations

import copy
import json
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.model.rows import Row, make_row
from planspec.families.mobilitybench.format.codec import FORMAT
from planspec.verifiers.answers import InexpressiblePlanError, UnsuitableTaskError
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.meaning.plan_rows import Plan
from tests.families.mobilitybench.format.answers import WHOLE, decode, failing_findings, judge, row_key, task
from tests.verifiers.berlin_trip import berlin_task

# -- encoding and decoding ---------------------------------------------------------------------------------------


def table(name: str) -> tuple[Row, ...]:
    """Return the rows of a table of facts."""
    return tuple(task().facts[name].rows)


MAYBE_COUNT = st.none() | st.integers(0, 10**6)
WORDS = st.text(st.sampled_from("abz 05°C晴,-"), min_size=1, max_size=12).map(str.strip).filter(bool)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw a plan that an answer can express."""
    tables = task().tables
    depart = draw(st.none() | st.integers(0, 1439))
    values: dict[str, Any] = {
        "place": draw(
            st.none()
            | st.sampled_from([r for r in table("Place") if row_key(r) != "春安咖啡 (2)" and row_key(r) != "春安咖啡"])
        ),
        "address": draw(st.none() | WORDS),
        "level": draw(st.sampled_from((None, "smooth", "slow", "congested", "severe", "unknown_level"))),
        "depart": depart,
        "arrive": draw(st.none() | st.integers(0, 2879)),
        "time": draw(MAYBE_COUNT),
        "length": draw(MAYBE_COUNT),
        "transfers": draw(MAYBE_COUNT),
        "lights": draw(MAYBE_COUNT),
        "tolls": draw(MAYBE_COUNT),
        "fare": draw(MAYBE_COUNT),
        "possible": draw(st.sampled_from((None, "possible", "impossible"))),
    }
    unknown = {}
    if values["place"] is None:  # an unknown name makes sure that the plan contains an answer
        unknown["place"] = "zzqx" + draw(st.from_regex(r"[a-z]{6}", fullmatch=True))
    listed = draw(st.lists(st.sampled_from([r for r in table("Place") if "春安" not in row_key(r)]), max_size=4))
    routes = draw(st.lists(st.none() | st.sampled_from(table("Route")), max_size=3))
    days = draw(st.lists(st.integers(739_740, 739_760), max_size=3, unique=True))
    degrees = st.none() | st.integers(-40, 45)
    return Plan(
        {
            "answer": (make_row(tables["answer"], values, 0, unknown=unknown),),
            "places": tuple(make_row(tables["places"], {"n": n + 1, "place": r}, n) for n, r in enumerate(listed)),
            "legs": tuple(
                make_row(
                    tables["legs"], {"n": n + 1, "route": r}, n, unknown={} if r else {"route": "drive-00000000-1"}
                )
                for n, r in enumerate(routes)
            ),
            "days": tuple(
                make_row(
                    tables["days"],
                    {
                        "day": day,
                        "weather": draw(st.none() | WORDS),
                        "temperature": draw(degrees),
                        "low": draw(degrees),
                        "high": draw(degrees),
                    },
                    n,
                )
                for n, day in enumerate(days)
            ),
        }
    )


def rows_of(plan: Plan) -> dict[str, Counter[Any]]:
    """Return the rows of each plan table as a multiset of cells."""
    return {
        name: Counter((tuple(getattr(r, c) for c in r._table.columns), repr(r._unknown or {})) for r in rows)
        for name, rows in plan.tables.items()
    }


@given(plans())
def test_a_plan_is_unchanged_by_encoding_and_decoding(plan: Plan) -> None:
    written = json.loads(json.dumps(FORMAT.encode(task(), plan)), parse_float=Decimal)
    again, findings = decode(written, "poi_search")
    assert rows_of(again) == rows_of(plan)
    strange = sum(bool(r._unknown) for rows in plan.tables.values() for r in rows)
    assert len(failing_findings(findings)) == strange


def test_plans_that_no_answer_can_express_are_refused() -> None:
    plan, _ = decode({"place": "Zoo"})
    tables = task().tables
    answer, zoo = tables["answer"], next(r for r in table("Place") if row_key(r) == "Zoo")
    for rows in ((), plan.tables["answer"] * 2):
        with pytest.raises(InexpressiblePlanError, match="answer"):
            FORMAT.encode(task(), Plan({**plan.tables, "answer": rows}))
    for values in ({"address": " x"}, {"time": -1}, {"length": -5}, {"depart": 2880}, {"fare": 10**12}):
        with pytest.raises(InexpressiblePlanError, match="row of `answer`"):
            FORMAT.encode(task(), Plan({**plan.tables, "answer": (make_row(answer, values | {"place": zoo}, 0),)}))
    for n in (0, 2, None):
        leg = make_row(tables["legs"], {"n": n, "route": table("Route")[0]}, 0)
        with pytest.raises(InexpressiblePlanError, match="row of `legs`"):
            FORMAT.encode(task(), Plan({**plan.tables, "legs": (leg,)}))


def test_an_empty_list_of_places_is_encoded_as_an_empty_list() -> None:
    plan, findings = decode({"places": []})
    assert findings == ()
    assert FORMAT.encode(task("nearby_search"), plan) == {"answer": {"places": []}}


# -- arbitrary answers ----------------------------------------------------------------------------------------

NUMBERS = st.integers(-(10**40), 10**40) | st.sampled_from((10**399, -(10**399))) | st.floats() | st.decimals()
TEXTS = st.text(max_size=20) | st.sampled_from(
    (
        "Zoo",
        "24:00",
        "13.42,52.52",
        "2026-05-11",
        "0001-01-01",
        "1e99",
        "1" * 5000,
        "٣",
        "１２",
        "一二三",
        "drive-aaaaaaaa-1",
        "\x00",
        "-0",
        "steps",
        "name",
        "index",
    )
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def value_paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in JSON data. The first path, `()`, leads to the whole data."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(inner for name, part in parts for inner in value_paths(part, (*path, name)))]


def replace_value(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of JSON data in which the value at a path is replaced."""
    if not path:
        return value
    copied = copy.copy(data)
    copied[path[0]] = replace_value(data[path[0]], path[1:], value)
    return copied


@given(st.sampled_from(value_paths(WHOLE)), VALUES)
def test_an_answer_with_any_value_at_any_position_gets_a_verdict(path: tuple[Any, ...], value: Any) -> None:
    verdict = judge("option_constrained_route_planning").answer(replace_value(WHOLE, path, value))
    assert verdict.status in ("fail", "undelivered")


@given(st.dictionaries(st.sampled_from(sorted(WHOLE["answer"])), VALUES, min_size=1))
def test_any_part_of_an_answer_is_read_or_reported(data: dict[str, Any]) -> None:
    try:
        plan, findings = decode(data)
    except NoAnswerError:
        return
    is_filled = any(
        getattr(plan.tables["answer"][0], c) is not None for c in plan.tables["answer"][0]._table.columns if c != "one"
    )
    assert (
        is_filled
        or failing_findings(findings)
        or any(plan.tables[name] for name in ("places", "legs", "days"))
        or data.get("places") == []
    )


def test_a_task_of_another_family_is_refused() -> None:
    with pytest.raises(UnsuitableTaskError, match="a MobilityBench plan needs"):
        FORMAT.decode(berlin_task(), WHOLE)
