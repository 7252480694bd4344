"""HTML of tasks, verdicts, plans, solutions, validations, conflicts, repairs and runs in notebooks."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.live.panel.record import PanelShown
from planspec.runs.folder import RunFolder
from tests.planspec.commands.test_command_line import run
from tests.planspec.live.test_panel import TASK, plan, write_task


def panel_in(html: str) -> PanelShown:
    """Return the panel that is contained in the frame of an HTML output."""
    frame = re.match(r'<iframe title="[^"]*" sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', html)
    assert frame is not None
    packed = re.search(r'id="panel">([^<]*)<', unescape(frame[1]))
    assert packed is not None
    return PanelShown.model_validate_json(zlib.decompress(b64decode(packed[1])))


def test_a_task_is_shown_as_its_panel(tmp_path: Path) -> None:
    panel = panel_in(planspec.load(write_task(tmp_path))._repr_html_())
    assert (panel.task, panel.queries) == ("afternoon", ("The museum and then the park.",))


def test_a_verdict_is_shown_with_its_findings(tmp_path: Path) -> None:
    verdict = planspec.verify(write_task(tmp_path), plan("14:00-15:30", "15:00-16:30"))
    judged = panel_in(verdict._repr_html_()).judged
    assert judged is not None
    assert (judged.status, judged.hard) == ("fail", (2, 3))
    assert [finding.constraint for finding in judged.findings if finding.status == "violated"] == ["order"]


def test_a_solution_and_its_plan_are_shown(tmp_path: Path) -> None:
    solution = planspec.solve(write_task(tmp_path))
    panel = panel_in(solution._repr_html_())
    assert panel.judged is not None and panel.judged.plan is not None
    assert [claim.said for claim in panel.claims] == ["afternoon: optimal"]
    assert solution.plan is not None
    html = solution.plan._repr_html_()
    assert "<caption>visits</caption>" in html
    assert "<td>museum</td><td>14:00</td><td>15:30</td>" in html


def test_a_validation_a_conflict_and_a_repair_are_shown(tmp_path: Path) -> None:
    path = write_task(tmp_path)
    valid = planspec.validate(path)._repr_html_()
    assert [claim.held for claim in panel_in(valid).claims] == ["holds", "holds"]
    assert "<caption>visits</caption>" in valid
    repair = planspec.repair(path, plan("14:00-15:30", "15:00-16:30"))
    judged = panel_in(repair._repr_html_()).judged
    assert judged is not None and judged.repair is not None and len(judged.repair.edits) == 2
    why = planspec.why(write_task(tmp_path, TASK.replace("<= 17:00", "<= 16:30")), all=True)
    assert len(panel_in(why._repr_html_()).conflicts) == 1


@pytest.mark.slow
def test_a_run_is_shown_with_counts_of_its_attempts(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write_task(tmp_path)
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"task": "afternoon", "plan": plan("14:00-15:30", "15:30-17:00")}) + "\n"
    )
    assert run(monkeypatch, capsys, "run", "afternoon", "--agent", "replay:file=a.jsonl", "--out", "made")[0] == 0
    html = RunFolder(tmp_path / "made")._repr_html_()
    assert "<tr><td>attempts</td><td>1</td></tr><tr><td>pass</td><td>1</td></tr>" in html


def test_text_from_users_is_escaped(tmp_path: Path) -> None:
    text = TASK.replace("id: afternoon\ntitle: An afternoon", 'id: afternoon\ntitle: "\\"><script>x</script>"')
    html = planspec.load(write_task(tmp_path, text))._repr_html_()
    assert "<script>" not in html
    assert panel_in(html).title == '"><script>x</script>'
