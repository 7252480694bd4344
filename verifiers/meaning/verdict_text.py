"""Verdicts as lines of text: failures first, then what is satisfied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.workspace.workspace import Workspace
from planspec.paper import Paper
from planspec.verifiers.meaning.margin import in_words

if TYPE_CHECKING:  # a verdict prints itself with these lines
    from planspec.verifiers.meaning.verdict import CheckSummary, Finding, Verdict

LEVELS = ("shape", "hard", "soft")
"""Order of findings."""
MARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "violated": ("x", {"fg": "red", "bold": True}),
    "satisfied": ("+", {"fg": "green"}),
    "not-applicable": ("-", {"dim": True}),
}


def verdict_lines(verdict: Verdict, paper: Paper, *, quiet: bool = False) -> Iterator[str]:
    """Yield the output of `planspec verify`: findings, then the status with its counts.

    Args:
        verdict: the verdict.
        paper: styles the lines.
        quiet: print only violations and the status.
    """
    order = {"violated": 0, "satisfied": 1, "not-applicable": 2}
    ranked = sorted(verdict.findings, key=lambda f: (order[f.status], LEVELS.index(f.level)))
    width = max((len(f.constraint) for f in ranked if f.status != "not-applicable"), default=0)
    for finding in ranked:
        if finding.status == "violated":
            yield _finding_line(finding, width, paper)
    for check in verdict.checks:
        yield from _fault_lines(check, paper)
    for finding in () if quiet else ranked:
        if finding.status == "satisfied" or (finding.status == "not-applicable" and finding.level == "shape"):
            yield _finding_line(finding, width, paper)
    if verdict.status == "pass" and verdict.profile == "strict" and verdict.in_scope is False:
        yield "  - the plan is outside the task's scope: this is no fault, but a search would not find it"
    tallies = (("hard", verdict.hard), ("soft", verdict.soft))
    parts = [f"{level} {tally.satisfied}/{tally.total}" for level, tally in tallies if tally.total]
    parts += [f"{check.name} {check.tally.satisfied}/{check.tally.total}" for check in verdict.checks]
    parts += [f"{name} {value}" for name, value in verdict.metrics.items() if value is not None]
    status = paper.style(verdict.status, fg="green" if verdict.status == "pass" else "red", bold=True)
    yield f"{status}  {verdict.task}: {', '.join(parts) or 'no constraints'}"


def violation_lines(findings: Iterable[Finding], paper: Paper) -> Iterator[str]:
    """Yield lines for the findings that fail a plan."""
    failing = [f for f in findings if f.status == "violated" and f.level != "soft"]
    width = max((len(f.constraint) for f in failing), default=0)
    for finding in sorted(failing, key=lambda f: LEVELS.index(f.level)):
        yield _finding_line(finding, width, paper)


def _fault_lines(check: CheckSummary, paper: Paper) -> Iterator[str]:
    """Yield lines for the faults of a family's own checks."""
    label = paper.style(f"{check.label:<5}", dim=True)
    for place, fault in check.faults:
        yield f"{paper.style('  x', **MARKS['violated'][1])} {label} {place} {fault}"


def _finding_line(finding: Finding, width: int, paper: Paper) -> str:
    mark, style = MARKS[finding.status]
    violated = finding.status == "violated"
    parts = [
        paper.style(f"  {mark}", **style),
        paper.style(f"{finding.level:<5}", dim=True),
        paper.style(f"{finding.constraint:<{width}}", bold=violated) + " ",
    ]
    if finding.margin is not None:
        parts.append(paper.style(f"({in_words(finding.margin, finding.unit)})", **style))
    if not violated and finding.level != "shape":
        return " ".join(parts).rstrip()
    text = finding.message + (paper.style(f"; none: {finding.none}", dim=True) if finding.none else "")
    if finding.since is not None:
        text += paper.style(f" (since turn {finding.since})", dim=True)
    source = finding.source
    place = "" if source is None else f"{file_name(source.file)}:{source.line}"
    return paper.line(" ".join(parts), text, place)


def file_name(shown: str) -> str:
    """Return a document's path for people; only its file name if planspec ships the document."""
    path = Path(shown)
    return path.name if path.is_absolute() and path.is_relative_to(_shipped_folder()) else shown


@cache
def _shipped_folder() -> Path:
    return Workspace().shipped
