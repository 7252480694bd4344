"""Text of an audit: tasks with problems, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from planspec.api.auditing.findings import CLAIM_CODES, TEXT_CODES, has_errors
from planspec.api.reading_text import name_in_reading
from planspec.dsl.diagnostics.codes import CODES
from planspec.text import align

if TYPE_CHECKING:
    from planspec.api.outputs.audits import (
        AnswersAudit,
        AuditOutput,
        AuditTotals,
        RateOutput,
        Result,
        TaskAudit,
    )
    from planspec.text import LineFormatter

SUMMARY: Mapping[Result, str] = {
    "ok": "ok",
    "several": "several",
    "gap": "with a gap",
    "none": "not as expected",
    "lazy": "lazy",
    "text": "text",
    "unknown": "undecided",
}
"""Text for each result in the summary, in the summary's order."""
COLORS: Mapping[Result, str] = {"none": "red", "several": "red", "lazy": "red", "gap": "yellow", "text": "yellow"}
CLAIMS = {
    "unique": "one plan",
    "multiple": "several plans",
    "feasible": "a plan",
    "infeasible": "no plan",
    "unknown": "undecided",
}
MOST_NAMES = 3
"""Maximum number of tasks named in a note."""
MOST_DIFFERENCES = 3
"""Maximum number of printed differences of another plan."""
INDENT = " " * 8


def audit_lines(audit: AuditOutput, paper: LineFormatter) -> Iterator[str]:
    """Yield the lines that `planspec audit` prints."""
    for each in audit.findings:
        yield f"{each.severity}[{each.code}]: {each.message}"
    for task in audit.tasks:
        if task.result != "ok":
            yield from task_lines(task, paper)
    yield from closing_lines(audit)


def closing_lines(audit: AuditOutput) -> Iterator[str]:
    """Yield the lines after those on tasks: table of groups, notes, summary, and the check of published answers."""
    if audit.strata:
        yield from strata_lines(audit.by or "", audit.strata)
    yield from note_lines(audit.tasks)
    yield from reading_lines(audit)
    yield summary_line(audit)
    if audit.answers is not None:
        yield from answers_lines(audit.answers)


def note_lines(tasks: Iterable[TaskAudit]) -> Iterator[str]:
    """Yield a line for each kind of warning that `task_lines` omits, with the ids of the tasks that have it."""
    tasks_by_code: dict[str, dict[str, None]] = {}
    for task in tasks:
        for each in task.findings:
            if each.severity == "warning" and each.code not in TEXT_CODES | CLAIM_CODES:
                tasks_by_code.setdefault(each.code, {})[name_in_reading(task.task, task.reading)] = None
    for code, ids in sorted(tasks_by_code.items()):
        shown = ", ".join([*ids][:MOST_NAMES])
        more = f" and {len(ids) - MOST_NAMES} more" if len(ids) > MOST_NAMES else ""
        yield f"warning[{code}] {CODES[code].slug}: {shown}{more}"


def task_lines(task: TaskAudit, paper: LineFormatter) -> Iterator[str]:
    """Yield the lines of one task."""
    word = "?" if task.result == "unknown" else task.result
    head = paper.style(f"{word:<8}", fg=COLORS.get(task.result, "yellow"))
    parts = [claim_text(task), "" if has_errors(task) else reference_text(task)]
    if task.lazy is not None and task.lazy.passes:
        parts.append("lazy 1.00")
    yield f"{head} {name_in_reading(task.task, task.reading):<10} {'   '.join(part for part in parts if part)}"
    if task.other is not None:
        shown = task.other.differs[:MOST_DIFFERENCES]
        more = len(task.other.differs) - len(shown)
        rest = f"; and {more} more" if more else ""
        yield f"{INDENT}{OTHER_PLANS[task.other.kind]}: {'; '.join(shown)}{rest}"
    for reason in task.reference.violations if task.reference is not None else ():
        yield f"{INDENT}the reference: {reason}"
    for each in task.findings:
        if each.severity == "error" or each.code in TEXT_CODES:
            yield f"{INDENT}{each.severity}[{each.code}]: {each.message} ({each.source})"
    for question in task.undecided:
        yield f"{INDENT}undecided: {question}"


OTHER_PLANS = {"another": "another plan", "better": "a better plan", "nearest": "the nearest right plan"}


def claim_text(task: TaskAudit) -> str:
    """Return the expectation and the proved result, such as `expects unique: 4 plans (exact)`."""
    if has_errors(task):
        return "has errors"
    expected = f"expects {task.expected}: " if task.expected is not None else ""
    if task.proved == "multiple" and task.plans is not None:
        return f"{expected}{plans_text(task)}"
    return f"{expected}{'feasible' if task.proved == 'multiple' else task.proved}"


def plans_text(task: TaskAudit) -> str:
    """Return the number of plans, such as `4 plans (exact)` or `10 plans or more`."""
    if task.plans is None:
        return CLAIMS[task.proved]
    count, exact = task.plans.count, task.plans.exact
    noun = "plan" if count == 1 else "plans"
    return f"{count} {noun} (exact)" if exact else f"{count} {noun} or more"


def reference_text(task: TaskAudit) -> str:
    """Return whether the reference passes, with its objective values, as text."""
    if task.reference is None:
        return "no reference"
    status = "passes" if task.reference.status == "pass" else "FAILS"
    return ", ".join((f"reference {status}", *(each.text for each in task.reference.objectives)))


def strata_lines(by: str, totals: Iterable[AuditTotals]) -> Iterator[str]:
    """Yield the lines of a table with one row per group of tasks."""
    head = (by, "tasks", *SUMMARY.values(), "one plan", "several plans", "no plan", "reference passes", "fails")
    rows = [
        (
            row.value or "-",
            str(row.tasks),
            *(str(row.summary[word]) for word in SUMMARY),
            *(str(row.proved[claim]) for claim in ("unique", "multiple", "infeasible")),
            *(str(row.references[status]) for status in ("pass", "fail")),
        )
        for row in totals
    ]
    yield from align([head, *rows], right=range(1, len(head)))


def reading_lines(audit: AuditOutput) -> Iterator[str]:
    """Yield a line for each reading, such as `whole: 150 tasks: 148 ok, 2 several`; nothing if there is only one."""
    for name in audit.readings if len(audit.readings) > 1 else ():
        results = Counter(task.result for task in audit.tasks if task.reading == name)
        yield f"{name}: {_counts_text(results.total(), results)}"


def _counts_text(count: int, results: Mapping[Result, int]) -> str:
    parts = [f"{results[word]} {words}" for word, words in SUMMARY.items() if results[word]]
    return f"{'1 task' if count == 1 else f'{count} tasks'}: {', '.join(parts) or 'none'}"


def summary_line(audit: AuditOutput) -> str:
    """Return the summary, such as `200 tasks: 141 ok, 49 several        12 s CPU, cpsat 9.15, smt 5.4`."""
    versions = ", ".join(f"{name} {version}" for name, version in audit.versions.items())
    counts = _counts_text(len(audit.tasks), {word: audit.summary[word] for word in SUMMARY})
    if len(audit.readings) > 1:
        counts = f"{len(audit.readings)} readings"
    elif audit.readings:
        counts = f"{audit.readings[0]}: {counts}"
    return f"{counts}        {audit.seconds:.2f} s CPU, {versions}"


def answers_lines(answers: AnswersAudit) -> Iterator[str]:
    """Yield a line with the counts of agreement on published answers, and a line for each disagreement."""
    head = f"answers {answers.answers}: {answers.right.passed} right ({rate_text(answers.right)})"
    if answers.cells is not None and answers.theirs is not None:
        cells = answers.cells
        head += (
            f", theirs {answers.theirs.passed} ({rate_text(answers.theirs)}): {cells.both} both, {cells.refused} right but "
            f"refused, {cells.accepted} wrong but accepted, {cells.neither} neither"
        )
    yield head
    for each in answers.disagreements:
        verdict = "right but refused" if each.right else "wrong but accepted"
        yield f"{INDENT}{each.task}: {verdict}: {'; '.join(each.reasons)}"
    for task in answers.undecided:
        yield f"{INDENT}{task}: not judged: its best plan is not proved"
    for task in answers.unmatched:
        yield f"{INDENT}{task}: a verdict without an answer"
    for message in answers.unread:
        yield f"{INDENT}{message}"


def rate_text(rate: RateOutput) -> str:
    """Return a share with its interval, such as `83.0 %, 77.2 to 87.6`."""
    if rate.share is None or rate.low is None or rate.high is None:
        return "no answers"
    return f"{rate.share:.1%}, {rate.low * 100:.1f} to {rate.high * 100:.1f}".replace("%", " %")
