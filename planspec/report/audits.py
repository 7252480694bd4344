"""The page of an audit: one HTML file that a reviewer reads without knowing planspec. It fetches nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from planspec.api.auditing.text import SUMMARY, claim_text, plans_text, rate_text, reference_text
from planspec.api.outputs.audits import AuditOutput, TaskAudit, VerdictDisagreement
from planspec.report.assets import join_files, policy
from planspec.report.texts import visible_text

STYLES = ("palette.css", "page.css", "audit.css")
MOST_TASKS = 500
"""Maximum number of tasks that are shown one by one; the table counts all."""
MEANINGS = {
    "none": "What is proved is not what the task expects, or the reference breaks a rule.",
    "several": "One plan is expected, and there are several.",
    "gap": "A better plan than the reference exists.",
    "lazy": "An answer without any content passes.",
    "text": "The request says something that the rules do not use, or the rules ask for what it does not say.",
    "unknown": "A question was not decided in time.",
    "ok": "Nothing was found.",
}
"""What each result means, in words for readers of the page."""
OTHERS = {"another": "Another right plan", "better": "A better plan", "nearest": "The nearest right plan"}
BESIDE = {"none", "several", "gap", "lazy", "text", "unknown"}


@dataclass(frozen=True, slots=True)
class AuditPage:
    """The contents of the page.

    Attributes:
        audit: the audit.
    """

    audit: AuditOutput

    @property
    def results(self) -> list[tuple[str, str, int, str]]:
        """Each result with its words, its number of tasks and its meaning, without those that no task has."""
        summary = self.audit.summary
        return [(name, words, summary[name], MEANINGS[name]) for name, words in SUMMARY.items() if summary[name]]

    @property
    def shown(self) -> list[TaskAudit]:
        """The tasks that are not as they should be."""
        return [task for task in self.audit.tasks if task.result in BESIDE][:MOST_TASKS]

    @property
    def left_out(self) -> int:
        """Number of such tasks that are not shown."""
        return sum(task.result in BESIDE for task in self.audit.tasks) - len(self.shown)

    @property
    def disagreements(self) -> Iterator[tuple[VerdictDisagreement, str]]:
        """The answers on which two judges disagree, each with words for the disagreement."""
        for each in self.audit.answers.disagreements if self.audit.answers is not None else ():
            yield each, "right, and refused" if each.right else "wrong, and accepted"


def render_audit(audit: AuditOutput) -> str:
    """Return the page of an audit as HTML."""
    style = join_files(STYLES)
    environment = Environment(
        loader=FunctionLoader(lambda name: (files("planspec.report") / "template" / name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_show_invisible,
    )
    environment.filters |= {
        "claim": claim_text,
        "plans": plans_text,
        "reference": reference_text,
        "rate": rate_text,
        "pretty": pretty,
    }
    return environment.get_template("audit.html").render(
        page=AuditPage(audit),
        audit=audit,
        words=SUMMARY,
        others=OTHERS,
        style=Markup(style),  # noqa: S704 our own file
        policy=policy(style, ""),
    )


def pretty(value: Any) -> str:
    """Return an answer as indented JSON in which a row that fits stands on one line."""
    return "\n".join(_lines(value, ""))


def _lines(value: Any, indent: str) -> Iterator[str]:
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(indent) + len(short) <= 60 or not value:
        yield indent + short
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield indent + opening
    inner = indent + "  "
    for number, (name, item) in enumerate(items, 1):
        key = f"{json.dumps(name, ensure_ascii=False)}: " if isinstance(value, dict) else ""
        lines = list(_lines(item, inner))
        lines[0] = f"{inner}{key}{lines[0].removeprefix(inner)}"
        lines[-1] += "," if number < len(value) else ""
        yield from lines
    yield indent + closing


def _show_invisible(value: Any) -> Any:
    return visible_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value
