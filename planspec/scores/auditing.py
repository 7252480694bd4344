"""The operation `audit`: an audit of a suite, and of published answers to its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.api.auditing.suites import audit_output, audit_tasks, suite_to_audit
from planspec.api.auditing.tasks import AuditOptions
from planspec.api.outputs.audits import AuditOutput
from planspec.api.solving import limits_of

if TYPE_CHECKING:
    from planspec.parallel import Jobs
    from planspec.scores.answer_lines import AnswersLike
    from planspec.solvers.backends.outcome import Limits


def audit(
    suite: str | PathLike[str],
    *,
    answers: AnswersLike | None = None,
    verdicts: PathLike[str] | Mapping[str, bool] | None = None,
    readings: Sequence[str] | None = None,
    by: str | None = None,
    most: int = 10,
    deep: bool = True,
    certify: bool = False,
    limits: Limits | float | None = None,
    jobs: Jobs = 1,
) -> AuditOutput:
    """Audit the tasks of a suite for mistakes, claims, references, number of plans, and answers without rows.

    Args:
        suite: path, folder or id of a suite or a task.
        answers: published answers to judge, in the forms that `score` takes; the key `answer` is accepted for `plan`.
        verdicts: another judge's verdicts on these answers: whether each is accepted, by task; or a file of JSON
            lines `{"task": ..., "pass": ...}` or CSV.
        readings: readings of the suite in which each task is audited, or `all`; the tasks as written if None.
        by: key of `meta` by which the tasks are also counted in groups; None for no groups.
        most: number of plans at which counting stops.
        deep: whether to include the solver checks of `check --deep`.
        certify: whether to write certificates beside the tasks.
        limits: limits on each task, or on each of its turns; a number is seconds of wall-clock time.
        jobs: number of processes, or a Ray cluster.

    Raises:
        NotFoundError: there is no such suite, task or reading.
        DiagnosticError: the suite has errors. Errors in its tasks are findings of the audit.
        UnsuitableAnswersError: the answers or verdicts cannot be read, or are not for tasks of the suite.
        InternalError: the verifier and a back end contradict each other.
        ValueError: there are verdicts without answers, or answers and several readings.
        TypeError: `suite` is neither a path nor an id.
    """
    if verdicts is not None and answers is None:
        raise ValueError("verdicts are about answers: give these, too")
    options = AuditOptions(most, limits_of(limits), deep, certify)
    audited = suite_to_audit(suite, readings=readings)
    if answers is not None and len(audited.readings) > 1:
        raise ValueError("answers are judged in one reading at a time")
    result = audit_output(audited, audit_tasks(audited, options, jobs), options, by)
    if answers is None:
        return result
    from planspec.scores.published import judge_published
    from planspec.scores.verdict_files import read_verdicts

    theirs = verdicts if verdicts is None or isinstance(verdicts, Mapping) else read_verdicts(Path(verdicts))
    return result.model_copy(update={"answers": judge_published(suite, result, answers, theirs, jobs=jobs)})
