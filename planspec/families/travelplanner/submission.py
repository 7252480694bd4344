"""Submission format of TravelPlanner's public evaluator: one line with a plan for each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec.api.judging import Judge
from planspec.api.submission import Submission
from planspec.traces.record import Trace
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.answers.format import plain_json


class TravelPlannerSubmission:
    """Submission lines `{"idx": 1, "query": ..., "plan": [...]}`. The plan is null if the answer has none."""

    lines = True  # the file is JSON Lines

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:  # noqa: ARG002
        """Return a line of the submission.

        An answer in the form of days is copied unchanged. An answer in the form of plan tables is converted to days.

        Raises:
            InexpressiblePlanError: no list of days expresses the tables.
        """
        name = judge.task.id.partition("@")[0]
        idx = int(name) if name.isdecimal() and name.isascii() else name
        return {"idx": idx, "query": judge.task.query, "plan": _days_of_answer(judge, answer)}


def _days_of_answer(judge: Judge, answer: Any) -> Any:
    parsed = Undelivered("") if answer is None else judge.reading(answer)
    if isinstance(parsed, Undelivered):
        return None
    data = parsed.plan
    if isinstance(data, Mapping) and any(table.name in data for table in judge.task.plan_tables):
        plan, _ = judge.format.decode(judge.task, data)
        return judge.encode(plan)
    days = data.get("plan") if isinstance(data, Mapping) else data
    return plain_json(days) if isinstance(days, list) else None


SUBMISSION: Submission = TravelPlannerSubmission()
