"""Page of an audit: one HTML file, which fetches nothing, for reviewers who do not know planspec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from jinja2 import Environment
from markupsafe import Markup
from pydantic import TypeAdapter

from planspec.api.auditing.findings import CLAIM_CODES, has_errors
from planspec.api.outputs.audits import (
    RESULTS,
    AuditFinding,
    AuditOutput,
    RateOutput,
    Result,
    TaskAudit,
)
from planspec.api.reading_text import name_in_reading
from planspec.dsl.diagnostics.codes import CODES
from planspec.foreign_scorers.audit import ScorerAudit
from planspec.foreign_scorers.audit_text import ProbeGroup, probe_groups
from planspec.report.assets import join_files, policy
from planspec.report.rendering import html_with_code
from planspec.report.templates import template_environment
from planspec.report.texts import json_text, line, number, percent
from planspec.scores.published import RIGHT, SAME

STYLES = ("palette.css", "page.css", "audit.css")
MOST_SHOWN = 500
"""Maximum number of tasks, and of disagreements, shown in full. Browsers cannot open much longer pages."""
LONG_QUERY = 1_500
"""Length of a query, in characters, above which it is collapsed."""
MEANINGS: Mapping[Result, tuple[str, str]] = {
    "none": (
        "not as expected",
        "There is no plan although one is expected (or a plan although none is), the reference answer breaks a rule, or the task has an error.",
    ),
    "several": ("several plans", "Exactly one right answer is expected, and there are more."),
    "gap": ("not the best", "The reference answer is right, and a better one exists."),
    "lazy": ("passes empty", "An answer without any row passes."),
    "text": ("text differs", "The query differs from the rules, or nothing tells agents a fact that decides."),
    "unknown": ("undecided", "Not every question was decided in time."),
    "ok": ("as it should be", "Everything that was asked holds."),
}
"""Name and meaning of each result, as shown on the page."""
CLAIMS = {
    "unique": "exactly one right answer",
    "feasible": "a right answer; whether there are others is undecided",
    "infeasible": "no right answer",
    "unknown": "nothing",
}
"""Text of each proved claim. For several answers, the text states their number instead."""
EXPECTED = {"unique": "exactly one right answer", "feasible": "a right answer", "infeasible": "no right answer"}
OTHERS = {
    "another": "Another right answer",
    "better": "A better answer",
    "nearest": "The nearest right answer",
}
SOLVERS = {"cpsat": "CP-SAT", "smt": "Z3"}
"""Names of solvers, by back end."""
DIFFERENCE = re.compile(r"(?P<place>[^\[\s]+(?:\[.*?\])?(?:\.\w+)?) (?P<change>.*)", re.DOTALL)
"""Text of a difference: `visits[pergamon].start 10:00 -> 11:30`, or `visits[mill] removed`."""


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """A row of the table of differences between two answers.

    `before` and `after` are the values in the two answers. If only one answer has the row, one of them says `removed`
    or `added`, and the other is empty.
    """

    place: str
    before: str
    after: str

    @classmethod
    def of(cls, text: str) -> ShownDifference:
        """Parse a difference from its text, such as `meeting.start 12:30 -> 11:30`."""
        match = DIFFERENCE.fullmatch(text)
        place, change = ("", text) if match is None else (match["place"], match["change"])
        before, arrow, after = change.partition(" -> ")
        if arrow:
            return cls(place, before, after)
        return cls(place, "", change) if change.startswith("added") else cls(place, change, "")


@dataclass(frozen=True, eq=False)
class AuditPage:
    """Contents of an audit's page, prepared for its template."""

    audit: AuditOutput

    @cached_property
    def poor_tasks(self) -> list[TaskAudit]:
        """Audits of the tasks with problems, worst first."""
        return sorted((task for task in self.audit.tasks if task.result != "ok"), key=_rank)

    @cached_property
    def results(self) -> list[Result]:
        """Results, such as `several`, that occur among the tasks, worst first."""
        return [result for result in RESULTS if self.audit.summary[result]]

    @cached_property
    def notes(self) -> list[tuple[str, list[tuple[str, AuditFinding]]]]:
        """Pairs of a code and its findings, each finding with the id of its task."""
        by_code: dict[str, list[tuple[str, AuditFinding]]] = {}
        for task in self.audit.tasks:
            for each in _remarks(task.findings):
                by_code.setdefault(each.code, []).append((name_in_reading(task.task, task.reading), each))
        return sorted(by_code.items())

    @cached_property
    def scorer(self) -> ScorerAudit | None:
        """Audit of an external scorer; None if none was audited."""
        return None if self.audit.scorer is None else TypeAdapter(ScorerAudit).validate_python(self.audit.scorer)

    @cached_property
    def scorer_groups(self) -> list[ProbeGroup]:
        """Disagreements with the external scorer and its errors, by kind."""
        return [] if self.scorer is None else probe_groups(self.scorer)

    @cached_property
    def headlines(self) -> list[str]:
        """Sentences with the main figures of the audit."""
        return list(_headlines(self.audit))

    @cached_property
    def versions(self) -> str:
        """Names and versions of the solvers."""
        return _solvers_text(f"{SOLVERS.get(name, name)} {version}" for name, version in self.audit.versions.items())

    def has_shown_query(self, task: TaskAudit) -> bool:
        """Return whether the query of a task is short enough to be shown without collapsing."""
        return len(task.query) <= LONG_QUERY


def _rank(task: TaskAudit) -> int:
    return RESULTS.index(task.result)


def _headlines(audit: AuditOutput) -> Iterator[str]:
    total, proved, references = len(audit.tasks), audit.proved, audit.references
    for name in audit.readings:
        read = [task for task in audit.tasks if task.reading == name]
        fine, several = (sum(task.result == word for task in read) for word in ("ok", "several"))
        more = (
            f", and {several} {_have(several)} several right answers where exactly one is expected" if several else ""
        )
        yield f"In the reading {name}, {fine} of {_counted(len(read), 'task')} {_are(fine)} as they should be{more}."
    if audit.readings:
        yield from _answer_headlines(audit)
        return
    yield f"{audit.summary['ok']} of {_counted(total, 'task')} {_are(audit.summary['ok'])} as they should be."
    if proved["multiple"]:
        several, expected = audit.summary["several"], ""
        if several == proved["multiple"]:
            expected = " where exactly one is expected"
        elif several:
            expected = f"; {several} of them where exactly one is expected"
        yield f"{_counted(proved['multiple'], 'task')} {_have(proved['multiple'])} several right answers{expected}."
    if references["pass"] or references["fail"]:
        given = references["pass"] + references["fail"]
        yield f"{references['pass']} of {_counted(given, 'reference answer')} {'keeps' if references['pass'] == 1 else 'keep'} every rule."
    if audit.summary["gap"]:
        yield f"{_counted(audit.summary['gap'], 'reference answer')} {_are(audit.summary['gap'])} right but not the best."
    yield from _answer_headlines(audit)


def _answer_headlines(audit: AuditOutput) -> Iterator[str]:
    answers = audit.answers
    if answers is None:
        return
    yield f"{answers.right.passed} of {_counted(answers.answers, 'published answer')} {_are(answers.right.passed)} right ({_rate(answers.right)})."
    if answers.cells is not None and answers.theirs is not None:
        yield (
            f"The other judge accepts {answers.theirs.passed} ({_rate(answers.theirs)}): it refuses "
            f"{_counted(answers.cells.refused, 'right answer')} and accepts {_counted(answers.cells.accepted, 'wrong answer')}."
        )


def _counted(count: int, noun: str) -> str:
    return f"{f'{count:,}' if count else 'no'} {noun}{'' if count < 2 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _rate(rate: RateOutput) -> str:
    """Return a share with its interval, such as `56.7 %, interval 48.7 to 64.3 %`."""
    if rate.share is None or rate.low is None or rate.high is None:
        return "no answers"
    return f"{100 * rate.share:.1f}\u00a0%, interval {100 * rate.low:.1f} to {100 * rate.high:.1f}\u00a0%"


def render_audit(audit: AuditOutput) -> str:
    """Return the page of an audit as HTML."""
    style = join_files(STYLES)
    return (
        _environment()
        .get_template("audit.html")
        .render(
            page=AuditPage(audit),
            audit=audit,
            style=Markup(style),  # noqa: S704 our own file
            policy=policy(style, ""),
            meanings=MEANINGS,
            expected=EXPECTED,
            others=OTHERS,
            codes=CODES,
            most=MOST_SHOWN,
            without_difference=(SAME, RIGHT),
        )
    )


def _environment() -> Environment:
    environment = template_environment()
    environment.filters |= {
        "line": line,
        "number": number,
        "percent": percent,
        "rate": _rate,
        "json_text": json_text,
        "ticked": html_with_code,
        "answers_text": _answers_text,
        "solvers": _solvers_text,
        "remarks": _remarks,
        "has_errors": has_errors,
        "differences": _differences,
        "arrows": _with_arrows,
    }
    return environment


def _answers_text(task: TaskAudit) -> str:
    if task.proved != "multiple" or task.plans is None:
        return CLAIMS[task.proved]
    return f"{task.plans.count} right answers{'' if task.plans.exact else ' or more'}"


def _solvers_text(names: Iterable[str]) -> str:
    return " and ".join(SOLVERS.get(name, name) for name in names)


def _remarks(findings: Iterable[AuditFinding]) -> list[AuditFinding]:
    """Return the findings that are not about claims. The page shows the proofs of claims elsewhere."""
    return [each for each in findings if each.code not in CLAIM_CODES]


def _differences(texts: Iterable[str]) -> list[ShownDifference]:
    return [ShownDifference.of(text) for text in texts]


def _with_arrows(text: str) -> str:
    return text.replace(" -> ", " \u2192 ")
