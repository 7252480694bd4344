"""`check`, `fmt`, and commands that list documents and agents."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from planspec.api.checking import check as api_check
from planspec.api.outputs.claims import CheckStagesOutput
from planspec.api.outputs.shown import TaskShownOutput
from tests.planspec.commands.test_command_line import TINY, folder, run

__all__ = ["folder"]

MOBILITY = Path(__file__).parents[3] / "tasks" / "mobilitybench" / "tasks"
WRONG = TINY.replace("id: tiny", "id: wrong").replace("calls[anna].end <=", "calls[ana].end <=")
UNTIDY = TINY.replace("c.end - c.start == 30min", "(c.end-c.start)==30min")


class StandardInput:
    """Standard input that contains a text."""

    closed = False

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())

    def isatty(self) -> bool:
        """Return False, as for a pipe."""
        return False


@pytest.fixture
def folder_with_mistake(folder: Path) -> Path:
    """Add a second task, which has a mistake, to a folder, and return the folder."""
    (folder / "wrong.task.yaml").write_text(WRONG)
    return folder


class TestCheck:
    def test_a_note_counts_tasks_with_settings_in_python(self) -> None:
        notes: list[str] = []
        diagnostics = api_check(
            [MOBILITY / "mb-000001.yaml", MOBILITY / "mb-000003.yaml"],
            deep=lambda _: (),
            on_note=notes.append,
        )
        assert (diagnostics, notes) == (
            (),
            [
                "2 tasks of the family `mobilitybench`: its settings are Python code, which is not checked for completeness"
            ],
        )

    def test_the_current_folder_is_checked_if_none_is_named(
        self, folder_with_mistake: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        code, out, err = run(monkeypatch, capsys, "check")
        assert (code, "error[PS201]" in out, "wrong.task.yaml:10" in out) == (2, True, True)
        assert err == "1 error; for more about it: planspec explain PS201\n"

    def test_a_folder_without_documents_causes_a_warning(self, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "notes.txt").write_text("nothing")
        for words, code in ((("check",), 0), (("check", "--strict"), 2), (("fmt", "."), 0)):
            assert run(monkeypatch, capsys, *words) == (code, "", "warning: there is no document in `.`\n")

    def test_a_missing_file_is_reported_once(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        code, _, err = run(monkeypatch, capsys, "check", "nofile.yaml")
        assert (code, err) == (2, "error: there is no file or folder `nofile.yaml`\n")
        code, _, err = run(monkeypatch, capsys, "check", "tinny")
        assert (code, err) == (2, "error[PS702]: there is no task `tinny`; did you mean `tiny`?\n")

    def test_two_documents_with_one_id_cause_a_warning(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "copy.task.yaml").write_text(TINY)
        code, out, _ = run(monkeypatch, capsys, "check")
        assert code == 0
        assert "warning[PS602]: two documents are the task `tiny`" in out
        assert "copy.task.yaml:2:5" in out
        assert "tiny.task.yaml:2:5" in out
        assert run(monkeypatch, capsys, "check", "copy.task.yaml", "./copy.task.yaml")[1] == ""

    def test_standard_input_is_checked_as_a_file(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "sub").mkdir()
        (folder / "sub" / "good.json").write_text("{")
        monkeypatch.setattr(sys, "stdin", StandardInput(WRONG))
        code, out, _ = run(monkeypatch, capsys, "check", "-", "--stdin-filename", "sub/open.task.yaml")
        assert (code, "--> sub/open.task.yaml:10" in out) == (2, True)
        monkeypatch.setattr(sys, "stdin", StandardInput(TINY + "reference: good.json\n"))
        code, out, _ = run(monkeypatch, capsys, "check", "-", "--stdin-filename", "sub/open.task.yaml")
        assert "good.json" in out  # the file is found beside the named file, whose text comes from standard input
        monkeypatch.setattr(sys, "stdin", StandardInput(TINY))
        assert run(monkeypatch, capsys, "check", "-")[:2] == (0, "")
        code, _, err = run(monkeypatch, capsys, "check", "-", "--stdin-filename", "task.txt")
        assert (code, "ends with .yaml or .yml" in err) == (2, True)

    def test_stages_are_part_of_one_json_document(
        self, folder_with_mistake: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        _, out, _ = run(monkeypatch, capsys, "check", "--stages", "--format", "json")
        output = CheckStagesOutput.model_validate_json(out)
        assert [d.code for d in output.diagnostics] == ["PS201"]
        assert ("planned", "constraint", "order") in {(s.stage, s.kind, s.name) for s in output.stages}
        assert run(monkeypatch, capsys, "check", "--stages", "--format", "sarif")[0] == 2

    def test_reports_have_the_formats_of_code_hosts(
        self, folder_with_mistake: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        code, out, _ = run(monkeypatch, capsys, "check", "--format", "github")
        assert code == 2
        assert out.startswith("::error file=wrong.task.yaml,line=10,endLine=10,col=17,endColumn=20,title=PS201 ")
        assert out.rstrip().endswith("did you mean `anna`?")
        report = json.loads(run(monkeypatch, capsys, "check", "--format", "gitlab")[1])
        assert [(m["check_name"], m["location"]["lines"]["begin"], m["severity"]) for m in report] == [
            ("PS201", 10, "major")
        ]
        root = ET.fromstring(run(monkeypatch, capsys, "check", "--format", "junit")[1])
        assert (root.get("tests"), root.get("failures")) == ("2", "1")
        assert [case.get("name") for case in root.iter("testcase")] == ["tiny.task.yaml", "wrong.task.yaml"]
        assert [(f.get("type"), "^^^" in (f.text or "")) for f in root.iter("failure")] == [("PS201", True)]

    def test_special_characters_of_code_hosts_are_escaped(self, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "50%,a:b.yaml").write_text(WRONG.replace("id: wrong", "id: wrong  # \u0001"))
        out = run(monkeypatch, capsys, "check", "--format", "github")[1]
        assert all(line.startswith("::error file=50%25%2Ca%3Ab.yaml,") for line in out.splitlines())
        assert ET.fromstring(run(monkeypatch, capsys, "check", "--format", "junit")[1]).get("failures") == "1"

    def test_fingerprints_do_not_change_if_lines_are_inserted_above(
        self, folder_with_mistake: Path, monkeypatch: Any, capsys: Any
    ) -> None:
        before = json.loads(run(monkeypatch, capsys, "check", "--format", "gitlab")[1])
        (folder_with_mistake / "wrong.task.yaml").write_text("# a remark\n" + WRONG)
        after = json.loads(run(monkeypatch, capsys, "check", "--format", "gitlab")[1])
        assert [m["fingerprint"] for m in before] == [m["fingerprint"] for m in after]


class TestFmt:
    def test_diff_shows_differences_and_changes_nothing(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "tiny.task.yaml").write_text(UNTIDY)
        code, out, err = run(monkeypatch, capsys, "fmt", "--diff")
        assert code == 1
        assert "--- tiny.task.yaml\n+++ tiny.task.yaml\n@@" in out
        assert "\n+  length: {hard: all(c.end - c.start == 30min for c in calls)}\n" in out
        assert err == "1 file would change\n"
        assert (folder / "tiny.task.yaml").read_text() == UNTIDY

    def test_the_summary_counts_files(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        (folder / "other.task.yaml").write_text(UNTIDY.replace("id: tiny", "id: other"))
        run(monkeypatch, capsys, "fmt", "tiny.task.yaml")
        code, _, err = run(monkeypatch, capsys, "fmt", "--check")
        assert (code, err) == (
            1,
            "would change other.task.yaml\n1 file would change, 1 is formatted already\n",
        )
        code, _, err = run(monkeypatch, capsys, "fmt")
        assert (code, err) == (0, "formatted other.task.yaml\n1 file formatted, 1 is formatted already\n")
        code, _, err = run(monkeypatch, capsys, "fmt", "--check")
        assert (code, err) == (0, "2 files are formatted already\n")

    def test_standard_input_is_formatted_to_standard_output(self, folder: Path, monkeypatch: Any, capsys: Any) -> None:
        monkeypatch.setattr(sys, "stdin", StandardInput(UNTIDY))
        code, out, err = run(monkeypatch, capsys, "fmt", "-")
        assert (code, err) == (0, "")
        assert "c.end - c.start == 30min" in out
        monkeypatch.setattr(sys, "stdin", StandardInput(out))
        assert run(monkeypatch, capsys, "fmt", "-", "--check") == (0, "", "")
        monkeypatch.setattr(sys, "stdin", StandardInput("a: [b"))
        code, out, err = run(monkeypatch, capsys, "fmt", "-", "--stdin-filename", "x.yaml")
        assert (code, out, "x.yaml:1" in err) == (2, "", True)
        assert run(monkeypatch, capsys, "fmt", "-", "tiny.task.yaml")[0] == 2


class TestOtherCommands:
    def test_codes_are_listed_as_text_and_json(self, monkeypatch: Any, capsys: Any) -> None:
        assert "PS301  " in run(monkeypatch, capsys, "explain")[1]
        output = json.loads(run(monkeypatch, capsys, "explain", "ps301", "--format", "json")[1])
        assert (output["code"], set(output)) == ("PS301", {"code", "slug", "why", "wrong", "right"})
        assert len(json.loads(run(monkeypatch, capsys, "explain", "--format", "json")[1])) > 50
        assert "did you mean" in run(monkeypatch, capsys, "explain", "unknown-nam")[2]

    def test_schemas_are_listed_and_suggested(self, monkeypatch: Any, capsys: Any) -> None:
        listed = run(monkeypatch, capsys, "schema", "--list")[1].splitlines()
        assert {"task", "trace", "output/verify", "output/check-stages"} <= set(listed)
        code, _, err = run(monkeypatch, capsys, "schema", "output/verfy")
        assert (code, err) == (2, "error: there is no schema `output/verfy`; did you mean `output/verify`?\n")

    @pytest.mark.slow
    def test_a_task_is_shown_with_its_file(self, monkeypatch: Any, capsys: Any) -> None:
        output = TaskShownOutput.model_validate_json(
            run(monkeypatch, capsys, "tasks", "show", "berlin-001", "--format", "json")[1]
        )
        assert Path(output.file).name == "berlin-001.task.yaml"
        assert output.queries
        assert {rule.level for rule in output.constraints} == {"hard", "soft"}
        assert "visits" in {table.table for table in output.plan}
        assert f"\n{output.file}\n" in run(monkeypatch, capsys, "tasks", "show", "berlin-001")[1]

    def test_agents_are_listed_and_shown(self, monkeypatch: Any, capsys: Any) -> None:
        assert "oracle" in run(monkeypatch, capsys, "agents", "list")[1]
        output = json.loads(run(monkeypatch, capsys, "agents", "show", "greedy", "--format", "json")[1])
        assert {option["name"] for option in output["options"]} == {"strategy", "seconds"}
        code, _, err = run(monkeypatch, capsys, "agents", "show", "orcle")
        assert (code, "did you mean `oracle`?" in err) == (2, True)

    @pytest.mark.parametrize(
        ("agent", "message"),
        [
            ("orcle", "no agent is called `orcle`; did you mean `oracle`?"),
            ("greedy:strategi=nearest", "there is no option `strategi`, did you mean `strategy`"),
            ("openai:base_url=http://127.0.0.1:1", "the option `model` is needed"),
            ("greedy:seconds=soon", "the option `seconds` is `soon`, and input should be a valid number"),
        ],
    )
    def test_an_invalid_agent_is_reported_plainly(
        self, agent: str, message: str, monkeypatch: Any, capsys: Any
    ) -> None:
        code, _, err = run(monkeypatch, capsys, "run", "worldtravel-berlin", "--agent", agent)
        assert (code, message in err) == (2, True)


COMPLETIONS = {
    "solve berl": "berlin-001",
    "run worldtravel-be": "worldtravel-berlin",
    "explain PS30": "PS301",
    "schema output/ver": "output/verify",
    "run worldtravel-berlin --agent orac": "oracle",
    "solve berlin-001 --backend s": "smt",
    "validate berlin-001 --backends cpsat,": "cpsat,smt",
    "chec": "check",
    "check ti": "tiny.task.yaml",
    "verify go": "good.json",
    "report ru": "runs/",
    "run worldtravel-berlin --setting ": "gold",
}
"""Beginnings of command lines, each with an expected completion."""
COMPLETING = """
import contextlib, io, json, os, sys
from planspec.cli import command_line

printed = {}
for words in json.load(sys.stdin):
    sys.argv = ["planspec"]
    os.environ["_TYPER_COMPLETE_ARGS"] = f"planspec {words}"
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        command_line()
    printed[words] = [line.partition("\\t")[0] for line in out.getvalue().splitlines()]
json.dump(printed, sys.stdout)
"""
"""A program that completes all beginnings in one process, since a process takes long to start."""


@pytest.mark.slow
def test_shells_complete_names_in_arguments(folder: Path) -> None:
    (folder / "runs").mkdir()
    env = {
        "_PLANSPEC_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "PATH": "/usr/bin:/bin",
    } | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    result = subprocess.run(
        [sys.executable, "-P", "-c", COMPLETING],
        input=json.dumps(list(COMPLETIONS)),
        env=env,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    printed = json.loads(result.stdout)
    assert {words: completion in printed[words] for words, completion in COMPLETIONS.items()} == dict.fromkeys(
        COMPLETIONS, True
    )
