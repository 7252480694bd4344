"""Audits that use a model: a difference between the query and the rules is a finding about the task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planspec.api.outputs.audits import AuditOutput
from tests.planspec.commands.test_command_line import run
from tests.planspec.commands.test_draft import MODEL, RIGHT, TEXT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("rule", "result", "code"), [("<", "ok", 0), (">", "text", 0)])
def test_an_audit_with_a_model_compares_each_query_with_the_rules(
    rule: str,
    result: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MODEL % "no")
    (tmp_path / "right.yaml").write_text(RIGHT)
    head = f"planspec: task/1\nid: calls\nquery: {json.dumps(TEXT)}\n"
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT.replace("<", rule))
    words = ("audit", "calls.task.yaml", "--model", "python:file=mine.py", "--no-deep", "--format", "json")
    found, out, _ = run(monkeypatch, capsys, *words)
    (task,) = AuditOutput.model_validate_json(out).tasks
    assert (found, task.result) == (code, result)
    assert ("PS444" in {each.code for each in task.findings}) is (result == "text")
