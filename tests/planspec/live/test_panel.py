"""Panels of tasks with mistakes, verdicts, claims, other plans, conflicts, relaxations and repairs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from planspec.errors import NotFoundError
from planspec.live.panel import PanelShown, judged_panel, panel_page, proved_panel

TASK = """\
planspec: task/1
id: afternoon
title: An afternoon
query: The museum and then the park.
types: {Stop: museum | park}
plan: {visits: {stop: key Stop, start: time, end: time}}
scope: {visits: [{for: s in Stop, stop: s, start: 14:00..16:00 step 30min, end: 15:00..17:00 step 30min}]}
constraints:
  length: {hard: all(v.end - v.start == 90min for v in visits)}
  order:
    hard: visits[museum].end <= visits[park].start
  early:
    hard: visits[park].end <= 17:00
"""


def write_task(folder: Path, text: str = TASK) -> Path:
    """Write a task to a file, and return its path."""
    path = folder / "afternoon.task.yaml"
    path.write_text(text, "utf-8")
    return path


def plan(museum: str, park: str) -> dict[str, object]:
    """Return a plan of two visits, each given as its start and end, such as `09:30-11:00`."""
    rows = [("museum", *museum.split("-")), ("park", *park.split("-"))]
    return {"visits": [{"stop": stop, "start": start, "end": end} for stop, start, end in rows]}


def claims_in(panel: PanelShown) -> list[tuple[str, str]]:
    """Return status and text of each claim on a panel."""
    return [(claim.held, claim.said) for claim in panel.claims]


def test_the_only_plan_of_a_task_is_found_and_proved_unique(tmp_path: Path) -> None:
    panel = proved_panel(write_task(tmp_path), 10)
    assert (panel.task, panel.title, panel.queries) == (
        "afternoon",
        "An afternoon",
        ("The museum and then the park.",),
    )
    assert claims_in(panel) == [
        ("holds", "there is a plan"),
        ("holds", "there is exactly one plan within the scope"),
    ]
    assert panel.judged is not None and panel.judged.plan is not None
    assert (panel.judged.name, panel.judged.status, panel.judged.hard) == (
        "a plan that was found",
        "pass",
        (3, 3),
    )
    assert [(item.title, item.start, item.end) for day in panel.judged.plan.days for item in day.items] == [
        ("museum", 840, 930),
        ("park", 930, 1020),
    ]
    assert panel.second is None and not panel.conflicts


def test_a_second_plan_is_shown_if_one_exists(tmp_path: Path) -> None:
    panel = proved_panel(write_task(tmp_path, TASK.replace("== 90min", "== 60min")), 10)
    assert claims_in(panel)[1] == ("holds", "there are 6 plans")
    assert panel.second is not None and panel.second.status == "pass"
    unique = TASK.replace("== 90min", "== 60min") + "unique: [visits.start]\n"
    assert claims_in(proved_panel(write_task(tmp_path, unique), 10))[1] == ("fails", "there are 6 plans")


def test_an_infeasible_task_is_shown_with_its_conflict_and_relaxations(tmp_path: Path) -> None:
    panel = proved_panel(write_task(tmp_path, TASK.replace("<= 17:00", "<= 16:30")), 10)
    assert claims_in(panel) == [("fails", "there is no plan")]
    (conflict,) = panel.conflicts
    assert {"length", "order", "early"} <= {member.id for member in conflict.members}
    early = next(member for member in conflict.members if member.id == "early")
    assert early.place.endswith("afternoon.task.yaml:13")
    assert (("early", "17:00 would do, not 16:30"),) in [way.drop for way in panel.ways_out]
    assert panel.judged is not None and (panel.judged.name, panel.judged.told) == ("plan", "there is no plan")


def test_a_failing_answer_is_shown_with_its_smallest_repair(tmp_path: Path) -> None:
    answer = tmp_path / "late.json"
    answer.write_text(json.dumps(plan("14:00-15:30", "15:00-16:30")), "utf-8")
    panel = proved_panel(write_task(tmp_path), 10, answer)
    assert panel.judged is not None and panel.judged.repair is not None and panel.judged.repaired is not None
    assert (panel.judged.name, panel.judged.status) == ("late.json", "fail")
    assert [finding.constraint for finding in panel.judged.findings if finding.status == "violated"] == ["order"]
    assert {(edit.place, edit.said) for edit in panel.judged.repair.edits} == {
        ("visits[park].start", "15:00 \u2192 15:30"),
        ("visits[park].end", "16:30 \u2192 17:00"),
    }
    park = panel.judged.repaired.days[0].items[1]
    assert (park.title, park.start, park.end) == ("park", 930, 1020)


def test_a_reference_is_judged_without_a_solver(tmp_path: Path) -> None:
    text = TASK + f"reference: {json.dumps(plan('14:00-15:30', '15:30-17:00'))}\n"
    panel = judged_panel(write_task(tmp_path, text))
    assert panel.judged is not None and panel.claims == ()
    assert (panel.judged.name, panel.judged.status) == ("the reference", "pass")


def test_mistakes_are_shown_with_their_places(tmp_path: Path) -> None:
    panel = proved_panel(write_task(tmp_path, TASK.replace("visits[park].end <=", "visits[prk].end <=")), 10)
    (mistake,) = panel.mistakes
    assert (mistake.severity, mistake.code, mistake.help) == ("error", "PS201", "did you mean `park`?")
    assert mistake.place.endswith("afternoon.task.yaml:13:18")
    assert panel.judged is None and panel.claims == ()
    with pytest.raises(NotFoundError):
        judged_panel("no-such-task")


def test_a_page_contains_its_panel_and_fetches_nothing(tmp_path: Path) -> None:
    panel = judged_panel(write_task(tmp_path, TASK.replace("title: An afternoon", "title: An <b>afternoon</b>")))
    page = panel_page(panel)
    packed = re.search(r'id="panel">([^<]*)<', page)
    assert packed is not None
    assert PanelShown.model_validate_json(zlib.decompress(b64decode(packed[1]))) == panel
    assert "<b>" not in page
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert not re.search(r'(?:src|href)="', page)


@pytest.mark.slow
def test_the_proof_process_answers_each_request_and_survives_errors(tmp_path: Path) -> None:
    requests = [
        {"task": "nothing-of-that-name", "seconds": 5},
        {"task": str(write_task(tmp_path)), "seconds": 5},
    ]
    result = subprocess.run(
        [sys.executable, "-P", "-m", "planspec.live.panel"],
        input="".join(json.dumps(one) + "\n" for one in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    wrong, right = map(PanelShown.model_validate_json, result.stdout.splitlines())
    assert wrong.mistakes[0].message.startswith("the proofs failed: NotFoundError: ")
    assert claims_in(right)[0] == ("holds", "there is a plan")
