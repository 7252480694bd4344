"""Editor actions that need a solver: proofs of unsaved texts, and edits that apply results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.live.language.lenses import claims_span, lenses
from planspec.live.language.work import add_entry, replace_section, run_panel_action
from tests.planspec.live.language.texts import SAMPLE, Session

pytestmark = pytest.mark.slow

ROOMS = """\
planspec: task/1
id: rooms
query: A room for the talk.
tables:
  Slot:
    columns: {nr: key int, hour: time}
    rows:
      - {nr: 1, hour: 09:00}
      - {nr: 2, hour: 10:00}
      - {nr: 3, hour: 11:00}
plan:
  talk: {one: true, start: time}
removable: [Slot]
scope:
  talk: {start: (s.hour for s in Slot)}
constraints:
  late: {hard: talk.start >= 10:00}
  free:
    hard: any(s.hour == talk.start for s in Slot)
reference:
  talk: {start: 10:00}
"""


def run_action_on_text(name: str, folder: Path, text: str, **params: Any) -> dict[str, Any]:
    """Run an action that needs a solver on a text without a file, and return its result."""
    workspace = Workspace()
    workspace.hold(folder / "x.task.yaml", text)
    return run_panel_action(name, folder / "x.task.yaml", workspace, params)


def test_claims_are_proved_about_the_current_text(tmp_path: Path) -> None:
    result = run_action_on_text("claims", tmp_path, ROOMS)
    assert (result["feasible"], result["unique"], result["reference"]) == ("feasible", "multiple", "pass")
    result = run_action_on_text("claims", tmp_path, ROOMS.replace("start: 10:00", "start: 09:00"))
    assert result["reference"] == "fail" and result["violated"] == ["late"]
    assert (
        "unknown name"
        in run_action_on_text("claims", tmp_path, ROOMS.replace("talk.start >= 10:00", "tal.start > 1"))["error"]
    )


def test_code_lenses_show_proved_claims(tmp_path: Path) -> None:
    session = Session(tmp_path)
    document = session.open("x.task.yaml", ROOMS)
    at = claims_span(session.editor, document)
    assert at is not None and at.text == "query"
    result = {"feasible": "feasible", "unique": "unique", "best": None, "seconds": 0.02, "reference": "pass"}
    assert [lens["command"]["title"] for lens in lenses(at, result)] == [
        "feasible, unique (0.02 s)",
        "reference passes",
    ]
    assert [lens["command"]["title"] for lens in lenses(at, None)] == ["proving ..."]
    failing = {"reference": "fail", "violated": ["late", "free"]}
    (lens,) = lenses(at, failing, document.uri)
    assert lens["command"] == {
        "title": "reference violates late, free",
        "command": "planspec.repairReference",
        "arguments": [{"uri": document.uri}],
    }
    assert claims_span(session.editor, session.open("x.task.yaml", ROOMS + "{")) is None


def test_tightening_removes_rows_until_the_reference_is_the_only_plan(tmp_path: Path) -> None:
    result = run_action_on_text("tighten", tmp_path, ROOMS)
    assert "now unique" in result["said"] and "without:" in result["text"]
    assert run_action_on_text("claims", tmp_path, result["text"])["unique"] == "unique"
    assert run_action_on_text("tighten", tmp_path, result["text"]) == {
        "text": None,
        "said": "the reference is the only plan already",
    }
    assert "no `reference`" in run_action_on_text("tighten", tmp_path, ROOMS[: ROOMS.index("reference:")])["error"]


def test_a_reference_is_repaired_in_place_and_in_its_file(tmp_path: Path) -> None:
    text = ROOMS.replace("start: 10:00}", "start: 09:00}")
    result = run_action_on_text("repair", tmp_path, text)
    assert result["text"].endswith("reference:\n  talk: {start: 10:00}\n") and "proved smallest" in result["said"]
    assert run_action_on_text("claims", tmp_path, result["text"])["reference"] == "pass"
    (tmp_path / "answer.json").write_text(json.dumps({"talk": {"start": "09:00"}}))
    result = run_action_on_text("repair", tmp_path, text[: text.index("reference:")] + "reference: answer.json\n")
    assert result["file"] == str(tmp_path / "answer.json") and json.loads(result["text"]) == {
        "talk": {"start": "10:00"}
    }
    assert run_action_on_text("repair", tmp_path, ROOMS)["said"] == "the reference passes already"


def test_a_repaired_reference_keeps_its_row_order(tmp_path: Path) -> None:
    first, second = (
        line
        for line in SAMPLE.splitlines(keepends=True)
        if line.startswith("    - {place: ") and "day: 2026-07-01, start" in line
    )
    text = SAMPLE.replace(first + second, second + first.replace("end: 11:30", "end: 11:00"))
    result = run_action_on_text("repair", tmp_path, text)
    rows = [line[13:].partition(",")[0] for line in result["text"].splitlines() if line.startswith("    - {place: ")][
        -2:
    ]
    assert [row.strip() for row in rows] == ["park", "museum"] and "1 cell changed" in result["said"]


@pytest.mark.parametrize("constraint", ["affordable", "unhurried"])
def test_a_generated_case_violates_only_its_constraint(tmp_path: Path, constraint: str) -> None:
    result = run_action_on_text("case", tmp_path, SAMPLE, constraint=constraint)
    assert f"violates: [{constraint}]" in result["text"]
    again = run_action_on_text("case", tmp_path, result["text"], constraint="unhurried")
    (tmp_path / "x.task.yaml").write_text(again["text"])
    report = planspec.test(tmp_path / "x.task.yaml")
    assert len(report.cases) == 2 and all(case.as_expected for case in report.cases)


def test_an_action_that_cannot_be_done_reports_the_reason(tmp_path: Path) -> None:
    assert "is not a hard constraint" in run_action_on_text("case", tmp_path, SAMPLE, constraint="nothing")["error"]
    only = SAMPLE[: SAMPLE.index("reference:")]
    assert "none that passes" in run_action_on_text("case", tmp_path, only, constraint="affordable")["error"]


def test_sections_and_entries_are_written_into_a_text() -> None:
    assert replace_section("id: x\na: 1\n", "b", ["  c: 1"]) == "id: x\na: 1\nb:\n  c: 1\n"
    assert replace_section("a: {x: 1}\nz: 2\n", "a", ["  c: 1"]) == "a:\n  c: 1\nz: 2\n"
    assert add_entry("a:\n  x: 1\nz: 2\n", "a", ["  c: 1"]) == "a:\n  x: 1\n  c: 1\nz: 2\n"
    assert planspec.loads(replace_section(SAMPLE, "meta", ["  by: me"])).meta == {"by": "me"}
