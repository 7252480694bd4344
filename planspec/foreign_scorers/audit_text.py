"""The audit of a scorer as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planspec.api.probes import Probe
from planspec.foreign_scorers.audit import Outcome, ScoredProbe, ScorerAudit, TaskAudit

MOST_REASONS = 3
"""Maximum number of violations or changes shown for a probe."""
MOST_TASKS = 5
"""Maximum number of further tasks named for a kind of disagreement."""
_INDENT = " " * 10


@dataclass(frozen=True, slots=True)
class ProbeGroup:
    """Disagreements of the same kind, such as accepted answers that violate the same rule, or equal errors.

    Attributes:
        outcome: common outcome of the probes.
        name: common description of the answers, such as `a plan that breaks the rule budget`.
        members: the probes with their tasks; at least one.
    """

    outcome: Outcome
    name: str
    members: tuple[tuple[TaskAudit, ScoredProbe], ...]

    @property
    def tasks(self) -> list[str]:
        """Ids of the tasks, without duplicates."""
        return list(dict.fromkeys(task.task for task, _ in self.members))


def probe_groups(audit: ScorerAudit) -> list[ProbeGroup]:
    """Return the disagreements and errors, grouped by kind. Kinds with most tasks come first."""
    groups: dict[tuple[Outcome, str], list[tuple[TaskAudit, ScoredProbe]]] = {}
    for task in audit.tasks:
        for scored in task.probes:
            if scored.outcome != "agreed":
                key = scored.outcome, _name(scored.probe) if scored.error is None else scored.error
                groups.setdefault(key, []).append((task, scored))
    found = [ProbeGroup(outcome, name, tuple(members)) for (outcome, name), members in groups.items()]
    return sorted(found, key=lambda group: -len(group.tasks))


def audit_lines(audit: ScorerAudit) -> Iterator[str]:
    """Yield the lines of an audit: each kind of disagreement or error with an example, then the counts."""
    for group in probe_groups(audit):
        task, scored = group.members[0]
        yield from probe_lines(task, scored)
        others = group.tasks[1:]
        if others:
            more = f", and {len(others) - MOST_TASKS} more" if len(others) > MOST_TASKS else ""
            yield f"{_INDENT}so also in {', '.join(others[:MOST_TASKS])}{more}"
    for task in audit.tasks:
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
    yield f"{audit.scorer} accepts an answer by true or a number of at least {audit.threshold:g}"


def probe_lines(task: TaskAudit, scored: ScoredProbe) -> Iterator[str]:
    """Yield the lines about one disagreement or error."""
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
    """Return a noun phrase for a probe, such as `a plan that breaks the rule budget`."""
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
