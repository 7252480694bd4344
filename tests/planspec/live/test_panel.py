"""What a panel says of a task: mistakes, verdict, claims, another plan, conflicts, ways out, the smallest repair."""

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


def written(folder: Path, text: str = TASK) -> Path:
    path = folder / "afternoon.task.yaml"
    path.write_text(text, "utf-8")
    return path


def plan(museum: str, park: str) -> dict[str, object]:
    rows = [("museum", *museum.split("-")), ("park", *park.split("-"))]
    return {"visits": [{"stop": stop, "start": start, "end": end} for stop, start, end in rows]}


def said(told: PanelShown) -> list[tuple[str, str]]:
    return [(claim.held, claim.said) for claim in told.claims]


def test_the_plan_of_a_task_with_one_is_found_and_it_alone(tmp_path: Path) -> None:
    told = proved_panel(written(tmp_path), 10)
    assert (told.task, told.title, told.queries) == (
        "afternoon",
        "An afternoon",
        ("The museum and then the park.",),
    )
    assert said(told) == [
        ("holds", "there is a plan"),
        ("holds", "there is exactly one plan within the scope"),
    ]
    assert told.judged is not None and told.judged.plan is not None
    assert (told.judged.name, told.judged.status, told.judged.hard) == (
        "a plan that was found",
        "pass",
        (3, 3),
    )
    assert [(item.title, item.start, item.end) for day in told.judged.plan.days for item in day.items] == [
        ("museum", 840, 930), ("park", 930, 1020)
    ]  # fmt: skip
    assert told.second is None and not told.conflicts


def test_a_task_with_several_plans_has_another_one(tmp_path: Path) -> None:
    told = proved_panel(written(tmp_path, TASK.replace("== 90min", "== 60min")), 10)
    assert said(told)[1] == ("holds", "there are 6 plans")
    assert told.second is not None and told.second.status == "pass"
    unique = TASK.replace("== 90min", "== 60min") + "unique: [visits.start]\n"
    assert said(proved_panel(written(tmp_path, unique), 10))[1] == ("fails", "there are 6 plans")


def test_a_task_without_a_plan_has_its_conflict_and_ways_out(tmp_path: Path) -> None:
    told = proved_panel(written(tmp_path, TASK.replace("<= 17:00", "<= 16:30")), 10)
    assert said(told) == [("fails", "there is no plan")]
    (conflict,) = told.conflicts
    assert {"length", "order", "early"} <= {member.id for member in conflict.members}
    early = next(member for member in conflict.members if member.id == "early")
    assert early.place.endswith("afternoon.task.yaml:13")
    assert (("early", "17:00 would do, not 16:30"),) in [way.drop for way in told.ways_out]
    assert told.judged is not None and (told.judged.name, told.judged.told) == ("plan", "there is no plan")


def test_an_answer_that_fails_is_shown_beside_its_smallest_repair(tmp_path: Path) -> None:
    answer = tmp_path / "late.json"
    answer.write_text(json.dumps(plan("14:00-15:30", "15:00-16:30")), "utf-8")
    told = proved_panel(written(tmp_path), 10, answer)
    assert told.judged is not None and told.judged.repair is not None and told.judged.repaired is not None
    assert (told.judged.name, told.judged.status) == ("late.json", "fail")
    assert [finding.constraint for finding in told.judged.findings if finding.status == "violated"] == [
        "order"
    ]
    assert {(edit.place, edit.said) for edit in told.judged.repair.edits} == {
        ("visits[park].start", "15:00 \u2192 15:30"), ("visits[park].end", "16:30 \u2192 17:00")
    }  # fmt: skip
    park = told.judged.repaired.days[0].items[1]
    assert (park.title, park.start, park.end) == ("park", 930, 1020)


def test_a_reference_is_judged_at_once_and_without_a_solver(tmp_path: Path) -> None:
    text = TASK + f"reference: {json.dumps(plan('14:00-15:30', '15:30-17:00'))}\n"
    told = judged_panel(written(tmp_path, text))
    assert told.judged is not None and told.claims == ()
    assert (told.judged.name, told.judged.status) == ("the reference", "pass")


def test_mistakes_have_their_places(tmp_path: Path) -> None:
    told = proved_panel(written(tmp_path, TASK.replace("visits[park].end <=", "visits[prk].end <=")), 10)
    (mistake,) = told.mistakes
    assert (mistake.severity, mistake.code, mistake.help) == ("error", "PS201", "did you mean `park`?")
    assert mistake.place.endswith("afternoon.task.yaml:13:18")
    assert told.judged is None and told.claims == ()
    with pytest.raises(NotFoundError):
        judged_panel("no-such-task")


def test_a_page_has_its_panel_in_itself_and_fetches_nothing(tmp_path: Path) -> None:
    told = judged_panel(written(tmp_path, TASK.replace("title: An afternoon", "title: An <b>afternoon</b>")))
    page = panel_page(told)
    packed = re.search(r'id="panel">([^<]*)<', page)
    assert packed is not None
    assert PanelShown.model_validate_json(zlib.decompress(b64decode(packed[1]))) == told
    assert "<b>" not in page
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert not re.search(r'(?:src|href)="', page)


@pytest.mark.slow
def test_the_process_that_proves_answers_each_request_and_survives_what_goes_wrong(tmp_path: Path) -> None:
    asked = [
        {"task": "nothing-of-that-name", "seconds": 5},
        {"task": str(written(tmp_path)), "seconds": 5},
    ]
    made = subprocess.run(
        [sys.executable, "-P", "-m", "planspec.live.panel"], input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    wrong, right = map(PanelShown.model_validate_json, made.stdout.splitlines())
    assert wrong.mistakes[0].message.startswith("the proofs failed: NotFoundError: ")
    assert said(right)[0] == ("holds", "there is a plan")
