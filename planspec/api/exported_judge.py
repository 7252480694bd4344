"""Judges of exported tasks, which need no solver.

The folder of an exported task has a record `judge.json`, the files of the task in `task`, and its files that ship with
planspec in `shipped`. Lark and PyYAML are enough to read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from planspec.api.best_values import BestValue, BestValues
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import PlanspecError
from planspec.verifiers.meaning.rewards import Floor, dense_reward
from planspec.verifiers.meaning.shares import count_violations, hard_share, is_delivered, soft_share
from planspec.verifiers.meaning.verdict import Verdict

RECORD: Final = "judge.json"
OWN: Final = "task"
SHIPPED: Final = "shipped"
VERSION: Final = "judge/1"


class ChangedTaskError(PlanspecError, ValueError):
    """The task in a folder is not the one that was exported."""


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """The record of an exported task, `judge.json`.

    Attributes:
        task: path of the task's file in the folder; `task/suite.yaml#id` for a task in a table.
        setting: setting in which agents solve it.
        hash: hash of the task (`Task.hash`).
        conflicts: minimal conflicts, each as ids of constraint instances; empty for a task with a plan; None if agents
            may not answer that there is no plan.
        best: values of the best plan; None if the task has no objective, or no certificate proves them.
        floor: share of satisfied constraints up to which a failing plan earns no dense reward; None if unknown. Failing
            plans then earn nothing.
    """

    task: str
    setting: str
    hash: str
    conflicts: tuple[frozenset[str], ...] | None = None
    best: BestValues | None = None
    floor: Floor | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON, with exact numbers as strings such as `2/3`."""
        return {
            "planspec": VERSION,
            "task": self.task,
            "setting": self.setting,
            "hash": self.hash,
            "conflicts": None if self.conflicts is None else sorted(sorted(each) for each in self.conflicts),
            "best": None if self.best is None else _best_as_json(self.best),
            "floor": None if self.floor is None else self.floor.as_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JudgeRecord:
        """Return the record from the result of `as_json`.

        Raises:
            ValueError: the data have another format version.
        """
        if data.get("planspec") != VERSION:
            raise ValueError(f"`{RECORD}` is no `{VERSION}`")
        conflicts, best, floor = data["conflicts"], data["best"], data["floor"]
        return cls(
            data["task"],
            data["setting"],
            data["hash"],
            None if conflicts is None else tuple(map(frozenset, conflicts)),
            None if best is None else _best_from_json(best),
            None if floor is None else Floor.from_json(floor),
        )


class ExportedJudge:
    """The judge of an exported task.

    Args:
        folder: folder with the record and the task's files.

    Attributes:
        record: record in the folder.
        judge: judge of its last turn.

    Raises:
        ChangedTaskError: the task is not the one that was exported.
        DiagnosticError: its files have errors.
        ValueError: the record has another format version.
        OSError: a file cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.record = JudgeRecord.from_json(json.loads((folder / RECORD).read_text("utf-8")))
        workspace = Workspace(shipped=folder / SHIPPED)
        self.judge = Judge(load(folder / self.record.task, workspace=workspace), setting=self.record.setting)
        if self.judge.task.hash != self.record.hash:
            raise ChangedTaskError("the task is not the one that was exported")
        if self.record.conflicts is not None:
            self.judge.know_conflicts(self.record.conflicts)
        if self.record.best is not None:
            self.judge.best_values = self.record.best

    def verdict(self, answer: str | None) -> Verdict:
        """Judge an answer. None stands for a missing answer."""
        return self.judge.answer(answer or "", details="violated")

    def rewards(self, verdict: Verdict) -> dict[str, float]:
        """Return the rewards of a verdict, each a number from 0 to 1, and the number of its violations.

        `reward` is 1 if the answer passes, else 0. `dense` is a graded reward. `hard` and `soft` are shares of
        satisfied constraints. All are 0 for an answer that earns nothing, such as one without rows. `soft` is missing
        if the task has no soft constraints.
        """
        dense = dense_reward(self.judge.beside_best(verdict), self.record.floor)
        earned = int(dense > 0)
        soft = soft_share(verdict)
        rewards: dict[str, float] = {
            "reward": int(verdict.status == "pass"),
            "dense": float(dense),
            "hard": float(earned * hard_share(verdict)),
        }
        if soft is not None:
            rewards["soft"] = float(earned * soft)
        return {**rewards, "delivered": int(is_delivered(verdict)), "violations": count_violations(verdict)}


def _best_as_json(best: BestValues) -> dict[str, Any]:
    return {
        "soft_weight": best.soft_weight,
        "values": [[_text(value.best), _text(value.bound)] for value in best.values],
        "by": list(best.by),
        "scope": best.scope,
    }


def _best_from_json(data: Mapping[str, Any]) -> BestValues:
    values = tuple(BestValue(_number(best), _number(bound)) for best, bound in data["values"])
    return BestValues(data["soft_weight"], values, tuple(data["by"]), data["scope"])


def _text(number: Fraction | None) -> str | None:
    return None if number is None else str(number)


def _number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)
