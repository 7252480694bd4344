"""The page of an audit works without JavaScript, escapes foreign text, and is accessible."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.audits import AuditOutput
from planspec.api.probes import Probe
from planspec.foreign_scorers.audit import ScoredProbe, ScorerAudit, totals_of
from planspec.foreign_scorers.audit import TaskAudit as ScorerTaskAudit
from planspec.report.audits import AuditPage, ShownDifference, render_audit
from tests.axe import ALL_LOOKS, axe_findings
from tests.extras import needs
from tests.planspec.api.auditing.sample import RESULTS, number_task, write_numbers

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HOSTILE = '<script>document.title = "x"</script> \u202eback'
LINES = [{"task": "several", "plan": {"t": {"x": 5}}}, {"task": "wrong", "plan": {"t": {"x": 1}}}]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> AuditOutput:
    """Return an audit of tasks, one of which contains hostile text."""
    suite = write_numbers(tmp_path_factory.mktemp("numbers"))
    text = (suite.parent / "numbers.tasks.yaml").read_text()
    hostile = number_task("hostile", "t.x >= 4", "expects: unique\n", query=HOSTILE.replace("'", "''"))
    (suite.parent / "numbers.tasks.yaml").write_text(f"{text}---\n{hostile}")
    return planspec.audit(suite, answers=LINES, verdicts={"several": False, "wrong": True}, by="kind", deep=False)


def test_headlines_are_sentences(audit: AuditOutput) -> None:
    assert AuditPage(audit).headlines[:4] == [
        "5 of 12 tasks are as they should be.",
        "6 tasks have several right answers; 2 of them where exactly one is expected.",
        "5 of 6 reference answers keep every rule.",
        "1 reference answer is right but not the best.",
    ]


def test_every_task_is_on_the_page_and_those_that_are_not_ok_have_a_card(audit: AuditOutput) -> None:
    page = render_audit(audit)
    for task, result in RESULTS.items():
        assert f"<bdi>{task}</bdi></th>" in page
        assert (f"<bdi>{task}</bdi> <span" in page) == (result not in ("ok", "text"))  # `text` needs a deep check


def test_foreign_text_is_escaped(audit: AuditOutput) -> None:
    page = render_audit(audit)
    assert "<script" not in page
    assert "&lt;script&gt;document.title" in page
    assert "\u202e" not in page


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("meeting.start 12:30 -> 11:30", ShownDifference("meeting.start", "12:30", "11:30")),
        ("stays[San Francisco].first 1 -> 8", ShownDifference("stays[San Francisco].first", "1", "8")),
        ("meetings[ann] added (start 10:00)", ShownDifference("meetings[ann]", "", "added (start 10:00)")),
        ("meetings[ann] removed", ShownDifference("meetings[ann]", "removed", "")),
    ],
)
def test_a_difference_between_two_plans_is_split_into_the_cells_of_a_row(text: str, row: ShownDifference) -> None:
    assert ShownDifference.of(text) == row


@pytest.mark.integration
@needs("playwright", "axe_playwright_python", extra="test")
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH")
def test_the_page_is_accessible_in_all_looks_and_fits_the_window(audit: AuditOutput, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    path = tmp_path / "audit.html"
    path.write_text(render_audit(audit), "utf-8")
    faults: list[Any] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 900})
        tab.on("console", lambda message: faults.append(message.text))
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.goto(path.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        assert axe_findings(tab, ALL_LOOKS) == []
        assert tab.title() == "Audit of numbers"
        browser.close()
    assert faults == []


def test_another_scorer_s_disagreements_are_shown_by_kind(audit: AuditOutput) -> None:
    probe = Probe(kind="breaks", passes=False, answer={"t": {"x": 1}}, constraint="low", by=("cpsat",))
    scored = ScoredProbe(outcome="rewarded", score=True, probe=probe)
    tasks = tuple(ScorerTaskAudit(task=name, file="numbers.tasks.yaml", probes=(scored,)) for name in ("a", "b"))
    scorer = ScorerAudit(scorer="python:lax.py:score", threshold=1.0, totals=totals_of(tasks), tasks=tasks)
    page = render_audit(audit.model_copy(update={"scorer": scorer.to_json()}))
    assert "accepted 2 wrong ones" in page
    assert "a plan that breaks <code>low</code>" in page
    assert "<p>a, b</p>" in page
    assert "The other scorer" not in render_audit(audit)
