"""The audit of a scorer as text."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.api.probes import Probe
from planspec.foreign_scorers.audit import ScoredProbe, ScorerAudit, TaskAudit

MOST_REASONS = 3
"""Largest number of violations or changes that are shown of a probe."""
_INDENT = " " * 10


def audit_lines(audit: ScorerAudit) -> Iterator[str]:
    """Yield the lines of an audit: each disagreement and error with its witness, then the sums."""
    for task in audit.tasks:
        for scored in task.probes:
            if scored.outcome != "agreed":
                yield from probe_lines(task, scored)
        if task.reason is not None:
            yield f"unprobed  {task.task}: {task.reason}"
    totals = audit.totals
    yield (
        f"tasks {totals.tasks}, answers {totals.probes}: {totals.agreed} agreed, {totals.punished} right but refused, "
        f"{totals.rewarded} wrong but accepted, {totals.errors} errors"
    )
    if totals.refusals_rewarded:
        yield f"answers that say that there is no plan {totals.refusals}: {totals.refusals_rewarded} wrongly accepted"
    skipped = (
        (totals.impossible, "do not exist"),
        (totals.unknown, "were not found in time"),
        (totals.dropped, "were not as intended"),
    )
    parts = [f"{count} {text}" for count, text in skipped if count]
    if parts:
        yield f"further answers: {', '.join(parts)}"
    yield f"{audit.scorer} accepts an answer by true, or by a number from {audit.threshold:g}"


def probe_lines(task: TaskAudit, scored: ScoredProbe) -> Iterator[str]:
    """Yield the lines of a disagreement or an error."""
    probe = scored.probe
    truth = "right" if probe.passes else "wrong"
    if scored.error is not None:
        yield f"error     {task.task}  {_name(probe)}: {scored.error}"
        return
    score = str(scored.score).lower() if isinstance(scored.score, bool) else f"{scored.score:g}"
    yield f"{scored.outcome:<8}  {task.task}  {_name(probe)} is {truth}, and its score is {score}"
    for violation in probe.violations[:MOST_REASONS]:
        margin = "" if violation.margin is None else f" ({violation.margin})"
        yield f"{_INDENT}{violation.constraint}{margin}: {violation.message}"
    for change in probe.changes[:MOST_REASONS]:
        yield f"{_INDENT}{change}"
    if len(probe.changes) > MOST_REASONS:
        yield f"{_INDENT}and {len(probe.changes) - MOST_REASONS} more changes of the reference"
    for objective in probe.objectives if probe.passes else ():
        yield f"{_INDENT}{objective}"


def _name(probe: Probe) -> str:
    """Return the noun for a probe."""
    match probe.kind:
        case "reference":
            return "the reference"
        case "far":
            return "the farthest plan" if probe.is_extreme else "a far plan"
        case "near":
            return "the nearest plan" if probe.is_extreme else "a near plan"
        case "other":
            return "another plan"
        case "breaks":
            return f"a plan that breaks `{probe.constraint}`"
        case "empty":
            return "an empty answer"
        case "refusal":
            return "a refusal"
