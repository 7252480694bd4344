"""The floor of a task: the share of its hard constraints that worthless answers satisfy.

The worthless answers are

- the empty answer,
- the plan without rows,
- right answers to other tasks in the same folder, from their certificates,
- the answer that there is no plan, if agents may give it, and
- plans that the agent `random` draws from the task's scope.

Only the last kind depends on the task. The floor is measured when an environment first needs it, which takes up to 1.5
seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from logging import getLogger
from pathlib import Path
from typing import Any, TypeVar

from planspec.agents.baselines import encode_plan, random_answer
from planspec.api import certificates
from planspec.api.judging import Judge
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.reading import READING_MARK
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.rewards import Floor
from planspec.verifiers.meaning.shares import is_delivered

T = TypeVar("T")
NEIGHBOURS = 64
"""Maximum number of other tasks whose right answers are tried. They are spread evenly over the folder."""
DRAWS = 4
"""Number of plans that the agent `random` draws, with seeds from 0."""
NO_FLOOR = "%s: no certificates of other tasks, so failing plans earn nothing; run `planspec validate %s --certify`"


def measure_floor(judge: Judge, task: Path, turn: int = 0, *, others: Sequence[Any] | None = None) -> Floor | None:
    """Measure the floor of a task.

    Return None if `others` is None and no other task in the same folder has a certificate.

    Args:
        judge: judge of the task at its last turn.
        task: file of the task.
        turn: number of the last turn, counted from 0.
        others: right answers to other tasks, used if no other task in the folder has a certificate.
    """
    certified = list(_answers_of_other_tasks(judge, task))
    if not certified and others is None:
        return None
    others = certified or _select_evenly(others or ())
    without_rows = judge.answer(
        encode_plan(judge, Plan({table.name: () for table in judge.task.plan_tables})), details="violated"
    )
    verdicts = [judge.answer(answer, details="violated") for answer in ({}, *others, *_drawn_answers(judge, turn))]
    refusal_passes = judge.refusals != "none" and judge.task.expected == "infeasible"
    blind = [without_rows, *verdicts[: 1 + len(others)]]
    passes = refusal_passes or any(verdict.status == "pass" for verdict in blind)
    floor = Floor.of((verdict for verdict in verdicts if verdict.status != "pass"), passes=passes)
    # every rule holds vacuously without rows: this answer can raise the total share, not the shares of single rules
    return replace(floor, share=max(floor.share, floor.share_of(without_rows))) if is_delivered(without_rows) else floor


def warn_without_floor(task: Path, id: str) -> None:
    """Log that failing plans earn nothing, once for each folder whose other tasks have no certificates."""
    own = certificates.certificate_path(task, id)
    if not _other_certificates(own):
        _warn(task.parent)


@cache
def _warn(folder: Path) -> None:
    getLogger("planspec").warning(NO_FLOOR, folder, folder)


def _drawn_answers(judge: Judge, turn: int) -> Iterator[Any]:
    """Yield the plans of the agent `random`; nothing if the scope has errors."""
    try:
        yield from (random_answer(judge, seed, turn) for seed in range(DRAWS))
    except DiagnosticError:
        return


def _answers_of_other_tasks(judge: Judge, task: Path) -> Iterator[Any]:
    """Yield right answers to other tasks, from the certificates in the same folder."""
    own = certificates.certificate_path(task, judge.task.id)
    for path in _select_evenly(_other_certificates(own)):
        try:
            certificate = certificates.read(path)
        except (ValueError, OSError):
            continue  # the file is not a certificate
        yield from (plan for plan in (certificate.witness, certificate.second) if plan is not None)


def _other_certificates(own: Path) -> list[Path]:
    """Return the certificates of other tasks in the folder of a certificate.

    Certificates of readings (interpretations) are left out, because they may belong to the same task.
    """
    return [path for path in sorted(own.parent.glob("*.json")) if path != own and READING_MARK not in path.stem]


def _select_evenly(values: Sequence[T]) -> Sequence[T]:
    """Return at most `NEIGHBOURS` of the values, spread evenly."""
    if len(values) <= NEIGHBOURS:
        return values
    return [values[place * len(values) // NEIGHBOURS] for place in range(NEIGHBOURS)]
