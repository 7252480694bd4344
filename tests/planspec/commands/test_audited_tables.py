"""`planspec audit` of tables of tasks: proved results, published answers, and verdicts of another judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.scores.verdict_files import read_verdicts
from tests.dsl.workspace.test_task_tables import LIBRARY
from tests.planspec.commands.test_command_line import run

SUITE = """\
planspec: suite/1
id: calls
expects: unique
tasks:
  - from:
      jsonl: requests.jsonl
      map: {id: uid, query: prompt, given: [people, length], tables: {Busy: busy}, reference: gold, meta: [level]}
    task: {uses: [calls]}
"""


def record(uid: str, busy: list[tuple[str, str]], gold: str, level: str = "easy") -> dict[str, Any]:
    """Return a record from which a task is made: busy hours, and the reference start `gold`."""
    return {
        "uid": uid,
        "prompt": f"Half an hour for Ana ({uid}).",
        "people": ["Ana"],
        "length": "30min",
        "busy": [{"person": "Ana", "from": first, "until": last} for first, last in busy],
        "gold": {"call": {"start": gold}},
        "level": level,
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a suite with four tasks:

    right, with two plans, with a wrong reference, and without a plan.
    """
    monkeypatch.chdir(tmp_path)
    Path("calls.library.yaml").write_text(LIBRARY)
    Path("calls.suite.yaml").write_text(SUITE)
    records = [
        record("right", [("09:30", "17:00")], "09:00"),
        record("two", [("10:00", "17:00")], "09:30", "hard"),
        record("wrong", [("09:30", "17:00")], "10:00", "hard"),
        record("full", [("09:00", "17:00")], "09:00", "hard"),
    ]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return tmp_path


def run_audit(monkeypatch: Any, capsys: Any, *words: str) -> tuple[int, dict[str, Any]]:
    """Run `planspec audit` on the suite. Return the exit code and the JSON output."""
    code, out, _ = run(monkeypatch, capsys, "audit", "calls.suite.yaml", "--no-deep", "--format", "json", *words)
    return code, json.loads(out)


def test_each_task_of_a_table_is_audited_with_its_result_and_its_record(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    code, audit = run_audit(monkeypatch, capsys, "--by", "level")
    tasks = {each["task"]: each for each in audit["tasks"]}
    assert {name: each["result"] for name, each in tasks.items()} == {
        "right": "ok",
        "two": "several",
        "wrong": "none",
        "full": "none",
    }
    assert {name: each["proved"] for name, each in tasks.items()} == {
        "right": "unique",
        "two": "multiple",
        "wrong": "unique",
        "full": "infeasible",
    }
    assert tasks["two"]["plans"] == {"count": 2, "exact": True}
    assert tasks["two"]["other"]["differs"] == ["call.start 09:30 -> 09:00"]
    assert tasks["wrong"]["other"]["kind"] == "nearest"
    assert tasks["wrong"]["reference"]["status"] == "fail"
    assert tasks["two"]["origin"] == {
        "file": "requests.jsonl",
        "line": 2,
        "record": 2,
        "path": "calls.suite.yaml#two",
    }
    assert {row["value"]: row["tasks"] for row in audit["strata"]} == {"easy": 1, "hard": 3}
    assert sum(audit["summary"].values()) == len(tasks)
    assert code == 1
    assert tasks["right"]["facts"] is None
    assert tasks["two"]["facts"] == {
        "givens": {"people": "{Ana}", "length": "30min", "quiet": "false"},
        "tables": [
            {"name": "Busy", "columns": ["person", "from", "until"], "rows": [["Ana", "10:00", "17:00"]], "count": 1}
        ],
    }


def test_a_record_that_wrongly_expects_no_plan_is_proved_to_have_one(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    records = [record("none", [("09:30", "17:00")], "09:00") | {"promise": "infeasible"}]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    suite = Path("calls.suite.yaml")
    suite.write_text(
        suite.read_text().replace("expects: unique\n", "").replace("{id: uid,", "{id: uid, expects: promise,")
    )
    _, audit = run_audit(monkeypatch, capsys)
    (task,) = audit["tasks"]
    assert (task["proved"], task["expected"], task["result"]) == ("unique", "infeasible", "none")
    assert [each["severity"] for each in task["findings"] if each["code"] == "PS435"] == ["warning"]


def test_the_summary_of_validate_counts_refused_references_separately(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    records = [record("two", [("10:00", "17:00")], "11:00"), record("one", [("09:30", "17:00")], "11:00")]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    _, _, err = run(monkeypatch, capsys, "validate", "calls.suite.yaml")
    assert err.endswith(
        "2 tasks: 1 with several plans, 1 with a reference that is not accepted; 2 references in all are not accepted\n"
    )


def test_findings_about_the_query_name_the_record_and_its_field(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    records = [record("right", [("09:30", "17:00")], "09:00"), record("other", [("09:30", "17:00")], "09:00")]
    records[1]["prompt"] = "Fifty minutes\nfor Ana (other)."
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    _, out, _ = run(monkeypatch, capsys, "audit", "calls.suite.yaml")
    assert "the query says `Fifty minutes`, and nothing uses it (requests.jsonl:2 /prompt)" in out
    assert "the query does not state `length`, 30min (requests.jsonl:2 /length)" in out
    _, out, _ = run(monkeypatch, capsys, "audit", "calls.suite.yaml", "--format", "json")
    places = [each["source"] for each in json.loads(out)["tasks"][1]["findings"] if each["code"] == "PS441"]
    line = json.dumps(records[1])
    assert [(p["file"], p["line"], p["field"], line[p["column"] - 1 : p["end_column"] - 1]) for p in places] == [
        ("requests.jsonl", 2, "/prompt", "Fifty minutes")
    ]


def test_rows_shared_by_all_records_need_not_be_in_their_queries(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    suite = SUITE.replace(", tables: {Busy: busy}", "").replace(
        "{uses: [calls]}", "{uses: [calls], tables: {Busy: {rows: BUSY}}}"
    )
    busy = "[{person: Ana, from: 09:30, until: 11:10}, {person: Cleo, from: 11:20, until: 17:00}]"
    Path("calls.suite.yaml").write_text(
        suite.replace("BUSY", busy).replace("    task:", "      ignore: [busy]\n    task:")
    )
    _, out, _ = run(monkeypatch, capsys, "audit", "calls.suite.yaml", "--format", "json")
    codes = {each["code"] for task in json.loads(out)["tasks"] for each in task["findings"]}
    assert "PS430" in codes
    assert not codes & {"PS441", "PS442"}


def test_published_answers_are_judged_beside_verdicts_of_another_judge(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    answers = {"right": "09:00", "two": "09:00", "wrong": "10:00"}
    Path("answers.jsonl").write_text(
        "".join(f"{json.dumps({'task': name, 'plan': {'call': {'start': at}}})}\n" for name, at in answers.items())
    )
    Path("verdicts.csv").write_text("task,pass\nright,1\ntwo,0\nwrong,1\nfull,0\n")
    _, audit = run_audit(monkeypatch, capsys, "--answers", "answers.jsonl", "--verdicts", "verdicts.csv")
    judged = audit["answers"]
    assert (judged["answers"], judged["right"]["passed"], judged["theirs"]["passed"]) == (3, 2, 2)
    assert judged["cells"] == {"both": 1, "refused": 1, "accepted": 1, "neither": 0}
    assert {each["task"]: each["right"] for each in judged["disagreements"]} == {"two": True, "wrong": False}
    assert judged["unmatched"] == ["full"]


def test_a_scorer_that_compares_with_the_reference_is_found(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    Path("exact.py").write_text("def score(task, answer):\n    return answer == task['reference']\n")
    code, out, _ = run(
        monkeypatch, capsys, "audit", "calls.suite.yaml#two", "--no-deep", "--scorer", "python:exact.py:score"
    )
    assert (code, "right, and its score is false" in out) == (1, True)
    code, _, err = run(monkeypatch, capsys, "audit", "calls.suite.yaml#two", "--no-deep", "--scorer", "nothing")
    assert (code, "is no scorer" in err) == (2, True)


def test_the_page_shows_each_task_that_is_not_ok(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    run(monkeypatch, capsys, "audit", "calls.suite.yaml", "--no-deep", "-o", "audit.html")
    page = Path("audit.html").read_text()
    assert all(text in page for text in ("Half an hour for Ana (two).", "09:30", "requests.jsonl"))
    assert "<script" not in page.replace('<script type="application/json"', "")


def test_a_recorded_audit_can_be_reused(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    first = run_audit(monkeypatch, capsys, "--resume", "record")[1]
    again = run_audit(monkeypatch, capsys, "--resume", "record")[1]
    assert [each["seconds"] for each in again["tasks"]] == [each["seconds"] for each in first["tasks"]]
    assert len(Path("record/audit.jsonl").read_text().splitlines()) == len(first["tasks"])


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ('{"task": "a", "pass": true}\n{"task": "b", "pass": 0.5}\n', {"a": True, "b": False}),
        ('{"task": "a", "pass": 1}\n', {"a": True}),
    ],
)
def test_verdicts_are_booleans_or_numbers(tmp_path: Path, text: str, verdicts: dict[str, bool]) -> None:
    (tmp_path / "v.jsonl").write_text(text)
    assert dict(read_verdicts(tmp_path / "v.jsonl")) == verdicts


@pytest.mark.parametrize("text", ['{"task": "a"}\n', "[]\n", '{"task": "a", "pass": 1}\n{"task": "a", "pass": 0}\n'])
def test_missing_malformed_and_contradicting_verdicts_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.jsonl").write_text(text)
    with pytest.raises(ValueError, match="line"):
        read_verdicts(tmp_path / "v.jsonl")


def test_check_prints_the_first_mistakes_of_each_code_in_a_table(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    records = [record(f"r{n}", [("half past", "17:00")], "09:00") for n in range(9)]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    code, out, err = run(monkeypatch, capsys, "check", "calls.suite.yaml")
    assert (code, out.count("`half past` is no time")) == (2, 3)
    assert "error[PS016]: 6 more in requests.jsonl, lines 4, 5, 6, 7, 8, ... (--all prints them)\n" in out
    assert err.startswith("9 errors")
    assert run(monkeypatch, capsys, "check", "calls.suite.yaml", "--all")[1].count("`half past` is no time") == 9
    assert run(monkeypatch, capsys, "check", "calls.suite.yaml", "--format", "line")[1].count("half past") == 9


def test_the_page_shows_the_facts_of_a_task_that_is_not_ok(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    run(monkeypatch, capsys, "audit", "calls.suite.yaml", "--no-deep", "-o", "audit.html")
    page = Path("audit.html").read_text()
    assert page.count("<caption>What the request sets</caption>") == 3
    assert "<tr><td>Ana</td><td>10:00</td><td>17:00</td></tr>" in page


@pytest.mark.thorough
def test_exports_report_replaced_references_and_the_floor_of_the_reward(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    records = [record("right", [("09:30", "17:00")], "09:00"), record("wrong", [("09:30", "17:00")], "10:00")]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    outside = folder.parent / f"{folder.name}-harbor"  # the export copies the suite's folder
    code, out, err = run(monkeypatch, capsys, "export", "harbor", "calls.suite.yaml", "--out", str(outside))
    assert (code, "\nfloor of the dense reward: " in out) == (0, True)
    assert "right answers of ours stand in place of 1 references that do not pass: wrong" in err
    answer = json.loads((outside / "wrong" / "solution" / "answer.json").read_text())
    assert answer == {"call": {"start": "09:00"}}
