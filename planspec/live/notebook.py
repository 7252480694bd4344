"""HTML for notebooks. Panels are sandboxed frames; plans and runs are plain tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from planspec.api.judging import Judge
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import show
from planspec.live.panel.page import panel_page
from planspec.live.panel.panels import (
    conflict_panel,
    plan_with_verdict,
    shown_claims,
    shown_measures,
    shown_repair,
    task_panel,
)
from planspec.live.panel.record import ClaimShown, JudgedPlan, PanelShown
from planspec.report.details import shown_findings
from planspec.report.texts import line
from planspec.runs.folder import RunFolder
from planspec.shown import NotebookValue
from planspec.solvers.questions.conflicts import Conflict
from planspec.solvers.questions.prove import Solution
from planspec.solvers.questions.repair import Repair
from planspec.solvers.questions.validation import Validation
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Verdict

FRAME_HEIGHT = 520
"""Initial height of a frame in pixels, which users can change."""
MOST_ROWS = 200


def html_of(value: NotebookValue) -> str:
    """Return a value as HTML for a notebook.

    Raises:
        TypeError: the value has no HTML form.
    """
    match value:
        case Task():
            return panel_frame(task_panel(Judge(value)))
        case Verdict():
            return panel_frame(PanelShown(task=line(value.task), judged=_judged_verdict(value)))
        case Solution():
            return panel_frame(_solution_panel(value))
        case Validation():
            plans = [plan for plan in (value.witness, value.second) if plan is not None]
            return panel_frame(PanelShown(task="validation", claims=tuple(shown_claims(value)))) + "".join(
                map(_plan_html, plans)
            )
        case Conflict():
            return panel_frame(conflict_panel(value))
        case Repair():
            repaired = JudgedPlan(name="the nearest plan", repair=shown_repair(value))
            return panel_frame(PanelShown(task="repair", judged=repaired)) + (
                "" if value.plan is None else _plan_html(value.plan)
            )
        case Plan():
            return _plan_html(value)
        case RunFolder():
            return _run_html(value)
        case _:
            raise TypeError(f"nothing shows {type(value).__name__}")


def panel_frame(panel: PanelShown) -> str:
    """Return a panel as a sandboxed frame."""
    look = f"width:100%;height:{FRAME_HEIGHT}px;border:0;resize:vertical;overflow:auto"
    page = escape(panel_page(panel))
    return f'<iframe title="{escape(panel.task)}" sandbox="allow-scripts" style="{look}" srcdoc="{page}"></iframe>'


def _judged_verdict(verdict: Verdict) -> JudgedPlan:
    return JudgedPlan(
        name="the verdict",
        status=verdict.status,
        hard=(verdict.hard.satisfied, verdict.hard.total),
        soft=(verdict.soft.satisfied, verdict.soft.total),
        facts=shown_measures(verdict),
        findings=shown_findings(verdict.findings),
    )


def _solution_panel(solution: Solution) -> PanelShown:
    judge = Judge(solution.task)
    held = {"optimal": "holds", "feasible": "holds", "infeasible": "fails"}.get(solution.status.value, "unknown")
    claim = ClaimShown(held=held, said=line(str(solution)), by=f"{solution.backend} {solution.seconds:.2f} s")  # type: ignore[arg-type]
    judged = (
        None
        if solution.plan is None
        else plan_with_verdict(judge, "the plan", solution.plan, judge.plan(solution.plan))
    )
    return task_panel(judge).model_copy(update={"judged": judged, "claims": (claim,)})


def _plan_html(plan: Plan) -> str:
    """Return the tables of a plan as HTML tables."""
    return "".join(_rows_html(name, rows) for name, rows in plan.tables.items() if rows)


def _rows_html(name: str, rows: Sequence[Row]) -> str:
    columns = list(rows[0]._table.columns.values())
    body = ([show(getattr(row, column.name), column.type, None) for column in columns] for row in rows[:MOST_ROWS])
    return _table_html(name, [column.name for column in columns], body, len(rows) - MOST_ROWS)


def _run_html(folder: RunFolder) -> str:
    record = folder.read_header()
    counts = Counter(attempt.status for attempt in folder.attempts())
    rows = [
        ["suite", record.suite],
        ["agent", record.name or record.agent],
        ["setting", record.setting],
        ["attempts", str(counts.total())],
    ]
    rows += [[status, str(number)] for status, number in sorted(counts.items())]
    return _table_html(f"run {folder.path.name}", ["", ""], rows)


def _table_html(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], omitted: int = 0) -> str:
    heads = "".join(f"<th>{escape(line(name))}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(line(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    remainder = f"<p>and {omitted} more rows</p>" if omitted > 0 else ""
    return f"<table><caption>{escape(line(caption))}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{remainder}"
