"""An audit of a scorer counts its verdicts, and gives an example (witness) of each disagreement with planspec."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

import planspec
from planspec.foreign_scorers import Score, ScorerAudit, ScorerFailedError, TaskAudit, audit_scorer

TASK = """\
planspec: task/1
id: pair
query: Two numbers.
plan: {pair: {one: true, a: int, b: int}}
scope: {pair: {a: 0..9, b: 0..9}}
constraints:
  sum: {hard: pair.a + pair.b >= 6}
  most: {hard: pair.a <= 5}
reference: {pair: {a: 3, b: 9}}
"""


class Lenient:
    """A scorer that checks only the value of `a`."""

    name = "lenient"

    def score(self, request: Mapping[str, Any]) -> Score:
        """Return the score 1/2 if `a` is small enough."""
        pair = request["answer"].get("pair")
        if pair is None:
            raise ScorerFailedError("it reads `pair`")
        return 0.5 if pair.get("a", 9) <= 5 else 0.0

    def close(self) -> None:
        """Do nothing."""


def audit_of(threshold: float = 0.5, text: str = TASK) -> ScorerAudit:
    """Audit the lenient scorer on a task."""
    return audit_scorer([planspec.loads(text)], Lenient(), threshold=threshold, deadline=20)


def test_verdicts_are_counted() -> None:
    totals = audit_of().totals
    assert (totals.tasks, totals.probes, totals.right, totals.wrong) == (1, 10, 5, 5)
    assert (totals.agreed, totals.punished, totals.rewarded, totals.errors) == (7, 0, 1, 2)
    assert (totals.refusals, totals.refusals_rewarded, totals.impossible, totals.unknown, totals.dropped) == (
        1,
        0,
        0,
        0,
        0,
    )


def test_a_higher_threshold_punishes_right_answers() -> None:
    audit = audit_of(threshold=1.0)
    assert (audit.totals.punished, audit.totals.rewarded) == (5, 0)
    assert audit.threshold == 1.0


def test_the_text_shows_each_disagreement_with_its_witness() -> None:
    lines = list(audit_of().lines())
    assert lines[0] == "rewarded  pair  a plan that breaks `sum` is wrong, and its score is 0.5"
    assert lines[1].startswith("          sum (-1): ")
    assert lines[2].startswith("          pair.")
    assert "error     pair  an empty answer: it reads `pair`" in lines
    assert lines[-2:] == [
        "tasks 1, answers 10: 7 agreed, 0 right but refused, 1 wrong but accepted, 2 errors",
        "lenient accepts an answer by true or a number of at least 0.5",
    ]


def test_the_json_matches_the_schema_and_can_be_read_back() -> None:
    audit = audit_of()
    data = json.loads(json.dumps(audit.to_json()))
    assert data["totals"]["rewarded"] == 1
    assert TypeAdapter(ScorerAudit).validate_python(data, strict=False) == audit


def test_each_task_is_reported_as_soon_as_it_is_audited() -> None:
    seen: list[TaskAudit] = []
    audit_scorer([planspec.loads(TASK)], Lenient(), threshold=0.5, deadline=20, on_task=seen.append)
    assert [task.task for task in seen] == ["pair"]
    assert seen[0].count("agreed") == 7


def test_a_task_that_cannot_be_judged_has_a_reason_instead_of_probes() -> None:
    audit = audit_of(text=TASK + "minimize: {total: pair.a}\nmax_gap: 1\n")
    assert audit.totals.unprobed == 1
    assert audit.tasks[0].reason is not None
    assert "max_gap" in audit.tasks[0].reason
    assert any(line.startswith("unprobed  pair: ") for line in audit.lines())
