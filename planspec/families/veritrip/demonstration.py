"""Demonstration of a correct answer: the tool calls that read all facts on the trip's cities and days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from planspec.api.oracles import Performance
from planspec.dsl.model.task import Task
from planspec.families.veritrip.format.tables import bare_name


def perform_answer(answer: Any, performance: Performance) -> Any:
    """Call the tools that return the answer's facts, as far as the agent's setting has them.

    Return the answer unchanged.
    """
    for tool, arguments in _tool_calls(performance.judge.task, answer):
        if tool in performance.tools:
            performance.call(tool, arguments)
    return answer


def _tool_calls(task: Task, answer: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    start, city = (bare_name(task.givens[name]) for name in ("start_city", "target_city"))
    first, last = (date.fromordinal(task.givens[name]) for name in ("start_date", "end_date"))
    tables = answer.get("Final Result", {})
    yield "getTransportation", {"startCity": start, "targetCity": city, "date": first.isoformat()}
    yield "getTransportation", {"startCity": city, "targetCity": start, "date": last.isoformat()}
    if tables.get("accommodationTable"):
        yield "getAccommodations", {"city": city}
    kinds = {row["active_type"] for row in tables.get("itineraryTable", ())}
    if "attraction" in kinds:
        yield "getAttractions", {"city": city}
    if "meal" in kinds:
        yield "getRestaurants", {"city": city}
