"""The table of the paper's Appendix 14 counts tasks, not instances of constraints."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from planspec.families.worldtravel.categories import tables
from planspec.scores.attempts import AttemptedRun
from planspec.scores.known import RuleFacts, TaskFacts
from planspec.verifiers.meaning.verdict import Finding, Tally, Verdict

KINDS = {"slot": "timed-entry", "window": "window", "dwell": "dwell", "route": "inter-activity", "order": "order"}
FACTS = TaskFacts(
    sha256="0",
    labels={},
    rules=(*(RuleFacts(rule=rule, kind=kind, hard=True, n=2) for rule, kind in KINDS.items()),
           RuleFacts(rule="cost", kind="cost", hard=False, n=1)),
)  # fmt: skip


def _verdict(violated: Mapping[str, int], status: Any = "fail") -> Verdict:
    """Return a verdict with this number of violated instances of each rule."""
    found = tuple(
        Finding(constraint=f"{rule}[{n}]", level="hard", kind=KINDS[rule], status="violated", message="")
        for rule, count in violated.items()
        for n in range(count)
    )
    nothing = Tally(satisfied=0, total=0)
    return Verdict(
        task="a",
        profile="strict",
        status=status,
        hard=nothing,
        soft=nothing,
        metrics={},
        in_scope=None,
        findings=found,
    )


def _table(*verdicts: Verdict) -> dict[str, tuple[Any, ...]]:
    """Return the rows of the table of categories for these verdicts, by the first column."""
    names = tuple(str(n) for n in range(len(verdicts)))
    run = SimpleNamespace(
        run=SimpleNamespace(tasks=names),
        rows=tuple((SimpleNamespace(verdict=verdict),) for verdict in verdicts),
        facts=SimpleNamespace(tasks=dict.fromkeys(names, FACTS)),
    )
    (table,) = tables(cast(AttemptedRun, run))
    return {str(row[0]): row[1:] for row in table.rows}


def test_a_category_fails_once_in_a_task_with_several_violations() -> None:
    result = _table(_verdict({"slot": 2, "window": 1}), _verdict({"window": 1, "order": 1}), _verdict({}, "pass"))
    assert result["timed-entry slot"] == (3, 1, 1 / 3, 2, 12, 4 / 12)
    assert result["dwell time"] == (3, 3, 1.0, 0, 6, 0.0)
    assert result["other"] == (3, 2, 2 / 3, 1, 6, 1 / 6)
    assert result["all"] == (3, 1, 1 / 3, 2, 30, 5 / 30)


def test_an_undelivered_answer_satisfies_no_category() -> None:
    result = _table(_verdict({}, "undelivered"))
    assert result["early arrival"] == (1, 0, 0.0, 1, 2, 1.0)


def test_soft_constraints_are_not_counted() -> None:
    assert _table(_verdict({}, "pass"))["all"] == (1, 1, 1.0, 0, 10, 0.0)
