"""`audit`: text, JSON, SARIF, pages, exit codes, and results reused by `--resume`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.api.auditing.suites import RECORDS
from planspec.api.outputs.audits import AuditOutput
from tests.planspec.api.auditing.sample import RESULTS, TASKS, number_task, write_numbers
from tests.planspec.commands.test_command_line import run

pytestmark = pytest.mark.slow


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of the sample suite, in a new working directory."""
    monkeypatch.chdir(tmp_path)
    return write_numbers(tmp_path)


def write_only(folder: Path, *texts: str) -> None:
    """Write tasks to a suite's folder instead of its own."""
    (folder / "numbers.tasks.yaml").write_text("---\n".join(texts))


@pytest.mark.usefixtures("numbers")
def test_the_json_output_has_the_documented_form(monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, "audit", "numbers.suite.yaml", "--format", "json", "-o", "audit.json")
    output = AuditOutput.model_validate_json(out)
    assert (code, {task.task: task.result for task in output.tasks}) == (1, RESULTS)
    assert AuditOutput.model_validate_json(Path("audit.json").read_text()) == output
    data = json.loads(out)
    assert set(data["tasks"][0]) >= {"task", "reading", "origin", "result", "expected", "proved", "by", "plans"}
    assert set(data["tasks"][0]) >= {"reference", "other", "findings"}
    assert (data["readings"], data["scorer"], data["answers"]) == ([], None, None)


@pytest.mark.usefixtures("numbers")
def test_the_text_output_lists_each_task_as_soon_as_it_is_audited_and_ends_with_counts(
    monkeypatch: Any, capsys: Any
) -> None:
    code, out, _ = run(monkeypatch, capsys, "audit", "numbers", "--by", "kind", "--jobs", "2")
    lines = out.splitlines()
    assert code == 1
    assert lines[0].startswith("several  several    expects unique: 3 plans (exact)   reference passes")
    assert any(line.startswith("kind ") for line in lines)
    assert "warning[PS622] same-task: twin, told" in lines
    assert lines[-1].startswith("11 tasks: 4 ok, ")


@pytest.mark.usefixtures("numbers")
def test_a_key_that_no_task_has_is_reported_after_all_results(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "audit", "numbers", "--by", "kinds")
    assert (code, "--by: no task has `kinds` under `meta`; did you mean `kind`?" in err) == (2, True)
    assert out.splitlines()[-1].startswith("11 tasks: 4 ok, ")


@pytest.mark.usefixtures("numbers")
def test_sarif_has_each_finding_at_its_place(monkeypatch: Any, capsys: Any) -> None:
    _, out, _ = run(monkeypatch, capsys, "audit", "numbers", "--format", "sarif")
    results = json.loads(out)["runs"][0]["results"]
    assert {"PS204", "PS436", "PS440", "PS620", "PS621", "PS622"} <= {each["ruleId"] for each in results}
    (broken,) = [each for each in results if each["ruleId"] == "PS204"]
    place = broken["locations"][0]["physicalLocation"]
    assert (broken["level"], place["artifactLocation"]["uri"]) == ("error", "numbers.tasks.yaml")
    assert Path("numbers.tasks.yaml").read_text().splitlines()[place["region"]["startLine"] - 1].count("t.y") == 1


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        (TASKS["fine"], (), 0),
        (TASKS["gap"], (), 0),
        (TASKS["lazy"], (), 1),
        (TASKS["fine"], ("--effort", "0.000001"), 3),
        (TASKS["lazy"] + "maximize: count(m for m in meetings)\nreference: {meetings: []}\n", (), 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_result(
    text: str, words: tuple[str, ...], code: int, numbers: Path, monkeypatch: Any, capsys: Any
) -> None:
    write_only(numbers.parent, text)
    assert run(monkeypatch, capsys, "audit", "numbers", *words)[0] == code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "there is no"),
        (("numbers", "--verdicts", "v.jsonl"), "--verdicts requires --answers"),
        (("numbers", "--reading", "all", "--model", "empty"), "--model is about the tasks as written"),
        (("numbers", "--reading", "all", "--scorer", "python:x:y"), "--scorer is about the tasks as written"),
        (("numbers", "--answers", "none.jsonl"), "none.jsonl"),
        (("numbers", "-o", "page.pdf"), "neither a page"),
        (("numbers", "--resume", "kept"), "line 1 is no audit of a task"),
    ],
)
@pytest.mark.usefixtures("numbers")
def test_wrong_options_are_refused_before_any_work(
    words: tuple[str, ...], message: str, monkeypatch: Any, capsys: Any
) -> None:
    Path("v.jsonl").write_text("")
    Path("kept").mkdir()
    (Path("kept") / RECORDS).write_text("{}\n{}\n")
    code, out, err = run(monkeypatch, capsys, "audit", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_resume_reuses_the_results_of_unchanged_tasks(numbers: Path, monkeypatch: Any, capsys: Any) -> None:
    write_only(numbers.parent, TASKS["fine"], TASKS["several"], TASKS["talk"])
    records = Path("kept") / RECORDS

    def audited_tasks(*words: str) -> list[str]:
        run(monkeypatch, capsys, "audit", "numbers", "--resume", "kept", *words)
        return [json.loads(line)["task"] for line in records.read_text().splitlines()]

    assert audited_tasks() == ["fine", "several", "talk@1", "talk@2"]
    assert audited_tasks() == ["fine", "several", "talk@1", "talk@2"]
    with records.open("a") as file:
        file.write('{"task": "cut o')
    write_only(numbers.parent, TASKS["fine"], TASKS["several"].replace("t.x >= 3", "t.x == 4"), TASKS["talk"])
    code, out, _ = run(monkeypatch, capsys, "audit", "numbers", "--resume", "kept", "--format", "json")
    results = {task["task"]: task["result"] for task in json.loads(out)["tasks"]}
    assert (code, results["several"]) == (0, "ok")
    code, out, _ = run(monkeypatch, capsys, "audit", "numbers", "--resume", "kept", "--format", "json")
    assert (code, json.loads(out)["tasks"][1]["result"]) == (0, "ok")


def test_certificates_are_written_and_valid(numbers: Path, monkeypatch: Any, capsys: Any) -> None:
    write_only(numbers.parent, TASKS["fine"], TASKS["gap"])
    assert run(monkeypatch, capsys, "audit", "numbers", "--certify")[0] == 0
    assert sorted(path.name for path in (numbers.parent / "certificates").iterdir()) == ["fine.json", "gap.json"]
    assert run(monkeypatch, capsys, "validate", "--check", "numbers")[0] == 0


def test_answers_and_verdicts_are_on_the_page(numbers: Path, monkeypatch: Any, capsys: Any) -> None:
    write_only(numbers.parent, TASKS["several"], number_task("other", "t.x == 1"))
    Path("a.jsonl").write_text('{"task": "several", "plan": {"t": {"x": 5}}}\n')
    Path("v.csv").write_text("task,pass\nseveral,0\n")
    words = ("--answers", "a.jsonl", "--verdicts", "v.csv", "-o", "page.html")
    code, out, err = run(monkeypatch, capsys, "audit", "numbers", *words)
    assert (code, err.splitlines()[-1]) == (1, "page: page.html")
    assert "answers 1: 1 right" in out
    page = Path("page.html").read_text()
    assert "it refuses 1 right answer and accepts no wrong answer" in page
