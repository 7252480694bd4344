"""`draft` on the command line: outputs, files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planspec.drafting.output import DraftCheckOutput, DraftOutput
from tests.planspec.commands.test_command_line import run

MODEL = """\
from pathlib import Path


class Model:
    def answer(self, view, desk):
        kind = view.given["kind"]
        plan = {"calls": [{"who": "anna", "start": "09:00"}, {"who": "bert", "start": "09:30"}]}
        if kind == "judge":
            return "\\n".join(f"{n}: {{allowed: %s, sentence: none}}" for n in range(1, 20))
        if kind == "cases":
            return {"good": {"right": "yes", "sentence": "one after the other", "plan": plan}}
        if kind == "words":
            return {"order": "Anna's call begins before Bert's."}
        if kind == "question":
            return "both"
        text = Path("right.yaml").read_text()
        allowed = view.query.partition("Sections that you may write")[2].split(".")[0]
        start = next((name for name in ("types", "scope") if name in allowed), "constraints")
        return text[text.index(start):]
"""
RIGHT = """\
types: {Call: anna | bert}
plan: {calls: {who: key Call, start: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..09:30 step 30min}]}
constraints:
  order:
    hard: calls[anna].start < calls[bert].start
"""
TEXT = "Two calls between 09:00 and 09:30, one after the other, Anna first."


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MODEL % "no")
    (tmp_path / "right.yaml").write_text(RIGHT)


@pytest.mark.slow
def test_a_draft_is_written_with_its_log_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("draft", TEXT, "-o", "calls.task.yaml", "--drafts", "1")
    code, out, _ = run(monkeypatch, capsys, *words, "--model", "python:file=mine.py", "--format", "json")
    result = DraftOutput.model_validate_json(out)
    written = (tmp_path / "calls.task.yaml").read_text()
    assert result.text == written
    assert "meta: {draft: true}" in written
    assert code == result.exit_code
    again, text, _ = run(monkeypatch, capsys, *words, "--resume", "calls.replies.jsonl")
    assert again == code
    assert "0 calls" in text
    assert (tmp_path / "calls.task.yaml").read_text() == written


@pytest.mark.slow
def test_exit_codes_say_whether_the_words_agree_with_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"planspec: task/1\nid: calls\nquery: {json.dumps(TEXT)}\n"
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT)
    check = ("draft", "--check", "calls.task.yaml", "--model", "python:file=mine.py")
    assert run(monkeypatch, capsys, *check)[0] == 0
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT.replace("<", ">"))
    code, out, _ = run(monkeypatch, capsys, *check, "--format", "json")
    result = DraftCheckOutput.model_validate_json(out)
    assert (code, result.status) == (1, "disagreed")
    assert result.disagreements[0].rules == "too-loose"
    code, out, _ = run(monkeypatch, capsys, "draft", "--check", "calls.task.yaml", "--model", "empty", "--budget", "2")
    assert code == 3
    assert "budget" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((TEXT,), "name the agent"),
        (("--model", "empty"), "either a request or --check"),
        ((TEXT, "--check", "x", "--model", "empty"), "either a request or --check"),
        (("missing.txt", "--model", "empty"), "there is no file"),
        ((TEXT, "--model", "emty"), "no agent is called `emty`"),
        ((TEXT, "--model", "empty", "--budget", "much"), "is not a budget"),
        ((TEXT, "--model", "empty", "--budget", "1.50USD"), "needs --prices"),
        ((TEXT, "--resume", "missing.jsonl"), "there is no file"),
        ((TEXT, "--model", "empty", "-o", "no/such/x.yaml"), "there is no folder"),
        (("--check", "mine.py", "--model", "empty", "--out", "x.yaml"), "--out is for a new draft"),
        ((" \n ", "--model", "empty"), "there is no file"),
    ],
)
def test_a_wrong_call_exits_with_2(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, "draft", *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_the_primer_is_a_page_of_about_fifty_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, "docs", "primer")
    assert code == 0
    assert 40 <= len(out.splitlines()) <= 55
