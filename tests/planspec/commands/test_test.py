"""`test`: text, JSON, JUnit and all exit codes, whatever the number of processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from planspec.api.outputs.claims import TestOutput as CasesOutput
from tests.planspec.api.cases.afternoon import AFTERNOON, text_with_cases
from tests.planspec.commands.test_command_line import run

LATE = "{from: reference, change: {visits: {museum: {end: 15:45}}}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of tasks: with expected or unexpected verdicts on cases, with a mistake, or without cases."""
    texts = {
        "good": text_with_cases("reference: {passes: true}"),
        "differs": text_with_cases("reference: {passes: true}", f"late: {LATE}, violates: [order]}}"),
        "wrong": text_with_cases("reference: {violates: [ordr]}"),
        "bare": AFTERNOON,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.task.yaml").write_text(text.replace("id: afternoon", f"id: {name}"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_differences_are_printed_with_their_places(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "test", "differs")
    assert code == 1
    assert out.splitlines() == [
        "+ differs: reference",
        "x differs: late  differs.task.yaml:35",
        "    hard length[museum]: expected satisfied, found violated (-15min): visits[s].end - visits[s].start == 90min does not hold: 1h45min against 1h30min  differs.task.yaml:17",
    ]
    assert err == "2 cases of 1 task: 1 as expected, 1 differs\n"


@pytest.mark.usefixtures("folder")
def test_the_exit_code_shows_unexpected_verdicts_also_with_quiet(monkeypatch: Any, capsys: Any) -> None:
    assert run(monkeypatch, capsys, "test", "good", "-q") == (0, "", "1 case of 1 task: 1 as expected\n")
    assert run(monkeypatch, capsys, "test", "bare") == (0, "", "the task has no cases\n")
    code, out, err = run(monkeypatch, capsys, "test", "wrong", "good")
    assert (code, out) == (2, "+ good: reference\n")
    assert err.startswith("error[PS605]: the task has no constraint `ordr`")
    code, out, err = run(monkeypatch, capsys, "test", "gone")
    assert (code, out) == (2, "")
    code, out, err = run(monkeypatch, capsys, "test", "good", "--junit", "gone/here.xml")
    assert (code, out, err) == (2, "", "error: there is no folder `gone` for `here.xml`\n")


def test_tasks_with_errors_are_counted_and_a_shared_mistake_is_printed_once(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shared.library.yaml").write_text("planspec: library/1\nid: shared\ndefine: {twice: budgt + budgt}\n")
    for name in ("one", "two"):
        text = text_with_cases("reference: {passes: true}").replace("id: afternoon", f"id: {name}\nuses: [shared]")
        (tmp_path / f"{name}.task.yaml").write_text(text)
    (tmp_path / "good.task.yaml").write_text(text_with_cases("reference: {passes: true}"))
    code, out, err = run(monkeypatch, capsys, "test", "one", "two", "--coverage")
    assert (code, out) == (2, "coverage: nothing to count; 2 tasks with errors left out\n")
    assert err.count("error[PS201]") == 2  # the mistake has two places in the library
    assert err.endswith("planspec explain PS201\nno case was judged; 2 tasks with errors\n")
    assert run(monkeypatch, capsys, "test", "one", "two", "--coverage", "--jobs", "2") == (code, out, err)
    code, out, err = run(monkeypatch, capsys, "test", ".", "--mutate", "-q", "--format", "json")
    assert CasesOutput.model_validate_json(out).unjudged == 2
    code, out, err = run(monkeypatch, capsys, "validate", "one", "two")
    assert err.count("error[PS201]") == 2
    assert err.endswith("\n2 tasks: 2 with errors\n")


def test_an_unreadable_file_in_a_folder_is_reported(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    (folder / "wrong.task.yaml").write_text("planspec: task/1\nid: [\n")
    code, _, err = run(monkeypatch, capsys, "test", "-q", ".")
    assert code == 2
    assert "error[PS002]" in err
    assert err.endswith("3 cases of 2 tasks: 2 as expected, 1 differs; 1 task without; 1 task with errors\n")
    for name in ("good", "differs", "bare"):
        (folder / f"{name}.task.yaml").unlink()
    assert run(monkeypatch, capsys, "test")[0] == 2


@pytest.mark.slow
def test_the_number_of_processes_does_not_change_the_output(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    one = run(monkeypatch, capsys, "test", "--coverage", "--mutate", "--junit", "one.xml")
    two = run(monkeypatch, capsys, "test", "--coverage", "--mutate", "--junit", "two.xml", "--jobs", "2")
    assert one == two
    assert one[0] == 2
    assert one[2].endswith("3 cases of 2 tasks: 2 as expected, 1 differs; 1 task without; 1 task with errors\n")
    texts = [(folder / name).read_text() for name in ("one.xml", "two.xml")]
    assert texts[0] == texts[1]
    names = [(case.get("classname"), case.get("name")) for case in ET.fromstring(texts[0]).iter("testcase")]
    assert names[-1] == ("planspec", str(Path("wrong.task.yaml")))
    assert names[:-1] == [("differs", "reference"), ("differs", "late"), ("good", "reference")]


@pytest.mark.usefixtures("folder")
def test_json_is_one_document(monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, "test", "differs", "--coverage", "--format", "json")
    output = CasesOutput.model_validate_json(out)
    assert (code, output.as_expected, output.mutants) == (1, False, None)
    assert [(case.name, case.as_expected, len(case.differences)) for case in output.cases] == [
        ("reference", True, 0),
        ("late", False, 1),
    ]
    assert {c.constraint: c.violated for c in output.coverage or ()} == {
        "length": 1,
        "order": 1,
        "purse": 0,
        "hungry": 0,
        "early": 0,
    }
