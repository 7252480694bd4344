"""What TravelPlanner's public evaluator takes: for each query, in the order of the queries, a line with its plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec.api.judging import Judge
from planspec.api.submission import Submission
from planspec.traces.record import Trace
from planspec.verifiers.answers.envelope import Undelivered
from planspec.verifiers.answers.format import plain_json


class TravelPlannerSubmission:
    """`{"idx": 1, "query": ..., "plan": [...]}`; the plan is null where there is none, and where one refuses to make one."""

    lines = True

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:  # noqa: ARG002
        """A line of the submission.

        Days stay as they were written, since the public evaluator reads texts; a plan in tables becomes days.

        Raises:
            InexpressiblePlanError: no days say what the tables do.
        """
        name = judge.task.id.partition("@")[0]
        idx = int(name) if name.isdecimal() and name.isascii() else name
        return {"idx": idx, "query": judge.task.query, "plan": _days(judge, answer)}


def _days(judge: Judge, answer: Any) -> Any:
    read = Undelivered("") if answer is None else judge.reading(answer)
    if isinstance(read, Undelivered):
        return None
    said = read.plan
    if isinstance(said, Mapping) and any(table.name in said for table in judge.task.plan_tables):
        plan, _ = judge.format.decode(judge.task, said)
        return judge.encode(plan)
    days = said.get("plan") if isinstance(said, Mapping) else said
    return plain_json(days) if isinstance(days, list) else None


SUBMISSION: Submission = TravelPlannerSubmission()
