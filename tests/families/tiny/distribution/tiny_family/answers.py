"""Answers such as `{"go": ["baker"]}`, which list shops by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.task import Task
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.format import NoAnswerError, PlanFormat
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.plan_rows import Plan


class ErrandFormat:
    """Codec between a list of shops and the table `stops`."""

    name = "tiny"
    lists = False

    def is_answer(self, data: Any) -> bool:
        return isinstance(data, Mapping) and "go" in data

    def decode(self, task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        if not isinstance(data, Mapping) or not isinstance(data.get("go"), list):
            raise NoAnswerError("the answer has no list `go`")
        return read_tables(task, {"stops": [{"shop": name} for name in data["go"]]})

    def encode(self, task: Task, plan: Plan) -> Any:
        stops: Any = plan.tables["stops"]  # type checkers do not know its columns
        return {"go": [stop.shop.id for stop in stops]}


FORMAT: PlanFormat = ErrandFormat()
